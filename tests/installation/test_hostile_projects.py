"""A project may come from anywhere: nothing in it leads reading or writing out of it (SPEC §20.7)."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Callable, Dict

import pytest
from click.exceptions import Exit
from click.testing import CliRunner

from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.commands import client
from unity_bridge.commands.shared.client_request import place_of
from unity_bridge.installation.clients.client import Scope
from unity_bridge.installation.package_copy import PACKAGE_NAME
from unity_bridge.installation.plugin_package import Report, embed, installed_plugin, refer, remove
from unity_bridge.installation.unity_project import UnityProject, open_project

Change = Callable[[UnityProject], Result[Report, str]]

links = pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "secret.txt").write_text("a secret")
    return folder


def copy_of(project: UnityProject) -> Path:
    return project.packages / PACKAGE_NAME


def tree(folder: Path) -> Dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in folder.rglob("*")
        if path.is_file()
    }


def refused(result: Result[Report, str]) -> str:
    assert isinstance(result, Err), result
    return result.error


@pytest.mark.slow
@pytest.mark.parametrize(
    "version", ["../../../../out", "/tmp/out", "a\0b", "x" * 5000, 7, None, ["a"]]
)
def test_a_version_is_never_a_path(project: UnityProject, outside: Path, version: object) -> None:
    embed(project)
    (copy_of(project) / "package.json").write_text(json.dumps({"version": version}))

    result = embed(project)

    assert isinstance(result, Ok), result
    assert {path.name for path in project.root.parent.iterdir()} == {"game", "outside"}
    assert [path.name for path in project.backups.iterdir()] == [f"{PACKAGE_NAME}-1"]


@pytest.mark.slow
@pytest.mark.parametrize("text", ["[" * 100_000, '{"version": ' + "9" * 5000 + "}", "\0", "", "[]"])
def test_an_invalid_package_json_has_no_version_and_is_replaced(
    project: UnityProject, text: str
) -> None:
    copy_of(project).mkdir()
    (copy_of(project) / "package.json").write_text(text)

    found = installed_plugin(project)

    assert isinstance(found, Ok) and found.value.version is None
    assert isinstance(embed(project), Ok)


@pytest.mark.parametrize(
    "place", ["file:a\0b", "file:" + "x" * 5000, "file:/dev", "git+\0", "file:"]
)
def test_a_reference_that_leads_nowhere(project: UnityProject, place: str) -> None:
    project.manifest.write_text(json.dumps({"dependencies": {PACKAGE_NAME: place}}))

    assert isinstance(installed_plugin(project), Ok)
    assert isinstance(embed(project), Ok)


@links
def test_links_in_a_circle_are_no_traceback(project: UnityProject) -> None:
    circle = project.packages / "circle"
    circle.symlink_to(project.packages / "back")
    (project.packages / "back").symlink_to(circle)
    project.manifest.write_text(json.dumps({"dependencies": {PACKAGE_NAME: "file:circle"}}))

    assert isinstance(installed_plugin(project), Ok)
    assert isinstance(open_project(circle), Err)
    with pytest.raises(Exit):
        place_of(Scope.PROJECT.value, None, str(circle))
    assert CliRunner().invoke(client.command, ["list", "--project", str(circle)]).exit_code == 0


@links
class TestLinks:
    @pytest.mark.parametrize("change", [embed, remove])
    @pytest.mark.parametrize("name", ["notes.txt", "Editor/notes.txt", "Editor/Extra"])
    def test_inside_the_package_are_refused(
        self, project: UnityProject, outside: Path, name: str, change: Change
    ) -> None:
        embed(project)
        target = outside if name.endswith("Extra") else outside / "secret.txt"
        (copy_of(project) / name).symlink_to(target)

        assert "is a link" in refused(change(project))

        assert tree(outside) == {"secret.txt": "a secret"}
        assert not project.backups.exists(), "a secret was copied into the project"

    def test_in_place_of_a_folder_of_the_package_are_refused(
        self, project: UnityProject, outside: Path
    ) -> None:
        copy_of(project).mkdir()
        (copy_of(project) / "Editor").symlink_to(outside)

        assert "is a link" in refused(embed(project))
        assert tree(outside) == {"secret.txt": "a secret"}

    @pytest.mark.slow
    def test_under_the_name_of_a_draft_are_not_followed(
        self, project: UnityProject, outside: Path
    ) -> None:
        embed(project)
        (copy_of(project) / "package.json").write_text('{"version": "0.0.1"}')
        (copy_of(project) / ".package.json.new").symlink_to(outside / "secret.txt")

        assert isinstance(embed(project), Ok)
        assert tree(outside) == {"secret.txt": "a secret"}

    @pytest.mark.parametrize(
        "name", ["Library", "Library/UnityBridge", "Library/UnityBridge/plugin.lock"]
    )
    def test_where_backups_go_are_refused(
        self, project: UnityProject, outside: Path, name: str
    ) -> None:
        link = project.root / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(outside / "secret.txt" if name.endswith("lock") else outside)

        assert "is a link, and nothing is written through one" in refused(embed(project))
        assert tree(outside) == {"secret.txt": "a secret"}
        assert not copy_of(project).exists()

    @pytest.mark.slow
    def test_to_the_backups_folder_are_refused(self, project: UnityProject, outside: Path) -> None:
        embed(project)
        (copy_of(project) / "package.json").write_text('{"version": "0.0.1"}')
        project.backups.symlink_to(outside)

        assert "is a link" in refused(embed(project))
        assert tree(outside) == {"secret.txt": "a secret"}

    @pytest.mark.parametrize("change", [embed, refer])
    def test_in_place_of_packages_are_refused(
        self, project: UnityProject, outside: Path, change: Change
    ) -> None:
        """As tools make them that open one project in two editors: it is installed in the original."""
        os.replace(str(project.packages), str(outside / "Packages"))
        project.packages.symlink_to(outside / "Packages")
        before = tree(outside)

        assert f"{project.packages} is a link" in refused(change(project))
        assert tree(outside) == before

    def test_in_place_of_the_manifest_are_refused(
        self, project: UnityProject, outside: Path
    ) -> None:
        os.replace(str(project.manifest), str(outside / "manifest.json"))
        project.manifest.symlink_to(outside / "manifest.json")
        before = tree(outside)

        assert "is a link" in refused(refer(project))
        assert tree(outside) == before

    def test_in_place_of_the_settings_are_refused(
        self, project: UnityProject, outside: Path
    ) -> None:
        project.settings_file.symlink_to(outside / "settings.json")

        edit = project.with_plugin_port(9000)

        assert isinstance(edit, Ok) and isinstance(edit.value.apply(), Err)
        assert tree(outside) == {"secret.txt": "a secret"}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no such files")
def test_a_pipe_in_place_of_a_file_does_not_hold_us_up(project: UnityProject) -> None:
    copy_of(project).mkdir()
    os.mkfifo(str(copy_of(project) / "package.json"))
    os.mkfifo(str(project.settings_file))

    found = installed_plugin(project)

    assert isinstance(found, Ok) and found.value.version is None
    assert "is not a file" in project.plugin_port().broken[0]


class TestReadOnlyFiles:
    """Perforce keeps what is not checked out read-only; replacing it would lose it from the
    changelist.
    """

    @pytest.mark.slow
    def test_of_the_package_are_left_and_named(self, project: UnityProject) -> None:
        embed(project)
        file = copy_of(project) / "package.json"
        file.write_text('{"version": "0.0.1"}')
        file.chmod(0o444)

        assert "package.json is read-only: check them out" in refused(embed(project))
        assert file.read_text() == '{"version": "0.0.1"}'
        file.chmod(0o644)
        assert isinstance(embed(project), Ok)

    def test_the_manifest_is_left_and_named(self, project: UnityProject) -> None:
        before = project.manifest.read_text()
        project.manifest.chmod(0o444)

        assert "manifest.json is read-only" in refused(refer(project))
        assert project.manifest.read_text() == before
        project.manifest.chmod(0o644)


@pytest.mark.slow
def test_embedding_and_referring_at_once_leave_one_of_the_two(project: UnityProject) -> None:
    for _ in range(5):
        changes = [
            threading.Thread(target=change, args=(project,), name="change")
            for change in (embed, refer)
        ]
        for one in changes:
            one.start()
        for one in changes:
            one.join()
        has_copy = copy_of(project).is_dir()
        has_reference = PACKAGE_NAME in json.loads(project.manifest.read_text())["dependencies"]
        assert has_copy != has_reference


def test_a_full_disk_leaves_the_project_as_it_was(
    project: UnityProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(source: str, target: str) -> None:
        Path(target).write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("unity_bridge.installation.package_copy.shutil.copyfile", full)

    assert "No space left on device" in refused(embed(project))
    assert not copy_of(project).exists()
    assert [path.name for path in project.own_folder.iterdir()] == ["plugin.lock"]


@pytest.mark.parametrize(
    "place, wanted",
    [
        (
            "https://host/r.git?path=/unity_bridge/unity_package#v0.0.1",
            "https://host/r.git?path=/unity_bridge/unity_package#v{}",
        ),
        ("0.0.1", "{}"),
    ],
)
def test_a_reference_to_a_repository_or_registry_stays_one(
    project: UnityProject, place: str, wanted: str
) -> None:
    from unity_bridge.version import __version__

    project.manifest.write_text(json.dumps({"dependencies": {PACKAGE_NAME: place}}))
    found = installed_plugin(project)
    assert isinstance(found, Ok) and found.value.version == "0.0.1" and found.value.differs

    refer(project)

    assert json.loads(project.manifest.read_text())["dependencies"][PACKAGE_NAME] == wanted.format(
        __version__
    )
    found = installed_plugin(project)
    assert isinstance(found, Ok) and not found.value.differs


def test_a_reference_to_this_machine_says_so(project: UnityProject) -> None:
    report = refer(project)

    assert isinstance(report, Ok)
    assert "other members of the team cannot open the project" in report.value.remarks[0]
