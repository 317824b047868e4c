"""``ServerLife``: whether the bridge can serve, and whose the port is (SPEC §2.5, §3, §14)."""

from __future__ import annotations

from typing import Optional

from unity_bridge.attach.owner_events import AttachEvent, ClientAttached, OwnerFound, OwnerLost
from unity_bridge.base.errors import ErrorCode, ToolError
from unity_bridge.core.context import ExecutionContext
from unity_bridge.core.ledger.machines import ListenerEvent, ListenerState, ServerEvent, ServerState
from unity_bridge.core.ledger.records import LISTENER_ID, SERVER_ID, ListenerRecord
from unity_bridge.unity.bridge_client import ListenerBlocked


class ServerLife:
    """Owner of the server and listener stores. For the executor thread alone."""

    def __init__(self, context: ExecutionContext) -> None:
        self._server = context.stores.server
        self._listener = context.stores.listener
        self._clock = context.clock
        self._log = context.log
        self._listener.amend(LISTENER_ID, port=context.config.unity_ws_port or None)

    @property
    def state(self) -> ServerState:
        return self._server.known(SERVER_ID).state

    @property
    def listener(self) -> ListenerRecord:
        return self._listener.known(LISTENER_ID)

    @property
    def is_attached(self) -> bool:
        return self.listener.state is ListenerState.ATTACHED

    @property
    def waited_s(self) -> Optional[float]:
        """For how long the port has been ours and no editor there; ``None`` while that is not so."""
        listener = self.listener
        if listener.state is not ListenerState.LISTENING or listener.alone_since is None:
            return None
        return self._clock.now() - listener.alone_since

    # The port.

    def bound(self, port: int) -> None:
        """The port is ours."""
        self._listener.transition(
            LISTENER_ID,
            ListenerEvent.BOUND,
            port=port,
            reason=None,
            holder=None,
            remark=None,
            alone_since=self._clock.now(),
        )
        self._start()
        # One line that a script can parse (SPEC §2.4).
        self._log.info("listening for Unity", port=port)

    def port_lost(self) -> None:
        """Listening broke off, by a bug that has been logged; the port is being taken anew."""
        self._listener.transition(LISTENER_ID, ListenerEvent.CLOSED)

    def blocked(self, event: ListenerBlocked) -> bool:
        """The port is not to be had; returns whether that is news."""
        was, failure = self.listener, event.failure
        said = (failure.reason, failure.holder, event.remark)
        known = was.state is ListenerState.BLOCKED and (was.reason, was.holder, was.remark) == said
        if not known:
            self._listener.transition(
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

    def blocked_error(self) -> Optional[ToolError]:
        """Why nothing can reach Unity as long as another program has the port (SPEC §2.5)."""
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

    # Other servers of this user.

    def owner_found(self, event: OwnerFound) -> None:
        """Another server of this user has the port, and we work through it (SPEC §14.1)."""
        self._listener.transition(
            LISTENER_ID, ListenerEvent.OWNER_FOUND, port=event.port, reason=None, holder=None, remark=None
        )
        self._start()
        self._log.info("attached to the server that owns the port", port=event.port, owner_version=event.version)

    def owner_lost(self, event: OwnerLost) -> None:
        self._listener.transition(LISTENER_ID, ListenerEvent.OWNER_LOST)
        self._log.info("the server that owned the port is gone", reason=event.reason)

    def client_came_or_left(self, event: AttachEvent) -> None:
        change = 1 if isinstance(event, ClientAttached) else -1
        listener = self._listener.amend(LISTENER_ID, clients=self.listener.clients + change)
        self._log.info("a client attached" if change > 0 else "a client left", clients=1 + listener.clients)

    # The editor comes and goes, and the server stops.

    def editor_connected(self, awaits_proof: bool) -> None:
        self._server.transition(SERVER_ID, ServerEvent.HELLO_COMPLETED, awaits_proof=awaits_proof)
        self._listener.amend(LISTENER_ID, alone_since=None)

    def proof_awaited_no_longer(self) -> None:
        """The plugin has given its proof, or has had its time."""
        self._server.amend(SERVER_ID, awaits_proof=False)

    def editor_gone(self) -> None:
        self._server.transition(SERVER_ID, ServerEvent.SESSION_LOST)
        self._listener.amend(LISTENER_ID, alone_since=self._clock.now())

    def stopping(self) -> None:
        self._server.transition(SERVER_ID, ServerEvent.STOP_REQUESTED)

    def stopped(self) -> None:
        self._listener.transition(LISTENER_ID, ListenerEvent.CLOSED)
        self._server.transition(SERVER_ID, ServerEvent.EVERYTHING_ENDED)

    def _start(self) -> None:
        if self.state is ServerState.BOOTING:
            self._server.transition(SERVER_ID, ServerEvent.STARTED)
