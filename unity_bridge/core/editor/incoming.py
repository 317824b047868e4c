"""``Incoming``: what happens on the connections of plugins: they open, speak, fall silent and close
(SPEC §7).

Each method takes one event, writes the room's own records first, and then announces:
``SessionLost``, ``SessionOpened``, ``AnswerCame``, and last ``ReadinessChanged``, upon which the
rooms above let calls go or park them.
"""

from __future__ import annotations

from typing import Dict, Optional

from unity_bridge.attach.owner_events import OwnerLost, OwnerSawEditor
from unity_bridge.base.errors import ErrorCode
from unity_bridge.base.frozen import changed
from unity_bridge.core.changes import (
    AnswerCame,
    EditorEnded,
    MessageOverflowed,
    ReadinessChanged,
    SessionLost,
    SessionOpened,
)
from unity_bridge.core.context import Core
from unity_bridge.core.editor.editor import Editor
from unity_bridge.core.editor.sessions import Greeting, Sessions
from unity_bridge.core.editor.status import Report, StatusTracker, said_of, state_said
from unity_bridge.core.ledger.deadlines import Due
from unity_bridge.core.ledger.machines import SessionState
from unity_bridge.core.ledger.records import EDITOR_ID, EditorIdentity, SessionRecord
from unity_bridge.projects.project_probe import ProjectProbed
from unity_bridge.trust.plugin_challenge import ProofVerdict
from unity_bridge.unity.bridge_client import (
    PeerClosed,
    PeerFaulted,
    PeerOpened,
    PeerOverflowed,
    PeerReported,
    PeerSaid,
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

# Connections that may wait with a nonce for their proof; the oldest gives way.
WAITING_MAX = 16
TOO_MANY_FAULTS = "more than 100 messages within 10 s could not be used"

_ANSWERS = (ToolResult, SubmitJobResult, JobStatus, CancelResult, ErrorMessage)


class Incoming:
    """For the executor thread alone."""

    def __init__(
        self, core: Core, sessions: Sessions, status: StatusTracker, editor: Editor
    ) -> None:
        self._core = core
        self._sessions = sessions
        self._status = status
        self._editor = editor
        # Editors that have said hello and wait for the slot, with what they have said of themselves
        # since.
        self._waiting: Dict[int, Hello] = {}

    # Connections.

    def opened(self, event: PeerOpened) -> None:
        self._sessions.opened(event.peer_id)

    def closed(self, event: PeerClosed) -> None:
        self._waiting.pop(event.peer_id, None)
        if self._sessions.lost(event.peer_id, event.code, event.reason):
            self._lost()

    def silence_due(self, peer_id: int) -> None:
        if self._sessions.silence_due(peer_id):
            self._lost()

    # Their messages.

    def reported(self, event: PeerReported) -> None:
        self.said(PeerSaid(event.peer_id, event.status.take()))

    def said(self, event: PeerSaid) -> None:
        session = self._sessions.heard(event.peer_id)
        if session is None:
            return
        # The proof in a message is checked before anything else that the message says.
        proof: Optional[str] = getattr(event.message, "proof", None)
        verdict = ProofVerdict.NO_PROOF if proof is None else self._sessions.prove(session, proof)
        if verdict is ProofVerdict.PROVEN and session.state is SessionState.ACTIVE:
            self._readiness_changed()
        if verdict not in (ProofVerdict.NO_PROOF, ProofVerdict.PROVEN):
            if session.state is SessionState.ACTIVE:
                self._lost()
        elif session.state is SessionState.PENDING:
            self._newcomer_said(session, event, verdict is ProofVerdict.PROVEN)
        else:
            self._editor_said(session, event.message)

    def _editor_said(self, session: SessionRecord, message: Message) -> None:
        if isinstance(message, (EditorStatus, Pong)):
            self._status_said(message)
        elif isinstance(message, Ping):
            self._core.send(session.id, Pong())
        elif isinstance(message, _ANSWERS):
            request_id: Optional[str] = getattr(message, "request_id", None)
            self._core.announce(AnswerCame(session.id, request_id, message))
        else:
            fault = Fault(
                ErrorCode.INVALID_REQUEST, f"a plugin does not send {type_name(message)} here"
            )
            self._sessions.send_fault(session.id, fault)
            self._faulty(session)

    def faulted(self, event: PeerFaulted) -> None:
        """Handle a text that is no message of the protocol (SPEC §7.4, §7.7)."""
        session, fault = self._sessions.heard(event.peer_id), event.fault
        if session is None:
            return
        if session.state is SessionState.PENDING:
            # Whatever it is, it is not the hello that must come first (SPEC §7.1).
            self._sessions.refuse(session, changed(fault, code=ErrorCode.INVALID_REQUEST))
        elif fault.is_fatal:
            self._sessions.refuse(session, fault)
            self._lost()
        else:
            self._core.limited_log.warn(
                "fault", f"Unity sent an invalid message: {fault.message}", session=session.id
            )
            if not fault.is_error:
                self._sessions.send_fault(session.id, fault)
            self._core.announce(AnswerCame(session.id, fault.request_id, fault))
            self._faulty(session, is_error=fault.is_error)

    def _faulty(self, session: SessionRecord, is_error: bool = False) -> None:
        """Count a fault of the editor. Too many of them end its session, messages of type ``error``
        aside.
        """
        if self._sessions.count_fault(session, is_error):
            self._sessions.refuse(session, Fault(ErrorCode.INVALID_REQUEST, TOO_MANY_FAULTS))
            self._lost()

    def overflowed(self, event: PeerOverflowed) -> None:
        session = self._sessions.heard(event.peer_id)
        if session is not None and session.state is SessionState.ACTIVE:
            self._core.announce(MessageOverflowed(session.id))
            # The listener closes that connection: what waits must not be sent into it.
            self.closed(PeerClosed(event.peer_id, TOO_BIG, "a message over the size limit"))

    # Newcomers.

    def _newcomer_said(self, session: SessionRecord, event: PeerSaid, is_proven: bool) -> None:
        message, waiting = event.message, self._waiting.get(session.id)
        if waiting is not None:
            self._waiting[session.id] = hello = _as_said_since(waiting, message)
            if is_proven and self._comes_in(session.id, hello, self._sessions.decide(session.id)):
                self._editor_said(session, message)
            elif isinstance(message, Ping):
                self._core.send(session.id, Pong())
        elif isinstance(message, Hello):
            self._comes_in(
                session.id, message, self._sessions.greet(session, message, event.challenge)
            )
        else:
            fault = Fault(
                ErrorCode.INVALID_REQUEST,
                f"the first message must be hello, not {type_name(message)}",
            )
            self._sessions.refuse(session, fault)

    def proof_due(self, peer_id: int) -> None:
        """Stop waiting for a plugin's proof; if it waits with it for the slot, decide without it."""
        self._sessions.proof_due(peer_id)
        hello = self._waiting.get(peer_id)
        if hello is None:
            self._readiness_changed()
        else:
            self._comes_in(peer_id, hello, self._sessions.decide(peer_id))

    def _comes_in(self, session_id: int, hello: Hello, admission: Greeting) -> bool:
        """Take up the session of a newcomer, if it is one now."""
        self._waiting.pop(session_id, None)
        if admission is Greeting.WAITS:
            self._waiting[session_id] = hello
            if len(self._waiting) > WAITING_MAX:
                oldest = next(iter(self._waiting))
                del self._waiting[oldest]
                self._sessions.crowded_out(oldest, "too many connections wait for their proof")
        elif admission is Greeting.REPLACED_ANOTHER:
            self._lost()
        active = self._core.ledger.session
        if (
            active is None
            or active.id != session_id
            or active.identity is None
            or hello.state is None
        ):
            return False
        self._core.deadlines.clear(Due.EDITOR_FORGOTTEN, EDITOR_ID)
        self._status.session_opened(hello.state, hello)
        self._core.announce(SessionOpened(active.identity))
        self._readiness_changed()
        return True

    def _status_said(self, report: Report) -> None:
        before = self._status.editor.state
        self._status.heard(report)
        if self._status.editor.state is not before:
            self._readiness_changed()

    # The session ends.

    def _lost(self) -> None:
        """There is no active session any more, or it is another one."""
        back_within_s = self._keep_what_is_known()
        self._core.announce(SessionLost(back_within_s))
        self._expect_back()
        self._readiness_changed()

    def owner_lost(self, _: OwnerLost) -> None:
        """Expect the editor back as if it were ours, because the server through which we reached it
        is gone.
        """
        self._keep_what_is_known()
        self._expect_back()

    def _keep_what_is_known(self) -> float:
        """Keep what is known of the editor; return for how many seconds the slot is kept.

        The editor's state comes first: it decides for how long.
        """
        self._status.session_lost()
        back_within_s = self._editor.back_within_s()
        self._sessions.slot.keep(back_within_s)
        return back_within_s

    def seen_by_owner(self, event: OwnerSawEditor) -> None:
        """Record what the owner of the port reports of its editor."""
        self._core.deadlines.clear(Due.EDITOR_FORGOTTEN, EDITOR_ID)
        self._status.seen_by_owner(event.state)
        identity = EditorIdentity(
            "", instance_id=event.instance_id, project_path=event.project_path
        )
        self._sessions.slot.seen_by_owner(identity, event.is_trusted)

    def _expect_back(self) -> None:
        busy_seen_at = self._status.editor.busy_seen_at
        if busy_seen_at is not None:
            grace_s = self._core.config.compile_grace_timeout_ms / 1000
            self._core.deadlines.set(Due.EDITOR_FORGOTTEN, EDITOR_ID, busy_seen_at + grace_s)

    def project_probed(self, _: ProjectProbed) -> None:
        """Nobody waits for an editor whose process is gone."""
        probes = self._editor.probes
        if probes.has_ended:
            probes.forget_process()
            self._sessions.slot.free()
            if self._status.editor.is_busy:
                self._core.deadlines.clear(Due.EDITOR_FORGOTTEN, EDITOR_ID)
                self._status.forget()
            self._core.announce(EditorEnded(probes.seen.last_lines))
            self._readiness_changed()

    def editor_forgotten(self, _: str) -> None:
        """Forget the state of an editor that was busy when it was lost, and did not come back."""
        self._status.forget()
        self._readiness_changed()

    def _readiness_changed(self) -> None:
        self._sessions.set_silence_limit()
        self._core.announce(ReadinessChanged())


def _as_said_since(hello: Hello, message: Message) -> Hello:
    """Return ``hello`` with what a waiting editor has said of itself since (SPEC §7.6)."""
    if not isinstance(message, (EditorStatus, Pong)):
        return hello
    news = said_of(message, ("playing", "paused", "code"))
    if message.code is not None:
        news["pending_reason"] = message.pending_reason
    return changed(hello, state=state_said(message) or hello.state, **news)
