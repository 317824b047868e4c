"""A client that calls and cancels thousands of times costs another one nothing (SPEC §20.9)."""

from __future__ import annotations

import threading
from pathlib import Path

from tests.e2e.bridge_process import GUARD_S, BridgeProcess

CALLS = 3000


def test_another_window_is_answered_while_thousands_of_calls_are_cancelled(tmp_path: Path) -> None:
    with BridgeProcess(0, tmp_path) as flooding:
        with BridgeProcess(flooding.wait_for_a_role(), tmp_path) as other:
            other.wait_for_a_role()
            other.call("get_editor_state")
            flood = threading.Thread(target=calls_and_cancels, args=(flooding,), name="flood")
            flood.start()
            answered = 0
            while flood.is_alive():
                assert other.call("get_editor_state")["connected"] is False
                answered += 1
            flood.join(GUARD_S)
            # Were they in line behind the flood, there would be one.
            assert answered > 5
            assert flooding.call("get_editor_state")["calls"]["failed"] > 0


def calls_and_cancels(window: BridgeProcess) -> None:
    for number in range(CALLS):
        window.say(
            {
                "jsonrpc": "2.0",
                "id": f"flood-{number}",
                "method": "tools/call",
                "params": {"name": "read_console"},
            }
        )
    for number in range(CALLS):
        window.say(
            {
                "jsonrpc": "2.0",
                "method": "notifications/cancelled",
                "params": {"requestId": f"flood-{number}"},
            }
        )
    window.call("get_editor_state")
