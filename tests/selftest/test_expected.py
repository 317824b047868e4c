"""What a row expects, and what was seen."""

from __future__ import annotations

from typing import Any

import pytest

from unity_bridge.selftest.expected import (
    Absent,
    AtLeast,
    AtMost,
    Holds,
    OneOf,
    Present,
    Size,
    With,
    Without,
    bounded,
    difference,
    in_words,
    matches,
)


@pytest.mark.parametrize(
    ("expected", "seen", "fits"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, True),
        ({"a": 1}, {"b": 2}, False),
        ({"a": 1}, None, False),
        (1, True, False),
        (1, 1.0, False),
        ([1, 2], [1, 2], True),
        ([1], [1, 2], False),
        (AtLeast(2), 2, True),
        (AtLeast(2), True, False),
        (AtLeast(2), None, False),
        (AtMost(2), 3, False),
        (Holds("b"), "abc", True),
        (Holds("b"), None, False),
        (With({"a": 1}), [{"a": 2}, {"a": 1}], True),
        (With(1), [], False),
        (Without(1), [2], True),
        (Without(1), None, False),
        (Size(0), [], True),
        (Size(1), None, False),
        (OneOf((None, 0)), 0, True),
        (OneOf((None, 0)), 1, False),
        (Absent(), None, True),
        (Absent(), False, False),
        (Present(), False, True),
        (Present(), None, False),
        ({"a": Absent()}, {}, True),
    ],
)
def test_matching(expected: Any, seen: Any, fits: bool) -> None:
    assert matches(expected, seen) is fits


def test_the_difference_names_the_first_member_that_does_not_fit() -> None:
    assert difference({"a": {"b": 1, "c": 2}}, {"a": {"b": 1, "c": 3}}) == "a.c"
    assert difference({"a": {"b": 1}}, {}) == "a"
    assert difference(1, 2) == "all"
    assert difference({"a": 1}, {"a": 1}) is None


def test_expectations_are_json_for_people() -> None:
    assert in_words(
        {"a": AtLeast(2), "b": [Holds("x"), Absent()], "c": With(1), "d": OneOf((1, None))}
    ) == {
        "a": "at least 2",
        "b": ["a text with: x", "absent"],
        "c": {"a list with": 1},
        "d": {"one of": [1, None]},
    }


def test_the_observed_value_is_bounded() -> None:
    seen = bounded(
        {"text": "x" * 500, "list": list(range(30)), "deep": {"a": {"b": {"c": 1}}}}, depth=3
    )
    assert seen["text"] == "x" * 200 + " (and 300 more)"
    assert seen["list"][-1] == "and 20 more"
    assert seen["deep"] == {"a": {"b": "..."}}
