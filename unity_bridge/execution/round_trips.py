"""``RoundTrips``: each kind of exchange with Unity, from its turn in the line to whatever ends it (SPEC §4, §5).

At most one is under way. It ends with its answer, a refusal, an answer that is none, its deadline, or the loss of the
connection; each of those is a method here, and each purpose says what they mean for it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Callable, Mapping, Optional, Type, Union

from unity_bridge.clock import Clock
from unity_bridge.config import Config
from unity_bridge.errors import ErrorCode, ToolError
from unity_bridge.execution import answers
from unity_bridge.execution.cancel_manager import CancelManager
from unity_bridge.execution.deadlines import Deadlines
from unity_bridge.execution.ids import Ids
from unity_bridge.execution.job_control import JobControl
from unity_bridge.execution.job_manager import SETTLE_AGAIN, JobManager, lost_error, unity_error
from unity_bridge.execution.replies import Replies
from unity_bridge.execution.request_scheduler import RequestScheduler
from unity_bridge.logger import Logger
from unity_bridge.mcp_endpoint.tools import Kind, Tool
from unity_bridge.state.machines import JobEvent, JobState, RequestEvent
from unity_bridge.state.stores import (
    CancelProgress,
    EditorIdentity,
    JobRecord,
    Purpose,
    RequestRecord,
    RoundTrip,
    SessionRecord,
    Turn,
)
from unity_bridge.unity.bridge_client import Sent, UnityBridgeClient
from unity_bridge.unity.messages import (
    CancelResult,
    ErrorMessage,
    Execute,
    Fault,
    GetJobStatus,
    JobStatus,
    Message,
    SubmitJobResult,
    ToolResult,
    type_name,
)

ROUND_TRIP_OVER = "round trip over"
RECONNECT_OVER = "reconnect window over"

# Why a result of a tool cannot be passed on, or None (the validator's check_result).
ResultCheck = Callable[[Tool, Mapping[str, Any]], Optional[str]]

# What a round trip can end with: a message of the kind it expects, a refusal, or an answer that is none.
Answer = Union[Message, Fault]

_EXPECTED: Mapping[Purpose, Type[Message]] = {
    Purpose.EXECUTE: ToolResult,
    Purpose.SUBMIT: SubmitJobResult,
    Purpose.SETTLE: JobStatus,
    Purpose.STATUS: JobStatus,
    Purpose.POLL: JobStatus,
    Purpose.CANCEL: CancelResult,
}


class RoundTrips:
    """For the executor thread alone."""

    def __init__(
        self,
        scheduler: RequestScheduler,
        jobs: JobManager,
        cancels: CancelManager,
        control: JobControl,
        replies: Replies,
        bridge: UnityBridgeClient,
        session: Callable[[], Optional[SessionRecord]],
        check_result: ResultCheck,
        status_tool: Tool,
        deadlines: Deadlines,
        config: Config,
        ids: Ids,
        clock: Clock,
        log: Logger,
    ) -> None:
        self._scheduler = scheduler
        self._jobs = jobs
        self._cancels = cancels
        self._control = control
        self._replies = replies
        self._bridge = bridge
        self._session = session
        self._check_result = check_result
        self._status_tool = status_tool
        self._deadlines = deadlines
        self._config = config
        self._ids = ids
        self._clock = clock
        self._log = log
        self._begin = {
            Purpose.EXECUTE: self._begin_execute,
            Purpose.SUBMIT: self._begin_submit,
            Purpose.SUBMIT_AGAIN: self._begin_submit,
            Purpose.SETTLE: self._begin_settle,
            Purpose.STATUS: self._begin_status,
            Purpose.CANCEL: self._begin_cancel,
        }
        self._finish = {
            Purpose.EXECUTE: self._finish_execute,
            Purpose.SUBMIT: self._finish_submit,
            Purpose.SETTLE: self._finish_settle,
            Purpose.STATUS: self._finish_status,
            Purpose.POLL: self._finish_poll,
            Purpose.CANCEL: self._finish_cancel,
        }
        self._run_out: Mapping[Purpose, Callable[[RoundTrip], None]] = {
            Purpose.EXECUTE: self._execute_timed_out,
            Purpose.SUBMIT: self._submit_timed_out,
            Purpose.SETTLE: lambda trip: self._settle_later(trip.subject),
            Purpose.STATUS: self._status_failed,
            Purpose.POLL: lambda trip: self._jobs.poll_answered(trip.subject),
            Purpose.CANCEL: lambda trip: self._mark_cancel(trip, CancelProgress.ANSWERED),
        }
        self._interrupt: Mapping[Purpose, Callable[[RoundTrip], None]] = {
            Purpose.EXECUTE: self._execute_interrupted,
            Purpose.SUBMIT: lambda trip: self._unsettle(trip.subject),
            Purpose.SETTLE: lambda trip: self._scheduler.join_first(Purpose.SETTLE, trip.subject),
            Purpose.STATUS: self._status_failed,
            Purpose.POLL: lambda trip: None,
            Purpose.CANCEL: lambda trip: self._mark_cancel(trip, CancelProgress.UNCONFIRMED),
        }

    # What happens to the round trip.

    def begin(self, turn: Turn) -> Optional[ToolError]:
        """A turn has come; it may come to nothing, if what it was for has ended meanwhile.

        Returns why nothing left this process. What a client wants done is then in its old place again if the connection
        is gone; everything else has been seen to.
        """
        return self._begin[turn.purpose](turn.subject)

    def poll(self, job: JobRecord) -> Optional[ToolError]:
        """Nothing else is to be done: ask for the state of a running job; or say why nothing left this process."""
        message = GetJobStatus(request_id=self._ids.request(), job_id=job.unity_id or job.id)
        trip = RoundTrip(message.request_id, Purpose.POLL, job.id)
        error = self._send(trip, message, self._config.sync_fast_timeout_ms)
        if error is not None:
            self._jobs.poll_answered(job.id)
        return error

    def answered(self, session: SessionRecord, request_id: Optional[str], answer: Answer) -> bool:
        """Something came that answers ``request_id``; whether a round trip was waiting for it."""
        trip = self._scheduler.in_flight
        if trip is None or request_id != trip.request_id or trip.session_id != session.id:
            return False
        self._end(trip)
        if not isinstance(answer, (_EXPECTED[trip.purpose], ErrorMessage, Fault)):
            expected = _EXPECTED[trip.purpose].__name__
            answer = Fault(ErrorCode.INVALID_RESPONSE, f"expected {expected}, got '{type_name(answer)}'")
        self._finish[trip.purpose](trip, answer)
        return True

    def overflowed(self, session: SessionRecord) -> None:
        """A message over the size limit came: it can only have been the answer (SPEC §7.7)."""
        trip = self._scheduler.in_flight
        if trip is not None:
            fault = Fault(ErrorCode.INVALID_RESPONSE, f"it is over {self._config.max_message_bytes} bytes")
            self.answered(session, trip.request_id, fault)

    def timed_out(self, request_id: str) -> None:
        """The deadline of the round trip has passed."""
        trip = self._scheduler.in_flight
        assert trip is not None and trip.request_id == request_id  # its end takes the deadline away
        self._log.warning(f"no answer from Unity in time: {trip.purpose.value}", request_id=request_id)
        self._end(trip)
        self._run_out[trip.purpose](trip)

    def interrupted(self) -> None:
        """The connection was lost."""
        trip = self._scheduler.in_flight
        if trip is not None and trip.session_id is not None:
            self._log.info(f"connection lost during {trip.purpose.value}", request_id=trip.request_id)
            self._end(trip)
            self._interrupt[trip.purpose](trip)

    def reconnect_window_over(self, request_id: str) -> None:
        """A read that was interrupted is no longer to wait for a connection."""
        trip = self._scheduler.in_flight
        if trip is not None and trip.request_id == request_id and trip.session_id is None:
            self._end(trip)
            error = answers.not_reconnected(self._tool_name(request_id), is_read=True)
            self._replies.fail(request_id, RequestEvent.RECONNECT_WINDOW_OVER, error)

    def give_up(self, request_id: str) -> None:
        """A bug of ours lost the thread of the exchange ``request_id``: free the line, and end a job it was about."""
        trip = self._scheduler.in_flight
        if trip is not None and trip.request_id == request_id:
            self._end(trip)
        for job in self._jobs.running():
            if job.request_id == request_id and not job.accepted:
                self.end_job(job.id, JobEvent.UNANSWERED, answers.bug("it submitted the job", has_left=True))

    def give_up_the_forgotten(self) -> None:
        """A bug of ours may have lost sight of a job: no submission may wait for ever, no run go unasked for."""
        trip = self._scheduler.in_flight
        placed = {turn.subject for turn in self._scheduler.turns if turn.purpose is not Purpose.CANCEL}
        placed.add(trip.subject if trip else "")
        for job in self._jobs.open():
            if job.accepted:
                self._jobs.poll_answered(job.id)
            elif job.id not in placed and not self._deadlines.has(SETTLE_AGAIN, job.id):
                event = JobEvent.PATIENCE_OVER if job.state is JobState.QUEUED else JobEvent.UNANSWERED
                self.end_job(job.id, event, answers.bug("it submitted the job", has_left=True))

    def resume(self) -> None:
        """The editor is ready: send an interrupted read again, under the same id (SPEC §4.4)."""
        trip, session = self._scheduler.in_flight, self._session()
        if trip is None or trip.session_id is not None or session is None:
            return
        request = self._scheduler.request(trip.request_id)
        assert request is not None  # a request in flight is open, and open ones are kept
        if self._bridge.send(int(session.id), _execute(request)) is Sent.HANDED_OVER:
            self._log.info("read sent again after the reconnect", request_id=trip.request_id)
            self._scheduler.depart(replace(trip, session_id=session.id, was_sent_before=True))

    # A tool's call.

    def _begin_execute(self, request_id: str) -> Optional[ToolError]:
        request = self._scheduler.open_request(request_id)
        trip = RoundTrip(request_id, Purpose.EXECUTE, request_id)
        error = self._send(trip, _execute(request), request.call.timeout_ms)
        if is_disconnected(error):
            self._scheduler.join_first(Purpose.EXECUTE, request_id)
            return error
        self._scheduler.move(request_id, RequestEvent.DEQUEUED)
        if error is not None:
            self._replies.fail(request_id, RequestEvent.SEND_FAILED, error)
        return error

    def _finish_execute(self, trip: RoundTrip, answer: Answer) -> None:
        name = self._tool_name(trip.request_id)
        if isinstance(answer, ToolResult) and answer.status == "ok":
            fault = self._fault_in(trip.request_id, answer.result)
            if fault is None:
                self._replies.succeed(trip.request_id, RequestEvent.RESULT_OK, answer.result)
            else:
                self._replies.fail(trip.request_id, RequestEvent.MALFORMED, answers.malformed(name, fault))
        elif isinstance(answer, ToolResult):
            # Our plugin puts the error beside the result, others put it in there (SPEC 7.8).
            said = answer.error or answer.result
            error = unity_error(said if isinstance(said, dict) else {"message": said})
            self._replies.fail(trip.request_id, RequestEvent.RESULT_ERROR, answers.ran_and_failed(error))
        elif isinstance(answer, ErrorMessage):
            refused = answers.refused(unity_error(answer.error), trip.was_sent_before)
            self._replies.fail(trip.request_id, RequestEvent.PLUGIN_ERROR, refused)
        else:
            self._replies.fail(trip.request_id, RequestEvent.MALFORMED, answers.malformed(name, _fault(answer)))

    def _execute_timed_out(self, trip: RoundTrip) -> None:
        call = self._scheduler.open_request(trip.request_id).call
        error = answers.timed_out(call.tool.name, call.timeout_ms, is_read=call.tool.kind is Kind.READ)
        self._replies.fail(trip.request_id, RequestEvent.DEADLINE, error)

    def _execute_interrupted(self, trip: RoundTrip) -> None:
        request = self._scheduler.open_request(trip.request_id)
        name = request.call.tool.name
        if request.abandoned or request.call.tool.kind is not Kind.READ:
            error = answers.not_reconnected(name, is_read=False)
            self._replies.fail(trip.request_id, RequestEvent.RECONNECT_WINDOW_OVER, error)
            return
        # It keeps the line, its id and its deadline: nobody may overtake it while it waits to be sent again.
        self._scheduler.depart(replace(trip, session_id=None))
        self._deadlines.set(ROUND_TRIP_OVER, trip.request_id, trip.deadline)

    # A job's submission.

    def _begin_submit(self, job_id: str) -> Optional[ToolError]:
        job = self._jobs.get(job_id)
        if job is None or self._jobs.has_ended(job):
            return None
        message = self._jobs.submission(job)
        trip = RoundTrip(message.request_id, Purpose.SUBMIT, job_id)
        error = self._send(trip, message, self._config.sync_default_timeout_ms)
        if is_disconnected(error):
            # Whether a second submission is still right is for the editor that comes back to say.
            was_sent = job.state is not JobState.QUEUED
            self._scheduler.join_first(Purpose.SETTLE if was_sent else Purpose.SUBMIT, job_id)
            return error
        self._jobs.submitted(job, message.request_id, self._identity())
        if error is not None:
            self.end_job(job_id, JobEvent.SEND_FAILED, error)
        else:
            self._tell_watchers(job_id)
        return error

    def _finish_submit(self, trip: RoundTrip, answer: Answer) -> None:
        if isinstance(answer, SubmitJobResult):
            self._jobs.accepted(trip.subject, answer.job_id)
        elif isinstance(answer, ErrorMessage):
            self.end_job(trip.subject, JobEvent.REFUSED, answers.refused(unity_error(answer.error)))
        else:
            # An answer that cannot be read is a lost answer: Unity has the job, or has not.
            self._log.warning(f"the answer to submit_job cannot be used: {_fault(answer)}", job_id=trip.subject)
            self._unsettle(trip.subject)

    def _submit_timed_out(self, trip: RoundTrip) -> None:
        error = answers.timed_out("submit_job", self._config.sync_default_timeout_ms, is_read=False)
        self.end_job(trip.subject, JobEvent.UNANSWERED, error)
        self.cancel_in_unity(trip.subject)

    # Whether a submission arrived, when its answer was lost (SPEC §5.2).

    def _unsettled(self, job_id: str) -> Optional[JobRecord]:
        """The job, if it is still not known whether it arrived: it may have ended, or Unity spoken of it elsewhere."""
        job = self._jobs.get(job_id)
        return None if job is None or self._jobs.has_ended(job) or job.accepted else job

    def _unsettle(self, job_id: str) -> None:
        job = self._unsettled(job_id)
        if job is None:
            return
        if job.is_settleable:
            self._scheduler.join_first(Purpose.SETTLE, job_id)
        else:
            error = lost_error("the connection broke before Unity had said whether it took the job")
            self.end_job(job_id, JobEvent.LOST, error)

    def _begin_settle(self, job_id: str) -> Optional[ToolError]:
        if self._unsettled(job_id) is None:
            return None
        message = GetJobStatus(request_id=self._ids.request(), job_id=job_id)
        trip = RoundTrip(message.request_id, Purpose.SETTLE, job_id)
        error = self._send(trip, message, self._config.sync_fast_timeout_ms)
        if error is not None:
            self._settle_later(job_id)
        return error

    def _finish_settle(self, trip: RoundTrip, answer: Answer) -> None:
        if isinstance(answer, JobStatus):
            self._jobs.accepted(trip.subject, answer.job_id)
            self._learn(trip.subject, answer)
        elif _is_job_not_found(answer):
            self._submit_again(trip.subject)
        else:
            self._settle_later(trip.subject)

    def _submit_again(self, job_id: str) -> None:
        """Unity says it never had the job. That is only believed of the very editor process it was sent to."""
        job, identity = self._jobs.get(job_id), self._identity()
        was_sent_to = job and job.instance_id
        is_same_editor = identity is not None and was_sent_to is not None and was_sent_to == identity.instance_id
        if is_same_editor and identity is not None and identity.jobs is not None:
            self._log.info("the submission never arrived; submitting again", job_id=job_id)
            self._scheduler.join_first(Purpose.SUBMIT_AGAIN, job_id)
        else:
            self.end_job(job_id, JobEvent.LOST, lost_error("the editor that came back does not know it"))

    def _settle_later(self, job_id: str) -> None:
        if self._unsettled(job_id) is not None:
            self._deadlines.set(SETTLE_AGAIN, job_id, self._clock.now() + self._config.job_poll_interval_ms / 1000)

    def settle_again(self, job_id: str) -> None:
        self._unsettle(job_id)

    # A client's question about a job.

    def _begin_status(self, request_id: str) -> Optional[ToolError]:
        request = self._scheduler.open_request(request_id)
        job = self._jobs.get(request.call.params["job_id"])
        if job is not None and self._jobs.has_ended(job):
            self._control.could_not_ask(request)  # there is nothing left to ask: the ledger has its end
            return None
        self._scheduler.move(request_id, RequestEvent.DEQUEUED)
        unity_id = request.call.params["job_id"] if job is None else job.unity_id or job.id
        trip = RoundTrip(request_id, Purpose.STATUS, request_id)
        error = self._send(trip, GetJobStatus(request_id=request_id, job_id=unity_id), request.call.timeout_ms)
        if error is not None:
            self._control.could_not_ask(request, error)
        return error

    def _finish_status(self, trip: RoundTrip, answer: Answer) -> None:
        request = self._scheduler.open_request(trip.request_id)
        job_id = request.call.params["job_id"]
        job = self._jobs.get(job_id)
        state_before = None if job is None else job.state
        if isinstance(answer, JobStatus):
            if job is None:
                self._adopt(job_id, answer)
            elif not job.accepted:
                self._jobs.accepted(job_id, answer.job_id)
            self._learn(job_id, answer)
        elif _is_job_not_found(answer):
            if job is not None:
                self.end_job(job_id, JobEvent.LOST, lost_error("Unity no longer knows it"))
        else:
            self._log.info(f"the answer to get_job_status is of no use: {_fault(answer)}", job_id=job_id)
            error = answers.malformed("get_job_status", _fault(answer))
            self._control.could_not_ask(request, error)
            return
        self._control.asked(request, state_before)

    def _status_failed(self, trip: RoundTrip) -> None:
        self._control.could_not_ask(self._scheduler.open_request(trip.request_id))

    def _adopt(self, job_id: str, status: JobStatus) -> None:
        identity = self._identity()
        self._jobs.adopt(job_id, status, identity.instance_id if identity else None)
        self._jobs.poll_answered(job_id)

    # Our own question about a job.

    def _finish_poll(self, trip: RoundTrip, answer: Answer) -> None:
        if isinstance(answer, JobStatus):
            self._learn(trip.subject, answer)
        elif _is_job_not_found(answer):
            self.end_job(trip.subject, JobEvent.LOST, lost_error("Unity no longer knows it"))
        self._jobs.poll_answered(trip.subject)

    def _learn(self, job_id: str, status: JobStatus) -> None:
        told = {"job_id": job_id, "state": status.state, "progress": status.progress, "result": status.result}
        job = self._jobs.learn(job_id, status, self._check_result(self._status_tool, told))
        if job is None:
            return
        self._replies.job_moved(job)
        if job.state is JobState.RUNNING and job.cancel is CancelProgress.UNCONFIRMED:
            # The wish was sent on a connection that broke; it still runs, so the wish is said again.
            self.cancel_in_unity(job_id)

    # A wish to cancel.

    def cancel_in_unity(self, job_id: str) -> None:
        """Let a ``cancel`` take its turn, if none is waiting for it already."""
        self._jobs.mark_cancel(job_id, CancelProgress.WANTED)
        if self._scheduler.find(job_id, Purpose.CANCEL) is None:
            self._scheduler.join(Purpose.CANCEL, job_id)

    def _begin_cancel(self, job_id: str) -> Optional[ToolError]:
        job = self._jobs.get(job_id)
        if job is None or job.cancel is not CancelProgress.WANTED:
            return None
        message = self._cancels.message(job)
        trip = RoundTrip(message.request_id, Purpose.CANCEL, job_id)
        error = self._send(trip, message, self._config.sync_fast_timeout_ms)
        if error is not None:
            self._jobs.mark_cancel(job_id, CancelProgress.UNCONFIRMED)
        return error

    def _mark_cancel(self, trip: RoundTrip, progress: CancelProgress) -> None:
        self._jobs.mark_cancel(trip.subject, progress)

    def _finish_cancel(self, trip: RoundTrip, answer: Answer) -> None:
        if isinstance(answer, CancelResult):
            self._cancels.answered(trip.subject, answer)
        else:
            self._jobs.mark_cancel(trip.subject, CancelProgress.ANSWERED)
            self._log.warning(f"Unity did not take the cancel: {_fault(answer)}", job_id=trip.subject)
        job = self._jobs.get(trip.subject)
        if job is not None and job.state is JobState.RUNNING:
            self._jobs.poll_now(trip.subject)

    # Parts of all of them.

    def _send(self, trip: RoundTrip, message: Message, budget_ms: int) -> Optional[ToolError]:
        """Put ``message`` on its way and ``trip`` with it; or say why nothing left this process."""
        session = self._session()
        sent = Sent.GONE if session is None else self._bridge.send(int(session.id), message)
        if sent is Sent.TOO_LARGE:
            return answers.too_large(self._config.max_message_bytes)
        if session is None or sent is Sent.GONE:
            return answers.disconnected_before_send()
        deadline = self._clock.now() + budget_ms / 1000
        self._scheduler.depart(replace(trip, session_id=session.id, deadline=deadline))
        self._deadlines.set(ROUND_TRIP_OVER, trip.request_id, deadline)
        return None

    def _end(self, trip: RoundTrip) -> None:
        self._deadlines.clear(ROUND_TRIP_OVER, trip.request_id)
        self._deadlines.clear(RECONNECT_OVER, trip.request_id)
        self._scheduler.arrive()

    def end_job(self, job_id: str, event: JobEvent, error: ToolError) -> None:
        """End a job for a reason of our own, and tell those who watch it."""
        job = self._jobs.end(job_id, event, error)
        if job is not None:
            self._replies.job_moved(job)

    def _tell_watchers(self, job_id: str) -> None:
        job = self._jobs.get(job_id)
        assert job is not None  # it was submitted just now
        self._replies.job_moved(job)

    def _identity(self) -> Optional[EditorIdentity]:
        session = self._session()
        return None if session is None else session.identity

    def _fault_in(self, request_id: str, result: Any) -> Optional[str]:
        if not isinstance(result, dict):
            return "'result' must be an object"
        return self._check_result(self._scheduler.open_request(request_id).call.tool, result)

    def _tool_name(self, request_id: str) -> str:
        return self._scheduler.open_request(request_id).call.tool.name


def is_disconnected(error: Optional[ToolError]) -> bool:
    """Whether nothing left this process because the connection is gone."""
    return error is not None and error.code is ErrorCode.UNITY_DISCONNECTED


def _execute(request: RequestRecord) -> Execute:
    return Execute(
        request_id=request.id,
        tool_name=request.call.tool.name,
        params=dict(request.call.params),
        timeout_ms=request.call.timeout_ms,
        client_request_id=request.call.client_request_id,
    )


def _is_job_not_found(answer: Answer) -> bool:
    return isinstance(answer, ErrorMessage) and answer.error.get("code") == ErrorCode.JOB_NOT_FOUND.value


def _fault(answer: Answer) -> str:
    """What is wrong with an answer that is none, or what Unity refused with."""
    if isinstance(answer, ErrorMessage):
        return unity_error(answer.error).message
    assert isinstance(answer, Fault)  # what is of another kind became one when it came
    return answer.message
