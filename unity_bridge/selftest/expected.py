"""Whether what was seen is what a row expects: JSON values. An object may have more members than
are expected.
"""

from __future__ import annotations

from typing import Any, Callable, Mapping, Optional, Sequence

from unity_bridge.base.frozen import frozen

_LONGEST_TEXT = 200
_MOST_ITEMS = 10


@frozen
class Fits:
    """Stands for each value that ``holds`` accepts; ``words`` says which, as JSON for people."""

    words: Any
    holds: Callable[[Any], bool]


def AtLeast(number: float) -> Fits:
    """Expect a number that is not smaller."""
    return Fits(f"at least {number:g}", lambda seen: _is_number(seen) and seen >= number)


def AtMost(number: float) -> Fits:
    """Expect a number that is not larger."""
    return Fits(f"at most {number:g}", lambda seen: _is_number(seen) and seen <= number)


def Holds(text: str) -> Fits:
    """Expect a text that has this one in it."""
    return Fits(f"a text with: {text}", lambda seen: isinstance(seen, str) and text in seen)


def With(item: Any) -> Fits:
    """Expect a list with an item as expected."""
    return Fits(
        {"a list with": in_words(item)}, lambda seen: isinstance(seen, list) and _has(item, seen)
    )


def Without(item: Any) -> Fits:
    """Expect a list without such an item."""
    return Fits(
        {"a list without": in_words(item)},
        lambda seen: isinstance(seen, list) and not _has(item, seen),
    )


def Size(length: int) -> Fits:
    """Expect a list or a text of this length."""
    return Fits(
        f"{length} items or characters",
        lambda seen: isinstance(seen, (list, str)) and len(seen) == length,
    )


def OneOf(values: Sequence[Any]) -> Fits:
    """Expect one of several."""
    return Fits(
        {"one of": in_words(values)}, lambda seen: any(matches(value, seen) for value in values)
    )


def Absent() -> Fits:
    """Expect that the member is not there, or null."""
    return Fits("absent", lambda seen: seen is None)


def Present() -> Fits:
    """Expect that the member is there, and not null."""
    return Fits("present", lambda seen: seen is not None)


def matches(expected: Any, seen: Any) -> bool:
    """Whether ``seen``, a JSON value, is as expected."""
    if isinstance(expected, Fits):
        return expected.holds(seen)
    if isinstance(expected, Mapping):
        return isinstance(seen, Mapping) and all(
            matches(value, seen.get(name)) for name, value in expected.items()
        )
    if isinstance(expected, (list, tuple)):
        is_list = isinstance(seen, list) and len(seen) == len(expected)
        return is_list and all(matches(one, other) for one, other in zip(expected, seen))
    return type(expected) is type(seen) and bool(expected == seen)


def _is_number(seen: Any) -> bool:
    return isinstance(seen, (int, float)) and not isinstance(seen, bool)


def _has(item: Any, seen: Sequence[Any]) -> bool:
    return any(matches(item, one) for one in seen)


def in_words(expected: Any) -> Any:
    """Return ``expected`` as JSON, for people."""
    if isinstance(expected, Fits):
        return expected.words
    if isinstance(expected, Mapping):
        return {name: in_words(value) for name, value in expected.items()}
    return (
        [in_words(value) for value in expected] if isinstance(expected, (list, tuple)) else expected
    )


def bounded(seen: Any, depth: int = 8) -> Any:
    """``seen`` with long texts and lists cut, and binary content left out."""
    if depth == 0:
        return "..."
    if isinstance(seen, Mapping):
        return {name: bounded(value, depth - 1) for name, value in list(seen.items())[:50]}
    if isinstance(seen, (list, tuple)):
        shown = [bounded(value, depth - 1) for value in seen[:_MOST_ITEMS]]
        return (
            shown if len(seen) <= _MOST_ITEMS else [*shown, f"and {len(seen) - _MOST_ITEMS} more"]
        )
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
