"""A flood of small messages: ``python -I tests/e2e/flooding.py PORT KIND CONNECTIONS PROJECT``.

Each connection says hello, with a nonce for which it never gives a proof if KIND begins with ``pending-``, and then
sends the same message without a pause. If it is closed, it comes again. It claims to have PROJECT open. Standard
library only. It prints ``flooding`` once a connection has sent what it floods with, and goes on until it is ended.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
import time

MESSAGES = {
    "empty": "{}",
    "ping": '{"type":"ping","protocol_version":1}',
    "pong": '{"type":"pong","protocol_version":1}',
    "fault": '{"type":"editor_status","protocol_version":1,"state":7}',
    "status": '{"type":"editor_status","protocol_version":1,"state":"ready","seq":1}',
    "moods": '{"type":"editor_status","protocol_version":1,"state":"compiling","seq":1}',
    "result": '{"type":"result","protocol_version":1,"request_id":"nobody","status":"ok","result":{}}',
    "error": '{"type":"error","protocol_version":1,"error":{"code":"ERR_INVALID_REQUEST","message":"no"}}',
    "large": '{"type":"pong","protocol_version":1,"x":[%s1]}' % ("1," * 200000),
    "hello": "",
}


def frame(text: str) -> bytes:
    payload, mask = text.encode(), b"\x01\x02\x03\x04"
    masked = bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload))
    if len(payload) < 126:
        return bytes((0x81, 0x80 | len(payload))) + mask + masked
    if len(payload) < 2**16:
        return bytes((0x81, 0xFE)) + len(payload).to_bytes(2, "big") + mask + masked
    return bytes((0x81, 0xFF)) + len(payload).to_bytes(8, "big") + mask + masked


def drain(connection: socket.socket) -> None:
    try:
        while connection.recv(2**16):
            pass
    except OSError:
        pass


def flood(port: int, kind: str, begun: threading.Event, project: str) -> None:
    is_pending = kind.startswith("pending-")
    message = frame(MESSAGES[kind.replace("pending-", "")])
    chunk = message * max(1, 2**16 // len(message))
    hello = {"type": "hello", "protocol_version": 1, "plugin_version": "0", "state": "ready"}
    if project:
        hello["project_path"] = project
    if is_pending:
        hello["nonce"] = os.urandom(16).hex()
    head = (
        f"GET /unity HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OTAxMjM0NQ==\r\n\r\n"
    ).encode()
    while True:
        try:
            connection = socket.create_connection(("127.0.0.1", port), 5)
            connection.sendall(head + frame(json.dumps(hello)))
            threading.Thread(target=drain, args=(connection,), daemon=True).start()
            connection.settimeout(None)
            while kind != "hello":
                connection.sendall(chunk)
                begun.set()
            connection.close()
            begun.set()
        except OSError:
            time.sleep(0.005)  # refused: it comes again


def main(port: int, kind: str, connections: int, project: str) -> None:
    begun = threading.Event()
    threads = [
        threading.Thread(target=flood, args=(port, kind, begun, project), daemon=True)
        for _ in range(connections)
    ]
    for thread in threads:
        thread.start()
    begun.wait()
    sys.stdout.write("flooding\n")
    sys.stdout.flush()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4] if len(sys.argv) > 4 else "")
