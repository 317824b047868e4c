"""What a job's end means for a command: its exit status, its words, and its JSON."""

from __future__ import annotations

import json

import pytest

from unity_bridge.commands.envelope import envelope
from unity_bridge.commands.job_follower import JobEnd, Stop
from unity_bridge.commands.job_run import Followed, exit_status, put_envelope, trouble
from unity_bridge.commands.test import _report

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
def test_the_exit_status_tells_how_it_ended(end: JobEnd, status: int) -> None:
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
        (JobEnd("timeout"), "Unity ended it because it took too long: the compile."),
        (
            JobEnd("left", job_id="job-1"),
            "The compile had not ended when this command left; it may still go on in Unity; "
            "`unity-bridge jobs job-1 --wait` waits for its end.",
        ),
    ],
)
def test_trouble_is_told_in_words(end: JobEnd, words: str) -> None:
    assert trouble(end, "The compile") == words


EMPTY = Followed(JobEnd("succeeded", {"summary": {"total": 0}, "failed_tests": []}, job_id="job-1"), {}, True)


@pytest.mark.parametrize("allow_empty, status", [(False, 1), (True, 0)])
def test_a_run_without_a_test_is_well_only_where_that_is_allowed(
    allow_empty: bool, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _report(EMPTY, as_json=True, allow_empty=allow_empty) == status
    said = capsys.readouterr()
    assert json.loads(said.out)["ok"] is (status == 0)
    assert "No test matches" in said.err


def test_one_envelope_for_everything() -> None:
    assert envelope(True, {"a": 1}, job_id="job-1") == {"ok": True, "result": {"a": 1}, "job_id": "job-1"}
    assert envelope(False, {"a": 1}) == {"ok": False, "result": {"a": 1}}
    assert envelope(False, {"a": 1}, ERROR) == {"ok": False, "error": ERROR}


def test_found_faults_are_a_result_and_a_job_that_was_left_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    put_envelope(Followed(JobEnd("failed", {"ok": False}, job_id="job-1"), {}, True), "The compile")
    assert json.loads(capsys.readouterr().out) == {"ok": False, "result": {"ok": False}, "job_id": "job-1"}
    put_envelope(Followed(JobEnd("left", stopped_by=Stop.SIGINT, job_id="job-1"), {}, True), "The compile")
    told = json.loads(capsys.readouterr().out)
    assert told["ok"] is False and "may still go on" in told["error"]["message"] and told["job_id"] == "job-1"
