"""``JobNews``: what happens to a job, from wherever it is learnt, entered and told to those who watch it."""

from __future__ import annotations

from unity_bridge.catalogue.tool import Tool
from unity_bridge.errors import ToolError
from unity_bridge.execution.exchanges.exchange import ResultCheck
from unity_bridge.execution.job_manager import JobManager
from unity_bridge.execution.replies import Replies
from unity_bridge.execution.request_scheduler import RequestScheduler
from unity_bridge.state.machines import JobEvent, JobState
from unity_bridge.state.stores import CancelProgress, Purpose
from unity_bridge.unity.messages import JobStatus


class JobNews:
    """For the executor thread alone. ``status_tool`` is the one whose results tell of jobs."""

    def __init__(
        self,
        scheduler: RequestScheduler,
        jobs: JobManager,
        replies: Replies,
        check_result: ResultCheck,
        status_tool: Tool,
    ) -> None:
        self._scheduler = scheduler
        self._jobs = jobs
        self._replies = replies
        self._check_result = check_result
        self._status_tool = status_tool

    def submitted(self, job_id: str) -> None:
        job = self._jobs.get(job_id)
        assert job is not None  # it was submitted just now
        self._replies.job_moved(job)

    def learnt(self, job_id: str, status: JobStatus) -> None:
        """Unity told the job's state."""
        told = {"job_id": job_id, "state": status.state, "progress": status.progress, "result": status.result}
        job = self._jobs.learn(job_id, status, self._check_result(self._status_tool, told))
        if job is None:
            return
        self._replies.job_moved(job)
        if job.state is JobState.RUNNING and job.cancel is CancelProgress.UNCONFIRMED:
            # The wish was lost with its connection, or overtook the job: it runs, so the wish is said again.
            self.cancel_in_unity(job_id)

    def ended(self, job_id: str, event: JobEvent, error: ToolError) -> None:
        """A job ends for a reason of our own."""
        job = self._jobs.end(job_id, event, error)
        if job is not None:
            self._replies.job_moved(job)

    def cancel_in_unity(self, job_id: str) -> None:
        """Let a ``cancel`` take its turn, if none is waiting for it already."""
        self._jobs.mark_cancel(job_id, CancelProgress.WANTED)
        if self._scheduler.find(job_id, Purpose.CANCEL) is None:
            self._scheduler.join(Purpose.CANCEL, job_id)
