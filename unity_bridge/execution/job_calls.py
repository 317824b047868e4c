"""``JobCalls``: what clients ask about jobs, and that they cancel them. Never waits for the editor.

SPEC §4.3, §6, §14.3. The ledger answers where that is enough; the rest asks Unity.
"""

from __future__ import annotations

from typing import Optional

from unity_bridge.catalogue.tool import Service
from unity_bridge.errors import ToolError
from unity_bridge.execution import answers
from unity_bridge.execution.cancel_manager import CancelManager
from unity_bridge.execution.context import ExecutionContext
from unity_bridge.execution.exchanges.exchange import Answer, fault_of, is_job_not_found
from unity_bridge.execution.exchanges.round_trips import RoundTrips
from unity_bridge.execution.job_manager import JobManager
from unity_bridge.execution.job_waits import JobWaits
from unity_bridge.execution.replies import Replies
from unity_bridge.execution.request_scheduler import RequestScheduler
from unity_bridge.execution.server_life import ServerLife
from unity_bridge.state.machines import JobEvent, JobState, RequestEvent
from unity_bridge.state.records import JobRecord, Purpose, RequestRecord, RoundTrip
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
        """A client asks how a job is."""
        job = self._jobs.get(_job_id(request))
        if job is None or (job.state is JobState.RUNNING and self._editor_is_ready()):
            self._ask_unity(request)
        else:
            self._tell_or_wait(request, job, job.state)

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

    def could_not_ask(self, request: RequestRecord, error: Optional[ToolError] = None) -> None:
        """Unity gave no usable word on the job: the ledger's last state stands, if it has one."""
        job = self._jobs.get(_job_id(request))
        if job is None:
            reason = error or answers.job_cannot_be_asked_for(_job_id(request))
            self._replies.fail(request.id, RequestEvent.NOT_ASKED, reason)
        elif _cancels_a_job(request):
            self._cancel(request, job)
        else:
            self._tell_or_wait(request, job, job.state)

    def _ask_unity(self, request: RequestRecord) -> None:
        error = self._scheduler.full_error()
        if not self._editor_is_ready():
            error = self._life.blocked_error() or answers.job_cannot_be_asked_for(_job_id(request))
        if error is not None:
            self._replies.fail(request.id, RequestEvent.REFUSED, error)
        else:
            self._scheduler.move(request.id, RequestEvent.ADMITTED)
            self._scheduler.join(Purpose.STATUS, request.id)

    def _tell_or_wait(
        self, request: RequestRecord, job: JobRecord, state_before: JobState, was_asked: bool = False
    ) -> None:
        wait_ms = request.call.params.get("wait_ms", 0)
        if not wait_ms or self._jobs.has_ended(job) or job.state is not state_before or request.abandoned:
            self._waits.tell(request.id, job, was_asked)
        else:
            self._waits.wait(request, job, until=request.arrived_at + wait_ms / 1000)

    def _cancel(self, request: RequestRecord, job: JobRecord) -> None:
        status = self._cancels.cancel(job)
        self._replies.answered_here(request.id, {"job_id": job.id, "status": status.value})

    # Exchange.

    def begin(self, subject: str) -> Optional[ToolError]:
        request = self._scheduler.open_request(subject)
        job_id = _job_id(request)
        job = self._jobs.get(job_id)
        if job is not None and self._jobs.has_ended(job):
            self.could_not_ask(request)  # there is nothing left to ask: the ledger has its end
            return None
        message = GetJobStatus(request_id=subject, job_id=job_id if job is None else job.id_in_unity)
        error = self._trips.send(RoundTrip(subject, Purpose.STATUS, subject), message, request.call.timeout_ms)
        if error is not None:
            self.could_not_ask(request, error)
        else:
            self._scheduler.move(subject, RequestEvent.DEQUEUED)
        return error

    def answered(self, trip: RoundTrip, answer: Answer) -> None:
        request = self._scheduler.open_request(trip.request_id)
        job_id = _job_id(request)
        job = self._jobs.get(job_id)
        state_before = None if job is None else job.state
        if isinstance(answer, JobStatus):
            if job is None:
                identity = self._trips.identity
                self._jobs.adopt(job_id, answer, identity.instance_id if identity else None)
            elif not job.accepted:
                self._jobs.accepted(job_id, answer.job_id)
            self._jobs.learn(job_id, answer)
        elif is_job_not_found(answer):
            # One whose submission is yet to be settled has not been forgotten: it may go to Unity once more.
            if job is not None and job.accepted:
                self._jobs.end(job_id, JobEvent.LOST, answers.job_lost(answers.FORGOTTEN_BY_UNITY))
        else:
            self._log.info(f"the answer to get_job_status is of no use: {fault_of(answer)}", job_id=job_id)
            self.could_not_ask(request, answers.malformed("get_job_status", fault_of(answer)))
            return
        self._go_on(request, state_before)

    def timed_out(self, trip: RoundTrip) -> None:
        self.could_not_ask(self._scheduler.open_request(trip.request_id))

    def interrupted(self, trip: RoundTrip) -> None:
        self.could_not_ask(self._scheduler.open_request(trip.request_id))

    def _go_on(self, request: RequestRecord, state_before: Optional[JobState]) -> None:
        """Unity's word on the job, whatever it was, is in the ledger now."""
        job = self._jobs.get(_job_id(request))
        if job is None:
            self._replies.fail(request.id, RequestEvent.PLUGIN_ERROR, answers.job_not_found(_job_id(request)))
        elif _cancels_a_job(request):
            self._cancel(request, job)
        else:
            self._tell_or_wait(request, job, state_before or job.state, was_asked=True)


def _cancels_a_job(request: RequestRecord) -> bool:
    return request.call.tool.service is Service.JOB_CANCEL


def _job_id(request: RequestRecord) -> str:
    id = request.call.params["job_id"]
    assert isinstance(id, str)  # the validator saw to it
    return id
