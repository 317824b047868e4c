"""``ReconnectController``: who may be the session, how long it may be silent, and how long to wait for one.

SPEC §3.2 (patience), §7.1-§7.5 (sessions and heartbeat), ADR-0005 "ReconnectController".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List, Mapping, Optional, Sequence, Tuple

from unity_bridge.attach.events import AttachEvent, ClientAttached, OwnerFound, OwnerLost
from unity_bridge.clock import Clock
from unity_bridge.config import Config
from unity_bridge.errors import ErrorCode, ToolError, error_object
from unity_bridge.execution.deadlines import Deadlines
from unity_bridge.execution.orders import Close, Order, Send
from unity_bridge.logger import Logger
from unity_bridge.result import Err, Ok
from unity_bridge.state.machines import (
    ListenerEvent,
    ListenerState,
    ServerEvent,
    ServerState,
    SessionEvent,
    SessionState,
)
from unity_bridge.state.stores import (
    LISTENER_ID,
    SERVER_ID,
    EditorIdentity,
    EditorRecord,
    ListenerRecord,
    Parked,
    SessionRecord,
    StateStores,
)
from unity_bridge.unity.bridge_client import ListenerBlocked
from unity_bridge.unity.close_codes import NORMAL, POLICY_VIOLATION
from unity_bridge.unity.messages import Capability, ErrorMessage, Fault, Hello, Ping

HELLO_TIMEOUT_S = 5.0  # SPEC 7.1

# Connections that may be open without having said hello. The listener has room for more than these, so that whoever
# keeps many open and silent cannot keep a healthy plugin out.
PENDING_MAX = 16

HELLO_DUE = "hello due"
PING_DUE = "ping due"
SILENCE_DUE = "silence due"


@dataclass(frozen=True)
class Admission:
    """What came of a ``hello``: whether the newcomer is the session now, and whether it replaced another."""

    orders: Tuple[Order, ...]
    admitted: bool = False
    replaced: bool = False


class ReconnectController:
    """Owner of the connection store: server, listener and sessions. For the executor thread alone.

    It orders, it does not send: whoever calls carries the returned orders out.
    """

    def __init__(
        self,
        stores: StateStores,
        deadlines: Deadlines,
        config: Config,
        capability: Sequence[Mapping[str, Any]],
        clock: Clock,
        log: Logger,
    ) -> None:
        self._stores = stores
        self._deadlines = deadlines
        self._config = config
        self._capability = list(capability)
        self._clock = clock
        self._log = log
        self._active_id: Optional[str] = None
        stores.listener.amend(LISTENER_ID, port=config.unity_ws_port or None)

    # Server and listener.

    @property
    def server_state(self) -> ServerState:
        record = self._stores.server.get(SERVER_ID)
        assert record is not None  # added when the ledger was made
        return record.state

    @property
    def listener(self) -> ListenerRecord:
        record = self._stores.listener.get(LISTENER_ID)
        assert record is not None  # added when the ledger was made
        return record

    @property
    def is_stopping(self) -> bool:
        return self.server_state in (ServerState.STOPPING, ServerState.STOPPED)

    def bound(self, port: int) -> None:
        """The port is ours."""
        self._stores.listener.transition(
            LISTENER_ID, ListenerEvent.BOUND, port=port, reason=None, holder=None, remark=None
        )
        self._start()
        # One line that a script can parse (SPEC 2.4).
        self._log.info("listening for Unity", port=port)

    def port_lost(self) -> None:
        """Listening broke off, by a bug that has been logged; the port is being taken anew."""
        self._stores.listener.transition(LISTENER_ID, ListenerEvent.CLOSED)

    def blocked(self, event: ListenerBlocked) -> bool:
        """The port is not to be had; returns whether that is news."""
        was, failure = self.listener, event.failure
        said = (failure.reason, failure.holder, event.remark)
        known = was.state is ListenerState.BLOCKED and (was.reason, was.holder, was.remark) == said
        if not known:
            self._stores.listener.transition(
                LISTENER_ID,
                ListenerEvent.BIND_FAILED,
                port=failure.port,
                reason=failure.reason,
                holder=failure.holder,
                remark=event.remark,
            )
            self._log.warning(
                "cannot listen for Unity; trying again every second",
                port=failure.port,
                reason=failure.reason,
                holder=failure.holder,
                remark=event.remark,
                error=failure.error,
            )
        self._start()
        return not known

    def owner_found(self, event: OwnerFound) -> None:
        """Another server of this user has the port, and we work through it (SPEC §14.1)."""
        self._stores.listener.transition(
            LISTENER_ID, ListenerEvent.OWNER_FOUND, port=event.port, reason=None, holder=None, remark=None
        )
        self._start()
        self._log.info("attached to the server that owns the port", port=event.port, owner_version=event.version)

    def owner_lost(self, event: OwnerLost) -> None:
        self._stores.listener.transition(LISTENER_ID, ListenerEvent.OWNER_LOST)
        self._log.info("the server that owned the port is gone", reason=event.reason)

    @property
    def is_attached(self) -> bool:
        return self.listener.state is ListenerState.ATTACHED

    def client_came_or_left(self, event: AttachEvent) -> None:
        change = 1 if isinstance(event, ClientAttached) else -1
        listener = self._stores.listener.amend(LISTENER_ID, clients=self.listener.clients + change)
        self._log.info("a client attached" if change > 0 else "a client left", clients=1 + listener.clients)

    def blocked_error(self) -> Optional[ToolError]:
        """Why nothing can reach Unity as long as somebody else has the port (SPEC §2.5)."""
        listener = self.listener
        if listener.state is not ListenerState.BLOCKED:
            return None
        holder = f" by {listener.holder}" if listener.holder else ""
        holder += f" ({listener.remark})" if listener.remark else ""
        message = (
            f"Port {listener.port} is in use{holder}, so Unity cannot connect to this server. "
            "Nothing was run. Stop the program that has the port, or choose another port with --port and in Unity's "
            "Project Settings > Unity Bridge; this server takes the port by itself once it is free."
        )
        if listener.reason != "port_in_use":
            message = (
                f"This machine does not let the server listen on port {listener.port}. Nothing was run. "
                "Choose another port with --port and in Unity's Project Settings > Unity Bridge."
            )
        details = {"reason": listener.reason, "port": listener.port, "holder": listener.holder}
        return ToolError(ErrorCode.EDITOR_NOT_READY, message, details)

    def stopping(self) -> None:
        self._stores.server.transition(SERVER_ID, ServerEvent.STOP_REQUESTED)

    def stopped(self) -> None:
        self._stores.listener.transition(LISTENER_ID, ListenerEvent.CLOSED)
        self._stores.server.transition(SERVER_ID, ServerEvent.EVERYTHING_ENDED)

    # Sessions.

    @property
    def active(self) -> Optional[SessionRecord]:
        return None if self._active_id is None else self._stores.sessions.get(self._active_id)

    def opened(self, peer_id: int) -> List[Order]:
        """Somebody connected: nothing is known of it until its ``hello``. The oldest of too many gives way."""
        id = str(peer_id)
        self._stores.sessions.add(SessionRecord(id, SessionState.PENDING, heard_at=self._clock.now()))
        self._deadlines.set(HELLO_DUE, id, self._clock.now() + HELLO_TIMEOUT_S)
        pending = [session for session in self._stores.sessions.all() if session.state is SessionState.PENDING]
        if len(pending) <= PENDING_MAX:
            return []
        return self.refuse(pending[0], Fault(ErrorCode.INVALID_REQUEST, "too many connections have not said hello"))

    def heard(self, peer_id: int) -> Optional[SessionRecord]:
        """A message came, of any kind: that peer lives. ``None`` for one that has ended."""
        record = self._stores.sessions.get(str(peer_id))
        if record is None or record.state is SessionState.ENDED:
            return None
        return self._stores.sessions.amend(record.id, heard_at=self._clock.now())

    def greet(self, session: SessionRecord, hello: Hello) -> Admission:
        """Judge a newcomer's ``hello`` (SPEC §7.1, §7.3)."""
        if hello.plugin_version is None or hello.state is None:
            missing = "plugin_version" if hello.plugin_version is None else "state"
            fault = Fault(ErrorCode.INVALID_REQUEST, f"a plugin's hello must have '{missing}'")
            return Admission(tuple(self.refuse(session, fault)))
        identity = EditorIdentity(
            plugin_version=hello.plugin_version,
            instance_id=hello.editor_instance_id,
            unity_version=hello.unity_version,
            project_name=hello.project_name,
            project_path=hello.project_path,
            jobs=None if hello.jobs is None else tuple(hello.jobs),
        )
        active = self.active
        orders: List[Order] = []
        if active is not None:
            if not self._yields(active, identity):
                return Admission(tuple(self._turn_away(session)))
            orders += self._end(active, SessionEvent.REPLACED, "replaced by a newer connection", NORMAL)
        self._admit(session, identity)
        peer_id = int(session.id)
        orders.append(Send(peer_id, self._hello()))
        orders.append(Send(peer_id, Capability(tools=self._capability)))
        return Admission(tuple(orders), admitted=True, replaced=active is not None)

    def refuse(self, session: SessionRecord, fault: Fault) -> List[Order]:
        """Tell a peer why it is not listened to any further, and close it."""
        self._log.warning(f"connection refused: {fault.message}", session=session.id)
        said = Send(int(session.id), error_message(fault))
        return [said, *self._end(session, SessionEvent.REFUSED, fault.message, POLICY_VIOLATION)]

    def lost(self, peer_id: int, code: int, reason: str) -> bool:
        """A connection is gone; returns whether it was the active session."""
        record = self._stores.sessions.get(str(peer_id))
        ended = self._stores.sessions.transition(str(peer_id), SessionEvent.LOST)
        self._stores.sessions.forget(str(peer_id))
        if record is None or isinstance(ended, Err):
            return False
        was_active = record.id == self._active_id
        self._forget_deadlines(record.id)
        if was_active:
            self._active_id = None
            self._stores.server.transition(SERVER_ID, ServerEvent.SESSION_LOST)
            self._log.info("session lost", session=record.id, code=code, reason=reason)
        return was_active

    # Heartbeat.

    def hello_due(self, id: str) -> List[Order]:
        """A newcomer has said nothing for too long."""
        session = self._stores.sessions.get(id)
        if session is None or session.state is not SessionState.PENDING:
            return []
        return self.refuse(session, Fault(ErrorCode.INVALID_REQUEST, "no hello came within 5 s"))

    def ping_due(self, id: str) -> List[Order]:
        self._deadlines.set(PING_DUE, id, self._clock.now() + self._config.heartbeat_interval_ms / 1000)
        return [Send(int(id), Ping())]

    def silence_due(self, id: str, editor_is_busy: bool) -> List[Order]:
        """The active session may have been silent for too long; orders its end if so (SPEC §7.5)."""
        session = self._stores.sessions.get(id)
        if session is None or session.state is not SessionState.ACTIVE:
            return []
        limit_s = self._silence_limit_s(editor_is_busy)
        if self._clock.now() < session.heard_at + limit_s:
            self._deadlines.set(SILENCE_DUE, id, session.heard_at + limit_s)
            return []
        self._log.warning("session closed: silent for too long", session=id, limit_ms=round(limit_s * 1000))
        return self._end(session, SessionEvent.SILENT, "silent for too long", POLICY_VIOLATION)

    def judge_silence_anew(self, editor_is_busy: bool) -> None:
        """The editor's state changed, and with it how long it may be silent."""
        active = self.active
        if active is not None:
            self._deadlines.set(SILENCE_DUE, active.id, active.heard_at + self._silence_limit_s(editor_is_busy))

    # Patience: how long a call is worth keeping while the editor is not ready.

    def patience(self, since: float, editor: EditorRecord, before: Optional[Parked] = None) -> Parked:
        """How long a call that waits since ``since`` may go on waiting, as things stand now (SPEC §3.2).

        When the reason changes, the longer of the windows that applied counts, and what it ends with; of two equal
        ones the present, which says what the editor does now.
        """
        now = self._patience_now(since, editor)
        return before if before is not None and before.deadline > now.deadline else now

    def reconnect_window_s(self, editor: EditorRecord) -> float:
        """How long to wait for a lost connection with a call in flight, from its loss."""
        if editor.busy_seen_at is not None:
            return self._config.compile_grace_timeout_ms / 1000
        return self._config.request_reconnect_wait_ms / 1000

    def _patience_now(self, since: float, editor: EditorRecord) -> Parked:
        grace_s = self._config.compile_grace_timeout_ms / 1000
        if self.active is not None:
            return Parked(since, since + grace_s, ErrorCode.COMPILE_TIMEOUT, editor.state.value)
        if editor.busy_seen_at is not None:
            return Parked(since, editor.busy_seen_at + grace_s, ErrorCode.COMPILE_TIMEOUT, editor.state.value)
        wait_s = self._config.request_reconnect_wait_ms / 1000
        return Parked(since, since + wait_s, ErrorCode.EDITOR_NOT_READY, "disconnected")

    def _hello(self) -> Hello:
        config = self._config
        return Hello(
            server_version=self._stores.version.get().server,
            reconnect_initial_ms=config.reconnect_initial_ms,
            reconnect_multiplier=config.reconnect_multiplier,
            reconnect_max_backoff_ms=config.reconnect_max_backoff_ms,
            reconnect_jitter_ratio=config.reconnect_jitter_ratio,
        )

    def _start(self) -> None:
        if self.server_state is ServerState.BOOTING:
            self._stores.server.transition(SERVER_ID, ServerEvent.STARTED)

    def _yields(self, active: SessionRecord, newcomer: EditorIdentity) -> bool:
        identity = active.identity
        if identity is not None and identity.instance_id is not None and identity.instance_id == newcomer.instance_id:
            return True
        return self._clock.now() - active.heard_at >= self._config.heartbeat_timeout_ms / 1000

    def _admit(self, session: SessionRecord, identity: EditorIdentity) -> None:
        admitted = self._stores.sessions.transition(session.id, SessionEvent.ADMITTED, identity=identity)
        assert isinstance(admitted, Ok)  # only a pending session is greeted
        self._active_id = session.id
        self._stores.server.transition(SERVER_ID, ServerEvent.HELLO_COMPLETED)
        now = self._clock.now()
        self._deadlines.clear(HELLO_DUE, session.id)
        self._deadlines.set(PING_DUE, session.id, now + self._config.heartbeat_interval_ms / 1000)
        self._log.info(
            "session opened",
            session=session.id,
            project=identity.project_name,
            unity=identity.unity_version,
            plugin_version=identity.plugin_version,
        )

    def _turn_away(self, session: SessionRecord) -> List[Order]:
        fault = Fault(ErrorCode.INVALID_REQUEST, "another Unity editor session is already active")
        return self.refuse(session, fault)

    def _end(self, session: SessionRecord, event: SessionEvent, reason: str, code: int) -> List[Order]:
        self._stores.sessions.transition(session.id, event)
        self._forget_deadlines(session.id)
        if session.id == self._active_id:
            self._active_id = None
            self._stores.server.transition(SERVER_ID, ServerEvent.SESSION_LOST)
        return [Close(int(session.id), code, reason)]

    def _forget_deadlines(self, id: str) -> None:
        for kind in (HELLO_DUE, PING_DUE, SILENCE_DUE):
            self._deadlines.clear(kind, id)

    def _silence_limit_s(self, editor_is_busy: bool) -> float:
        if editor_is_busy:
            return self._config.compile_grace_timeout_ms / 1000
        return self._config.heartbeat_timeout_ms / 1000


def error_message(fault: Fault) -> ErrorMessage:
    """The ``error`` that tells a peer what was wrong with what it said."""
    return ErrorMessage(error=error_object(ToolError(fault.code, fault.message)), request_id=fault.request_id)
