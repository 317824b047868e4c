"""``read_console``: the newest entries of the console, oldest first (SPEC §8)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Tuple

from unity_bridge.base.errors import ErrorCode
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.simulator.console import Kept, is_cursor
from unity_bridge.simulator.job import Refusal
from unity_bridge.simulator.project import LOG_TYPES, Entry
from unity_bridge.simulator.unity_api import UnityApi

# Room for the envelope below the contract's 1 MiB.
ANSWER_BYTES = 900_000
_DEFAULT_ENTRIES = 200
_MOST_ENTRIES = 2000


@dataclass(frozen=True)
class _Query:
    max_entries: int
    types: Tuple[str, ...]
    contains: str
    include_stack_trace: bool
    since: str


class ReadConsole:
    """The tool."""

    name = "read_console"

    def __init__(self, editor: UnityApi) -> None:
        self._console = editor.console

    def answer(self, params: Mapping[str, Any]) -> Result[Dict[str, Any], Refusal]:
        """``{entries, count, truncated, next_cursor}``; ``Err`` says which parameter is wrong."""
        asked = _query(params)
        if isinstance(asked, Err):
            return Err(Refusal(ErrorCode.INVALID_PARAMS, asked.error))
        query = asked.value
        reading = self._console.read(query.since)
        matching = [one for one in reading.kept if _matches(one.entry, query)]
        entries = _fitting(matching[-query.max_entries :], query.include_stack_trace)
        return Ok(
            {
                "entries": entries,
                "count": len(matching),
                "truncated": reading.is_gapped or len(entries) < len(matching),
                "next_cursor": reading.next_cursor,
            }
        )


def _matches(entry: Entry, query: _Query) -> bool:
    # Case does not count, as in the search field of Unity's console window.
    return (not query.types or entry.type in query.types) and query.contains.lower() in entry.message.lower()


def _fitting(newest: List[Kept], with_stack: bool) -> List[Dict[str, Any]]:
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


def _told(kept: Kept, with_stack: bool) -> Dict[str, Any]:
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
    contains, since = params.get("contains") or "", params.get("since") or ""
    if not isinstance(contains, str) or not isinstance(since, str):
        return Err("contains and since must be text")
    if since and not is_cursor(since):
        return Err("since must be the next_cursor of an earlier answer")
    with_stack = params.get("include_stack_trace", True)
    if not isinstance(with_stack, bool):
        return Err("include_stack_trace must be true or false")
    return Ok(_Query(max_entries, tuple(types), contains, with_stack, since))


TOOL = ReadConsole
