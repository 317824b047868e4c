"""``RotatingLogFile``: the ``--log-file``, which several servers and any viewer may have open at once (SPEC §10)."""

from __future__ import annotations

import logging
import os
import sys
from typing import TextIO

from unity_bridge.clock import Clock

# A rotation that the system refuses is tried again after this; the lines of the meantime are appended.
_RETRY_S = 60.0


class RotatingLogFile(logging.Handler):
    """Appends to ``path``; beyond ``max_bytes`` it becomes ``path.1``, that one ``path.2``, up to ``kept`` old files.

    ``logging.handlers`` has one too, which closes its file first: where the rename is then refused, as Windows does
    while anyone else has the file open, it is left without a file for good. This one stays open until its successor
    is. Raises ``OSError`` where ``path`` cannot be opened.
    """

    def __init__(self, path: str, max_bytes: int, kept: int, clock: Clock) -> None:
        super().__init__()
        self._path = os.path.abspath(path)
        self._max_bytes = max_bytes
        self._kept = kept
        self._clock = clock
        self._refused_until = clock.now()
        self._stream = _opened(self._path)

    def emit(self, record: logging.LogRecord) -> None:
        """Called with the handler's lock held. Never raises."""
        try:
            line = self.format(record) + "\n"
            size = os.fstat(self._stream.fileno()).st_size
            if size and size + len(line) > self._max_bytes and self._clock.now() >= self._refused_until:
                self._rotate()
            self._stream.write(line)
            self._stream.flush()
        except Exception:
            self.handleError(record)

    def close(self) -> None:
        self._stream.close()
        super().close()

    def _rotate(self) -> None:
        try:
            # Another server that writes to the same file may have rotated it: ours is then path.1 by now.
            if os.path.samestat(os.fstat(self._stream.fileno()), os.stat(self._path)):
                self._move_on()
        except FileNotFoundError:
            pass  # deleted: a new one is opened
        except OSError:
            self._refused_until = self._clock.now() + _RETRY_S
            return
        successor = _opened(self._path)
        self._stream.close()
        self._stream = successor

    def _move_on(self) -> None:
        names = [self._path, *(f"{self._path}.{n}" for n in range(1, self._kept + 1))]
        # Only up to the first gap: the attempts of a file that cannot be moved must not push the old ones out.
        last = next((n for n, name in enumerate(names) if not os.path.exists(name)), self._kept)
        for n in range(last, 0, -1):
            os.replace(names[n - 1], names[n])


if sys.platform == "win32":

    def _shared(path: str, _flags: int) -> int:
        """A descriptor that lets others rename the file; while that of ``open()`` is open, nobody can."""
        import ctypes
        import msvcrt
        from ctypes.wintypes import DWORD, HANDLE, LPCWSTR, LPVOID

        append, read_attributes, synchronize = 0x4, 0x80, 0x100000
        share_all, open_always, normal = 0x7, 4, 0x80
        create = ctypes.WinDLL("kernel32", use_last_error=True).CreateFileW
        create.argtypes = (LPCWSTR, DWORD, DWORD, LPVOID, DWORD, DWORD, HANDLE)
        create.restype = HANDLE
        handle = create(path, append | read_attributes | synchronize, share_all, None, open_always, normal, None)
        if handle == HANDLE(-1).value:
            raise ctypes.WinError(ctypes.get_last_error())
        return msvcrt.open_osfhandle(handle, os.O_APPEND)

else:
    _shared = None


def _opened(path: str) -> TextIO:
    return open(path, "a", encoding="utf-8", errors="backslashreplace", opener=_shared)
