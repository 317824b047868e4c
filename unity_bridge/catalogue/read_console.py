"""``read_console``: the entries of Unity's console (SPEC §8)."""

from __future__ import annotations

import re
from operator import is_
from typing import Any, List, Tuple

from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.catalogue.answer_limits import LONG, SHORT, Fitting, leave_out, texts
from unity_bridge.catalogue.readable_result import ReadingRules
from unity_bridge.catalogue.schema import (
    COUNT,
    FLAG,
    TEXT,
    TEXT_OR_NULL,
    list_of,
    object_of,
    switch,
    text,
    whole,
)
from unity_bridge.catalogue.tool import named, read_tool
from unity_bridge.text.json_types import JsonDict, JsonObject

# How plugins end a message that they have cut: what was asked for may stand behind it.
_CUT = "more characters)"
_TYPES = ["log", "warning", "error", "assert", "exception"]
_MOST_ENTRIES = 2000
_STACK_LINES = 5
_ENTRY = {
    "type": {"enum": _TYPES},
    "message": TEXT,
    "stack_trace": TEXT_OR_NULL,
    "repeated": COUNT,
    "cursor": TEXT,
}
_WITH_FEWER = "Ask for fewer entries with max_entries and contains to see them whole."
# In the JSON of a result. Text of a message cannot match: JSON puts a backslash before each of its
# quotation marks.
_TIMESTAMP = r'"timestamp":"\d{4}-\d\d-\d\dT(\d\d:\d\d:\d\d)[.\d]*(?:Z|[+-]\d\d:?\d\d)?"'


def as_asked(params: JsonObject, result: JsonDict) -> Result[JsonDict, str]:
    """Return the newest of the entries that were asked for, whatever the plugin sent.

    Plugins may ignore ``types``, ``contains``, ``include_stack_trace`` and ``max_entries``; the answer is then made
    here. A cursor is the plugin's own: one that gives none cannot have heeded ``since``.
    """
    if params.get("since") is not None and "next_cursor" not in result:
        return Err("the plugin does not know 'since': leave it out")
    received: List[JsonDict] = result["entries"]
    is_for_some = params.get("types") or params.get("contains")
    matching = [entry for entry in received if _matches(params, entry)] if is_for_some else received
    entries = matching
    if params.get("include_stack_trace") is False:
        entries = [_without_stack(entry) for entry in entries]
    whole = _folded(entries)
    folded = whole[-int(params["max_entries"]) :]
    if len(folded) == len(received) and all(map(is_, folded, received)):
        return Ok(result)
    # The plugin counted what it did not leave out.
    count = len(matching) if len(matching) < len(received) else max(result["count"], len(matching))
    # What a plugin that does not filter has beyond the most that it can be asked for may match too.
    is_unfiltered = len(matching) < len(received) or len(received) > params["max_entries"]
    may_go_on = bool(is_for_some) and is_unfiltered and len(received) >= _MOST_ENTRIES
    is_cut = result["truncated"] or may_go_on or len(folded) < len(whole)
    return Ok({**result, "entries": folded, "count": count, "truncated": is_cut})


def unfiltered(params: JsonObject) -> JsonObject:
    """Ask a plugin that may not filter for all that it has: the newest entries may be others than
    the client wants.
    """
    is_for_some = params.get("types") or params.get("contains")
    if is_for_some:
        return {**params, "max_entries": _MOST_ENTRIES}
    return params


def _folded(entries: List[JsonDict]) -> List[JsonDict]:
    """Equal entries that follow one another as the newest of them, with ``repeated``: how many they
    are.
    """
    folded: List[JsonDict] = []
    previous: JsonDict = {"message": None}
    for entry in entries:
        if entry["message"] == previous["message"] and _text_of(entry) == _text_of(previous):
            previous = folded[-1] = {
                **entry,
                "repeated": previous.get("repeated", 1) + entry.get("repeated", 1),
            }
        else:
            previous = entry
            folded.append(entry)
    return folded


def _text_of(entry: JsonObject) -> Tuple[Any, ...]:
    return entry["type"], entry["message"], entry.get("stack_trace")


def as_text(_: JsonObject, json: str) -> str:
    """Return the result as the text for a model: times of day, because the newest entries are of
    one day.
    """
    return re.sub(_TIMESTAMP, r'"timestamp":"\1"', json)


def as_shown(_: JsonObject, result: JsonDict) -> JsonDict:
    """Return the result without the cursors of its entries, from which ``next_cursor`` is made
    (SPEC §8.7).
    """
    entries = result.get("entries", ())
    if not any("cursor" in entry for entry in entries):
        return result
    rows = [{name: value for name, value in entry.items() if name != "cursor"} for entry in entries]
    return {**result, "entries": rows}


def _short_stacks(fitting: Fitting) -> None:
    entries = [_with_short_stack(entry) for entry in fitting.rows("entries")]
    if entries != fitting.rows("entries"):
        fitting.put(entries=entries)
        fitting.remarks["stacks"] = (
            f"Of stack traces only the first {_STACK_LINES} lines are here. {_WITH_FEWER}"
        )


def _with_short_stack(entry: JsonDict) -> JsonDict:
    lines = (entry.get("stack_trace") or "").rstrip("\n").split("\n")
    if len(lines) <= _STACK_LINES:
        return entry
    short = [*lines[:_STACK_LINES], f"... ({len(lines) - _STACK_LINES} more lines)"]
    return {**entry, "stack_trace": "\n".join(short)}


def _some_entries(fitting: Fitting) -> None:
    """Keep the newest entries; with ``since`` the oldest, so that the next call continues after
    them.
    """
    entries = fitting.rows("entries")
    has_cursors = all(isinstance(entry.get("cursor"), str) for entry in entries)
    goes_on = fitting.params.get("since") is not None and has_cursors

    def members_with(count: int) -> JsonObject:
        if goes_on:
            return {"entries": entries[:count], "next_cursor": entries[count - 1]["cursor"]}
        return {"entries": entries[-count:], "truncated": True}

    newer = "Newer entries were left out: call again with since: next_cursor."
    older = "Older entries were left out: ask with a smaller max_entries, types or contains."
    advice = older
    if goes_on:
        advice = newer
    leave_out(fitting, "entries", len(entries), members_with, advice)


def _matches(params: JsonObject, entry: JsonObject) -> bool:
    types, text = params.get("types"), params.get("contains")
    if types and entry["type"] not in types:
        return False
    return not text or _contains(entry["message"], text) or entry["message"].endswith(_CUT)


def _contains(message: str, text: str) -> bool:
    # Case does not count, as in the search field of Unity's console. Systems differ in what they
    # take for a case.
    return text.casefold() in message.casefold() or text.upper() in message.upper()


def _without_stack(entry: JsonDict) -> JsonDict:
    if not entry.get("stack_trace"):
        return entry
    return {name: value for name, value in entry.items() if name != "stack_trace"}


TOOL = read_tool(
    name="read_console",
    rank=3,
    other_names=named(
        max_entries=("count", "limit", "lines", "max", "max_count"),
        types=("log_type", "type", "level", "severity"),
        contains=("filter", "search", "query", "text"),
        since=("cursor",),
        include_stack_trace=("stack_trace",),
    ),
    other_words={
        "types": {**{f"{word}s": word for word in _TYPES}, "info": "log", "assertion": "assert"}
    },
    not_here={"clear": 'run_command with name: "clear_console" empties the console.'},
    title="Read Unity console",
    description=(
        "Reads what Unity has logged: the newest entries, oldest first; repeated: so often. Errors of edits show up "
        "after compile, which answers with them itself."
    ),
    arguments={
        "max_entries": whole(1, _MOST_ENTRIES, "Newest ones.", 50),
        "types": {**list_of({**TEXT, "enum": _TYPES}), "description": "Only these."},
        "contains": text("Only messages with this text."),
        "include_stack_trace": switch("Where it was logged."),
        "since": text("next_cursor of an earlier answer: only newer entries."),
    },
    output_schema=object_of(
        {
            "entries": list_of(object_of(_ENTRY, ("type", "message"))),
            "count": COUNT,
            "truncated": FLAG,
            "next_cursor": TEXT,
            "restarted": FLAG,
        },
        ("entries", "count", "truncated"),
    ),
    as_asked=as_asked,
    # An entry of a type that nobody knows is not passed over as harmless.
    reading=ReadingRules(
        verdicts={"entries": [], "entries[].type": "error"}, counts={"count": "entries"}
    ),
    as_shown=as_shown,
    gives_way=(
        texts(LONG, "entries", but=("stack_trace",), advice=_WITH_FEWER),
        texts(SHORT, "entries", but=("stack_trace",), advice=_WITH_FEWER),
        _short_stacks,
        _some_entries,
    ),
    unfiltered=unfiltered,
    as_text=as_text,
    is_in_every_plugin=True,
    always_load=True,
)
