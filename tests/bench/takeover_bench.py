"""The time of a call during which the server that owns the port is killed.

    python -m tests.bench.takeover_bench [ROUNDS]

The reference, in the same run, is the time that the simulated editor takes to reconnect to a server that stayed alive
after the connection was dropped. The difference is the cost of taking over.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path
from typing import List

from tests.e2e.bridge_process import BridgeProcess
from tests.faulty_editor.process import SimulatorProcess
from unity_bridge.base.clock import SystemClock


def main(rounds: int) -> None:
    clock = SystemClock()
    floor: List[float] = []
    taken: List[float] = []
    with tempfile.TemporaryDirectory() as folder:
        window = BridgeProcess(0, Path(folder)).__enter__()
        port = window.wait_for_a_role()
        with SimulatorProcess(port) as editor:
            editor.wait_for("connected", 30)
            for _ in range(rounds):
                window.call("read_console", max_entries=1)
                began = clock.now()
                editor.drop()
                window.call("read_console", max_entries=1)
                floor.append(clock.now() - began)
                heir = BridgeProcess(port, Path(folder)).__enter__()
                heir.wait_for_a_role()
                heir.call("read_console", max_entries=1)
                began = clock.now()
                window.kill()
                heir.call("read_console", max_entries=1)
                taken.append(clock.now() - began)
                window.close()
                window = heir
            window.close()
    for name, times in (
        ("editor dropped, same server", floor),
        ("owner killed, another takes over", taken),
    ):
        print(
            f"{name:34} p50 {statistics.median(times) * 1000:6.0f} ms   max {max(times) * 1000:6.0f} ms"
        )
    print(f"{'ratio of the medians':34} {statistics.median(taken) / statistics.median(floor):6.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
