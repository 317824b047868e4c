"""Editors that wait for a server: each has an empty file ``waiting/PORT-PID-HEX16`` in the state
folder (SPEC §11.2).

A server that listens removes the files of its port. An editor whose file is gone connects at once
instead of after its pause. A file has no content, and nothing is believed because of it: it
shortens one pause.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import sys
from contextlib import suppress
from itertools import islice
from typing import List, Match, Optional, Tuple

from unity_bridge.base.result import Err
from unity_bridge.trust.state_folder import state_path

_FOLDER = "waiting"
_NAME = re.compile("([0-9]{1,5})-([0-9]{1,10})-([0-9a-f]{16})")
# A folder with more files than this is somebody's mistake, and does not delay a server.
_MOST_FILES = 1000
_WRITABLE_BY_OTHERS = 0o022
_UNKNOWN_EDITOR = 0


def call_waiting_editors(port: int) -> Tuple[int, ...]:
    """Remove the files of this port, once it listens. Return the process ids of the editors that
    waited.

    An editor makes its file before it tries to connect. So it either finds the port open, or this
    finds its file. A file with another name than ours counts as an editor without a known process.
    Those of dead processes do not count.
    """
    folder = _folder()
    if folder is None or not _is_private_folder(folder):
        return ()
    waiting: List[int] = []
    pid_space = _pid_space()
    for name in _names(folder):
        match = _NAME.fullmatch(name)
        is_dead = match is not None and match[3] == pid_space and not _is_alive(_pid_of(match))
        is_of_this_port = name.startswith(f"{port}-")
        was_removed = (is_of_this_port or is_dead) and _remove(os.path.join(folder, name))
        if was_removed and is_of_this_port and not is_dead:
            waiting.append(_pid_of(match))
    return tuple(waiting)


class WaitingFile:
    """The file of one editor. Where it cannot be made, no server calls the editor, and its pauses
    stay."""

    def __init__(self, port: int) -> None:
        folder = _folder()
        self._path: Optional[str] = None
        if folder is not None:
            name = f"{port}-{os.getpid()}-{_pid_space() or '0' * 16}"
            self._path = os.path.join(folder, name)
        self._is_made = False

    @property
    def is_made(self) -> bool:
        return self._is_made

    def make(self) -> None:
        """Make the file if there is none. Call this before an attempt to connect."""
        if self._path is None or self._is_made:
            return
        with suppress(OSError):
            self._is_made = _make(self._path)

    def take_call(self) -> bool:
        """Return whether a server has removed the file since it was made. True once."""
        if not self._is_made or os.path.lexists(str(self._path)):
            return False
        self._is_made = False
        return True

    def remove(self) -> None:
        if self._is_made:
            self._is_made = False
            _remove(str(self._path))


def _pid_of(match: Optional[Match[str]]) -> int:
    if match is None:
        return _UNKNOWN_EDITOR
    return int(match[2])


def _folder() -> Optional[str]:
    state = state_path()
    if isinstance(state, Err):
        return None
    return os.path.join(state.value, _FOLDER)


def _is_private_folder(path: str) -> bool:
    """Return whether it is a folder of this user's that others cannot write to; a link to one is
    not.

    Else another user, who may write to the state folder, could have files of their choice removed.
    """
    try:
        status = os.lstat(path)
    except OSError:
        return False
    if not stat.S_ISDIR(status.st_mode):
        return False
    if sys.platform == "win32":
        return not status.st_reparse_tag  # a junction; a folder is in the user's profile
    return status.st_uid == os.geteuid() and not status.st_mode & _WRITABLE_BY_OTHERS


def _names(folder: str) -> List[str]:
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry in islice(entries, _MOST_FILES)]
    except OSError:
        return []


def _make(path: str) -> bool:
    folder = os.path.dirname(path)
    os.makedirs(os.path.dirname(folder), mode=0o700, exist_ok=True)
    with suppress(FileExistsError):
        os.mkdir(folder, mode=0o700)
    if not _is_private_folder(folder):
        return False
    # An editor keeps its file while it reloads.
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    return True


def _remove(path: str) -> bool:
    try:
        os.unlink(path)
        return True
    except OSError:
        return False


def _pid_space() -> str:
    """Return 16 hexadecimal digits for the programs among which a process id means one process, or
    "" if not known: those since this boot that see each other. The plugin computes the same."""
    boot, namespace = "", ""
    if sys.platform == "linux":
        try:
            with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as stream:
                boot = stream.read().strip()
            namespace = os.readlink("/proc/self/ns/pid")
        except (OSError, ValueError):
            return ""
    return hashlib.sha256(f"{boot}\n{namespace}".encode("utf-8", "replace")).hexdigest()[:16]


def _is_alive(pid: int) -> bool:
    if sys.platform == "win32" or not pid:
        return True  # not known without a library that takes long to import
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True  # another user's
    return True
