"""Probes a project from outside: its lock, its packages, and the editor's log (SPEC §18.3).

Nothing is guessed: it reports only what fits together.
"""

from __future__ import annotations

import os
import socket
import sys
from functools import lru_cache
from typing import Mapping, Optional, Tuple

from unity_bridge.config import SETTINGS
from unity_bridge.launch.user_folders import below_home, named_folder
from unity_bridge.projects.canonical_path import canonical, canonical_path
from unity_bridge.projects.editor_lock import LOCK_FILE, holder, is_open_in_unity
from unity_bridge.projects.editor_log import Compilation, LogContent, read_log
from unity_bridge.projects.port_files import port_of_project
from unity_bridge.projects.project_probe import NoPlugin, ProjectProbe
from unity_bridge.projects.unity_folder import projects_below
from unity_bridge.system.loopback import is_closed_to_us
from unity_bridge.system.shared_file import open_ordinary

_PACKAGE = "com.unitybridge.editor"
_PACKAGE_LISTS = ("manifest.json", "packages-lock.json")
_LIST_BYTES_MAX = 4 * 1024 * 1024

# Of a longer log the beginning is read, where Unity says what it opens, and the end, where the last compilation is.
_HEAD_BYTES = 1024 * 1024
_TAIL_BYTES = 8 * 1024 * 1024
# Unity makes the lock when it opens a project and goes on writing to the log. File systems round times.
_OLDER_S = 3.0
_MOST_BELOW = 8


def editor_log_path(platform: str = sys.platform, environ: Mapping[str, str] = os.environ) -> str:
    """Where an editor logs unless it is started with ``-logFile`` (Unity's manual, "Log files")."""
    if platform == "win32":
        local = named_folder(environ, "LOCALAPPDATA", below_home("AppData", "Local"), platform)
        return os.path.join(local, "Unity", "Editor", "Editor.log")
    if platform == "darwin":
        return below_home("Library", "Logs", "Unity", "Editor.log")
    return below_home(".config", "unity3d", "Editor.log")


def probe_project(project: str, log_path: str) -> ProjectProbe:
    """Return what the project shows now."""
    is_open = is_open_in_unity(project)
    if is_open is None:
        return ProjectProbe()
    if not is_open:
        return ProjectProbe(NoPlugin.UNITY_NOT_RUNNING)
    if sys.platform == "linux" and _is_cut_off(project):
        return ProjectProbe(NoPlugin.SANDBOXED)
    if not has_plugin(project):
        return ProjectProbe(NoPlugin.PLUGIN_NOT_INSTALLED)
    log = _log_of(project, log_path)
    if log is None or log.compilation is not Compilation.FAILED or log.has_compiled or not log.errors:
        return ProjectProbe()
    return ProjectProbe(NoPlugin.SAFE_MODE, log)


def _is_cut_off(project: str) -> bool:
    """Whether the editor that has the project open has another network than this process, or cannot be seen from here
    and there is no network at all."""
    try:
        pid = holder(project)
    except OSError:
        return False
    theirs = _network_of(str(pid)) if pid else None
    if theirs is not None:
        return theirs != _network_of("self")
    return [name for _, name in socket.if_nameindex()] == ["lo"]


def _network_of(process: str) -> Optional[int]:
    """Return the number of a file that each network namespace has of its own.

    A process in a sandbox may read it, and may not read the link ``ns/net`` of a process outside.
    """
    try:
        return os.stat(f"/proc/{process}/net/dev").st_ino
    except OSError:
        return None


def other_port(project: str, port: int, started_with: Optional[int]) -> Optional[str]:
    """In one sentence that the plugin of the project uses another port than ``port``; None if that is not known.

    ``started_with``: the port that the editor was started with, which counts more than the project's files.
    """
    number, source = started_with, "the editor was started with it"
    if number is None:
        given = port_of_project(project).given
        if given is None or any(os.environ.get(name) for name in SETTINGS["unity_ws_port"].variables):
            return None  # a variable counts more for both sides, and that of the editor is not known
        number, source = int(given.value or 0), os.path.relpath(given.source, project).replace(os.sep, "/")
    if number == port or not port:
        return None
    return f"the plugin of this project uses port {number} ({source}), and this server port {port}"


def search_below() -> ProjectProbe:
    """Return the projects below the working directory, which a server for no project names while it has no editor."""
    if is_closed_to_us():
        return ProjectProbe(NoPlugin.SANDBOXED)
    try:
        return ProjectProbe(below=tuple(projects_below(os.getcwd())[:_MOST_BELOW]))
    except OSError:  # the folder was removed
        return ProjectProbe()


def has_plugin(project: str) -> bool:
    """Whether anything says that the package is in the project, or it is not known."""
    packages = os.path.join(project, "Packages")
    if os.path.isdir(os.path.join(packages, _PACKAGE)):
        return True
    for name in _PACKAGE_LISTS:
        try:
            with open_ordinary(os.path.join(packages, name)) as stream:
                if f'"{_PACKAGE}"'.encode() in stream.read(_LIST_BYTES_MAX):
                    return True
        except FileNotFoundError:
            continue
        except OSError:
            return True
    return False


def _log_of(project: str, path: str) -> Optional[LogContent]:
    """Return what the log says, if it is of the editor that has this project open now."""
    try:
        opened_at = os.stat(os.path.join(project, *LOCK_FILE)).st_mtime
        found = os.stat(path)
        if found.st_mtime + _OLDER_S < opened_at:
            return None
        log = _content(path, (found.st_ino, found.st_size, found.st_mtime_ns))
    except OSError:
        return None
    return log if is_about(log, project) else None


def is_about(log: LogContent, project: str) -> bool:
    """Whether the editor whose log it is has ``project`` open.

    A path in a log is compared as text and never looked up: a game can print such a line, and on Windows looking up a
    network path would send the user's credentials to it.
    """
    return log.project is not None and canonical(log.project, sys.platform) in _spellings(project)


def _spellings(project: str) -> Tuple[str, str]:
    """Unity's log has the path as Unity was started with it, links resolved or not."""
    return canonical(os.path.abspath(project), sys.platform), canonical_path(project)


@lru_cache(maxsize=1)
def _content(path: str, state: Tuple[int, int, int]) -> LogContent:
    """Return what the log in that state says. In safe mode it stands still, and is read every other second."""
    with open_ordinary(path) as stream:
        size = os.fstat(stream.fileno()).st_size
        if size <= _HEAD_BYTES + _TAIL_BYTES:
            return read_log(_text(stream.read(_HEAD_BYTES + _TAIL_BYTES)))
        head = stream.read(_HEAD_BYTES)
        stream.seek(size - _TAIL_BYTES)
        tail = stream.read(_TAIL_BYTES)
    return read_log(_text(tail[tail.find(b"\n") + 1 :]), read_log(_text(head)).project)


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
