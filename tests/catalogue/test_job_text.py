"""A job's status as the text for a model: nothing that it knows or that says nothing, and nothing
else is left out.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional

import pytest

from unity_bridge.catalogue import CATALOGUE
from unity_bridge.catalogue.job_text import job_as_text, job_text

QUIET = {"errors": 0, "warnings": 0, "first": [], "next_cursor": "c:4"}
PLAYS = {"playing": True, "paused": False, "frame": 1, "changed": True}
COMPILED: Dict[str, Any] = {
    "ok": True,
    "changed": False,
    "reloaded": False,
    "loaded": True,
    "error_count": 0,
    "errors": [],
    "truncated": False,
}
SHORT = {"ok": True, "changed": False, "reloaded": False, "loaded": True, "error_count": 0}


def ended(state: str = "succeeded", **more: Any) -> Dict[str, Any]:
    return {
        "job_id": "job-1",
        "tool": "compile",
        "state": state,
        "progress": None,
        "result": None,
        **more,
    }


def test_a_cancelled_job_shows_how_far_it_came() -> None:
    progress = {"completed": 5, "total": 16}
    assert job_as_text(ended("cancelled", progress=progress)) == {
        "state": "cancelled",
        "progress": progress,
    }
    assert job_as_text(ended(progress=progress)) == {"state": "succeeded"}


def test_play_mode_is_its_result_and_where_the_console_stands() -> None:
    assert job_as_text(ended(result=PLAYS, console=QUIET)) == {
        "state": "succeeded",
        "result": PLAYS,
        "console": {"next_cursor": "c:4"},
    }


def test_a_compile_is_as_short_inside_a_test_run() -> None:
    assert job_as_text(ended(result=COMPILED))["result"] == SHORT
    run: Dict[str, Any] = {
        "summary": {"total": 1},
        "failed_tests": [],
        "code_fresh": None,
        "compile": COMPILED,
    }
    assert job_as_text(ended(result=run))["result"] == {
        "summary": {"total": 1},
        "code_fresh": None,
        "compile": SHORT,
    }


def test_an_error_of_the_compiler_is_said_once() -> None:
    errors = [
        {"file": "Assets/A.cs", "line": 4, "column": 1, "code": "CS0103", "message": "no such name"}
    ]
    first = ["Assets/A.cs(4,1): error CS0103: no such name", "a warning"]
    text = job_as_text(
        ended("failed", result={"ok": False, "errors": errors}, console={**QUIET, "first": first})
    )
    assert text["result"]["errors"] == errors and text["console"]["first"] == ["a warning"]

    error = {
        "code": "ERR_UNITY_EXECUTION",
        "details": {"reason": "compile_errors", "errors": errors},
    }
    text = job_as_text(ended("failed", error=error, console={**QUIET, "first": first}))
    assert text["error"] == error and text["console"]["first"] == ["a warning"]


@pytest.mark.parametrize("errors", [[], [{"message": "no such name"}]])
def test_a_warning_of_the_compiler_is_counted_and_not_repeated(
    errors: List[Dict[str, Any]],
) -> None:
    """Each compile logs all of them again; ``warnings: true`` lists them."""
    first = [
        "Assets/A (old)/B.cs(63,27): warning CS0414: never read",
        "A.cs(1): warning is not of a compiler",
    ]
    console = {**QUIET, "warnings": 2, "first": first}
    result = {**COMPILED, "errors": errors}
    assert job_as_text(ended(result=result, console=console))["console"] == {
        "warnings": 2,
        "first": first[1:],
        "next_cursor": "c:4",
    }
    quiet = job_as_text(ended(result=result, console={**console, "first": first[:1]}))["console"]
    assert quiet == {"warnings": 2, "next_cursor": "c:4"}


@pytest.mark.parametrize(("code_fresh", "left"), [(True, None), (False, SHORT), (None, SHORT)])
def test_fresh_code_says_that_it_compiled_and_is_loaded(
    code_fresh: Optional[bool], left: Optional[Dict[str, Any]]
) -> None:
    run = {"code_fresh": code_fresh, "compile": COMPILED}
    compiled = {} if left is None else {"compile": left}
    assert job_as_text(ended(result=run))["result"] == {"code_fresh": code_fresh, **compiled}


def test_a_fixture_that_begins_the_name_of_its_test_is_said_once() -> None:
    tests = [
        {"name": "Keep.Bag.Splits", "fixture": "Keep.Bag"},
        {"name": "Splits", "fixture": "Keep.Bag"},
        {"name": "A"},
    ]
    text = job_as_text(ended("failed", result={"failed_tests": tests}))
    assert text["result"]["failed_tests"] == [{"name": "Keep.Bag.Splits"}, *tests[1:]]


def test_cut_marks_and_return_values_stay() -> None:
    assert job_as_text(ended(result={"value": None})) == {
        "state": "succeeded",
        "result": {"value": None},
    }
    assert job_as_text(ended(result={"value": [], "truncated": True}))["result"] == {
        "value": [],
        "truncated": True,
    }


@pytest.mark.parametrize(
    "result",
    [
        [],
        ["a"],
        "text",
        1,
        {"errors": ["a"]},
        {"errors": 3},
        {"errors": [{"message": 4}]},
        {"compile": "ok"},
        {"failed_tests": "no"},
    ],
)
def test_the_result_of_a_tool_that_is_not_known_may_be_anything(result: Any) -> None:
    text = job_as_text(ended("failed", result=result, console={**QUIET, "first": ["a"]}))
    assert (text["result"], text["console"]["first"]) == (result, ["a"])


@pytest.mark.parametrize("state", ["queued", "running"])
def test_a_job_that_goes_on_keeps_its_id_and_its_progress(state: str) -> None:
    status = ended(state, progress={"step": "compiling", "for_ms": 900}, stale=True)
    assert job_as_text(status) == {
        name: value for name, value in status.items() if name != "result"
    }


def test_an_error_stays_whole() -> None:
    error = {
        "code": "ERR_UNITY_EXECUTION",
        "message": "It was not run.",
        "retryable": False,
        "details": {"errors": []},
    }
    assert job_as_text(ended("failed", error=error)) == {
        "job_id": "job-1",
        "tool": "compile",
        "state": "failed",
        "error": error,
    }


def test_every_job_is_shown_so() -> None:
    shown = {name for name, tool in CATALOGUE.items() if tool.as_text is job_text}
    assert shown == {
        "compile",
        "run_tests",
        "play_mode",
        "run_command",
        "run_csharp",
        "get_job_status",
    }
