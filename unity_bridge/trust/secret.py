"""The secret by which one user's programs know each other: a file that only that user can read (SPEC §17.1)."""

from __future__ import annotations

import errno
import os
import secrets
import stat
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import Callable, Optional

from unity_bridge.base.clock import SystemClock
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.trust.access_list import others_can_read
from unity_bridge.trust.state_folder import state_folder

# How others come by the secret; ``Err`` says why there is none.
SecretSource = Callable[[], Result[bytes, str]]

_NAME = "attach-secret"
_BYTES = 32
# Another maker may choose a longer one; a file beyond this is none.
_MOST_BYTES = 1024

# Others make, replace or read it at the same moment; on Windows each keeps the rest out while it does.
_ATTEMPTS = 50
_PAUSE_S = 0.02
_DRAFT_S = 60.0

# A link, a socket, a file that its owner or somebody else has closed to us.
_NOT_A_FILE_OF_OURS = (errno.ELOOP, errno.EMLINK, errno.ENXIO, errno.EACCES, errno.EPERM)


def shared_secret(folder: Optional[Path] = None) -> Result[bytes, str]:
    """The user's secret; made now if there is none. ``Err`` says why there can be none.

    The file appears whole or not at all, and the first of several makers wins. One that is broken, that others could
    read, or that is not a file of this user's has no worth and is replaced. Read it anew for each use.
    """
    found: Result[Path, str] = Ok(folder) if folder is not None else state_folder()
    if isinstance(found, Err):
        return found
    path = found.value / _NAME
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return Ok(_read_or_make(path))
    except OSError as error:
        return Err(f"{path} cannot be used: {error.strerror or error}")


def is_read_by_others() -> bool:
    """Whether the user has put it where others can read it, on Windows: elsewhere such a one is replaced."""
    folder = state_folder()
    return isinstance(folder, Ok) and others_can_read(str(folder.value / _NAME))


def may_be_replaced_by_others() -> bool:
    """Whether other users may put another file in the secret's place, since they may write to its folder."""
    folder = state_folder()
    if sys.platform == "win32" or isinstance(folder, Err):
        return False
    try:
        return bool(folder.value.stat().st_mode & 0o022)
    except OSError:
        return False


def _read_or_make(path: Path) -> bytes:
    for attempts_left in reversed(range(_ATTEMPTS)):
        try:
            secret = _read(path)
            if secret is not None:
                return secret
            # Looked at once more: another maker may have replaced it since.
            if os.path.lexists(path) and _read(path) is None:
                _clear(path)
            _make(path, secrets.token_bytes(_BYTES))
        except PermissionError:
            if os.name == "posix" or not attempts_left:
                raise
            threading.Event().wait(_PAUSE_S)
        except FileNotFoundError:
            pass  # another maker was faster to remove it
    raise OSError(errno.EBUSY, "other programs go on replacing it")


def _clear(path: Path) -> None:
    """Take away what is in the secret's place; a folder, which may hold something, is moved aside."""
    if path.is_dir() and not path.is_symlink():
        os.rename(path, f"{path}.folder-{secrets.token_hex(4)}")
    else:
        os.unlink(path)


def _read(path: Path) -> Optional[bytes]:
    """What is in the file; ``None`` where it is missing or not fit to be the secret."""
    secret = read_private(path, _MOST_BYTES + 1)
    return secret if secret is not None and _BYTES <= len(secret) <= _MOST_BYTES else None


def read_private(path: Path, most: int) -> Optional[bytes]:
    """Return up to ``most`` bytes of a file; ``None`` if it is missing, or no file that only this user can read."""
    try:
        # Links are not followed, and a pipe is not waited for.
        flags = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        descriptor = os.open(path, os.O_RDONLY | flags)
    except FileNotFoundError:
        return None
    except OSError as error:
        # Windows opens no folder as a file; elsewhere a folder is opened, and is not private.
        if path.is_dir() or (os.name == "posix" and error.errno in _NOT_A_FILE_OF_OURS):
            return None
        raise
    try:
        if not _is_private(os.fstat(descriptor)):
            return None
        return os.read(descriptor, most)
    finally:
        os.close(descriptor)


def _is_private(found: os.stat_result) -> bool:
    if sys.platform == "win32":
        return stat.S_ISREG(found.st_mode)  # the folder is the user's own; else doctor says so
    return stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and not stat.S_IMODE(found.st_mode) & 0o077


def _clear_drafts(folder: Path) -> None:
    """What makers that were killed have left: copies of a secret, maybe of ours. One at work has its draft a moment."""
    long_ago = SystemClock().utc().timestamp() - _DRAFT_S
    for draft in folder.glob(f"{_NAME}?*"):
        with suppress(OSError):
            if draft.lstat().st_mtime < long_ago:
                draft.unlink()


def _make(path: Path, secret: bytes) -> None:
    _clear_drafts(path.parent)
    handle, draft = tempfile.mkstemp(dir=str(path.parent), prefix=f"{_NAME}-")  # readable by its owner alone
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(secret)
            stream.flush()
            os.fsync(handle)
        _put_in_place(draft, path)
    finally:
        with suppress(OSError):
            os.unlink(draft)


def _put_in_place(draft: str, path: Path) -> None:
    """Unless another maker was faster: then its secret is the one that counts."""
    with suppress(FileExistsError):
        if os.name == "posix":
            try:
                os.link(draft, path)
                return
            except FileExistsError:
                raise
            except OSError:
                # A file system without links, as some network homes have. There a rename may replace another's.
                if os.path.lexists(path):
                    return
        os.rename(draft, path)
