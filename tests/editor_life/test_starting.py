"""What servers and other commands say of an editor that ``open`` has started (SPEC §22.7, §22.9)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Iterator

import pytest

from tests.editor_life.desk import Desk, ended, soon

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the fake program is a script with a first line #!")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.clean()


def here(desk: Desk, *words: str) -> Any:
    return desk.run(*words, "--project", str(desk.project), "--port", str(desk.port))


def test_a_closed_editor_comes_with_the_command_that_opens_it(desk: Desk) -> None:
    told = here(desk, "status")[1]["result"]
    assert told["reason"] == "unity_not_running"
    assert told["advice"].endswith(f" open {desk.project}") and "unity-bridge" in told["advice"]
    status, told, stderr = here(desk, "console", "--wait", "1")
    details = told["error"]["details"]
    assert (status, details["recovery"]) == (3, "open_the_editor") and f"open {desk.project}" in details["advice"]
    assert f"open {desk.project}" in stderr


def test_one_that_is_starting_is_waited_for(desk: Desk) -> None:
    desk.unity.plan([["log", "Importing"], ["gate", "go"], ["lock"], ["connect"]])
    assert desk.open("--wait", "0")[0] == 3
    told = here(desk, "status")[1]["result"]
    assert (told["reason"], told["starting"]) == ("editor_starting", "starting")
    waiting = desk.start("wait-ready", "--json", "--project", str(desk.project), "--port", str(desk.port))
    assert waiting.stderr is not None and "starting" in waiting.stderr.readline()
    desk.unity.open_gate("go")
    assert ended(waiting)[0] == 0


def test_one_that_has_loaded_the_project_is_not_starting(desk: Desk) -> None:
    """Its plugin stays away for a reason of its own."""
    desk.unity.plan([["lock"], ["log", "[Project] Loading completed in 3.2 seconds"], ["gate", "end"]])
    desk.open("--wait", "0")
    assert soon(lambda: "reason" not in here(desk, "status")[1]["result"])


def test_doctor_names_an_editor_that_starts_and_headless_ones_that_nobody_uses(desk: Desk) -> None:
    desk.unity.plan([["lock"], ["gate", "go"], ["connect"]])
    desk.open("--wait", "0", "--headless")
    checks = desk.run("doctor", "--project", str(desk.project), "--port", str(desk.port), "--wait", "0")[1]
    rows = {row["check"]: row for row in checks["result"]["checks"]}
    assert "is starting" in rows["editor"]["message"] and rows["editor"]["verdict"] == "note"
    assert f"close {desk.project}" in rows["headless"]["remedy"]
    assert str(desk.unity.starts()[0]["pid"]) in rows["headless"]["message"]
    desk.unity.open_gate("go")
