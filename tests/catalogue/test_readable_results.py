"""One bad member does not cost a proven plugin's answer, and never makes it better (SPEC §20.3)."""

from __future__ import annotations

import copy
from typing import Any, Callable, Dict, FrozenSet, List, Mapping, Tuple

import pytest

from tests.catalogue.test_request_validator import GOOD_RESULTS
from unity_bridge.base.frozen import changed
from unity_bridge.base.result import Err, Ok
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.catalogue.readable_result import ReadingRules
from unity_bridge.catalogue.request_validator import RequestValidator
from unity_bridge.catalogue.run_tests import THE_RUN
from unity_bridge.catalogue.tool import Tool
from unity_bridge.shards import junit_file

VALIDATOR = RequestValidator()
Json = Dict[str, Any]
WRONG_FLAGS: Tuple[Any, ...] = ("yes", "true", 1, 0, [True], {"ok": True}, 1.5, "")

PASSED: Json = {
    "summary": {"total": 1, "passed": 1, "failed": 0, "skipped": 0},
    "failed_tests": [],
    "code_fresh": True,
    "compile": {"ok": True, "loaded": True, "changed": False, "errors": []},
}
COMPILED: Json = {
    "ok": True,
    "changed": True,
    "reloaded": True,
    "loaded": True,
    "error_count": 0,
    "warning_count": 0,
    "errors": [],
    "truncated": False,
}
SHOT: Json = {"frame": 1, "fresh": True, "uniform": False, "changed": None}
WAIT: Dict[str, Any] = {"name": "wait_for", "arguments": {"frames": 3}}


def read(tool: Tool, result: Json, **params: Any) -> Any:
    """What is passed on of a result; the picture of a screenshot is checked elsewhere."""
    if tool.name == "screenshot":
        tool = changed(tool, as_asked=None)
    outcome = VALIDATOR.read_result(tool, params, result)
    assert isinstance(outcome, Ok), outcome
    return outcome.value.value


def is_failed(tool: Tool, result: Json) -> bool:
    return bool(tool.finds_faults(result))


class Verdict:
    """Where it is, a result in which it is good, and whether a reading of that result is no longer
    green.
    """

    def __init__(
        self,
        tool: str,
        path: str,
        good: Json,
        is_safe: Callable[[Tool, Json], bool],
        wrong: Any = WRONG_FLAGS,
        **params: Any,
    ) -> None:
        self.tool, self.path, self.good, self.is_safe, self.wrong, self.params = (
            tool,
            path,
            good,
            is_safe,
            wrong,
            params,
        )

    def __str__(self) -> str:
        return f"{self.tool} {self.path}"

    def broken(self) -> List[Json]:
        """The good result with each wrong value in this place."""
        results = []
        for wrong in self.wrong:
            result = copy.deepcopy(self.good)
            part, last = self._place_in(result)
            part[last] = wrong
            results.append(result)
        return results

    def good_value(self) -> Any:
        part, last = self._place_in(self.good)
        return part[last]

    def _place_in(self, result: Json) -> Tuple[Any, Any]:
        part: Any = result
        *steps, last = [
            int(step) if step == "0" else step for step in self.path.replace("[]", ".0").split(".")
        ]
        for step in steps:
            part = part[step]
        return part, last


def not_loaded(tool: Tool, result: Json) -> bool:
    return result["loaded"] is False and result["pending_reason"] == "unknown"


def not_fresh(tool: Tool, result: Json) -> bool:
    return result["code_fresh"] in (None, False)


def is_null(name: str) -> Callable[[Tool, Json], bool]:
    return lambda tool, result: name in result and result[name] is None and is_failed(tool, result)


NO_LISTS: Tuple[Any, ...] = ("", 0, False, {}, "none")
VERDICTS = [
    Verdict("compile", "ok", COMPILED, is_failed),
    Verdict("compile", "loaded", COMPILED, not_loaded),
    Verdict("compile", "errors", COMPILED, is_failed, NO_LISTS),
    Verdict("compile", "truncated", COMPILED, lambda tool, result: result["truncated"] is True),
    Verdict("run_csharp", "ok", {"ok": True, "value": 1}, is_failed),
    Verdict("run_tests", "code_fresh", PASSED, not_fresh, WRONG_FLAGS),
    Verdict("run_tests", "compile", PASSED, not_fresh, (1, "ok", [], True)),
    Verdict("run_tests", "compile.ok", PASSED, not_fresh),
    Verdict("run_tests", "compile.loaded", PASSED, not_fresh),
    Verdict("run_tests", "compile.errors", PASSED, not_fresh, NO_LISTS),
    Verdict("run_tests", "failed_tests", PASSED, is_failed, NO_LISTS),
    Verdict(
        *("run_tests", "failed_tests[]", {**PASSED, "failed_tests": [None]}, is_failed),
        wrong=({"name": None, "message": "x"}, "A.B", {}, 7),
    ),
    Verdict(
        "screenshot",
        "fresh",
        {**GOOD_RESULTS["screenshot"]},
        lambda tool, result: result["fresh"] is False,
    ),
    Verdict(
        *(
            "screenshot",
            "shots[].fresh",
            {**GOOD_RESULTS["screenshot"], "shots": [dict(SHOT), dict(SHOT)]},
        ),
        lambda tool, result: result["shots"][0]["fresh"] is False and len(result["shots"]) == 2,
    ),
    Verdict("play_mode", "playing", GOOD_RESULTS["play_mode"], is_null("playing")),
    Verdict("play_mode", "paused", GOOD_RESULTS["play_mode"], is_null("paused")),
    Verdict(
        *("run_command", "value.met", {"value": {"met": True, "frame": 3}}),
        lambda tool, result: (
            result["value"]["met"] is False and result["value"]["reason"] == "unreadable"
        ),
        **WAIT,
    ),
    Verdict(
        *("run_command", "value", {"value": {"met": True}}),
        lambda tool, result: result["value"] == {"met": False, "reason": "unreadable"},
        wrong=(True, "met", [], None),
        **WAIT,
    ),
    Verdict(
        *("read_console", "entries[].type", GOOD_RESULTS["read_console"]),
        lambda tool, result: result["entries"][0]["type"] == "error",
        wrong=("Fatal", None, 7),
        max_entries=50,
    ),
    Verdict(
        *("read_console", "entries", GOOD_RESULTS["read_console"]),
        lambda tool, result: result["truncated"] is True and result["entries"] == [],
        wrong=NO_LISTS,
        max_entries=50,
    ),
    Verdict(
        *("inspect", "items", GOOD_RESULTS["inspect"]),
        lambda tool, result: result["truncated"] is True and result["items"] == [],
        wrong=NO_LISTS,
        what="hierarchy",
    ),
]


def check_verdict(verdict: Verdict, tool: Tool) -> None:
    for result in verdict.broken():
        before = copy.deepcopy(result)
        reading = read(tool, result, **verdict.params)
        assert verdict.is_safe(tool, reading), (result, reading)
        assert len(reading["remarks"]) == 1 and "does not fit the contract" in reading["remarks"][0]
        assert result == before, "the plugin's result was changed"


@pytest.mark.parametrize("verdict", VERDICTS, ids=str)
def test_a_verdict_that_cannot_be_read_is_never_good(verdict: Verdict) -> None:
    assert (
        "remarks" not in read(CATALOGUE[verdict.tool], verdict.good, **verdict.params)
        or "[]" in verdict.path
    )
    check_verdict(verdict, CATALOGUE[verdict.tool])


@pytest.mark.parametrize("verdict", VERDICTS, ids=str)
def test_a_reading_that_takes_a_bad_verdict_for_a_good_one_is_noticed(verdict: Verdict) -> None:
    """One mutant each: ``"yes"`` is true to it, and a list that is none is empty."""
    tool = CATALOGUE[verdict.tool]

    def consequences(params: Mapping[str, Any], result: Json, unread: FrozenSet[str]) -> Json:
        return tool.reading.consequences(params, result, unread - {verdict.path})

    verdicts = {**tool.reading.verdicts, verdict.path: verdict.good_value()}
    mutant = changed(
        tool, reading=changed(tool.reading, verdicts=verdicts, consequences=consequences)
    )
    with pytest.raises((AssertionError, KeyError)):
        check_verdict(verdict, mutant)


def test_each_verdict_of_the_catalogue_is_tried() -> None:
    tried = {(verdict.tool, verdict.path) for verdict in VERDICTS}
    declared = {(tool.name, path) for tool in CATALOGUE.values() for path in tool.reading.verdicts}
    untried = declared - tried
    # A series without its list of pictures is refused for their number.
    assert untried == {("screenshot", "shots")}


def test_any_other_member_goes_and_the_answer_stays() -> None:
    message = {"file": 7, "line": "3", "message": "m", "assembly": None}
    sent = {
        **COMPILED,
        "ok": False,
        "duration_ms": "long",
        "error_count": "1",
        "errors": [message, {"file": "a"}, 7],
    }
    result = read(CATALOGUE["compile"], sent)
    assert result["errors"] == [{"message": "m", "assembly": None}]
    assert (result["error_count"], result["omitted"]) == (3, {"errors": 2})
    assert "duration_ms" not in result
    (remark,) = result["remarks"]
    assert "duration_ms" in remark and "errors[0].file" in remark and "errors[1]" in remark


def test_a_result_without_a_member_that_it_needs_has_the_bad_value() -> None:
    assert read(CATALOGUE["compile"], {"changed": True})["ok"] is False
    result = read(
        CATALOGUE["compile"],
        {"ok": True, "loaded": "no", "changed": True, "reloaded": True, "errors": []},
    )
    assert (result["loaded"], result["pending_reason"], result["ok"]) == (False, "unknown", True)
    entries = [{"message": "a"}, {"type": "log"}]
    console = read(CATALOGUE["read_console"], {"entries": entries}, max_entries=50)
    assert console["entries"] == [{"message": "a", "type": "error"}]
    assert (console["count"], console["omitted"], console["truncated"]) == (2, {"entries": 1}, True)


def test_a_failure_that_cannot_be_read_is_named_as_that_of_the_run() -> None:
    sent = {**PASSED, "failed_tests": [{"name": "A.B", "mode": 7}, {"name": None, "message": "x"}]}
    result = read(CATALOGUE["run_tests"], sent)
    assert [test["name"] for test in result["failed_tests"]] == ["A.B", THE_RUN]
    assert result["omitted"] == {"failed_tests": 1} and "mode" not in result["failed_tests"][0]
    assert THE_RUN == junit_file.THE_RUN


BAD_SUMMARIES: List[Any] = [None, 7, [], {"total": 1}, {"total": "1", "passed": 1, "failed": 0}]


@pytest.mark.parametrize("summary", [*BAD_SUMMARIES, {"total": 1, "passed": 1, "failed": 1}])
def test_counts_that_cannot_be_are_no_answer(summary: Any) -> None:
    outcome = VALIDATOR.read_result(CATALOGUE["run_tests"], {}, {**PASSED, "summary": summary})
    assert isinstance(outcome, Err)


def test_the_value_of_a_projects_command_is_never_checked() -> None:
    for value in (None, True, {"met": "perhaps"}):
        assert read(CATALOGUE["run_command"], {"value": value}, name="mine", arguments={}) == {
            "value": value
        }


def test_a_tool_without_rules_has_an_empty_reading() -> None:
    assert CATALOGUE["get_editor_state"].reading == ReadingRules()
