"""Files that other programs move, replace and delete while we have them open (SPEC §10), and
reading them with care.

Python's own ``open`` keeps everybody on Windows from doing that, for however short a time.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from typing import Any, BinaryIO, Optional

from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.text import json_reader

if sys.platform == "win32":
    READ, WRITE = 0x80000000, 0x40000000
    APPEND = 0x4 | 0x80 | 0x100000  # data, attributes, and to wait for it
    EXISTING, MADE_IF_MISSING = 3, 4
    _SHARE_ALL = 0x7

    def open_shared(path: str, access: int, which: int, flags: int, share: int = _SHARE_ALL) -> int:
        """Return a descriptor; raises ``OSError`` as ``os.open`` does. ``flags`` are those of the C
        runtime.

        ``share``: what others may do with the file while it is open; with 0 nobody else can open it.
        """
        import ctypes
        import msvcrt
        from ctypes.wintypes import DWORD, HANDLE, LPCWSTR, LPVOID

        normal = 0x80
        create = ctypes.WinDLL("kernel32", use_last_error=True).CreateFileW
        create.argtypes = (LPCWSTR, DWORD, DWORD, LPVOID, DWORD, DWORD, HANDLE)
        create.restype = HANDLE
        handle = create(path, access, share, None, which, normal, None)
        if handle == HANDLE(-1).value:
            code = ctypes.get_last_error()
            raise OSError(0, ctypes.FormatError(code), path, code)
        return msvcrt.open_osfhandle(handle, flags)

    def open_to_read(path: str) -> int:
        return open_shared(path, READ, EXISTING, os.O_RDONLY | os.O_BINARY)

else:

    def open_to_read(path: str) -> int:
        """Return a descriptor; never wait, not for a pipe's writer either."""
        return os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)


def open_ordinary(path: str) -> BinaryIO:
    """``OSError`` for what is no ordinary file: opening a pipe would wait for its writer, maybe for
    ever.

    At the same time Unity may rename it, as it does its log at a start, and the plugin may replace it.
    """
    descriptor = open_to_read(path)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is not a file", path)
    return os.fdopen(descriptor, "rb")


def read_text(
    path: str, most_bytes: int, encoding: str = "utf-8-sig"
) -> Result[Optional[str], str]:
    """Return the file's text with its line ends as they are, ``None`` if there is no file; or why
    it cannot be read.

    Never reads more than ``most_bytes`` and one, whatever the file says of its size. ``utf-8-sig``: Windows editors put
    a byte-order mark first.
    """
    try:
        with open_ordinary(path) as stream:
            raw = stream.read(most_bytes + 1)
            if len(raw) > most_bytes:
                size = max(os.fstat(stream.fileno()).st_size, len(raw))
                return Err(
                    f"has {size} bytes, which is larger than {most_bytes}, the most that is read"
                )
        return Ok(raw.decode(encoding))
    except (FileNotFoundError, NotADirectoryError):
        return Ok(None)
    except UnicodeDecodeError:
        return Err("is not UTF-8 text")
    except ValueError:  # a NUL in the path
        return Ok(None)
    except OSError as error:
        # On Windows, a folder cannot be opened for want of a permission.
        if os.path.exists(path) and not os.path.isfile(path):
            return Err("cannot be read: it is not a file")
        return Err(f"cannot be read: {error.strerror or error}")


def read_json(path: str, most_bytes: int, missing: Any = None) -> Result[Any, str]:
    """Return the value in a file of JSON, ``missing`` if there is no file; or why it cannot be
    read.
    """
    text = read_text(path, most_bytes)
    if isinstance(text, Err):
        return text
    try:
        if text.value is None:
            content = missing
        else:
            content = json_reader.loads(text.value)
        return Ok(content)
    except ValueError as error:
        return Err(f"is not valid JSON: {error}")
