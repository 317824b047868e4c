"""``read_console``: the newest entries of the console, oldest first (SPEC §8)."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Mapping, Optional

from unity_bridge.base.frozen import changed
from unity_bridge.base.result import Ok, Result
from unity_bridge.simulator.console import Kept, is_cursor
from unity_bridge.simulator.job import Refusal
from unity_bridge.simulator.parameters import Parameters, flag, text, texts, whole
from unity_bridge.simulator.project import LOG_TYPES, Entry
from unity_bridge.simulator.unity_api import UnityApi

# Room for the envelope below the contract's 1 MiB.
ANSWER_BYTES = 900_000


class ReadConsole:
    """The tool."""

    name = "read_console"
    parameters: Parameters = {
        "max_entries": whole(200, 1, 2000),
        "types": texts(LOG_TYPES),
        "contains": text(),
        "since": text("", lambda value: not value or is_cursor(value), "the next_cursor of an earlier answer"),
        "include_stack_trace": flag(True),
    }

    def __init__(self, editor: UnityApi) -> None:
        self._console = editor.console

    def answer(self, params: Mapping[str, Any]) -> Result[Dict[str, Any], Refusal]:
        """``{entries, count, truncated, next_cursor, restarted?}``."""
        types, contains = params["types"] or LOG_TYPES, params["contains"].lower()
        reading = self._console.read(params["since"])
        # Case does not count, as in the search field of Unity's console window.
        matching = [one for one in reading.kept if one.entry.type in types and contains in one.entry.message.lower()]
        entries = _fitting(
            _folded(matching, params["include_stack_trace"], reading.next_cursor.rpartition(":")[0])[
                -params["max_entries"] :
            ]
        )
        shown = sum(entry.get("repeated", 1) for entry in entries)
        answer: Dict[str, Any] = {
            "entries": entries,
            "count": len(matching),
            "truncated": reading.is_gapped or shown < len(matching),
            "next_cursor": reading.next_cursor,
        }
        return Ok({**answer, "restarted": True} if reading.is_of_another_editor else answer)


def _folded(matching: List[Kept], with_stack: bool, session: str) -> List[Dict[str, Any]]:
    """Return the entries as they are answered; of equal ones that follow one another, only the newest."""
    entries: List[Dict[str, Any]] = []
    before: Optional[Entry] = None
    for kept in matching:
        entry = kept.entry if with_stack else changed(kept.entry, stack_trace="")
        answered = _as_answered(kept, with_stack, session)
        if entry == before:
            entries[-1] = {**answered, "repeated": entries[-1].get("repeated", 1) + 1}
        else:
            entries.append(answered)
        before = entry
    return entries


def _fitting(newest: List[Dict[str, Any]]) -> List[Dict[str, Any]]:
    """As many of the newest entries as one answer can carry, oldest first."""
    entries: List[Dict[str, Any]] = []
    room = ANSWER_BYTES
    for answered in reversed(newest):
        size = len(json.dumps(answered)) + 2
        if size > room:
            if entries:
                break
            answered = _shortened(answered)
            size = room
        entries.append(answered)
        room -= size
    entries.reverse()
    return entries


def _as_answered(kept: Kept, with_stack: bool, session: str) -> Dict[str, Any]:
    answered: Dict[str, Any] = {"type": kept.entry.type, "message": kept.entry.message}
    answered["cursor"] = f"{session}:{kept.seq}"
    if with_stack:
        answered["stack_trace"] = kept.entry.stack_trace
    return answered


def _shortened(answered: Dict[str, Any]) -> Dict[str, Any]:
    """One entry too big for any answer, cut so that it fits whatever its characters cost as JSON (at most 12 bytes)."""
    longest = ANSWER_BYTES // 24 - 100
    cut = {
        name: value[:longest] + " [cut]" if isinstance(value, str) and len(value) > longest else value
        for name, value in answered.items()
    }
    return cut


TOOL = ReadConsole
