"""``UnwaitingOutput``: writes to the client only what its pipe or socket takes at once.

Asking first whether there is room would be one more system call, in which the thread gives the
interpreter away and waits to get it back: a tenth of a call's time. And ``O_NONBLOCK`` belongs to
the open file, which a client may share.
"""

from __future__ import annotations

import os
import stat
import sys
from typing import Callable, Tuple

# What no pipe may take at once, and would leave in two pieces: nothing is gained by it. POSIX's
# ``PIPE_BUF`` on Linux.
_LONG_BYTES = 4096

# How many bytes of ``line`` went out; raises ``OSError`` for none.
_Write = Callable[[bytes], int]
_Close = Callable[[], None]
# Of what cannot be written to without waiting.
_NOTHING: Tuple[_Write, _Close] = (lambda line: 0, lambda: None)


class UnwaitingOutput:
    """For one thread at a time. The descriptor itself is left as it is, and belongs to its opener."""

    def __init__(self, fd: int) -> None:
        self._write, self._close = _by_kind(fd)

    def write(self, line: bytes) -> int:
        """How many bytes of ``line`` went out, from its beginning: maybe none, and always none of a
        long one.
        """
        if len(line) > _LONG_BYTES:
            return 0
        try:
            return self._write(line)
        except OSError:
            return 0  # full, or gone: the thread that waits finds out which

    def close(self) -> None:
        """May be called again."""
        close = self._close
        self._write, self._close = _NOTHING
        close()


if sys.platform == "win32":

    def _by_kind(fd: int) -> Tuple[_Write, _Close]:
        return _NOTHING

else:
    import select

    def _by_kind(fd: int) -> Tuple[_Write, _Close]:
        mode = os.fstat(fd).st_mode
        try:
            if stat.S_ISSOCK(mode):
                return _of_socket(fd)
            if stat.S_ISFIFO(mode) and sys.platform == "linux":
                return _of_pipe(fd)
        except OSError:
            pass  # no /proc here, or the pipe is another user's
        return _of_any(fd)

    def _of_socket(fd: int) -> Tuple[_Write, _Close]:
        """Return how to write and close what Node gives its children for a pipe, which is a pair of
        sockets.
        """
        import socket  # not at the top: other clients do not need it, and the first answer is to be quick

        connection = socket.socket(fileno=os.dup(fd))
        return (lambda line: connection.send(line, socket.MSG_DONTWAIT)), connection.close

    def _of_pipe(fd: int) -> Tuple[_Write, _Close]:
        """Linux opens the same pipe once more, with flags of its own (proc(5), ``/proc/pid/fd``)."""
        opened = os.open(f"/proc/self/fd/{fd}", os.O_WRONLY | os.O_NONBLOCK)
        return (lambda line: os.write(opened, line)), (lambda: os.close(opened))

    def _of_any(fd: int) -> Tuple[_Write, _Close]:
        """POSIX: what is reported as writable takes ``PIPE_BUF`` bytes without waiting."""
        output = select.poll()
        output.register(fd, select.POLLOUT)

        def write(line: bytes) -> int:
            fits = len(line) <= select.PIPE_BUF and output.poll(0) == [(fd, select.POLLOUT)]
            if fits:
                return os.write(fd, line)
            return 0

        return write, _NOTHING[1]
