"""Replacing files so that a reader sees the old content or the new one, and never half of it."""

from __future__ import annotations

import os
import secrets
import stat
import threading
from contextlib import suppress
from pathlib import Path
from typing import Callable

from unity_bridge.base.clock import SystemClock

OPEN_FILES_STAY = os.name == "nt"
_PATIENCE_S = 1.0
_PAUSE_S = 0.02
_clock = SystemClock()


def patiently(change: Callable[[], None]) -> None:
    """Do what replaces, moves or removes a file. On Windows another program that has it open prevents that; an editor,
    an indexer or a virus scanner has it open for a moment, so it is tried for a second."""
    deadline = _clock.now() + (_PATIENCE_S if OPEN_FILES_STAY else 0.0)
    while True:
        try:
            return change()
        except PermissionError:
            if _clock.now() >= deadline:
                raise
            threading.Event().wait(_PAUSE_S)


def write_whole(path: Path, content: bytes, is_private: bool = False) -> None:
    """Put a new file in the place of ``path``; a link there is replaced. ``OSError`` if it could
    not be written.

    It has the mode of the file that was there, or that of any new file; ``is_private``: only this user can read it,
    and the folder if that is new.
    """
    folder_mode = 0o777
    if is_private:
        folder_mode = 0o700
    path.parent.mkdir(mode=folder_mode, parents=True, exist_ok=True)
    mode = stat.S_IMODE(os.stat(str(path)).st_mode) if not is_private and path.exists() else None
    # A name that nobody can know before, of a new file: a link that waits under it is not followed.
    draft = str(path.with_name(f".{path.name[:64]}.{secrets.token_hex(8)}"))
    how = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)
    file_mode = 0o600
    if mode is None and not is_private:
        file_mode = 0o666
    descriptor = os.open(draft, how, file_mode)
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
