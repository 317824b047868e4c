"""``JobRecords``: our side of a job, from its id to its end (SPEC §5, §15). ``results.py`` takes in
what Unity says.
"""

from __future__ import annotations

import hashlib
import json
from collections import deque
from typing import Any, Deque, Dict, List, Optional, Tuple

from unity_bridge.base.errors import Guarantee, ToolError
from unity_bridge.base.frozen import changed
from unity_bridge.catalogue.calls import Call, client_of
from unity_bridge.catalogue.tool import Tool
from unity_bridge.core import errors
from unity_bridge.core.changes import EditorEnded, JobMoved, SessionLost, SessionOpened
from unity_bridge.core.context import Core
from unity_bridge.core.jobs.kept_results import KeptResults
from unity_bridge.core.ledger.deadlines import Due
from unity_bridge.core.ledger.machines import JobEvent, JobState
from unity_bridge.core.ledger.records import CancelProgress, EditorIdentity, JobRecord
from unity_bridge.unity.messages import SubmitJob

# SPEC §5.4: the last 256 ended jobs are kept, and any that ended within half an hour.
_ENDED_KEPT = 256
_ENDED_KEPT_S = 30 * 60.0

# Spent keys that are remembered; a plugin keeps fewer jobs (SPEC §15.7).
_SPENT_KEPT = 1024

_NEVER_RAN = (JobEvent.PARKED_TOO_LONG, JobEvent.SEND_FAILED, JobEvent.REFUSED)
_DEADLINES = (Due.JOB, Due.JOB_LOST, Due.RESOLVE)


class JobRecords:
    """Writes the job records, and announces ``JobMoved`` once the ledger has what is new. For the
    executor thread alone.
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        self._jobs = core.ledger.jobs
        self._deadlines = core.deadlines
        self._log = core.log
        self.kept = KeptResults()
        self._open: Dict[str, None] = {}  # ids, the oldest first
        self._ended: Deque[str] = deque()  # ids, in the order of their ends
        self._keys: Dict[Tuple[str, str], str] = {}  # client and key -> id
        self._own_client = core.ids.client()
        self._listed_by: Optional[int] = None  # the session whose list of jobs was taken over
        self._renewed: Dict[
            str, str
        ] = {}  # spent keys of our own client, oldest first -> the key of the next job

    # Reading.

    def get(self, job_id: str) -> Optional[JobRecord]:
        return self._jobs.get(job_id)

    def has_ended(self, job: JobRecord) -> bool:
        return self._jobs.has_ended(job)

    def open(self) -> List[JobRecord]:
        """Jobs that have not ended, as far as is known."""
        return [job for job in map(self.get, self._open) if job is not None]

    def running(self) -> List[JobRecord]:
        """Jobs that were handed to Unity and have not ended, as far as is known."""
        return [job for job in self.open() if job.state is JobState.RUNNING]

    def key_of(self, call: Call) -> Optional[str]:
        """Return the key of the call's job, here and in Unity: a new one if the client's own is
        spent (SPEC §15.7).

        The former job keeps its key, so the plugin and other servers never see two jobs with one
        key.
        """
        key = call.client_request_id
        if key is not None and call.client == self._own_client:
            return self._renewed.get(key, key)
        return key

    def keyed(self, call: Call) -> Optional[JobRecord]:
        """Return the job that the call means by its key, while the job is kept."""
        key = self.key_of(call)
        job_id = None if call.client is None or key is None else self._keys.get((call.client, key))
        job = None if job_id is None else self.get(job_id)
        if job is not None and holds_key(job):
            return job
        return None

    def tool_of(self, job: JobRecord) -> Optional[Tool]:
        """None: not known yet, or a newer plugin's."""
        if job.tool_name is None:
            return None
        return self._core.catalogue.get(job.tool_name)

    # From its issue to its end.

    def issue(self, call: Call) -> JobRecord:
        """Add a new job, queued, with an id of ours. Nothing is announced: nobody can wait for it
        yet.
        """
        return self._add(self.of_call(self._core.ids.job(), JobState.QUEUED, call))

    def of_call(self, job_id: str, state: JobState, call: Call) -> JobRecord:
        """Return the record of the job that ``call`` has started."""
        key = self.key_of(call)
        return JobRecord(
            job_id, state, call=call, tool_name=call.tool.name, client=call.client, key=key
        )

    def adopt(self, job_id: str, instance_id: Optional[str], **members: Optional[str]) -> JobRecord:
        """Adopt a job that Unity still knows from an earlier server (SPEC §14.3). Its state has yet
        to be asked.

        ``members``: members of its record, as far as they are known.
        """
        self._log.info("job of an earlier server adopted", job_id=job_id)
        unity_id = members.pop("unity_id", None) or job_id
        job = JobRecord(job_id, JobState.RUNNING, unity_id=unity_id, instance_id=instance_id)
        adopted = self.take_up(job, **members)
        self.keep_old_deadline(adopted, None)
        return adopted

    def adopt_listed(self, _: object = None) -> None:
        """Follow the jobs of which a proven editor has said that they have not ended (SPEC §15.9)."""
        session = self._core.ledger.session
        if (
            session is None
            or session.id == self._listed_by
            or not session.is_trusted
            or session.identity is None
        ):
            return
        self._listed_by = session.id
        running_ids = {job.id_in_unity for job in self.running()}
        for listed in session.identity.listed:
            job_id = listed.get("job_id")
            if job_id is not None and job_id not in running_ids and self.get(job_id) is None:
                names = {
                    "tool_name": listed.get("tool"),
                    "name": listed.get("name"),
                    "client": listed.get("client"),
                }
                job = self.adopt(job_id, session.identity.instance_id, **names)
                self.note(job.id, began_at=self._core.now() - listed.get("age_ms", 0) / 1000)

    def take_up(self, job: JobRecord, **changes: Any) -> JobRecord:
        """Add a job that another server has started."""
        job = self._add(job, **changes)
        self._core.announce(JobMoved(job))
        return job

    def submission(self, job: JobRecord) -> SubmitJob:
        """Return the message that carries the job to Unity, for the first time or again."""
        assert job.call is not None  # only a job that was issued here is submitted
        return SubmitJob(
            request_id=self._core.ids.request(),
            tool_name=job.call.tool.name,
            params=self._params_of(job.call),
            timeout_ms=job.call.timeout_ms,
            job_id=job.id,
            client_request_id=job.key,
            client=client_of(job.call),
        )

    def _params_of(self, call: Call) -> Dict[str, Any]:
        params = self._core.as_sent(call.tool.name, call.params)
        is_marked = call.is_over_mcp and self._core.ledger.is_plugin_proven
        if is_marked:
            return {**params, **call.tool.sent_over_mcp}
        return params

    def submitted(self, job: JobRecord, request_id: str) -> None:
        """Record that the job's submission ``request_id`` is on its way, for the first time or
        again.
        """
        assert job.call is not None  # only a job that was issued here is submitted
        identity = self._core.ledger.identity
        sent_to = {
            "request_id": request_id,
            "instance_id": identity and identity.instance_id,
            "is_resolvable": identity is not None and identity.jobs is not None,
            "is_sent_before_proof": not self._core.ledger.is_plugin_proven,
        }
        if job.state is JobState.QUEUED:
            now = self._core.now()
            self.move(job.id, JobEvent.SUBMITTED, began_at=now, **sent_to)
            self._deadlines.set(Due.JOB, job.id, now + job.call.timeout_ms / 1000)
        else:
            self._jobs.amend(job.id, **sent_to)

    def accepted(self, job_id: str, unity_id: str) -> None:
        """Unity took the job, by our id or by one of its own."""
        if unity_id != job_id:
            self._log.info(
                "Unity chose its own id for the job", job_id=job_id, unity_job_id=unity_id
            )
            for running in self.running():
                if running.id != job_id and running.id_in_unity == unity_id:
                    # What Unity says under that id is no longer about this one.
                    self.end(
                        running.id,
                        JobEvent.LOST,
                        errors.job_lost("Unity has given its id to another job"),
                    )
        job = self._jobs.amend(job_id, unity_id=unity_id, learnt_at=self._core.now())
        self._core.announce(JobMoved(job))

    def end(self, job_id: str, event: JobEvent, error: ToolError) -> None:
        """End a job for a reason of our own; nothing happens if it had ended before."""
        changes: Dict[str, Any] = {"error": error}
        if event in _NEVER_RAN:
            # There is nothing in Unity that a cancel could still be for.
            changes["cancel"] = CancelProgress.ANSWERED
        record = self.move(job_id, event, **changes)
        if record is not None:
            report = self._log.warning if error.guarantee is Guarantee.UNKNOWN else self._log.info
            if record.key is None:
                client_request_id = None
            else:
                client_request_id = self._clients_key(record.key)
            report(
                f"job failed: {error.message}",
                code=error.code.value,
                execution_guarantee=error.guarantee.value,
                job_id=job_id,
                request_id=record.request_id,
                client_request_id=client_request_id,
            )

    def end_reported(self, job_id: str, client: Optional[str]) -> None:
        """``client`` has been handed the end of this job, which spends its key (SPEC §15.7). None
        is our own client.

        Each server does this for its own client alone: what it hands to an attached server may
        still be lost on the way, and that server forwards the next job under a new key itself.
        """
        job = self.get(job_id)
        tool = None if job is None else self.tool_of(job)
        if job is None or job.key is None or tool is None or tool.keeps_key or job.is_key_spent:
            return
        if (
            self.has_ended(job)
            and job.client == self._own_client
            and client in (None, self._own_client)
        ):
            self._jobs.amend(job_id, is_key_spent=True)
            key = self._clients_key(job.key)
            self._renewed.pop(key, None)
            self._renewed[key] = self._core.ids.key()
            if len(self._renewed) > _SPENT_KEPT:
                del self._renewed[next(iter(self._renewed))]

    def note(self, job_id: str, **news: Any) -> JobRecord:
        """Set what is known of a job without moving it."""
        job = self._jobs.amend(job_id, **news)
        self._index(job)
        return job

    def move(self, job_id: str, event: JobEvent, **changes: Any) -> Optional[JobRecord]:
        """Move a job and announce it; None if its table has no such transition, which is logged."""
        job = self._jobs.transition(job_id, event, **changes)
        if job is None:
            self._log.info(f"dropped: {self._jobs.stays(job_id, event)}", job_id=job_id)
            return None
        if self.has_ended(job):
            for due in _DEADLINES:
                self._deadlines.clear(due, job_id)
            self._open.pop(job_id, None)
            self._ended.append(job_id)
            job = self._jobs.amend(job_id, ended_at=self._core.now(), **_without_arguments(job))
        self._core.announce(JobMoved(job))
        return job

    def keep_old_deadline(self, job: JobRecord, remaining_ms: Optional[int]) -> None:
        """Give a job that was not submitted here the time that is left of it (SPEC §15.5), and some
        end in any case.
        """
        if job.request_id is not None or self.has_ended(job):
            return
        longest_ms = self._core.config.job_max_timeout_ms
        left_ms = longest_ms if remaining_ms is None else min(remaining_ms, longest_ms)
        self._deadlines.set_no_later(Due.JOB, job.id, self._core.now() + left_ms / 1000)

    # The connection comes and goes.

    def session_lost(self, _: Optional[SessionLost] = None) -> None:
        """Nobody can be asked: running jobs have the compile window to be heard of again."""
        for job in self.running():
            self._deadlines.set(Due.JOB_LOST, job.id, self._core.now() + self._grace_s)

    def session_opened(self, change: SessionOpened) -> None:
        """End the jobs that the connected editor cannot know as lost; the others can be asked for
        again.
        """
        for job in self.running():
            self._deadlines.clear(Due.JOB_LOST, job.id)
            if self._is_unknown_to(job, change.identity):
                error = errors.job_lost(
                    "the editor that ran it is gone, another editor process has connected"
                )
                self.end(job.id, JobEvent.LOST, error)

    def session_lost_for_good(self, job_id: str) -> None:
        """No editor has come back that could say how the job is."""
        self.end(
            job_id,
            JobEvent.LOST,
            errors.job_lost(f"Unity has not come back for {self._grace_s:.0f} s"),
        )

    def editor_ended(self, change: EditorEnded) -> None:
        """Nobody can say any more what became of the jobs of an editor whose process is gone."""
        for job in self.running():
            self.end(job.id, JobEvent.LOST, errors.editor_ended(change.last_lines))

    def owner_found(self) -> None:
        """Clear the deadlines for lost jobs: the owner of the port follows them now, until it is
        lost.
        """
        for job in self.running():
            self._deadlines.clear(Due.JOB_LOST, job.id)

    def forget_unheard_of(self) -> None:
        """Forget each job that began at the owner of the port so long ago that the owner may have
        forgotten it too.

        The owner reports a job's end only to a client that asks, so a job whose client never asks
        runs here for ever.
        """
        kept_s = self._core.config.job_max_timeout_ms / 1000 + _ENDED_KEPT_S
        for job in self.running():
            if self._core.now() - job.began_at > kept_s:
                self._forget(job)

    # Parts of the above.

    @property
    def _grace_s(self) -> float:
        return self._core.config.compile_grace_timeout_ms / 1000

    def _is_unknown_to(self, job: JobRecord, identity: EditorIdentity) -> bool:
        """Whether another editor process came back that does not know the job either."""
        if (
            job.instance_id is None
            or identity.instance_id is None
            or job.instance_id == identity.instance_id
        ):
            return False
        return job.id_in_unity not in (identity.jobs or ())

    def _add(self, job: JobRecord, **changes: Any) -> JobRecord:
        self._forget_oldest()
        self._jobs.add(job)
        self._open[job.id] = None
        return self.note(job.id, began_at=self._core.now(), **changes)

    def _clients_key(self, key: str) -> str:
        """Return the name that our own client has for the key of one of its jobs."""
        return next(
            (clients_key for clients_key, renewed in self._renewed.items() if renewed == key), key
        )

    def _index(self, job: JobRecord) -> None:
        if job.client is not None and job.key is not None and holds_key(job):
            self._keys[job.client, job.key] = job.id

    def _forget_oldest(self) -> None:
        while len(self._ended) > _ENDED_KEPT:
            job = self.get(self._ended[0])
            assert job is not None and job.ended_at is not None  # it is forgotten nowhere else
            if self._core.now() - job.ended_at <= _ENDED_KEPT_S:
                return
            self._ended.popleft()
            self._forget(job)

    def _forget(self, job: JobRecord) -> None:
        self._jobs.forget(job.id)
        self._open.pop(job.id, None)
        self.kept.forget(job.id)
        if (
            job.client is not None
            and job.key is not None
            and self._keys.get((job.client, job.key)) == job.id
        ):
            del self._keys[job.client, job.key]


def holds_key(job: JobRecord) -> bool:
    """Whether a call with the key of this job means this job.

    One that never ran holds none, so a refusal can be retried (SPEC §15.7). A cancelled job that
    Unity may have taken counts as one that ran.
    """
    has_not_run = job.error is not None and job.error.guarantee is Guarantee.NOT_EXECUTED
    never_left = job.state is JobState.CANCELLED and job.request_id is None and not job.accepted
    return not (job.is_key_spent or has_not_run or never_left)


def is_the_same(call: Call, job: JobRecord) -> bool:
    """Whether ``job`` is what ``call`` asks for, as far as is known: of an inherited job the
    arguments are not.
    """
    if job.call is None:
        return job.tool_name is None or job.tool_name == call.tool.name
    if job.arguments_digest is not None:
        return call.tool.name == job.call.tool.name and _digest(call) == job.arguments_digest
    return has_the_same_arguments(call, job.call)


def has_the_same_arguments(call: Call, second: Call) -> bool:
    # As JSON: Python's own equality, which is quick to find a difference, takes true for 1.
    is_alike = call.tool.name == second.tool.name and call.params == second.params
    return is_alike and _canonical(call) == _canonical(second)


def _without_arguments(job: JobRecord) -> Dict[str, Any]:
    """Return what an ended job keeps of its call, because it may have megabytes of arguments and
    hundreds are kept.

    A key needs no more of them than to be compared (SPEC §15.7, §20.4).
    """
    if job.call is None:
        return {}
    return {"arguments_digest": _digest(job.call), "call": changed(job.call, params={})}


def _digest(call: Call) -> str:
    return hashlib.sha256(_canonical(call).encode()).hexdigest()


def _canonical(call: Call) -> str:
    return json.dumps(call.params, sort_keys=True)
