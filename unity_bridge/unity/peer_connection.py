"""``PeerConnection``: one connection of the listener, from its first byte to its last.

Its reader thread runs ``setup``, ``handle`` and ``finish``; its writer thread runs ``_write``; ``send``, ``close`` and
``abort`` belong to everybody. Only the writer ever waits for the peer to read, and only the reader for it to write.
"""

from __future__ import annotations

import itertools
import socket
from contextlib import suppress
from socketserver import StreamRequestHandler
from threading import Event, Lock, Thread, current_thread
from typing import Callable, Mapping, Optional, Protocol, Tuple, Union

from unity_bridge.base.clock import Clock
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.log.limited_log import LimitedLog
from unity_bridge.log.logger import Logger
from unity_bridge.system.interruptible_socket import InterruptibleSocket
from unity_bridge.trust.proof import Ends
from unity_bridge.trust.secret import SecretSource
from unity_bridge.unity.allowance import Allowance
from unity_bridge.unity.close_codes import ABNORMAL, INTERNAL_ERROR, POLICY_VIOLATION, TOO_BIG
from unity_bridge.unity.frames import (
    Closed,
    Incoming,
    PingFrame,
    Text,
    Violation,
    close_frame,
    pong_frame,
    text_frame,
)
from unity_bridge.unity.handshake import (
    TOO_MANY,
    TOO_SLOW,
    ProofRequest,
    Rejection,
    RequestHead,
    Upgrade,
)
from unity_bridge.unity.message_reader import MessageReader, frame_reader
from unity_bridge.unity.outbox import Outbox, Posted
from unity_bridge.unity.peers import Endpoint, Limits
from unity_bridge.unity.websocket_library import WebSocketHandler

# The socket's timeout, shared by reader and writer: how late either may notice a deadline or a dead
# connection.
_TICK_S = 1.0
_SHORTEST_TICK_S = 0.01  # 0 would be "do not wait"
_CHUNK_BYTES = 64 * 1024
# An unproven peer that says too much is not read for so long.
_REST_S = 0.05

_ids = itertools.count(1)


class AcceptingServer(Protocol):
    """The server that accepted the connection, as the connection sees it."""

    port: int
    endpoints: Mapping[str, Endpoint]
    clock: Clock
    log: Logger
    limits: Limits
    refusals: LimitedLog
    secret: SecretSource

    def admit(self, peer: PeerConnection) -> bool:
        """Whether the endpoint has a slot for it."""

    def forget(self, peer: PeerConnection) -> None:
        """Forget a connection that has ended."""


class PeerConnection(WebSocketHandler):  # type: ignore[misc]
    """A ``Peer``. The library's handler loop calls ``handshake`` once, then ``read_next_message``
    until the end.
    """

    disable_nagle_algorithm = True
    reader_class = MessageReader
    server: AcceptingServer
    request: InterruptibleSocket

    # --- reader thread

    def setup(self) -> None:
        super().setup()
        self.id = next(_ids)
        self.path = ""
        self.ends = Ends.of_server(self.request, self.client_address)
        self._limits = self.server.limits
        self._clock = self.server.clock
        self._message_deadline: Optional[float] = None
        self._introduction_deadline: Optional[float] = None
        self._outbox = Outbox(self._limits.outbox_bytes, self._send_now)
        self._writer: Optional[Thread] = None
        self._unwaiting: Optional[socket.socket] = None
        self._reading_over = Event()
        self._is_introduced = False
        self._is_cut = Event()
        self._unproven = Allowance(
            self._limits.unproven_burst, self._limits.unproven_rate, self._clock
        )
        self._lock = Lock()
        self._ending: Optional[Tuple[int, str]] = (
            None  # guarded by _lock; the first cause is the cause
        )
        self._released = False  # guarded by _lock
        self.reader = current_thread()
        self.reader.name = f"peer-{self.id}-reader"
        self.request.settimeout(_TICK_S)

    def handle(self) -> None:
        try:
            super().handle()
        except OSError as error:
            self._lost(str(error))
        except Exception:
            self._end_by_a_bug()

    def handshake(self) -> None:
        head = self._read_head()
        request = head.value if isinstance(head, Ok) else None
        if isinstance(request, Upgrade):
            self.path = request.path
            self.endpoint = self.server.endpoints[self.path]
            if self.server.admit(self):
                self._open(request)
                return
            head = Err(TOO_MANY)
        self.keep_alive = False
        if isinstance(request, ProofRequest):
            self._answer(request.answer(self.server.secret(), self.ends))
        elif isinstance(head, Err):
            self._answer(head.error)

    def read_next_message(self) -> None:
        data = self._receive()
        if data is not None:
            self._take(data)
        else:
            # A tick without data is a good time to import it. Should this process run out of
            # descriptors, it could not be imported any more, and the first long message would end
            # the connection.
            with suppress(OSError, ImportError):
                frame_reader()
        for deadline, fault in (
            (self._message_deadline, "a message took too long to arrive"),
            (self._introduction_deadline, "it did not say in time who it is"),
        ):
            if deadline is not None and self.keep_alive and self._clock.now() >= deadline:
                self._fail(Violation(POLICY_VIOLATION, fault))

    def finish(self) -> None:
        try:
            if self._writer is not None:
                with self._lock:
                    code, reason = self._ending or (ABNORMAL, "")
                self._report(self.endpoint.events.peer_closed, self, code, reason)
                self._drain()
                self._reading_over.set()
                self._writer.join()
        finally:
            self.server.forget(self)
            # ``abort`` on another thread reads this and cuts the socket under the same lock.
            # Otherwise it could cut while this thread closes the socket, and hit another connection
            # that got the same descriptor.
            with self._lock:
                self._released = True
            if self._unwaiting is not None:
                self._unwaiting.close()
            # The library's own finish() leaves rfile and wfile open, and with them the socket.
            StreamRequestHandler.finish(self)

    def _read_head(self) -> Optional[Result[Union[Upgrade, ProofRequest], Rejection]]:
        """``None``: the peer left without a word, which every port probe does."""
        head = RequestHead(self.server.port, self.server.endpoints, self._limits.head_bytes)
        deadline = self._clock.now() + self._limits.head_s
        begun = False
        while True:
            remaining = deadline - self._clock.now()
            if remaining <= 0:
                if begun:
                    return Err(TOO_SLOW)
                return None
            self.request.settimeout(min(remaining, _TICK_S))
            try:
                data = self.request.recv(head.wanted)
            except socket.timeout:
                continue
            if not data:
                return None
            begun = True
            verdict = head.feed(data)
            if verdict is not None:
                self.request.settimeout(_TICK_S)
                return verdict

    def _answer(self, answer: Union[bytes, Rejection]) -> None:
        if isinstance(answer, Rejection):
            self.server.refusals.warn(
                answer.kind,
                "refused a connection",
                status=answer.status,
                reason=answer.reason,
                peer=self.id,
            )
            answer = answer.as_http()
        self.request.sendall(answer)
        self.request.shutdown(socket.SHUT_WR)
        # Unread bytes at close would turn into a reset that may overtake the answer.
        self._drain(self._clock.now() + self._limits.linger_s)

    def _open(self, upgrade: Upgrade) -> None:
        max_bytes = self.endpoint.max_message_bytes or self._limits.max_message_bytes
        self._messages = self.reader_class(max_bytes, self._limits.max_fragments)
        if self.endpoint.introduction_s is not None:
            self._introduction_deadline = self._clock.now() + self.endpoint.introduction_s
        self.request.sendall(self.make_handshake_response(upgrade.key).encode("ascii"))
        self.handshake_done = self.valid_client = True
        # The same connection once more, under a socket object of its own: only there may "do not
        # wait" be the time-out. A plain one, since nothing waits on it.
        self._unwaiting = socket.fromfd(
            self.request.fileno(), self.request.family, self.request.type
        )
        self._unwaiting.setblocking(False)
        writer = Thread(target=self._write, name=f"peer-{self.id}-writer", daemon=True)
        writer.start()
        self._writer = writer
        self._report(self.endpoint.events.peer_opened, self)
        if upgrade.rest and self.keep_alive:
            self._take(upgrade.rest)

    def _receive(self) -> Optional[bytes]:
        """Return what came; ``None`` when nothing did for a tick; ``b""`` at the end."""
        tick = _TICK_S
        if self._introduction_deadline is not None:
            tick = min(tick, max(_SHORTEST_TICK_S, self._introduction_deadline - self._clock.now()))
        # A writer whose wait this shortens looks at its own clock, and waits again.
        if tick != self.request.gettimeout():
            self.request.settimeout(tick)
        try:
            return self.request.recv(_CHUNK_BYTES)
        except socket.timeout:
            return None

    def _take(self, data: bytes) -> None:
        if not data:
            self._lost("the peer hung up")
            return
        completed = False
        for incoming in self._messages.feed(data):
            completed = completed or isinstance(incoming, Text)
            self.act_on(incoming)
        if not self._messages.unfinished:
            self._message_deadline = None
        elif completed or self._message_deadline is None:
            self._message_deadline = self._clock.now() + self._limits.message_s

    def act_on(self, incoming: Incoming) -> None:
        if not self._is_introduced:
            self._pace()
        if isinstance(incoming, Text):
            # What arrives after our own close frame went into the outbox is no longer heard.
            if not self._outbox.sealed:
                self._report(self.endpoint.events.peer_said, self, incoming.text)
        elif isinstance(incoming, PingFrame):
            self.post(pong_frame(incoming.payload))
        elif isinstance(incoming, Closed):
            self._end(incoming.code, incoming.reason)
            self._outbox.seal(close_frame(incoming.code, ""))
            self.keep_alive = False
        elif isinstance(incoming, Violation):
            self._fail(incoming)

    def _pace(self) -> None:
        """Hear an unproven peer at a bounded rate, so that a flood takes little time from every
        other thread.

        Raises ``OSError`` once the connection is cut.
        """
        if self._unproven.take():
            return
        # What it says after our close frame need not be parsed: it waits here until its writer has
        # cut the connection.
        while self._outbox.sealed or not self._unproven.take():
            if self._is_cut.wait(_REST_S):
                raise ConnectionAbortedError("it sends too much")

    def _fail(self, violation: Violation) -> None:
        self.keep_alive = False
        if self._outbox.sealed:
            return
        self.server.refusals.warn(
            str(violation.code),
            "closed a connection",
            code=violation.code,
            reason=violation.reason,
            peer=self.id,
        )
        if violation.code == TOO_BIG:
            self._report(self.endpoint.events.peer_overflowed, self)
        self.close(violation.code, violation.reason)

    def _lost(self, why: str) -> None:
        self.keep_alive = False
        self._end(ABNORMAL, why)
        self.abort()

    def _report(self, event: Callable[..., None], *values: object) -> None:
        """Pass an event to the owner, whose exceptions (an ``OSError`` too) are bugs and not the
        connection's.
        """
        try:
            event(*values)
        except Exception:
            self._end_by_a_bug()

    def _end_by_a_bug(self) -> None:
        self.server.log.exception("a bug ended a connection", peer=self.id)
        self.keep_alive = False
        self.close(INTERNAL_ERROR, "internal error")

    def _drain(self, deadline: Optional[float] = None) -> None:
        """Read and forget until the peer hangs up; without a ``deadline`` the writer ends this."""
        try:
            while deadline is None or self._clock.now() < deadline:
                if self._receive() == b"":
                    return
        except OSError:
            return

    # --- writer thread

    def _write(self) -> None:
        try:
            while True:
                frame = self._outbox.take()
                if frame is None:
                    break
                self._send_all(frame)
            self.request.shutdown(socket.SHUT_WR)
        except socket.timeout:
            self._end(ABNORMAL, "the peer stopped reading")
            self.server.refusals.warn(
                "stalled", "cut off a peer that stopped reading", peer=self.id
            )
            self.abort()
        except OSError as error:
            self._end(ABNORMAL, str(error))
            self.abort()
        # The reader drains until the peer hangs up; this is what bounds it.
        if not self._reading_over.wait(self._limits.linger_s):
            self.abort()

    def _send_all(self, frame: bytes) -> None:
        deadline = self._clock.now() + self._limits.send_s
        unsent = memoryview(frame)
        while unsent:
            try:
                unsent = unsent[self.request.send(unsent) :]
            except socket.timeout:
                pass
            if unsent and self._clock.now() >= deadline:
                raise socket.timeout

    # --- any thread

    def send(self, text: str) -> bool:
        payload = text.encode("utf-8")
        if len(payload) > self._limits.max_message_bytes:
            raise ValueError(
                f"a message of {len(payload)} bytes is over the limit of {self._limits.max_message_bytes}"
            )
        return self.post(text_frame(payload))

    def post(self, frame: bytes) -> bool:
        """Hand a frame to the writer; ``False`` once closing."""
        posted = self._outbox.put(frame)
        if posted is Posted.FULL:
            self._end(ABNORMAL, "the peer does not read what is sent to it")
            self.server.refusals.warn(
                "outbox full", "cut off a peer that does not read", peer=self.id
            )
            self.abort()
        return posted is Posted.ACCEPTED

    def _send_now(self, frame: bytes) -> int:
        """Send what the socket takes at once; return how much.

        Called with the outbox's lock held, so no other frame can get in between.
        """
        try:
            if self._unwaiting is not None:
                return self._unwaiting.send(frame)
            return 0
        except OSError:
            return 0  # full, or dead: the writer finds out which

    def introduced(self) -> None:
        self._introduction_deadline = None
        self._is_introduced = True

    @property
    def is_closing(self) -> bool:
        """Whether its last frame is queued or sent; it then waits for the peer to hang up."""
        return self._outbox.sealed

    def close(self, code: int, reason: str) -> None:
        self._end(code, reason)
        self._outbox.seal(close_frame(code, reason))

    def abort(self) -> None:
        self._end(ABNORMAL, "aborted")
        self._outbox.abandon()
        self._is_cut.set()
        with self._lock:
            # Not close(): it would not wake the threads that wait on this socket, and its
            # shutdown() does.
            if not self._released:
                self.request.cut()

    def _end(self, code: int, reason: str) -> None:
        with self._lock:
            if self._ending is None:
                self._ending = (code, reason)
