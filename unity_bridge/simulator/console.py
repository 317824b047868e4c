"""The console: a bounded buffer of what was logged (SPEC §8 ``read_console``)."""

from __future__ import annotations

import uuid
from collections import deque
from threading import Lock
from typing import Any, Callable, Deque, Dict, List

from unity_bridge.base.frozen import frozen
from unity_bridge.simulator.project import Entry

_SUMMED_UP = 3
_SUMMED_UP_CHARACTERS = 500
_WARNING = "warning"


@frozen
class Kept:
    """An entry in the buffer; ``seq`` rises by one for every entry ever logged."""

    seq: int
    entry: Entry


@frozen
class Reading:
    """The buffer at one moment, after a cursor. ``is_gapped``: entries after the cursor are no longer there.
    ``is_of_another_editor``: the cursor was, so the whole buffer is newer."""

    kept: List[Kept]
    is_gapped: bool
    next_cursor: str
    is_of_another_editor: bool = False


class Console:
    """The project's log. Safe from any thread.

    A cursor is ``<session>:<seq>``; the session identifies this buffer, so a cursor of another editor is recognised.
    """

    def __init__(self, capacity: int = 10_000) -> None:
        self._session = uuid.uuid4().hex[:8]
        self._lock = Lock()  # guards what follows
        self._kept: Deque[Kept] = deque(maxlen=capacity)
        self._last_seq = 0

    def log(self, entry: Entry) -> None:
        with self._lock:
            self._last_seq += 1
            self._kept.append(Kept(self._last_seq, entry))

    def clear(self, which: Callable[[Entry], bool] = lambda _: True) -> None:
        """Forget the entries that ``which`` picks."""
        with self._lock:
            staying = [row for row in self._kept if not which(row.entry)]
            self._kept.clear()
            self._kept.extend(staying)

    def cursor(self) -> str:
        """Where the next entry will be."""
        with self._lock:
            return f"{self._session}:{self._last_seq}"

    def read(self, since: str = "") -> Reading:
        """Return what is newer than a cursor (`is_cursor`); the whole buffer without one, or with
        another editor's.
        """
        with self._lock:
            rows, last_seq = list(self._kept), self._last_seq
        cursor = f"{self._session}:{last_seq}"
        if not since:
            return Reading(rows, False, cursor)
        session, _, seq = since.rpartition(":")
        after = int(seq) if session == self._session else 0
        newer = [row for row in rows if row.seq > after]
        # Seqs rise by one, so a gap after the cursor is what the buffer dropped or was cleared of.
        is_other = session != self._session
        return Reading(newer, is_other or len(newer) < last_seq - after, cursor, is_other)

    def summary(self, since: str) -> Dict[str, Any]:
        """Return what was logged since, for an ended job: ``{errors, warnings, first,
        next_cursor}`` (SPEC §15.3).
        """
        reading = self.read(since)
        warnings = [row.entry for row in reading.kept if row.entry.type == _WARNING]
        errors = [row.entry for row in reading.kept if row.entry.type not in (_WARNING, "log")]
        messages = [
            entry.message[:_SUMMED_UP_CHARACTERS] for entry in [*errors, *warnings][:_SUMMED_UP]
        ]
        counts = {"errors": len(errors), "warnings": len(warnings)}
        return {**counts, "first": messages, "next_cursor": reading.next_cursor}


def is_cursor(text: str) -> bool:
    _, colon, seq = text.rpartition(":")
    return bool(colon) and seq.isascii() and seq.isdigit()
