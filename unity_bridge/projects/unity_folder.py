"""Which folder is meant as the Unity project: the one that is named, or the one around a folder (SPEC §18.1)."""

from __future__ import annotations

import os
from typing import Optional

from unity_bridge.base.result import Err, Ok, Result

# Unity writes it into every project and looks for it itself, whatever else the folder holds.
_MARK = ("ProjectSettings", "ProjectVersion.txt")


def is_project(folder: str) -> bool:
    return os.path.isfile(os.path.join(folder, *_MARK))


def named_project(folder: str) -> Result[str, str]:
    """The absolute path of a project that a user named; or in one sentence why it is none."""
    path = os.path.abspath(os.path.expanduser(folder))
    if is_project(path):
        return Ok(path)
    if not os.path.exists(path):
        return Err(f"{folder} is not a Unity project: there is no such folder.")
    if not os.path.isdir(path):
        return Err(f"{folder} is not a Unity project: it is not a folder.")
    return Err(f"{folder} is not a Unity project: it has no file {'/'.join(_MARK)}.")


def project_here() -> Optional[str]:
    """The nearest project at or above the working directory, if there is one."""
    try:
        return enclosing(os.getcwd())
    except OSError:  # it was removed
        return None


def enclosing(folder: str) -> Optional[str]:
    """The nearest project at or above ``folder``, an absolute path, if there is one."""
    while not is_project(folder):
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above
    return folder
