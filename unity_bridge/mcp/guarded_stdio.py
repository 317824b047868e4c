"""Takes the process's real stdin and stdout for MCP, before anything else can touch them (SPEC
§12.2).

Imports next to nothing, so that it can be the entry point's first statement.
"""

from __future__ import annotations

import os
import sys
from typing import NamedTuple, Optional

_STDIN, _STDOUT, _STDERR = 0, 1, 2


class Stdio(NamedTuple):
    """The descriptors that MCP runs on. Private to this process: no child inherits them."""

    fd_in: int
    fd_out: int


def take_stdio() -> Stdio:
    """Move stdin and stdout to private descriptors; leave the null device at 0 and stderr at 1.

    From then on a ``print``, a library or a child process that writes to stdout writes to stderr,
    and one that reads stdin reads end of file. A stream that was closed from the start becomes one
    that is at its end. Once a process.
    """
    fd_in = _moved(_STDIN)
    fd_out = _moved(_STDOUT)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, _STDIN)
    try:
        os.dup2(_STDERR, _STDOUT)
    except OSError:  # started with stderr closed
        os.dup2(null, _STDOUT)
    if null > _STDERR:
        os.close(null)
    _rebind_windows_handles()
    if fd_in is None:
        fd_in = _end_of_a_pipe(0)
    if fd_out is None:
        fd_out = _end_of_a_pipe(1)
    return Stdio(fd_in, fd_out)


def _moved(fd: int) -> Optional[int]:
    """Return a duplicate above the standard three, which no child inherits; None if there is
    nothing to duplicate.
    """
    try:
        return _duplicate(fd)
    except OSError:
        return None


if sys.platform == "win32":
    import msvcrt

    def _duplicate(fd: int) -> int:
        duplicate = os.dup(fd)
        msvcrt.setmode(duplicate, os.O_BINARY)
        return duplicate

else:
    import fcntl

    def _duplicate(fd: int) -> int:
        return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _STDERR + 1)


def _end_of_a_pipe(end: int) -> int:
    """Return one end of a pipe whose other end is closed: 0 reads end of file, to 1 nobody listens."""
    ends = os.pipe()
    os.close(ends[1 - end])
    return ends[end]


def _rebind_windows_handles() -> None:
    """``dup2`` moves the C runtime's descriptor; child processes are given the Win32 handle, which
    must follow it.
    """
    if sys.platform == "win32":
        import ctypes

        for fd, slot in ((_STDIN, -10), (_STDOUT, -11)):
            ctypes.windll.kernel32.SetStdHandle(slot, ctypes.c_void_p(msvcrt.get_osfhandle(fd)))
