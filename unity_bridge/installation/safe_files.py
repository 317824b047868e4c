"""Access to files of others: only ordinary files are read, and nothing is written through a link.

A folder that a user names may come from anywhere, and a link in it may lead anywhere (SPEC §20.7).
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import Optional

from unity_bridge.base.result import Result
from unity_bridge.system import shared_file
from unity_bridge.system.whole_file import OPEN_FILES_STAY, patiently, write_whole

# Of a file of a project, which may come from anywhere (SPEC §20.7).
_MOST_BYTES = 1024 * 1024
# Of a file in the user's own home: a client may keep its whole history in it.
MOST_BYTES_OF_THE_USER = 64 * 1024 * 1024
# The kinds of links on Windows: symbolic links, and junctions, which need no privilege.
_LINK_TAGS = {
    getattr(stat, "IO_REPARSE_TAG_SYMLINK", None),
    getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", None),
} - {None}


class Refused(OSError):
    """A path that must not be written; the text is a sentence for the user, without its end."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.strerror = text


def read_text(path: Path, most_bytes: int = _MOST_BYTES) -> Result[Optional[str], str]:
    """Return the file's text with line ends and byte-order mark, None if there is no file, or why
    it cannot be read.
    """
    return shared_file.read_text(str(path), most_bytes, "utf-8")


def is_link(path: Path) -> bool:
    """Return whether the path itself is a link."""
    try:
        status = os.lstat(str(path))
    except OSError:
        return False
    return stat.S_ISLNK(status.st_mode) or getattr(status, "st_reparse_tag", 0) in _LINK_TAGS


def is_read_only(path: Path) -> bool:
    """Return whether the owner may not write the file, as with files in Perforce that are not
    checked out.
    """
    try:
        return not os.stat(str(path)).st_mode & stat.S_IWUSR
    except OSError:
        return False


def refuse_links(folder: Path, path: Path) -> None:
    """Raise ``Refused`` if ``path`` is not inside ``folder``, or is a link, or is reached through
    one.
    """
    place = folder
    for part in path.relative_to(folder).parts:
        if part == os.pardir:
            raise Refused(f"{path} lies outside {folder}")
        place = place / part
        if is_link(place):
            raise Refused(f"{place} is a link, and nothing is written through one")


def move_folder(folder: Path, target: Path) -> None:
    """Remove the folder, or raise ``Refused`` with the name of the file that another program has
    open.
    """
    try:
        patiently(lambda: os.replace(str(folder), str(target)))
    except PermissionError:
        if not OPEN_FILES_STAY:
            raise
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        held = next((path for path in files if _is_open_elsewhere(path)), folder)
        raise Refused(f"{held} is open in another program: close it there, and try again") from None


def why(error: OSError) -> str:
    """Return the system's message, and on Windows its usual meaning."""
    text = error.strerror or str(error)
    is_held = OPEN_FILES_STAY and isinstance(error, PermissionError)
    if is_held:
        return f"{text} (another program may have it open; close it there, and try again)"
    return text


def _is_open_elsewhere(path: Path) -> bool:
    try:
        os.rename(str(path), str(path))  # changes nothing, but needs the same right
    except PermissionError:
        return True
    except OSError:
        pass
    return False


def write_named(path: Path, content: bytes) -> None:
    """Write a file that a user named: completely, and replacing a link instead of its target.

    A path that is not an ordinary file, such as /dev/stdout, is written to and not replaced.
    """
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    if path.exists() and not path.is_file():
        path.write_bytes(content)
    else:
        write_whole(path, content)
