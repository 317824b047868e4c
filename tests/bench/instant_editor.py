"""An editor that answers as fast as Python can: prepared text over a raw socket, so that a bridge is what is measured.

``python tests/bench/instant_editor.py PORT``: waits for the port to be there, answers until the connection ends, and
begins anew. ``read_console`` gets as many entries as it wants at most. Prints ``ready`` whenever the server has said
``capability``.
"""

import json
import socket
import struct
import sys
import time
from pathlib import Path
from typing import Any, Dict, Optional

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.mcp.fake_call_service import console

_RETRY_S = 0.001


def result_of(entries: int) -> Dict[str, Any]:
    """About 460 bytes an entry."""
    return console(entries, "日本語 " + "m" * 200, "at A.B () in Assets/A.cs:1\n" * 8)


class InstantEditor:
    def __init__(self, port: int) -> None:
        self._port = port
        self._texts: Dict[int, str] = {}

    def run(self) -> None:
        while True:
            try:
                self._serve(self._connected())
            except OSError:
                continue

    def _connected(self) -> socket.socket:
        while True:
            try:
                line = socket.create_connection(("127.0.0.1", self._port))
                break
            except OSError:
                time.sleep(_RETRY_S)
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        line.sendall(
            f"GET /unity HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
        )
        return line

    def _serve(self, line: socket.socket) -> None:
        hello = {"plugin_version": "0", "state": "ready", "editor_instance_id": "bench", "jobs": []}
        send(line, json.dumps({"type": "hello", "protocol_version": 1, **hello}))
        with line, line.makefile("rb") as stream:
            while stream.readline() not in (b"\r\n", b""):
                pass
            while True:
                text = received(stream)
                if text is None:
                    return
                answer = self._answer(json.loads(text))
                if answer is not None:
                    send(line, answer)

    def _answer(self, message: Dict[str, Any]) -> Optional[str]:
        kind, id = message["type"], message.get("request_id")
        if kind == "execute":
            return self._text(message["params"]["max_entries"]) % id
        if kind == "ping":
            return '{"type":"pong","protocol_version":1}'
        if kind == "capability":
            print("ready", flush=True)
        return None

    def _text(self, wanted: int) -> str:
        if wanted not in self._texts:
            result = json.dumps(result_of(wanted)).replace("%", "%%")
            head = '{"type":"result","protocol_version":1,"request_id":"%s","status":"ok","result":'
            self._texts[wanted] = head + result + "}"
        return self._texts[wanted]


def send(line: socket.socket, text: str) -> None:
    """One frame. Its mask is zero, which is one like any other to a server, and none to make here."""
    payload = text.encode()
    size = len(payload)
    if size < 126:
        head = struct.pack("!BB", 0x81, 0x80 | size)
    elif size < 1 << 16:
        head = struct.pack("!BBH", 0x81, 0x80 | 126, size)
    else:
        head = struct.pack("!BBQ", 0x81, 0x80 | 127, size)
    line.sendall(head + b"\0\0\0\0" + payload)


def received(stream: Any) -> Optional[bytes]:
    """The text of one frame; None at the end, which a close frame is too."""
    head = stream.read(2)
    if len(head) < 2 or head[0] & 0xF == 8:
        return None
    size = head[1]
    if size == 126:
        (size,) = struct.unpack("!H", stream.read(2))
    elif size == 127:
        (size,) = struct.unpack("!Q", stream.read(8))
    payload: bytes = stream.read(size)
    return payload


if __name__ == "__main__":
    InstantEditor(int(sys.argv[1])).run()
