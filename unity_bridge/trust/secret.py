"""The secret by which one user's programs know each other: a file that only that user can read
(SPEC §17.1).
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Callable, Optional, Union

from unity_bridge.base.clock import SystemClock
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.trust.access_list import others_can_read
from unity_bridge.trust.state_folder import state_path

if TYPE_CHECKING:
    from pathlib import Path

# How others come by the secret; ``Err`` says why there is none.
SecretSource = Callable[[], Result[bytes, str]]

_NAME = "attach-secret"
_BYTES = 32
# Another maker may choose a longer one; a file beyond this is none.
_MOST_BYTES = 1024

# Others make, replace or read it at the same moment; on Windows each keeps the rest out while it
# does.
_ATTEMPTS = 50
_PAUSE_S = 0.02
_DRAFT_S = 60.0

# A link, a socket, a file that its owner or somebody else has closed to us.
_NOT_A_FILE_OF_OURS = (errno.ELOOP, errno.EMLINK, errno.ENXIO, errno.EACCES, errno.EPERM)


def shared_secret(folder: Optional[Path] = None) -> Result[bytes, str]:
    """Return the user's secret; make it now if there is none. ``Err`` says why there can be none.

    The file appears whole or not at all, and the first of several makers wins. One that is broken, that others could
    read, or that is not a file of this user's has no worth and is replaced. Read it again for each use.
    """
    location = Ok(str(folder)) if folder is not None else state_path()
    if isinstance(location, Err):
        return location
    path = os.path.join(location.value, _NAME)
    try:
        os.makedirs(location.value, mode=0o700, exist_ok=True)
        return Ok(_read_or_make(path))
    except OSError as error:
        return Err(f"{path} cannot be used: {error.strerror or error}")


def is_read_by_others() -> bool:
    """Whether the user has put it where others can read it, on Windows: elsewhere such a one is
    replaced.
    """
    folder = state_path()
    return isinstance(folder, Ok) and others_can_read(os.path.join(folder.value, _NAME))


def may_be_replaced_by_others() -> bool:
    """Whether other users may put another file in the secret's place, since they may write to its
    folder.
    """
    folder = state_path()
    if sys.platform == "win32" or isinstance(folder, Err):
        return False
    try:
        return bool(os.stat(folder.value).st_mode & 0o022)
    except OSError:
        return False


def _read_or_make(path: str) -> bytes:
    for attempts_left in reversed(range(_ATTEMPTS)):
        try:
            secret = _read(path)
            if secret is not None:
                return secret
            # Looked at once more: another maker may have replaced it since.
            if os.path.lexists(path) and _read(path) is None:
                _clear(path)
            _make(path, os.urandom(_BYTES))
        except PermissionError:
            if os.name == "posix" or not attempts_left:
                raise
            threading.Event().wait(_PAUSE_S)
        except FileNotFoundError:
            pass  # another maker was faster to remove it
    raise OSError(errno.EBUSY, "other programs keep replacing it")


def _clear(path: str) -> None:
    """Take away what is in the secret's place; a folder, which may hold something, is moved aside."""
    if os.path.isdir(path) and not os.path.islink(path):
        os.rename(path, f"{path}.folder-{os.urandom(4).hex()}")
    else:
        os.unlink(path)


def _read(path: str) -> Optional[bytes]:
    """Return what is in the file; ``None`` if it is missing or not fit to be the secret."""
    secret = read_private(path, _MOST_BYTES + 1)
    if secret is not None and _BYTES <= len(secret) <= _MOST_BYTES:
        return secret
    return None


def read_private(path: Union[str, Path], most: int) -> Optional[bytes]:
    """Return up to ``most`` bytes of a file; ``None`` if it is missing, or no file that only this
    user can read.
    """
    try:
        # Links are not followed, and a pipe is not waited for.
        flags = (
            getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        )
        descriptor = os.open(path, os.O_RDONLY | flags)
    except FileNotFoundError:
        return None
    except OSError as error:
        # Windows opens no folder as a file; elsewhere a folder is opened, and is not private.
        if os.path.isdir(path) or (os.name == "posix" and error.errno in _NOT_A_FILE_OF_OURS):
            return None
        raise
    try:
        if not _is_private(os.fstat(descriptor)):
            return None
        return os.read(descriptor, most)
    finally:
        os.close(descriptor)


def _is_private(status: os.stat_result) -> bool:
    if sys.platform == "win32":
        return stat.S_ISREG(status.st_mode)  # the folder is the user's own; else doctor says so
    return (
        stat.S_ISREG(status.st_mode)
        and status.st_uid == os.geteuid()
        and not stat.S_IMODE(status.st_mode) & 0o077
    )


def _clear_drafts(folder: str) -> None:
    """Remove the drafts of makers that were killed: copies of a secret, maybe of ours.

    A maker at work has its draft for a moment only.
    """
    long_ago = SystemClock().utc().timestamp() - _DRAFT_S
    for name in os.listdir(folder):
        if not name.startswith(_NAME) or name == _NAME:
            continue
        with suppress(OSError):
            draft = os.path.join(folder, name)
            if os.lstat(draft).st_mtime < long_ago:
                os.unlink(draft)


def _make(path: str, secret: bytes) -> None:
    import tempfile  # once for each user; it brings half a dozen other modules

    folder = os.path.dirname(path)
    _clear_drafts(folder)
    handle, draft = tempfile.mkstemp(dir=folder, prefix=f"{_NAME}-")  # readable by its owner alone
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(secret)
            stream.flush()
            os.fsync(handle)
        _put_in_place(draft, path)
    finally:
        with suppress(OSError):
            os.unlink(draft)


def _put_in_place(draft: str, path: str) -> None:
    """Unless another maker was faster: then its secret is the one that counts."""
    with suppress(FileExistsError):
        if os.name == "posix":
            try:
                os.link(draft, path)
                return
            except FileExistsError:
                raise
            except OSError:
                # A file system without links, as some network homes have. There a rename may
                # replace another's.
                if os.path.lexists(path):
                    return
        os.rename(draft, path)
