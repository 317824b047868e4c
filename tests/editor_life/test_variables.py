"""The environment that an editor gets from a shell with few variables, or in a sandbox (SPEC
§22.3).
"""

from __future__ import annotations

import sys
from typing import Dict, Optional

import pytest

from tests.editor_life.desk import Desk
from unity_bridge.editor_life import variables

NEEDED = (
    "SystemRoot",
    "ComSpec",
    "APPDATA",
    "LOCALAPPDATA",
    "ProgramData",
    "ProgramFiles",
    "USERPROFILE",
)
WHOLE = {name.upper(): "C:\\x" for name in NEEDED}


@pytest.mark.parametrize(
    "platform, environ, needs_window, said",
    [
        ("linux", {"DISPLAY": ":0"}, True, None),
        ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, True, None),
        ("linux", {"DISPLAY": ""}, True, "DISPLAY"),
        ("linux", {}, False, None),
        ("darwin", {}, True, None),
        ("win32", WHOLE, True, None),
        ("win32", {**WHOLE, "COMSPEC": "", "EXTRA": "1"}, True, "ComSpec"),
        ("win32", {}, False, "SystemRoot, ComSpec, APPDATA"),
    ],
)
def test_what_an_editor_would_lack(
    platform: str, environ: Dict[str, str], needs_window: bool, said: Optional[str]
) -> None:
    found = variables.lacking(environ, needs_window, platform)
    assert found is None if said is None else found is not None and said in found


def test_a_cut_environment_is_completed_and_nothing_in_it_is_changed() -> None:
    of_the_user = {name.upper(): f"of the user: {name}" for name in NEEDED[:-1]}
    environ = {"comspec": "mine", "AppData": "", "PATH": "p"}
    found = variables.completed(environ, {**of_the_user, "PATH": "other", "SECRET": "x"})
    assert (found["comspec"], found["PATH"], found["APPDATA"]) == (
        "mine",
        "p",
        "of the user: APPDATA",
    )
    assert "SECRET" not in found and "ComSpec" not in found
    assert variables.missing_on_windows(found) == ["USERPROFILE"]


@pytest.mark.skipif(sys.platform != "win32", reason="only Windows gives a user's environment")
def test_windows_gives_what_unity_needs() -> None:
    assert variables.missing_on_windows(variables.of_this_user()) == []


@pytest.mark.slow
@pytest.mark.skipif(
    sys.platform != "linux", reason="other systems have a display without a variable"
)
def test_without_a_display_nothing_is_started(desk: Desk) -> None:
    status, answer, stderr = desk.open(DISPLAY="", WAYLAND_DISPLAY="")
    details = answer["error"]["details"]
    assert (status, details["reason"], details["recovery"]) == (1, "environment", "ask_the_user"), (
        stderr
    )
    assert "DISPLAY" in answer["error"]["message"] and "--headless" in answer["error"]["message"]
    assert desk.unity.starts() == [] and not desk.state.exists()
    assert desk.open("--headless", DISPLAY="", WAYLAND_DISPLAY="")[0] == 0
