"""``read_console``: the entries of Unity's console (SPEC §8)."""

from __future__ import annotations

from operator import is_
from typing import Any, Dict, List, Mapping

from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.catalogue.tool import COUNT, LOG_TYPES, TEXT, TEXT_OR_NULL, object_of, read_tool

# How plugins end a message that they have cut: what was asked for may stand behind it.
_CUT = "more characters)"


def as_asked(params: Mapping[str, Any], result: Dict[str, Any]) -> Result[Dict[str, Any], str]:
    """The newest of the entries that were asked for, whatever the plugin sent.

    Plugins may ignore ``types``, ``contains``, ``include_stack_trace`` and ``max_entries``; the answer is then made
    here. A cursor is the plugin's own: one that gives none cannot have heeded ``since``.
    """
    if params.get("since") is not None and "next_cursor" not in result:
        return Err("the plugin does not know 'since': leave it out")
    told: List[Dict[str, Any]] = result["entries"]
    is_for_some = params.get("types") or params.get("contains")
    matching = [entry for entry in told if _matches(params, entry)] if is_for_some else told
    entries = matching[-int(params["max_entries"]) :]
    if params.get("include_stack_trace") is False:
        entries = [_without_stack(entry) for entry in entries]
    if len(entries) == len(told) and all(map(is_, entries, told)):
        return Ok(result)
    # The plugin counted what it did not leave out.
    count = len(matching) if len(matching) < len(told) else max(result["count"], len(matching))
    is_cut = result["truncated"] or len(entries) < len(matching)
    return Ok({**result, "entries": entries, "count": count, "truncated": is_cut})


def _matches(params: Mapping[str, Any], entry: Mapping[str, Any]) -> bool:
    types, text = params.get("types"), params.get("contains")
    if types and entry["type"] not in types:
        return False
    return not text or _contains(entry["message"], text) or entry["message"].endswith(_CUT)


def _contains(message: str, text: str) -> bool:
    # Case does not count, as in the search field of Unity's console. Systems differ in what they take for a case.
    return text.casefold() in message.casefold() or text.upper() in message.upper()


def _without_stack(entry: Dict[str, Any]) -> Dict[str, Any]:
    if not entry.get("stack_trace"):
        return entry
    return {name: value for name, value in entry.items() if name != "stack_trace"}


TOOL = read_tool(
    name="read_console",
    rank=3,
    title="Read Unity console",
    description=(
        "Reads what Unity has logged: the newest entries, oldest first. since: the next_cursor of an earlier answer, "
        "for only what is newer. Errors of edits show up after compile, which answers with them itself."
    ),
    arguments={
        "max_entries": {"type": "integer", "minimum": 1, "maximum": 2000, "default": 200},
        "types": {"type": "array", "items": {"enum": LOG_TYPES}},
        "contains": {"type": "string", "description": "Only messages with this text."},
        "include_stack_trace": {"type": "boolean", "default": False},
        "since": TEXT,
    },
    output_schema=object_of(
        {
            "entries": {
                "type": "array",
                "items": object_of(
                    {"type": {"enum": LOG_TYPES}, "message": TEXT, "stack_trace": TEXT_OR_NULL},
                    ("type", "message"),
                ),
            },
            "count": COUNT,
            "truncated": {"type": "boolean"},
            "next_cursor": TEXT,
        },
        ("entries", "count", "truncated"),
    ),
    as_asked=as_asked,
    is_in_every_plugin=True,
    always_load=True,
)
