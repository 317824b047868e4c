"""``Polls``: how running jobs are, asked by the server itself when there is nothing else to do (SPEC §5.3).

A job that no call waits for is asked for at every interval. Where one waits, the first questions follow each other
closely and then ever more slowly: many jobs end at once, and a call that waits pays for each moment.
"""

from __future__ import annotations

from typing import Dict, Optional

from unity_bridge.base.errors import ToolError
from unity_bridge.core import answers
from unity_bridge.core.calls.waiting import JobWaits
from unity_bridge.core.context import ExecutionContext
from unity_bridge.core.exchange import Answer, is_job_not_found
from unity_bridge.core.jobs.jobs import JobManager
from unity_bridge.core.ledger.deadlines import Due
from unity_bridge.core.ledger.machines import JobEvent, JobState
from unity_bridge.core.ledger.records import JobRecord, Purpose, RoundTrip, Turn
from unity_bridge.core.round_trip import RoundTrips
from unity_bridge.unity.messages import GetJobStatus, JobStatus

# How soon after the first question the second follows, where a call waits; each further one takes twice as long.
_SECOND_AFTER_S = 0.02
_DOUBLINGS = 16  # far beyond any interval, and no overflow


class Polls:
    """Keeps who is to be asked for, and when. An ``Exchange``; its subject is the job."""

    expects = JobStatus

    def __init__(self, context: ExecutionContext, jobs: JobManager, waits: JobWaits, trips: RoundTrips) -> None:
        self._budget_ms = context.config.sync_fast_timeout_ms
        self._interval_s = context.config.job_poll_interval_ms / 1000
        self._deadlines = context.deadlines
        self._ids = context.ids
        self._clock = context.clock
        self._jobs = jobs
        self._waits = waits
        self._trips = trips
        self._wanted: Dict[str, None] = {}  # ordered: who waits longest comes first
        self._asked: Dict[str, int] = {}  # how often each was asked for since a call waits for it

    # Who is to be asked for.

    def now(self, job_id: str) -> None:
        """The job's turn to be asked for has come, as soon as the queue is empty."""
        self._deadlines.clear(Due.POLL, job_id)
        self._wanted[job_id] = None

    def later(self, job: JobRecord) -> None:
        """Ask for the job after a while, if it still runs then."""
        self._wanted.pop(job.id, None)
        if _can_be_asked_for(job) and self._trips.has_session:
            self._deadlines.set(Due.POLL, job.id, self._clock.now() + self._pause_s(job.id))

    def next(self) -> Optional[Turn]:
        """The turn of the job that waits longest to be asked for."""
        for job_id in list(self._wanted):
            del self._wanted[job_id]
            job = self._jobs.get(job_id)
            if job is not None and _can_be_asked_for(job):
                return Turn(Purpose.POLL, job_id)
        return None

    def job_moved(self, job: JobRecord) -> None:
        """Whatever is new of it: a running job is asked for sooner or later, an ended one no more."""
        if self._jobs.has_ended(job):
            self._deadlines.clear(Due.POLL, job.id)
            self._wanted.pop(job.id, None)
            self._asked.pop(job.id, None)
        else:
            self._see_to(job)

    def session_lost(self) -> None:
        """There is nobody to ask."""
        self._wanted.clear()
        for job in self._jobs.running():
            self._deadlines.clear(Due.POLL, job.id)

    def session_opened(self) -> None:
        """Whatever happened to running jobs meanwhile, this editor may know."""
        for job in self._jobs.running():
            if job.accepted:
                self.now(job.id)

    # Exchange.

    def begin(self, subject: str) -> Optional[ToolError]:
        job = self._jobs.get(subject)
        assert job is not None  # only running jobs are asked for
        message = GetJobStatus(request_id=self._ids.request(), job_id=job.id_in_unity)
        error = self._trips.send(RoundTrip(message.request_id, Purpose.POLL, subject), message, self._budget_ms)
        if error is not None:
            self.later(job)
        return error

    def answered(self, trip: RoundTrip, answer: Answer) -> None:
        if isinstance(answer, JobStatus):
            self._jobs.learn(trip.subject, answer)
        elif is_job_not_found(answer):
            self._jobs.end(trip.subject, JobEvent.LOST, answers.job_lost(answers.FORGOTTEN_BY_UNITY))
        else:
            self._jobs.no_status(trip.subject, answer)
        self.timed_out(trip)

    def timed_out(self, trip: RoundTrip) -> None:
        job = self._jobs.get(trip.subject)
        assert job is not None  # it ran when it was asked for, so it is still kept
        self._see_to(job)

    def interrupted(self, trip: RoundTrip) -> None:
        """Whoever connects next is asked anew."""

    def _see_to(self, job: JobRecord) -> None:
        """Whatever comes of it, a running job is asked for again."""
        if job.id not in self._wanted and not self._deadlines.has(Due.POLL, job.id):
            self.later(job)

    def _pause_s(self, job_id: str) -> float:
        if not self._waits.is_waited_for(job_id):
            self._asked.pop(job_id, None)
            return self._interval_s
        times = self._asked.get(job_id, 0)
        self._asked[job_id] = min(times + 1, _DOUBLINGS)
        return 0.0 if times == 0 else min(self._interval_s, _SECOND_AFTER_S * 2.0 ** (times - 1))


def _can_be_asked_for(job: JobRecord) -> bool:
    return job.state is JobState.RUNNING and job.accepted
