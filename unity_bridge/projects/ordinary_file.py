"""Files of a project, which may come from anywhere: read if they are ordinary, and never waited for."""

from __future__ import annotations

import errno
import os
import stat
from typing import BinaryIO

from unity_bridge.system.shared_file import open_to_read


def open_ordinary(path: str) -> BinaryIO:
    """``OSError`` for what is no ordinary file: opening a pipe would wait for its writer, maybe for ever.

    Unity may rename it meanwhile, as it does its log at a start, and the plugin replace it.
    """
    descriptor = open_to_read(path)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is not a file", path)
    return os.fdopen(descriptor, "rb")
