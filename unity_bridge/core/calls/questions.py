"""``JobCalls``: what clients want of jobs that there are - to know how one is, to wait for it, to stop it.

SPEC §4.3, §6, §14.3, §15.2-§15.4. Never waits for the editor: the ledger answers where that is enough, the rest asks
Unity.
"""

from __future__ import annotations

from typing import Optional

from unity_bridge.base.errors import ToolError
from unity_bridge.catalogue.tool import Mode, Service
from unity_bridge.core import answers
from unity_bridge.core.calls.answer import Replies
from unity_bridge.core.calls.joins import is_the_same
from unity_bridge.core.calls.waiting import JobWaits
from unity_bridge.core.context import ExecutionContext
from unity_bridge.core.exchange import (
    Answer,
    fault_of,
    is_job_not_found,
)
from unity_bridge.core.jobs.cancelling import CancelManager
from unity_bridge.core.jobs.jobs import JobManager
from unity_bridge.core.ledger.machines import JobEvent, JobState, RequestEvent
from unity_bridge.core.ledger.queue import RequestScheduler
from unity_bridge.core.ledger.records import JobRecord, Purpose, RequestRecord, RoundTrip, Turn
from unity_bridge.core.round_trip import RoundTrips
from unity_bridge.core.sharing.port import ServerLife
from unity_bridge.unity.messages import GetJobStatus, JobStatus


class JobCalls:
    """An ``Exchange`` for the calls that must ask Unity; its subject is the request. For the executor thread alone."""

    expects = JobStatus

    def __init__(
        self,
        context: ExecutionContext,
        scheduler: RequestScheduler,
        jobs: JobManager,
        replies: Replies,
        waits: JobWaits,
        cancels: CancelManager,
        trips: RoundTrips,
        life: ServerLife,
    ) -> None:
        self._editor_is_ready = context.stores.editor_is_ready
        self._budget_ms = context.config.sync_fast_timeout_ms
        self._log = context.log
        self._scheduler = scheduler
        self._jobs = jobs
        self._replies = replies
        self._waits = waits
        self._cancels = cancels
        self._trips = trips
        self._life = life

    # The calls.

    def status(self, request: RequestRecord) -> None:
        """A client asks how a job is, or joins it."""
        job = self._jobs.get(_job_id(request))
        if job is None or (self._is_worth_asking_for(job) and self._editor_is_ready()):
            self._ask_unity(request)
        else:
            self._waits.tell_or_wait(request, job)

    def join(self, request: RequestRecord, job: JobRecord, place: Optional[Turn] = None) -> None:
        """A job call wants what ``job`` does already (SPEC §15.7). ``place``: where it has waited for the editor."""
        self._log.info("call joins a job", job_id=job.id, request_id=request.id)
        request = self._scheduler.remember(request.id, job_id=job.id, joined=True)
        if place is not None and self._is_worth_asking_for(job):
            self._scheduler.move(request.id, RequestEvent.EDITOR_READY)
            self._scheduler.replace(place, Turn(Purpose.STATUS, request.id))
            return
        self._scheduler.leave(request.id)
        self.status(request)

    def cancel(self, request: RequestRecord) -> None:
        """A client wants a job to stop."""
        id = _job_id(request)
        job = self._jobs.get(id)
        if job is not None:
            self._cancel(request, job)
        elif self._scheduler.request(id) is not None:
            self._replies.fail(request.id, RequestEvent.REFUSED, answers.not_a_job(id))
        else:
            self._ask_unity(request)

    def given_up(self, request: RequestRecord) -> None:
        """The client of a call that waited for a job gave it up. A running job runs on.

        One that is still queued here ends with the last call that waits for it, unless a client knows its id: that
        one may come back for it (SPEC §15.4).
        """
        job = None if request.job_id is None else self._jobs.get(request.job_id)
        if job is None or job.state is not JobState.QUEUED or job.is_told or self._waits.is_waited_for(job.id):
            return
        self._cancels.cancel(job)

    def could_not_ask(self, request: RequestRecord, error: Optional[ToolError] = None) -> None:
        """Unity gave no usable word on the job: the ledger's last state stands, if it has one."""
        job = self._jobs.get(_job_id(request))
        if job is None:
            reason = error or answers.job_cannot_be_asked_for(_job_id(request))
            self._replies.fail(request.id, RequestEvent.NOT_ASKED, reason)
        elif _cancels_a_job(request):
            self._cancel(request, job)
        else:
            self._waits.tell_or_wait(request, job)

    def job_moved(self, job: JobRecord) -> None:
        """What the ledger knows now need not be asked any more: questions that wait in the queue are answered."""
        if not self._jobs.has_ended(job):
            return
        for turn in list(self._scheduler.turns):
            if turn.purpose is Purpose.STATUS:
                request = self._scheduler.open_request(turn.subject)
                if _job_id(request) == job.id:
                    self._scheduler.leave(request.id)
                    self.could_not_ask(request)

    def _ask_unity(self, request: RequestRecord) -> None:
        """Let the question into the queue; if that cannot be, what the ledger knows is the answer."""
        error = self._scheduler.full_error()
        if not self._editor_is_ready():
            error = self._life.blocked_error() or answers.job_cannot_be_asked_for(_job_id(request))
        if error is None:
            self._scheduler.move(request.id, RequestEvent.ADMITTED)
            self._scheduler.join(Purpose.STATUS, request.id)
        elif request.joined:
            self.could_not_ask(request)
        else:
            self._replies.fail(request.id, RequestEvent.REFUSED, error)

    def _is_worth_asking_for(self, job: JobRecord) -> bool:
        return job.state is JobState.RUNNING or job.result_dropped

    def _cancel(self, request: RequestRecord, job: JobRecord) -> None:
        status = self._cancels.cancel(job)
        self._replies.answered_here(request.id, {"job_id": job.id, "status": status.value})

    # Exchange.

    def begin(self, subject: str) -> Optional[ToolError]:
        request = self._scheduler.open_request(subject)
        job_id = _job_id(request)
        job = self._jobs.get(job_id)
        message = GetJobStatus(request_id=subject, job_id=job_id if job is None else job.id_in_unity)
        # The timeout_ms of a job call is its job's.
        budget_ms = self._budget_ms if request.call.tool.mode is Mode.JOB else request.call.timeout_ms
        error = self._trips.send(RoundTrip(subject, Purpose.STATUS, subject), message, budget_ms)
        if error is not None:
            self.could_not_ask(request, error)
        else:
            self._scheduler.move(subject, RequestEvent.DEQUEUED)
        return error

    def answered(self, trip: RoundTrip, answer: Answer) -> None:
        request = self._scheduler.open_request(trip.request_id)
        job_id = _job_id(request)
        job = self._jobs.get(job_id)
        if isinstance(answer, JobStatus):
            if job is None:
                identity = self._trips.identity
                self._jobs.adopt(job_id, identity.instance_id if identity else None, answer.job_id)
            elif not job.accepted:
                self._jobs.accepted(job_id, answer.job_id)
            self._jobs.learn(job_id, answer)
        elif is_job_not_found(answer):
            # One whose submission is yet to be resolved has not been forgotten: it may go to Unity once more.
            if job is not None and job.accepted:
                self._jobs.end(job_id, JobEvent.LOST, answers.job_lost(answers.FORGOTTEN_BY_UNITY))
        else:
            self._log.info(f"the answer to get_job_status is of no use: {fault_of(answer)}", job_id=job_id)
            self._jobs.no_status(job_id, answer)
            self.could_not_ask(request, answers.malformed("get_job_status", fault_of(answer)))
            return
        self._go_on(request)

    def timed_out(self, trip: RoundTrip) -> None:
        self.could_not_ask(self._scheduler.open_request(trip.request_id))

    def interrupted(self, trip: RoundTrip) -> None:
        self.could_not_ask(self._scheduler.open_request(trip.request_id))

    def _go_on(self, request: RequestRecord) -> None:
        """Unity's word on the job, whatever it was, is in the ledger now."""
        job = self._jobs.get(_job_id(request))
        if job is None:
            self._replies.fail(request.id, RequestEvent.PLUGIN_ERROR, answers.job_not_found(_job_id(request)))
        elif _cancels_a_job(request):
            self._cancel(request, job)
        elif request.call.tool.mode is Mode.JOB and not is_the_same(request.call, job):
            # Only now Unity has said what the job is that the key belongs to.
            error = answers.key_used_otherwise(str(request.call.client_request_id), job)
            self._replies.fail(request.id, RequestEvent.PLUGIN_ERROR, error)
        else:
            self._waits.tell_or_wait(request, job, was_asked=True)


def _cancels_a_job(request: RequestRecord) -> bool:
    return request.call.tool.service is Service.JOB_CANCEL


def _job_id(request: RequestRecord) -> str:
    """The job that the call is about."""
    id = request.job_id or request.call.params["job_id"]
    assert isinstance(id, str)  # the validator saw to it
    return id
