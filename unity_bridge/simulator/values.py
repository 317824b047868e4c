"""Values for fields: one fits if it has the form of the present one, and nothing is guessed or rounded (SPEC §16.5)."""

from __future__ import annotations

import copy
import json
import math
from typing import Any, Callable, Dict, Iterable, Sequence, Tuple, Union

_AXES = {"Vector2": "xy", "Vector3": "xyz", "Vector4": "xyzw", "Quaternion": "xyzw", "Color": "rgba"}

# A step from a value into it: the index of an element, or the name of a member.
Step = Union[int, str]
# ``(path)``: what a field that refers to it holds, and the types that it can be taken for.
Find = Callable[[str], Tuple[Dict[str, Any], Iterable[str]]]


class Unfit(Exception):
    """Why a value cannot be set."""


def part_of(name: str, value: Any, steps: Sequence[Step]) -> Any:
    """Return a value's element or member; raises ``Unfit`` if it has none."""
    for step in steps:
        if isinstance(step, int) and isinstance(value, list) and step >= len(value):
            raise Unfit(f"{name} has {len(value)} elements; [{step}] is not one of them.")
        if not (isinstance(value, list) if isinstance(step, int) else isinstance(value, dict) and step in value):
            raise Unfit(f"{name} has no part '{step}'.")
        value = value[step]
    return value


def with_part(value: Any, steps: Sequence[Step], new: Any) -> Any:
    """Return a copy of a value with another element or member."""
    if not steps:
        return new
    whole = copy.copy(value)
    whole[steps[0]] = with_part(value[steps[0]], steps[1:], new)
    return whole


def kind_of_part(kind: str, part: Any, steps: Sequence[Step]) -> str:
    """Return the type of a part of a field of a type."""
    if not steps:
        return kind
    if kind.endswith("[]") and len(steps) == 1:
        return kind[:-2]
    return {bool: "bool", int: "float", float: "float", str: "string"}.get(type(part), "")


def converted(name: str, kind: str, now: Any, value: Any, find: Find) -> Any:
    """Return the value in the form of the present one; raises ``Unfit``."""

    def unfit(must_be: str) -> Unfit:
        return Unfit(f"{name} must be {must_be}. It is of type {kind} and is {_shown(now)} now.")

    if value == now and isinstance(value, bool) == isinstance(now, bool):
        return now
    if kind.endswith("[]"):
        if not isinstance(value, list):
            raise unfit(f"a list, not {_shown(value)}")
        empty = dict.fromkeys(_AXES[kind[:-2]], 0) if kind[:-2] in _AXES else None
        old = [*(now or []), *[empty] * len(value)]
        return [converted(f"{name}[{n}]", kind[:-2], old[n], one, find) for n, one in enumerate(value)]
    if kind in ("int", "float"):
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            raise unfit(f"a number, not {_shown(value)}")
        if kind == "int" and not (float(value).is_integer() and abs(value) < 2**31):
            raise unfit("a whole number")
        return int(value) if kind == "int" else value
    if kind in ("bool", "string"):
        if not isinstance(value, bool if kind == "bool" else str) or (value == "" and name == "GameObject.m_Name"):
            raise unfit(f"{'true or false' if kind == 'bool' else 'a text'}, not {_shown(value)}")
        return value
    if kind in _AXES:
        if not isinstance(value, dict) or not set(value) <= set(now):
            raise unfit(f"an object with {', '.join(now)}, not {_shown(value)}")
        return {**now, **{one: converted(f"{name}.{one}", "float", now[one], value[one], find) for one in value}}
    path = value.get("id") or value.get("path") if isinstance(value, dict) else value
    if not isinstance(path, (str, type(None))):
        raise unfit(f"null, a path or id, or an object with path or id, of a {kind}, not {_shown(value)}")
    if path is None:
        return None
    reference, types = find(path)
    if kind not in types:
        raise unfit(f"a reference to a {kind}, not {path}")
    return {**reference, "type": kind} if reference["type"] == "GameObject" else reference


def turned(degrees: Dict[str, float]) -> Dict[str, float]:
    """Return the rotation about the axes z, x and y, in this order, as a quaternion."""
    half = {axis: math.radians(degrees[axis]) / 2 for axis in "xyz"}
    sx, sy, sz = (math.sin(half[axis]) for axis in "xyz")
    cx, cy, cz = (math.cos(half[axis]) for axis in "xyz")
    numbers = (
        cy * sx * cz + sy * cx * sz,
        sy * cx * cz - cy * sx * sz,
        cy * cx * sz - sy * sx * cz,
        cy * cx * cz + sy * sx * sz,
    )
    return dict(zip("xyzw", [round(number, 7) for number in numbers]))


def _shown(value: Any) -> str:
    return json.dumps(value)[:200]
