"""SPEC §4.4: an editor that loses its connection for a moment costs its clients a moment, and no
call.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any, Dict, List

import pytest

pytest.importorskip("mcp_types", reason="mcp needs Python 3.10")

from tests.e2e.bridge_process import GUARD_S, BridgeProcess
from tests.faulty_editor.process import SimulatorProcess
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE

DROPS = 50
READERS = 8


class Reader:
    """Reads the console without a pause, on a thread of its own, until ``stop``."""

    def __init__(self, window: BridgeProcess) -> None:
        self._window = window
        self._stopping = threading.Event()
        self._read = 0  # guarded by _changed
        self._changed = threading.Condition()
        self.failures: List[Dict[str, Any]] = []
        self._thread = threading.Thread(target=self._live, name="reader")
        self._thread.start()

    def reads(self, times: int) -> None:
        """Wait until it has read so often from now on."""
        with self._changed:
            enough = self._read + times
            assert self._changed.wait_for(lambda: self._read >= enough, GUARD_S)

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join(GUARD_S)

    def _live(self) -> None:
        while not self._stopping.is_set():
            answer = self._window.call("read_console", max_entries=5)
            if "error" in answer:
                self.failures.append(answer["error"])
            with self._changed:
                self._read += 1
                self._changed.notify_all()


@pytest.fixture(autouse=True)
def one_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The editors have the secret of the windows."""
    monkeypatch.setenv(STATE_DIR_VARIABLE, str(tmp_path))


def test_no_read_fails_while_the_connection_drops_again_and_again(tmp_path: Path) -> None:
    # As long as a busy machine takes to connect again: the usual 2.5 s are for editors that do not
    # come back.
    patient = {"UNITY_BRIDGE_REQUEST_RECONNECT_WAIT_MS": "60000"}
    with BridgeProcess(0, tmp_path, **patient) as window, SimulatorProcess(
        window.wait_for_a_role()
    ) as editor:
        editor.wait_for("connected", GUARD_S)
        readers = [Reader(window) for _ in range(READERS)]
        for _ in range(DROPS):
            editor.drop()
            editor.wait_for("connected", GUARD_S)
            for reader in readers:
                reader.reads(2)
        for reader in readers:
            reader.stop()
        assert [failure for reader in readers for failure in reader.failures] == []
