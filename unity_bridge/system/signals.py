"""``MainThreadQueue``: the queue on which the main thread waits, without missing a signal."""

from __future__ import annotations

import queue
from typing import Generic, Optional, TypeVar

T = TypeVar("T")

# How long a signal may go unnoticed if another thread received it, or if this is Windows.
_LOOK_FOR_SIGNALS_S = 0.2


class MainThreadQueue(Generic[T]):
    """A ``SimpleQueue`` whose ``get`` lets signal handlers run at least every 0.2 s, however long
    it waits.

    The operating system may deliver a signal to any thread. A thread that is being started unblocks
    its signals, and can take one that was meant for the waiting main thread. Python then only notes
    it; the handler runs when the main thread executes its next instruction, which in an untimed
    wait is never. On Windows an untimed wait is not interrupted by Ctrl-C at all. Waking up five
    times a second covers every case: threads that libraries start, signals before the wait, both
    kinds of systems. ``set_wakeup_fd`` would need one more thread and a socket, and signals that
    other threads block would stay blocked in the programs that those threads start.

    ``put`` may be called by signal handlers: only a ``SimpleQueue`` may be entered again while it is interrupted.
    """

    def __init__(self) -> None:
        self._items: queue.SimpleQueue[T] = queue.SimpleQueue()

    def put(self, item: T) -> None:
        self._items.put(item)

    def get(self, timeout: Optional[float] = None) -> T:
        """Return the next item. Raises ``queue.Empty`` after ``timeout`` seconds; without one it
        waits for an item.
        """
        while timeout is None or timeout > _LOOK_FOR_SIGNALS_S:
            try:
                return self._items.get(timeout=_LOOK_FOR_SIGNALS_S)
            except queue.Empty:
                timeout = None if timeout is None else timeout - _LOOK_FOR_SIGNALS_S
        return self._items.get(timeout=timeout)
