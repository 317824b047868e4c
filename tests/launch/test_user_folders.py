"""The user's folders by variables: one that is empty or relative counts as not set, everywhere
(SPEC §20.8).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from unity_bridge.editor_life.machine_layout import MachineLayout
from unity_bridge.installation.clients.client import Machine
from unity_bridge.launch import environment, user_folders
from unity_bridge.launch.user_folders import home_of
from unity_bridge.projects.probing import editor_log_path
from unity_bridge.trust.state_folder import state_path

posix = pytest.mark.skipif(os.name == "nt", reason="the folders of Linux")
VARIABLES = ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")


@posix
@pytest.mark.parametrize("value", ["", ".", ".cache", "~/x"])
def test_a_folder_of_the_working_directory_is_never_meant(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    for name in ("HOME", *VARIABLES):
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("UNITY_BRIDGE_STATE_DIR", raising=False)
    layout, machine = MachineLayout(platform="linux"), Machine(platform="linux")

    found = [
        *environment.places(),
        *layout.hub_folders(),
        *layout.editor_folders(),
        editor_log_path("linux"),
        str(machine.config),
        state_path().value,  # type: ignore[union-attr]
    ]

    assert [path for path in found if not os.path.isabs(path)] == []


@posix
def test_without_a_home_the_folder_is_that_of_the_systems_database(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import pwd

    for value in ("", "home"):
        assert home_of({"HOME": value}, "linux") == pwd.getpwuid(os.getuid()).pw_dir
    assert home_of({"HOME": "/home/me"}, "linux") == "/home/me"


@posix
def test_without_any_home_nothing_is_looked_up_in_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(user_folders, "_home_by_the_system", lambda: "")
    for name in ("HOME", *VARIABLES):
        monkeypatch.delenv(name, raising=False)

    assert (
        environment.places() == [os.path.join(environment.ROOT, environment.FOLDER)]
        or sys.platform == "darwin"
    )
    assert all(os.path.isabs(path) for path in MachineLayout(platform="linux").editor_folders())
