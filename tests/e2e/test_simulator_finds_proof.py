"""The simulator moves to the user's own server as the package does (SPEC §17.4)."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator

import pytest

from tests.e2e.bridge_process import BridgeProcess
from tests.e2e.rogue_server import RogueServer, handshakes
from tests.e2e.test_plugin_finds_proof import WITHIN_S
from unity_bridge.simulator.editor import EditorSetup, SimulatedEditor
from unity_bridge.simulator.event_log import EventLog
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(STATE_DIR_VARIABLE, str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture(autouse=True)
def editor(state: Path, port: int) -> Iterator[SimulatedEditor]:
    editor = SimulatedEditor(EditorSetup(port=port, speed=100.0), EventLog())
    editor.start()
    yield editor
    editor.stop()


def test_a_held_connection_does_not_keep_the_users_server_out(
    port: int, state: Path, tmp_path: Path
) -> None:
    with RogueServer(port, "holds", tmp_path) as rogue, BridgeProcess(port, state) as ours:
        ours.wait_to_log("the plugin has proved", WITHIN_S)
        assert rogue.process.poll() is None and ours.state()["trusted"] is True


def test_a_flood_of_handshakes_does_not_keep_the_editor_away(
    port: int, state: Path, tmp_path: Path
) -> None:
    with RogueServer(port, "holds", tmp_path), BridgeProcess(port, state) as ours:
        ours.wait_for_a_role()
        with handshakes(port):
            ours.wait_to_log("the plugin has proved", WITHIN_S)
            assert ours.state()["trusted"] is True


def test_the_jobs_of_a_server_without_proof_end_and_are_nobodys(
    port: int, state: Path, tmp_path: Path
) -> None:
    with RogueServer(port, "holds-a-job", tmp_path), BridgeProcess(port, state) as ours:
        ours.wait_to_log("the plugin has proved", WITHIN_S)
        assert not any("rogue-1" in line for line in ours.log)
        assert ours.call("get_job_status", job_id="rogue-1")["error"]["code"] == "ERR_JOB_NOT_FOUND"
