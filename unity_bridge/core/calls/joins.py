"""``JobJoins``: whether a job call starts a job of its own, or joins one that there is (SPEC §15.7)."""

from __future__ import annotations

import json
from typing import Optional

from unity_bridge.base.calls import Call
from unity_bridge.base.errors import ToolError
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.catalogue.tool import Join
from unity_bridge.core import answers
from unity_bridge.core.editor.reconnect import ReconnectController
from unity_bridge.core.jobs.jobs import JobManager
from unity_bridge.core.ledger.machines import JobState
from unity_bridge.core.ledger.records import CancelProgress, JobRecord


class JobJoins:
    """A key is the client's word that it means the same job; without one the catalogue says what is joined."""

    def __init__(self, jobs: JobManager, reconnect: ReconnectController) -> None:
        self._jobs = jobs
        self._reconnect = reconnect

    def find(self, call: Call) -> Result[Optional[JobRecord], ToolError]:
        """The job to join, ``None`` if there is none, or why the call cannot be meant as it is."""
        if call.client is None or call.client_request_id is None:
            return Ok(self._identical(call))
        job = self._jobs.keyed(call.client, call.client_request_id) or self._listed(call)
        if job is not None and not is_the_same(call, job):
            return Err(answers.key_used_otherwise(call.client_request_id, job))
        return Ok(job)

    def _listed(self, call: Call) -> Optional[JobRecord]:
        """A job of that key that the editor knows from an earlier server."""
        session = self._reconnect.active
        if session is None or session.identity is None:
            return None
        job_id = session.identity.job_keys.get((str(call.client), str(call.client_request_id)))
        if job_id is None:
            return None
        known = self._jobs.get(job_id)
        return known or self._jobs.adopt(
            job_id, session.identity.instance_id, client=call.client, key=call.client_request_id
        )

    def _identical(self, call: Call) -> Optional[JobRecord]:
        """An open job that does just what ``call`` asks for, where the catalogue says that it will do."""
        if call.tool.join is Join.NONE:
            return None
        for job in self._jobs.open():
            is_other = job.call is None or not _has_the_same_arguments(call, job.call)
            may_have_begun = job.state is not JobState.QUEUED
            is_out = job.client != call.client if call.tool.join is Join.OPEN else may_have_begun
            # One that is being cancelled is not what a new call wants.
            if not is_other and not is_out and job.cancel is CancelProgress.NOT_WANTED:
                return job
        return None


def is_the_same(call: Call, job: JobRecord) -> bool:
    """Whether ``job`` is what ``call`` asks for, as far as is known: of an inherited job the arguments are not."""
    if job.call is not None:
        return _has_the_same_arguments(call, job.call)
    return job.tool_name is None or job.tool_name == call.tool.name


def _has_the_same_arguments(call: Call, other: Call) -> bool:
    # As JSON: Python's own equality, which soon knows what differs, takes true for 1.
    is_alike = call.tool.name == other.tool.name and call.params == other.params
    return is_alike and _canonical(call) == _canonical(other)


def _canonical(call: Call) -> str:
    return json.dumps(call.params, sort_keys=True)
