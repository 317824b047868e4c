"""``RotatingLogFile``: the ``--log-file``, which several servers and any viewer may have open at
once (SPEC §10).
"""

from __future__ import annotations

import errno
import logging
import os
import sys
from typing import BinaryIO, Optional

from unity_bridge.base.clock import Clock

# A rotation that the system refuses is tried again after this; the lines of the meantime are
# appended.
_RETRY_S = 60.0


class RotatingLogFile(logging.Handler):
    """Appends to ``path``; beyond ``max_bytes`` it becomes ``path.1``, that one ``path.2``, up to
    ``kept`` old files.

    ``logging.handlers`` has one too, which closes its file first: where the rename is then refused, as Windows does
    while anyone else has the file open, it is left without a file for good. This one looks at every line whether
    ``path`` is still its file: another server may have rotated it, or somebody deleted it. Raises ``OSError`` where
    ``path`` cannot be opened at first; later troubles are ``news``.
    """

    def __init__(self, path: str, max_bytes: int, most_files: int, clock: Clock) -> None:
        super().__init__()
        self._path = os.path.abspath(path)
        self._max_bytes = max_bytes
        self._kept = most_files
        self._clock = clock
        self._refused_until = clock.now()
        self._file: Optional[BinaryIO] = _opened(self._path)
        self._is_torn = False
        self._lost = 0
        self._news: Optional[str] = None

    def emit(self, record: logging.LogRecord) -> None:
        """Append the record's line, with the handler's lock held. Never raises."""
        try:
            line = (self.format(record) + os.linesep).encode("utf-8", "backslashreplace")
        except Exception:
            self.handleError(record)
            return
        try:
            self._append(line)
        except OSError as error:
            if not self._lost:
                self._news = (
                    f"the log file {self._path} cannot be written to: {error.strerror or error}"
                )
            self._lost += 1
        else:
            if self._lost:
                self._news = f"the log file {self._path} can be written to again; {self._lost} lines are missing in it"
            self._lost = 0

    def news(self) -> Optional[str]:
        """Return what should be reported about this file; each time it changes, once."""
        news, self._news = self._news, None
        return news

    def close(self) -> None:
        self._let_go()
        super().close()

    def _append(self, line: bytes) -> None:
        file = self._current()
        size = os.fstat(file.fileno()).st_size
        if size and size + len(line) > self._max_bytes and self._clock.now() >= self._refused_until:
            self._rotate()
            file = self._current()
        data = os.linesep.encode() + line if self._is_torn else line
        written = file.write(data)  # a disk that is nearly full takes a part of it
        self._is_torn = written < len(data) and (self._is_torn or written > 0)
        if written < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def _current(self) -> BinaryIO:
        """Return the file that ``path`` names now, opened if need be."""
        if self._file is not None and not _is_at(self._path, self._file):
            self._let_go()
        if self._file is None:
            self._file = _opened(self._path)
            self._is_torn = False
        return self._file

    def _let_go(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            file.close()

    def _rotate(self) -> None:
        names = [self._path, *(f"{self._path}.{n}" for n in range(1, self._kept + 1))]
        # Only up to the first gap: the attempts of a file that cannot be moved must not push the
        # old ones out.
        free = next((n for n, name in enumerate(names) if not os.path.exists(name)), self._kept)
        try:
            for n in range(free, 0, -1):
                os.replace(names[n - 1], names[n])
        except OSError:
            self._refused_until = self._clock.now() + _RETRY_S


def _is_at(path: str, file: BinaryIO) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.stat(path))
    except OSError:
        return False


if sys.platform == "win32":
    from unity_bridge.system.shared_file import APPEND, MADE_IF_MISSING, open_shared

    def _shared(path: str, _flags: int) -> int:
        """Return a descriptor that lets others rename the file; while that of ``open()`` is open,
        nobody can.
        """
        return open_shared(path, APPEND, MADE_IF_MISSING, os.O_APPEND)

else:
    _shared = None


def _opened(path: str) -> BinaryIO:
    return open(path, "ab", buffering=0, opener=_shared)
