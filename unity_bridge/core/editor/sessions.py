"""``Sessions``: which connection is the editor's session, how far it is trusted, and how long it
may be silent.

SPEC §7.1-§7.5.
"""

from __future__ import annotations

from collections import deque
from enum import Enum
from typing import Any, Deque, Dict, Optional

from unity_bridge.base.errors import ErrorCode, ToolError, error_object
from unity_bridge.base.result import Err, Result
from unity_bridge.core.context import Core
from unity_bridge.core.editor.session_slot import SessionSlot
from unity_bridge.core.editor.slot_rules import Ruling, is_taken_from_unproven, takeover
from unity_bridge.core.editor.trust import PROOF_S, PluginProofs, untrusted_remark
from unity_bridge.core.ledger.deadlines import Due
from unity_bridge.core.ledger.machines import SessionEvent, SessionState
from unity_bridge.core.ledger.records import EditorIdentity, SessionRecord, Trust
from unity_bridge.trust.plugin_challenge import PluginChallenge, ProofVerdict
from unity_bridge.unity.close_codes import NORMAL, POLICY_VIOLATION
from unity_bridge.unity.messages import Capability, ErrorMessage, Fault, Hello, Ping

HELLO_TIMEOUT_S = 5.0  # SPEC §7.1

# Connections that may be open without having said hello. The listener has room for more than these,
# so a peer that keeps many open and silent cannot keep a healthy plugin out.
PENDING_MAX = 16

# Messages that cannot be used, in one session; one more within this time ends it (SPEC §7.7).
FAULTS_MAX, FAULTS_WITHIN_S = 100, 10.0

# A kind of line in the log. Any program can say hello and then send a wrong proof, as often as it
# likes.
_WRONG_PROOF = "proof"


class Greeting(Enum):
    """What came of a ``hello``, or of the proof that it took."""

    REFUSED = "refused"
    WAITS = "answered, and to be decided again with its proof"
    ADMITTED = "admitted"
    REPLACED_ANOTHER = "admitted in place of the session that was"


class Sessions:
    """Writes the session records and the id of the active one. For the executor thread alone."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._sessions = core.ledger.sessions
        self._deadlines = core.deadlines
        self._config = core.config
        self._capability = [tool.capability() for tool in core.catalogue.values()]
        self._log = core.log
        # Any peer can make any number of connections that never become the session (SPEC §20.1).
        # The instant of each connection's last message: not in its record, which each message would
        # make again.
        self._heard_at: Dict[int, float] = {}
        self.slot = SessionSlot(core, self._is_silent)
        self.proofs = PluginProofs()
        self._faulted_at: Dict[int, Deque[float]] = {}
        # The last doubt that was logged, so that an editor that reloads all day is doubted once.
        self._doubt: Optional[Trust] = None
        self._takeover: Optional[str] = None

    # Connections come and go.

    def opened(self, peer_id: int) -> None:
        """Record a new connection, of an unknown peer until its ``hello``. The oldest of too many
        gives way.
        """
        self._sessions.add(SessionRecord(peer_id, SessionState.PENDING))
        self._heard_at[peer_id] = now = self._core.now()
        self._deadlines.set(Due.HELLO, peer_id, now + HELLO_TIMEOUT_S)
        silent = [
            session
            for session in self._sessions.all()
            if session.state is SessionState.PENDING and session.identity is None
        ]
        if len(silent) > PENDING_MAX:
            self.crowded_out(silent[0].id, "too many connections have not said hello")

    def crowded_out(self, peer_id: int, why: str) -> None:
        """End the connection of a peer, because there are too many."""
        session = self._sessions.get(peer_id)
        assert session is not None
        self.refuse(session, Fault(ErrorCode.INVALID_REQUEST, why), "crowd")

    def heard(self, peer_id: int) -> Optional[SessionRecord]:
        """Record that a message came, of any kind, so the peer lives; return its session, or None
        if it has ended.
        """
        record = self._sessions.get(peer_id)
        if record is None or record.state is SessionState.ENDED:
            return None
        self._heard_at[peer_id] = self._core.now()
        return record

    def greet(
        self,
        session: SessionRecord,
        hello: Hello,
        challenge: Optional[Result[PluginChallenge, str]] = None,
    ) -> Greeting:
        """Decide on a newcomer's ``hello``, and answer it (SPEC §7.1, §7.3, §17.1)."""
        if hello.plugin_version is None or hello.state is None:
            missing = "plugin_version" if hello.plugin_version is None else "state"
            self.refuse(
                session, Fault(ErrorCode.INVALID_REQUEST, f"a plugin's hello must have '{missing}'")
            )
            return Greeting.REFUSED
        if hello.jobs is None:
            jobs = None
        else:
            jobs = tuple(filter(None, map(_id_of_listed, hello.jobs)))
        tools = None if hello.tools is None else frozenset(hello.tools)
        joins = None if hello.joins is None else frozenset(hello.joins)
        identity = EditorIdentity(
            plugin_version=hello.plugin_version,
            instance_id=hello.editor_instance_id,
            unity_version=hello.unity_version,
            project_name=hello.project_name,
            project_path=hello.project_path,
            jobs=jobs,
            listed=tuple(job for job in hello.jobs or () if isinstance(job, dict)),
            job_keys={
                (client, key): job_id for job_id, (client, key) in (hello.job_keys or {}).items()
            },
            tools=tools,
            joins=joins,
            process_id=hello.process_id,
        )
        if isinstance(challenge, Err):
            self._core.limited_log.warn(
                "no secret", f"plugins cannot be trusted: {challenge.error}"
            )
        trust = self.proofs.ask(session.id, challenge)
        self._sessions.amend(
            session.id, identity=identity, trust=trust, greeted_at=self._core.now()
        )
        admission = self.decide(session.id)
        if admission is not Greeting.REFUSED:
            self._deadlines.clear(Due.HELLO, session.id)
            if trust is Trust.AWAITED:
                self._deadlines.set(Due.PROOF, session.id, self._core.now() + PROOF_S)
            self._core.send(session.id, self._hello(session.id))
            self._core.send(session.id, Capability(tools=self._capability))
        return admission

    def decide(self, session_id: int) -> Greeting:
        """Whether a newcomer that has said hello gets the session slot, as things stand now (SPEC
        §7.3).
        """
        newcomer, active = self._sessions.get(session_id), self._core.ledger.session
        assert newcomer is not None and newcomer.identity is not None
        ruling = self.slot.decide(newcomer, newcomer.identity)
        if ruling is Ruling.WAITS:
            return Greeting.WAITS
        if ruling is Ruling.REFUSED:
            why = self.slot.refusal(newcomer.identity)
            self.slot.log_refusal(newcomer, why)
            self._dismiss(newcomer, Fault(ErrorCode.INVALID_REQUEST, why))
            return Greeting.REFUSED
        self._takeover = None
        if is_taken_from_unproven(self.slot.now(), newcomer.identity, newcomer.trust):
            # Logged at each takeover: it ends every call that the other editor had in flight, and
            # may be an attack.
            self._takeover = takeover(newcomer.identity)
            self._log.warning(self._takeover, session=session_id)
        # Takeover: the former session ends before the new one is active, within one event, so no
        # message of the core can go to the former and no answer of the former counts any more. The
        # caller announces first the loss and then the new session; in between the round trip under
        # way is interrupted.
        if active is not None:
            self._end(active, SessionEvent.REPLACED, "replaced by a newer connection", NORMAL)
        self._admit(newcomer, newcomer.identity)
        if active is None:
            return Greeting.ADMITTED
        return Greeting.REPLACED_ANOTHER

    @property
    def takeover_remark(self) -> Optional[str]:
        """Which editor took over from one without proof, as long as it is connected."""
        if self._core.ledger.session is None:
            return None
        return self._takeover

    def refuse(self, session: SessionRecord, fault: Fault, kind: str = "hello") -> None:
        """Send a peer the reason why it is not heard any further, and close it; ``kind`` is for the
        log.
        """
        text = f"connection refused: {fault.message}"
        if session.state is SessionState.PENDING or kind == _WRONG_PROOF:
            self._core.limited_log.warn(kind, text, session=session.id)
        else:
            self._log.warning(text, session=session.id)
        self._dismiss(session, fault)

    def _dismiss(self, session: SessionRecord, fault: Fault) -> None:
        self.send_fault(session.id, fault)
        self._end(session, SessionEvent.REFUSED, fault.message, POLICY_VIOLATION)

    def count_fault(self, session: SessionRecord, is_error: bool) -> bool:
        """Count a message that cannot be used, for ``get_editor_state``; return whether there were
        too many of late.

        A message of type ``error`` is never answered, so it costs nothing and does not count
        towards too many.
        """
        self._sessions.amend(session.id, faults=session.faults + 1)
        if is_error:
            return False
        instants = self._faulted_at.setdefault(session.id, deque(maxlen=FAULTS_MAX))
        now = self._core.now()
        are_too_many = len(instants) == FAULTS_MAX and now - instants[0] <= FAULTS_WITHIN_S
        instants.append(now)
        return are_too_many

    def send_fault(self, peer_id: int, fault: Fault) -> None:
        """Send a peer what was wrong with its message."""
        error = error_object(ToolError(fault.code, fault.message))
        self._core.send(peer_id, ErrorMessage(error=error, request_id=fault.request_id))

    def lost(self, peer_id: int, code: int, reason: str) -> bool:
        """End the session of a lost connection; return whether it was the active session."""
        record = self._sessions.transition(peer_id, SessionEvent.LOST)
        self._sessions.forget(peer_id)
        self._heard_at.pop(peer_id, None)
        if record is None:
            return False
        was_active = self._forget(peer_id)
        if was_active:
            self.slot.left(record)
            self._log.info("session lost", session=peer_id, code=code, reason=reason)
        return was_active

    # Trust.

    def prove(self, session: SessionRecord, proof: str) -> ProofVerdict:
        """Check the proof that a message had. A wrong one ends the connection (SPEC §17.1)."""
        verdict = self.proofs.check(session.id, proof)
        if verdict is ProofVerdict.PROVEN:
            self._deadlines.clear(Due.PROOF, session.id)
            self._core.outside.connections.introduced(session.id)
            self._set_trust(session.id, Trust.PROVEN)
        elif verdict is ProofVerdict.WRONG:
            wrong = f"the proof is wrong: {verdict.value}"
            self.refuse(session, Fault(ErrorCode.INVALID_REQUEST, wrong), _WRONG_PROOF)
        return verdict

    def proof_due(self, peer_id: int) -> None:
        """Its proof has not come in time. One that comes later still counts."""
        self._set_trust(peer_id, Trust.NO_PROOF)

    def _set_trust(self, session_id: int, trust: Trust) -> None:
        if self._sessions.amend(session_id, trust=trust).state is SessionState.ACTIVE:
            self._log_doubt(session_id, trust)

    def _log_doubt(self, session_id: int, trust: Trust) -> None:
        doubt = untrusted_remark(trust)
        if doubt is None:
            self._log.info(
                "the plugin has proved that it runs as the same user", session=session_id
            )
            self._doubt = None
        elif trust not in (self._doubt, Trust.AWAITED):
            self._log.warning(doubt, session=session_id)
            self._doubt = trust

    # Heartbeat.

    def hello_due(self, peer_id: int) -> None:
        """End the connection of a newcomer that has said no ``hello`` for too long."""
        session = self._sessions.get(peer_id)
        if session is not None and session.state is SessionState.PENDING:
            self.refuse(session, Fault(ErrorCode.INVALID_REQUEST, "no hello came within 5 s"))

    def ping_due(self, peer_id: int) -> None:
        self._deadlines.set(
            Due.PING, peer_id, self._core.now() + self._config.heartbeat_interval_ms / 1000
        )
        self._core.send(peer_id, Ping())

    def silence_due(self, peer_id: int) -> bool:
        """End the active session if it has been silent for too long; return whether that has ended
        it (SPEC §7.5).
        """
        session = self._sessions.get(peer_id)
        if session is None or session.state is not SessionState.ACTIVE:
            return False
        limit_s = self._silence_limit_s()
        until = self._heard_at[peer_id] + limit_s
        if self._core.now() < until:
            self._deadlines.set(Due.SILENCE, peer_id, until)
            return False
        self._log.warning(
            "session closed: silent for too long", session=peer_id, limit_ms=round(limit_s * 1000)
        )
        self.slot.left(session)
        self._end(session, SessionEvent.SILENT, "silent for too long", POLICY_VIOLATION)
        return True

    def set_silence_limit(self) -> None:
        """Set again how long the active session may be silent, because the editor's state changed."""
        active = self._core.ledger.session
        if active is not None:
            until = self._heard_at[active.id] + self._silence_limit_s()
            self._deadlines.set(Due.SILENCE, active.id, until)

    def _is_silent(self, session_id: int) -> bool:
        """Whether it has said nothing for as long as an editor that is not busy may be silent."""
        return (
            self._core.now() - self._heard_at[session_id]
            >= self._config.heartbeat_timeout_ms / 1000
        )

    def _hello(self, session_id: int) -> Hello:
        config, challenge = self._config, self.proofs.asked(session_id)
        nonce = None if challenge is None else challenge.nonce
        proof = None if challenge is None else challenge.proof
        return Hello(
            server_version=self._core.ledger.version.value.server,
            nonce=nonce,
            proof=proof,
            reconnect_initial_ms=config.reconnect_initial_ms,
            reconnect_multiplier=config.reconnect_multiplier,
            reconnect_max_backoff_ms=config.reconnect_max_backoff_ms,
            reconnect_jitter_ratio=config.reconnect_jitter_ratio,
        )

    def _admit(self, session: SessionRecord, identity: EditorIdentity) -> None:
        admitted = self._sessions.transition(session.id, SessionEvent.ADMITTED)
        assert admitted is not None  # only a pending session is decided on
        self._core.ledger.active_id.put(session.id)
        self.slot.taken()
        self._deadlines.set(
            Due.PING, session.id, self._core.now() + self._config.heartbeat_interval_ms / 1000
        )
        self._log.info(
            "session opened",
            session=session.id,
            project=identity.project_name,
            unity=identity.unity_version,
            plugin_version=identity.plugin_version,
        )
        self._log_doubt(session.id, session.trust)

    def _end(self, session: SessionRecord, event: SessionEvent, reason: str, code: int) -> None:
        self._sessions.transition(session.id, event)
        self._forget(session.id)
        self._core.outside.connections.close(session.id, code, reason)

    def _forget(self, peer_id: int) -> bool:
        """Forget what belongs to a connection that has ended; return whether it was the active
        session.
        """
        for due in (Due.HELLO, Due.PROOF, Due.PING, Due.SILENCE):
            self._deadlines.clear(due, peer_id)
        self.proofs.forget(peer_id)
        self._faulted_at.pop(peer_id, None)
        if peer_id != self._core.ledger.active_id.value:
            return False
        self._core.ledger.active_id.put(None)
        return True

    def _silence_limit_s(self) -> float:
        is_busy = self._core.ledger.editor_now.is_busy
        return (
            self._config.compile_grace_timeout_ms if is_busy else self._config.heartbeat_timeout_ms
        ) / 1000


def _id_of_listed(job: Any) -> Optional[str]:
    """Return the id of a job in ``hello.jobs``: the whole entry, or a member of it."""
    job_id: Optional[str] = job.get("job_id") if isinstance(job, dict) else job
    return job_id
