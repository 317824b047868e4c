"""Whether an editor has a project open: it holds ``Temp/UnityLockfile`` for as long as it runs.

The file alone says nothing, since it stays when an editor crashes. How it is held, and how one asks without a trace:

- macOS and Linux: by a record lock of ``fcntl``, which ``F_GETLK`` asks for and does not take. Unity's own plugins for
  Blender and others test it so (Unity-Technologies/MeshSyncDCCPlugins, pull request 290). On Linux ``/proc/locks``
  shows a lock of ``flock`` too, and whether a process called Unity stands in the project, where Unity goes to open it.
- Windows: opened so that nobody else may open it; another opening is refused (ERROR_SHARING_VIOLATION).

A lock that was taken here, for however short a time, would make a starting Unity say that the project is open already.
"""

from __future__ import annotations

import os
import struct
import sys
from typing import Optional

from unity_bridge.base.result import Err
from unity_bridge.system.shared_file import read_text
from unity_bridge.text import json_reader

LOCK_FILE = ("Temp", "UnityLockfile")
# Unity writes its process id here while it runs.
_INSTANCE_FILE = ("Library", "EditorInstance.json")
_FILE_BYTES_MAX = 64 * 1024
_PROC = "/proc"


def is_open_in_unity(project: str) -> Optional[bool]:
    """``None``: it is not known."""
    path = os.path.join(project, *LOCK_FILE)
    try:
        held = _is_held(path)
    except FileNotFoundError:
        held = False
    except OSError:
        return None
    if held is False and _named_process_lives(project):
        return None  # the lock says one thing and Unity's own file another
    return held


if sys.platform == "win32":
    from unity_bridge.system.shared_file import EXISTING, READ, WRITE, open_shared

    def _is_held(path: str) -> Optional[bool]:
        sharing_violation = 32
        try:
            os.close(open_shared(path, READ | WRITE, EXISTING, os.O_RDWR))
        except FileNotFoundError:
            return False
        except OSError as error:
            return True if error.winerror == sharing_violation else None
        return False

else:

    def _is_held(path: str) -> Optional[bool]:
        import fcntl

        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            # struct flock: type, whence, start, length, pid; on macOS (and the BSDs) start, length, pid, type, whence.
            if sys.platform == "linux":
                found = fcntl.fcntl(descriptor, fcntl.F_GETLK, struct.pack("@hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))
                kind = struct.unpack_from("@h", found)[0]
            else:
                found = fcntl.fcntl(descriptor, fcntl.F_GETLK, struct.pack("@qqihh", 0, 0, 0, fcntl.F_WRLCK, 0))
                kind = struct.unpack("@qqihh", found)[3]
            return bool(kind != fcntl.F_UNLCK) or _is_listed(os.fstat(descriptor).st_ino) or _unity_is_in(path)
        finally:
            os.close(descriptor)

    def _unity_is_in(lock: str) -> bool:
        """Whether a process called Unity has the lock's project as its working directory; only Linux shows it."""
        project = os.path.realpath(os.path.dirname(os.path.dirname(lock)))
        for pid in filter(str.isdigit, os.listdir(_PROC) if os.path.isdir(_PROC) else ()):
            try:
                with open(f"{_PROC}/{pid}/comm", "rb") as name:
                    if name.read(64).strip() == b"Unity" and os.readlink(f"{_PROC}/{pid}/cwd") == project:
                        return True
            except OSError:
                continue  # it has ended, or is another user's
        return False

    def _is_listed(inode: int) -> bool:
        """Whether ``/proc/locks`` has a lock of that file; ``False`` where there is no such list."""
        try:
            with open(f"{_PROC}/locks", encoding="ascii", errors="replace") as locks:
                # 1: FLOCK  ADVISORY  WRITE 4242 08:01:1311 0 EOF
                return any(line.split()[5:6] and line.split()[5].endswith(f":{inode}") for line in locks)
        except OSError:
            return False


def _named_process_lives(project: str) -> bool:
    text = read_text(os.path.join(project, *_INSTANCE_FILE), _FILE_BYTES_MAX)
    if isinstance(text, Err) or text.value is None:
        return False
    try:
        found = json_reader.loads(text.value)
    except ValueError:
        return False
    pid = found.get("process_id") if isinstance(found, dict) else None
    if type(pid) is not int or not 0 < pid < 2**31 or os.name == "nt":
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
