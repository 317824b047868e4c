"""``Deadlines``: what must happen when, if nothing happens before. Timers as data, so that no timer needs a thread."""

from __future__ import annotations

import heapq
from typing import Dict, List, Optional, Tuple

# (kind, id of the record it is about): one deadline of a kind for each record.
Key = Tuple[str, str]


class Deadlines:
    """Instants by key. For the executor thread alone.

    A deadline that is set again or cleared leaves a dead entry in the heap, which is dropped when it comes up.
    """

    def __init__(self) -> None:
        self._instants: Dict[Key, float] = {}
        self._heap: List[Tuple[float, Key]] = []

    def set(self, kind: str, id: str, instant: float) -> None:
        """Set or move the deadline of ``kind`` for ``id``."""
        key = (kind, id)
        if self._instants.get(key) != instant:
            self._instants[key] = instant
            heapq.heappush(self._heap, (instant, key))

    def clear(self, kind: str, id: str) -> None:
        self._instants.pop((kind, id), None)

    def has(self, kind: str, id: str) -> bool:
        return (kind, id) in self._instants

    def next(self) -> Optional[float]:
        """The instant of the earliest deadline."""
        while self._heap and self._instants.get(self._heap[0][1]) != self._heap[0][0]:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def pop_due(self, now: float) -> Optional[Key]:
        """The earliest deadline that has passed, taken out; ``None`` when none has."""
        instant = self.next()
        if instant is None or instant > now:
            return None
        key = heapq.heappop(self._heap)[1]
        del self._instants[key]
        return key
