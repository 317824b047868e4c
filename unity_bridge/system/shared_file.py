"""Files that other programs move, replace and delete while we have them open; Windows needs to be told (SPEC §10).

Python's own ``open`` keeps everybody on Windows from doing that, for however short a time.
"""

from __future__ import annotations

import os
import sys

if sys.platform == "win32":
    READ, WRITE = 0x80000000, 0x40000000
    APPEND = 0x4 | 0x80 | 0x100000  # data, attributes, and to wait for it
    EXISTING, MADE_IF_MISSING = 3, 4

    def open_shared(path: str, access: int, which: int, flags: int) -> int:
        """A descriptor; ``OSError`` as of ``os.open``. ``flags`` are those of the C runtime."""
        import ctypes
        import msvcrt
        from ctypes.wintypes import DWORD, HANDLE, LPCWSTR, LPVOID

        share_all, normal = 0x7, 0x80
        create = ctypes.WinDLL("kernel32", use_last_error=True).CreateFileW
        create.argtypes = (LPCWSTR, DWORD, DWORD, LPVOID, DWORD, DWORD, HANDLE)
        create.restype = HANDLE
        handle = create(path, access, share_all, None, which, normal, None)
        if handle == HANDLE(-1).value:
            code = ctypes.get_last_error()
            raise OSError(0, ctypes.FormatError(code), path, code)
        return msvcrt.open_osfhandle(handle, flags)

    def open_to_read(path: str) -> int:
        return open_shared(path, READ, EXISTING, os.O_RDONLY | os.O_BINARY)

else:

    def open_to_read(path: str) -> int:
        """A descriptor; never waits, not for a pipe's writer either."""
        return os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
