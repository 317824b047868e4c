"""Files of a project, which may come from anywhere: read if they are ordinary, and never waited for."""

from __future__ import annotations

import errno
import os
import stat
from typing import BinaryIO

_HOW = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def open_ordinary(path: str) -> BinaryIO:
    """``OSError`` for what is no ordinary file: opening a pipe would wait for its writer, maybe for ever."""
    descriptor = os.open(path, _HOW)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is not a file", path)
    return os.fdopen(descriptor, "rb")
