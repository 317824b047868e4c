"""``SessionEvents``: what happens on the connections of plugins - they open, speak, fall silent and close (SPEC §7)."""

from __future__ import annotations

from dataclasses import replace
from typing import Dict, Optional, Union

from unity_bridge.attach.owner_events import OwnerSawEditor
from unity_bridge.base.errors import ErrorCode
from unity_bridge.core.calls.admission import QueuePolicy
from unity_bridge.core.context import ExecutionContext
from unity_bridge.core.dispatcher import ExchangeDispatcher
from unity_bridge.core.editor.parking import ParkingLimits
from unity_bridge.core.editor.reconnect import Admission, ReconnectController
from unity_bridge.core.editor.status import EditorStateTracker
from unity_bridge.core.jobs.jobs import JobManager
from unity_bridge.core.jobs.polling import Polls
from unity_bridge.core.ledger.deadlines import Due
from unity_bridge.core.ledger.machines import SessionState
from unity_bridge.core.ledger.queue import RequestScheduler
from unity_bridge.core.ledger.records import EDITOR_ID, SessionRecord
from unity_bridge.log.limited_log import LimitedLog
from unity_bridge.trust.plugin_challenge import ProofVerdict
from unity_bridge.unity.bridge_client import PeerClosed, PeerFaulted, PeerOpened, PeerOverflowed, PeerSaid
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

# Connections that may wait with a nonce for their proof; the oldest gives way.
WAITING_MAX = 16
TOO_MANY_FAULTS = "more than 100 messages within 10 s could not be used"

_ANSWERS = (ToolResult, SubmitJobResult, JobStatus, CancelResult, ErrorMessage)


class SessionEvents:
    """For the executor thread alone."""

    def __init__(
        self,
        context: ExecutionContext,
        reconnect: ReconnectController,
        tracker: EditorStateTracker,
        scheduler: RequestScheduler,
        jobs: JobManager,
        polls: Polls,
        exchanges: ExchangeDispatcher,
        parking_limits: ParkingLimits,
        policy: QueuePolicy,
    ) -> None:
        self._connections = context.connections
        self._deadlines = context.deadlines
        self._grace_s = context.config.compile_grace_timeout_ms / 1000
        self._clock = context.clock
        self._limited_log = LimitedLog(context.log, context.clock)
        self._reconnect = reconnect
        self._tracker = tracker
        self._scheduler = scheduler
        self._jobs = jobs
        self._polls = polls
        self._exchanges = exchanges
        self._parking_limits = parking_limits
        self._policy = policy
        # Editors that have said hello and wait for the place, with what they have told of themselves since.
        self._waiting: Dict[int, Hello] = {}

    # Connections.

    def opened(self, event: PeerOpened) -> None:
        self._reconnect.opened(event.peer_id)

    def closed(self, event: PeerClosed) -> None:
        self._waiting.pop(event.peer_id, None)
        if self._reconnect.lost(event.peer_id, event.code, event.reason):
            self._lost()

    def silence_due(self, peer_id: int) -> None:
        if self._reconnect.silence_due(peer_id, self._tracker.is_busy):
            self._lost()

    # What they say.

    def said(self, event: PeerSaid) -> None:
        session = self._reconnect.heard(event.peer_id)
        if session is None:
            return
        # Whatever else a message says, the proof in it is judged first.
        proof: Optional[str] = getattr(event.message, "proof", None)
        verdict = ProofVerdict.NO_PROOF if proof is None else self._reconnect.prove(session, proof)
        if verdict is ProofVerdict.PROVEN and session.state is SessionState.ACTIVE:
            self._judge()
        if verdict is ProofVerdict.WRONG:
            self._sent_away(session)
        elif session.state is SessionState.PENDING:
            self._newcomer_said(session, event, verdict is ProofVerdict.PROVEN)
        else:
            self._editor_said(session, event.message)

    def _editor_said(self, session: SessionRecord, message: Message) -> None:
        if isinstance(message, EditorStatus):
            self._status_said(message.state, message)
        elif isinstance(message, Pong):
            self._status_said(message.editor_state, message)
        elif isinstance(message, Ping):
            self._connections.send(session.id, Pong())
        elif isinstance(message, _ANSWERS):
            self._answered(session, message)
        else:
            fault = Fault(ErrorCode.INVALID_REQUEST, f"a plugin does not send {type_name(message)} here")
            self._reconnect.tell_fault(session.id, fault)
            self._faulty(session)

    def faulted(self, event: PeerFaulted) -> None:
        """A text came that is no message of the protocol (SPEC §7.4, §7.7)."""
        session, fault = self._reconnect.heard(event.peer_id), event.fault
        if session is None:
            return
        if session.state is SessionState.PENDING:
            # Whatever it is, it is not the hello that must come first (SPEC §7.1).
            self._reconnect.refuse(session, replace(fault, code=ErrorCode.INVALID_REQUEST))
        elif fault.is_fatal:
            self._reconnect.refuse(session, fault)
            self._sent_away(session)
        else:
            self._limited_log.warn("fault", f"Unity sent what is no message: {fault.message}", session=session.id)
            if not fault.is_error:
                self._reconnect.tell_fault(session.id, fault)
            self._exchanges.answered(session, fault.request_id, fault)
            self._faulty(session, is_error=fault.is_error)

    def _faulty(self, session: SessionRecord, is_error: bool = False) -> None:
        """The editor sent what cannot be used. Too many of these end its session, messages of type ``error`` aside."""
        if self._reconnect.count_fault(session, is_error):
            self._reconnect.refuse(session, Fault(ErrorCode.INVALID_REQUEST, TOO_MANY_FAULTS))
            self._lost()

    def overflowed(self, event: PeerOverflowed) -> None:
        session = self._reconnect.heard(event.peer_id)
        if session is not None and session.state is SessionState.ACTIVE:
            self._exchanges.overflowed(session)
            # The listener closes that connection: what waits must not be sent into it.
            self.closed(PeerClosed(event.peer_id, TOO_BIG, "a message over the size limit"))

    # Newcomers.

    def _newcomer_said(self, session: SessionRecord, event: PeerSaid, is_proven: bool) -> None:
        message, waiting = event.message, self._waiting.get(session.id)
        if waiting is not None:
            self._waiting[session.id] = hello = _as_told_since(waiting, message)
            if is_proven and self._comes_in(session.id, hello, self._reconnect.judge(session.id)):
                self._editor_said(session, message)
            elif isinstance(message, Ping):
                self._connections.send(session.id, Pong())
        elif isinstance(message, Hello):
            self._comes_in(session.id, message, self._reconnect.greet(session, message, event.challenge))
        else:
            fault = Fault(ErrorCode.INVALID_REQUEST, f"the first message must be hello, not {type_name(message)}")
            self._reconnect.refuse(session, fault)

    def proof_due(self, peer_id: int) -> None:
        """A plugin's proof has not come in time; one that waits with it for the place waits no longer."""
        self._reconnect.proof_due(peer_id)
        hello = self._waiting.get(peer_id)
        if hello is None:
            self._judge()
        else:
            self._comes_in(peer_id, hello, self._reconnect.judge(peer_id))

    def _comes_in(self, session_id: int, hello: Hello, admission: Admission) -> bool:
        """Take up the session of a newcomer, if it is one now."""
        self._waiting.pop(session_id, None)
        if admission is Admission.WAITS:
            self._waiting[session_id] = hello
            if len(self._waiting) > WAITING_MAX:
                oldest = next(iter(self._waiting))
                del self._waiting[oldest]
                self._reconnect.crowded_out(oldest, "too many connections wait for their proof")
        elif admission is Admission.REPLACED_ANOTHER:
            self._lost()
        active = self._reconnect.active
        if active is None or active.id != session_id or active.identity is None or hello.state is None:
            return False
        self._deadlines.clear(Due.EDITOR_FORGOTTEN, EDITOR_ID)
        trip = self._scheduler.in_flight
        if trip is not None:
            self._deadlines.clear(Due.RECONNECT, trip.request_id)
        self._tracker.session_opened(
            hello.state,
            active.identity.plugin_version,
            hello.playing,
            hello.paused,
            hello.code,
            hello.pending_reason,
        )
        self._jobs.session_opened(active.identity)
        self._polls.session_opened()
        self._judge()
        return True

    def _status_said(self, state: Optional[str], message: Union[EditorStatus, Pong]) -> None:
        before = self._tracker.editor.state
        self._tracker.heard(
            state,
            message.seq,
            message.main_thread_stalled_ms,
            message.compile_errors,
            message.playing,
            message.paused,
            message.code,
            message.pending_reason,
        )
        if self._tracker.editor.state is not before:
            self._judge()

    def _answered(self, session: SessionRecord, message: Message) -> None:
        request_id: Optional[str] = getattr(message, "request_id", None)
        if not self._exchanges.answered(session, request_id, message):
            # Late, doubled, or not asked for - such as the error with which a plugin answers a ping it never heard of.
            name = type_name(message)
            self._limited_log.info(f"dropped {name}", f"dropped: {name} that nobody waits for", request_id=request_id)

    # The session comes to its end.

    def _sent_away(self, session: SessionRecord) -> None:
        if session.state is SessionState.ACTIVE:
            self._lost()

    def _lost(self) -> None:
        """There is no active session any more, or it is another one."""
        self._tracker.session_lost()
        self._reconnect.keep_place(self._parking_limits.reconnect_window_s())
        self._jobs.session_lost()
        self._polls.session_lost()
        self._exchanges.interrupted()
        self._expect_back()
        trip = self._scheduler.in_flight
        if trip is not None:
            until = self._clock.now() + self._parking_limits.reconnect_window_s()
            self._deadlines.set(Due.RECONNECT, trip.request_id, until)
        self._judge()

    def owner_lost(self) -> None:
        """The server through which we reached the editor is gone: the editor is expected back as if it were ours."""
        self._tracker.session_lost()
        self._reconnect.keep_place(self._parking_limits.reconnect_window_s())
        self._expect_back()

    def seen_by_owner(self, event: OwnerSawEditor) -> None:
        """The owner of the port tells of its editor."""
        self._tracker.seen_by_owner(event.state)
        self._reconnect.seen_by_owner(event)

    def _expect_back(self) -> None:
        editor = self._tracker.editor
        if editor.busy_seen_at is not None:
            self._deadlines.set(Due.EDITOR_FORGOTTEN, EDITOR_ID, editor.busy_seen_at + self._grace_s)

    def editor_forgotten(self, _: str) -> None:
        """An editor that was busy when it was lost did not come back."""
        self._tracker.forget()
        self._judge()

    def _judge(self) -> None:
        self._reconnect.judge_silence_anew(self._tracker.is_busy)
        self._policy.judge()


def _as_told_since(hello: Hello, message: Message) -> Hello:
    """What an editor that waits has said of itself by now (SPEC §7.6)."""
    if not isinstance(message, (EditorStatus, Pong)):
        return hello
    state = message.state if isinstance(message, EditorStatus) else message.editor_state
    return replace(
        hello,
        state=state or hello.state,
        playing=hello.playing if message.playing is None else message.playing,
        paused=hello.paused if message.paused is None else message.paused,
        code=hello.code if message.code is None else message.code,
        pending_reason=hello.pending_reason if message.code is None else message.pending_reason,
    )
