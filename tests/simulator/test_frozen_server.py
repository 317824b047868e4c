"""A server that accepts the connection and then freezes: the editor can still end (SPEC §11)."""

from __future__ import annotations

import base64
import hashlib
import socket
from typing import Any, Callable

import pytest

from tests.scripted_server import HANG_GUARD_S

Open = Callable[..., Any]


def upgrade(line: socket.socket) -> None:
    """The server's side of the handshake, up to the editor's first frame."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += line.recv(4096)
    key = next(
        text.split(b": ")[1]
        for text in head.split(b"\r\n")
        if text.lower().startswith(b"sec-websocket-key")
    )
    accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
    line.sendall(
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n"
    )
    assert line.recv(4096)


@pytest.mark.usefixtures("shutdown_wakes_nobody")
def test_a_frozen_server_does_not_keep_a_dropped_connection(open_editor: Open) -> None:
    with socket.create_server(("127.0.0.1", 0)) as frozen:
        frozen.settimeout(HANG_GUARD_S)
        editor = open_editor(port=frozen.getsockname()[1])
        first, _ = frozen.accept()
        with first:
            upgrade(first)
            editor.drop()
            frozen.accept()[0].close()
