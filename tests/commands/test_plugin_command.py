"""``plugin`` as its user meets it: what it says, where it says it, and its exit status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.installation.unity_projects import make_project
from unity_bridge.commands.plugin import command
from unity_bridge.installation.command_line import ours
from unity_bridge.installation.package_copy import PACKAGE_NAME
from unity_bridge.projects.port_files import automatic
from unity_bridge.version import __version__


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(command, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture
def game(tmp_path: Path) -> str:
    return str(make_project(tmp_path / "game"))


@pytest.mark.slow
def test_the_life_of_a_plugin_in_a_project(game: str) -> None:
    assert run("status", game).exit_code == 1
    assert run("update", game).exit_code == 1

    installed = run("install", game)
    assert installed.exit_code == 0 and f"Copied the plugin {__version__}" in installed.output
    assert run("status", game).exit_code == 0
    assert "installed already" in run("install", game).output
    assert f"is {__version__} already" in run("update", game).output

    removed = run("remove", game)
    assert removed.exit_code == 0 and "Removed" in removed.output
    assert "no plugin" in run("remove", game).output


def test_status_on_one_screen(game: str) -> None:
    run("install", game, "--port", "9000")

    lines = dict(line.split(":", 1) for line in run("status", game).output.splitlines())

    assert {name: value.strip() for name, value in lines.items()} == {
        "Project": str(Path(game).resolve()),
        "Unity": "2022.3.10f1",
        "Plugin": f"{__version__} (embedded)",
        "Place": str(Path(game).resolve() / "Packages" / PACKAGE_NAME),
        "Server": __version__,
        "Port": f"9000 ({Path(game).resolve() / 'ProjectSettings' / 'UnityBridge.json'})",
    }


@pytest.mark.slow
def test_a_copy_of_another_version_or_changed_by_hand_is_not_well(game: str) -> None:
    run("install", game)
    folder = Path(game) / "Packages" / PACKAGE_NAME
    (folder / "Editor" / "Startup" / "Bootstrap.cs").write_text("// changed")
    changed = run("status", game)
    assert changed.exit_code == 1 and "Its files were changed" in changed.output

    package = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    (folder / "package.json").write_text(json.dumps({**package, "version": "0.0.1"}))
    older = run("status", game)
    assert older.exit_code == 1 and f"plugin update {game}" in older.output

    assert run("update", game).exit_code == 0
    assert run("status", game).exit_code == 0


def test_update_keeps_the_form(game: str) -> None:
    run("install", game, "--reference")
    manifest = Path(game) / "Packages" / "manifest.json"
    manifest.write_text(manifest.read_text().replace("file:", "file:/moved"))

    assert run("update", game).exit_code == 0

    assert "(reference)" in run("status", game).output
    assert not (Path(game) / "Packages" / PACKAGE_NAME).exists()


@pytest.mark.slow
def test_the_port_is_set_once(game: str) -> None:
    assert "Set the plugin's port to 9000" in run("install", game, "--port", "9000").output
    assert "uses port 9000 already" in run("install", game, "--port", "9000").output
    assert run("install", game, "--port", "8091").exit_code == 0
    assert json.loads((Path(game) / "ProjectSettings" / "UnityBridge.json").read_text()) == {
        "port": 8091
    }


@pytest.mark.slow
def test_the_port_may_follow_from_the_projects_path(game: str) -> None:
    said = run("install", game, "--port", "auto").output
    assert f"Set the plugin's port to auto (here {automatic(game)})" in said
    assert json.loads((Path(game) / "ProjectSettings" / "UnityBridge.json").read_text()) == {
        "port": "auto"
    }
    assert "Port:    " + str(automatic(game)) in run("status", game).output


@pytest.mark.slow
def test_a_port_for_oneself_counts_more_and_is_said_to(game: str) -> None:
    mine = Path(game) / "UserSettings" / "UnityBridge.json"
    assert str(mine) in run("install", game, "--port", "9000", "--for-me").output
    assert json.loads(mine.read_text()) == {"port": 9000}

    said = run("update", game, "--port", "9001").output
    assert f"{mine} says 9000 and takes precedence here" in said
    assert run("install", game, "--for-me").exit_code == 2


@pytest.mark.parametrize("port", ["0", "65536", "Auto", "x"])
def test_an_invalid_port_is_a_wrong_argument(game: str, port: str) -> None:
    assert run("install", game, "--port", port).exit_code == 2
    assert not (Path(game) / "Packages" / PACKAGE_NAME).exists()


def test_a_port_setting_that_cannot_be_parsed_is_left_alone(game: str) -> None:
    settings = Path(game) / "ProjectSettings" / "UnityBridge.json"
    settings.write_text("{")

    result = run("install", game, "--port", "9000")

    assert result.exit_code == 1 and "Project Settings > Unity Bridge" in result.output
    assert settings.read_text() == "{"


@pytest.mark.parametrize("action", ["install", "update", "remove", "status"])
def test_a_folder_without_a_project_is_a_wrong_argument(tmp_path: Path, action: str) -> None:
    result = run(action, str(tmp_path))

    assert result.exit_code == 2
    assert "is not a Unity project" in result.output
    assert list(tmp_path.iterdir()) == []
    assert run(action, str(tmp_path / "nowhere")).exit_code == 2


@pytest.mark.parametrize("action", ["install", "update", "remove", "status"])
def test_a_broken_manifest_is_an_end_with_a_reason(tmp_path: Path, action: str) -> None:
    folder = make_project(tmp_path / "game", manifest="{ not json")

    result = run(action, str(folder))

    assert result.exit_code == 1 and "manifest.json is not valid JSON" in result.output
    assert not (folder / "Packages" / PACKAGE_NAME).exists()


def test_a_folder_that_begins_with_a_hyphen_is_named_whole_in_the_advice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = make_project(tmp_path / "-game").resolve()
    monkeypatch.chdir(tmp_path)
    assert ours("plugin", "install", str(game)) in run("status", "--", "-game").output
    assert ours("plugin", "install", str(game)) in run("update", "--", "-game").output
