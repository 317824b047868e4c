"""``JobWaits``: the calls that wait for a job, and what each of them is told of it (SPEC §8, §15)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional

from unity_bridge.calls import Progress
from unity_bridge.execution import answers
from unity_bridge.execution.context import ExecutionContext
from unity_bridge.execution.deadlines import Due
from unity_bridge.execution.job_manager import JobManager
from unity_bridge.execution.replies import Replies
from unity_bridge.execution.request_scheduler import RequestScheduler
from unity_bridge.state.machines import JobState, RequestEvent
from unity_bridge.state.records import JobRecord, RequestRecord


@dataclass(frozen=True)
class _Wait:
    """A call that waits for its job to move on from ``state``."""

    request_id: str
    job_id: str
    state: JobState


class JobWaits:
    """For the executor thread alone."""

    def __init__(
        self, context: ExecutionContext, scheduler: RequestScheduler, jobs: JobManager, replies: Replies
    ) -> None:
        self._deadlines = context.deadlines
        self._scheduler = scheduler
        self._jobs = jobs
        self._replies = replies
        self._waits: Dict[str, _Wait] = {}

    def wait(self, request: RequestRecord, job: JobRecord, until: float) -> None:
        """Answer ``request`` when ``job`` leaves its present state, or at the instant ``until``."""
        if self._scheduler.move(request.id, RequestEvent.WAITS_FOR_JOB) is None:
            return
        self._waits[request.id] = _Wait(request.id, job.id, job.state)
        self._deadlines.set(Due.WAIT, request.id, until)
        self._tell_progress(request.id, job.progress)

    def give_up(self, request_id: str) -> None:
        """The call has ended, and waits for nothing."""
        self._deadlines.clear(Due.WAIT, request_id)
        self._waits.pop(request_id, None)

    def over(self, request_id: str) -> None:
        """It has waited long enough: what is known now is the answer."""
        job = self._jobs.get(self._waits[request_id].job_id)
        assert job is not None  # no wait is longer than an ended job is kept
        self.tell(request_id, job)

    def job_moved(self, job: JobRecord) -> None:
        """Something is new about ``job``: answer those who waited for that, tell the others its progress."""
        for wait in [wait for wait in self._waits.values() if wait.job_id == job.id]:
            if wait.state is not job.state:
                self.tell(wait.request_id, job)
            else:
                self._tell_progress(wait.request_id, job.progress)

    def tell(self, request_id: str, job: JobRecord, was_asked: bool = False) -> None:
        """Answer a call from the ledger with what is known of ``job``.

        Stale if the job runs and Unity ``was_asked`` neither for this call nor by chance since it came.
        """
        self.give_up(request_id)
        request = self._scheduler.open_request(request_id)
        is_old = job.learnt_at is None or job.learnt_at <= request.arrived_at
        is_stale = job.state is JobState.RUNNING and is_old and not was_asked
        self._replies.answered_here(request_id, answers.job_status(job, is_stale))

    def all(self) -> List[str]:
        """The requests that wait."""
        return list(self._waits)

    def _tell_progress(self, request_id: str, progress: Optional[Mapping[str, Any]]) -> None:
        completed, total = (progress or {}).get("completed"), (progress or {}).get("total")
        if type(completed) is int and type(total) is int:
            current = (progress or {}).get("current_test")
            told = Progress(completed, total, current if isinstance(current, str) else None)
            self._replies.progress(request_id, told)
