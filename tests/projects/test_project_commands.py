"""The commands of a project, read from what its plugin wrote: its words are believed in nothing but
their meaning.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from unity_bridge.base.result import Err, Ok
from unity_bridge.projects.project_commands import commands_of

ROW = {
    "name": "build",
    "description": "Builds.",
    "signature": "build(target: Android|iOS)",
    "write": True,
    "source": "Game.Commands.Build (Game)",
    "parameters": {"target": "Android|iOS"},
}


def project(folder: Path, written: Any) -> str:
    file = folder / "Library" / "UnityBridge" / "commands.json"
    file.parent.mkdir(parents=True)
    file.write_text(written if isinstance(written, str) else json.dumps(written), encoding="utf-8")
    return str(folder)


def test_each_is_read_in_order_of_its_name(tmp_path: Path) -> None:
    ours = {
        **ROW,
        "name": "ping",
        "source": "UnityBridge.Commands.Ping.Run (UnityBridge.Editor)",
        "fault": "no",
    }
    found = commands_of(project(tmp_path, {"schema_version": 1, "commands": [ROW, ours]}))
    assert isinstance(found, Ok)
    first, second = found.value
    assert (first.name, first.is_ours, first.parameters) == (
        "build",
        False,
        {"target": "Android|iOS"},
    )
    assert (second.name, second.is_ours, second.fault) == ("ping", True, "no")


@pytest.mark.parametrize(
    "row",
    [
        {"name": "wipe", "source": "UnityBridge.Commands.Ping.Run (UnityBridge.Editor)"},
        {"name": "ping", "source": "UnityBridge.Commands.Ping.Run (Game)"},
        {"name": "ping", "source": "UnityBridge.Commands.Ping.Wipe (UnityBridge.Editor)"},
        {"name": "wipe", "source": "UnityBridge.Mine.Wipe (UnityBridge.Mine)"},
    ],
)
def test_a_row_that_only_begins_like_one_of_the_plugins_is_the_projects(
    tmp_path: Path, row: Any
) -> None:
    found = commands_of(project(tmp_path, {"commands": [{**ROW, **row}]}))
    assert isinstance(found, Ok) and [one.is_ours for one in found.value] == [False]


def test_commands_of_unitys_own_assemblies_are_not_the_projects(tmp_path: Path) -> None:
    found = commands_of(project(tmp_path, {"commands": [{**ROW, "of_unity": True}]}))
    assert isinstance(found, Ok) and [one.is_the_projects for one in found.value] == [False]


@pytest.mark.parametrize("row", [3, {}, {"name": ""}, {"name": 3}, {**ROW, "signature": None}])
def test_a_row_of_another_shape_says_nothing(tmp_path: Path, row: Any) -> None:
    assert commands_of(project(tmp_path, {"commands": [row]})) == Ok(())


def test_parameters_of_another_shape_are_none(tmp_path: Path) -> None:
    found = commands_of(
        project(tmp_path, {"commands": [{**ROW, "parameters": {"a": 1}}, {**ROW, "parameters": 3}]})
    )
    assert isinstance(found, Ok) and [one.parameters for one in found.value] == [{}, {}]


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("{", "is not valid JSON"),
        ([], "has no list"),
        ({"commands": {}}, "has no list"),
        ("[" * 9000, "is not valid JSON"),
    ],
)
def test_an_invalid_list_says_why(tmp_path: Path, written: Any, why: str) -> None:
    found = commands_of(project(tmp_path, written))
    assert isinstance(found, Err) and why in found.error


def test_without_a_project_or_its_file_it_says_what_to_do(tmp_path: Path) -> None:
    nowhere, unwritten = commands_of(None), commands_of(str(tmp_path))
    assert isinstance(nowhere, Err) and "--project" in nowhere.error
    assert isinstance(unwritten, Err) and "not there yet" in unwritten.error
