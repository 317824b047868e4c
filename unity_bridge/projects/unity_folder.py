"""Which folder is meant as the Unity project: the one that is named, or the one around a folder
(SPEC §18.1).
"""

from __future__ import annotations

import os
from typing import List, Optional

from unity_bridge.base.result import Err, Ok, Result

# Unity writes it into every project and looks for it itself, whatever else the folder holds.
_MARK = ("ProjectSettings", "ProjectVersion.txt")

# Below a repository's folder a project is one or two levels down: repo/Game, repo/client/Game.
_LEVELS = 2
_MOST_FOLDERS = 2000


def is_project(folder: str) -> bool:
    return os.path.isfile(os.path.join(folder, *_MARK))


def named_project(folder: str) -> Result[str, str]:
    """Return the absolute path of a project that a user named; or in one sentence why it is none."""
    if not folder:
        # To the system it is the working directory; here it is a variable without a value, whose
        # project is unknown.
        return Err("The name of the project is empty: give the path of a Unity project.")
    path = os.path.abspath(os.path.expanduser(folder))
    if is_project(path):
        return Ok(path)
    if not os.path.exists(path):
        return Err(f"{folder} is not a Unity project: there is no such folder.")
    if not os.path.isdir(path):
        return Err(f"{folder} is not a Unity project: it is not a folder.")
    return Err(f"{folder} is not a Unity project: it has no file {'/'.join(_MARK)}.")


def project_here() -> Optional[str]:
    """Return the nearest project at or above the working directory, if there is one."""
    try:
        return enclosing(os.getcwd())
    except OSError:  # it was removed
        return None


def projects_below(folder: str) -> List[str]:
    """Return the projects one or two levels below ``folder``, sorted.

    At most 2000 folders are looked at; links and folders whose name begins with a dot are left out, and a project is
    not searched for others.
    """
    projects: List[str] = []
    level, budget = [folder], _MOST_FOLDERS
    for _ in range(_LEVELS):
        below: List[str] = []
        for parent in level:
            for path in _folders_in(parent):
                budget -= 1
                if budget < 0:
                    return sorted(projects)
                (projects if is_project(path) else below).append(path)
        level = below
    return sorted(projects)


def _folders_in(folder: str) -> List[str]:
    try:
        with os.scandir(folder) as entries:
            entries_shown = (entry for entry in entries if not entry.name.startswith("."))
            return sorted(
                entry.path for entry in entries_shown if entry.is_dir(follow_symlinks=False)
            )
    except OSError:  # it may not be read
        return []


def enclosing(folder: str) -> Optional[str]:
    """Return the nearest project at or above ``folder``, an absolute path, if there is one."""
    while not is_project(folder):
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above
    return folder
