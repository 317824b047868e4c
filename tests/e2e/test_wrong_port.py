"""A server or command with another port than the project's editor, as a client's entry may give it
(SPEC §18.3).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Iterator

import pytest

from tests.editor_life.desk import Desk
from tests.ports import free_port


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """The project's file gives the port on which its simulated editor is ready."""
    made = Desk(tmp_path)
    made.home.mkdir(exist_ok=True)
    settings = made.project / "ProjectSettings" / "UnityBridge.json"
    settings.write_text(json.dumps({"port": made.port}), encoding="utf-8")
    status, _, stderr = made.run("open", str(made.project), "--unity", "simulate")
    assert status == 0, stderr
    yield made
    made.close()
    made.clean()


def test_both_ports_and_what_ends_it_are_named(desk: Desk) -> None:
    other = free_port()
    here = ("--project", str(desk.project), "--port", str(other))
    status, answer, stderr = desk.run("status", *here)
    remark = answer["result"]["project_remark"]
    assert (status, answer["result"]["reason"]) == (3, "other_port"), stderr
    assert (
        str(desk.port) in remark
        and str(other) in remark
        and "ProjectSettings/UnityBridge.json" in remark
    )
    status, answer, stderr = desk.run("compile", *here, "--wait", "1")
    details = answer["error"]["details"]
    assert (status, details["reason"], details["recovery"]) == (3, "other_port", "ask_the_user"), (
        stderr
    )
    assert (
        f"--port {other}" in answer["error"]["message"]
        and str(desk.port) in answer["error"]["message"]
    )
    status, answer, stderr = desk.run("doctor", *here)
    [found] = [one for one in answer["result"]["checks"] if one["check"] == "editor"]
    assert (status, found["verdict"]) == (1, "bad") and str(desk.port) in found["message"], stderr
    assert desk.run("status", "--project", str(desk.project))[0] == 0, "on its own port all is well"
