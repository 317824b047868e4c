"""What servers and other commands say of an editor that ``open`` has started (SPEC §22.7, §22.9)."""

from __future__ import annotations

import sys

import pytest

from tests.editor_life.desk import Desk, ended, soon

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        sys.platform == "win32", reason="the fake program is a script with a first line #!"
    ),
]


def test_a_closed_editor_comes_with_the_command_that_opens_it(desk: Desk) -> None:
    answer = desk.run("status", *desk.here)[1]["result"]
    assert answer["reason"] == "unity_not_running"
    assert answer["advice"].endswith(f" open {desk.project}") and "unity-bridge" in answer["advice"]
    status, answer, stderr = desk.run("console", "--wait", "1", *desk.here)
    details = answer["error"]["details"]
    assert (status, details["recovery"]) == (
        3,
        "open_the_editor",
    ) and f"open {desk.project}" in details["advice"]
    assert f"open {desk.project}" in stderr


def test_a_starting_editor_is_waited_for(desk: Desk) -> None:
    desk.unity.plan([["log", "Importing"], ["gate", "go"], ["lock"], ["connect"]])
    assert desk.open("--wait", "0")[0] == 3
    answer = desk.run("status", *desk.here)[1]["result"]
    assert (answer["reason"], answer["starting"]) == ("editor_starting", "starting")
    waiting = desk.start("wait-ready", "--json", *desk.here)
    assert waiting.stderr is not None and "starting" in waiting.stderr.readline()
    desk.unity.open_gate("go")
    assert ended(waiting)[0] == 0


def test_an_editor_that_has_loaded_the_project_is_not_starting(desk: Desk) -> None:
    """Its plugin stays away for a reason of its own."""
    desk.unity.plan(
        [["lock"], ["log", "[Project] Loading completed in 3.2 seconds"], ["gate", "end"]]
    )
    desk.open("--wait", "0")
    assert soon(lambda: "reason" not in desk.run("status", *desk.here)[1]["result"])


def test_doctor_names_a_starting_editor_and_unused_headless_ones(desk: Desk) -> None:
    desk.unity.plan([["lock"], ["gate", "go"], ["connect"]])
    desk.open("--wait", "0", "--headless")
    checks = desk.run("doctor", *desk.here, "--wait", "0")[1]
    rows = {row["check"]: row for row in checks["result"]["checks"]}
    assert "is starting" in rows["editor"]["message"] and rows["editor"]["verdict"] == "note"
    assert f"close {desk.project}" in rows["headless"]["remedy"]
    assert str(desk.unity.starts()[0]["pid"]) in rows["headless"]["message"]
    desk.unity.open_gate("go")
