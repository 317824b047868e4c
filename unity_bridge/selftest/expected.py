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
    return Fits(f"at least {number:g}", lambda value: _is_number(value) and value >= number)


def AtMost(number: float) -> Fits:
    """Expect a number that is not larger."""
    return Fits(f"at most {number:g}", lambda value: _is_number(value) and value <= number)


def Holds(text: str) -> Fits:
    """Expect a text that has this one in it."""
    return Fits(f"a text with: {text}", lambda value: isinstance(value, str) and text in value)


def With(item: Any) -> Fits:
    """Expect a list with an item as expected."""
    return Fits(
        {"a list with": in_words(item)}, lambda value: isinstance(value, list) and _has(item, value)
    )


def Without(item: Any) -> Fits:
    """Expect a list without such an item."""
    return Fits(
        {"a list without": in_words(item)},
        lambda value: isinstance(value, list) and not _has(item, value),
    )


def Size(length: int) -> Fits:
    """Expect a list or a text of this length."""
    return Fits(
        f"{length} items or characters",
        lambda value: isinstance(value, (list, str)) and len(value) == length,
    )


def OneOf(values: Sequence[Any]) -> Fits:
    """Expect one of several."""
    return Fits(
        {"one of": in_words(values)}, lambda actual: any(matches(value, actual) for value in values)
    )


def Absent() -> Fits:
    """Expect that the member is not there, or null."""
    return Fits("absent", lambda value: value is None)


def Present() -> Fits:
    """Expect that the member is there, and not null."""
    return Fits("present", lambda value: value is not None)


def matches(expected: Any, actual: Any) -> bool:
    """Whether ``actual``, a JSON value, is as expected."""
    if isinstance(expected, Fits):
        return expected.holds(actual)
    if isinstance(expected, Mapping):
        return isinstance(actual, Mapping) and all(
            matches(value, actual.get(name)) for name, value in expected.items()
        )
    if isinstance(expected, (list, tuple)):
        is_list = isinstance(actual, list) and len(actual) == len(expected)
        return is_list and all(
            matches(expected_item, actual_item)
            for expected_item, actual_item in zip(expected, actual)
        )
    return type(expected) is type(actual) and bool(expected == actual)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _has(item: Any, items: Sequence[Any]) -> bool:
    return any(matches(item, member) for member in items)


def in_words(expected: Any) -> Any:
    """Return ``expected`` as JSON, for people."""
    if isinstance(expected, Fits):
        return expected.words
    if isinstance(expected, Mapping):
        return {name: in_words(value) for name, value in expected.items()}
    if isinstance(expected, (list, tuple)):
        return [in_words(value) for value in expected]
    return expected


def bounded(content: Any, depth: int = 8) -> Any:
    """``content`` with long texts and lists cut, and binary content left out."""
    if depth == 0:
        return "..."
    if isinstance(content, Mapping):
        return {name: bounded(value, depth - 1) for name, value in list(content.items())[:50]}
    if isinstance(content, (list, tuple)):
        items = [bounded(value, depth - 1) for value in content[:_MOST_ITEMS]]
        if len(content) <= _MOST_ITEMS:
            return items
        return [*items, f"and {len(content) - _MOST_ITEMS} more"]
    if isinstance(content, str) and len(content) > _LONGEST_TEXT:
        return f"{content[:_LONGEST_TEXT]} (and {len(content) - _LONGEST_TEXT} more)"
    return content


def difference(expected: Any, actual: Any, path: str = "") -> Optional[str]:
    """Return the path of the first member that is not as expected; None if all are."""
    if matches(expected, actual):
        return None
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        for name, value in expected.items():
            member_path = name
            if path:
                member_path = f"{path}.{name}"
            below = difference(value, actual.get(name), member_path)
            if below is not None:
                return below
    return path or "all"
