"""The console: a bounded buffer that is read newest first and told oldest first (SPEC §8 ``read_console``)."""

from __future__ import annotations

import json
import uuid
from collections import deque
from dataclasses import dataclass
from threading import Lock
from typing import Any, Callable, Deque, Dict, List, Mapping, Optional, Tuple

from unity_bridge.clock import Clock, rfc3339
from unity_bridge.result import Err, Ok, Result
from unity_bridge.simulator.project import LOG_TYPES, Entry

# Room for the envelope below the contract's 1 MiB.
ANSWER_BYTES = 900_000
_DEFAULT_ENTRIES = 200
_MOST_ENTRIES = 2000


@dataclass(frozen=True)
class _Kept:
    """An entry in the buffer; ``seq`` rises by one for every entry ever logged."""

    seq: int
    timestamp: str
    entry: Entry


@dataclass(frozen=True)
class _Query:
    max_entries: int
    types: Tuple[str, ...]
    contains: str
    include_stack_trace: bool
    since: Optional[str]


class Console:
    """What the project logged. Safe from any thread.

    A cursor is ``<session>:<seq>``; the session is this buffer's life, so a cursor of another editor is recognised.
    """

    def __init__(self, clock: Clock, capacity: int = 10_000) -> None:
        self._clock = clock
        self._session = uuid.uuid4().hex[:8]
        self._lock = Lock()  # guards what follows
        self._kept: Deque[_Kept] = deque(maxlen=capacity)
        self._last_seq = 0

    def log(self, entry: Entry) -> None:
        timestamp = rfc3339(self._clock.utc())
        with self._lock:
            self._last_seq += 1
            self._kept.append(_Kept(self._last_seq, timestamp, entry))

    def clear(self, which: Callable[[Entry], bool] = lambda _: True) -> None:
        """Forget the entries that ``which`` picks."""
        with self._lock:
            kept = [one for one in self._kept if not which(one.entry)]
            self._kept.clear()
            self._kept.extend(kept)

    def read(self, params: Mapping[str, Any]) -> Result[Dict[str, Any], str]:
        """``{entries, count, truncated, next_cursor}``; ``Err`` says which parameter is wrong."""
        query = _query(params)
        if isinstance(query, Err):
            return query
        with self._lock:
            kept, last_seq = list(self._kept), self._last_seq
        return self._answer(query.value, kept, last_seq)

    def _answer(self, query: _Query, kept: List[_Kept], last_seq: int) -> Result[Dict[str, Any], str]:
        after, lost = 0, False
        if query.since is not None:
            session, colon, seq = query.since.rpartition(":")
            if not colon or not (seq.isascii() and seq.isdigit()):
                return Err("since must be the next_cursor of an earlier answer")
            if session == self._session:
                after = int(seq)
            # Seqs rise by one, so a gap after the cursor is what the buffer dropped or was cleared of.
            newer = [one for one in kept if one.seq > after]
            lost = session != self._session or len(newer) < last_seq - after
            kept = newer
        matching = [one for one in kept if _matches(one.entry, query)]
        entries = _fitting(matching[-query.max_entries :], query.include_stack_trace)
        return Ok(
            {
                "entries": entries,
                "count": len(matching),
                "truncated": lost or len(entries) < len(matching),
                "next_cursor": f"{self._session}:{last_seq}",
            }
        )


def _matches(entry: Entry, query: _Query) -> bool:
    # Case does not count, as in the search field of Unity's console window.
    return (not query.types or entry.type in query.types) and query.contains.lower() in entry.message.lower()


def _fitting(newest: List[_Kept], with_stack: bool) -> List[Dict[str, Any]]:
    """As many of the newest entries as one answer can carry, oldest first."""
    entries: List[Dict[str, Any]] = []
    room = ANSWER_BYTES
    for kept in reversed(newest):
        told = _told(kept, with_stack)
        size = len(json.dumps(told)) + 2
        if size > room:
            if entries:
                break
            told = _shortened(told)
            size = room
        entries.append(told)
        room -= size
    entries.reverse()
    return entries


def _told(kept: _Kept, with_stack: bool) -> Dict[str, Any]:
    told: Dict[str, Any] = {"type": kept.entry.type, "message": kept.entry.message, "timestamp": kept.timestamp}
    if with_stack:
        told["stack_trace"] = kept.entry.stack_trace
    return told


def _shortened(told: Dict[str, Any]) -> Dict[str, Any]:
    """One entry too big for any answer, cut so that it fits whatever its characters cost as JSON (at most 12 bytes)."""
    longest = ANSWER_BYTES // 24 - 100
    cut = {name: value[:longest] + " [cut]" if len(value) > longest else value for name, value in told.items()}
    return cut


def _query(params: Mapping[str, Any]) -> Result[_Query, str]:
    max_entries = params.get("max_entries", _DEFAULT_ENTRIES)
    if not isinstance(max_entries, int) or isinstance(max_entries, bool) or not 1 <= max_entries <= _MOST_ENTRIES:
        return Err(f"max_entries must be a whole number from 1 to {_MOST_ENTRIES}")
    types = params.get("types") or []
    if not isinstance(types, list) or any(one not in LOG_TYPES for one in types):
        return Err(f"types must be a list of {', '.join(LOG_TYPES)}")
    contains = params.get("contains") or ""
    since = params.get("since")
    if not isinstance(contains, str) or not (since is None or isinstance(since, str)):
        return Err("contains and since must be text")
    with_stack = params.get("include_stack_trace", True)
    if not isinstance(with_stack, bool):
        return Err("include_stack_trace must be true or false")
    return Ok(_Query(max_entries, tuple(types), contains, with_stack, since))
