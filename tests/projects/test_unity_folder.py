"""Which project is meant: the named one, else the nearest around the working directory (SPEC
§18.1).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.installation.unity_projects import make_project
from unity_bridge.base.result import Err, Ok
from unity_bridge.projects.unity_folder import enclosing, named_project, project_here


def test_the_project_around_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = make_project(tmp_path / "game")
    for folder in (game, game / "Assets"):
        monkeypatch.chdir(folder)
        assert project_here() == str(game.resolve())
    monkeypatch.chdir(tmp_path)
    assert project_here() is None


def test_the_nearest_of_nested_projects_counts(tmp_path: Path) -> None:
    outer = make_project(tmp_path / "outer")
    inner = make_project(outer / "Packages" / "demo")
    assert enclosing(str(inner / "Assets")) == str(inner)
    assert enclosing(str(outer / "Packages")) == str(outer)


def test_unitys_own_file_makes_a_project_and_nothing_else_need_be_there(tmp_path: Path) -> None:
    (tmp_path / "ProjectSettings").mkdir()
    assert enclosing(str(tmp_path)) is None
    (tmp_path / "ProjectSettings" / "ProjectVersion.txt").write_bytes(
        b"\xef\xbb\xbfm_EditorVersion: 6000.0.1f1\n"
    )
    assert enclosing(str(tmp_path)) == str(tmp_path)
    assert named_project(str(tmp_path)) == Ok(str(tmp_path))


@pytest.mark.skipif(
    sys.platform == "win32", reason="Windows keeps the folder that a process stands in"
)
def test_a_working_directory_that_was_removed_is_in_no_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    os.rmdir(str(tmp_path / "gone"))
    assert project_here() is None


def test_a_path_that_is_named_must_be_a_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = make_project(tmp_path / "game")
    (tmp_path / "a file").write_text("")
    monkeypatch.chdir(tmp_path)
    assert named_project("game") == Ok(str(game))
    for name, said in (
        ("nowhere", "there is no such folder"),
        ("a file", "it is not a folder"),
        (".", "it has no file"),
    ):
        refused = named_project(name)
        assert isinstance(refused, Err) and refused.error.startswith(
            f"{name} is not a Unity project: {said}"
        )


def test_an_empty_name_is_not_the_project_around_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(make_project(tmp_path / "game"))
    refused = named_project("")
    assert isinstance(refused, Err) and "is empty" in refused.error


def test_a_home_folder_in_a_path_is_understood(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert isinstance(named_project("~/game"), Err)
    make_project(tmp_path / "game")
    assert named_project("~/game") == Ok(str(tmp_path / "game"))
