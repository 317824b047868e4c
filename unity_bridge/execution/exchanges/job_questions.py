"""``ClientQuestions`` and ``Polls``: Unity is asked for a job, for a client or on our own account (SPEC §4.3, §5.3)."""

from __future__ import annotations

from typing import Optional

from unity_bridge.errors import ToolError
from unity_bridge.execution import answers
from unity_bridge.execution.exchanges.exchange import Answer, fault_of, is_job_not_found
from unity_bridge.execution.exchanges.round_trips import RoundTrips
from unity_bridge.execution.ids import Ids
from unity_bridge.execution.job_control import JobControl
from unity_bridge.execution.job_manager import JobManager, lost_error
from unity_bridge.execution.job_news import JobNews
from unity_bridge.execution.request_scheduler import RequestScheduler
from unity_bridge.logger import Logger
from unity_bridge.state.machines import JobEvent, RequestEvent
from unity_bridge.state.stores import Purpose, RoundTrip
from unity_bridge.unity.messages import GetJobStatus, JobStatus

_FORGOTTEN = "Unity no longer knows it"


class ClientQuestions:
    """An ``Exchange``: what a client's ``get_job_status`` or ``cancel_job`` must know. Its subject is the request."""

    expects = JobStatus

    def __init__(
        self,
        trips: RoundTrips,
        scheduler: RequestScheduler,
        jobs: JobManager,
        news: JobNews,
        control: JobControl,
        log: Logger,
    ) -> None:
        self._trips = trips
        self._scheduler = scheduler
        self._jobs = jobs
        self._news = news
        self._control = control
        self._log = log

    def begin(self, subject: str) -> Optional[ToolError]:
        request = self._scheduler.open_request(subject)
        job_id = request.call.params["job_id"]
        job = self._jobs.get(job_id)
        if job is not None and self._jobs.has_ended(job):
            self._control.could_not_ask(request)  # there is nothing left to ask: the ledger has its end
            return None
        self._scheduler.move(subject, RequestEvent.DEQUEUED)
        message = GetJobStatus(request_id=subject, job_id=job_id if job is None else job.id_in_unity)
        error = self._trips.send(RoundTrip(subject, Purpose.STATUS, subject), message, request.call.timeout_ms)
        if error is not None:
            self._control.could_not_ask(request, error)
        return error

    def answered(self, trip: RoundTrip, answer: Answer) -> None:
        request = self._scheduler.open_request(trip.request_id)
        job_id = request.call.params["job_id"]
        job = self._jobs.get(job_id)
        state_before = None if job is None else job.state
        if isinstance(answer, JobStatus):
            if job is None:
                self._adopt(job_id, answer)
            elif not job.accepted:
                self._jobs.accepted(job_id, answer.job_id)
            self._news.learnt(job_id, answer)
        elif is_job_not_found(answer):
            # One whose submission is yet to be settled has not been forgotten: it may go to Unity once more.
            if job is not None and job.accepted:
                self._news.ended(job_id, JobEvent.LOST, lost_error(_FORGOTTEN))
        else:
            self._log.info(f"the answer to get_job_status is of no use: {fault_of(answer)}", job_id=job_id)
            error = answers.malformed("get_job_status", fault_of(answer))
            self._control.could_not_ask(request, error)
            return
        self._control.asked(request, state_before)

    def timed_out(self, trip: RoundTrip) -> None:
        self._control.could_not_ask(self._scheduler.open_request(trip.request_id))

    def interrupted(self, trip: RoundTrip) -> None:
        self._control.could_not_ask(self._scheduler.open_request(trip.request_id))

    def _adopt(self, job_id: str, status: JobStatus) -> None:
        identity = self._trips.identity
        self._jobs.adopt(job_id, status, identity.instance_id if identity else None)
        self._jobs.poll_answered(job_id)


class Polls:
    """An ``Exchange``: how a running job is, asked when there is nothing else to do. Its subject is the job."""

    expects = JobStatus

    def __init__(self, trips: RoundTrips, jobs: JobManager, news: JobNews, ids: Ids, budget_ms: int) -> None:
        self._trips = trips
        self._jobs = jobs
        self._news = news
        self._ids = ids
        self._budget_ms = budget_ms

    def begin(self, subject: str) -> Optional[ToolError]:
        job = self._jobs.get(subject)
        assert job is not None  # only running jobs are asked for
        message = GetJobStatus(request_id=self._ids.request(), job_id=job.id_in_unity)
        trip = RoundTrip(message.request_id, Purpose.POLL, subject)
        error = self._trips.send(trip, message, self._budget_ms)
        if error is not None:
            self._jobs.poll_answered(subject)
        return error

    def answered(self, trip: RoundTrip, answer: Answer) -> None:
        if isinstance(answer, JobStatus):
            self._news.learnt(trip.subject, answer)
        elif is_job_not_found(answer):
            self._news.ended(trip.subject, JobEvent.LOST, lost_error(_FORGOTTEN))
        self._jobs.poll_answered(trip.subject)

    def timed_out(self, trip: RoundTrip) -> None:
        self._jobs.poll_answered(trip.subject)

    def interrupted(self, trip: RoundTrip) -> None:
        """Whoever connects next is asked anew."""
