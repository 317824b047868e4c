"""``unity-bridge close`` with real processes: the fake Unity program with the simulated plugin (SPEC §22.8)."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any, Dict, Iterator, Tuple

import pytest

from tests.editor_life.desk import Desk, content, ended, is_alive, soon
from unity_bridge.simulator.process import SimulatorProcess

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the fake program is a script with a first line #!")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.clean()


def close(desk: Desk, *words: str) -> Tuple[int, Dict[str, Any], str]:
    return desk.run("close", str(desk.project), "--port", str(desk.port), *words)


def test_none_is_open(desk: Desk) -> None:
    status, told, _ = close(desk)
    assert (status, told["ok"], told["result"]["was_open"]) == (0, True, False)


def test_it_waits_until_the_process_is_gone(desk: Desk) -> None:
    opened = desk.open()[1]["result"]
    status, told, stderr = close(desk)
    assert (status, told["result"]["was_open"], told["result"]["saved"]) == (0, True, []), stderr
    assert not is_alive(opened["pid"])
    assert close(desk)[1]["result"]["was_open"] is False
    assert desk.open()[1]["result"]["started"] is True


def test_unsaved_work_keeps_it_open(desk: Desk) -> None:
    desk.open()
    port = ("--project", str(desk.project), "--port", str(desk.port))
    assert desk.run("run", "menu", "path=GameObject/Create Empty", *port)[0] == 0
    status, told, stderr = close(desk)
    details = told["error"]["details"]
    assert (status, details["reason"], details["assets"]) == (1, "unsaved_scenes", []), stderr
    assert details["scenes"] and "--save" in stderr
    status, told, _ = close(desk, "--save")
    assert (status, told["result"]["saved"]) == (0, details["scenes"])


def test_play_mode_keeps_it_open(desk: Desk) -> None:
    desk.open()
    port = ("--project", str(desk.project), "--port", str(desk.port))
    assert desk.run("play", "enter", *port)[0] == 0
    status, told, _ = close(desk)
    assert (status, told["error"]["details"]["reason"]) == (1, "playing")


def test_a_job_that_runs_keeps_it_open_and_is_not_waited_for(desk: Desk) -> None:
    desk.open()
    port = ("--project", str(desk.project), "--port", str(desk.port))
    running = desk.start("run", "bake_lighting", *port)
    status: int = 0
    told: Dict[str, Any] = {}
    assert soon(lambda: len(_jobs(desk)) == 1)
    status, told, _ = close(desk)
    assert (status, told["error"]["details"]["reason"]) == (1, "busy")
    assert told["error"]["details"]["jobs"] == _jobs(desk)
    running.kill()


def _jobs(desk: Desk) -> Any:
    told = desk.run("status", "--project", str(desk.project), "--port", str(desk.port))[1]
    return told["result"]["running_jobs"]


def test_an_editor_that_a_person_started_is_asked_about(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("UNITY_BRIDGE_STATE_DIR",):
        monkeypatch.setenv(name, desk.environ[name])
    with SimulatorProcess(desk.port, project_file=str(desk.project)) as editor:
        status, _, stderr = close(desk)
        assert status == 2 and "--yes" in stderr
        status, told, stderr = close(desk, "--yes")
        assert (status, told["result"]["was_open"]) == (0, True), stderr
        editor.wait_for("exiting")


def test_an_editor_whose_plugin_is_not_there_cannot_be_asked(desk: Desk) -> None:
    desk.unity.plan([["lock"], ["gate", "end"]])
    desk.open("--wait", "0")
    assert soon(lambda: (desk.project / "Temp" / "UnityLockfile").exists())
    status, told, stderr = close(desk, "--wait", "2")
    assert (status, told["error"]["details"]["reason"]) == (1, "not_connected"), stderr
    assert len(desk.unity.starts()) == 1 and is_alive(desk.unity.starts()[0]["pid"])


def test_an_editor_that_does_not_end_in_time(desk: Desk) -> None:
    desk.unity.plan([["lock"], ["connect_and_stay"]])
    assert desk.open()[0] == 0
    status, told, _ = close(desk, "--wait", "3")
    assert (status, told["ok"], told["result"]["was_open"]) == (3, False, True)
    desk.unity.open_gate("end")
    assert close(desk)[0] == 0


def test_an_interrupt_ends_the_wait(desk: Desk) -> None:
    desk.unity.plan([["lock"], ["connect_and_stay"]])
    assert desk.open()[0] == 0
    closing = desk.start("close", str(desk.project), "--port", str(desk.port))
    assert closing.stderr is not None and "closing" in closing.stderr.readline()
    closing.send_signal(signal.SIGINT)
    assert ended(closing)[0] == 130


def test_nothing_below_the_project_is_written_by_the_command(desk: Desk) -> None:
    before = content(desk.project)
    close(desk)
    assert content(desk.project) == before
    desk.open()
    close(desk)
    assert content(desk.project) == before
    assert os.listdir(desk.project / "Temp") == []
