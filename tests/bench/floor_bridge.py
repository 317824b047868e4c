"""The floor of our own shape: a standard-library bridge with exactly the threads and queues that
the product has.

``python tests/bench/floor_bridge.py PORT``: one thread reads the client, one reads the editor; both hand what they read
to one executor through a ``queue.SimpleQueue``. The executor has one round trip to the editor under way at a time, and
does all writing (SPEC §1.2, §4.1). As ``bare_bridge.py`` it checks nothing and survives nothing: what the product costs
beyond this is its own code and not its shape.
"""

from __future__ import annotations

import queue
import sys
import threading
from collections import deque
from pathlib import Path
from typing import Any, Callable, Deque, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.bare_bridge import BareBridge

Event = Tuple[Callable[..., None], Tuple[Any, ...]]


class FloorBridge(BareBridge):
    """Every method of ``BareBridge`` that decides or writes runs on the executor."""

    def __init__(self, port: int) -> None:
        super().__init__(port)
        self._inbox: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._waiting: Deque[Tuple[Any, Any]] = deque()
        self._is_busy = True  # until the editor is there
        self._editor_is_there.set()  # a call waits in the queue, and never in the executor

    def run(self) -> None:
        threading.Thread(target=self._execute, name="executor", daemon=True).start()
        super().run()

    def _execute(self) -> None:
        while True:
            do, arguments = self._inbox.get()
            do(*arguments)

    # The client's thread and the editor's thread.

    def _received(self, message: Any) -> None:
        self._inbox.put((super()._received, (message,)))

    def _heard(self, message: Any) -> None:
        self._inbox.put((self._handle, (message,)))

    # The executor.

    def _handle(self, message: Any) -> None:
        super()._heard(message)
        if message["type"] in ("hello", "result"):
            self._is_busy = False
            self._next()

    def _forward(self, id: Any, params: Any) -> None:
        self._waiting.append((id, params))
        self._next()

    def _next(self) -> None:
        if self._waiting and not self._is_busy:
            self._is_busy = True
            super()._forward(*self._waiting.popleft())


if __name__ == "__main__":
    FloorBridge(int(sys.argv[1])).run()
