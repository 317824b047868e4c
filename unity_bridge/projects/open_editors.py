"""Whether any editor is open on this machine: of use where no project is known, and nobody has
connected yet.

A plugin cannot be seen while it waits to try its server's port again, but the process that it lives in can. A simulated
editor is a Python among others, so it holds a lock on a file in the user's state folder for as long as it lives.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import List, Optional

from unity_bridge.base.result import Err
from unity_bridge.launch.file_lock import try_lock
from unity_bridge.projects.unity_folder import is_project
from unity_bridge.trust.state_folder import state_path

# The editor's own process. Its helpers outlive it (Unity.Licensing.Client), and games have some
# (UnityCrashHandler64).
_UNITY = ("Unity", "Unity.exe")
# The kernel's first process namespace has this number (PROC_PID_INIT_INO). In a container's there
# are fewer processes.
_ALL_PROCESSES = "pid:[4026531836]"
_SLOTS = 8


def is_any_editor_open() -> Optional[bool]:
    """``None``: it is not known. A program of another user that pretends to be an editor is not
    seen.
    """
    if is_any_simulated():
        return True
    try:
        return _is_unity_running()
    except OSError:
        return None


class SimulatorMark:
    """Entered by a simulated editor for its life. Where the mark cannot be made, the editor lives
    without.
    """

    def __init__(self) -> None:
        self._descriptor: Optional[int] = None

    def __enter__(self) -> SimulatorMark:
        for path in _marks():
            try:
                os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
                self._descriptor = try_lock(path)
            except OSError:
                return self
            if self._descriptor is not None:
                return self
        return self  # all taken: they say what this one would

    def __exit__(self, *_: object) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)


def _marks() -> List[str]:
    folder = state_path()
    names = [f"simulator-{slot}.lock" for slot in range(_SLOTS)]
    if isinstance(folder, Err):
        return []
    return [os.path.join(folder.value, name) for name in names]


def is_any_simulated() -> bool:
    """Whether an editor that `simulate` plays runs for this user."""
    for path in _marks():
        if not os.path.exists(path):
            continue
        try:
            descriptor = try_lock(path)
        except OSError:
            continue
        if descriptor is None:
            return True
        os.close(descriptor)
    return False


def _is_unity_running() -> Optional[bool]:
    import psutil  # only here: most commands know their project

    if any(
        _is_of_an_editor(process.info["name"] or "") for process in psutil.process_iter(["name"])
    ):
        return True
    if sys.platform != "linux" or _sees_all_processes():
        return False
    return None


def projects_of_editors() -> List[str]:
    """Return the projects that editors on this machine have open, as far as it is shown to this user: an editor's
    working directory is its project."""
    import psutil

    projects = set()
    for process in psutil.process_iter(["name"]):
        if _is_of_an_editor(process.info["name"] or ""):
            with suppress(psutil.Error, OSError):  # it has ended, or is another user's
                projects.add(process.cwd())
    return sorted(filter(is_project, projects))


def _is_of_an_editor(name: str) -> bool:
    return name in _UNITY


def _sees_all_processes() -> bool:
    """Return whether this process sees all processes of the machine.

    A container, and Linux on Windows, may share the ports of a machine whose processes they do not see.
    """
    is_on_windows = sys.platform == "linux" and "microsoft" in os.uname().release.lower()
    return os.readlink("/proc/self/ns/pid") == _ALL_PROCESSES and not is_on_windows
