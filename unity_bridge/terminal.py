"""Whether somebody sits at the other end of a stream."""

from __future__ import annotations

import os
import sys
from typing import Optional, TextIO


def is_terminal(stream: Optional[TextIO]) -> bool:
    """``None`` is a stream that the process was started without."""
    if stream is None or not stream.isatty():
        return False
    try:
        return is_terminal_descriptor(stream.fileno())
    except (OSError, ValueError):
        return True  # a stand-in without a descriptor knows best


def is_terminal_descriptor(descriptor: int) -> bool:
    """As ``os.isatty``, but Windows says that of every device, NUL among them: only a console is a terminal."""
    return os.isatty(descriptor) and _is_console(descriptor)


if sys.platform == "win32":

    def _is_console(descriptor: int) -> bool:
        import ctypes
        import msvcrt
        from ctypes.wintypes import DWORD, HANDLE

        get_mode = ctypes.windll.kernel32.GetConsoleMode
        get_mode.argtypes = (HANDLE, ctypes.POINTER(DWORD))
        return bool(get_mode(msvcrt.get_osfhandle(descriptor), ctypes.byref(DWORD())))

else:

    def _is_console(descriptor: int) -> bool:
        return True
