"""The port that a Unity project's own files give: a number, or ``"auto"`` (SPEC §18.1).

``UserSettings/UnityBridge.json`` is one person's, and counts more. ``ProjectSettings/UnityBridge.json`` is everybody's
who works on the project. The plugin reads the same two files by the same rules.
"""

from __future__ import annotations

import os
from typing import Any, List, NamedTuple, Optional, Tuple

from unity_bridge.base.result import Err, Ok, Result, value_or
from unity_bridge.config import Given
from unity_bridge.system.shared_file import read_json

USER_FILE = ("UserSettings", "UnityBridge.json")
TEAM_FILE = ("ProjectSettings", "UnityBridge.json")
AUTO = "auto"
_FIRST, _COUNT = 20_000, 10_000

# A larger file holds no settings, and is not read into memory.
_FILE_BYTES_MAX = 64 * 1024


class PortFiles(NamedTuple):
    """``given``: the port, and the file that says so. ``broken``: a sentence for each file that
    counts for nothing.
    """

    given: Optional[Given]
    broken: Tuple[str, ...]


def port_of_project(project: Optional[str]) -> PortFiles:
    """Return what the files of the project at ``project`` say; one that is absent, or names no
    port, says nothing.
    """
    broken: List[str] = []
    if project is None:
        return PortFiles(None, ())
    for parts in (USER_FILE, TEAM_FILE):
        path = os.path.join(project, *parts)
        port = _port_in(path, project)
        if isinstance(port, Err):
            broken.append(f"{path} {port.error}, so it does not count")
        elif port.value is not None:
            return PortFiles(Given(port.value, path, ": port"), tuple(broken))
    return PortFiles(None, tuple(broken))


def files_with(member: str, project: str) -> List[str]:
    """Return the paths of the files of the project at ``project`` that have this member."""
    paths = [os.path.join(project, *parts) for parts in (USER_FILE, TEAM_FILE)]
    return [path for path in paths if member in value_or(_read(path), {})]


def _port_in(path: str, project: str) -> Result[Optional[int], str]:
    settings = _read(path)
    if isinstance(settings, Err):
        return settings
    if "port" not in settings.value:
        return Ok(None)
    port = settings.value["port"]
    if port == AUTO:
        return Ok(automatic(project))
    if type(port) is int and 1 <= port <= 65535:  # and not isinstance(): true is no port
        return Ok(port)
    return Err('has a "port" that is neither a number from 1 to 65535 nor "auto"')


def _read(path: str) -> Result[Any, str]:
    """Return the settings in the file; none if there is no file. A link is not followed: a
    repository can bring one.
    """
    if os.path.islink(path):
        return Err("is a link")
    settings = read_json(path, _FILE_BYTES_MAX, missing={})
    if isinstance(settings, Ok) and not isinstance(settings.value, dict):
        return Err("does not hold a JSON object")
    return settings


def automatic(project: str) -> int:
    from unity_bridge.projects.canonical_path import canonical_path

    return automatic_port(canonical_path(project))


def automatic_port(canonical_path: str) -> int:
    """20000 to 29999, the same for server and plugin, so that clones and worktrees need no numbers
    of their own.
    """
    import hashlib  # it takes a while to load, and most starts need none

    digest = hashlib.sha256(canonical_path.encode("utf-8", "surrogatepass")).digest()
    return _FIRST + int.from_bytes(digest[:4], "big") % _COUNT
