"""The cost of a call as the work grows, and the time that a script takes: ``python -m
tests.bench.growth_bench``.

Server and simulated editor are the shipped ones, each a process. Every figure is a ratio to the smallest of its kind
in the same run, so that a constant cost shows as a constant ratio.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from functools import partial
from time import perf_counter
from typing import Any, Callable, Dict, Iterator, List, Sequence, Tuple

from tests.bench.bridge_bench import ONE_ENTRY
from tests.bench.mcp_bench import ROOT, Server
from tests.faulty_editor.process import command as faulty_editor
from tests.ports import free_port
from unity_bridge.launch.environment import isolated

CALLERS = (1, 2, 4, 8, 16, 32)
ENTRIES = (1, 10, 100, 1000, 2000)
TESTS = (1, 10, 100, 1000, 10_000)
REPEATS = 15

Row = Tuple[str, float]


class Simulated:
    """A simulated editor with a generated project, connected once this is made."""

    def __init__(self, port: int, server: Server, **options: int) -> None:
        words = [
            word
            for name, value in options.items()
            for word in (f"--{name.replace('_', '-')}", str(value))
        ]
        self._process = subprocess.Popen(
            [*faulty_editor(), "--no-stdin", "--port", str(port), *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while not asked(server, "get_editor_state")["connected"]:
            pass

    def close(self, server: Server) -> None:
        self._process.kill()
        self._process.wait()
        while asked(server, "get_editor_state")["connected"]:
            pass


def asked(server: Server, tool: str, **arguments: Any) -> Dict[str, Any]:
    answer = json.loads(server.call(tool, arguments))["result"]
    assert not answer["isError"], answer
    content: Dict[str, Any] = answer["structuredContent"]
    return content


def took_ms(do: Callable[[], Any], repeats: int = REPEATS) -> float:
    times = []
    for _ in range(repeats):
        begun = perf_counter()
        do()
        times.append(perf_counter() - begun)
    return statistics.median(times) * 1e3


def callers(server: Server) -> Iterator[Row]:
    """Milliseconds per call with this many calls in flight."""
    for count in CALLERS:
        yield str(count), server.many(300, "read_console", ONE_ENTRY, count) * 1e3


def entries(server: Server) -> Iterator[Row]:
    for count in ENTRIES:
        size = len(json.dumps(asked(server, "read_console", max_entries=count))) // 1000
        yield (
            f"{count} ({size} KB)",
            took_ms(partial(server.call, "read_console", {"max_entries": count})),
        )


def runs(port: int, server: Server) -> Iterator[Tuple[str, float, float]]:
    """This many tests that take no time: a whole run, and one question about it after its end."""
    for count in TESTS:
        editor = Simulated(port, server, tests=count, test_seconds=0)
        job: Dict[str, Any] = {}

        def run(job: Dict[str, Any] = job) -> None:
            job.update(asked(server, "run_tests"))
            while job["state"] in ("queued", "running"):
                job.update(asked(server, "get_job_status", job_id=job["job_id"], wait_ms=10_000))

        whole = took_ms(run, 1)
        yield (
            str(count),
            whole,
            took_ms(partial(server.call, "get_job_status", {"job_id": job["job_id"]})),
        )
        editor.close(server)


def first_answers(port: int) -> Iterator[Row]:
    """A script from its start to its end, while a server that has the port answers it."""
    program = isolated()
    commands: Dict[str, List[str]] = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "--version": [*program, "--version"],
        "call get_editor_state": [*program, "call", "get_editor_state", "--port", str(port)],
        "call read_console": [
            *program,
            "call",
            "read_console",
            "max_entries=1",
            "--port",
            str(port),
        ],
    }
    for name, command in commands.items():
        yield (
            name,
            took_ms(partial(subprocess.run, command, check=True, capture_output=True), 7),
        )


def kept_memory(calls: int, characters: int) -> float:
    """Megabytes that a new server keeps after this many calls of a command with so long an
    argument.
    """
    port = free_port()
    server = Server([*isolated(), "--port", str(port), "--log-level", "error"])
    editor = Simulated(port, server)
    arguments = {"name": "spawn_wave", "arguments": {"size": 2}}
    server.call("run_command", arguments)
    before = server.process.memory_info().rss
    for number in range(calls):
        server.call(
            "run_command", {**arguments, "arguments": {"enemy": str(number) + "x" * characters}}
        )
    kept = server.process.memory_info().rss - before
    editor.close(server)
    server.close()
    return kept / 1e6


def print_rows(title: str, rows: Sequence[Row]) -> None:
    print(title)
    for name, value in rows:
        print(f"    {name:28}{value:10.2f} ({value / rows[0][1]:.2f})")


def main() -> None:
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["UNITY_BRIDGE_STATE_DIR"] = folder
        port = free_port()
        server = Server([*isolated(), "--port", str(port), "--log-level", "error"])
        print(f"Python {sys.version.split()[0]}; in brackets, the ratio to the first of its kind")
        editor = Simulated(port, server, console_entries=max(ENTRIES))
        print_rows("calls in flight, ms a call", list(callers(server)))
        print_rows("console entries, ms", list(entries(server)))
        print_rows("a command of its own, ms", list(first_answers(port)))
        editor.close(server)
        ran = list(runs(port, server))
        print_rows("tests in a run, ms a run", [(name, whole) for name, whole, _ in ran])
        print_rows(
            "tests in a run, ms for get_job_status at its end",
            [(name, question) for name, _, question in ran],
        )
        server.close()
        print(
            f"memory kept after 100 calls of 4 MB that the server refuses, MB: {kept_memory(100, 4_000_000):.1f}"
        )
        print(
            f"memory kept after 150 calls of 1 MB that reach the editor, MB: {kept_memory(150, 1_000_000):.1f}"
        )


if __name__ == "__main__":
    main()
