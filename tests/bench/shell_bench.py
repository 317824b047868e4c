"""Commands of the shell next to a bare program that makes one request: ``python
tests/bench/shell_bench.py [RUNS]``.

A server owns the port and has a simulated editor, as when an agent works in a session with MCP and in a shell at once.
Runs alternate, so that the machine's load meets all. What counts is the ratio of the medians: the time from the start
to the first byte of the answer, and the CPU of the process to its end. What is behind ``--`` is run instead of the
product.
"""

from __future__ import annotations

import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from time import perf_counter, sleep
from typing import Dict, List, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.mcp_bench import ROOT, Server
from tests.ports import free_port
from unity_bridge.launch.environment import isolated

RUNS = 25
GOAL = 2.5
BARE = "bare program"
COMMANDS = ("status", "console", "compile")


def measured(command: List[str]) -> Tuple[float, float, float]:
    """Seconds to the first byte and to the end, and seconds of CPU."""
    begun = perf_counter()
    process = subprocess.Popen(
        command, cwd=str(ROOT), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0
    )
    assert process.stdout is not None
    assert process.stdout.read(1), command
    first = perf_counter() - begun
    process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    end = perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, (command, process.returncode)
    process.stdout.close()
    return first, end, used.ru_utime + used.ru_stime


def answer_lines(listener: socket.socket) -> None:
    """What the bare program asks."""
    while True:
        line, _ = listener.accept()
        with line:
            line.makefile("rb").readline()
            line.sendall(b'{"connected": true, "editor_state": "ready"}\n')


def main(runs: int, others: List[str]) -> None:
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory() as folder, socket.create_server(
        ("127.0.0.1", 0)
    ) as listener:
        os.environ["UNITY_BRIDGE_STATE_DIR"] = folder
        # As at every start of a user but the first: nothing is compiled.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = os.path.join(folder, "compiled")
        threading.Thread(target=answer_lines, args=(listener,), daemon=True).start()
        port = str(free_port())
        words = others or isolated()
        bare = [sys.executable, "tests/bench/bare_request.py", str(listener.getsockname()[1])]
        commands = {BARE: bare, **{name: [*words, name, "--port", port] for name in COMMANDS}}
        server = Server([*words, "--port", port])
        editor = subprocess.Popen(
            [*isolated(), "simulate", "--port", port, "--speed", "1000"], stderr=subprocess.DEVNULL
        )
        try:
            while b'"connected":true' not in server.call("get_editor_state"):
                sleep(0.1)
            figures: Dict[str, List[Tuple[float, float, float]]] = {name: [] for name in commands}
            for command in commands.values():
                measured(command)
            for _ in range(runs):
                for name, command in commands.items():
                    figures[name].append(measured(command))
        finally:
            editor.kill()
            editor.wait()
            server.close()
    report(figures)


def report(figures: Dict[str, List[Tuple[float, float, float]]]) -> None:
    print(f"Python {sys.version.split()[0]}, medians; the goal is under {GOAL} to the first byte")
    print(
        f"{'':16}{'first byte, ms':>16}{'ratio':>8}{'end, ms':>10}{'ratio':>8}{'CPU, ms':>10}{'ratio':>8}"
    )
    floor = [statistics.median(column) for column in zip(*figures[BARE])]
    for name, taken in figures.items():
        medians = [statistics.median(column) for column in zip(*taken)]
        print(f"{name:16}", end="")
        for wide, ours, theirs in zip((16, 10, 10), medians, floor):
            print(f"{ours * 1e3:{wide}.1f}{ours / theirs:8.2f}", end="")
        print("   MISSED" if medians[0] / floor[0] >= GOAL else "")


if __name__ == "__main__":
    given = sys.argv[1:]
    end = given.index("--") if "--" in given else len(given)
    main(int(given[0]) if given[:end] else RUNS, given[end + 1 :])
