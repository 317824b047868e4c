"""``wait_for``: ends when one condition holds, which is checked in each frame (SPEC §16.5)."""

from __future__ import annotations

import operator
from typing import Any, Callable, Dict, Mapping, Optional, Tuple

from unity_bridge.base.errors import ErrorCode
from unity_bridge.base.result import Err, Ok
from unity_bridge.simulator.change import Change, NotDone
from unity_bridge.simulator.commands import Value
from unity_bridge.simulator.job import Refusal, refused
from unity_bridge.simulator.player import FRAMES_PER_SECOND
from unity_bridge.simulator.project import LOG_TYPES
from unity_bridge.simulator.unity_api import UnityApi
from unity_bridge.simulator.world import Node

_MOST_MS = 600_000
_ORDERS: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def begin(
    editor: UnityApi,
    frames: Optional[int],
    seconds: Optional[float],
    path: Optional[str],
    exists: bool,
    field: Optional[str],
    op: str,
    value: Any,
    log: Optional[str],
    type: Optional[str],
    within_ms: int,
) -> Value:
    """Return what is compared with later; or why this is no condition."""
    numbers = [one for one in (frames, seconds) if one is not None]
    fault = ""
    if len(numbers) + sum(1 for one in (path, log) if one is not None) != 1:
        fault = "Give one condition: frames, seconds, path or log."
    elif not 1 <= within_ms <= _MOST_MS or any(number <= 0 for number in numbers):
        fault = f"within_ms is 1 to {_MOST_MS}; frames and seconds are more than 0."
    elif (field is not None and not (path and exists)) or (field is None and (op, value) != ("==", None)):
        fault = "field goes with path, and op and value with field; exists: false takes no field."
    elif type is not None and (log is None or type not in LOG_TYPES):
        fault = f"type goes with log, and is one of {', '.join(LOG_TYPES)}."
    elif op not in ("==", "!=", "changed", *_ORDERS) or (op in _ORDERS and not isinstance(value, (int, float))):
        fault = "op is ==, !=, changed, or with a number <, <=, > and >=."
    if fault:
        return Err(Refusal(ErrorCode.INVALID_PARAMS, fault))
    if numbers and not editor.is_playing:
        return Err(refused("not_playing", "The editor is not in play mode. Enter it, then wait again."))
    first = _field(editor, path, field)[0] if path and field else None
    began = {"frame": editor.player.frame, "since": editor.console.cursor(), "plays": editor.is_playing, "first": first}
    return Ok(began)


def ended(editor: UnityApi, began: Mapping[str, Any], ms: int, is_reloaded: bool, **asked: Any) -> Optional[Any]:
    """Return the result, once the condition holds or cannot hold any more; until then None."""
    is_met, missing, seen = _look(editor, began, **asked)
    reason = missing if ms >= asked["within_ms"] else None
    if is_reloaded or (began["plays"] and not editor.is_playing):
        is_met, reason = False, "reloaded" if is_reloaded else "not_playing"
    elif asked["seconds"] is not None and editor.player.is_paused:
        reason = "not_advancing"
    if not is_met and reason is None:
        return None
    moment = editor.player.moment() if editor.is_playing else {}
    result: Dict[str, Any] = {"met": is_met, "waited_ms": ms, **moment, **seen}
    return result if is_met or not reason else {**result, "reason": reason}


def _look(editor: UnityApi, began: Mapping[str, Any], **asked: Any) -> Tuple[bool, str, Dict[str, Any]]:
    """Whether it holds, what is missing, and the field's value."""
    if asked["log"] is not None:
        new = [one.entry for one in editor.console.read(began["since"]).kept]
        kinds, text = (asked["type"],) if asked["type"] else (), asked["log"].lower()
        return any(text in one.message.lower() and (not kinds or one.type in kinds) for one in new), "", {}
    if asked["path"] is None:
        frames = asked["frames"] or asked["seconds"] * FRAMES_PER_SECOND
        return editor.player.frame - began["frame"] >= frames, "", {}
    if asked["field"] is not None:
        value, missing = _field(editor, asked["path"], asked["field"])
        seen = {} if missing else {"value": value}
        return not missing and _compares(value, asked["op"], asked["value"], began["first"]), missing, seen
    found = editor.content.find(asked["path"])
    there = isinstance(found, Ok)
    is_active = there and not (isinstance(found, Ok) and isinstance(found.value, Node) and not found.value.is_active)
    missing = found.error if isinstance(found, Err) else f"'{asked['path']}' is there, and is not active."
    return is_active == asked["exists"], missing if asked["exists"] else "", {}


def _field(editor: UnityApi, path: str, field: str) -> Tuple[Any, str]:
    """Its value; or what is missing."""
    try:
        return Change(editor).read(path, field), ""
    except NotDone as why:
        return None, str(why).replace(" Nothing was changed.", "")


def _compares(value: Any, op: str, wanted: Any, first: Any) -> bool:
    if op in _ORDERS:
        return type(value) in (int, float) and _ORDERS[op](value, wanted)
    if op == "changed":
        return bool(value != first)
    is_equal = value == wanted or (isinstance(value, dict) and isinstance(wanted, str) and value.get("path") == wanted)
    return is_equal == (op == "==")
