"""Unity's main thread: one piece of work at a time, in the order in which it is due."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from threading import Condition, Thread, current_thread
from typing import Callable, List, Optional

from unity_bridge.base.clock import Clock
from unity_bridge.log.logger import Logger

Work = Callable[[], object]

# Shorter work than this is no stall.
_STALL_MS = 250


@dataclass(order=True)
class _Item:
    due: float
    number: int
    work: Work = field(compare=False)


class MainThread:
    """Runs what is posted to it; while it is paused or busy, everything else waits, as in a real
    editor.

    Any thread may call anything but ``pause``, which belongs to the work that runs.
    """

    def __init__(self, clock: Clock, log: Logger) -> None:
        self._clock = clock
        self._log = log
        self._thread = Thread(target=self._run, name="simulator main")
        self._changed = Condition()  # guards what follows
        self._items: List[_Item] = []
        self._number = 0
        self._process = 0  # rises when the editor process ends: its work and its pauses end with it
        self._working_for = 0  # the process that the work of this moment belongs to
        self._busy_since: Optional[float] = None
        self._stopping = False

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End the thread; what was waiting never runs."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join()

    def post(self, work: Work, delay_s: float = 0.0) -> None:
        with self._changed:
            if current_thread() is self._thread and self._working_for != self._process:
                return  # the last work of a process that is gone leaves nothing behind
            self._number += 1
            heapq.heappush(self._items, _Item(self._clock.now() + delay_s, self._number, work))
            self._changed.notify_all()

    def forget(self) -> None:
        """Drop what waits, and end a pause at once, because the editor process ended."""
        with self._changed:
            self._items.clear()
            self._process += 1
            self._changed.notify_all()

    def pause(self, seconds: float) -> bool:
        """Block this thread; False if the process was over before the time was."""
        with self._changed:
            end = self._clock.now() + seconds
            while not self._stopping and self._working_for == self._process:
                remaining_s = end - self._clock.now()
                if remaining_s <= 0:
                    return True
                self._changed.wait(remaining_s)
            return False

    def stalled_ms(self) -> int:
        """How long the work that runs now has been running; 0 for ordinary work."""
        with self._changed:
            if self._busy_since is None:
                return 0
            busy_ms = int((self._clock.now() - self._busy_since) * 1000)
        if busy_ms >= _STALL_MS:
            return busy_ms
        return 0

    def _run(self) -> None:
        work = self._next()
        while work is not None:
            try:
                work()
            except Exception:  # a bug in one piece of work must not end the editor
                self._log.exception("work on the simulated main thread failed")
            work = self._next()

    def _next(self) -> Optional[Work]:
        with self._changed:
            self._busy_since = None
            while not self._stopping:
                wait: Optional[float] = None
                if self._items:
                    wait = self._items[0].due - self._clock.now()
                    if wait <= 0:
                        self._busy_since, self._working_for = self._clock.now(), self._process
                        return heapq.heappop(self._items).work
                self._changed.wait(wait)
            return None
