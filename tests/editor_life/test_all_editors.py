"""``unity-bridge status --all``: every editor of this user that can be known, in any folder."""

from __future__ import annotations

import json
import sys

import pytest

from tests.editor_life.desk import Desk, soon
from tests.faulty_editor.process import SimulatorProcess
from tests.installation.unity_projects import make_project
from tests.ports import free_port

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        sys.platform == "win32", reason="the fake program is a script with a first line #!"
    ),
]


def test_nothing_is_listed_where_no_editor_is_known(desk: Desk) -> None:
    status, answer, stderr = desk.run("status", "--all", "--port", str(free_port()))
    assert (status, answer["ok"], answer["result"]) == (
        3,
        False,
        {"editors": []},
    ) and "No editor" in stderr


def test_editors_are_listed_outside_of_their_projects(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNITY_BRIDGE_STATE_DIR", desk.environ["UNITY_BRIDGE_STATE_DIR"])
    desk.open()
    other = make_project(desk.home / "other").resolve()
    port = free_port()
    (other / "UserSettings").mkdir()
    (other / "UserSettings" / "UnityBridge.json").write_text(json.dumps({"port": port}))
    desk.start("console", "--follow", "--port", str(port))  # the server of that editor
    with SimulatorProcess(port, project_file=str(other)) as editor:
        editor.wait_for("connected")
        status, answer, stderr = desk.run("status", "--all", "--port", str(free_port()))
    assert status == 0, stderr
    shown = {row["project"]: row for row in answer["result"]["editors"]}
    assert shown[str(desk.project)] == {
        "project": str(desk.project),
        "version": "2022.3.10f1",
        "port": desk.port,
        "state": "ready",
        "clients": 0,
    }
    assert (
        shown[str(other)]["port"],
        shown[str(other)]["state"],
        shown[str(other)]["clients"],
    ) == (port, "ready", 1)


def test_an_editor_that_has_not_connected_is_listed_with_the_reason(desk: Desk) -> None:
    desk.unity.plan([["lock"], ["gate", "end"]])
    desk.open("--wait", "0")
    assert soon(lambda: (desk.project / "Temp" / "UnityLockfile").exists())
    answer = desk.run("status", "--all", "--port", str(free_port()))[1]
    (row,) = answer["result"]["editors"]
    assert (row["project"], row["port"], row["state"]) == (
        str(desk.project),
        desk.port,
        "editor_starting",
    )
