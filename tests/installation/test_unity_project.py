"""Checks of a folder: is it a Unity project, and one that the plugin can work in?"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Optional

import pytest

from tests.installation.unity_projects import make_project, opened
from unity_bridge.base.result import Err, Ok
from unity_bridge.installation.plugin_package import embed
from unity_bridge.installation.unity_project import enclosing_project, open_project
from unity_bridge.projects.probing import has_plugin


@pytest.mark.parametrize("version", ["2021.3.0f1", "2022.3.10f1c1", "2023.1.0a2", "6000.0.23f1"])
def test_a_project_of_a_unity_that_the_plugin_supports(tmp_path: Path, version: str) -> None:
    assert opened(make_project(tmp_path / "game", version)).unity_version == version


@pytest.mark.parametrize("version", ["2021.2.19f1", "2019.4.40f1", "5.6.7f1"])
def test_an_older_unity_is_refused_by_its_version(tmp_path: Path, version: str) -> None:
    project = open_project(make_project(tmp_path / "game", version))

    assert isinstance(project, Err)
    assert version in project.error and "2021.3 or newer" in project.error


@pytest.mark.parametrize("missing", ["Assets", "ProjectSettings"])
def test_a_folder_that_lacks_a_part_is_not_a_project_and_the_part_is_named(
    tmp_path: Path, missing: str
) -> None:
    folder = make_project(tmp_path / "game")
    shutil.rmtree(str(folder / missing))

    project = open_project(folder)

    assert isinstance(project, Err)
    assert "is not a Unity project" in project.error and missing in project.error


@pytest.mark.parametrize(
    "version", ["", "9" * 5000 + ".3.0f1"], ids=["nothing", "a number without an end"]
)
def test_a_project_version_that_names_no_version_is_no_project(
    tmp_path: Path, version: str
) -> None:
    assert isinstance(open_project(make_project(tmp_path / "game", version)), Err)


def test_unity_writes_a_manifest_that_is_missing(tmp_path: Path) -> None:
    """A copy of the plugin needs none; a manifest of ours would keep Unity from writing its own
    packages into it.
    """
    folder = make_project(tmp_path / "game", "6000.3.19f1")
    shutil.rmtree(str(folder / "Packages"))
    project = opened(folder)
    assert project.dependencies() == Ok({})
    edit = project.with_dependency("com.unitybridge.editor", "file:x")
    assert isinstance(edit, Err) and "Unity writes it when it opens the project" in edit.error
    assert isinstance(embed(project), Ok) and has_plugin(str(folder))
    folder = make_project(tmp_path / "old", "5.0.1f1")
    shutil.rmtree(str(folder / "Packages"))
    old = open_project(folder)
    assert isinstance(old, Err) and "needs Unity 2021.3 or newer" in old.error


def test_a_merge_conflict_is_named(tmp_path: Path) -> None:
    folder = make_project(tmp_path / "game")
    file = folder / "ProjectSettings" / "ProjectVersion.txt"
    file.write_text(f"<<<<<<< HEAD\n{file.read_text()}=======\n>>>>>>> other\n")
    project = open_project(folder)
    assert isinstance(project, Err) and "has a merge conflict" in project.error


def test_the_project_around_or_inside_is_pointed_out(tmp_path: Path) -> None:
    game = make_project(tmp_path / "repository" / "game")

    for folder in (game / "Assets", game.parent):
        project = open_project(folder)
        assert isinstance(project, Err)
        assert str(game.resolve()) in project.error


def test_the_project_that_a_folder_lies_in_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = make_project(tmp_path / "game")
    assert _seen_from(game / "Assets", monkeypatch) == game.resolve()
    assert _seen_from(tmp_path, monkeypatch) is None


def _seen_from(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Optional[Path]:
    monkeypatch.chdir(folder)
    found = enclosing_project()
    return None if found is None else found.root


def test_a_byte_order_mark_in_the_versions_file_is_passed_over(tmp_path: Path) -> None:
    game = make_project(tmp_path / "game")
    file = game / "ProjectSettings" / "ProjectVersion.txt"
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())

    assert opened(game).unity_version == "2022.3.10f1"


def test_the_inner_one_of_nested_projects_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outer = make_project(tmp_path / "outer")
    inner = make_project(outer / "Tools" / "inner")
    assert _seen_from(inner / "Assets", monkeypatch) == inner.resolve()


def test_the_plugins_port_is_read_as_the_plugin_reads_it(tmp_path: Path) -> None:
    project = opened(make_project(tmp_path / "game"))
    assert project.plugin_port() == (8091, "the default", ())

    project.settings_file.write_text('{"port": 9000}')
    assert project.plugin_port() == (9000, str(project.settings_file), ())

    project.settings_file.write_text("{")
    number, source, broken = project.plugin_port()
    assert (number, source) == (8091, "the default") and "is not valid JSON" in broken[0]


def test_the_plugins_port_is_set_next_to_the_other_settings(tmp_path: Path) -> None:
    project = opened(make_project(tmp_path / "game"))
    project.settings_file.write_text('{"other": 1}')

    edit = project.with_plugin_port(9000)

    assert isinstance(edit, Ok) and isinstance(edit.value.apply(), Ok)
    assert json.loads(project.settings_file.read_text()) == {"other": 1, "port": 9000}


def test_the_default_port_needs_no_file(tmp_path: Path) -> None:
    project = opened(make_project(tmp_path / "game"))

    edit = project.with_plugin_port(8091)

    assert isinstance(edit, Ok) and not edit.value.changes


def test_a_port_of_ones_own_counts_more_and_stands_elsewhere(tmp_path: Path) -> None:
    project = opened(make_project(tmp_path / "game"))
    project.settings_file.write_text('{"port": 9000}')

    edit = project.with_plugin_port(8091, for_me=True)

    assert isinstance(edit, Ok) and isinstance(edit.value.apply(), Ok)
    assert project.plugin_port() == (
        8091,
        str(tmp_path / "game" / "UserSettings" / "UnityBridge.json"),
        (),
    )
    assert json.loads(project.settings_file.read_text()) == {"port": 9000}
