"""Programs that are neither a plugin nor a server of ours, on the port: for a moment, or in a crowd
that stays.
"""

from __future__ import annotations

import random
import socket
import struct
from contextlib import ExitStack, suppress
from typing import Callable

# More than half of the slots for connections.
_CROWD = 40
_HEAD = (
    b"GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
_ENDLESS_FRAME = b"\x81\xff" + b"\x00\x00\x01" + b"\x00" * 5 + b"mask"  # it claims 2^40 bytes


class Intruders:
    def __init__(self, port: int, chance: random.Random) -> None:
        self._port = port
        self._chance = chance

    def one(self) -> None:
        """Says something, or nothing, and is reset."""
        with suppress(OSError), self._connected() as connection:
            connection.sendall(self._words())
            connection.sendall(self._chance.randbytes(self._chance.randint(0, 300)))
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def crowd(self, pause: Callable[[], None]) -> None:
        """Many that stay for as long as ``pause`` takes: silent ones, and some that have begun to
        speak.
        """
        with ExitStack() as held:
            for _ in range(_CROWD):
                with suppress(OSError):
                    held.enter_context(self._connected()).sendall(self._words())
            pause()

    def _connected(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self._port), 5)

    def _words(self) -> bytes:
        unity, attach = (_HEAD % (path, self._port) for path in (b"/unity", b"/attach"))
        beginnings = [b"", b"\x00" * 100, b"GET / HTTP/1.1\r\n", b"\x16\x03\x01", unity, attach]
        return self._chance.choice([*beginnings, unity + _ENDLESS_FRAME, attach + _ENDLESS_FRAME])
