"""What a flood of one kind costs: ``python -m tests.bench.flood_bench [SECONDS] [KIND ...]``.

For each kind, from one connection and from eight: the p50 and the worst time of ``get_editor_state`` without the flood
and during it, how much the server's memory has grown, the p50 of a proven editor's own reads against that without the
flood (half of those before it, half after), and the machine's load, because other programs change all of these.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import List, Tuple

import psutil

from tests.e2e import flooding
from tests.e2e.bridge_process import BridgeProcess
from tests.faulty_editor.process import SimulatorProcess
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE


def times(server: BridgeProcess, tool: str, seconds: float) -> List[float]:
    took, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        began = time.monotonic()
        server.call(tool)
        took.append((time.monotonic() - began) * 1000)
        time.sleep(0.02)
    return took


def measure(kind: str, connections: int, seconds: float, with_editor: bool) -> Tuple[str, ...]:
    with tempfile.TemporaryDirectory() as folder:
        os.environ[STATE_DIR_VARIABLE] = folder
        with BridgeProcess(0, Path(folder)) as server:
            port = server.wait_for_a_role()
            editor = SimulatorProcess(port) if with_editor else None
            if editor is not None:
                editor.__enter__()
                editor.wait_for("connected", 30)
                while "error" in server.call("read_console"):
                    pass
            process = psutil.Process(server.process.pid)
            control = times(server, "get_editor_state", 1.5)
            quiet = times(server, "read_console", 1.5) if editor else [0.0]
            before = process.memory_info().rss
            flood = subprocess.Popen(
                [sys.executable, "-I", flooding.__file__, str(port), kind, str(connections)]
            )
            try:
                took = times(server, "get_editor_state", seconds)
                reads = times(server, "read_console", 3.0) if editor else [0.0]
                grown = (process.memory_info().rss - before) / 2**20
            finally:
                flood.kill()
                flood.wait()
            if editor is not None:
                quiet += times(server, "read_console", 1.5)
                editor.__exit__(None, None, None)
    alone = statistics.median(quiet)
    ratio = f"{statistics.median(reads) / alone:.1f}x of {alone:.1f} ms" if editor else "-"
    load = f"{os.getloadavg()[0]:.1f}"
    return (
        kind,
        str(connections),
        p50_and_worst(control),
        p50_and_worst(took),
        f"{grown:+.0f}",
        ratio,
        load,
    )


def p50_and_worst(took: List[float]) -> str:
    return f"{statistics.median(took):.1f}/{max(took):.0f}"


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0
    sys.stdout.write("kind connections without_flood_ms with_flood_ms memory_MB reads load\n")
    for kind in sys.argv[2:] or [*flooding.MESSAGES, "pending-ping", "pending-pong"]:
        for connections in (1, 8):
            for with_editor in (False, True):
                sys.stdout.write(" ".join(measure(kind, connections, seconds, with_editor)) + "\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main()
