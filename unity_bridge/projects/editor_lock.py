"""Whether an editor has a project open: it holds ``Temp/UnityLockfile`` for as long as it runs.

The file alone says nothing, since it stays when an editor crashes. How it is held, and how one asks
without a trace:

- macOS and Linux: by a record lock of ``fcntl``, which ``F_GETLK`` asks for and does not take. Unity's own plugins for
  Blender and others test it so (Unity-Technologies/MeshSyncDCCPlugins, pull request 290). On Linux
  ``/proc/locks`` shows a lock of ``flock`` too, and whether a process called Unity stands in the
  project, where Unity goes to open it.
- Windows: opened so that nobody else may open it; another opening is refused (ERROR_SHARING_VIOLATION).

A lock that was taken here, for however short a time, would make a starting Unity say that the project is open already.
"""

from __future__ import annotations

import os
import struct
import sys
from typing import Optional

from unity_bridge.base.result import value_or
from unity_bridge.system.shared_file import read_json

LOCK_FILE = ("Temp", "UnityLockfile")
# Unity writes its process id here while it runs.
_INSTANCE_FILE = ("Library", "EditorInstance.json")
_FILE_BYTES_MAX = 64 * 1024
_PROC = "/proc"


def is_open_in_unity(project: str) -> Optional[bool]:
    """``None``: it is not known."""
    try:
        held = holder(project) is not None
    except OSError:
        return None
    if not held and _named_process_lives(project):
        return None  # the lock says one thing and Unity's own file another
    return held


def holder(project: str) -> Optional[int]:
    """Return the pid of the process that has the project open, 0 if it cannot be seen from here,
    None if there is none.

    Raises ``OSError`` where that is not known.
    """
    try:
        return _holder(os.path.join(project, *LOCK_FILE))
    except FileNotFoundError:
        return None


if sys.platform == "win32":
    from unity_bridge.system.shared_file import EXISTING, READ, WRITE, open_shared

    def _holder(path: str) -> Optional[int]:
        sharing_violation = 32
        try:
            os.close(open_shared(path, READ | WRITE, EXISTING, os.O_RDWR))
        except OSError as error:
            if error.winerror == sharing_violation:
                return 0
            raise
        return None

else:

    def _holder(path: str) -> Optional[int]:
        import fcntl

        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            # struct flock: type, whence, start, length, pid; on macOS (and the BSDs) start, length,
            # pid, type, whence.
            if sys.platform == "linux":
                lock = fcntl.fcntl(
                    descriptor, fcntl.F_GETLK, struct.pack("@hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0)
                )
                kind, *_, pid = struct.unpack("@hhqqi4x", lock)
            else:
                lock = fcntl.fcntl(
                    descriptor, fcntl.F_GETLK, struct.pack("@qqihh", 0, 0, 0, fcntl.F_WRLCK, 0)
                )
                pid, kind = struct.unpack("@qqihh", lock)[2:4]
            if kind != fcntl.F_UNLCK:
                return max(
                    0, int(pid)
                )  # the system has 0 or less for a process that is not visible here
            listed = _listed(os.fstat(descriptor).st_ino)
            if listed is None:
                return _unity_in(path)
            return listed
        finally:
            os.close(descriptor)

    def _unity_in(lock: str) -> Optional[int]:
        """Return the process called Unity that has the lock's project as its working directory;
        only Linux shows it.
        """
        project = os.path.realpath(os.path.dirname(os.path.dirname(lock)))
        entries = os.listdir(_PROC) if os.path.isdir(_PROC) else ()
        for pid in filter(str.isdigit, entries):
            try:
                with open(f"{_PROC}/{pid}/comm", "rb") as name:
                    if (
                        name.read(64).strip() == b"Unity"
                        and os.readlink(f"{_PROC}/{pid}/cwd") == project
                    ):
                        return int(pid)
            except OSError:
                continue  # it has ended, or is another user's
        return None

    def _listed(inode: int) -> Optional[int]:
        """Return the process that has a lock of that file by ``/proc/locks``; None also where there
        is no such list.
        """
        try:
            with open(f"{_PROC}/locks", encoding="ascii", errors="replace") as locks:
                # 1: FLOCK  ADVISORY  WRITE 4242 08:01:1311 0 EOF
                rows = (line.split() for line in locks)
                pids = (row[4] for row in rows if row[5:6] and row[5].endswith(f":{inode}"))
                return next((int(pid) if pid.isdigit() else 0 for pid in pids), None)
        except OSError:
            return None


def named_pid(project: str) -> Optional[int]:
    """Return the process that Unity's own file names. The file stays when an editor is killed."""
    content = value_or(read_json(os.path.join(project, *_INSTANCE_FILE), _FILE_BYTES_MAX), None)
    pid = None
    if isinstance(content, dict):
        pid = content.get("process_id")
    if type(pid) is int and 0 < pid < 2**31:
        return pid
    return None


def _named_process_lives(project: str) -> bool:
    pid = named_pid(project)
    if pid is None or os.name == "nt":
        return False  # on Windows, the process that holds the file open is certain enough
    import psutil  # only here: it takes longer to load than most starts have

    try:
        process = psutil.Process(pid)
        # The file stays when an editor is killed, and another program may have its pid since.
        return process.status() != psutil.STATUS_ZOMBIE and process.name().startswith("Unity")
    except psutil.NoSuchProcess:
        return False
    except (psutil.Error, OSError):
        return True  # another user's
