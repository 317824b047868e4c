"""The listener compared with ``websockets.sync.server``: ``python tests/bench/websocket_bench.py``.

Each server is a process that echoes. The client is a raw socket with TCP_NODELAY that sends prepared frames, so the
server is what is measured. Rounds alternate between the servers, so that the machine's load affects both, and the best
round of each counts. The figures are ratios.
"""

from __future__ import annotations

import os
import socket
import statistics
import subprocess
import sys
import threading
from pathlib import Path
from time import perf_counter
from typing import Callable, Dict, List

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

SMALL = 200
BIG = 2**20
ROUNDS = 7


def frame(size: int) -> bytes:
    """A masked text frame of ``size`` bytes."""
    head = b"\x81" + (
        bytes([0x80 | 126]) + size.to_bytes(2, "big")
        if size < 2**16
        else b"\xff" + size.to_bytes(8, "big")
    )
    mask = os.urandom(4)
    return head + mask + bytes(ord("x") ^ mask[i % 4] for i in range(size))


def echoed_bytes(size: int) -> int:
    """Length of the unmasked frame that comes back."""
    return size + (4 if size < 2**16 else 10)


class Client:
    """A connection after its handshake."""

    def __init__(self, port: int) -> None:
        self._line = socket.create_connection(("127.0.0.1", port))
        self._line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._line.sendall(
            f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
        )
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self._line.recv(1)
        self._into = memoryview(bytearray(BIG + 64))

    def send(self, data: bytes) -> None:
        self._line.sendall(data)

    def read(self, count: int) -> None:
        while count:
            got = self._line.recv_into(self._into[: min(count, len(self._into))])
            if not got:
                raise ConnectionError("the server hung up")
            count -= got

    def round_trip(self, data: bytes, echo: int) -> float:
        started = perf_counter()
        self.send(data)
        self.read(echo)
        return perf_counter() - started

    def close(self) -> None:
        self._line.close()


def small_round_trip(port: int) -> float:
    """Median seconds of a 200-byte echo."""
    client, data, echo = Client(port), frame(SMALL), echoed_bytes(SMALL)
    for _ in range(100):
        client.round_trip(data, echo)
    took = statistics.median(client.round_trip(data, echo) for _ in range(1500))
    client.close()
    return took


def big_round_trip(port: int) -> float:
    """Median seconds of a 1 MiB echo."""
    client, data, echo = Client(port), frame(BIG), echoed_bytes(BIG)
    took = statistics.median(_pipelined(client, data, echo, 1) for _ in range(15))
    client.close()
    return took


def twenty_big(port: int) -> float:
    """Seconds for twenty 1 MiB messages sent back to back, and their echoes."""
    client = Client(port)
    took = _pipelined(client, frame(BIG), echoed_bytes(BIG), 20)
    client.close()
    return took


def quiet_next_to_bulk(port: int) -> float:
    """Median seconds of a 200-byte echo while another client echoes 1 MiB messages continuously."""
    bulk, over = Client(port), threading.Event()
    data, echo = frame(BIG), echoed_bytes(BIG)

    def load() -> None:
        while not over.is_set():
            _pipelined(bulk, data, echo, 1)

    loader = threading.Thread(target=load, name="bulk")
    loader.start()
    client, small, small_echo = Client(port), frame(SMALL), echoed_bytes(SMALL)
    took = statistics.median(client.round_trip(small, small_echo) for _ in range(150))
    over.set()
    loader.join()
    client.close()
    bulk.close()
    return took


def _pipelined(client: Client, data: bytes, echo: int, count: int) -> float:
    """A separate thread writes, so that neither side waits for the other to read."""

    def write() -> None:
        for _ in range(count):
            client.send(data)

    writer = threading.Thread(target=write, name="writer")
    started = perf_counter()
    writer.start()
    client.read(echo * count)
    writer.join()
    return perf_counter() - started


def serve_ours() -> None:
    """Echo on the product's listener until stdin ends."""
    from tests.conformance.echo_server import Echo, serve_until_stdin_ends
    from unity_bridge.base.clock import SystemClock
    from unity_bridge.log.logger import Logger
    from unity_bridge.unity.websocket import Limits, WebSocketListener, unity_endpoint

    limits = Limits(outbox_bytes=64 * BIG, unproven_rate=1e9)
    serve_until_stdin_ends(
        WebSocketListener(unity_endpoint(Echo()), SystemClock(), Logger("bench"), limits)
    )


def serve_reference() -> None:
    """Echo on ``websockets`` until stdin ends."""
    from websockets.exceptions import ConnectionClosed
    from websockets.sync.server import ServerConnection, serve

    def echo(connection: ServerConnection) -> None:
        try:
            for message in connection:
                connection.send(message)
        except ConnectionClosed:
            pass

    with serve(echo, "127.0.0.1", 0, compression=None, max_size=BIG) as server:
        print(server.socket.getsockname()[1], flush=True)
        threading.Thread(target=server.serve_forever, name="accept", daemon=True).start()
        sys.stdin.read()


SERVERS: Dict[str, Callable[[], None]] = {"ours": serve_ours, "websockets": serve_reference}
MEASUREMENTS: Dict[str, Callable[[int], float]] = {
    "200 B round trip": small_round_trip,
    "1 MiB echo": big_round_trip,
    "20 x 1 MiB pipelined": twenty_big,
    "200 B next to a bulk peer": quiet_next_to_bulk,
}


def main() -> None:
    processes = {
        name: subprocess.Popen(
            [sys.executable, __file__, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        for name in SERVERS
    }
    ports = {
        name: int(process.stdout.readline())
        for name, process in processes.items()
        if process.stdout
    }
    print(
        f"Python {sys.version.split()[0]}, best of {ROUNDS} rounds; below 1 is faster than websockets"
    )
    for title, measure in MEASUREMENTS.items():
        took: Dict[str, List[float]] = {name: [] for name in SERVERS}
        for _ in range(ROUNDS):
            for name in SERVERS:
                took[name].append(measure(ports[name]))
        ours, theirs = (min(took[name]) for name in ("ours", "websockets"))
        print(
            f"{title:26} ours {ours * 1e3:9.3f} ms   websockets {theirs * 1e3:9.3f} ms   ratio {ours / theirs:5.2f}"
        )
    for process in processes.values():
        process.communicate()


if __name__ == "__main__":
    SERVERS[sys.argv[1]]() if len(sys.argv) > 1 else main()
