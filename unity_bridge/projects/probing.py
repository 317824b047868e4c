"""Probes a project from outside: its lock, its packages, and the editor's log (SPEC §18.3).

Nothing is guessed: it reports only what fits together.
"""

from __future__ import annotations

import os
import socket
import sys
from datetime import datetime, timezone
from functools import lru_cache
from typing import BinaryIO, Iterator, Mapping, NamedTuple, Optional, Sequence, Tuple

from unity_bridge.base.clock import rfc3339
from unity_bridge.config import SETTINGS
from unity_bridge.launch.user_folders import below_home, named_folder
from unity_bridge.projects.canonical_path import canonical, canonical_path
from unity_bridge.projects.editor_lock import LOCK_FILE, holder, is_open_in_unity
from unity_bridge.projects.editor_log import PACKAGES_RUN, LogContent, read_log
from unity_bridge.projects.port_files import port_of_project
from unity_bridge.projects.project_probe import NoPlugin, ProjectProbe
from unity_bridge.projects.unity_folder import projects_below
from unity_bridge.system.loopback import is_closed_to_us
from unity_bridge.system.shared_file import open_ordinary
from unity_bridge.text.foreign_text import quoted_end

_PACKAGE = "com.unitybridge.editor"
_PACKAGE_LISTS = ("manifest.json", "packages-lock.json")
_LIST_BYTES_MAX = 4 * 1024 * 1024

# Of a longer log the beginning is read, where Unity says what it opens, and the end, where the last
# compilation is.
_HEAD_BYTES = 1024 * 1024
_TAIL_BYTES = 8 * 1024 * 1024
# Unity makes the lock when it opens a project and goes on writing to the log. File systems round
# times.
_OLDER_S = 3.0
_MOST_BELOW = 8
_OWN_LOG = ("Logs", "Editor.log")
_SOURCE_FOLDERS = ("Assets", "Packages")
_LONGEST_WORDS = max(map(len, PACKAGES_RUN))


def editor_log_path(platform: str = sys.platform, environ: Mapping[str, str] = os.environ) -> str:
    """Where an editor logs unless it is started with ``-logFile`` (Unity's manual, "Log files")."""
    if platform == "win32":
        local = named_folder(environ, "LOCALAPPDATA", below_home("AppData", "Local"), platform)
        return os.path.join(local, "Unity", "Editor", "Editor.log")
    if platform == "darwin":
        return below_home("Library", "Logs", "Unity", "Editor.log")
    return below_home(".config", "unity3d", "Editor.log")


def editor_logs_of(project: str) -> Tuple[str, ...]:
    """Return the logs that the project's editor may write, if it is started without ``-logFile``.

    Since Unity 6.5 it is the project's own, unless the user chooses the other one (Unity's manual, "Log files").
    """
    return os.path.join(project, *_OWN_LOG), editor_log_path()


def probe_project(project: str, log_paths: Sequence[str]) -> ProjectProbe:
    """Return what the project shows now. ``log_paths``: the logs that its editor may write."""
    is_open = is_open_in_unity(project)
    if is_open is None:
        return ProjectProbe()
    if not is_open:
        return ProjectProbe(NoPlugin.UNITY_NOT_RUNNING)
    if sys.platform == "linux" and _is_cut_off(project):
        return ProjectProbe(NoPlugin.SANDBOXED)
    if not has_plugin(project):
        return ProjectProbe(NoPlugin.PLUGIN_NOT_INSTALLED)
    log = _log_of(project, log_paths)
    if log is None or not log.content.is_safe_mode:
        return ProjectProbe()
    changed_since = tuple(_changed_since(project, log))
    return ProjectProbe(
        NoPlugin.SAFE_MODE, log.content, as_of=_time(log.written_at), changed_since=changed_since
    )


def _time(seconds: float) -> str:
    return rfc3339(datetime.fromtimestamp(seconds, timezone.utc))


def _changed_since(project: str, log: _EditorLog) -> Iterator[str]:
    """Yield the files with errors that are another time's than the log, or gone. Only files of the project are looked
    at, because on Windows looking at a network path would send the user's credentials to it."""
    for file in sorted({error.file for error in log.content.first if error.file is not None}):
        parts = file.split("/")
        if parts[0] not in _SOURCE_FOLDERS or ".." in parts or ":" in file:
            continue
        try:
            if os.stat(os.path.join(project, *parts)).st_mtime > log.written_at:
                yield file
        except FileNotFoundError:
            yield file
        except (OSError, ValueError):
            continue


def _is_cut_off(project: str) -> bool:
    """Whether the editor that has the project open has another network than this process, or cannot be seen from here
    and there is no network at all."""
    try:
        pid = holder(project)
    except OSError:
        return False
    network = _network_of(str(pid)) if pid else None
    if network is not None:
        return network != _network_of("self")
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
    """In one sentence that the plugin of the project uses another port than ``port``; None if that
    is not known.

    ``started_with``: the port that the editor was started with, which counts more than the project's files.
    """
    number, source = started_with, "the editor was started with it"
    if number is None:
        setting = port_of_project(project).given
        if setting is None or any(
            os.environ.get(name) for name in SETTINGS["unity_ws_port"].variables
        ):
            return (
                None  # a variable counts more for both sides, and that of the editor is not known
            )
        number, source = (
            int(setting.value or 0),
            os.path.relpath(setting.source, project).replace(os.sep, "/"),
        )
    if number == port or not port:
        return None
    return f"the plugin of this project uses port {number} ({source}), and this server port {port}"


def search_below() -> ProjectProbe:
    """Return the working directory, which is in no project, and the projects below it: a server for
    no project names them while it has no editor.
    """
    if is_closed_to_us():
        return ProjectProbe(NoPlugin.SANDBOXED)
    try:
        folder = os.getcwd()
        remark = f"this server was started in {quoted_end(folder)}, which is in no Unity project"
        return ProjectProbe(below=tuple(projects_below(folder)[:_MOST_BELOW]), remark=remark)
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


class _EditorLog(NamedTuple):
    content: LogContent
    written_at: float


def _log_of(project: str, paths: Sequence[str]) -> Optional[_EditorLog]:
    """Return what the log of the editor that has this project open now says; None if no log, or
    two, can be its.
    """
    try:
        opened_at = os.stat(os.path.join(project, *LOCK_FILE)).st_mtime
    except OSError:
        return None
    logs = [log for log in (_read(project, path, opened_at) for path in paths) if log is not None]
    newest = max((log.written_at for log in logs), default=0.0)
    candidates = [log for log in logs if log.written_at == newest]
    if len(candidates) == 1:
        return candidates[0]
    return None


def _read(project: str, path: str, opened_at: float) -> Optional[_EditorLog]:
    """Return the log if it was written since the project was opened, and is about this project."""
    try:
        status = os.stat(path)
        if status.st_mtime + _OLDER_S < opened_at:
            return None
        owner = project if path == editor_logs_of(project)[0] else None
        content = _content(path, owner, (status.st_ino, status.st_size, status.st_mtime_ns))
    except OSError:
        return None
    if is_about(content, project):
        return _EditorLog(content, status.st_mtime)
    return None


def is_about(log: LogContent, project: str) -> bool:
    """Whether the editor whose log it is has ``project`` open.

    A path in a log is compared as text and never looked up: a game can print such a line, and on Windows looking up a
    network path would send the user's credentials to it.
    """
    return log.project is not None and canonical(log.project, sys.platform) in _spellings(project)


def _spellings(project: str) -> Tuple[str, str]:
    """Unity's log has the path as Unity was started with it, links resolved or not."""
    return canonical(os.path.abspath(project), sys.platform), canonical_path(project)


@lru_cache(maxsize=2)
def _content(path: str, project: Optional[str], state: Tuple[int, int, int]) -> LogContent:
    """Return what the log in that state says. In safe mode it stands still, and is read every other
    second.

    ``project``: whose own log it is, which a line of the user's log has named before.
    """
    before = LogContent(project)
    with open_ordinary(path) as stream:
        size = os.fstat(stream.fileno()).st_size
        if size <= _HEAD_BYTES + _TAIL_BYTES:
            return read_log(_text(stream.read(_HEAD_BYTES + _TAIL_BYTES)), before)
        head = read_log(_text(stream.read(_HEAD_BYTES)), before)
        runs_packages = head.runs_packages or _runs_packages(stream, size - _TAIL_BYTES)
        stream.seek(size - _TAIL_BYTES)
        tail = stream.read(_TAIL_BYTES)
    before = LogContent(head.project, runs_packages=runs_packages)
    return read_log(_text(tail[tail.find(b"\n") + 1 :]), before)


def _runs_packages(stream: BinaryIO, end: int) -> bool:
    """Whether the part of the log up to ``end``, which is searched and not read, says that packages
    run.
    """
    carry = b""
    while stream.tell() < end:
        chunk = carry + stream.read(_HEAD_BYTES)
        if any(words.encode() in chunk for words in PACKAGES_RUN):
            return True
        carry = chunk[-_LONGEST_WORDS:]
    return False


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
