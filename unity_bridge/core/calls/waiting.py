"""``Waits``: the calls that wait for a job's end, and their progress and answers (SPEC §8, §15.2,
§15.3).
"""

from __future__ import annotations

import json
from itertools import islice
from typing import Dict, List, Optional

from unity_bridge.base.errors import Guarantee, error_object, stopping
from unity_bridge.catalogue.calls import Progress
from unity_bridge.core.calls.requests import Requests
from unity_bridge.core.changes import JobMoved
from unity_bridge.core.context import Core
from unity_bridge.core.jobs.jobs import JobRecords
from unity_bridge.core.jobs.polling import Polls
from unity_bridge.core.ledger.deadlines import Due
from unity_bridge.core.ledger.machines import JobEvent, JobState, RequestEvent
from unity_bridge.core.ledger.records import EditorRecord, JobRecord, RequestRecord
from unity_bridge.text.json_types import JsonDict, JsonObject

# How often a waiting call gets progress.
_PROGRESS_S = 1.0
# At most so many waiting calls get progress for one job, so that one status message stays O(1).
_MOST_PROGRESS_LISTENERS = 100
# A running job is asked for at least every interval: knowledge that is older than some intervals is
# old.
_FRESH_POLLS = 3


class Waits:
    """For the executor thread alone."""

    def __init__(self, core: Core, jobs: JobRecords, polls: Polls, requests: Requests) -> None:
        self._core = core
        self._deadlines = core.deadlines
        self._jobs = jobs
        self._polls = polls
        self._requests = requests
        self._fresh_s = _FRESH_POLLS * core.config.job_poll_interval_ms / 1000
        self._waits: Dict[str, str] = {}  # request id -> job id
        self._of_job: Dict[
            str, Dict[str, None]
        ] = {}  # job id -> the calls that wait for it, in their order
        self._listeners: Dict[
            str, Dict[str, None]
        ] = {}  # those of them that want progress; the first get it

    def answer_or_wait(
        self, request: RequestRecord, job: JobRecord, was_asked: bool = False
    ) -> None:
        """Answer ``request`` at the end of ``job``, or when it has waited for ``wait_ms``; at once
        if that is now.
        """
        until = request.arrived_at + request.call.wait_ms / 1000
        if self._jobs.has_ended(job) or until <= self._core.now() or request.abandoned:
            self.answer(request.id, job, was_asked)
        elif self._requests.move(request.id, RequestEvent.WAITS_FOR_JOB) is not None:
            self._waits[request.id] = job.id
            self._of_job.setdefault(job.id, {})[request.id] = None
            self._polls.watched.add(job.id)
            self._deadlines.set(Due.WAIT, request.id, until)
            self._requests.job_known(request.id, job.id)
            if self._requests.wants_progress(request.id):
                self._listeners.setdefault(job.id, {})[request.id] = None
                self.send_progress(
                    request.id, is_kept_up=len(self._listeners[job.id]) <= _MOST_PROGRESS_LISTENERS
                )

    def leave(self, request_id: str) -> None:
        """Stop waiting for the call's job, whatever becomes of the call."""
        self._deadlines.clear(Due.WAIT, request_id)
        self._deadlines.clear(Due.PROGRESS, request_id)
        job_id = self._waits.pop(request_id, None)
        if job_id is None:
            return
        for waiting in (self._of_job, self._listeners):
            if job_id in waiting:
                waiting[job_id].pop(request_id, None)
                if not waiting[job_id]:
                    del waiting[job_id]
        if job_id not in self._of_job:
            self._polls.watched.discard(job_id)

    def over(self, request_id: str) -> None:
        """Answer a call that has waited long enough with what is known now."""
        self.answer(request_id, self._job_of(request_id))

    def stopped(self, request_id: str) -> None:
        """Answer a waiting call at stop. A job that is still queued here never leaves: ending it
        ends all its calls.
        """
        job = self._job_of(request_id)
        if job.state is JobState.QUEUED:
            self._jobs.end(job.id, JobEvent.STOPPED, stopping())
        else:
            self.answer(request_id, job)

    def job_moved(self, change: JobMoved) -> None:
        """Answer the calls that wait for the job's end; send the others its progress."""
        job = change.job
        if self._jobs.has_ended(job):
            for request_id in list(self._of_job.get(job.id, ())):
                self.answer(request_id, job)
        else:
            for request_id in list(
                islice(self._listeners.get(job.id, ()), _MOST_PROGRESS_LISTENERS)
            ):
                self.send_progress(request_id)

    def send_progress(self, request_id: str, is_kept_up: bool = True) -> None:
        """Say how far the job is, and again in a second at the latest. A client hears less of it
        (SPEC §8.6).
        """
        now = self._core.now()
        if is_kept_up:
            self._deadlines.set(Due.PROGRESS, request_id, now + _PROGRESS_S)
        job = self._job_of(request_id)
        self._requests.progress(request_id, progress_now(job, self._core.ledger.editor_now, now))

    def answer(self, request_id: str, job: JobRecord, was_asked: bool = False) -> None:
        """Answer a call with what is known of ``job``."""
        self.leave(request_id)
        if not self._jobs.has_ended(job):
            self._jobs.note(job.id, is_reported=True)
        request, now = self._requests.open(request_id), self._core.now()
        progress = _progress(job, self._core.ledger.editor_now, now)
        is_stale = not was_asked and self._is_stale(job, request, now)
        if self._requests.answered_here(
            request_id, job_status(job, progress, is_stale, request.joined)
        ):
            self._jobs.end_reported(job.id, request.call.client)

    def all(self) -> List[str]:
        """Return the ids of the requests that wait."""
        return list(self._waits)

    def is_waited_for(self, job_id: str) -> bool:
        return job_id in self._of_job

    def _is_stale(self, job: JobRecord, request: RequestRecord, now: float) -> bool:
        """Whether Unity has spoken of a running job neither since the call came nor lately."""
        if job.state is not JobState.RUNNING:
            return False
        return (
            job.learnt_at is None
            or job.learnt_at <= request.arrived_at
            or now - job.learnt_at > self._fresh_s
        )

    def _job_of(self, request_id: str) -> JobRecord:
        job = self._jobs.get(self._waits[request_id])
        assert job is not None  # no wait is longer than an ended job is kept
        return job


# How far a job is, put together from what Unity said of it and of itself (SPEC §15.2).


def _progress(job: JobRecord, editor: EditorRecord, now: float) -> Optional[JsonObject]:
    """``progress`` in a job's status. While the editor is busy it cannot be asked, but it has said
    what it does.
    """
    is_counted = job.progress is not None and "completed" in job.progress
    if job.state is JobState.RUNNING and editor.is_busy and not is_counted:
        return {"step": editor.state.value, "for_ms": round((now - editor.since) * 1000)}
    return job.progress


def progress_now(job: JobRecord, editor: EditorRecord, now: float) -> Progress:
    """Return the progress that a waiting call gets every second: there is always something to say."""
    progress = Progress.of(_progress(job, editor, now))
    if progress is None:
        step = "waiting" if job.state is JobState.QUEUED else "running"
        return Progress(step=step, for_ms=round((now - job.began_at) * 1000))
    if progress.step is None or editor.is_busy or job.learnt_at is None:
        return progress
    return Progress(
        step=progress.step, for_ms=progress.for_ms + round((now - job.learnt_at) * 1000)
    )


def job_status(
    job: JobRecord, progress: Optional[JsonObject], is_stale: bool, is_joined: bool = False
) -> JsonDict:
    """Return a job's status, for ``get_job_status`` and for the call that started it (SPEC §15.3).

    ``is_stale``: Unity could not be asked just now. ``is_joined``: another call had started it
    before.
    """
    status: JsonDict = {
        "job_id": job.id,
        "tool": job.tool_name,
        "state": job.state.value,
        "progress": progress,
        "result": None if job.result is None else json.loads(job.result),
    }
    if job.error is not None:
        status["error"] = error_object(job.error, request_id=job.request_id)
    if job.console is not None and not (_has_not_run(job) and _is_empty(job.console)):
        status["console"] = job.console
    marks = {
        "joined": is_joined,
        "stale": is_stale,
        "result_dropped": job.result_dropped,
        "untrusted": job.is_untrusted,
        "cancel_rejected": job.cancel_rejected and job.state is JobState.RUNNING,
    }
    status.update({name: True for name, is_set in marks.items() if is_set})
    return status


def _has_not_run(job: JobRecord) -> bool:
    return job.error is not None and job.error.guarantee is Guarantee.NOT_EXECUTED


def _is_empty(console: JsonObject) -> bool:
    return not console["errors"] and not console["warnings"]
