"""A lock on a file, which dies with its holder: the operating system keeps it."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Optional, Tuple


WAITS = "waiting for another start that prepares the environment ..."


class Locked:
    """Holds the lock on ``path`` while entered; yields the descriptors that children must inherit.

    POSIX: a child that outlives a killed launcher keeps the lock through the descriptor it inherited, so nobody clears
    the folder under it. On Windows its own running interpreter keeps the folder from being moved.
    """

    def __init__(self, path: str, say: Callable[[str], None] = lambda text: None) -> None:
        self._path = path
        self._say = say
        self._descriptor = -1

    def __enter__(self) -> Tuple[int, ...]:
        self._descriptor = _opened(self._path)
        try:
            if not _lock(self._descriptor, wait=False):
                self._say(WAITS)
                while not _lock(self._descriptor, wait=True):
                    pass
        except BaseException:
            os.close(self._descriptor)
            raise
        if os.name == "nt":
            return ()
        return (self._descriptor,)

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)


def try_lock(path: str) -> Optional[int]:
    """Return the descriptor that holds the lock until it is closed; ``None`` while another process
    holds it.
    """
    descriptor = _opened(path)
    try:
        has_lock = _lock(descriptor, wait=False)
    except BaseException:
        os.close(descriptor)
        raise
    if has_lock:
        return descriptor
    os.close(descriptor)
    return None


def _opened(path: str) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644)


if sys.platform == "win32":

    def _lock(descriptor: int, wait: bool) -> bool:
        import msvcrt

        try:
            # LK_LOCK gives up by itself after ten seconds; the caller asks again.
            if wait:
                operation = msvcrt.LK_LOCK
            else:
                operation = msvcrt.LK_NBLCK
            msvcrt.locking(descriptor, operation, 1)
        except OSError:
            return False
        return True

else:

    def _lock(descriptor: int, wait: bool) -> bool:
        import fcntl

        try:
            if wait:
                operation = fcntl.LOCK_EX
            else:
                operation = fcntl.LOCK_EX | fcntl.LOCK_NB
            fcntl.flock(descriptor, operation)
        except BlockingIOError:
            return False
        return True
