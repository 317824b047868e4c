"""``Port``: whose the port is, and with it whether the bridge can serve (SPEC §2.5, §3, §14)."""

from __future__ import annotations

from unity_bridge.attach.owner_events import ClientAttached, ClientLeft, OwnerFound, OwnerLost
from unity_bridge.core.changes import SessionLost, SessionOpened
from unity_bridge.core.context import Core
from unity_bridge.core.ledger.machines import ListenerEvent, ListenerState, ServerEvent, ServerState
from unity_bridge.core.ledger.records import LISTENER_ID, SERVER_ID
from unity_bridge.unity.bridge_client import ListenerBlocked, ListenerBound


class Port:
    """Writes the server and listener records. For the executor thread alone."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._server = core.ledger.server
        self._listener = core.ledger.listener
        self._log = core.log
        self._listener.amend(LISTENER_ID, port=core.config.unity_ws_port or None)

    def bound(self, event: ListenerBound) -> None:
        """Record that the port is ours."""
        self._listener.transition(
            LISTENER_ID,
            ListenerEvent.BOUND,
            port=event.port,
            reason=None,
            holder=None,
            remark=None,
            alone_since=self._core.now(),
        )
        self._start()
        # One line that a script can parse (SPEC §2.4).
        self._log.info("listening for Unity", port=event.port)

    def lost(self, _: object) -> None:
        """Record that listening broke off, by a bug that has been logged; the port is being bound
        again.
        """
        self._listener.transition(LISTENER_ID, ListenerEvent.CLOSED)

    def blocked(self, event: ListenerBlocked) -> None:
        """Another program has the port. The listener reports it every second; only news is recorded
        and logged.
        """
        was, failure = self._core.ledger.listener_now, event.failure
        obstacle = (failure.reason, failure.holder, event.remark)
        if (
            was.state is not ListenerState.BLOCKED
            or (was.reason, was.holder, was.remark) != obstacle
        ):
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

    # Other servers of this user.

    def owner_found(self, event: OwnerFound) -> None:
        """Another server of this user has the port, and we work through it (SPEC §14.1)."""
        self._listener.transition(
            LISTENER_ID,
            ListenerEvent.OWNER_FOUND,
            port=event.port,
            reason=None,
            holder=None,
            remark=None,
        )
        self._start()
        self._log.info(
            "attached to the server that owns the port",
            port=event.port,
            owner_version=event.version,
        )

    def owner_lost(self, event: OwnerLost) -> None:
        self._listener.transition(LISTENER_ID, ListenerEvent.OWNER_LOST)
        self._log.info("the server that owned the port is gone", reason=event.reason)

    def client_attached(self, _: ClientAttached) -> None:
        self._log.info("a client attached", clients=self._count_clients(1))

    def client_left(self, _: ClientLeft) -> None:
        self._log.info("a client left", clients=self._count_clients(-1))

    def _count_clients(self, change: int) -> int:
        clients = self._core.ledger.listener_now.clients + change
        return 1 + self._listener.amend(LISTENER_ID, clients=clients).clients

    # The editor comes and goes, and the server stops.

    def session_opened(self, _: SessionOpened) -> None:
        self._server.transition(SERVER_ID, ServerEvent.HELLO_COMPLETED)
        self._listener.amend(LISTENER_ID, alone_since=None)

    def session_lost(self, _: SessionLost) -> None:
        self._server.transition(SERVER_ID, ServerEvent.SESSION_LOST)
        self._listener.amend(LISTENER_ID, alone_since=self._core.now())

    def stopping(self) -> None:
        self._server.transition(SERVER_ID, ServerEvent.STOP_REQUESTED)

    def stopped(self) -> None:
        self._listener.transition(LISTENER_ID, ListenerEvent.CLOSED)
        self._server.transition(SERVER_ID, ServerEvent.EVERYTHING_ENDED)

    def _start(self) -> None:
        if self._core.ledger.server_now.state is ServerState.BOOTING:
            self._server.transition(SERVER_ID, ServerEvent.STARTED)
