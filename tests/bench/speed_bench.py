"""The product beside a bare bridge of the standard library, in one run: ``python tests/bench/speed_bench.py [--pin]``.

Both forward the same calls to the same editor, which answers at once. Rounds alternate between the two, so that the
machine's moods hit both; the best round of each counts. ``--pin`` puts server, editor and client on one core each run,
where no thread waits for another core to wake up. What is behind ``--`` is run instead of the product.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Dict, List

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.mcp_bench import ROOT, Server
from tests.ports import free_port
from unity_bridge.environment import isolated

ROUNDS = 7
CALLS = 1500
IN_FLIGHT_CALLS = 3000
LARGE_CALLS = 25
ONE_ENTRY = {"max_entries": 1, "include_stack_trace": True}
# About 500 KB of structured content.
LARGE = {"max_entries": 1100, "include_stack_trace": True}

# What is measured, and the ratio that it is to stay under.
GOALS = {
    "spawn -> initialize answered, ms": None,
    "spawn -> first result, ms": 5.0,
    "one read, p50, ms": 2.2,
    "one read, p99, ms": 3.0,
    "CPU a call, ms": 4.0,
    "32 in flight, ms a call": None,
    "500 KB result, ms": 1.1,
    "memory, MB": 2.0,
}


def measured(command: List[str], port: int) -> Dict[str, float]:
    editor = subprocess.Popen(
        [sys.executable, "tests/bench/instant_editor.py", str(port)], cwd=str(ROOT), stdout=subprocess.PIPE
    )
    try:
        return {**first_result(command), **steady(command)}
    finally:
        editor.kill()
        editor.communicate()


def first_result(command: List[str]) -> Dict[str, float]:
    """The editor is there and waits for the port, as in a window that is opened beside a running editor."""
    begun = perf_counter()
    server = Server(command)
    server.call("read_console", ONE_ENTRY)
    took = perf_counter() - begun
    figures = {"spawn -> initialize answered, ms": server.cold * 1e3, "spawn -> first result, ms": took * 1e3}
    server.close()
    return figures


def steady(command: List[str]) -> Dict[str, float]:
    server = Server(command)
    try:
        for _ in range(200):
            server.call("read_console", ONE_ENTRY)
        cpu = sum(server.process.cpu_times()[:2])
        times = []
        for _ in range(CALLS):
            begun = perf_counter()
            server.call("read_console", ONE_ENTRY)
            times.append(perf_counter() - begun)
        cpu = sum(server.process.cpu_times()[:2]) - cpu
        flight = server.many(IN_FLIGHT_CALLS, "read_console", ONE_ENTRY)
        large = []
        for _ in range(LARGE_CALLS):
            begun = perf_counter()
            size = len(server.call("read_console", LARGE))
            large.append(perf_counter() - begun)
            assert size > 1_000_000, size
        return {
            "one read, p50, ms": statistics.median(times) * 1e3,
            "one read, p99, ms": sorted(times)[int(CALLS * 0.99)] * 1e3,
            "CPU a call, ms": cpu / CALLS * 1e3,
            "32 in flight, ms a call": flight * 1e3,
            "500 KB result, ms": statistics.median(large) * 1e3,
            "memory, MB": server.process.memory_info().rss / 1e6,
        }
    finally:
        server.close()


def main(arguments: List[str]) -> None:
    os.chdir(ROOT)
    others = arguments[arguments.index("--") + 1 :] if "--" in arguments else []
    if "--pin" in arguments:
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    best: Dict[str, Dict[str, float]] = {"bare": {}, "bridge": {}}
    with tempfile.TemporaryDirectory() as folder:
        os.environ["UNITY_BRIDGE_STATE_DIR"] = folder
        for _ in range(ROUNDS):
            for name, figures in best.items():
                port = free_port()
                bare = [sys.executable, "tests/bench/bare_bridge.py", str(port)]
                product = [*(others or isolated()), "--port", str(port)]
                for figure, value in measured(bare if name == "bare" else product, port).items():
                    figures[figure] = min(value, figures.get(figure, value))
    print(f"Python {sys.version.split()[0]}, best of {ROUNDS} alternating rounds")
    print(f"{'':36}{'bare':>10}{'bridge':>10}{'ratio':>8}   goal")
    for figure, goal in GOALS.items():
        bare_best, ours = best["bare"][figure], best["bridge"][figure]
        told = "" if goal is None else f"under {goal}" + ("" if ours / bare_best < goal else "   MISSED")
        print(f"{figure:36}{bare_best:10.2f}{ours:10.2f}{ours / bare_best:8.2f}   {told}")
    print(f"32 in flight: {1e3 / best['bridge']['32 in flight, ms a call']:.0f} calls/s (goal: over 2400 on two cores)")


if __name__ == "__main__":
    main(sys.argv[1:])
