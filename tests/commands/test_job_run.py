"""What a job's end means for a command: its exit status, its words, and its JSON."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Optional

import pytest

from unity_bridge.base.calls import Failure
from unity_bridge.commands.envelope import envelope
from unity_bridge.commands.job_follower import JobEnd, Stop
from unity_bridge.commands.job_run import Followed, exit_status, put_envelope, trouble
from unity_bridge.commands.test import _cannot_compile, _faults, _report, _say_which_code_ran

ERROR = {"code": "ERR_UNITY_EXECUTION", "message": "Unity plays.", "retryable": False, "details": {}}


@pytest.mark.parametrize(
    "end, status",
    [
        (JobEnd("succeeded", {}), 0),
        (JobEnd("failed", {}), 1),
        (JobEnd("failed", error=ERROR), 1),
        (JobEnd("cancelled", {}), 1),
        (JobEnd("timeout", {}), 4),
        (JobEnd("cancelled", stopped_by=Stop.OUT_OF_TIME), 4),
        (JobEnd("left", stopped_by=Stop.OUT_OF_TIME), 4),
        (JobEnd("cancelled", stopped_by=Stop.SIGINT), 130),
        (JobEnd("left", stopped_by=Stop.SIGTERM), 143),
        (JobEnd("not_run", error=ERROR), 1),
    ],
)
def test_the_exit_status_shows_how_it_ended(end: JobEnd, status: int) -> None:
    assert exit_status(Followed(end, {}, has_editor=True)) == status
    assert exit_status(Followed(end, {}, has_editor=False)) == 3


@pytest.mark.parametrize(
    "end, words",
    [
        (JobEnd("succeeded", {}), None),
        (JobEnd("failed", {}), None),
        (JobEnd("failed", error=ERROR), "Unity plays."),
        (JobEnd("not_run"), "Interrupted before Unity was ready: nothing was run."),
        (JobEnd("cancelled"), "The compile was cancelled in Unity or by another client."),
        (JobEnd("cancelled", stopped_by=Stop.SIGINT), "The compile was cancelled."),
        (JobEnd("succeeded"), "The compile succeeded, but its result is no longer kept."),
        (
            JobEnd("left", job_id="job-1"),
            "The compile had not ended when this command stopped; it may still run in Unity; "
            "`unity-bridge jobs job-1 --wait` waits for its end.",
        ),
    ],
)
def test_trouble_is_described_in_words(end: JobEnd, words: str) -> None:
    assert trouble(end, "The compile") == words


COUNTS = {"total": 1, "passed": 1, "failed": 0, "skipped": 0, "duration_ms": 5}
LOCKED = {"ok": True, "loaded": False, "pending_reason": "reload_locked", "reason": "A window locks the reload."}


def run(total: int = 1, **more: Any) -> Followed:
    result = {"summary": {**COUNTS, "total": total, "passed": total}, "failed_tests": [], "code_fresh": True, **more}
    return Followed(JobEnd("succeeded", result, job_id="job-1"), {}, True)


def reported(followed: Followed, no_refresh: bool = False, allow_empty: bool = False) -> int:
    return _report(followed, as_json=True, faults=_faults(followed.end, no_refresh, allow_empty))


@pytest.mark.parametrize("allow_empty, status", [(False, 1), (True, 0)])
def test_a_run_without_a_test_is_well_only_where_that_is_allowed(
    allow_empty: bool, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reported(run(total=0), allow_empty=allow_empty) == status
    said = capsys.readouterr()
    assert json.loads(said.out)["ok"] is (status == 0)
    assert ("There was no test to run" in said.err) is (status == 1)


@pytest.mark.parametrize(
    "code, words",
    [
        ({"code_fresh": False, "compile": LOCKED}, "older than what is on disk: A window locks the reload."),
        ({"code_fresh": False}, "older than what is on disk: Unity has not reloaded the scripts"),
        ({"code_fresh": None}, "the plugin does not report it"),
    ],
)
def test_passed_tests_of_code_that_is_not_on_disk_are_not_well(
    code: Dict[str, Any], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reported(run(**code)) == 1
    said = capsys.readouterr()
    assert words in said.err
    printed = json.loads(said.out)
    assert printed["ok"] is False and printed["result"]["code_fresh"] is code["code_fresh"]


@pytest.mark.parametrize("fresh, words", [(True, ""), (False, "code_fresh is false"), (None, "code_fresh is null")])
def test_without_a_refresh_the_status_follows_the_tests_and_old_code_is_named(
    fresh: Optional[bool], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    followed = run(code_fresh=fresh)
    assert reported(followed, no_refresh=True) == 0
    _say_which_code_ran(followed.end)
    said = capsys.readouterr().err
    assert words in said if words else said == ""
    assert said.count("\n") == (1 if words else 0)


UNMATCHED: Dict[str, Any] = {
    **ERROR,
    "message": 'Unity says: "No test matches ..."',
    "details": {
        "reason": "no_tests_matched",
        "unmatched": ["Inventory\x1b", "category:Slow"],
        "nearest": {"Inventory\x1b": ["Keep.Tests.InventoryTests", "Keep.Tests.Inventory2"]},
    },
}


@pytest.mark.parametrize("allow_empty", [False, True])
def test_parts_of_a_filter_that_match_nothing_are_named_with_the_nearest(
    allow_empty: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    followed = Followed(JobEnd("failed", error=UNMATCHED, job_id="job-1"), {}, True)
    faults = _faults(followed.end, no_refresh=False, allow_empty=allow_empty)
    assert _report(followed, as_json=False, faults=faults) == 1
    assert capsys.readouterr().err == (
        "No test matches Inventory\\x1b. The nearest are: Keep.Tests.InventoryTests, Keep.Tests.Inventory2. "
        "No test matches category:Slow.\n"
    )


@pytest.mark.parametrize("details", [{}, {"unmatched": "A"}, {"unmatched": [1], "nearest": 3}])
def test_a_filter_that_matches_nothing_needs_no_details(
    details: Dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    error = {**UNMATCHED, "details": {"reason": "no_tests_matched", **details}}
    assert _report(Followed(JobEnd("failed", error=error), {}, True), as_json=False, faults=[]) == 1
    assert "No test matches" in capsys.readouterr().err


def test_the_meaning_of_each_part_of_the_filter_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    followed = run(remarks=["The filter 'A' was taken for 'B.A'."])
    assert _report(followed, as_json=False, faults=[]) == 0
    assert "taken for 'B.A'" in capsys.readouterr().err


def test_a_run_that_was_not_carried_out_says_nothing_of_its_code(capsys: pytest.CaptureFixture[str]) -> None:
    end = JobEnd("failed", error=ERROR)
    assert _faults(end, False, False) == []
    _say_which_code_ran(end)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("missing, is_refused", [([], False), (["inspect"], False), (["compile", "inspect"], True)])
def test_a_plugin_that_cannot_compile_runs_nothing_unasked(missing: List[str], is_refused: bool) -> None:
    refused = _cannot_compile({"missing_tools": missing})
    assert (refused is not None) is is_refused
    if refused is not None:
        assert "--no-refresh" in refused.message
        assert Failure(refused).as_json()["details"]["execution_guarantee"] == "not_executed"
    assert _cannot_compile({}) is None


def test_one_envelope_for_everything() -> None:
    assert envelope(True, {"a": 1}, job_id="job-1") == {"ok": True, "result": {"a": 1}, "job_id": "job-1"}
    assert envelope(False, {"a": 1}) == {"ok": False, "result": {"a": 1}}
    assert envelope(False, {"a": 1}, ERROR) == {"ok": False, "error": ERROR}


def test_found_faults_are_a_result_and_a_job_that_was_left_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    put_envelope(Followed(JobEnd("failed", {"ok": False}, job_id="job-1"), {}, True), "The compile")
    assert json.loads(capsys.readouterr().out) == {"ok": False, "result": {"ok": False}, "job_id": "job-1"}
    put_envelope(Followed(JobEnd("left", stopped_by=Stop.SIGINT, job_id="job-1"), {}, True), "The compile")
    printed = json.loads(capsys.readouterr().out)
    assert printed["ok"] is False and "may still run" in printed["error"]["message"] and printed["job_id"] == "job-1"
