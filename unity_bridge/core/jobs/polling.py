"""``Polls``: the server's own questions about running jobs, asked while there is nothing else to do
(SPEC §5.3).

A job that no call waits for is asked for at every interval. If a call waits, the first questions
follow each other closely and then ever more slowly: many jobs end at once, and the call pays for
each moment.
"""

from __future__ import annotations

from typing import Dict, Optional, Set

from unity_bridge.base.errors import ToolError
from unity_bridge.core.changes import JobMoved
from unity_bridge.core.context import Core
from unity_bridge.core.jobs.jobs import JobRecords
from unity_bridge.core.jobs.results import Results
from unity_bridge.core.ledger.deadlines import Due
from unity_bridge.core.ledger.machines import JobState
from unity_bridge.core.ledger.records import JobRecord, Purpose, RoundTrip, Turn
from unity_bridge.core.unity_errors import Answer
from unity_bridge.unity.messages import GetJobStatus

# How soon after the first question the second follows, if a call waits; each further one takes
# twice as long.
_SECOND_AFTER_S = 0.02
_DOUBLINGS = 16  # far beyond any interval, and no overflow


class Polls:
    """Keeps which jobs are to be asked for, and when. The ``Exchange`` of POLL; its subject is the
    job.
    """

    def __init__(self, core: Core, jobs: JobRecords, results: Results) -> None:
        self._core = core
        self._deadlines = core.deadlines
        self._jobs = jobs
        self._results = results
        self._interval_s = core.config.job_poll_interval_ms / 1000
        self._wanted: Dict[str, None] = {}  # in the order in which they are asked for
        self._asked: Dict[str, int] = {}  # how often each was asked for since a call waits for it
        self.watched: Set[str] = set()  # the jobs that a call waits for; ``Waits`` writes it

    # Which job is to be asked for.

    def now(self, job_id: str) -> None:
        """Ask for the job as soon as the queue is empty."""
        self._deadlines.clear(Due.POLL, job_id)
        self._wanted[job_id] = None

    def later(self, job: JobRecord) -> None:
        """Ask for the job after a while, if it still runs then."""
        self._wanted.pop(job.id, None)
        if _can_be_asked_for(job) and self._core.ledger.session is not None:
            self._deadlines.set(Due.POLL, job.id, self._core.now() + self._pause_s(job.id))

    def next(self) -> Optional[Turn]:
        """Return the turn of the job that has waited longest to be asked for."""
        for job_id in list(self._wanted):
            del self._wanted[job_id]
            job = self._jobs.get(job_id)
            if job is not None and _can_be_asked_for(job):
                return Turn(Purpose.POLL, job_id)
        return None

    def job_moved(self, change: JobMoved) -> None:
        """Ask for a running job sooner or later, and for an ended one no more."""
        job = change.job
        if self._jobs.has_ended(job):
            self._deadlines.clear(Due.POLL, job.id)
            self._wanted.pop(job.id, None)
            self._asked.pop(job.id, None)
        else:
            self._see_to(job)

    def session_lost(self, _: object) -> None:
        """There is nobody to ask."""
        self._wanted.clear()
        for job in self._jobs.running():
            self._deadlines.clear(Due.POLL, job.id)

    def session_opened(self, _: object = None) -> None:
        """Whatever happened to running jobs since they were last asked for, this editor may know."""
        for job in self._jobs.running():
            if job.accepted:
                self.now(job.id)

    def see_to_all(self) -> None:
        """Ask for every running job later, because a bug of ours may have lost track of a question."""
        for job in self._jobs.running():
            self.later(job)

    # Exchange.

    def begin(self, subject: str) -> Optional[ToolError]:
        job = self._jobs.get(subject)
        assert job is not None  # only running jobs are asked for
        message = GetJobStatus(request_id=self._core.ids.request(), job_id=job.id_in_unity)
        error = self._core.ask(
            Purpose.POLL, subject, message, self._core.config.sync_fast_timeout_ms
        )
        if error is not None:
            self.later(job)
        return error

    def answered(self, trip: RoundTrip, answer: Answer) -> None:
        self._results.answered(trip.subject, answer)
        self.timed_out(trip)

    def timed_out(self, trip: RoundTrip) -> None:
        job = self._jobs.get(trip.subject)
        assert job is not None  # it ran when it was asked for, so it is still kept
        self._see_to(job)

    def interrupted(self, trip: RoundTrip) -> None:
        """Do nothing: the editor that connects next is asked for every running job."""

    def _see_to(self, job: JobRecord) -> None:
        """Whatever comes of the last question, a running job is asked for again."""
        if job.id not in self._wanted and not self._deadlines.has(Due.POLL, job.id):
            self.later(job)

    def _pause_s(self, job_id: str) -> float:
        if job_id not in self.watched:
            self._asked.pop(job_id, None)
            return self._interval_s
        times = self._asked.get(job_id, 0)
        self._asked[job_id] = min(times + 1, _DOUBLINGS)
        if times == 0:
            return 0.0
        return min(self._interval_s, _SECOND_AFTER_S * 2.0 ** (times - 1))


def _can_be_asked_for(job: JobRecord) -> bool:
    return job.state is JobState.RUNNING and job.accepted
