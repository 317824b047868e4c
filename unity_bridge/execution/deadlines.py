"""``Deadlines``: what must happen when, if nothing happens before. Timers as data, so that no timer needs a thread."""

from __future__ import annotations

from enum import Enum
from typing import Callable, Dict, Iterator, NamedTuple, Optional

from unity_bridge.state.records import Id


class Due(Enum):
    """What a deadline is for. In brackets: whose id it goes by."""

    PARKED = "parked for too long [request or job]"
    ROUND_TRIP = "no answer from Unity [request of the round trip]"
    RECONNECT = "no connection to send again on [request of the round trip]"
    RESOLVE = "ask again whether a submission arrived [job]"
    WAIT = "waited long enough for a job [request]"
    PROGRESS = "tell a call that waits how far its job is [request]"
    JOB = "the job's timeout_ms [job]"
    JOB_LOST = "nobody to ask for a running job [job]"
    POLL = "ask how a running job is [job]"
    EDITOR_FORGOTTEN = "a busy editor did not come back [editor]"
    HELLO = "no hello [session]"
    PROOF = "no proof [session]"
    PING = "the next ping [session]"
    SILENCE = "silent for too long [session]"
    OWNER_SILENT = "no answer from the owner of the port [request]"
    LOOK = "look at the project again [editor]"


class Deadline(NamedTuple):
    """One deadline of a kind for each record."""

    due: Due
    id: Id


class Deadlines:
    """Instants by deadline, in the order in which they were set. For the executor thread alone.

    There are few at a time, and nearly every one is cleared before it is the earliest. So they are searched when the
    earliest is gone, and not sorted.
    """

    def __init__(self) -> None:
        self._instants: Dict[Deadline, float] = {}
        self._earliest: Optional[float] = None
        self._is_earliest_known = True

    def __iter__(self) -> Iterator[Deadline]:
        return iter(self._instants)

    def set(self, due: Due, id: Id, instant: float) -> None:
        """Set or move the deadline of this kind for ``id``."""
        deadline = Deadline(due, id)
        if self._instants.get(deadline) == instant:
            return
        self._remove(deadline)
        self._instants[deadline] = instant
        if self._earliest is None or instant < self._earliest:
            self._earliest = instant

    def set_no_later(self, due: Due, id: Id, instant: float) -> None:
        """Set the deadline, or move it forward; never back."""
        present = self._instants.get(Deadline(due, id))
        if present is None or instant < present:
            self.set(due, id, instant)

    def clear(self, due: Due, id: Id) -> None:
        self._remove(Deadline(due, id))

    def has(self, due: Due, id: Id) -> bool:
        return Deadline(due, id) in self._instants

    def postpone(self, now: float, pause_s: Callable[[Due], float]) -> None:
        """Move every deadline that has passed to ``pause_s`` from now; those of one pause keep their order."""
        passed = [(instant, deadline) for deadline, instant in self._instants.items() if instant <= now]
        for _, (due, id) in sorted(passed, key=lambda entry: entry[0]):
            self.set(due, id, now + pause_s(due))

    def next(self) -> Optional[float]:
        """The instant of the earliest deadline."""
        if not self._is_earliest_known:
            self._earliest = min(self._instants.values(), default=None)
            self._is_earliest_known = True
        return self._earliest

    def pop_due(self, now: float) -> Optional[Deadline]:
        """The earliest deadline that has passed, taken out; ``None`` when none has."""
        earliest = self.next()
        if earliest is None or earliest > now:
            return None
        deadline = next(deadline for deadline, instant in self._instants.items() if instant == earliest)
        self._remove(deadline)
        return deadline

    def _remove(self, deadline: Deadline) -> None:
        if self._instants.pop(deadline, None) == self._earliest:
            self._is_earliest_known = False
