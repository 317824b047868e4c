"""An editor that answers as fast as Python can: prepared text over a raw socket, so that a bridge
is what is measured.

``python tests/bench/instant_editor.py PORT``: waits for the port to be there, answers until the connection ends, and
begins again. ``read_console`` gets as many entries as it wants at most. Prints ``waiting`` when it begins to look for
the port, and ``ready`` whenever the server has said ``capability``. It proves itself, because a server reads an
unproven plugin at a limited rate (SPEC §7.7).
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
from unity_bridge.base.result import Ok
from unity_bridge.trust.proof import Ends, new_nonce, proof
from unity_bridge.trust.secret import shared_secret

_RETRY_S = 0.001


def result_of(entries: int) -> Dict[str, Any]:
    """About 460 bytes an entry. No two are equal, because equal ones become one."""
    result = console(entries, "日本語 " + "m" * 200, "at A.B () in Assets/A.cs:1\n" * 8)
    for number, entry in enumerate(result["entries"]):
        entry["message"] += str(number)
    return result


class InstantEditor:
    def __init__(self, port: int) -> None:
        self._port = port
        self._texts: Dict[int, str] = {}

    def run(self) -> None:
        print("waiting", flush=True)
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
        nonce, ends = new_nonce(), Ends.of_client(line)
        hello = {
            "plugin_version": "0",
            "state": "ready",
            "editor_instance_id": "bench",
            "jobs": [],
            "nonce": nonce,
        }
        send(line, json.dumps({"type": "hello", "protocol_version": 1, **hello}))
        with line, line.makefile("rb") as stream:
            while stream.readline() not in (b"\r\n", b""):
                pass
            while True:
                text = received(stream)
                if text is None:
                    return
                message = json.loads(text)
                if message["type"] == "hello" and message.get("nonce"):
                    send(line, proven(message["nonce"], nonce, ends))
                answer = self._answer(message)
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


def proven(theirs: str, own: str, ends: Ends) -> str:
    """The status that carries the plugin's proof (SPEC §17.1)."""
    secret = shared_secret()
    assert isinstance(secret, Ok), secret
    words = proof(secret.value, "plugin", ends, theirs, own)
    return json.dumps(
        {"type": "editor_status", "protocol_version": 1, "state": "ready", "seq": 1, "proof": words}
    )


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
