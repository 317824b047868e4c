"""Whether what was seen is what a row expects: JSON values. An object may have more members than are expected."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Tuple

from unity_bridge.base.frozen import frozen

_LONGEST_TEXT = 200
_MOST_ITEMS = 10


@frozen
class AtLeast:
    """A number that is not smaller."""

    number: float


@frozen
class AtMost:
    """A number that is not larger."""

    number: float


@frozen
class Holds:
    """A text that has this one in it."""

    text: str


@frozen
class With:
    """A list with an item as expected."""

    item: Any


@frozen
class Without:
    """A list without such an item."""

    item: Any


@frozen
class Size:
    """A list or a text of this length."""

    length: int


@frozen
class OneOf:
    """One of several."""

    values: Tuple[Any, ...]


@frozen
class Absent:
    """The member is not there, or null."""


@frozen
class Present:
    """The member is there, and not null."""


def matches(expected: Any, seen: Any) -> bool:
    """Whether ``seen``, a JSON value, is as expected."""
    if isinstance(expected, Mapping):
        return isinstance(seen, Mapping) and all(matches(value, seen.get(name)) for name, value in expected.items())
    if isinstance(expected, (AtLeast, AtMost)):
        is_number = isinstance(seen, (int, float)) and not isinstance(seen, bool)
        at_least = isinstance(expected, AtLeast)
        return is_number and (seen >= expected.number if at_least else seen <= expected.number)
    if isinstance(expected, Holds):
        return isinstance(seen, str) and expected.text in seen
    if isinstance(expected, With):
        return isinstance(seen, list) and any(matches(expected.item, item) for item in seen)
    if isinstance(expected, Without):
        return isinstance(seen, list) and not any(matches(expected.item, item) for item in seen)
    if isinstance(expected, Size):
        return isinstance(seen, (list, str)) and len(seen) == expected.length
    if isinstance(expected, OneOf):
        return any(matches(value, seen) for value in expected.values)
    if isinstance(expected, (Absent, Present)):
        return (seen is None) == isinstance(expected, Absent)
    if isinstance(expected, (list, tuple)):
        is_list = isinstance(seen, list) and len(seen) == len(expected)
        return is_list and all(matches(one, other) for one, other in zip(expected, seen))
    return type(expected) is type(seen) and bool(expected == seen)


def in_words(expected: Any) -> Any:
    """Return ``expected`` as JSON, for people."""
    if isinstance(expected, Mapping):
        return {name: in_words(value) for name, value in expected.items()}
    if isinstance(expected, (list, tuple)):
        return [in_words(value) for value in expected]
    if isinstance(expected, AtLeast):
        return f"at least {expected.number:g}"
    if isinstance(expected, AtMost):
        return f"at most {expected.number:g}"
    if isinstance(expected, Holds):
        return f"a text with: {expected.text}"
    if isinstance(expected, With):
        return {"a list with": in_words(expected.item)}
    if isinstance(expected, Without):
        return {"a list without": in_words(expected.item)}
    if isinstance(expected, Size):
        return f"{expected.length} items or characters"
    if isinstance(expected, OneOf):
        return {"one of": [in_words(value) for value in expected.values]}
    if isinstance(expected, Absent):
        return "absent"
    return "present" if isinstance(expected, Present) else expected


def bounded(seen: Any, depth: int = 8) -> Any:
    """``seen`` with long texts and lists cut, and binary content left out."""
    if depth == 0:
        return "..."
    if isinstance(seen, Mapping):
        return {name: bounded(value, depth - 1) for name, value in list(seen.items())[:50]}
    if isinstance(seen, (list, tuple)):
        shown = [bounded(value, depth - 1) for value in seen[:_MOST_ITEMS]]
        return shown if len(seen) <= _MOST_ITEMS else [*shown, f"and {len(seen) - _MOST_ITEMS} more"]
    if isinstance(seen, str) and len(seen) > _LONGEST_TEXT:
        return f"{seen[:_LONGEST_TEXT]} (and {len(seen) - _LONGEST_TEXT} more)"
    return seen


def difference(expected: Any, seen: Any, path: str = "") -> Optional[str]:
    """Return the path of the first member that is not as expected; None if all are."""
    if matches(expected, seen):
        return None
    if isinstance(expected, Mapping) and isinstance(seen, Mapping):
        for name, value in expected.items():
            below = difference(value, seen.get(name), f"{path}.{name}" if path else name)
            if below is not None:
                return below
    return path or "all"
