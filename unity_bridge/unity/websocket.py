"""``WebSocketListener``: RFC 6455 on 127.0.0.1, fit for a machine where any page and any program can reach it (SPEC 7).

It stands on ``websocket-server``, hardened by subclassing alone: the library's listener and handler loop are used, its
handshake (``handshake.py``), framing (``frames.py``) and sending (``outbox.py``) are replaced under the names that the
library gives them. Threads: the caller of ``serve`` accepts; each peer has a reader and, once its handshake is done, a
writer.
"""

from __future__ import annotations

import errno
import os
import selectors
import socket
import sys
from collections import OrderedDict
from dataclasses import dataclass
from threading import Event, Lock, Thread, current_thread
from typing import Any, Container, Dict, Optional, Tuple, Type

from unity_bridge.clock import Clock
from unity_bridge.logger import Logger
from unity_bridge.result import Err, Ok, Result
from unity_bridge.unity.frames import INTERNAL_ERROR
from unity_bridge.unity.peer_connection import PeerConnection, hang_up
from unity_bridge.unity.peers import Limits, Peer, PeerEvents
from unity_bridge.unity.refusal_log import RefusalLog
from unity_bridge.unity.websocket_library import SILENT, WebsocketServer

__all__ = ["BindFailure", "Limits", "Peer", "PeerEvents", "WebSocketListener"]

_DEFAULT_LIMITS = Limits()
_HOST = "127.0.0.1"
_BACKLOG = 128
# Of stop_s, what is left for threads to end once everything has been cut.
_CUT_RESERVE_S = 0.5
# A failing bind is retried every second; looking for the culprit each time would cost more than the retry.
_HOLDER_IS_FRESH_S = 10.0
_ACCEPT_S = 1.0
_OUT_OF_RESOURCES = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
_OUT_OF_RESOURCES_PAUSE_S = 0.1


@dataclass(frozen=True)
class BindFailure:
    """Why the port could not be taken.

    ``reason`` is ``port_in_use``, ``port_not_allowed`` (privileged or reserved), ``port_unusable`` (``error`` has the
    system's own words) or ``stopped``. ``holder`` is ``pid 123 (python3 server.py)``, where it was asked for.
    """

    port: int
    reason: str
    holder: Optional[str] = None
    error: Optional[str] = None


class WebSocketListener:
    """Listens, shakes hands, and passes whole messages to ``events``.

    ``paths`` are the only ones that exist. ``bind`` and ``serve`` belong to one thread, ``stop`` to any.
    """

    connection_class: Type[PeerConnection] = PeerConnection

    def __init__(
        self,
        events: PeerEvents,
        clock: Clock,
        log: Logger,
        limits: Limits = _DEFAULT_LIMITS,
        paths: Container[str] = ("/", "/unity"),
    ) -> None:
        self._events = events
        self._clock = clock
        self._log = log
        self._limits = limits
        self._paths = paths
        self._lock = Lock()
        self._server: Optional[Server] = None  # guarded by _lock
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
                self._server = Server(self, port)
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

    def stop(self, code: int = 1001, reason: str = "server stopping") -> None:
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


class Server(WebsocketServer):  # type: ignore[misc]
    """The library's server: binds, accepts, and keeps the books of who is connected. Internal to the listener."""

    allow_reuse_address = os.name == "posix"
    request_queue_size = _BACKLOG

    def __init__(self, listener: WebSocketListener, port: int) -> None:
        self.events = listener._events
        self.clock = listener._clock
        self.log = listener._log
        self.limits = listener._limits
        self.paths = listener._paths
        self.refusals = RefusalLog(self.log, self.clock)
        self._books = Lock()
        self._half_open: OrderedDict[socket.socket, None] = OrderedDict()  # guarded by _books; oldest first
        self._open: Dict[PeerConnection, None] = {}  # guarded by _books
        self._readers: Dict[Thread, None] = {}  # guarded by _books
        self._stopping = Event()  # set under _books
        self._accepting: Optional[Thread] = None  # guarded by _books
        self._port_is_free = Event()
        super().__init__(_HOST, port, loglevel=SILENT)
        self._waker, self._wake = socket.socketpair()
        # The library's constructor knows one handler class only; nothing is accepted before it is replaced.
        self.RequestHandlerClass = listener.connection_class

    def server_bind(self) -> None:
        if os.name == "nt":
            # There SO_REUSEADDR would let a second server share the port in silence (SPEC 2.5).
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)  # type: ignore[attr-defined,unused-ignore]
        super().server_bind()

    # --- accepting thread

    def accept_until_stopped(self) -> None:
        """The accept loop. ``serve_forever`` would look twice a second whether to stop; this one is told."""
        with self._books:
            if self._stopping.is_set():
                return
            self._accepting = current_thread()
        # A connection that is gone before it is accepted must not block us.
        self.socket.settimeout(_ACCEPT_S)
        with selectors.DefaultSelector() as ready:
            ready.register(self._waker, selectors.EVENT_READ)
            ready.register(self.socket, selectors.EVENT_READ)
            while not self._stopping.is_set():
                ready.select()
                if not self._stopping.is_set():
                    self._accept_one()
        self._free_the_port()

    def _accept_one(self) -> None:
        try:
            line, address = self.get_request()
        except OSError as error:
            if error.errno in _OUT_OF_RESOURCES:
                self.refusals.warn("resources", "cannot accept connections", reason=str(error))
                self._evict(keep=0)
                # The connection is still in the queue: without a pause this loop would spin on it.
                self._stopping.wait(_OUT_OF_RESOURCES_PAUSE_S)
            return
        self.process_request(line, address)

    def process_request(self, request: socket.socket, client_address: Any) -> None:
        reader = Thread(
            target=self.process_request_thread, args=(request, client_address), name="peer-reader", daemon=True
        )
        with self._books:
            self._half_open[request] = None
            self._readers[reader] = None
        self._evict(keep=self.limits.half_open)
        try:
            reader.start()
        except RuntimeError as error:
            # The system gives no more threads.
            self.refusals.warn("resources", "cannot serve a connection", reason=str(error))
            self._forget_thread(reader)
            self.shutdown_request(request)

    def _evict(self, keep: int) -> None:
        """The oldest half-open connections give way, so that a healthy plugin always gets in (SPEC 7.9)."""
        with self._books:
            oldest = list(self._half_open)[: max(0, len(self._half_open) - keep)]
            for line in oldest:
                del self._half_open[line]
        for line in oldest:
            self.refusals.warn("half-open", "cut the oldest half-open connection", half_open=keep)
            hang_up(line)

    # --- a peer's reader thread

    def process_request_thread(self, request: socket.socket, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._forget_thread(current_thread())

    def admit(self, peer: PeerConnection) -> bool:
        """From half-open to open, if there is room. From here on ``stop`` says goodbye to it."""
        with self._books:
            if self._stopping.is_set() or len(self._open) >= self.limits.open_peers:
                return False
            self._half_open.pop(peer.request, None)
            self._open[peer] = None
            return True

    def forget(self, peer: PeerConnection) -> None:
        with self._books:
            self._open.pop(peer, None)

    def shutdown_request(self, request: socket.socket) -> None:
        with self._books:
            self._half_open.pop(request, None)
        super().shutdown_request(request)

    def handle_error(self, request: socket.socket, client_address: Any) -> None:
        """A connection ended before or after its handler could see to it."""
        if not isinstance(sys.exc_info()[1], OSError):
            self.log.exception("a bug ended a connection")

    def _forget_thread(self, reader: Thread) -> None:
        with self._books:
            self._readers.pop(reader, None)

    # --- any thread

    def stop(self, code: int, reason: str) -> None:
        deadline = self.clock.now() + self.limits.stop_s
        with self._books:
            self._stopping.set()
            accepting = self._accepting
            peers = list(self._open)
        if accepting is None or accepting is current_thread():
            self._free_the_port()
        else:
            self._wake_acceptor()
        self._evict(keep=0)
        for peer in peers:
            peer.close(code, reason)
        self._port_is_free.wait(max(0.0, deadline - self.clock.now()))
        self._join_readers(deadline - _CUT_RESERVE_S)
        self._evict(keep=0)
        with self._books:
            peers = list(self._open)
        for peer in peers:
            # A peer whose own event called us cannot have got its goodbye yet; its writer sees to its end.
            if peer.reader is not current_thread():
                peer.abort()
        self._join_readers(deadline)

    def _wake_acceptor(self) -> None:
        try:
            self._wake.send(b"!")
        except OSError:
            pass  # it is gone already

    def _free_the_port(self) -> None:
        self.server_close()
        self._waker.close()
        self._wake.close()
        self._port_is_free.set()

    def _join_readers(self, deadline: float) -> None:
        with self._books:
            readers = [reader for reader in self._readers if reader is not current_thread()]
        for reader in readers:
            reader.join(max(0.0, deadline - self.clock.now()))
