"""``plugin update`` leaves the team's place of the package in the manifest: a git URL stays a git
URL.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from unity_bridge import cli
from unity_bridge.base.result import Ok
from unity_bridge.installation.package_copy import PACKAGE_NAME, shipped_package
from unity_bridge.installation.plugin_package import installed_plugin
from unity_bridge.installation.unity_project import UnityProject
from unity_bridge.version import __version__

OURS = "https://github.com/unity-bridge/unity-bridge.git?path=/unity_bridge/unity_package"
TAG = f"#v{__version__}"


def write_place(project: UnityProject, place: str) -> None:
    project.manifest.write_text(json.dumps({"dependencies": {PACKAGE_NAME: place}}))


def place_of(project: UnityProject) -> str:
    return str(json.loads(project.manifest.read_text())["dependencies"][PACKAGE_NAME])


@pytest.mark.parametrize(
    "place, wanted",
    [
        (OURS, OURS + TAG),
        (OURS + "#v0.0.9", OURS + TAG),
        ("git+" + OURS, "git+" + OURS + TAG),
        (
            "git@github.com:unity-bridge/unity-bridge.git?path=/p#0.0.9",
            "git@github.com:unity-bridge/unity-bridge.git?path=/p" + TAG,
        ),
        (
            "ssh://git@host.example/fork.git?path=/p#v0.0.9",
            "ssh://git@host.example/fork.git?path=/p" + TAG,
        ),
        ("file:///srv/git/fork.git?path=/p#v0.0.9", "file:///srv/git/fork.git?path=/p" + TAG),
        ("0.0.9", __version__),
    ],
)
def test_an_update_keeps_the_repository_and_names_this_version(
    project: UnityProject, place: str, wanted: str
) -> None:
    write_place(project, place)

    done = CliRunner().invoke(cli.cli, ["plugin", "update", str(project.root)])

    assert done.exit_code == 0, done.output
    assert place_of(project) == wanted
    assert CliRunner().invoke(cli.cli, ["plugin", "status", str(project.root)]).exit_code == 0


@pytest.mark.parametrize(
    "place",
    [
        OURS + "#main",
        OURS + "#0123456789abcdef0123456789abcdef01234567",
        "https://host.example/fork.git?path=/p",
        "ssh://git@host.example/fork.git",
        "git@host.example:team/fork.git",
        "file:../../shared/plugin",
        "file:../plugin-0.0.9.tgz",
        "https://host.example/plugin-0.0.9.tgz",
    ],
)
def test_an_update_leaves_a_place_of_the_team_that_it_cannot_renew_and_says_so(
    project: UnityProject, place: str
) -> None:
    write_place(project, place)

    done = CliRunner().invoke(cli.cli, ["plugin", "update", str(project.root)])

    assert done.exit_code == 1
    assert place_of(project) == place
    assert place in done.output and "left as it is" in done.output


def test_an_update_replaces_a_path_of_another_installation(
    project: UnityProject, tmp_path: Path
) -> None:
    write_place(project, f"file:{(tmp_path / 'old-clone').as_posix()}")

    done = CliRunner().invoke(cli.cli, ["plugin", "update", str(project.root)])

    assert done.exit_code == 0, done.output
    assert place_of(project) == f"file:{shipped_package().as_posix()}"


def test_status_does_not_take_a_url_for_a_version(project: UnityProject) -> None:
    write_place(project, OURS + "#main")

    found = installed_plugin(project)
    shown = CliRunner().invoke(cli.cli, ["plugin", "status", str(project.root)])

    assert isinstance(found, Ok) and found.value.version is None
    assert "unknown (reference)" in shown.output
    assert "plugin update" not in shown.output
