"""What another user's flood, and another client's burst, cost: ``python -m tests.bench.other_users_bench
[TRIES]``.

1. A program of another user holds the plugin's connection and makes 1500 handshakes a second at the
   user's server: from the server's having the port to the plugin's proof (SPEC §17.4).
2. Reads of the proven editor during that flood.
3. One client sends 1500 reads at once; a second one makes 216, one after the other: how many of
   those are refused (SPEC §4.1).
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import List

from tests.bench.connect_flood_bench import shown
from tests.e2e.bridge_process import BridgeProcess
from tests.e2e.rogue_server import RogueServer, handshakes
from tests.ports import free_port
from unity_bridge.simulator.editor import EditorSetup, SimulatedEditor
from unity_bridge.simulator.event_log import EventLog
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE

_GUARD_S = 120.0
_READS = 200
_BURST, _OTHERS = 1500, 216


def time_to_the_editor(state: Path, reads: List[float]) -> float:
    """Seconds; the first try's reads during the flood go to ``reads``."""
    port = free_port()
    editor = SimulatedEditor(EditorSetup(port=port), EventLog())
    editor.start()
    with ExitStack() as stack:
        stack.callback(editor.stop)
        stack.enter_context(RogueServer(port, "holds", state / "elsewhere"))
        ours = stack.enter_context(BridgeProcess(port, state))
        ours.wait_for_a_role()
        began = time.monotonic()
        stack.enter_context(handshakes(port))
        ours.wait_to_log("the plugin has proved", _GUARD_S)
        took = time.monotonic() - began
        while not reads or len(reads) < _READS:
            began = time.monotonic()
            assert "error" not in ours.call("read_console")
            reads.append(time.monotonic() - began)
    return took


def refusals(state: Path) -> int:
    port = free_port()
    editor = SimulatedEditor(EditorSetup(port=port), EventLog())
    editor.start()
    with ExitStack() as stack:
        stack.callback(editor.stop)
        first = stack.enter_context(BridgeProcess(port, state))
        first.wait_to_be_ready()
        second = stack.enter_context(BridgeProcess(port, state))
        second.wait_for_a_role()
        second.call("read_console")
        call = {"name": "read_console", "arguments": {}}
        burst = [first.ask("tools/call", call) for _ in range(_BURST)]
        codes = [second.call("read_console").get("error", {}).get("code") for _ in range(_OTHERS)]
        for answer in burst:
            answer.result(_GUARD_S)
    return codes.count("ERR_QUEUE_FULL")


def main(tries: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder)
        os.environ[STATE_DIR_VARIABLE] = folder
        reads: List[float] = []
        took = sorted(time_to_the_editor(state, reads) for _ in range(tries))
        print(f"time to the editor  {shown(took)}", flush=True)
        print(f"reads in the flood  {shown(sorted(reads))}", flush=True)
        for _ in range(tries):
            print(f"second client       {refusals(state)} of {_OTHERS} refused", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
