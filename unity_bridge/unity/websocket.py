"""``WebSocketListener``: RFC 6455 on 127.0.0.1, fit for a machine where any page and any program can reach it (SPEC 7).

It stands on ``websocket-server``: the library's listener (``connection_server.py``) and handler loop
(``peer_connection.py``) are used, its handshake (``handshake.py``), framing (``frames.py``) and sending (``outbox.py``)
are replaced under the names that the library gives them.
"""

from __future__ import annotations

import errno
from dataclasses import dataclass
from threading import Lock
from typing import Mapping, Optional, Tuple, Type

from unity_bridge.clock import Clock
from unity_bridge.logger import Logger
from unity_bridge.result import Err, Ok, Result
from unity_bridge.unity.close_codes import GOING_AWAY, INTERNAL_ERROR
from unity_bridge.unity.connection_server import ConnectionServer
from unity_bridge.unity.peer_connection import PeerConnection
from unity_bridge.unity.peers import Endpoint, Limits, Peer, PeerEvents, unity_endpoint

__all__ = ["BindFailure", "Endpoint", "Limits", "Peer", "PeerEvents", "WebSocketListener", "unity_endpoint"]

_DEFAULT_LIMITS = Limits()
# A failing bind is retried every second; looking for the culprit each time would cost more than the retry.
_HOLDER_IS_FRESH_S = 10.0


@dataclass(frozen=True)
class BindFailure:
    """Why the port could not be taken.

    ``reason`` is ``port_in_use``, ``port_not_allowed`` (privileged or reserved), ``port_unusable`` (``error`` has the
    system's own words) or ``stopped``. ``holder`` is ``pid 123 (python3)``, where it was asked for.
    """

    port: int
    reason: str
    holder: Optional[str] = None
    error: Optional[str] = None


class WebSocketListener:
    """Listens, shakes hands, and passes whole messages to the endpoint of the path that a peer asked for.

    Other paths do not exist. So a plugin can never be mistaken for a server that attaches, nor the other way round.
    ``bind`` and ``serve`` belong to one thread, ``stop`` to any.
    """

    connection_class: Type[PeerConnection] = PeerConnection

    def __init__(
        self,
        endpoints: Mapping[str, Endpoint],
        clock: Clock,
        log: Logger,
        limits: Limits = _DEFAULT_LIMITS,
    ) -> None:
        self._endpoints = endpoints
        self._clock = clock
        self._log = log
        self._limits = limits
        self._lock = Lock()
        self._server: Optional[ConnectionServer] = None  # guarded by _lock
        self._stopped = False  # guarded by _lock
        self._holder: Tuple[int, Optional[str], float] = (0, None, 0.0)

    def bind(self, port: int) -> Result[int, BindFailure]:
        """Take the port and let connections queue up; the bound port. ``0`` takes any free one."""
        with self._lock:
            if self._stopped:
                return Err(BindFailure(port, "stopped"))
            if self._server is not None:
                raise RuntimeError(f"already bound to port {self._server.port}")
            try:
                self._server = ConnectionServer(
                    port, self._endpoints, self.connection_class, self._clock, self._log, self._limits
                )
            except (OSError, OverflowError) as error:
                return Err(self._bind_failure(port, error))
            return Ok(self._server.port)

    def serve(self) -> None:
        """Accept connections on the calling thread until ``stop``.

        If it breaks off sooner, which is a bug or a lack of descriptors, nobody could connect any more: every peer has
        been told goodbye and the port been given back before the exception gets out, and ``bind`` may come again.
        """
        with self._lock:
            if self._stopped:
                return
            server = self._server
        if server is None:
            raise RuntimeError("bind comes before serve")
        try:
            server.accept_until_stopped()
        except Exception:
            with self._lock:
                self._server = None
            server.stop(INTERNAL_ERROR, "internal error")
            raise

    def stop(self, code: int = GOING_AWAY, reason: str = "server stopping") -> None:
        """Free the port at once, close every peer, and wait until every thread has ended: ``stop_s`` at most.

        Fine before ``bind``, before ``serve``, twice, and from a peer's own event.
        """
        with self._lock:
            self._stopped = True
            server = self._server
        if server is not None:
            server.stop(code, reason)

    def _bind_failure(self, port: int, error: Exception) -> BindFailure:
        number = getattr(error, "errno", None)
        # Windows says EACCES also for a port that another program holds exclusively.
        if number == errno.EADDRINUSE or (number == errno.EACCES and self.who_holds(port) is not None):
            return BindFailure(port, "port_in_use")
        if number == errno.EACCES:
            return BindFailure(port, "port_not_allowed")
        return BindFailure(port, "port_unusable", error=str(error))

    def who_holds(self, port: int) -> Optional[str]:
        """The program that has the port, for people: finding out looks at every process there is."""
        # Not at the top: whoever finds the port free, or a server to attach to, need not wait for psutil to load.
        from unity_bridge.unity.port_holder import port_holder

        known_port, holder, stale_at = self._holder
        now = self._clock.now()
        if known_port != port or now >= stale_at:
            holder = port_holder(port)
            self._holder = (port, holder, now + _HOLDER_IS_FRESH_S)
        return holder
