"""``InterruptibleSocket``: any thread can cut it, and threads that wait on it return, on Windows as
on POSIX.
"""

from __future__ import annotations

import errno
import os
import socket
from contextlib import suppress
from typing import Any, Callable, Optional, TypeVar

from unity_bridge.base.clock import SystemClock

# How late a waiting thread notices a shutdown where the system does not wake it.
_TICK_S = 0.2

_clock = SystemClock()
_T = TypeVar("_T")


class InterruptibleSocket(socket.socket):
    """A connected socket whose ``shutdown(SHUT_RDWR)`` ends the ``recv`` and ``send`` that other
    threads wait in.

    POSIX does that by itself. Windows leaves them waiting until the other side closes, which a hostile or frozen one
    never does. So they wait in short pieces, and look in between. A cut ``recv`` returns ``b""``, a cut ``send`` raises
    ``BrokenPipeError``. Time-outs are the caller's, as of any socket.
    """

    is_own = False  # whether its peer has shown that it runs as this user
    _patience_s: Optional[float] = None
    _is_cut = False

    @classmethod
    def of(cls, connected: socket.socket) -> InterruptibleSocket:
        """Return the same connection as one of these; ``connected`` itself is of no use any more."""
        timeout = connected.gettimeout()
        sock = cls(connected.family, connected.type, connected.proto, fileno=connected.detach())
        sock.settimeout(timeout)
        return sock

    @classmethod
    def to_port(cls, port: int, timeout_s: float) -> InterruptibleSocket:
        """Connect to a port of 127.0.0.1. ``create_connection`` imports the codec of foreign host
        names for that.
        """
        plain = socket.socket()
        try:
            plain.settimeout(timeout_s)
            plain.connect(("127.0.0.1", port))
        except BaseException:
            plain.close()
            raise
        return cls.of(plain)

    def gettimeout(self) -> Optional[float]:
        return self._patience_s

    def settimeout(self, value: Optional[float]) -> None:
        self._patience_s = value
        tick_s = _TICK_S if value is None else min(value, _TICK_S)
        super().settimeout(tick_s)

    def setblocking(self, flag: bool) -> None:
        timeout_s = None if flag else 0.0
        self.settimeout(timeout_s)

    def cut(self) -> None:
        """Cut the connection at once; every thread that waits on it wakes up. Any thread, also
        twice.
        """
        with suppress(OSError):
            self.shutdown(socket.SHUT_RDWR)

    def shutdown(self, how: int) -> None:
        if how == socket.SHUT_RDWR:
            self._is_cut = True
        super().shutdown(how)

    def recv(self, bufsize: int, flags: int = 0) -> bytes:
        received: Optional[bytes] = self._patiently(super().recv, bufsize, flags)
        if received is None:
            return b""
        return received

    def send(self, data: Any, flags: int = 0) -> int:
        sent: Optional[int] = self._patiently(super().send, data, flags)
        if sent is None:
            raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))
        return sent

    def sendall(self, data: Any, flags: int = 0) -> None:
        """Send all of ``data``. The timeout bounds each step, and not the whole."""
        unsent = memoryview(data)
        while unsent:
            unsent = unsent[self.send(unsent, flags) :]

    def _patiently(self, attempt: Callable[..., _T], *arguments: Any) -> Optional[_T]:
        """Repeat the attempt until it succeeds or its time is over; return its result, ``None``
        once this is cut.
        """
        begun: Optional[float] = None
        while not self._is_cut:
            try:
                return attempt(*arguments)
            except socket.timeout:
                # Only a wait that was in vain asks for the time.
                begun = _clock.now() - _TICK_S if begun is None else begun
                if self._patience_s is not None and _clock.now() - begun >= self._patience_s:
                    raise
        return None
