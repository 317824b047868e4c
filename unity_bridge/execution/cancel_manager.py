"""``CancelManager``: what a cancel means for each state of its target (SPEC §6, ADR-0003 "Cancel Contract")."""

from __future__ import annotations

from enum import Enum
from typing import Mapping, Tuple

from unity_bridge.execution.ids import Ids
from unity_bridge.execution.job_manager import JobManager
from unity_bridge.logger import Logger
from unity_bridge.state.machines import JobState, RequestState
from unity_bridge.state.stores import CancelProgress, JobRecord
from unity_bridge.unity.messages import Cancel, CancelResult


class CancelStatus(str, Enum):
    """What the one who cancels is told; the names are the wire form."""

    CANCELLED = "cancelled"
    CANCEL_REQUESTED = "cancel_requested"
    REJECTED = "rejected"


_REQUEST: Mapping[RequestState, CancelStatus] = {
    RequestState.RECEIVED: CancelStatus.CANCELLED,
    RequestState.WAITING_EDITOR_READY: CancelStatus.CANCELLED,
    RequestState.QUEUED: CancelStatus.CANCELLED,
    RequestState.RUNNING: CancelStatus.CANCEL_REQUESTED,
    RequestState.FORWARDED: CancelStatus.CANCELLED,
    RequestState.SUCCEEDED: CancelStatus.REJECTED,
    RequestState.FAILED: CancelStatus.REJECTED,
    RequestState.TIMEOUT: CancelStatus.REJECTED,
    RequestState.CANCELLED: CancelStatus.REJECTED,
}

_JOB: Mapping[JobState, CancelStatus] = {
    JobState.QUEUED: CancelStatus.CANCELLED,
    JobState.RUNNING: CancelStatus.CANCEL_REQUESTED,
    JobState.SUCCEEDED: CancelStatus.REJECTED,
    JobState.FAILED: CancelStatus.REJECTED,
    JobState.TIMEOUT: CancelStatus.REJECTED,
    JobState.CANCELLED: CancelStatus.REJECTED,
}


def request_status(state: RequestState) -> CancelStatus:
    """What cancelling a request in ``state`` comes to."""
    return _REQUEST[state]


def job_status(state: JobState) -> CancelStatus:
    """What cancelling a job in ``state`` comes to."""
    return _JOB[state]


class CancelManager:
    """Follows each cancel from the wish to Unity's word. For the executor thread alone."""

    def __init__(self, jobs: JobManager, ids: Ids, log: Logger) -> None:
        self._jobs = jobs
        self._ids = ids
        self._log = log

    def request(self, job: JobRecord) -> Tuple[CancelStatus, bool]:
        """Cancel ``job``: what to answer, and whether a ``cancel`` must now take its turn to Unity.

        A job that is still queued here is ended on the spot; a second cancel of a running one sends nothing more.
        """
        status = job_status(job.state)
        self._log.info("cancel asked for", job_id=job.id, status=status.value)
        if status is CancelStatus.CANCELLED:
            self._jobs.cancel_here(job.id)
        if status is not CancelStatus.CANCEL_REQUESTED or not self._reaches_unity(job):
            return status, False
        is_first = job.cancel is CancelProgress.NOT_WANTED
        if is_first:
            self._jobs.mark_cancel(job.id, CancelProgress.WANTED)
        return status, is_first

    def message(self, job: JobRecord) -> Cancel:
        """The wish leaves for Unity."""
        self._jobs.mark_cancel(job.id, CancelProgress.SENT)
        return Cancel(request_id=self._ids.request(), target_request_id=job.request_id, target_job_id=job.id_in_unity)

    def answered(self, job_id: str, result: CancelResult) -> None:
        """Unity's word on it. A refusal is logged; what the tool answered stands (SPEC §6)."""
        self._jobs.mark_cancel(job_id, CancelProgress.ANSWERED)
        if result.status == CancelStatus.REJECTED.value:
            self._log.warning("Unity rejected the cancel", job_id=job_id)
        else:
            self._log.info("cancel taken by Unity", job_id=job_id, status=result.status)

    def _reaches_unity(self, job: JobRecord) -> bool:
        # A job adopted from an earlier server has no call here; only run_tests makes jobs, and it can be cancelled.
        return job.call is None or job.call.tool.supports_cancel
