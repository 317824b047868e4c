"""A WebSocket client as bytes, for peers that do what no library would."""

from __future__ import annotations

import socket
from typing import List, Optional, Tuple

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA
KEY = "dGhlIHNhbXBsZSBub25jZQ=="
# How long a test waits for what must come before it calls that a hang.
HANG_S = 20.0


def header(opcode: int, length: int, fin: bool = True, rsv: int = 0, masked: bool = True) -> bytes:
    """A frame's header without its mask; the length in its shortest form, as RFC 6455 5.2 demands."""
    first = (0x80 if fin else 0) | rsv << 4 | opcode
    mask_bit = 0x80 if masked else 0
    if length <= 125:
        return bytes((first, mask_bit | length))
    if length < 2**16:
        return bytes((first, mask_bit | 126)) + length.to_bytes(2, "big")
    return bytes((first, mask_bit | 127)) + length.to_bytes(8, "big")


def frame(
    opcode: int,
    payload: bytes = b"",
    fin: bool = True,
    rsv: int = 0,
    mask: Optional[bytes] = b"\1\2\3\4",
) -> bytes:
    """A client's frame; without a ``mask`` one that no client may send."""
    head = header(opcode, len(payload), fin, rsv, mask is not None)
    if mask is None:
        return head + payload
    return head + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))


def close_payload(code: int, reason: str = "") -> bytes:
    return code.to_bytes(2, "big") + reason.encode()


def request(port: int, path: str = "/unity", /, **changed: Optional[str]) -> bytes:
    """A handshake; ``changed`` replaces headers by name (``_`` for ``-``), ``None`` leaves one out."""
    headers = {
        "Host": f"127.0.0.1:{port}",
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": KEY,
    }
    lines = {name.lower(): (name, value) for name, value in headers.items()}
    for name, value in changed.items():
        name = name.replace("_", "-")
        if value is None:
            del lines[name.lower()]
        else:
            lines[name.lower()] = (lines.get(name.lower(), (name, ""))[0], value)
    head = [f"GET {path} HTTP/1.1", *(f"{name}: {value}" for name, value in lines.values()), "", ""]
    return "\r\n".join(head).encode("latin-1")


class RawClient:
    """A TCP connection to the listener. Reads fail after ``HANG_S``."""

    def __init__(self, port: int, receive_buffer: Optional[int] = None) -> None:
        self.port = port
        self.line = socket.socket()
        if receive_buffer is not None:
            self.line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.line.settimeout(HANG_S)
        try:
            self.line.connect(("127.0.0.1", port))
        except OSError:
            self.line.close()
            raise
        self._unread = b""

    def __enter__(self) -> RawClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.line.close()

    def shake_hands(self, path: str = "/unity") -> RawClient:
        self.send(request(self.port, path))
        status = self.http_status()
        assert status == 101, status
        return self

    def send(self, data: bytes) -> None:
        self.line.sendall(data)

    def say(self, text: str) -> None:
        self.send(frame(TEXT, text.encode()))

    def http_status(self) -> int:
        """Reads an HTTP response up to the end of its head; 0 where the server hung up instead."""
        while b"\r\n\r\n" not in self._unread:
            if not self._more():
                return 0
        head, _, self._unread = self._unread.partition(b"\r\n\r\n")
        return int(head.split()[1])

    def read_frame(self) -> Optional[Tuple[int, bytes]]:
        """``(opcode, payload)`` of the server's next frame; ``None`` at the end of the line."""
        head = self._exactly(2)
        if head is None:
            return None
        length = head[1] & 0x7F
        if length > 125:
            longer = self._exactly(2 if length == 126 else 8)
            if longer is None:
                return None
            length = int.from_bytes(longer, "big")
        payload = self._exactly(length)
        return None if payload is None else (head[0] & 0xF, payload)

    def hears(self) -> str:
        """The next text message."""
        answer = self.read_frame()
        assert answer is not None and answer[0] == TEXT, answer
        return answer[1].decode()

    def close_code(self) -> int:
        """The code of the close frame that the server sends, whatever it sends before it; 1006
        where none comes.
        """
        while True:
            answer = self.read_frame()
            if answer is None:
                return 1006
            if answer[0] == CLOSE:
                return int.from_bytes(answer[1][:2], "big") if answer[1] else 1005

    def everything(self) -> List[Tuple[int, bytes]]:
        """All frames up to the end of the line."""
        return list(iter(self.read_frame, None))

    def is_cut(self) -> bool:
        """Waits for the end of the line; whatever still comes is dropped."""
        while self._more():
            self._unread = b""
        return True

    def _exactly(self, count: int) -> Optional[bytes]:
        while len(self._unread) < count:
            if not self._more():
                return None
        taken, self._unread = self._unread[:count], self._unread[count:]
        return taken

    def _more(self) -> bool:
        try:
            data = self.line.recv(2**16)
        except ConnectionError:
            return False
        self._unread += data
        return bool(data)
