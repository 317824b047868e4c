"""A program that has one port and passes everything on to another: ``python tests/e2e/relay.py
OWNERS_PORT``.

It prints its own port. It understands just enough to pass: the ``Host`` header names a port, so that is rewritten.
"""

from __future__ import annotations

import socket
import sys
import threading


def pass_on(source: socket.socket, target: socket.socket) -> None:
    try:
        while True:
            data = source.recv(2**16)
            if not data:
                break
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def relay(client: socket.socket, port: int, owners_port: int) -> None:
    with client, socket.create_connection(("127.0.0.1", owners_port)) as owner:
        head = b""
        while b"\r\n\r\n" not in head:
            head += client.recv(2**16)
        owner.sendall(head.replace(b":%d\r\n" % port, b":%d\r\n" % owners_port))
        back = threading.Thread(target=pass_on, args=(owner, client), name="back", daemon=True)
        back.start()
        pass_on(client, owner)
        back.join()


def main() -> None:
    owners_port = int(sys.argv[1])
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        sys.stdout.write(f"{port}\n")
        sys.stdout.flush()
        while True:
            client, _ = listening.accept()
            threading.Thread(
                target=relay, args=(client, port, owners_port), name="relay", daemon=True
            ).start()


if __name__ == "__main__":
    main()
