"""``CancelManager``: what a cancel means for each state of its target, and how it reaches Unity (SPEC §6, ADR-0003)."""

from __future__ import annotations

from enum import Enum
from typing import Container, Mapping, Optional

from unity_bridge.base.errors import ToolError
from unity_bridge.catalogue.tool import Cancellable
from unity_bridge.core.context import ExecutionContext
from unity_bridge.core.exchange import Answer, fault_of, is_job_not_found
from unity_bridge.core.jobs.jobs import JobManager
from unity_bridge.core.jobs.polling import Polls
from unity_bridge.core.ledger.machines import JobState, RequestState
from unity_bridge.core.ledger.queue import RequestScheduler
from unity_bridge.core.ledger.records import CancelProgress, JobRecord, Purpose, RoundTrip
from unity_bridge.core.round_trip import RoundTrips
from unity_bridge.unity import messages
from unity_bridge.unity.messages import CancelResult


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
    RequestState.WAITING_JOB: CancelStatus.CANCELLED,
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
    """Follows each cancel of a job from the wish to Unity's word. An ``Exchange``; its subject is the job."""

    expects = CancelResult

    def __init__(
        self,
        context: ExecutionContext,
        scheduler: RequestScheduler,
        jobs: JobManager,
        trips: RoundTrips,
        polls: Polls,
    ) -> None:
        self._budget_ms = context.config.sync_fast_timeout_ms
        self._ids = context.ids
        self._log = context.log
        self._scheduler = scheduler
        self._jobs = jobs
        self._trips = trips
        self._polls = polls

    def cancel(self, job: JobRecord) -> CancelStatus:
        """Cancel ``job``; returns what to answer.

        A job that is still queued here is ended on the spot. The cancel of a running one takes its turn to Unity; a
        second one sends nothing more.
        """
        status = job_status(job.state)
        self._log.info("cancel asked for", job_id=job.id, status=status.value)
        if status is CancelStatus.CANCELLED:
            self._scheduler.leave(job.id)
            self._jobs.cancel_here(job.id)
        elif (
            status is CancelStatus.CANCEL_REQUESTED
            and job.cancel is CancelProgress.NOT_WANTED
            and self._reaches_unity(job)
        ):
            self.send(job.id)
        return status

    def send(self, job_id: str) -> None:
        """Let a ``cancel`` take its turn to Unity, if none is waiting for it already."""
        self._jobs.mark_cancel(job_id, CancelProgress.WANTED)
        if self._scheduler.find(job_id, Purpose.CANCEL) is None:
            self._scheduler.join(Purpose.CANCEL, job_id)

    def give_up(self, job_id: str, stoppable: Container[Cancellable]) -> None:
        """The job has ended here, and may go on there: let it be stopped, if Unity can stop such a job now."""
        job = self._jobs.get(job_id)
        tool = None if job is None else self._jobs.tool_of(job)
        if tool is not None and tool.cancel in stoppable:
            self.send(job_id)

    def job_moved(self, job: JobRecord) -> None:
        """The cancel was lost with its connection, or overtook the job: it runs, so the cancel is said again."""
        if job.state is JobState.RUNNING and job.accepted and job.cancel is CancelProgress.UNCONFIRMED:
            self.send(job.id)

    # Exchange.

    def begin(self, subject: str) -> Optional[ToolError]:
        job = self._jobs.get(subject)
        if job is None or job.cancel is not CancelProgress.WANTED:
            return None
        self._jobs.mark_cancel(subject, CancelProgress.SENT)
        message = messages.Cancel(
            request_id=self._ids.request(), target_request_id=job.request_id, target_job_id=job.id_in_unity
        )
        error = self._trips.send(RoundTrip(message.request_id, Purpose.CANCEL, subject), message, self._budget_ms)
        if error is not None:
            self._jobs.mark_cancel(subject, CancelProgress.UNCONFIRMED)
        return error

    def answered(self, trip: RoundTrip, answer: Answer) -> None:
        """A refusal is logged; what the tool answered stands (SPEC §6)."""
        job = self._jobs.get(trip.subject)
        if not isinstance(answer, CancelResult) and job is not None and not job.accepted and is_job_not_found(answer):
            # Its submission is yet to be resolved: should it go to Unity once more, so does the cancel.
            self._jobs.mark_cancel(trip.subject, CancelProgress.UNCONFIRMED)
        else:
            self._jobs.mark_cancel(trip.subject, CancelProgress.ANSWERED)
            self._log_answer(trip.subject, answer)
        if job is not None and job.state is JobState.RUNNING:
            self._polls.now(trip.subject)

    def timed_out(self, trip: RoundTrip) -> None:
        self._jobs.mark_cancel(trip.subject, CancelProgress.ANSWERED)

    def interrupted(self, trip: RoundTrip) -> None:
        self._jobs.mark_cancel(trip.subject, CancelProgress.UNCONFIRMED)

    def _log_answer(self, job_id: str, answer: Answer) -> None:
        if not isinstance(answer, CancelResult):
            self._log.warning(f"Unity did not take the cancel: {fault_of(answer)}", job_id=job_id)
        elif answer.status == CancelStatus.REJECTED.value:
            self._log.warning("Unity rejected the cancel", job_id=job_id)
        else:
            self._log.info("cancel taken by Unity", job_id=job_id, status=answer.status)

    def _reaches_unity(self, job: JobRecord) -> bool:
        # Of a tool that only a newer plugin knows, that plugin knows whether it can be stopped.
        tool = self._jobs.tool_of(job)
        return tool is None or tool.cancel is not Cancellable.NEVER
