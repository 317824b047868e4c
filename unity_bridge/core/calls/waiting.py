"""``JobWaits``: the calls that wait for a job's end, and what each of them is told of it (SPEC §8, §15.2, §15.3)."""

from __future__ import annotations

from itertools import islice
from typing import Dict, List

from unity_bridge.core import answers
from unity_bridge.core.calls.answer import Replies
from unity_bridge.core.calls.progress import progress_now, told_progress
from unity_bridge.core.context import ExecutionContext
from unity_bridge.core.editor.status import EditorStateTracker
from unity_bridge.core.jobs.jobs import JobManager
from unity_bridge.core.ledger.deadlines import Due
from unity_bridge.core.ledger.machines import JobState, RequestEvent
from unity_bridge.core.ledger.queue import RequestScheduler
from unity_bridge.core.ledger.records import JobRecord, RequestRecord

# How often a call that waits is told how far its job is.
_PROGRESS_S = 1.0
# More calls than these are not told how far one job is: what a word of Unity's costs would grow with all that wait.
_TOLD_OF_A_JOB = 100
# A running job is asked for that often, at least: what is older than some of these is old.
_FRESH_POLLS = 3


class JobWaits:
    """For the executor thread alone."""

    def __init__(
        self,
        context: ExecutionContext,
        scheduler: RequestScheduler,
        tracker: EditorStateTracker,
        jobs: JobManager,
        replies: Replies,
    ) -> None:
        self._deadlines = context.deadlines
        self._clock = context.clock
        self._fresh_s = _FRESH_POLLS * context.config.job_poll_interval_ms / 1000
        self._scheduler = scheduler
        self._tracker = tracker
        self._jobs = jobs
        self._replies = replies
        self._waits: Dict[str, str] = {}  # request id -> job id
        self._of_job: Dict[str, Dict[str, None]] = {}  # job id -> those that wait for it, in their order
        self._listeners: Dict[str, Dict[str, None]] = {}  # of these the ones that want progress; the first are told

    def tell_or_wait(self, request: RequestRecord, job: JobRecord, was_asked: bool = False) -> None:
        """Answer ``request`` at the end of ``job``, or when it has waited for ``wait_ms``; at once if that is now."""
        until = request.arrived_at + request.call.wait_ms / 1000
        if self._jobs.has_ended(job) or until <= self._clock.now() or request.abandoned:
            self.tell(request.id, job, was_asked)
        elif self._scheduler.move(request.id, RequestEvent.WAITS_FOR_JOB) is not None:
            self._waits[request.id] = job.id
            self._of_job.setdefault(job.id, {})[request.id] = None
            self._deadlines.set(Due.WAIT, request.id, until)
            self._replies.job_known(request.id, job.id)
            if self._replies.wants_progress(request.id):
                self._listeners.setdefault(job.id, {})[request.id] = None
                self._tell_progress(request.id, is_kept_up=len(self._listeners[job.id]) <= _TOLD_OF_A_JOB)

    def leave(self, request_id: str) -> None:
        """The call waits no longer, whatever becomes of it."""
        self._deadlines.clear(Due.WAIT, request_id)
        self._deadlines.clear(Due.PROGRESS, request_id)
        job_id = self._waits.pop(request_id, None)
        if job_id is not None:
            for waiting in (self._of_job, self._listeners):
                if job_id in waiting:
                    waiting[job_id].pop(request_id, None)
                    if not waiting[job_id]:
                        del waiting[job_id]

    def over(self, request_id: str) -> None:
        """It has waited long enough: what is known now is the answer."""
        self.tell(request_id, self._job_of(request_id))

    def job_moved(self, job: JobRecord) -> None:
        """Something is new about ``job``: answer those who wait for its end, tell the others how far it is."""
        if self._jobs.has_ended(job):
            for request_id in list(self._of_job.get(job.id, ())):
                self.tell(request_id, job)
        else:
            for request_id in list(islice(self._listeners.get(job.id, ()), _TOLD_OF_A_JOB)):
                self._tell_progress(request_id)

    def progress_due(self, request_id: str) -> None:
        """A second has passed in which nothing was new."""
        self._tell_progress(request_id)

    def tell(self, request_id: str, job: JobRecord, was_asked: bool = False) -> None:
        """Answer a call with what is known of ``job``."""
        self.leave(request_id)
        if not self._jobs.has_ended(job):
            self._jobs.mark_told(job.id)
        request, now = self._scheduler.open_request(request_id), self._clock.now()
        progress = told_progress(job, self._tracker.editor, now)
        is_stale = not was_asked and self._is_stale(job, request, now)
        self._replies.answered_here(request_id, answers.job_status(job, progress, is_stale, request.joined))

    def all(self) -> List[str]:
        """The requests that wait."""
        return list(self._waits)

    def is_waited_for(self, job_id: str) -> bool:
        return job_id in self._of_job

    def _tell_progress(self, request_id: str, is_kept_up: bool = True) -> None:
        """Tell how far the job is, and again in a second at the latest. A client hears less of it (SPEC §8.6)."""
        now = self._clock.now()
        if is_kept_up:
            self._deadlines.set(Due.PROGRESS, request_id, now + _PROGRESS_S)
        self._replies.progress(request_id, progress_now(self._job_of(request_id), self._tracker.editor, now))

    def _is_stale(self, job: JobRecord, request: RequestRecord, now: float) -> bool:
        """Whether Unity has told of a running job neither since the call came nor lately."""
        if job.state is not JobState.RUNNING:
            return False
        return job.learnt_at is None or job.learnt_at <= request.arrived_at or now - job.learnt_at > self._fresh_s

    def _job_of(self, request_id: str) -> JobRecord:
        job = self._jobs.get(self._waits[request_id])
        assert job is not None  # no wait is longer than an ended job is kept
        return job
