"""``read_console`` in the simulated editor (SPEC §8), and how a console sums up (SPEC §15.3)."""

from __future__ import annotations

import json
from typing import Any, Dict, List

import pytest

from tests.simulator.manual_editor import ManualEditor, answer_of
from unity_bridge.base.result import Err, Ok
from unity_bridge.simulator.console import Console
from unity_bridge.simulator.project import Entry
from unity_bridge.simulator.tools.read_console import ReadConsole


def console_with(*messages: str, capacity: int = 100) -> Console:
    console = Console(capacity)
    for message in messages:
        console.log(Entry("log", message))
    return console


def tool_of(console: Console) -> ReadConsole:
    editor = ManualEditor().process
    editor.console = console
    return ReadConsole(editor)


def read(console: Console, **params: Any) -> Dict[str, Any]:
    answer = answer_of(tool_of(console), params)
    assert isinstance(answer, Ok), answer
    return answer.value


def texts(answer: Dict[str, Any]) -> List[str]:
    return [entry["message"] for entry in answer["entries"]]


def test_the_newest_entries_come_oldest_first() -> None:
    answer = read(console_with("a", "b", "c"), max_entries=2)
    assert texts(answer) == ["b", "c"]
    assert (answer["count"], answer["truncated"]) == (3, True)


def test_everything_is_not_truncated() -> None:
    answer = read(console_with("a", "b"))
    assert (texts(answer), answer["count"], answer["truncated"]) == (["a", "b"], 2, False)


def test_types_and_text_narrow_it_down() -> None:
    console = console_with("Player moved")
    console.log(Entry("error", "Player fell", "at Player.Fall ()"))
    console.log(Entry("error", "Torch lost"))
    answer = read(console, types=["error", "warning"], contains="player")
    assert answer["entries"][0]["stack_trace"] == "at Player.Fall ()"
    assert (texts(answer), answer["count"]) == (["Player fell"], 1)


def test_stack_traces_can_be_left_out() -> None:
    assert "stack_trace" not in read(console_with("a"), include_stack_trace=False)["entries"][0]


def test_a_cursor_brings_only_what_is_newer_and_nothing_twice() -> None:
    console = console_with("a", "b")
    first = read(console)
    assert texts(read(console, since=first["next_cursor"])) == []
    console.log(Entry("log", "c"))
    second = read(console, since=first["next_cursor"])
    assert (texts(second), second["truncated"]) == (["c"], False)
    assert texts(read(console, since=second["next_cursor"])) == []


def test_entries_lost_since_the_cursor_are_confessed() -> None:
    console = console_with("a", capacity=2)
    cursor = read(console)["next_cursor"]
    for message in ("b", "c", "d"):
        console.log(Entry("log", message))
    answer = read(console, since=cursor)
    assert (texts(answer), answer["truncated"]) == (["c", "d"], True)


def test_entries_pushed_out_before_the_cursor_are_not() -> None:
    console = console_with("a", "b", "c", capacity=2)
    cursor = read(console)["next_cursor"]
    console.log(Entry("log", "d"))
    assert read(console, since=cursor)["truncated"] is False


def test_a_cleared_console_confesses_too() -> None:
    console = console_with("a")
    cursor = read(console)["next_cursor"]
    console.log(Entry("log", "b"))
    console.clear()
    assert read(console, since=cursor)["truncated"] is True


def test_the_cursor_of_another_editor_brings_all_and_says_that_more_may_be_lost() -> None:
    cursor = read(console_with("of the old editor", "b", "c"))["next_cursor"]
    answer = read(console_with("new"), since=cursor)
    assert (texts(answer), answer["truncated"], answer["restarted"]) == (["new"], True, True)


def test_clearing_can_pick() -> None:
    console = console_with("keep", "error CS1002: ; expected")
    console.clear(lambda entry: "error CS" in entry.message)
    assert texts(read(console)) == ["keep"]


def test_two_thousand_long_entries_fit_into_one_message_the_newest_winning() -> None:
    console = console_with(*(f"{number} " + "ü" * 500 for number in range(2000)), capacity=5000)
    answer = read(console, max_entries=2000)
    assert answer["entries"][-1]["message"].startswith("1999 ")
    assert len(answer["entries"]) < 2000 and answer["truncated"] and answer["count"] == 2000
    assert len(json.dumps(answer)) < 1_000_000


@pytest.mark.parametrize("since", ["yesterday", "a:b"])
def test_a_cursor_that_no_answer_had_is_refused(since: str) -> None:
    answer = answer_of(tool_of(console_with("a")), {"since": since})
    assert isinstance(answer, Err) and "since" in answer.error.message
    assert answer.error.code.value == "ERR_INVALID_PARAMS"


def test_a_summary_counts_what_came_since_and_names_the_first_errors_before_warnings() -> None:
    console = console_with("before")
    since = console.cursor()
    for kind in ("warning", "log", "error", "exception", "assert"):
        console.log(Entry(kind, f"{kind} " + "x" * 600))
    summary = console.summary(since)
    assert (summary["errors"], summary["warnings"]) == (3, 1)
    assert [message.split()[0] for message in summary["first"]] == ["error", "exception", "assert"]
    assert max(map(len, summary["first"])) == 500
    assert texts(read(console, since=summary["next_cursor"])) == []
