"""``CancelWishes``: the wish to cancel a running job, on its way to Unity (SPEC §6)."""

from __future__ import annotations

from typing import Optional

from unity_bridge.errors import ToolError
from unity_bridge.execution.cancel_manager import CancelManager
from unity_bridge.execution.exchanges.exchange import Answer, fault_of, is_job_not_found
from unity_bridge.execution.exchanges.round_trips import RoundTrips
from unity_bridge.execution.job_manager import JobManager
from unity_bridge.logger import Logger
from unity_bridge.state.machines import JobState
from unity_bridge.state.stores import CancelProgress, Purpose, RoundTrip
from unity_bridge.unity.messages import CancelResult


class CancelWishes:
    """An ``Exchange``; its subject is the job."""

    expects = CancelResult

    def __init__(
        self, trips: RoundTrips, jobs: JobManager, cancels: CancelManager, budget_ms: int, log: Logger
    ) -> None:
        self._trips = trips
        self._jobs = jobs
        self._cancels = cancels
        self._budget_ms = budget_ms
        self._log = log

    def begin(self, subject: str) -> Optional[ToolError]:
        job = self._jobs.get(subject)
        if job is None or job.cancel is not CancelProgress.WANTED:
            return None
        message = self._cancels.message(job)
        trip = RoundTrip(message.request_id, Purpose.CANCEL, subject)
        error = self._trips.send(trip, message, self._budget_ms)
        if error is not None:
            self._jobs.mark_cancel(subject, CancelProgress.UNCONFIRMED)
        return error

    def answered(self, trip: RoundTrip, answer: Answer) -> None:
        job = self._jobs.get(trip.subject)
        if isinstance(answer, CancelResult):
            self._cancels.answered(trip.subject, answer)
        elif job is not None and not job.accepted and is_job_not_found(answer):
            # Its submission is yet to be settled: should it go to Unity once more, so does the wish.
            self._jobs.mark_cancel(trip.subject, CancelProgress.UNCONFIRMED)
        else:
            self._jobs.mark_cancel(trip.subject, CancelProgress.ANSWERED)
            self._log.warning(f"Unity did not take the cancel: {fault_of(answer)}", job_id=trip.subject)
        if job is not None and job.state is JobState.RUNNING:
            self._jobs.poll_now(trip.subject)

    def timed_out(self, trip: RoundTrip) -> None:
        self._jobs.mark_cancel(trip.subject, CancelProgress.ANSWERED)

    def interrupted(self, trip: RoundTrip) -> None:
        self._jobs.mark_cancel(trip.subject, CancelProgress.UNCONFIRMED)
