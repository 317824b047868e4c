"""The plugin comes into a project, is renewed, compared and removed; what was the user's is kept."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Callable, Dict, List, Optional

import pytest

from tests.installation.unity_projects import MANIFEST, make_project, opened
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.installation.file_edit import FileEdit
from unity_bridge.installation.package_copy import PACKAGE_NAME, shipped_package
from unity_bridge.installation.plugin_package import (
    InstalledPlugin,
    PluginForm,
    Report,
    embed,
    installed_plugin,
    refer,
    remove,
)
from unity_bridge.installation.unity_project import UnityProject
from unity_bridge.version import __version__

Change = Callable[[UnityProject], Result[Report, str]]


def done(report: Result[Report, str]) -> List[str]:
    assert isinstance(report, Ok), report
    return report.value.done


def found(project: UnityProject) -> InstalledPlugin:
    plugin = installed_plugin(project)
    assert isinstance(plugin, Ok), plugin
    return plugin.value


def files(folder: Path) -> Dict[str, bytes]:
    """What version control would see: Unity's own .gitignore leaves Library out."""
    found = (
        path
        for path in folder.rglob("*")
        if path.is_file() and folder / "Library" not in path.parents
    )
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def copy_of(project: UnityProject) -> Path:
    return project.packages / PACKAGE_NAME


def backups(project: UnityProject) -> List[Path]:
    return sorted(
        path
        for path in (project.root / "Library" / "UnityBridge" / "backups").glob("*")
        if path.is_dir()
    )


def test_the_package_is_called_as_unity_calls_it() -> None:
    package = json.loads((shipped_package() / "package.json").read_text(encoding="utf-8"))

    assert (package["name"], package["version"]) == (PACKAGE_NAME, __version__)


@pytest.mark.slow
def test_a_copy_is_the_whole_package_and_needs_no_line_in_the_manifest(
    project: UnityProject,
) -> None:
    assert found(project).form is PluginForm.ABSENT

    assert done(embed(project))

    assert files(copy_of(project)) == files(shipped_package())
    assert project.manifest.read_text() == MANIFEST
    assert found(project) == InstalledPlugin(
        PluginForm.EMBEDDED, str(copy_of(project)), __version__, True
    )
    assert {path.name for path in project.root.iterdir()} == {
        "Assets",
        "Library",
        "Packages",
        "ProjectSettings",
    }
    assert [path.name for path in (project.root / "Library" / "UnityBridge").iterdir()] == [
        "plugin.lock"
    ]


@pytest.mark.slow
def test_a_second_time_changes_nothing(project: UnityProject) -> None:
    embed(project)
    assert done(embed(project)) == []

    refer(project)
    assert done(refer(project)) == []


@pytest.mark.slow
def test_an_older_copy_is_renewed_and_kept_aside(project: UnityProject) -> None:
    embed(project)
    manifest = copy_of(project) / "package.json"
    manifest.write_text(
        manifest.read_text(encoding="utf-8").replace(__version__, "0.0.1"), encoding="utf-8"
    )
    (copy_of(project) / "Editor" / "Mine.cs").write_text("// written by the user")
    (copy_of(project) / "Editor" / "Startup" / "Bootstrap.cs").unlink()
    before = files(copy_of(project))
    assert found(project).differs

    assert done(embed(project))

    assert files(copy_of(project)) == files(shipped_package())
    assert [files(backup) for backup in backups(project)] == [before]
    assert not found(project).differs


@pytest.mark.slow
def test_files_that_only_have_other_line_ends_are_unchanged(project: UnityProject) -> None:
    embed(project)
    for path in copy_of(project).rglob("*.cs"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))

    assert found(project).is_ours
    assert done(embed(project)) == []


@pytest.mark.slow
def test_a_copy_left_half_way_is_finished_by_doing_it_again(project: UnityProject) -> None:
    embed(project)
    for path in list((copy_of(project) / "Editor").glob("*.cs")):
        path.unlink()
    (copy_of(project) / "package.json").unlink()
    assert found(project).version is None

    embed(project)

    assert files(copy_of(project)) == files(shipped_package())


def test_a_reference_leads_to_this_installation_and_replaces_the_copy(
    project: UnityProject,
) -> None:
    embed(project)

    assert done(refer(project))

    dependencies = json.loads(project.manifest.read_text())["dependencies"]
    assert dependencies == {
        "com.unity.ugui": "1.0.0",
        PACKAGE_NAME: "file:" + shipped_package().as_posix(),
    }
    assert not copy_of(project).exists()
    plugin = found(project)
    assert (plugin.form, plugin.version, plugin.is_ours) == (
        PluginForm.REFERENCE,
        __version__,
        True,
    )


@pytest.mark.parametrize("change", [embed, remove], ids=["embed", "remove"])
def test_a_change_of_the_manifest_is_reported_with_its_backup(
    project: UnityProject, change: Change
) -> None:
    (added,) = done(refer(project))
    with_reference = project.manifest.read_text()
    taken_out = done(change(project))[-1]

    backup = str(
        project.root / "Library" / "UnityBridge" / "backups" / "manifest.json.unity-bridge-backup"
    )
    assert (
        added
        == f"Referred to file:{shipped_package().as_posix()} in {project.manifest} (backup: {backup}-1)."
    )
    assert taken_out == f"Took the reference out of {project.manifest} (backup: {backup}-2)."
    assert [Path(f"{backup}-{number}").read_text() for number in (1, 2)] == [
        MANIFEST,
        with_reference,
    ]


@pytest.mark.parametrize("change", [embed, refer, remove], ids=["embed", "refer", "remove"])
def test_a_manifest_that_cannot_be_written_is_reported(
    project: UnityProject, change: Change, monkeypatch: pytest.MonkeyPatch
) -> None:
    if change is not refer:
        refer(project)

    monkeypatch.setattr(FileEdit, "apply", lambda edit: Err("cannot be written: the disk is full"))

    assert change(project) == Err(f"{project.manifest} cannot be written: the disk is full")


@pytest.mark.slow
def test_a_copy_replaces_the_reference(project: UnityProject) -> None:
    refer(project)

    assert done(embed(project))

    assert json.loads(project.manifest.read_text()) == json.loads(MANIFEST)
    assert found(project).form is PluginForm.EMBEDDED


@pytest.mark.parametrize(
    "place, version",
    [("file:../../elsewhere", "0.0.9"), ("https://example.com/plugin.git", None)],
)
def test_a_reference_to_another_folder_is_reported(
    project: UnityProject, place: str, version: Optional[str]
) -> None:
    elsewhere = project.root.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "package.json").write_text('{"version": "0.0.9"}')
    project.manifest.write_text(json.dumps({"dependencies": {PACKAGE_NAME: place}}))

    assert found(project) == InstalledPlugin(
        PluginForm.REFERENCE, place, version, False, is_elsewhere=version is None
    )


@pytest.mark.slow
@pytest.mark.parametrize("put_there", [embed, refer])
def test_removing_leaves_the_project_as_it_was(project: UnityProject, put_there: Change) -> None:
    done(put_there(project))

    assert done(remove(project))

    assert json.loads(project.manifest.read_text()) == json.loads(MANIFEST)
    assert found(project).form is PluginForm.ABSENT
    assert backups(project) == []
    assert done(remove(project)) == []


@pytest.mark.slow
def test_removing_a_copy_that_was_changed_keeps_it_aside(project: UnityProject) -> None:
    embed(project)
    (copy_of(project) / "Mine.cs").write_text("// written by the user")

    remove(project)

    assert not copy_of(project).exists()
    assert [(backup / "Mine.cs").read_text() for backup in backups(project)] == [
        "// written by the user"
    ]


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_a_linked_package_is_left_to_its_owner(project: UnityProject, tmp_path: Path) -> None:
    theirs = tmp_path / "their-work"
    theirs.mkdir()
    (theirs / "package.json").write_text('{"version": "9.9.9"}')
    copy_of(project).symlink_to(theirs, target_is_directory=True)
    assert (found(project).version, found(project).is_ours) == ("9.9.9", False)

    refused = embed(project)
    assert (
        isinstance(refused, Err) and "update the package there, or remove the link" in refused.error
    )
    assert copy_of(project).is_symlink()

    done(remove(project))
    assert not copy_of(project).is_symlink()
    assert files(theirs) == {"package.json": b'{"version": "9.9.9"}'}


@pytest.mark.parametrize("manifest", ["{", '{"dependencies": []}', "[]"])
@pytest.mark.parametrize("action", [embed, refer, remove])
def test_a_manifest_that_cannot_be_understood_stops_everything(
    tmp_path: Path, manifest: str, action: Change
) -> None:
    project = opened(make_project(tmp_path / "game", manifest=manifest))
    before = files(project.root)

    result = action(project)

    assert isinstance(result, Err) and "manifest.json" in result.error
    assert files(project.root) == before
