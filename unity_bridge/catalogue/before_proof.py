"""What a plugin without proof is asked for, and a server without proof may ask for (SPEC §17.2).

One list of tools, their parameters, and the values of those: what is not in it is closed. The plugin's side of it is
``BeforeProof.cs``.
"""

from __future__ import annotations

from typing import Any, Mapping, Optional

from unity_bridge.text.json_types import JsonDict, JsonObject

_ANYTHING = object()
_OPEN: Mapping[str, JsonObject] = {
    "read_console": dict.fromkeys(
        ("max_entries", "types", "contains", "include_stack_trace", "since"), _ANYTHING
    ),
    "run_tests": {
        **dict.fromkeys(("mode", "filter", "include_passed"), _ANYTHING),
        "refresh": False,
    },
}
_NOTHING_COMPILED = (
    "Nothing was compiled before the tests: "
    "plugin and server have not proved to each other that they run as one user."
)


def is_open(tool: str, name: str, value: Any) -> bool:
    allowed = _OPEN.get(tool, {}).get(name)
    return allowed is _ANYTHING or (allowed is not None and value is allowed)


def what_is_closed(tool: str, params: JsonObject, defaults: JsonObject) -> Optional[str]:
    """Return the tool, or the tool and the parameter, that is closed, or None; a default is no wish
    of the client's.
    """
    if tool not in _OPEN:
        return tool
    closed_arguments = (
        name for name, value in params.items() if name not in defaults or value != defaults[name]
    )
    closed = next(
        (name for name in closed_arguments if not is_open(tool, name, params[name])), None
    )
    if closed is None:
        return None
    return f"{tool} with {closed}"


def as_sent(tool: str, params: JsonObject, lists_tools: bool) -> JsonDict:
    """Return what of ``params`` is sent. One that lists its tools gets the only value that is open,
    too.
    """
    sent = {name: value for name, value in params.items() if is_open(tool, name, value)}
    fixed = {name: value for name, value in _OPEN.get(tool, {}).items() if value is not _ANYTHING}
    if lists_tools:
        return {**sent, **fixed}
    return {name: value for name, value in sent.items() if name not in fixed}


def as_reported(result: JsonDict) -> JsonDict:
    """Return the result of tests of which nobody knows whether they were of the newest code."""
    remarks = [*result.get("remarks", []), _NOTHING_COMPILED]
    if "code_fresh" in result:
        return {**result, "code_fresh": None, "remarks": remarks}
    return result
