"""``read_console``: the newest entries of the console, oldest first (SPEC §8). The server folds
equal ones.
"""

from __future__ import annotations

from unity_bridge.base.errors import ErrorCode
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.simulator.console import Kept, is_cursor
from unity_bridge.simulator.job import Parameters, Refusal
from unity_bridge.simulator.paging import rows_that_fit
from unity_bridge.simulator.project import LOG_TYPES
from unity_bridge.simulator.unity_api import UnityApi
from unity_bridge.text.json_types import JsonDict, JsonObject

# Room for the envelope below the contract's 1 MiB.
ANSWER_BYTES = 900_000


class ReadConsole:
    """The tool."""

    name = "read_console"
    parameters: Parameters = {
        "max_entries": 200,
        "types": (),
        "contains": "",
        "since": "",
        "include_stack_trace": True,
    }

    def __init__(self, editor: UnityApi) -> None:
        self._console = editor.console

    def answer(self, params: JsonObject) -> Result[JsonDict, Refusal]:
        """``{entries, count, truncated, next_cursor, restarted?}``."""
        since, types, contains = (
            params["since"],
            params["types"] or LOG_TYPES,
            params["contains"].lower(),
        )
        if since and not is_cursor(since):
            return Err(
                Refusal(
                    ErrorCode.INVALID_PARAMS, "since must be the next_cursor of an earlier answer"
                )
            )
        reading = self._console.read(since)
        # Case does not count, as in the search field of Unity's console window.
        matching = [
            row
            for row in reading.kept
            if row.entry.type in types and contains in row.entry.message.lower()
        ]
        session = reading.next_cursor.rpartition(":")[0]
        newest = [
            _as_answered(entry, params["include_stack_trace"], session)
            for entry in reversed(matching[-params["max_entries"] :])
        ]
        entries = newest[: rows_that_fit(newest, ANSWER_BYTES)][::-1]
        answer: JsonDict = {
            "entries": entries,
            "count": len(matching),
            "truncated": reading.is_gapped or len(entries) < len(matching),
            "next_cursor": reading.next_cursor,
        }
        result = answer
        if reading.is_of_another_editor:
            result = {**answer, "restarted": True}
        return Ok(result)


def _as_answered(row: Kept, with_stack: bool, session: str) -> JsonDict:
    answered: JsonDict = {"type": row.entry.type, "message": row.entry.message}
    answered["cursor"] = f"{session}:{row.seq}"
    if with_stack:
        answered["stack_trace"] = row.entry.stack_trace
    return answered


TOOL = ReadConsole
