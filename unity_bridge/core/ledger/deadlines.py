"""``Deadlines``: what must happen when, if nothing happens before. Timers as data, so that no timer
needs a thread.
"""

from __future__ import annotations

import heapq
import itertools
from enum import Enum
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

from unity_bridge.core.ledger.records import Id

_DEAD_KEPT = 64


class Due(str, Enum):
    """What a deadline is for. In brackets: whose id it goes by."""

    PARKED = "parked for too long [request or job]"
    ROUND_TRIP = "no answer from Unity [request of the round trip]"
    RECONNECT = "no connection to send again on [request of the round trip]"
    RESOLVE = "ask again whether a submission arrived [job]"
    OVER = "the client waits no longer for the editor [request]"
    WAIT = "waited long enough for a job [request]"
    PROGRESS = "send progress to a waiting call [request]"
    JOB = "the job's timeout_ms [job]"
    JOB_LOST = "nobody to ask for a running job [job]"
    POLL = "ask how a running job is [job]"
    EDITOR_FORGOTTEN = "a busy editor did not come back [editor]"
    HELLO = "no hello [session]"
    PROOF = "no proof [session]"
    PING = "the next ping [session]"
    SILENCE = "silent for too long [session]"
    OWNER_SILENT = "no answer from the owner of the port [request]"
    PROBE = "probe the project again [editor]"


class Deadline(NamedTuple):
    """One deadline of a kind for each record."""

    due: Due
    id: Id


class Deadlines:
    """Instants by deadline. For the executor thread alone.

    A deadline that is set again or cleared leaves a dead entry in the heap. Nearly all are, long
    before they come up, so the dead are dropped once they are most of it.
    """

    def __init__(self) -> None:
        self._instants: Dict[Tuple[Due, Id], float] = {}
        # The number keeps entries of one instant in the order in which they were set, and from
        # being compared further.
        self._heap: List[Tuple[float, int, Tuple[Due, Id]]] = []
        self._numbers = itertools.count()

    def __iter__(self) -> Iterator[Deadline]:
        return itertools.starmap(Deadline, self._instants)

    def set(self, due: Due, id: Id, instant: float) -> None:
        """Set or move the deadline of this kind for ``id``."""
        deadline = (due, id)
        if self._instants.get(deadline) == instant:
            return
        self._instants[deadline] = instant
        heapq.heappush(self._heap, (instant, next(self._numbers), deadline))
        if len(self._heap) > 2 * len(self._instants) + _DEAD_KEPT:
            self._heap = [entry for entry in self._heap if self._instants.get(entry[2]) == entry[0]]
            heapq.heapify(self._heap)

    def set_no_later(self, due: Due, id: Id, instant: float) -> None:
        """Set the deadline, or move it forward; never back."""
        present = self._instants.get((due, id))
        if present is None or instant < present:
            self.set(due, id, instant)

    def clear(self, due: Due, id: Id) -> None:
        self._instants.pop((due, id), None)

    def has(self, due: Due, id: Id) -> bool:
        return (due, id) in self._instants

    def postpone(self, now: float, pause_s: Callable[[Due], float]) -> None:
        """Move every deadline that has passed to ``pause_s`` from now; those of one pause keep
        their order.
        """
        passed = [
            (instant, deadline) for deadline, instant in self._instants.items() if instant <= now
        ]
        for _, (due, id) in sorted(passed, key=lambda entry: entry[0]):
            self.set(due, id, now + pause_s(due))

    def next(self) -> Optional[float]:
        """Return the instant of the earliest deadline, or ``None``."""
        heap = self._heap
        while heap:
            instant, _, deadline = heap[0]
            if self._instants.get(deadline) == instant:
                return instant
            heapq.heappop(heap)
        return None

    def pop_due(self, now: float) -> Optional[Deadline]:
        """Return the earliest deadline that has passed, taken out; ``None`` when none has."""
        instant = self.next()
        if instant is None or instant > now:
            return None
        deadline = heapq.heappop(self._heap)[2]
        del self._instants[deadline]
        return Deadline(*deadline)
