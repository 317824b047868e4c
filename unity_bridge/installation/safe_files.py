"""Files of somebody else's: read only if they are ordinary, written whole or not at all, never through a link.

A folder that a user names may come from anywhere, and a link in it leads anywhere (SPEC §20.7).
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
import threading
from contextlib import suppress
from pathlib import Path
from typing import Callable, Optional

from unity_bridge.base.clock import SystemClock
from unity_bridge.base.result import Result
from unity_bridge.system import shared_file

_OPEN_FILES_STAY = os.name == "nt"
_PATIENCE_S = 1.0
_PAUSE_S = 0.02
_clock = SystemClock()

_MOST_BYTES = 64 * 1024 * 1024
# What links are called on Windows: symbolic links, and junctions, which need no privilege.
_LINK_TAGS = {getattr(stat, "IO_REPARSE_TAG_SYMLINK", None), getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", None)} - {None}


class Refused(OSError):
    """A path that is not written to; the text is a sentence for the user, without its end."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.strerror = text


def read_text(path: Path) -> Result[Optional[str], str]:
    """The file's text with line ends and byte-order mark, ``None`` if there is no file; or why it cannot be read."""
    return shared_file.read_text(str(path), _MOST_BYTES, "utf-8")


def is_link(path: Path) -> bool:
    """Whether the name itself is a link, wherever it leads."""
    try:
        found = os.lstat(str(path))
    except OSError:
        return False
    return stat.S_ISLNK(found.st_mode) or getattr(found, "st_reparse_tag", 0) in _LINK_TAGS


def is_read_only(path: Path) -> bool:
    """Whether its owner may not write it: Perforce keeps files so that are not checked out."""
    try:
        return not os.stat(str(path)).st_mode & stat.S_IWUSR
    except OSError:
        return False


def refuse_links(folder: Path, path: Path) -> None:
    """``Refused`` if ``path`` is not inside ``folder``, or a link stands between the two or at its end."""
    place = folder
    for part in path.relative_to(folder).parts:
        if part == os.pardir:
            raise Refused(f"{path} lies outside {folder}")
        place = place / part
        if is_link(place):
            raise Refused(f"{place} is a link, and nothing is written through one")


def patiently(change: Callable[[], None]) -> None:
    """Do what replaces, moves or removes a file. On Windows another program that has it open prevents that; an editor,
    an indexer or a virus scanner has it open for a moment, so it is tried for a second."""
    deadline = _clock.now() + (_PATIENCE_S if _OPEN_FILES_STAY else 0.0)
    while True:
        try:
            return change()
        except PermissionError:
            if _clock.now() >= deadline:
                raise
            threading.Event().wait(_PAUSE_S)


def move_folder(folder: Path, target: Path) -> None:
    """All of it or, while another program has a file in it open, nothing: ``Refused``, which names that file."""
    try:
        patiently(lambda: os.replace(str(folder), str(target)))
    except PermissionError:
        if not _OPEN_FILES_STAY:
            raise
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        held = next((path for path in files if _is_open_elsewhere(path)), folder)
        raise Refused(f"{held} is open in another program: close it there, and try again") from None


def why(error: OSError) -> str:
    """What the system said, and on Windows what it mostly means."""
    text = error.strerror or str(error)
    is_held = _OPEN_FILES_STAY and isinstance(error, PermissionError)
    return f"{text} (another program may have it open; close it there, and try again)" if is_held else text


def _is_open_elsewhere(path: Path) -> bool:
    try:
        os.rename(str(path), str(path))  # changes nothing, and needs the same right
    except PermissionError:
        return True
    except OSError:
        pass
    return False


def write_whole(path: Path, content: bytes) -> None:
    """Readers see the old content or the new one, and never half of it. ``OSError`` if it could not be written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    mode = stat.S_IMODE(os.stat(str(path)).st_mode) if path.exists() else None
    # A name that nobody can know before, made anew: a link that waits under it is not followed.
    draft = str(path.with_name(f".{path.name[:64]}.{secrets.token_hex(8)}"))
    how = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)
    descriptor = os.open(draft, how, 0o666 if mode is None else 0o600)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        if mode is not None:
            os.chmod(draft, mode)
        patiently(lambda: os.replace(draft, str(path)))
    except BaseException:
        with suppress(OSError):
            os.unlink(draft)
        raise


def write_named(path: Path, content: bytes) -> None:
    """To a file that a user named: whole, and in the place of a link rather than through it. What is no ordinary file,
    such as /dev/stdout, is written to and not replaced."""
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    if path.exists() and not path.is_file():
        path.write_bytes(content)
    else:
        write_whole(path, content)
