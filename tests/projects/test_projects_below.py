"""The projects below a folder, which a command outside of a project may mean (SPEC §18.1)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.installation.unity_projects import make_project
from unity_bridge.projects import unity_folder
from unity_bridge.projects.unity_folder import projects_below


def test_projects_one_and_two_levels_down_are_found(tmp_path: Path) -> None:
    make_project(tmp_path / "Game")
    make_project(tmp_path / "client" / "Other")

    assert projects_below(str(tmp_path)) == [
        str(tmp_path / "Game"),
        str(tmp_path / "client" / "Other"),
    ]


def test_projects_further_down_hidden_linked_or_inside_another_are_not(tmp_path: Path) -> None:
    make_project(tmp_path / "a" / "b" / "TooDeep")
    make_project(tmp_path / ".cache" / "Hidden")
    game = make_project(tmp_path / "Game")
    make_project(game / "Sub")
    if os.name == "posix":
        os.symlink(str(game), str(tmp_path / "link"))

    assert projects_below(str(tmp_path)) == [str(game)]


def test_the_search_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unity_folder, "_MOST_FOLDERS", 5)
    for number in range(10):
        (tmp_path / f"folder{number}").mkdir()
    make_project(tmp_path / "zzz")

    assert projects_below(str(tmp_path)) == []


def test_a_folder_that_may_not_be_read_holds_none(tmp_path: Path) -> None:
    assert projects_below(str(tmp_path / "gone")) == []
