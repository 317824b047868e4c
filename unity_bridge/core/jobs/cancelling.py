"""``Cancels``: what a cancel comes to in each state of its job, and how it reaches Unity (SPEC §6,
ADR-0003).
"""

from __future__ import annotations

from enum import Enum
from typing import Container, Mapping, Optional

from unity_bridge.base.errors import ToolError
from unity_bridge.catalogue.tool import Cancellable
from unity_bridge.core import errors
from unity_bridge.core.changes import JobMoved
from unity_bridge.core.context import Core
from unity_bridge.core.jobs.jobs import JobRecords
from unity_bridge.core.jobs.polling import Polls
from unity_bridge.core.ledger.machines import JobEvent, JobState
from unity_bridge.core.ledger.records import CancelProgress, JobRecord, Purpose, RoundTrip
from unity_bridge.core.unity_errors import Answer, fault_of, is_job_not_found
from unity_bridge.unity import messages
from unity_bridge.unity.messages import CancelResult


class CancelStatus(str, Enum):
    """The answer to a client that cancels; the values are the wire form."""

    CANCELLED = "cancelled"
    CANCEL_REQUESTED = "cancel_requested"
    REJECTED = "rejected"


JOB: Mapping[JobState, CancelStatus] = {
    JobState.QUEUED: CancelStatus.CANCELLED,
    JobState.RUNNING: CancelStatus.CANCEL_REQUESTED,
    JobState.SUCCEEDED: CancelStatus.REJECTED,
    JobState.FAILED: CancelStatus.REJECTED,
    JobState.TIMEOUT: CancelStatus.REJECTED,
    JobState.CANCELLED: CancelStatus.REJECTED,
}


class Cancels:
    """Follows each cancel of a job from the wish to Unity's answer. The ``Exchange`` of CANCEL; its
    subject is the job.
    """

    def __init__(self, core: Core, jobs: JobRecords, polls: Polls) -> None:
        self._core = core
        self._log = core.log
        self._jobs = jobs
        self._polls = polls

    def cancel(self, job: JobRecord) -> CancelStatus:
        """Cancel ``job``; returns what to answer.

        A job that is still queued here is ended on the spot. The cancel of a running one takes its
        turn to Unity; a second cancel sends nothing more.
        """
        status = JOB[job.state]
        self._log.info("cancel asked for", job_id=job.id, status=status.value)
        if status is CancelStatus.CANCELLED:
            self._core.ledger.leave(job.id)
            self._jobs.move(job.id, JobEvent.CANCELLED)
        elif (
            status is CancelStatus.CANCEL_REQUESTED
            and job.cancel is CancelProgress.NOT_WANTED
            and self._reaches_unity(job)
        ):
            self.send(job.id)
        return status

    def send(self, job_id: str) -> None:
        """Let a ``cancel`` take its turn to Unity, if none is waiting for it already."""
        self._jobs.note(job_id, cancel=CancelProgress.WANTED)
        if self._core.ledger.find(job_id, Purpose.CANCEL) is None:
            self._core.ledger.join(Purpose.CANCEL, job_id)

    def give_up(self, job_id: str, stoppable: Container[Cancellable]) -> None:
        """Stop a job in Unity that has ended here, if Unity can stop such a job now."""
        job = self._jobs.get(job_id)
        tool = None if job is None else self._jobs.tool_of(job)
        if tool is not None and tool.cancel in stoppable:
            self.send(job_id)

    def job_due(self, job_id: str) -> None:
        """End a job whose ``timeout_ms`` is over."""
        job = self._jobs.get(job_id)
        assert job is not None  # its end takes the deadline away
        tool = self._jobs.tool_of(job)
        can_be_stopped = tool is not None and tool.supports_cancel
        budget_ms = None if job.call is None else job.call.timeout_ms
        self._jobs.end(
            job_id,
            JobEvent.DEADLINE,
            errors.job_timed_out(job.tool_name, budget_ms, can_be_stopped),
        )
        self.give_up(job_id, {Cancellable.WHILE_IT_RUNS})

    def job_moved(self, change: JobMoved) -> None:
        """Cancel a running job again if the cancel was lost with its connection, or overtook the
        submission.
        """
        job = change.job
        if (
            job.state is JobState.RUNNING
            and job.accepted
            and job.cancel is CancelProgress.UNCONFIRMED
        ):
            self.send(job.id)

    # Exchange.

    def begin(self, subject: str) -> Optional[ToolError]:
        job = self._jobs.get(subject)
        if job is None or job.cancel is not CancelProgress.WANTED:
            return None
        message = messages.Cancel(
            request_id=self._core.ids.request(),
            target_request_id=job.request_id,
            target_job_id=job.id_in_unity,
        )
        error = self._core.ask(
            Purpose.CANCEL, subject, message, self._core.config.sync_fast_timeout_ms
        )
        if error is None:
            self._jobs.note(subject, cancel=CancelProgress.SENT)
        else:
            self._core.ledger.join_first(Purpose.CANCEL, subject)
        return error

    def answered(self, trip: RoundTrip, answer: Answer) -> None:
        """Note Unity's answer to a cancel. A refusal is logged; what the tool answered stands (SPEC
        §6).
        """
        job = self._jobs.get(trip.subject)
        assert job is not None  # it was there when the cancel was sent, so it is still kept
        if not job.accepted and is_job_not_found(answer):
            # Whether its submission arrived is still open: should it go to Unity once more, so does
            # the cancel.
            self._jobs.note(job.id, cancel=CancelProgress.UNCONFIRMED)
        else:
            is_rejected = (
                isinstance(answer, CancelResult) and answer.status == CancelStatus.REJECTED.value
            )
            self._jobs.note(job.id, cancel=CancelProgress.ANSWERED, cancel_rejected=is_rejected)
            self._log_answer(job.id, answer, is_rejected)
        if job.state is JobState.RUNNING:
            self._polls.now(job.id)

    def timed_out(self, trip: RoundTrip) -> None:
        self._jobs.note(trip.subject, cancel=CancelProgress.ANSWERED)

    def interrupted(self, trip: RoundTrip) -> None:
        self._jobs.note(trip.subject, cancel=CancelProgress.UNCONFIRMED)

    def _log_answer(self, job_id: str, answer: Answer, is_rejected: bool) -> None:
        if not isinstance(answer, CancelResult):
            self._log.warning(f"Unity did not take the cancel: {fault_of(answer)}", job_id=job_id)
        elif is_rejected:
            self._log.warning("Unity rejected the cancel", job_id=job_id)
        else:
            self._log.info("cancel taken by Unity", job_id=job_id, status=answer.status)

    def _reaches_unity(self, job: JobRecord) -> bool:
        # Whether a tool that only a newer plugin has can be stopped is known to that plugin alone.
        tool = self._jobs.tool_of(job)
        return tool is None or tool.cancel is not Cancellable.NEVER
