"""``--via wsl``: a Python of Windows is found and written; what keeps it from being found is said
(SPEC §23.1).
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Callable

import psutil
import pytest

from tests.installation.fake_windows import INTEROP, KERNEL, SERVES, FakeWindows
from unity_bridge.base.result import Err, Ok
from unity_bridge.installation.host_environment import System
from unity_bridge.installation.repository import SOURCE
from unity_bridge.installation.trial import serves
from unity_bridge.installation.wsl import BothPaths, both_paths, windows_python

pytestmark = pytest.mark.skipif(os.name == "nt", reason="WSL is Linux")

GUARD_S = 60


@pytest.fixture
def windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeWindows:
    return FakeWindows(tmp_path)


@pytest.fixture
def find(windows: FakeWindows, monkeypatch: pytest.MonkeyPatch) -> Callable[[], object]:
    def found() -> object:
        monkeypatch.setenv("PATH", windows.path_variable)
        return windows_python(windows.system)

    return found


def test_the_launchers_python_is_taken(windows: FakeWindows, find: Callable[[], object]) -> None:
    python = windows.has_python("Program Files/Python312")
    windows.has_python("Windows", "py.exe", listed=["C:\\Program Files\\Python312\\python.exe"])
    assert find() == Ok([python, *SERVES])


@pytest.mark.slow
def test_another_python_of_the_launcher_that_has_it_is_taken(
    windows: FakeWindows, find: Callable[[], object]
) -> None:
    windows.has_python("Python313", has_it=False)
    has_it = windows.has_python("Python311")
    windows.path = windows.path[:1]
    windows.has_python(
        "Windows", "py.exe", False, ["C:\\Python313\\python.exe", "C:\\Python311\\python.exe"]
    )
    assert find() == Ok([has_it, *SERVES])


@pytest.mark.parametrize("name", ["python.exe", "python3.exe"])
def test_without_a_launcher_the_python_on_path_is_taken(
    windows: FakeWindows, find: Callable[[], object], name: str
) -> None:
    python = windows.has_python("Users/Zoë/Python312", name)
    assert find() == Ok([python, *SERVES])


def test_a_python_that_pipx_made_is_found_by_the_command_of_windows(
    windows: FakeWindows, find: Callable[[], object]
) -> None:
    windows.has_python("Python312", has_it=False)
    path = windows.path
    python = windows.has_python("Users/Zoë/pipx/venvs/unity-bridge/Scripts")
    windows.path = path[:2]
    entry = {"command": windows.of_windows(Path(python)), "args": SERVES}
    shown = json.dumps({"mcpServers": {"unity-bridge": entry}}, indent=2)
    windows.has_program(
        "Users/Zoë/.local/bin", "unity-bridge.exe", f"#!/bin/sh\ncat <<'END'\n{shown}\nEND\n"
    )
    assert find() == Ok([python, *SERVES])


def test_where_none_has_it_the_reason_and_the_installation_are_said(
    windows: FakeWindows, find: Callable[[], object]
) -> None:
    windows.has_python("Python312", has_it=False)
    refused = find()
    assert isinstance(refused, Err)
    assert (
        "No module named 'unity_bridge'" in refused.error
        and f"`pipx install {SOURCE}` there" in refused.error
    )


def test_the_stub_of_the_store_is_named_with_what_it_says(
    windows: FakeWindows, find: Callable[[], object]
) -> None:
    said = "Python was not found; run without arguments to install from the Microsoft Store"
    windows.has_program(
        "WindowsApps", "python.exe", f"#!/bin/sh\nprintf '{said}\\r\\n' >&2; exit 49\n"
    )
    refused = find()
    assert isinstance(refused, Err) and said in refused.error and "pipx install" in refused.error


def test_a_program_that_the_kernel_cannot_start_is_named(
    windows: FakeWindows, find: Callable[[], object]
) -> None:
    windows.has_program("Python312", "python.exe", "MZ\x00\x01")
    refused = find()
    assert isinstance(refused, Err) and "python.exe: Exec format error" in refused.error


def test_a_python_on_a_drive_that_wsl_does_not_mount_is_named(
    windows: FakeWindows, find: Callable[[], object]
) -> None:
    windows.has_program(
        "Windows", "py.exe", """#!/bin/sh\n[ "$1" = -3 ] && echo '["Q:\\\\\\\\python.exe"]'\n"""
    )
    refused = find()
    assert (
        isinstance(refused, Err)
        and "python.exe is no program that can be started from WSL" in refused.error
    )


def test_a_path_without_windows_is_said(windows: FakeWindows, find: Callable[[], object]) -> None:
    refused = find()
    assert isinstance(refused, Err) and "PATH has no py.exe or python.exe" in refused.error
    assert '--via "/mnt/c/.../python.exe -I -m unity_bridge"' in refused.error


def test_interop_that_is_off_is_said_before_anything_is_started(
    windows: FakeWindows, find: Callable[[], object]
) -> None:
    windows.has_python("Python312")
    del windows.files[INTEROP]
    refused = find()
    assert isinstance(refused, Err) and "cannot start programs of Windows" in refused.error
    assert not windows.pids.exists()


def test_elsewhere_than_in_wsl_there_is_no_windows() -> None:
    refused = windows_python(
        System("linux", "6.1.0-18-amd64", {}, lambda path: None, lambda path: False)
    )
    assert isinstance(refused, Err) and "this is none" in refused.error
    container = System("linux", KERNEL, {}, lambda path: None, lambda path: path == "/.dockerenv")
    assert isinstance(windows_python(container), Err), "its kernel is WSL's, and it has no interop"


def test_a_folder_has_a_path_on_both_sides(
    windows: FakeWindows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", windows.path_variable)
    game = windows.profile / "My Game"
    both = BothPaths("C:\\Users\\Zoë\\My Game", str(game))
    assert (
        both_paths(str(game), windows.system)
        == both_paths("C:\\Users\\Zoë\\My Game", windows.system)
        == Ok(both)
    )
    game.mkdir()
    monkeypatch.chdir(windows.profile)
    assert both_paths("My Game", windows.system) == Ok(both)
    inside = both_paths("/home/zoë/Game", windows.system)
    assert inside == Ok(BothPaths("\\\\wsl.localhost\\Debian\\home\\zoë\\Game", "/home/zoë/Game"))
    for unknown in ("Q:\\Game", "\\\\server\\share"):
        assert isinstance(both_paths(unknown, windows.system), Err)


def test_the_server_answers_through_interop_and_ends(windows: FakeWindows) -> None:
    python = windows.has_python("Python312")
    assert serves([python, *SERVES], {}) == Ok(None)
    near_pid, far_pid = map(int, windows.pids.read_text().split())
    assert not psutil.pid_exists(near_pid) and not psutil.pid_exists(far_pid)


@pytest.mark.slow
def test_a_server_whose_near_side_is_killed_ends_with_its_input(windows: FakeWindows) -> None:
    python = windows.has_python("Python312")
    near = subprocess.Popen(
        [python, *SERVES, "--port", "0"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert near.stdin is not None and near.stdout is not None
    with near:
        near.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        near.stdin.flush()
        assert near.stdout.readline()
        ((near_pid, far_pid),) = [
            map(int, line.split()) for line in windows.pids.read_text().splitlines()
        ]
        far = psutil.Process(far_pid)
        assert near_pid == near.pid and os.getsid(far_pid) == far_pid, (
            "no signal to the near side reaches it"
        )
        near.send_signal(signal.SIGKILL)
        assert far.wait(GUARD_S) in (0, None)
