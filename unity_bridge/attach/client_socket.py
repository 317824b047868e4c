"""``ClientSocket``: a WebSocket connection to the holder of the port, which may be any program
(SPEC §20.1).

Until ``trust`` nothing that the other side sends determines memory or time: its head, each message and the total are
bounded in bytes, and every step has the caller's deadline. ``frames`` reads the messages. The head is read here: it is
one status line and one header that count, and importing ``h11`` for them is a twelfth of every command.
"""

from __future__ import annotations

import base64
import hashlib
import os
import queue
import socket
import threading
from collections import deque
from contextlib import suppress
from typing import Deque, Iterable, List, Optional, Tuple

from unity_bridge.base.clock import Clock
from unity_bridge.unity.frames import (
    Closed,
    PingFrame,
    Text,
    Violation,
    masked_pong_frame,
    masked_text_frame,
)
from unity_bridge.unity.message_reader import MessageReader

_MAX_HEAD_BYTES = 8 * 1024
_SWITCHING = b"HTTP/1.1 101 "
# The owner sends each message as one frame. A proxy in between may split it.
_MAX_FRAGMENTS = 64
_CHUNK_BYTES = 64 * 1024
# For sending one message. An owner that does not read is lost.
_SEND_S = 10.0
# RFC 6455 §1.3
_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class NotSpoken(Exception):
    """The other side breaks the protocol, or sends more than it may."""


class ClientSocket:
    """One thread calls everything but ``post`` and ``cut``, which any thread may call after
    ``trust``. Neither waits.

    Deadlines are instants on ``clock``. Everything that waits raises ``OSError``, at the deadline
    ``socket.timeout``, or ``NotSpoken``. The caller closes ``connection``, after ``dispose``.
    """

    def __init__(self, connection: socket.socket, max_message_bytes: int, clock: Clock) -> None:
        self._connection = connection
        self._clock = clock
        self._reader = MessageReader(max_message_bytes, _MAX_FRAGMENTS, is_client=True)
        self._texts: Deque[str] = deque()
        self._is_over = False
        self._room: Optional[int] = _MAX_HEAD_BYTES + 2 * max_message_bytes
        self._outgoing: queue.SimpleQueue[Optional[bytes]] = queue.SimpleQueue()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # A second socket object for the same connection, because the two threads need different
        # timeouts.
        self._sender = connection.dup()
        self._sender.settimeout(_SEND_S)
        self._writer = threading.Thread(target=self._write, name="attach-writer", daemon=True)

    # The receiving thread.

    def shake_hands(
        self, port: int, path: str, deadline: float, *more_headers: Tuple[str, str]
    ) -> None:
        """Carry out the opening handshake (RFC 6455 §4.1). ``more_headers``: headers."""
        key = base64.b64encode(os.urandom(16))
        headers = [
            ("Host", f"127.0.0.1:{port}"),
            ("Upgrade", "websocket"),
            ("Connection", "Upgrade"),
            ("Sec-WebSocket-Version", "13"),
            ("Sec-WebSocket-Key", key.decode("ascii")),
            *more_headers,
        ]
        lines = [f"GET {path} HTTP/1.1", *map(": ".join, headers), "", ""]
        self._send("\r\n".join(lines).encode("ascii"), deadline)
        head, body = self._head(deadline)
        if _accepts(head) != [base64.b64encode(hashlib.sha1(key + _GUID).digest())]:
            raise NotSpoken("no WebSocket")
        self._take(body)

    def say(self, text: str, deadline: float) -> None:
        """Send ``text`` and wait until it is on its way; before ``trust`` only."""
        self._send(masked_text_frame(text), deadline)

    def receive(self, deadline: float) -> Optional[str]:
        """Return the next text message, ``None`` at the end."""
        while not self._texts and not self._is_over:
            self._take(self._received(deadline))
        if self._texts:
            return self._texts.popleft()
        return None

    def trust(self) -> None:
        """Trust the other side, which is proven: its total is no longer bounded, and ``post``
        works.
        """
        self._room = None
        self._writer.start()

    def dispose(self) -> None:
        """Cut the connection and free its resources."""
        # ``None`` ends a writer that waits in the queue, the cut one that waits in a send. The join
        # comes before the close: otherwise the writer could send on a descriptor that another
        # connection has got since.
        self._outgoing.put(None)
        self.cut()
        if self._writer.ident is not None:
            self._writer.join()
        self._sender.close()

    def _head(self, deadline: float) -> Tuple[bytes, bytes]:
        """Return the head without its blank line, and what came after that."""
        data = b""
        while b"\r\n\r\n" not in data:
            room = _MAX_HEAD_BYTES - len(data)
            piece = self._received(deadline, room) if room else b""
            data += piece
            if not piece or not data.startswith(_SWITCHING[: len(data)]):
                raise NotSpoken("no WebSocket")
        head, _, body = data.partition(b"\r\n\r\n")
        return head, body

    def _send(self, data: bytes, deadline: float) -> None:
        self._connection.settimeout(self._remaining(deadline))
        self._connection.sendall(data)

    def _received(self, deadline: float, at_most: int = _CHUNK_BYTES) -> bytes:
        """Something, or nothing at the end."""
        self._connection.settimeout(self._remaining(deadline))
        data = self._connection.recv(at_most)
        if self._room is not None:
            self._room -= len(data)
            if self._room < 0:
                raise NotSpoken("it sends too much")
        self._is_over = not data
        return data

    def _remaining(self, deadline: float) -> float:
        remaining = deadline - self._clock.now()
        if remaining <= 0:
            raise socket.timeout("timed out")
        return remaining

    def _take(self, data: bytes) -> None:
        for incoming in self._reader.feed(bytes(data)):
            if isinstance(incoming, Text):
                self._texts.append(incoming.text)
            elif isinstance(incoming, PingFrame) and self._room is None:
                self._outgoing.put(masked_pong_frame(incoming.payload))
            elif isinstance(incoming, Closed):
                self._is_over = True
            else:
                reason = "it does not identify itself"
                if isinstance(incoming, Violation):
                    reason = incoming.reason
                raise NotSpoken(reason)

    # Any thread.

    def post(self, texts: Iterable[str]) -> None:
        """Hand messages to the writer. Those of another thread go before or after all of them,
        never in between.
        """
        self._outgoing.put(b"".join(map(masked_text_frame, texts)))

    def cut(self) -> None:
        """Cut the connection. Threads that wait on it wake up."""
        for sock in (self._connection, self._sender):  # each wakes those who wait on it
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)

    # The writer's thread.

    def _write(self) -> None:
        while True:
            frame = self._outgoing.get()
            if frame is None:
                return
            try:
                self._sender.sendall(frame)
            except OSError:
                self.cut()  # so that the receiving thread notices
                return


def _accepts(head: bytes) -> List[bytes]:
    """Return the values of ``Sec-WebSocket-Accept``. Raises ``NotSpoken`` if a line of the head is
    no header.
    """
    lines = head.split(b"\r\n")
    headers = [line.partition(b":") for line in lines[1:]]
    # No bare end of a line in a value. In a name no space, as a line has that continues the one
    # before it.
    if lines != head.splitlines() or any(
        not colon or name.split() != [name] for name, colon, _ in headers
    ):
        raise NotSpoken("no HTTP")
    return [value.strip() for name, _, value in headers if name.lower() == b"sec-websocket-accept"]
