"""Where the secret lies on each system, computed by the same rules as the plugin's (SPEC §17.1)."""

from __future__ import annotations

from pathlib import Path
from typing import Dict

import pytest

from unity_bridge.base.result import Err, Ok
from unity_bridge.launch import user_folders
from unity_bridge.launch.user_folders import home_of
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE, location, state_folder

HOME, USER = "/home/me", "C:\\Users\\me"


@pytest.mark.parametrize(
    "platform, home, environment, folder",
    [
        ("linux", HOME, {}, "/home/me/.local/state/unity-bridge"),
        ("linux", HOME, {"XDG_STATE_HOME": "/var/me"}, "/var/me/unity-bridge"),
        ("linux", HOME, {"XDG_STATE_HOME": ""}, "/home/me/.local/state/unity-bridge"),
        ("linux", HOME, {"XDG_STATE_HOME": "state"}, "/home/me/.local/state/unity-bridge"),
        ("linux", "", {"XDG_STATE_HOME": "/var/me"}, "/var/me/unity-bridge"),
        ("linux", HOME, {"LOCALAPPDATA": "/elsewhere"}, "/home/me/.local/state/unity-bridge"),
        ("darwin", "/Users/me", {}, "/Users/me/Library/Application Support/unity-bridge"),
        (
            "darwin",
            "/Users/me",
            {"XDG_STATE_HOME": "/x"},
            "/Users/me/Library/Application Support/unity-bridge",
        ),
        ("win32", USER, {}, "C:\\Users\\me\\.unity-bridge"),
        # Of a packaged program: no other one sees what it makes there.
        (
            "win32",
            USER,
            {"LOCALAPPDATA": "C:\\Users\\me\\AppData\\Local"},
            "C:\\Users\\me\\.unity-bridge",
        ),
        (
            "win32",
            USER,
            {"APPDATA": "D:\\Roaming", "XDG_STATE_HOME": "D:\\x"},
            "C:\\Users\\me\\.unity-bridge",
        ),
        (
            "linux",
            HOME,
            {STATE_DIR_VARIABLE: "/mnt/c/state", "XDG_STATE_HOME": "/x"},
            "/mnt/c/state",
        ),
        ("darwin", HOME, {STATE_DIR_VARIABLE: "/tmp/state"}, "/tmp/state"),
        (
            "win32",
            USER,
            {STATE_DIR_VARIABLE: "\\\\wsl$\\home\\state", "LOCALAPPDATA": "D:\\"},
            "\\\\wsl$\\home\\state",
        ),
    ],
)
def test_the_state_folder_of_each_system(
    platform: str, home: str, environment: Dict[str, str], folder: str
) -> None:
    assert location(environment, platform, home) == Ok(folder)


@pytest.mark.parametrize(
    "platform, named", [("linux", "state"), ("linux", "~/state"), ("win32", "state")]
)
def test_a_folder_that_would_be_another_one_to_each_program_is_refused(
    platform: str, named: str
) -> None:
    refused = location({STATE_DIR_VARIABLE: named}, platform, HOME)
    assert isinstance(refused, Err) and STATE_DIR_VARIABLE in refused.error


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_without_a_home_the_folder_has_to_be_named(platform: str) -> None:
    refused = location({}, platform, "")
    assert isinstance(refused, Err) and STATE_DIR_VARIABLE in refused.error


def test_it_is_this_users_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(STATE_DIR_VARIABLE, str(tmp_path))
    assert state_folder() == Ok(tmp_path)
    monkeypatch.delenv(STATE_DIR_VARIABLE)
    found = state_folder()
    assert (
        isinstance(found, Ok)
        and found.value.name.lstrip(".") == "unity-bridge"
        and found.value.is_absolute()
    )


def test_a_user_without_a_home_gets_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    homes = ("USERPROFILE", "HOMEDRIVE", "HOMEPATH")
    for name in (STATE_DIR_VARIABLE, "XDG_STATE_HOME", "LOCALAPPDATA", *homes):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(user_folders, "_home_by_the_system", lambda: "")
    monkeypatch.setenv("HOME", "home")
    assert isinstance(state_folder(), Err)


@pytest.mark.parametrize(
    "environment, home",
    [
        ({"USERPROFILE": USER, "HOMEDRIVE": "H:", "HOMEPATH": "\\me"}, USER),
        ({"HOMEDRIVE": "H:", "HOMEPATH": "\\me"}, "H:\\me"),
        ({"USERPROFILE": "", "HOMEDRIVE": "H:", "HOMEPATH": "\\me"}, "H:\\me"),
        ({"HOMEDRIVE": "H:"}, ""),
        ({}, ""),
    ],
)
def test_the_home_on_windows_is_the_plugins(environment: Dict[str, str], home: str) -> None:
    """TrustTests.cs has the same cases (W14)."""
    assert home_of(environment, "win32") == home
