"""``WebSocketListener``: RFC 6455 on 127.0.0.1, where any web page and any program can reach it
(SPEC §7).

It stands on ``websocket-server``: the library's listener (``connection_server.py``) and handler loop
(``peer_connection.py``) are used, its handshake (``handshake.py``), framing (``frames.py``) and sending (``outbox.py``)
are replaced under the names that the library gives them.
"""

from __future__ import annotations

import errno
import socket
from threading import Lock
from typing import TYPE_CHECKING, Mapping, Optional, Tuple, Type

from unity_bridge.base.clock import Clock
from unity_bridge.base.frozen import frozen
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.log.logger import Logger
from unity_bridge.system.loopback import is_forbidden
from unity_bridge.trust.secret import SecretSource
from unity_bridge.unity.close_codes import GOING_AWAY, INTERNAL_ERROR
from unity_bridge.unity.peers import Endpoint, Limits, Peer, PeerEvents, unity_endpoint

if TYPE_CHECKING:
    from unity_bridge.unity.connection_server import ConnectionServer
    from unity_bridge.unity.peer_connection import PeerConnection

__all__ = [
    "BindFailure",
    "Endpoint",
    "Limits",
    "Peer",
    "PeerEvents",
    "WebSocketListener",
    "unity_endpoint",
]

_DEFAULT_LIMITS = Limits()
_HOST = "127.0.0.1"
_BACKLOG = 128
# A failing bind is retried every second. The lookup costs more than the retry.
_HOLDER_IS_FRESH_S = 10.0


@frozen
class BindFailure:
    """Why the port could not be bound.

    ``reason`` is ``port_in_use``, ``port_not_allowed`` (privileged or reserved), ``sandboxed`` or ``port_unusable``
    (``error`` has the system's own words), or ``stopped``. ``holder`` is ``pid 123 ("python3")``, if it was looked up.
    """

    port: int
    reason: str
    holder: Optional[str] = None
    error: Optional[str] = None


class WebSocketListener:
    """Listens, shakes hands, and passes whole messages to the endpoint of the path that a peer
    asked for.

    Other paths are answered with 404. A plugin is never mistaken for a server that attaches, nor the other way round.
    ``bind`` and ``serve`` are for one thread, ``stop`` for any.
    """

    connection_class: Optional[Type[PeerConnection]] = None

    def __init__(
        self,
        endpoints: Mapping[str, Endpoint],
        clock: Clock,
        log: Logger,
        limits: Limits = _DEFAULT_LIMITS,
        secret: SecretSource = lambda: Err("this listener was given none"),
    ) -> None:
        self._endpoints = endpoints
        self._clock = clock
        self._log = log
        self._limits = limits
        self._secret = secret
        self._lock = Lock()
        self._bound: Optional[socket.socket] = None  # guarded by _lock; until it is served
        self._server: Optional[ConnectionServer] = None  # guarded by _lock
        self._stopped = False  # guarded by _lock
        self._holder: Tuple[int, Optional[str], float] = (0, None, 0.0)

    def bind(self, port: int) -> Result[int, BindFailure]:
        """Bind the port, and return its number. ``0`` binds any free one. Connections queue up
        until ``serve``.
        """
        with self._lock:
            if self._stopped:
                return Err(BindFailure(port, "stopped"))
            if self._bound is not None or self._server is not None:
                raise RuntimeError("already bound to a port")
            try:
                self._bound = listening_socket(port)
            except (OSError, OverflowError) as error:
                return Err(self._bind_failure(port, error))
            return Ok(int(self._bound.getsockname()[1]))

    def serve(self) -> None:
        """Accept connections on the calling thread until ``stop``.

        If it fails earlier, by a bug or for want of descriptors, every peer is closed and the port released before the
        exception is raised. ``bind`` may then be called again.
        """
        with self._lock:
            if self._stopped:
                return
            bound, self._bound = self._bound, None
            if bound is None:
                raise RuntimeError("bind comes before serve")
            server = self._server = self._server_of(bound)
        try:
            server.accept_until_stopped()
        except Exception:
            with self._lock:
                self._server = None
            server.stop(INTERNAL_ERROR, "internal error")
            raise

    def _server_of(self, bound: socket.socket) -> ConnectionServer:
        try:
            # Not at the top: a command, whose port a server has already, needs none of it. And not
            # before ``bind``: an editor connects in the meantime.
            from unity_bridge.unity.connection_server import ConnectionServer

            return ConnectionServer(
                bound,
                self._endpoints,
                self.connection_class,
                self._clock,
                self._log,
                self._limits,
                self._secret,
            )
        except BaseException:
            bound.close()
            raise

    def stop(self, code: int = GOING_AWAY, reason: str = "server stopping") -> None:
        """Release the port, close every peer, and wait for every thread to end, at most ``stop_s``
        seconds.

        May be called before ``bind``, before ``serve``, twice, and from a peer's own event.
        """
        with self._lock:
            self._stopped = True
            server = self._server
            bound, self._bound = self._bound, None
        if bound is not None:
            bound.close()
        if server is not None:
            server.stop(code, reason)

    def _bind_failure(self, port: int, error: Exception) -> BindFailure:
        number = getattr(error, "errno", None)
        # Windows says EACCES also for a port that another program holds exclusively.
        if number == errno.EADDRINUSE or (
            number == errno.EACCES and self.who_holds(port) is not None
        ):
            return BindFailure(port, "port_in_use")
        if isinstance(error, OSError) and is_forbidden(error, port):
            return BindFailure(port, "sandboxed", error=str(error))
        if number == errno.EACCES:
            return BindFailure(port, "port_not_allowed")
        return BindFailure(port, "port_unusable", error=str(error))

    def who_holds(self, port: int) -> Optional[str]:
        """Return the program that holds the port, for people. Looking it up reads the table of all
        processes.
        """
        # Imported here, because a server that binds or attaches does not need psutil.
        from unity_bridge.unity.port_holder import port_holder

        known_port, holder, stale_at = self._holder
        now = self._clock.now()
        if known_port != port or now >= stale_at:
            holder = port_holder(port)
            self._holder = (port, holder, now + _HOLDER_IS_FRESH_S)
        return holder


def listening_socket(port: int) -> socket.socket:
    """Return a socket that listens on the port. Raises ``OSError`` and ``OverflowError``."""
    bound = socket.socket()
    try:
        # On Windows SO_REUSEADDR would let a second server share the port in silence (SPEC 2.5).
        option = getattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_REUSEADDR)
        bound.setsockopt(socket.SOL_SOCKET, option, 1)
        bound.bind((_HOST, port))
        bound.listen(_BACKLOG)
    except BaseException:
        bound.close()
        raise
    return bound
