"""``ConnectionServer``: accepts connections, runs a reader thread for each, and tracks the open
connections.

It stands on ``websocket-server``, hardened by subclassing alone. Threads: the caller of ``accept_until_stopped``
accepts; each peer has a reader and, once its handshake is done, a writer.
"""

from __future__ import annotations

import errno
import selectors
import socket
import sys
from collections import OrderedDict
from threading import Event, Lock, Thread, current_thread
from typing import Any, Dict, List, Mapping, Optional, Tuple, Type

from unity_bridge.base.clock import Clock
from unity_bridge.log.limited_log import LimitedLog
from unity_bridge.log.logger import Logger
from unity_bridge.system.interruptible_socket import InterruptibleSocket
from unity_bridge.trust.secret import SecretSource
from unity_bridge.unity.peer_connection import PeerConnection
from unity_bridge.unity.peers import Endpoint, Limits
from unity_bridge.unity.waiting_connections import WaitingConnections
from unity_bridge.unity.websocket_library import SILENT, WebsocketServer

_HOST = "127.0.0.1"
# Of stop_s, what is left for threads to end once everything has been cut.
_CUT_RESERVE_S = 0.5
_ACCEPTED_AT_ONCE = 32
_OUT_OF_RESOURCES = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
_OUT_OF_RESOURCES_PAUSE_S = 0.1


class ConnectionServer(WebsocketServer):  # type: ignore[misc]
    """The library's server: accepts on a socket that listens, and tracks connections. Internal to
    the listener.
    """

    def __init__(
        self,
        bound: socket.socket,
        endpoints: Mapping[str, Endpoint],
        connection_class: Optional[Type[PeerConnection]],
        clock: Clock,
        log: Logger,
        limits: Limits,
        secret: SecretSource,
    ) -> None:
        self.endpoints = endpoints
        self.clock = clock
        self.log = log
        self.limits = limits
        self.secret = secret
        self.refusals = LimitedLog(log, clock)
        self._lock = Lock()
        self._half_open: OrderedDict[InterruptibleSocket, None] = (
            OrderedDict()
        )  # guarded by _lock; oldest first
        self._open: Dict[PeerConnection, None] = {}  # guarded by _lock
        self._readers: Dict[Thread, None] = {}  # guarded by _lock
        self._stopping = Event()  # set under _lock
        self._accepting: Optional[Thread] = None  # guarded by _lock
        self._port_is_free = Event()
        self._bound = bound
        super().__init__(_HOST, loglevel=SILENT)
        self._waker, self._wake = socket.socketpair()
        # The library's constructor knows one handler class only; nothing is accepted before it is
        # replaced.
        self.RequestHandlerClass = connection_class or PeerConnection

    def server_bind(self) -> None:
        self.server_close()
        self.socket = self._bound

    def server_activate(self) -> None:
        """Do nothing: it listens."""

    # --- accepting thread

    def accept_until_stopped(self) -> None:
        """Accept connections until stopped. ``serve_forever`` would check twice a second; this loop
        is woken.
        """
        # ``stop`` sets the event and reads the thread under this lock. Otherwise it could see no
        # thread and close the sockets after this check, and the loop would wait on closed ones.
        with self._lock:
            if self._stopping.is_set():
                return
            self._accepting = current_thread()
        # A connection that is gone before it is accepted must not block us.
        self.socket.setblocking(False)
        with selectors.DefaultSelector() as ready:
            ready.register(self._waker, selectors.EVENT_READ)
            ready.register(self.socket, selectors.EVENT_READ)
            waiting = WaitingConnections(ready, self.limits, self.clock, self.refusals, self.secret)
            try:
                while not self._stopping.is_set():
                    events = [key.fileobj for key, _ in ready.select(waiting.pause_s)]
                    self._attend(waiting, events)
            finally:
                waiting.drop()
        self._free_the_port()

    def _attend(self, waiting: WaitingConnections, events: List[Any]) -> None:
        """First serve those that have said something: newcomers could push them out."""
        for connection in events:
            if isinstance(connection, InterruptibleSocket):
                waiting.hear(connection)
        served = waiting.next()
        while served is not None:
            self.process_request(*served)
            served = waiting.next()
        if self.socket in events and not self._stopping.is_set():
            self._accept_some(waiting)
        waiting.expire()

    def get_request(self) -> Tuple[InterruptibleSocket, Any]:
        connection, address = super().get_request()
        return InterruptibleSocket.of(connection), address

    def _accept_some(self, waiting: WaitingConnections) -> None:
        """Take the backlog in, whatever its rate: what waits there for long is dropped by the
        system.
        """
        try:
            for _ in range(_ACCEPTED_AT_ONCE):
                connection, address = self.get_request()
                if address[0] == _HOST:
                    waiting.add(connection, address)
                    continue
                # All of 127.0.0.0/8 reaches us. A relay could take the plugin's own port at another
                # of its addresses.
                self.refusals.warn(
                    "address", "closed a connection from another address", address=address[0]
                )
                connection.close()
        except OSError as error:
            if error.errno in _OUT_OF_RESOURCES:
                self.refusals.warn("resources", "cannot accept connections", reason=str(error))
                waiting.drop()
                self._evict(keep=0)
                # The connection stays in the backlog: without a pause this loop would spin.
                self._stopping.wait(_OUT_OF_RESOURCES_PAUSE_S)

    def process_request(self, request: InterruptibleSocket, client_address: Any) -> None:
        reader = Thread(
            target=self.process_request_thread,
            args=(request, client_address),
            name="peer-reader",
            daemon=True,
        )
        # The reader is listed before it starts. Listed later, one that has ended by then would stay
        # in the list for ever, and ``stop`` would not wait for one that runs.
        with self._lock:
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
        """Cut the oldest half-open connections, so that a healthy plugin always gets in (SPEC
        §7.9).
        """
        with self._lock:
            oldest = list(self._half_open)[: max(0, len(self._half_open) - keep)]
            for connection in oldest:
                del self._half_open[connection]
        for connection in oldest:
            self.refusals.warn("half-open", "cut the oldest half-open connection", half_open=keep)
            connection.cut()

    # --- a peer's reader thread

    def process_request_thread(self, request: InterruptibleSocket, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._forget_thread(current_thread())

    def admit(self, peer: PeerConnection) -> bool:
        """Move a connection from half-open to open, if its endpoint has a free slot. ``stop`` then
        closes it.
        """
        closing: Optional[PeerConnection] = None
        with self._lock:
            same = [connection for connection in self._open if connection.endpoint is peer.endpoint]
            if len(same) >= peer.endpoint.max_peers and not peer.request.is_own:
                # A closing one only waits for its peer to hang up.
                closing = next((connection for connection in same if connection.is_closing), None)
                if closing is None:
                    return False
                del self._open[closing]
            # ``stop`` sets the event under this lock, and lists the open peers under it afterwards.
            # A peer admitted after its last list would be neither closed nor cut.
            if self._stopping.is_set():
                return False
            self._half_open.pop(peer.request, None)
            self._open[peer] = None
        if closing is not None:
            closing.abort()
        return True

    def forget(self, peer: PeerConnection) -> None:
        with self._lock:
            self._open.pop(peer, None)

    def shutdown_request(self, request: InterruptibleSocket) -> None:
        with self._lock:
            self._half_open.pop(request, None)
        super().shutdown_request(request)

    def handle_error(self, request: InterruptibleSocket, client_address: Any) -> None:
        """Log a connection that failed outside its handler, if a bug of ours ended it."""
        if not isinstance(sys.exc_info()[1], OSError):
            self.log.exception("a bug ended a connection")

    def _forget_thread(self, reader: Thread) -> None:
        with self._lock:
            self._readers.pop(reader, None)

    # --- any thread

    def stop(self, code: int, reason: str) -> None:
        deadline = self.clock.now() + self.limits.stop_s
        with self._lock:
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
        with self._lock:
            peers = list(self._open)
        for peer in peers:
            # A peer whose own event called stop() has not been sent its close frame yet; its writer
            # ends it.
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
        with self._lock:
            readers = [reader for reader in self._readers if reader is not current_thread()]
        for reader in readers:
            reader.join(max(0.0, deadline - self.clock.now()))
