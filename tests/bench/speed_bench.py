"""The product next to a bare bridge of the standard library, in one run: ``python
tests/bench/speed_bench.py [--pin]``.

Both forward the same calls to the same kind of editor, which answers at once. Both are alive at the same time, and
short batches alternate between them: a batch and the next one meet the same machine, however busy it is, so the median
of the ratios of such pairs is what counts. ``--pin`` puts servers, editors and client on one core, where no thread
waits for another core to wake up. What is behind ``--`` is run instead of the product.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Dict, List, Optional

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.mcp_bench import ROOT, Server
from tests.ports import free_port
from unity_bridge.launch.environment import isolated

STARTS = 7
BATCHES_OF_READS = 120
CALLS = 100
BATCHES_IN_FLIGHT = 30
IN_FLIGHT_CALLS = 200
LARGE_CALLS = 100
ONE_ENTRY = {"max_entries": 1, "include_stack_trace": True}
# About 500 KB of structured content.
LARGE = {"max_entries": 1100, "include_stack_trace": True}

FIRST_ANSWER = "spawn -> initialize answered, ms"
FIRST_RESULT = "spawn -> first result, ms"
P50 = "one read, p50, ms"
P99 = "one read, p99, ms"
CPU = "CPU a call, ms"
IN_FLIGHT = "32 in flight, ms a call"
LARGE_RESULT = "500 KB result, ms"
MEMORY = "memory, MB"
Goals = Dict[str, Optional[float]]
# What is measured, and the ratio that it is to stay under.
GOALS: Goals = {
    FIRST_ANSWER: 1.8,
    FIRST_RESULT: 2.8,
    P50: 2.2,
    P99: 3.0,
    CPU: 4.0,
    IN_FLIGHT: None,
    LARGE_RESULT: 1.1,
    MEMORY: 2.0,
}


class Bridge:
    """A bridge with an editor, and the figures of each of its batches."""

    def __init__(self, command: List[str]) -> None:
        self._port = free_port()
        self._command = [*command, str(self._port)]
        self.figures: Dict[str, List[float]] = {figure: [] for figure in GOALS}

    def start(self) -> None:
        """The editor is there first and waits for the port, as in a window that is opened next to a
        running editor.
        """
        self._editor = subprocess.Popen(
            [sys.executable, "tests/bench/instant_editor.py", str(self._port)],
            cwd=str(ROOT),
            stdout=subprocess.PIPE,
        )
        assert self._editor.stdout is not None
        assert self._editor.stdout.readline() == b"waiting\n"
        begun = perf_counter()
        self._server = Server(self._command)
        answer = self._server.call("read_console", ONE_ENTRY)
        self._note(FIRST_RESULT, perf_counter() - begun)
        assert b"untrusted" not in answer, "an editor without proof is read at a limited rate"
        self._note(FIRST_ANSWER, self._server.cold)

    def stop(self) -> None:
        self._server.close()
        self._editor.kill()
        self._editor.communicate()

    def warm_up(self) -> None:
        for _ in range(200):
            self._server.call("read_console", ONE_ENTRY)

    def reads(self) -> None:
        cpu, times = self._cpu_s(), []
        for _ in range(CALLS):
            begun = perf_counter()
            self._server.call("read_console", ONE_ENTRY)
            times.append(perf_counter() - begun)
        self._note(CPU, (self._cpu_s() - cpu) / CALLS)
        self._note(P50, statistics.median(times))
        self._note(P99, sorted(times)[int(CALLS * 0.99) - 1])

    def reads_in_flight(self) -> None:
        self._note(IN_FLIGHT, self._server.many(IN_FLIGHT_CALLS, "read_console", ONE_ENTRY))

    def large_read(self) -> None:
        begun = perf_counter()
        size = len(self._server.call("read_console", LARGE))
        self._note(LARGE_RESULT, perf_counter() - begun)
        assert size > 1_000_000, size

    def weigh(self) -> None:
        self.figures[MEMORY].append(self._server.process.memory_info().rss / 1e6)

    def _note(self, figure: str, seconds: float) -> None:
        self.figures[figure].append(seconds * 1e3)

    def _cpu_s(self) -> float:
        """Of all threads: Linux counts it in nanoseconds, others in what psutil has."""
        tasks = Path(f"/proc/{self._server.process.pid}/task")
        if not tasks.is_dir():
            return float(sum(self._server.process.cpu_times()[:2]))
        return (
            sum(int((task / "schedstat").read_text().split()[0]) for task in tasks.iterdir()) / 1e9
        )


def compare(other: str, goals: Goals, arguments: List[str]) -> None:
    """The product next to the bridge in the file ``other``, which gets the port as its argument."""
    os.chdir(ROOT)
    others = arguments[arguments.index("--") + 1 :] if "--" in arguments else []
    if "--pin" in arguments:
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    bare = Bridge([sys.executable, f"tests/bench/{other}"])
    product = Bridge([*(others or isolated()), "--port"])
    with tempfile.TemporaryDirectory() as folder:
        os.environ["UNITY_BRIDGE_STATE_DIR"] = folder
        os.environ["UNITY_BRIDGE_ANSWER_MAX_BYTES"] = "1000000"
        # As at every start of a user but the first: nothing is compiled.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = os.path.join(folder, "compiled")
        for bridge in (bare, product):
            bridge.start()
            bridge.stop()
            bridge.figures = {figure: [] for figure in GOALS}
        for _ in range(STARTS - 1):
            for bridge in (bare, product):
                bridge.start()
                bridge.stop()
        for bridge in (bare, product):
            bridge.start()
            bridge.warm_up()
        for do, times in (
            (Bridge.reads, BATCHES_OF_READS),
            (Bridge.reads_in_flight, BATCHES_IN_FLIGHT),
            (Bridge.large_read, LARGE_CALLS),
            (Bridge.weigh, 1),
            (Bridge.stop, 1),
        ):
            for _ in range(times):
                do(bare)
                do(product)
    report(other, goals, bare.figures, product.figures)


def report(
    other: str, goals: Goals, bare: Dict[str, List[float]], product: Dict[str, List[float]]
) -> None:
    print(
        f"Python {sys.version.split()[0]}, median of {STARTS} starts and of batches that alternate, next to {other}"
    )
    print(f"{'':36}{'other':>10}{'bridge':>10}{'ratio':>8}   goal")
    for figure, goal in goals.items():
        ratio = statistics.median(
            ours / theirs for ours, theirs in zip(product[figure], bare[figure])
        )
        wanted = "" if goal is None else f"under {goal}" + ("" if ratio < goal else "   MISSED")
        floor, ours = statistics.median(bare[figure]), statistics.median(product[figure])
        print(f"{figure:36}{floor:10.2f}{ours:10.2f}{ratio:8.2f}   {wanted}")
    print(f"32 in flight: {1e3 / statistics.median(product[IN_FLIGHT]):.0f} calls/s")


if __name__ == "__main__":
    compare("bare_bridge.py", GOALS, sys.argv[1:])
