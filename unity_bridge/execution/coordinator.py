"""``ExecutionCoordinator``: one method per event. It decides by table and orders by command (ADR-0005, SPEC §3-§6).

Everything here runs on the executor thread, one event at a time, and nothing blocks: a round trip to Unity is an entry
in the ledger with a deadline, not a waiting thread (SPEC §1.4). After each event the line moves on as far as it can.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Callable, Iterable, Mapping, Optional, Sequence, Type

from unity_bridge.attach.events import (
    ClientAttached,
    ClientLeft,
    OwnerAnswered,
    OwnerFound,
    OwnerLost,
    OwnerProgressed,
)
from unity_bridge.catalogue.tool import Mode, Tool
from unity_bridge.clock import Clock
from unity_bridge.config import Config
from unity_bridge.errors import ErrorCode, ToolError
from unity_bridge.execution import answers
from unity_bridge.execution.bug_recovery import BugRecovery
from unity_bridge.execution.cancel_manager import CancelManager, CancelStatus, request_status
from unity_bridge.execution.deadlines import Deadlines
from unity_bridge.execution.editor_state_tracker import EditorStateTracker
from unity_bridge.execution.events import CallAbandoned, CallArrived, DeadlinePassed, Event, StopRequested
from unity_bridge.execution.exchanges.cancel_wishes import CancelWishes
from unity_bridge.execution.exchanges.dispatcher import ExchangeDispatcher
from unity_bridge.execution.exchanges.exchange import Exchange, ResultCheck
from unity_bridge.execution.exchanges.job_questions import ClientQuestions, Polls
from unity_bridge.execution.exchanges.round_trips import RECONNECT_OVER, ROUND_TRIP_OVER, RoundTrips, is_disconnected
from unity_bridge.execution.exchanges.submissions import Settlements, Submissions
from unity_bridge.execution.exchanges.tool_calls import ToolCalls
from unity_bridge.execution.forwarding import OWNER_SILENT, Forwarding, Link
from unity_bridge.execution.ids import Ids
from unity_bridge.execution.job_control import JobControl
from unity_bridge.execution.job_manager import JOB_DUE, JOB_LOST, POLL_DUE, SETTLE_AGAIN, JobManager, lost_error
from unity_bridge.execution.job_news import JobNews
from unity_bridge.execution.orders import Order, Send
from unity_bridge.execution.reconnect_controller import (
    HELLO_DUE,
    PING_DUE,
    SILENCE_DUE,
    ReconnectController,
    error_message,
)
from unity_bridge.execution.replies import WATCH_OVER, Replies
from unity_bridge.execution.request_scheduler import RequestScheduler
from unity_bridge.logger import Logger
from unity_bridge.result import Err
from unity_bridge.state.machines import JobEvent, RequestEvent, RequestState, SessionState
from unity_bridge.state.stores import EDITOR_ID, Parked, Purpose, RequestRecord, SessionRecord, StateStores, Turn
from unity_bridge.unity.bridge_client import (
    ListenerBlocked,
    ListenerBound,
    ListenerLost,
    PeerClosed,
    PeerFaulted,
    PeerOpened,
    PeerOverflowed,
    PeerSaid,
    UnityBridgeClient,
)
from unity_bridge.unity.close_codes import TOO_BIG
from unity_bridge.unity.messages import (
    CancelResult,
    EditorStatus,
    ErrorMessage,
    Fault,
    Hello,
    JobStatus,
    Message,
    Ping,
    Pong,
    SubmitJobResult,
    ToolResult,
    type_name,
)

PATIENCE_OVER = "patience over"
EDITOR_FORGOTTEN = "editor forgotten"


class ExecutionCoordinator:
    """The executor's mind: ``handle`` takes an event, ``recover`` one whose handling broke. Executor thread only."""

    def __init__(
        self,
        stores: StateStores,
        bridge: UnityBridgeClient,
        catalogue: Mapping[str, Tool],
        check_result: ResultCheck,
        config: Config,
        ids: Ids,
        clock: Clock,
        log: Logger,
        link: Optional[Link] = None,
    ) -> None:
        self._stores = stores
        self._bridge = bridge
        self._config = config
        self._clock = clock
        self._log = log
        capability = [tool.capability() for tool in catalogue.values()]
        self._deadlines = Deadlines()
        self._scheduler = RequestScheduler(stores, config.queue_max_size, clock, log)
        self._tracker = EditorStateTracker(stores, clock, log)
        self._reconnect = ReconnectController(stores, self._deadlines, config, capability, clock, log)
        self._capability = capability
        self._jobs = JobManager(stores, self._deadlines, config, ids, clock, log)
        self._cancels = CancelManager(self._jobs, ids, log)
        self._replies = Replies(self._scheduler, self._deadlines, log)
        self._control = JobControl(
            self._scheduler,
            self._jobs,
            self._cancels,
            self._replies,
            stores.editor_is_ready,
            self._reconnect.blocked_error,
        )
        self._forwarding = Forwarding(
            self._scheduler,
            self._jobs,
            self._replies,
            link,
            self._wait_here,
            self._get_editor_state,
            self._deadlines,
            clock,
        )
        trips = RoundTrips(
            self._scheduler, self._deadlines, bridge, lambda: self._reconnect.active, config.max_message_bytes, clock
        )
        self._news = JobNews(self._scheduler, self._jobs, self._replies, check_result, catalogue["get_job_status"])
        self._tool_calls = ToolCalls(trips, self._scheduler, self._replies, check_result, log)
        self._settlements = Settlements(
            trips, self._scheduler, self._jobs, self._news, self._deadlines, config, ids, clock, log
        )
        self._submissions = Submissions(
            trips,
            self._scheduler,
            self._jobs,
            self._news,
            self._settlements,
            self._deadlines,
            config.sync_default_timeout_ms,
            log,
        )
        asked_quickly_ms = config.sync_fast_timeout_ms
        by_purpose: Mapping[Purpose, Exchange] = {
            Purpose.EXECUTE: self._tool_calls,
            Purpose.SUBMIT: self._submissions,
            Purpose.SUBMIT_AGAIN: self._submissions,
            Purpose.SETTLE: self._settlements,
            Purpose.STATUS: ClientQuestions(trips, self._scheduler, self._jobs, self._news, self._control, log),
            Purpose.POLL: Polls(trips, self._jobs, self._news, ids, asked_quickly_ms),
            Purpose.CANCEL: CancelWishes(trips, self._jobs, self._cancels, asked_quickly_ms, log),
        }
        self._exchanges = ExchangeDispatcher(trips, by_purpose, config.max_message_bytes, log)
        self._recovery = BugRecovery(self._scheduler, self._replies, self._exchanges, self._submissions)
        self._on: Mapping[Type[Any], Callable[[Any], None]] = {
            CallArrived: self._on_call,
            CallAbandoned: self._on_abandoned,
            StopRequested: self._on_stop,
            DeadlinePassed: lambda event: self._on_deadline[event.kind](event.id),
            ListenerBound: lambda event: self._reconnect.bound(event.port),
            ListenerLost: lambda event: self._reconnect.port_lost(),
            ListenerBlocked: self._on_blocked,
            PeerOpened: lambda event: self._carry_out(self._reconnect.opened(event.peer_id)),
            PeerSaid: self._on_said,
            PeerFaulted: self._on_faulted,
            PeerOverflowed: self._on_overflowed,
            PeerClosed: self._on_closed,
            OwnerFound: self._on_owner_found,
            OwnerLost: self._on_owner_lost,
            OwnerAnswered: self._forwarding.answered,
            OwnerProgressed: self._forwarding.progressed,
            ClientAttached: self._reconnect.client_came_or_left,
            ClientLeft: self._reconnect.client_came_or_left,
        }
        self._on_deadline: Mapping[str, Callable[[str], None]] = {
            PATIENCE_OVER: self._patience_over,
            ROUND_TRIP_OVER: self._exchanges.timed_out,
            RECONNECT_OVER: self._tool_calls.reconnect_window_over,
            SETTLE_AGAIN: self._settlements.want,
            WATCH_OVER: self._watch_over,
            EDITOR_FORGOTTEN: self._editor_forgotten,
            HELLO_DUE: lambda id: self._carry_out(self._reconnect.hello_due(id)),
            PING_DUE: lambda id: self._carry_out(self._reconnect.ping_due(id)),
            SILENCE_DUE: self._silence_due,
            JOB_DUE: self._job_due,
            JOB_LOST: self._job_lost,
            POLL_DUE: self._jobs.poll_now,
            OWNER_SILENT: self._forwarding.owner_silent,
        }
        # Tools that the server answers by itself, whatever Unity does (SPEC 4.3).
        self._answered_here: Mapping[str, Callable[[RequestRecord], None]] = {
            "get_editor_state": self._get_editor_state,
            "get_job_status": self._control.get_job_status,
            "cancel_job": self._control.cancel_job,
        }

    # Entrances.

    @property
    def has_stopped(self) -> bool:
        return self._reconnect.is_stopping

    def handle(self, event: Event) -> None:
        """Take one event in, then let the line move. Once stopped, only calls are heard: each is owed its refusal."""
        if self.has_stopped and not isinstance(event, CallArrived):
            return
        self._on[type(event)](event)
        self._advance()

    def next_deadline(self) -> Optional[float]:
        return self._deadlines.next()

    def passed_deadline(self) -> Optional[DeadlinePassed]:
        """The earliest deadline that has passed, as an event to handle."""
        due = self._deadlines.pop_due(self._clock.now())
        return None if due is None else DeadlinePassed(*due)

    def recover(self, event: Event) -> None:
        """A bug of ours broke the handling of ``event``. The line moves on with the next one."""
        self._recovery.after(event)

    # Calls.

    def _on_call(self, event: CallArrived) -> None:
        self._replies.expect(event)
        request = self._scheduler.receive(event.request_id, event.call)
        if self._reconnect.is_stopping:
            self._replies.fail(request.id, RequestEvent.REFUSED, answers.stopping())
        elif self._reconnect.is_attached and self._forwarding.forward(request):
            pass
        elif event.call.tool.needs_editor:
            self._admit(request)
        else:
            self._answered_here[event.call.tool.name](request)

    def _admit(self, request: RequestRecord) -> None:
        """Let a call that needs Unity into the line, to go or to wait."""
        error = self._reconnect.blocked_error() or self._no_room()
        if error is not None:
            self._replies.fail(request.id, RequestEvent.REFUSED, error)
        elif not self._stores.editor_is_ready():
            self._park(request, RequestEvent.PARKED)
        elif request.call.tool.mode is Mode.JOB:
            self._scheduler.join(Purpose.SUBMIT, self._issue_job(request))
        else:
            self._scheduler.move(request.id, RequestEvent.ADMITTED)
            self._scheduler.join(Purpose.EXECUTE, request.id)

    def _park(self, request: RequestRecord, event: RequestEvent, may_have_run: bool = False) -> None:
        parked = self._reconnect.patience(self._clock.now(), self._tracker.editor)
        self._scheduler.move(request.id, event, may_have_run=may_have_run or request.may_have_run)
        self._scheduler.join_by_arrival(Purpose.EXECUTE, request.id, parked)
        self._deadlines.set(PATIENCE_OVER, request.id, parked.deadline)

    def _wait_here(self, request: RequestRecord, event: RequestEvent, may_have_run: bool) -> None:
        """A call comes back from an owner of the port that is gone; the line's bound is for it as well (SPEC §4.1)."""
        error = self._no_room()
        if error is None:
            self._park(request, event, may_have_run)
        else:
            told = answers.lost_with_the_owner(request.call.tool.name, error) if may_have_run else error
            self._replies.fail(request.id, RequestEvent.RECONNECT_WINDOW_OVER, told)

    def _no_room(self) -> Optional[ToolError]:
        room = self._scheduler.has_room()
        return room.error if isinstance(room, Err) else None

    def _issue_job(self, request: RequestRecord) -> str:
        job = self._jobs.issue(request.call)
        self._log.info("job issued", job_id=job.id, request_id=request.id)
        self._replies.succeed(request.id, RequestEvent.JOB_ISSUED, {"job_id": job.id, "state": job.state.value})
        return job.id

    def _get_editor_state(self, request: RequestRecord, remark: Optional[str] = None) -> None:
        state = answers.editor_state(
            self._reconnect.server_state,
            self._reconnect.listener,
            self._reconnect.active,
            self._tracker.editor,
            self._tracker.versions,
            self._scheduler.counts(),
            self._jobs.running(),
        )
        if remark is not None:
            state["listener"]["remark"] = remark
        self._replies.succeed_now(request.id, state)

    def _on_abandoned(self, event: CallAbandoned) -> None:
        request = self._scheduler.request(event.request_id)
        if request is None:
            return
        status = request_status(request.state)
        self._log.info("call cancelled by its client", request_id=request.id, status=status.value)
        self._replies.forget(request.id)
        if status is CancelStatus.CANCELLED:
            self._forwarding.abandon(request)
            self._scheduler.leave(request.id)
            self._deadlines.clear(PATIENCE_OVER, request.id)
            self._scheduler.move(request.id, RequestEvent.CANCELLED)
        elif status is CancelStatus.CANCEL_REQUESTED:
            self._scheduler.move(request.id, RequestEvent.CLIENT_CANCELLED, abandoned=True)
            # What only waited for a connection, to be sent again, has nothing left to wait for.
            self._tool_calls.reconnect_window_over(request.id)
            if self._replies.is_watching(request.id):
                self._watch_over(request.id)

    # The port and the sessions.

    def _on_blocked(self, event: ListenerBlocked) -> None:
        self._reconnect.blocked(event)
        error = self._reconnect.blocked_error()
        for turn in self._parked_turns():
            self._end_parked(turn, error)

    def _on_said(self, event: PeerSaid) -> None:
        session = self._reconnect.heard(event.peer_id)
        if session is None:
            return
        message = event.message
        if isinstance(message, Hello) and session.state is SessionState.PENDING:
            self._greet(session, message)
        elif session.state is SessionState.PENDING:
            fault = Fault(ErrorCode.INVALID_REQUEST, f"the first message must be hello, not {type_name(message)}")
            self._carry_out(self._reconnect.refuse(session, fault))
        elif isinstance(message, EditorStatus):
            self._editor_said(message.state, message.seq, message)
        elif isinstance(message, Pong):
            self._editor_said(message.editor_state, message.seq, message)
        elif isinstance(message, Ping):
            self._carry_out([Send(event.peer_id, Pong())])
        elif isinstance(message, (ToolResult, SubmitJobResult, JobStatus, CancelResult, ErrorMessage)):
            self._on_answer(session, message)
        else:
            fault = Fault(ErrorCode.INVALID_REQUEST, f"a plugin does not send {type_name(message)} here")
            self._carry_out([Send(event.peer_id, error_message(fault))])

    def _greet(self, session: SessionRecord, hello: Hello) -> None:
        admission = self._reconnect.greet(session, hello)
        if admission.replaced:
            self._session_gone()
        self._carry_out(admission.orders)
        active = self._reconnect.active
        if not admission.admitted or active is None or active.identity is None or hello.state is None:
            return
        self._deadlines.clear(EDITOR_FORGOTTEN, EDITOR_ID)
        trip = self._scheduler.in_flight
        if trip is not None:
            self._deadlines.clear(RECONNECT_OVER, trip.request_id)
        self._tracker.session_opened(hello.state, active.identity.plugin_version, self._capability)
        for job in self._jobs.session_opened(active.identity):
            self._replies.job_moved(job)
        self._judge_line()

    def _editor_said(self, state: Optional[str], seq: Optional[int], message: Any) -> None:
        before = self._tracker.editor.state
        self._tracker.heard(state, seq, message.main_thread_stalled_ms, message.compile_errors)
        if self._tracker.editor.state is not before:
            self._judge_line()

    def _on_answer(self, session: SessionRecord, message: Message) -> None:
        request_id: Optional[str] = getattr(message, "request_id", None)
        if not self._exchanges.answered(session, request_id, message):
            # Late, doubled, or not asked for - such as the error with which a plugin answers a ping it never heard of.
            self._log.info(f"dropped: {type_name(message)} that nobody waits for", request_id=request_id)

    def _on_faulted(self, event: PeerFaulted) -> None:
        session, fault = self._reconnect.heard(event.peer_id), event.fault
        if session is None:
            return
        if session.state is SessionState.PENDING:
            # Whatever it is, it is not the hello that must come first (SPEC 7.1).
            self._carry_out(self._reconnect.refuse(session, replace(fault, code=ErrorCode.INVALID_REQUEST)))
            return
        if fault.is_fatal:
            self._carry_out(self._reconnect.refuse(session, fault))
            self._session_gone()
            return
        self._log.warning(f"Unity sent what is no message: {fault.message}", session=session.id)
        if not fault.is_error:
            self._carry_out([Send(event.peer_id, error_message(fault))])
        self._exchanges.answered(session, fault.request_id, fault)

    def _on_overflowed(self, event: PeerOverflowed) -> None:
        session = self._reconnect.heard(event.peer_id)
        if session is not None and session.state is SessionState.ACTIVE:
            self._exchanges.overflowed(session)
            # The listener closes that connection: what waits must not be sent into it.
            self._on_closed(PeerClosed(event.peer_id, TOO_BIG, "a message over the size limit"))

    def _on_closed(self, event: PeerClosed) -> None:
        if self._reconnect.lost(event.peer_id, event.code, event.reason):
            self._session_gone()

    def _session_gone(self) -> None:
        """There is no active session any more."""
        self._tracker.session_lost()
        self._jobs.session_lost()
        self._exchanges.interrupted()
        editor, now = self._tracker.editor, self._clock.now()
        if editor.busy_seen_at is not None:
            grace_s = self._config.compile_grace_timeout_ms / 1000
            self._deadlines.set(EDITOR_FORGOTTEN, EDITOR_ID, editor.busy_seen_at + grace_s)
        trip = self._scheduler.in_flight
        if trip is not None:
            self._deadlines.set(RECONNECT_OVER, trip.request_id, now + self._reconnect.reconnect_window_s(editor))
        self._judge_line()

    def _silence_due(self, session_id: str) -> None:
        orders = self._reconnect.silence_due(session_id, self._tracker.is_busy)
        self._carry_out(orders)
        if orders:
            self._session_gone()

    def _editor_forgotten(self, id: str) -> None:
        self._tracker.forget()
        self._judge_line()

    # Another server owns the port (SPEC 14).

    def _on_owner_found(self, event: OwnerFound) -> None:
        self._reconnect.owner_found(event)
        self._forwarding.owner_found(event)
        self._jobs.owner_found()
        for turn in list(self._scheduler.turns):
            request = self._scheduler.request(turn.subject)
            if request is not None and self._forwarding.forward(request):
                self._scheduler.leave(turn.subject)
                self._deadlines.clear(PATIENCE_OVER, turn.subject)

    def _on_owner_lost(self, event: OwnerLost) -> None:
        self._reconnect.owner_lost(event)
        self._forwarding.owner_lost()

    # The line.

    def _judge_line(self) -> None:
        """Whether the editor is ready has changed, or why it is not: park, judge anew, or let go."""
        self._reconnect.judge_silence_anew(self._tracker.is_busy)
        if self._stores.editor_is_ready():
            for turn in self._scheduler.unpark():
                self._deadlines.clear(PATIENCE_OVER, turn.subject)
                self._let_go(turn.subject)
            return
        self._answer_questions()
        for turn in self._scheduler.park(self._patience):
            assert turn.parked is not None  # that is what was returned
            self._deadlines.set(PATIENCE_OVER, turn.subject, turn.parked.deadline)

    def _patience(self, turn: Turn) -> Parked:
        since = self._clock.now() if turn.parked is None else turn.parked.since
        return self._reconnect.patience(since, self._tracker.editor, turn.parked)

    def _let_go(self, subject: str) -> None:
        """The editor is ready for a turn that was parked."""
        request, turn = self._scheduler.request(subject), self._scheduler.find(subject, Purpose.EXECUTE)
        if request is None or turn is None or request.state is not RequestState.WAITING_EDITOR_READY:
            return
        if request.call.tool.mode is Mode.JOB:
            # The job takes the very place in which its call waited.
            self._scheduler.replace(turn, Turn(Purpose.SUBMIT, self._issue_job(request)))
        else:
            self._scheduler.move(subject, RequestEvent.EDITOR_READY)

    def _answer_questions(self) -> None:
        """Questions about jobs never wait for the editor: what is known now is their answer (SPEC §4.3)."""
        for turn in list(self._scheduler.turns):
            request = self._scheduler.request(turn.subject)
            if turn.purpose is Purpose.STATUS and request is not None:
                self._scheduler.leave(turn.subject)
                self._control.could_not_ask(request)

    def _advance(self) -> None:
        """Let the line move: what was interrupted first, then turn by turn, and when it is empty our own questions."""
        if not self._stores.editor_is_ready() or self._reconnect.is_stopping:
            return
        self._tool_calls.resume()
        while self._scheduler.in_flight is None:
            turn = self._scheduler.take() or self._next_poll()
            if turn is None:
                return
            if is_disconnected(self._exchanges.begin(turn)):
                # Its end is on the way to us, behind what the editor said before it: that it reloads, perhaps, which
                # decides how long to wait for it.
                return

    def _next_poll(self) -> Optional[Turn]:
        job = self._jobs.next_poll()
        return None if job is None else Turn(Purpose.POLL, job.id)

    def _patience_over(self, subject: str) -> None:
        for turn in self._parked_turns():
            if turn.subject == subject and turn.parked is not None:
                waited_s = self._clock.now() - turn.parked.since
                port = self._reconnect.listener.port
                self._end_parked(turn, answers.patience_over(turn.parked, waited_s, port))

    def _parked_turns(self) -> Iterable[Turn]:
        return [turn for turn in self._scheduler.turns if turn.parked is not None]

    def _end_parked(self, turn: Turn, error: Optional[ToolError]) -> None:
        if error is None:
            return
        self._scheduler.leave(turn.subject)
        self._deadlines.clear(PATIENCE_OVER, turn.subject)
        if turn.purpose is Purpose.SUBMIT:
            self._news.ended(turn.subject, JobEvent.PATIENCE_OVER, error)
        else:
            self._replies.fail(turn.subject, RequestEvent.PATIENCE_OVER, error)

    # Jobs.

    def _job_due(self, job_id: str) -> None:
        job = self._jobs.get(job_id)
        assert job is not None and job.call is not None  # only a job that was submitted here has a deadline
        self._news.ended(job_id, JobEvent.DEADLINE, answers.job_timed_out(job.call.timeout_ms))
        self._news.cancel_in_unity(job_id)

    def _job_lost(self, job_id: str) -> None:
        grace_s = self._config.compile_grace_timeout_ms / 1000
        self._news.ended(job_id, JobEvent.LOST, lost_error(f"Unity has not come back for {grace_s:.0f} s"))

    def _watch_over(self, request_id: str) -> None:
        job = self._jobs.get(self._replies.watched_job(request_id))
        assert job is not None  # no watch is longer than an ended job is kept
        self._replies.end_watch(request_id, job)

    # The end.

    def _on_stop(self, event: StopRequested) -> None:
        self._log.info("stopping", reason=event.reason)
        self._reconnect.stopping()
        for request in self._scheduler.open_requests():
            if self._replies.is_watching(request.id):
                self._watch_over(request.id)
            elif request.state in (RequestState.RUNNING, RequestState.FORWARDED):
                error = answers.stopped_while_running(request.call.tool.name)
                self._replies.fail(request.id, RequestEvent.STOPPED, error)
            else:
                self._replies.fail(request.id, RequestEvent.STOPPED, answers.stopping())
        self._reconnect.stopped()

    def _carry_out(self, orders: Sequence[Order]) -> None:
        for order in orders:
            if isinstance(order, Send):
                self._bridge.send(order.peer_id, order.message)
            else:
                self._bridge.close(order.peer_id, order.code, order.reason)
