"""The MCP endpoint compared with the SDK's own stdio, in one run: ``python tests/bench/mcp_bench.py
[COMMAND ...]``.

Servers: a minimal one on the SDK's stock stdio (1.00 in every row), the same on our stdio, the MCP endpoint with
nothing behind it, and the product (or ``COMMAND``) without an editor. Each is a process; the client is a raw pipe
driver. Rounds alternate between them, so that the machine's load affects all. Ratios are in brackets.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import threading
from pathlib import Path
from time import perf_counter
from typing import Any, Dict, List, Optional

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from unity_bridge.launch.environment import isolated

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = 5
CALLS = 300
IN_FLIGHT = 32
LARGE_CALLS = 10
IDLE_S = 2.0
# About 900 KB of structured content, which the wire carries twice.
LARGE = {"contains": "entries 1900", "max_entries": 2000}

HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}
FIGURES = {
    "cold": "spawn -> initialize answered, ms",
    "p50": "one call, p50, us",
    "p99": "one call, p99, us",
    "many": "32 in flight, us a call",
    "large": "900 KB result, ms",
    "rss": "memory, MB",
    "idle": "idle CPU, ms a second",
}


class Server:
    """A server process and a driver that writes prepared lines and reads whole ones."""

    def __init__(self, command: List[str]) -> None:
        started = perf_counter()
        self._process = subprocess.Popen(
            command,
            cwd=str(ROOT),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._into = self._process.stdin.fileno()
        self._out_of = open(self._process.stdout.fileno(), "rb", buffering=1 << 20, closefd=False)  # noqa: SIM115
        self._ids = 0
        self.ask("initialize", HELLO)
        self.cold = perf_counter() - started
        os.write(self._into, b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')

    def line(self, method: str, params: Dict[str, Any]) -> bytes:
        self._ids += 1
        return (
            json.dumps(
                {"jsonrpc": "2.0", "id": self._ids, "method": method, "params": params}
            ).encode()
            + b"\n"
        )

    def ask(self, method: str, params: Dict[str, Any]) -> bytes:
        os.write(self._into, self.line(method, params))
        return self._out_of.readline()

    def call(self, tool: str, arguments: Optional[Dict[str, Any]] = None) -> bytes:
        return self.ask("tools/call", {"name": tool, "arguments": arguments or {}})

    def many(
        self,
        count: int,
        tool: str = "get_editor_state",
        arguments: Optional[Dict[str, Any]] = None,
        in_flight: int = IN_FLIGHT,
    ) -> float:
        """Keep ``in_flight`` calls in flight until ``count`` are answered. Seconds per call."""
        lines = [
            self.line("tools/call", {"name": tool, "arguments": arguments or {}})
            for _ in range(count)
        ]
        room = threading.Semaphore(in_flight)

        def write() -> None:
            for line in lines:
                room.acquire()
                os.write(self._into, line)

        writer = threading.Thread(target=write, name="bench-writer")
        begun = perf_counter()
        writer.start()
        for _ in range(count):
            self._out_of.readline()
            room.release()
        writer.join()
        return (perf_counter() - begun) / count

    @property
    def process(self) -> psutil.Process:
        return psutil.Process(self._process.pid)

    def close(self) -> None:
        self._process.stdin.close()  # type: ignore[union-attr]
        self._process.wait(20)
        self._out_of.close()
        self._process.stdout.close()  # type: ignore[union-attr]


def measured(command: List[str]) -> Dict[str, float]:
    server = Server(command)
    try:
        for _ in range(20):
            server.call("get_editor_state")
        times = []
        for _ in range(CALLS):
            begun = perf_counter()
            server.call("get_editor_state")
            times.append(perf_counter() - begun)
        many = server.many(CALLS * 2)
        figures = {
            "cold": server.cold * 1e3,
            "p50": statistics.median(times) * 1e6,
            "p99": sorted(times)[int(len(times) * 0.99)] * 1e6,
            "many": many * 1e6,
        }
        large = []
        for _ in range(LARGE_CALLS):
            begun = perf_counter()
            size = len(server.call("read_console", LARGE))
            large.append(perf_counter() - begun)
            if size < 500_000:  # without an editor there is no such result
                break
        else:
            figures["large"] = statistics.median(large) * 1e3
        before = sum(server.process.cpu_times()[:2])
        threading.Event().wait(IDLE_S)
        figures["idle"] = (sum(server.process.cpu_times()[:2]) - before) / IDLE_S * 1e3
        figures["rss"] = server.process.memory_info().rss / 1e6
        return figures
    finally:
        server.close()


def main(product: List[str]) -> None:
    bench = [sys.executable, "tests/bench/minimal_sdk_server.py"]
    commands = {
        "SDK": bench,
        "our endpoint": [*isolated("tests.mcp.serve_fake"), "--quiet"],
        "product": product or [*isolated(), "--port", "0", "--log-level", "error"],
    }
    rounds: Dict[str, List[Dict[str, float]]] = {name: [] for name in commands}
    for number in range(ROUNDS):
        for name in list(commands)[number % 2 :: 1] + list(commands)[: number % 2]:
            rounds[name].append(measured(commands[name]))
    print(f"{'':34}" + "".join(f"{name:>22}" for name in commands))
    for figure, said in FIGURES.items():
        row = f"{said:34}"
        medians = {name: _median(taken, figure) for name, taken in rounds.items()}
        for name in commands:
            value, stock = medians[name], medians["SDK"]
            ratio = f" ({value / stock:.2f})" if value is not None and stock else ""
            row += f"{'-' if value is None else f'{value:.1f}{ratio}':>22}"
        print(row)


def _median(taken: List[Dict[str, float]], figure: str) -> Optional[float]:
    values = [figures[figure] for figures in taken if figure in figures]
    return statistics.median(values) if values else None


if __name__ == "__main__":
    main(sys.argv[1:])
