"""What doctor says of a project's commands. Their words are the project's, and quoted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, List

from unity_bridge.installation.checks import commands
from unity_bridge.installation.findings import Verdict


def findings(folder: Path, *rows: Any) -> List[Any]:
    file = folder / "Library" / "UnityBridge" / "commands.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"schema_version": 1, "commands": rows}))
    return [(finding.verdict, finding.message) for finding in commands(folder)]


def test_the_projects_commands_are_named_and_ours_are_not(tmp_path: Path) -> None:
    ours = {"name": "ping", "source": "UnityBridge.Commands.Ping.Run (UnityBridge.Editor)"}
    found = findings(tmp_path, {"name": "build"}, {"name": "bake\n\x1b[2J"}, ours)
    assert found == [(Verdict.OK, "2 of the project: bake [2J, build (`unity-bridge run --list`)")]


def test_a_command_that_cannot_run_says_why(tmp_path: Path) -> None:
    found = findings(
        tmp_path, {"name": "twice", "fault": "Several methods\nhave this name"}, {"name": "once"}
    )
    assert found == [
        (Verdict.NOTE, '"twice" cannot be run: "Several methods have this name"'),
        (Verdict.OK, "1 of the project: once (`unity-bridge run --list`)"),
    ]


def test_the_first_of_many_commands_are_named(tmp_path: Path) -> None:
    ((_, message),) = findings(tmp_path, *({"name": f"c{number:02}"} for number in range(40)))
    assert (
        message.startswith("40 of the project: c00, c01")
        and "c11 and 28 more" in message
        and "c12" not in message
    )


def test_without_known_commands_nothing_is_said(tmp_path: Path) -> None:
    assert commands(tmp_path) == []
