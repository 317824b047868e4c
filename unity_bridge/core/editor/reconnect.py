"""``ReconnectController``: which connection is the editor's session, and how long it may be silent.

SPEC §7.1-§7.5, ADR-0005 "ReconnectController".
"""

from __future__ import annotations

from collections import deque
from enum import Enum
from typing import Deque, Dict, Optional

from unity_bridge.attach.owner_events import OwnerSawEditor
from unity_bridge.base.errors import ErrorCode, ToolError, error_object
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.core.context import ExecutionContext
from unity_bridge.core.editor.proofs import PROOF_S, PluginProofs
from unity_bridge.core.editor.session_slot import SessionPlace
from unity_bridge.core.editor.slot_rules import Place, Ruling, is_taken_from_unproven, takeover
from unity_bridge.core.editor.trust import untrusted_remark
from unity_bridge.core.ledger.deadlines import Due
from unity_bridge.core.ledger.machines import SessionEvent, SessionState
from unity_bridge.core.ledger.records import EditorIdentity, SessionRecord, Trust
from unity_bridge.core.sharing.port import ServerLife
from unity_bridge.log.limited_log import LimitedLog
from unity_bridge.trust.plugin_challenge import PluginChallenge, ProofVerdict
from unity_bridge.unity.close_codes import NORMAL, POLICY_VIOLATION
from unity_bridge.unity.messages import Capability, ErrorMessage, Fault, Hello, Ping

HELLO_TIMEOUT_S = 5.0  # SPEC §7.1

# Connections that may be open without having said hello. The listener has room for more than these, so that whoever
# keeps many open and silent cannot keep a healthy plugin out.
PENDING_MAX = 16

# Messages that cannot be used, in one session; one more within this time ends it (SPEC §7.7).
FAULTS_MAX, FAULTS_WITHIN_S = 100, 10.0

# A word for the log. Any program can say hello and then prove nothing, as often as it likes.
_WRONG_PROOF = "proof"


class Admission(Enum):
    """What came of a ``hello``, or of the proof that it took."""

    REFUSED = "refused"
    WAITS = "answered, and to be judged again with its proof"
    ADMITTED = "admitted"
    REPLACED_ANOTHER = "admitted in place of the session that was"


class ReconnectController:
    """Owner of the session store. For the executor thread alone."""

    def __init__(self, context: ExecutionContext, life: ServerLife) -> None:
        self._sessions = context.stores.sessions
        self._version = context.stores.version
        self._connections = context.connections
        self._deadlines = context.deadlines
        self._config = context.config
        self._capability = [tool.capability() for tool in context.catalogue.values()]
        self._clock = context.clock
        self._log = context.log
        # Of connections that are not the session's anybody can make as many as he likes (SPEC §20.1).
        self._limited_log = LimitedLog(context.log, context.clock)
        self._life = life
        self._active_id: Optional[int] = None
        # The instant of each connection's last message: no part of its record, which each message would make anew.
        self._heard_at: Dict[int, float] = {}
        self._place = SessionPlace(context, self._is_silent)
        self._proofs = PluginProofs()
        self._faulted_at: Dict[int, Deque[float]] = {}
        # The last doubt that the log was told of, so that an editor that reloads all day is doubted once.
        self._doubt: Optional[Trust] = None
        self._takeover: Optional[str] = None

    @property
    def active(self) -> Optional[SessionRecord]:
        return None if self._active_id is None else self._sessions.get(self._active_id)

    @property
    def project(self) -> Optional[str]:
        """The canonical path of the project that calls reach, or would reach; ``None`` where that is not known."""
        return self._place.project(self.active)

    # Connections come and go.

    def opened(self, peer_id: int) -> None:
        """Somebody connected: nothing is known of it until its ``hello``. The oldest of too many gives way."""
        self._sessions.add(SessionRecord(peer_id, SessionState.PENDING))
        self._heard_at[peer_id] = now = self._clock.now()
        self._deadlines.set(Due.HELLO, peer_id, now + HELLO_TIMEOUT_S)
        silent = [one for one in self._sessions.all() if one.state is SessionState.PENDING and one.identity is None]
        if len(silent) > PENDING_MAX:
            self.crowded_out(silent[0].id, "too many connections have not said hello")

    def crowded_out(self, peer_id: int, why: str) -> None:
        """The oldest of too many gives way."""
        session = self._sessions.get(peer_id)
        assert session is not None
        self.refuse(session, Fault(ErrorCode.INVALID_REQUEST, why), "crowd")

    def heard(self, peer_id: int) -> Optional[SessionRecord]:
        """A message came, of any kind: that peer lives. ``None`` for one that has ended."""
        record = self._sessions.get(peer_id)
        if record is None or record.state is SessionState.ENDED:
            return None
        self._heard_at[peer_id] = self._clock.now()
        return record

    def greet(
        self, session: SessionRecord, hello: Hello, challenge: Optional[Result[PluginChallenge, str]] = None
    ) -> Admission:
        """Judge a newcomer's ``hello``, and answer it (SPEC §7.1, §7.3, §17.1)."""
        if hello.plugin_version is None or hello.state is None:
            missing = "plugin_version" if hello.plugin_version is None else "state"
            self.refuse(session, Fault(ErrorCode.INVALID_REQUEST, f"a plugin's hello must have '{missing}'"))
            return Admission.REFUSED
        identity = EditorIdentity(
            plugin_version=hello.plugin_version,
            instance_id=hello.editor_instance_id,
            unity_version=hello.unity_version,
            project_name=hello.project_name,
            project_path=hello.project_path,
            jobs=None if hello.jobs is None else tuple(hello.jobs),
            job_keys={(client, key): job_id for job_id, (client, key) in (hello.job_keys or {}).items()},
            tools=None if hello.tools is None else frozenset(hello.tools),
        )
        if isinstance(challenge, Err):
            self._limited_log.warn("no secret", f"plugins cannot be trusted: {challenge.error}")
        trust = self._proofs.ask(session.id, challenge)
        self._sessions.amend(session.id, identity=identity, trust=trust)
        admission = self.judge(session.id)
        if admission is not Admission.REFUSED:
            self._deadlines.clear(Due.HELLO, session.id)
            if trust is Trust.AWAITED:
                self._deadlines.set(Due.PROOF, session.id, self._clock.now() + PROOF_S)
            self._connections.send(session.id, self._hello(session.id))
            self._connections.send(session.id, Capability(tools=self._capability))
        return admission

    def judge(self, session_id: int) -> Admission:
        """Whether one that has said hello gets the place, as things stand now (SPEC §7.3)."""
        newcomer, active = self._sessions.get(session_id), self.active
        assert newcomer is not None and newcomer.identity is not None
        ruling = self._place.judge(newcomer, newcomer.identity, active)
        if ruling is Ruling.WAITS:
            return Admission.WAITS
        if ruling is Ruling.REFUSED:
            why = self._place.refusal(newcomer.identity, active)
            self._place.tell(newcomer, why)
            self._dismiss(newcomer, Fault(ErrorCode.INVALID_REQUEST, why))
            return Admission.REFUSED
        self._takeover = None
        if is_taken_from_unproven(self.place, newcomer.identity, newcomer.trust):
            # Once for each takeover: it ends whatever calls the other one had in flight, and may be an attack.
            self._takeover = takeover(newcomer.identity)
            self._log.warning(self._takeover, session=session_id)
        if active is not None:
            self._end(active, SessionEvent.REPLACED, "replaced by a newer connection", NORMAL)
        self._admit(newcomer, newcomer.identity)
        return Admission.ADMITTED if active is None else Admission.REPLACED_ANOTHER

    @property
    def lately_refused(self) -> Optional[str]:
        """Why the last newcomer was refused, also while another editor is connected."""
        return self._place.lately_refused()

    @property
    def takeover_remark(self) -> Optional[str]:
        """Which editor took over from one without proof, as long as it is connected."""
        return None if self.active is None else self._takeover

    @property
    def place(self) -> Place:
        """Who has the place of the session, or is expected back to it."""
        return self._place.now(self.active)

    def seen_by_owner(self, event: OwnerSawEditor) -> None:
        """Another server has the port, and this editor."""
        identity = EditorIdentity("", instance_id=event.instance_id, project_path=event.project_path)
        self._place.seen_by_owner(identity, event.is_trusted)

    def keep_place(self, seconds: float) -> None:
        """The active session is gone, or another one: an editor that left is expected back for so long."""
        self._place.keep(seconds)

    def refuse(self, session: SessionRecord, fault: Fault, kind: str = "hello") -> None:
        """Tell a peer why it is not listened to any further, and close it; ``kind`` is a word for the log."""
        text = f"connection refused: {fault.message}"
        if session.state is SessionState.PENDING or kind == _WRONG_PROOF:
            self._limited_log.warn(kind, text, session=session.id)
        else:
            self._log.warning(text, session=session.id)
        self._dismiss(session, fault)

    def _dismiss(self, session: SessionRecord, fault: Fault) -> None:
        self.tell_fault(session.id, fault)
        self._end(session, SessionEvent.REFUSED, fault.message, POLICY_VIOLATION)

    def count_fault(self, session: SessionRecord, is_error: bool) -> bool:
        """Count a message that cannot be used, for ``get_editor_state``; return whether there were too many of late.

        One of type ``error`` is never answered, so it costs nothing and is left out of the latter.
        """
        self._sessions.amend(session.id, faults=session.faults + 1)
        if is_error:
            return False
        instants = self._faulted_at.setdefault(session.id, deque(maxlen=FAULTS_MAX))
        now = self._clock.now()
        are_too_many = len(instants) == FAULTS_MAX and now - instants[0] <= FAULTS_WITHIN_S
        instants.append(now)
        return are_too_many

    def tell_fault(self, peer_id: int, fault: Fault) -> None:
        """Tell a peer what was wrong with what it said."""
        error = error_object(ToolError(fault.code, fault.message))
        self._connections.send(peer_id, ErrorMessage(error=error, request_id=fault.request_id))

    def lost(self, peer_id: int, code: int, reason: str) -> bool:
        """A connection is gone; returns whether it was the active session."""
        ended = self._sessions.transition(peer_id, SessionEvent.LOST)
        self._sessions.forget(peer_id)
        self._heard_at.pop(peer_id, None)
        if isinstance(ended, Err):
            return False
        was_active = self._forget(peer_id)
        if was_active:
            self._place.left(ended.value)
            self._log.info("session lost", session=peer_id, code=code, reason=reason)
        return was_active

    # Trust.

    def prove(self, session: SessionRecord, given: str) -> ProofVerdict:
        """A message had a proof. A wrong one ends the connection (SPEC §17.1)."""
        verdict = self._proofs.judge(session.id, given)
        if verdict is ProofVerdict.PROVEN:
            self._deadlines.clear(Due.PROOF, session.id)
            self._connections.introduced(session.id)
            self._believe(session.id, Trust.PROVEN)
        elif verdict is ProofVerdict.WRONG:
            wrong = f"the proof is wrong: {verdict.value}"
            self.refuse(session, Fault(ErrorCode.INVALID_REQUEST, wrong), _WRONG_PROOF)
        return verdict

    def proof_due(self, peer_id: int) -> None:
        """Its proof has not come in time. One that comes later still counts."""
        self._believe(peer_id, Trust.NO_PROOF)

    def _believe(self, session_id: int, trust: Trust) -> None:
        if self._sessions.amend(session_id, trust=trust).state is SessionState.ACTIVE:
            self._life.proof_awaited_no_longer()
            self._tell_doubt(session_id, trust)

    def _tell_doubt(self, session_id: int, trust: Trust) -> None:
        doubt = untrusted_remark(trust)
        if doubt is None:
            self._log.info("the plugin has proved that it runs as the same user", session=session_id)
            self._doubt = None
        elif trust not in (self._doubt, Trust.AWAITED):
            self._log.warning(doubt, session=session_id)
            self._doubt = trust

    # Heartbeat.

    def hello_due(self, peer_id: int) -> None:
        """A newcomer has said nothing for too long."""
        session = self._sessions.get(peer_id)
        if session is not None and session.state is SessionState.PENDING:
            self.refuse(session, Fault(ErrorCode.INVALID_REQUEST, "no hello came within 5 s"))

    def ping_due(self, peer_id: int) -> None:
        self._deadlines.set(Due.PING, peer_id, self._clock.now() + self._config.heartbeat_interval_ms / 1000)
        self._connections.send(peer_id, Ping())

    def silence_due(self, peer_id: int, editor_is_busy: bool) -> bool:
        """The active session may have been silent for too long; returns whether that has ended it (SPEC §7.5)."""
        session = self._sessions.get(peer_id)
        if session is None or session.state is not SessionState.ACTIVE:
            return False
        limit_s = self._silence_limit_s(editor_is_busy)
        until = self._heard_at[peer_id] + limit_s
        if self._clock.now() < until:
            self._deadlines.set(Due.SILENCE, peer_id, until)
            return False
        self._log.warning("session closed: silent for too long", session=peer_id, limit_ms=round(limit_s * 1000))
        self._place.left(session)
        self._end(session, SessionEvent.SILENT, "silent for too long", POLICY_VIOLATION)
        return True

    def judge_silence_anew(self, editor_is_busy: bool) -> None:
        """The editor's state changed, and with it how long it may be silent."""
        active = self.active
        if active is not None:
            until = self._heard_at[active.id] + self._silence_limit_s(editor_is_busy)
            self._deadlines.set(Due.SILENCE, active.id, until)

    def _is_silent(self, session_id: int) -> bool:
        """Whether it has said nothing for as long as an editor that is not busy may be silent."""
        return self._clock.now() - self._heard_at[session_id] >= self._config.heartbeat_timeout_ms / 1000

    def _hello(self, session_id: int) -> Hello:
        config, challenge = self._config, self._proofs.asked(session_id)
        return Hello(
            server_version=self._version.value.server,
            nonce=None if challenge is None else challenge.nonce,
            proof=None if challenge is None else challenge.proof,
            reconnect_initial_ms=config.reconnect_initial_ms,
            reconnect_multiplier=config.reconnect_multiplier,
            reconnect_max_backoff_ms=config.reconnect_max_backoff_ms,
            reconnect_jitter_ratio=config.reconnect_jitter_ratio,
        )

    def _admit(self, session: SessionRecord, identity: EditorIdentity) -> None:
        admitted = self._sessions.transition(session.id, SessionEvent.ADMITTED)
        assert isinstance(admitted, Ok)  # only a pending session is judged
        self._active_id = session.id
        self._place.taken()
        self._life.editor_connected(session.trust is Trust.AWAITED)
        self._deadlines.set(Due.PING, session.id, self._clock.now() + self._config.heartbeat_interval_ms / 1000)
        self._log.info(
            "session opened",
            session=session.id,
            project=identity.project_name,
            unity=identity.unity_version,
            plugin_version=identity.plugin_version,
        )
        self._tell_doubt(session.id, session.trust)

    def _end(self, session: SessionRecord, event: SessionEvent, reason: str, code: int) -> None:
        self._sessions.transition(session.id, event)
        self._forget(session.id)
        self._connections.close(session.id, code, reason)

    def _forget(self, peer_id: int) -> bool:
        """The connection is of no more use; returns whether it was the active session."""
        for due in (Due.HELLO, Due.PROOF, Due.PING, Due.SILENCE):
            self._deadlines.clear(due, peer_id)
        self._proofs.forget(peer_id)
        self._faulted_at.pop(peer_id, None)
        if peer_id != self._active_id:
            return False
        self._active_id = None
        self._life.editor_gone()
        return True

    def _silence_limit_s(self, editor_is_busy: bool) -> float:
        if editor_is_busy:
            return self._config.compile_grace_timeout_ms / 1000
        return self._config.heartbeat_timeout_ms / 1000
