"""What of a console was asked for, whatever the plugin sent (SPEC §20.3)."""

from __future__ import annotations

import copy
import json
from typing import Any, Dict, List

import pytest

from unity_bridge.base.result import Err, Ok
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.catalogue.read_console import as_asked, as_text
from unity_bridge.catalogue.request_validator import RequestValidator
from unity_bridge.text.json_writer import compact

VALIDATOR = RequestValidator()


def entry(
    type: str, message: str, stack_trace: Any = "at A.B () (at Assets/A.cs:1)"
) -> Dict[str, Any]:
    return {"type": type, "message": message, "stack_trace": stack_trace}


EVERYTHING: List[Dict[str, Any]] = [
    entry("log", "Loading the level"),
    entry("error", "NullReferenceException in Player"),
    entry("warning", "the LEVEL is empty"),
    entry("log", "done"),
]


def answer(entries: List[Dict[str, Any]], **fields: Any) -> Dict[str, Any]:
    return {
        "entries": entries,
        "count": len(entries),
        "truncated": False,
        "next_cursor": "c:9",
        **fields,
    }


def asked(result: Dict[str, Any], **arguments: Any) -> Any:
    """What a call with these arguments is answered, if the plugin sends ``result``."""
    call = VALIDATOR.validate("read_console", {"include_stack_trace": True, **arguments})
    assert isinstance(call, Ok)
    before = copy.deepcopy(result)
    given = as_asked(call.value.params, result)
    assert result == before
    if isinstance(given, Ok):
        assert VALIDATOR.check_result(CATALOGUE["read_console"], given.value) is None
    return given


def messages(given: Any) -> List[str]:
    assert isinstance(given, Ok)
    return [one["message"] for one in given.value["entries"]]


def test_an_answer_that_is_what_was_asked_for_is_passed_on_as_it_is() -> None:
    result = answer(EVERYTHING, count=4000, truncated=True)
    given = asked(result, max_entries=4)
    assert isinstance(given, Ok) and given.value is result


def test_other_types_are_left_out() -> None:
    given = asked(answer(EVERYTHING), types=["error", "warning"])
    assert messages(given) == ["NullReferenceException in Player", "the LEVEL is empty"]
    assert (given.value["count"], given.value["truncated"], given.value["next_cursor"]) == (
        2,
        False,
        "c:9",
    )


def test_the_plugin_decides_about_an_empty_list_of_types() -> None:
    assert len(messages(asked(answer(EVERYTHING), types=[]))) == 4


def test_messages_without_the_text_are_left_out_whatever_its_case() -> None:
    given = asked(answer(EVERYTHING, count=77), contains="LeVeL")
    assert messages(given) == ["Loading the level", "the LEVEL is empty"]
    assert given.value["count"] == 2


@pytest.mark.parametrize(
    "message, text", [("STRASSE", "straße"), ("Straße", "STRASSE"), ("İ", "i̇"), ("ΣΑΣ", "σας")]
)
def test_systems_may_differ_in_what_they_take_for_a_case(message: str, text: str) -> None:
    assert messages(asked(answer([entry("log", message)]), contains=text)) == [message]


def test_a_cut_message_may_have_matched() -> None:
    cut = "x" * 100 + "... (5000 more characters)"
    assert messages(asked(answer([entry("log", cut)]), contains="needle")) == [cut]


def test_the_newest_entries_are_kept_and_the_cut_is_reported() -> None:
    many = [entry("log", str(n)) for n in range(3000)]
    given = asked(answer(many), max_entries=200)
    assert messages(given) == [str(n) for n in range(2800, 3000)]
    assert (given.value["count"], given.value["truncated"]) == (3000, True)


def test_equal_entries_that_follow_one_another_are_one_with_a_count() -> None:
    entries = [
        entry("error", "no target"),
        entry("error", "no target"),
        entry("log", "hit"),
        entry("error", "no target"),
    ]
    given = asked(
        answer([{**one, "timestamp": f"2026-11-23T08:00:0{n}Z"} for n, one in enumerate(entries)])
    )

    assert [
        (one["message"], one.get("repeated"), one["timestamp"][-3:-1])
        for one in given.value["entries"]
    ] == [
        ("no target", 2, "01"),
        ("hit", None, "02"),
        ("no target", None, "03"),
    ]
    assert given.value["count"] == 4


def test_entries_that_differ_in_type_or_stack_are_not_one() -> None:
    entries = [entry("error", "x"), entry("log", "x"), {**entry("log", "x"), "stack_trace": "at A"}]
    given = asked(answer(entries), include_stack_trace=True)

    assert len(given.value["entries"]) == 3


def test_the_text_has_times_without_dates() -> None:
    time = "2026-11-23T08:21:42.123Z"
    quoting = '"timestamp":"' + time + '"'
    result = {"entries": [{**entry("log", quoting), "timestamp": time}, entry("log", "y")]}

    shown = json.loads(as_text(result, compact(result)))

    assert [one.get("timestamp") for one in shown["entries"]] == ["08:21:42", None]
    assert shown["entries"][0]["message"] == quoting


def test_the_plugins_count_of_unsent_entries_is_kept() -> None:
    given = asked(
        answer([entry("log", str(n)) for n in range(10)], count=500, truncated=True), max_entries=3
    )
    assert (len(given.value["entries"]), given.value["count"], given.value["truncated"]) == (
        3,
        500,
        True,
    )


def test_unrequested_stacks_are_left_out() -> None:
    given = asked(answer(EVERYTHING), include_stack_trace=False)
    assert len(given.value["entries"]) == 4
    assert all("stack_trace" not in one for one in given.value["entries"])
    assert (given.value["count"], given.value["truncated"]) == (4, False)


@pytest.mark.parametrize("stack_trace", ["", None])
def test_an_empty_stack_may_stay(stack_trace: Any) -> None:
    result = answer([entry("log", "x", stack_trace)])
    given = asked(result, include_stack_trace=False)
    assert isinstance(given, Ok) and given.value is result


def test_all_of_it_together() -> None:
    given = asked(
        answer(EVERYTHING * 10),
        types=["warning"],
        contains="level",
        max_entries=3,
        include_stack_trace=False,
    )
    assert given.value["entries"] == [
        {"type": "warning", "message": "the LEVEL is empty", "repeated": 10}
    ]
    assert (given.value["count"], given.value["truncated"]) == (10, False)


def test_equal_entries_are_folded_before_the_cut() -> None:
    ticks = [{"type": "log", "message": text} for text in ("a", "b", *["tick"] * 200, "c", "tick")]
    given = asked(answer(ticks), max_entries=4, types=["log"])
    assert [entry["message"] for entry in given.value["entries"]] == ["b", "tick", "c", "tick"]
    assert (given.value["entries"][1]["repeated"], given.value["truncated"]) == (200, True)


def test_a_plugin_without_cursors_cannot_have_heeded_one() -> None:
    result = answer(EVERYTHING)
    del result["next_cursor"]
    assert isinstance(asked(result), Ok)
    refused = asked(result, since="c:5")
    assert isinstance(refused, Err) and "'since'" in refused.error
    assert isinstance(asked(answer(EVERYTHING), since="c:5"), Ok)
