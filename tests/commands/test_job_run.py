"""What a job's end means for a command: its exit status, its words, and its JSON."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Optional, Tuple

import pytest

from tests.commands.runner import runner
from unity_bridge.catalogue.calls import Failure
from unity_bridge.cli import cli
from unity_bridge.commands.shared.envelope import envelope
from unity_bridge.commands.shared.job_end import (
    Followed,
    JobEnd,
    Stop,
    exit_status,
    put_envelope,
    trouble,
)
from unity_bridge.commands.test import _objection

ERROR = {
    "code": "ERR_UNITY_EXECUTION",
    "message": "Unity plays.",
    "retryable": False,
    "details": {},
}


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
LOCKED = {
    "ok": True,
    "loaded": False,
    "pending_reason": "reload_locked",
    "reason": "A window locks the reload.",
}


def run(total: int = 1, **more: Any) -> Followed:
    result = {
        "summary": {**COUNTS, "total": total, "passed": total},
        "failed_tests": [],
        "code_fresh": True,
        **more,
    }
    return Followed(JobEnd("succeeded", result, job_id="job-1"), {}, True)


def reported(followed: Followed, *words: str) -> Tuple[int, str, str]:
    """What `test` makes of such a run: the exit status, stdout, stderr."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("unity_bridge.commands.shared.job_follower.run_job", lambda *_: followed)
        done = runner().invoke(cli, ["test", *words])
    return done.exit_code, done.stdout, done.stderr


@pytest.mark.parametrize("words, status", [((), 1), (("--allow-empty",), 0)])
def test_a_run_without_a_test_is_well_only_where_that_is_allowed(
    words: Tuple[str, ...], status: int
) -> None:
    ended, out, err = reported(run(total=0), "--json", *words)
    assert (ended, json.loads(out)["ok"]) == (status, status == 0)
    assert ("There was no test to run" in err) is (status == 1)


def test_that_no_test_failed_last_time_is_well_and_is_said() -> None:
    status, _, err = reported(run(total=0), "--failed")
    assert status == 0 and err.splitlines()[-1] == "No test failed last time."


@pytest.mark.parametrize(
    "code, words",
    [
        (
            {"code_fresh": False, "compile": LOCKED},
            "older than what is on disk: A window locks the reload.",
        ),
        ({"code_fresh": False}, "older than what is on disk: Unity has not reloaded the scripts"),
        ({"code_fresh": None}, "the plugin does not report it"),
    ],
)
def test_passed_tests_of_code_that_is_not_on_disk_are_not_well(
    code: Dict[str, Any], words: str
) -> None:
    status, out, err = reported(run(**code), "--json")
    assert status == 1 and words in err
    printed = json.loads(out)
    assert printed["ok"] is False and printed["result"]["code_fresh"] is code["code_fresh"]


@pytest.mark.parametrize(
    "fresh, words", [(True, ""), (False, "code_fresh is false"), (None, "code_fresh is null")]
)
def test_without_a_refresh_the_status_follows_the_tests_and_old_code_is_named(
    fresh: Optional[bool], words: str
) -> None:
    status, _, err = reported(run(code_fresh=fresh), "--no-refresh")
    assert status == 0
    assert words in err if words else err == ""
    assert err.count("\n") == (1 if words else 0)


UNMATCHED: Dict[str, Any] = {
    **ERROR,
    "message": 'Unity says: "No test matches ..."',
    "details": {
        "reason": "no_tests_matched",
        "unmatched": ["Inventory\x1b", "category:Slow"],
        "nearest": {"Inventory\x1b": ["Keep.Tests.InventoryTests", "Keep.Tests.Inventory2"]},
    },
}


@pytest.mark.parametrize("words", [(), ("--allow-empty",), ("--json",)])
def test_parts_of_a_filter_that_match_nothing_are_named_with_the_nearest(
    words: Tuple[str, ...],
) -> None:
    status, _, err = reported(
        Followed(JobEnd("failed", error=UNMATCHED, job_id="job-1"), {}, True), *words
    )
    assert (status, err) == (
        1,
        "No test matches Inventory\\x1b. The nearest are: Keep.Tests.InventoryTests, Keep.Tests.Inventory2. "
        "No test matches category:Slow.\n",
    )


@pytest.mark.parametrize("details", [{}, {"unmatched": "A"}, {"unmatched": [1], "nearest": 3}])
def test_a_filter_that_matches_nothing_needs_no_details(details: Dict[str, Any]) -> None:
    error = {**UNMATCHED, "details": {"reason": "no_tests_matched", **details}}
    status, _, err = reported(Followed(JobEnd("failed", error=error), {}, True))
    assert status == 1 and "No test matches" in err


def test_the_meaning_of_each_part_of_the_filter_is_printed() -> None:
    status, _, err = reported(run(remarks=["The filter 'A' was taken for 'B.A'."]))
    assert status == 0 and "taken for 'B.A'" in err


def test_a_run_that_was_not_carried_out_says_nothing_of_its_code() -> None:
    for words in ([], ["--no-refresh"]):
        assert reported(Followed(JobEnd("failed", error=ERROR), {}, True), *words) == (
            1,
            "",
            "Unity plays.\n",
        )


@pytest.mark.parametrize(
    "missing, is_refused", [([], False), (["inspect"], False), (["compile", "inspect"], True)]
)
def test_a_plugin_that_cannot_compile_runs_nothing_unasked(
    missing: List[str], is_refused: bool
) -> None:
    refused = _objection(False, True, {"missing_tools": missing})
    assert (refused is not None) is is_refused
    if refused is not None:
        assert "--no-refresh" in refused.message
        assert Failure(refused).as_json()["details"]["execution_guarantee"] == "not_executed"
    assert _objection(False, True, {}) is None


def test_one_envelope_for_everything() -> None:
    assert envelope(True, {"a": 1}, job_id="job-1") == {
        "ok": True,
        "result": {"a": 1},
        "job_id": "job-1",
    }
    assert envelope(False, {"a": 1}) == {"ok": False, "result": {"a": 1}}
    assert envelope(False, {"a": 1}, ERROR) == {"ok": False, "error": ERROR}


@pytest.mark.parametrize(
    "end, code, guarantee",
    [
        (JobEnd("not_run"), "ERR_EDITOR_NOT_READY", "not_executed"),
        (JobEnd("cancelled"), "ERR_UNITY_EXECUTION", "unknown"),
        (JobEnd("left"), "ERR_REQUEST_TIMEOUT", "unknown"),
        (JobEnd("succeeded"), "ERR_INVALID_RESPONSE", "unknown"),
    ],
)
def test_an_end_without_an_answer_of_unity_has_an_error_with_a_code(
    end: JobEnd, code: str, guarantee: str
) -> None:
    status, out, _ = reported(Followed(end, {}, True), "--json")
    error = json.loads(out)["error"]
    assert status != 0 and (error["code"], error["details"]["execution_guarantee"]) == (
        code,
        guarantee,
    )


def test_another_project_in_the_editor_is_no_editor() -> None:
    error = {**ERROR, "code": "ERR_EDITOR_NOT_READY", "details": {"reason": "other_project"}}
    assert exit_status(Followed(JobEnd("not_run", error=error), {}, has_editor=True)) == 3


def test_found_faults_are_a_result_and_a_job_that_was_left_is_an_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    put_envelope(Followed(JobEnd("failed", {"ok": False}, job_id="job-1"), {}, True), "The compile")
    assert json.loads(capsys.readouterr().out) == {
        "ok": False,
        "result": {"ok": False},
        "job_id": "job-1",
    }
    put_envelope(
        Followed(JobEnd("left", stopped_by=Stop.SIGINT, job_id="job-1"), {}, True), "The compile"
    )
    printed = json.loads(capsys.readouterr().out)
    assert (
        printed["ok"] is False
        and "may still run" in printed["error"]["message"]
        and printed["job_id"] == "job-1"
    )
