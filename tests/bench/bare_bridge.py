"""The least that could be called a bridge, of the standard library alone: what a call costs when
nothing is promised.

``python tests/bench/bare_bridge.py PORT``: MCP on stdin and stdout, one editor on a WebSocket. It parses what it is
sent, keeps who asked what, and renders what it answers; it checks nothing, waits for nobody and survives nothing. The
floor of ``speed_bench.py``.
"""

import base64
import hashlib
import json
import os
import socket
import struct
import sys
import threading
from typing import Any, Dict

_MAGIC = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class BareBridge:
    """Two threads: the main one reads the client and writes to the editor, the other one the other
    way round.
    """

    def __init__(self, port: int) -> None:
        self._listener = socket.create_server(("127.0.0.1", port))
        self._editor_is_there = threading.Event()
        self._asked: Dict[str, Any] = {}
        self._writing = threading.Lock()
        self._editor: socket.socket

    def run(self) -> None:
        threading.Thread(target=self._serve_editor, name="editor", daemon=True).start()
        for line in sys.stdin.buffer:
            self._received(json.loads(line))

    def _received(self, message: Dict[str, Any]) -> None:
        if message["method"] == "initialize":
            version = message["params"]["protocolVersion"]
            about = {
                "protocolVersion": version,
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "bare"},
            }
            self._answer(message["id"], about)
        elif message["method"] == "tools/call":
            self._editor_is_there.wait()
            self._forward(message["id"], message["params"])

    def _forward(self, id: Any, params: Dict[str, Any]) -> None:
        request_id = f"req-{id}"
        self._asked[request_id] = id
        self._send(
            {
                "type": "execute",
                "protocol_version": 1,
                "request_id": request_id,
                "tool_name": params["name"],
                "params": params["arguments"],
                "timeout_ms": 10000,
            }
        )

    def _answer(self, id: Any, result: Dict[str, Any]) -> None:
        line = (
            json.dumps(
                {"jsonrpc": "2.0", "id": id, "result": result}, separators=(",", ":")
            ).encode()
            + b"\n"
        )
        with self._writing:
            rest = memoryview(line)
            while rest:
                rest = rest[os.write(1, rest) :]

    # --- the editor's thread ---

    def _serve_editor(self) -> None:
        self._editor, _ = self._listener.accept()
        self._editor.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        stream = self._editor.makefile("rb")
        key = b""
        while (line := stream.readline()) != b"\r\n":
            if line.lower().startswith(b"sec-websocket-key:"):
                key = line.split(b":", 1)[1].strip()
        accept = base64.b64encode(hashlib.sha1(key + _MAGIC).digest())
        head = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        self._editor.sendall(head + b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n")
        while True:
            self._heard(json.loads(_payload(stream)))

    def _heard(self, message: Dict[str, Any]) -> None:
        if message["type"] == "hello":
            self._send({"type": "hello", "protocol_version": 1, "server_version": "0"})
            self._send({"type": "capability", "protocol_version": 1, "tools": []})
            self._editor_is_there.set()
        elif message["type"] == "result":
            result = message["result"]
            content = [{"type": "text", "text": json.dumps(result, separators=(",", ":"))}]
            id = self._asked.pop(message["request_id"])
            self._answer(id, {"content": content, "structuredContent": result, "isError": False})

    def _send(self, message: Dict[str, Any]) -> None:
        payload = json.dumps(message, separators=(",", ":")).encode()
        size = len(payload)
        self._editor.sendall(
            (bytes([0x81, size]) if size < 126 else struct.pack("!BBH", 0x81, 126, size)) + payload
        )


def _payload(stream: Any) -> bytes:
    size = stream.read(2)[1] & 0x7F
    if size == 126:
        (size,) = struct.unpack("!H", stream.read(2))
    elif size == 127:
        (size,) = struct.unpack("!Q", stream.read(8))
    mask, payload = stream.read(4), stream.read(size)
    # As one number: the one way without a loop that the standard library has.
    key = int.from_bytes((mask * (size // 4 + 1))[:size], "big")
    return (int.from_bytes(payload, "big") ^ key).to_bytes(size, "big")


if __name__ == "__main__":
    BareBridge(int(sys.argv[1])).run()
