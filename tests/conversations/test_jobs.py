"""SPEC §5: a test run, from run_tests to its end, whatever happens to the connection on the way."""

from __future__ import annotations

from typing import Any, Dict

import pytest

from tests.fakes import InMemoryBridge, PendingCall
from tests.tool_results import CONSOLE, PASSED
from unity_bridge.config import Config
from unity_bridge.core.ledger.records import CancelProgress

FAILED: Dict[str, Any] = {
    "summary": {"total": 3, "passed": 2, "failed": 1, "skipped": 0, "duration_ms": 120},
    "failed_tests": [{"name": "A.B", "message": "expected 1", "stack_trace": "at A.B ()"}],
    "code_fresh": True,
}


def running_job(bridge: InMemoryBridge, **arguments: Any) -> str:
    """A job that Unity has accepted."""
    job = bridge.agent.runs_tests(**arguments)
    bridge.editor.accepts_job()
    return job


def test_run_tests_is_answered_at_once_and_submitted_with_our_id(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls(
        "run_tests", wait_ms=0, mode="edit", filter="Game.Tests", client_request_id="me-1"
    )
    assert call.answer["state"] == "queued"
    submitted = bridge.editor.last("submit_job")
    assert submitted["job_id"] == call.answer["job_id"]
    assert submitted["params"] == {
        "mode": "edit",
        "filter": "Game.Tests",
        "refresh": True,
        "unsaved": "refuse",
        "changed_scenes": "refuse",
        "include_passed": False,
    }
    assert (submitted["timeout_ms"], submitted["client_request_id"]) == (300000, "me-1")


def test_a_question_that_waits_is_answered_at_the_end_of_the_job_and_not_when_it_begins(
    bridge: InMemoryBridge,
) -> None:
    # SPEC §15.2
    bridge.editor.connects()
    bridge.agent.calls("read_console")  # so that the job stays in the queue
    job = bridge.agent.runs_tests()
    waiting = bridge.agent.asks(job, wait_ms=5000)
    bridge.editor.answers(CONSOLE).accepts_job()
    assert bridge.job(job).state.value == "running" and not waiting.is_answered
    bridge.advance(1)
    bridge.editor.reports_job("cancelled")
    assert waiting.answer["state"] == "cancelled"


def test_a_running_job_has_progress_and_an_ended_one_its_result(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = running_job(bridge)
    status = bridge.agent.asks(job)
    bridge.editor.reports_job(
        "running", progress={"completed": 1, "total": 3, "current_test": "A.B"}
    )
    assert status.answer == {
        "job_id": job,
        "tool": "run_tests",
        "state": "running",
        "progress": {"completed": 1, "total": 3, "current_test": "A.B"},
        "result": None,
    }
    status = bridge.agent.asks(job)
    bridge.editor.reports_job("succeeded", result=PASSED)
    assert (status.answer["state"], status.answer["result"]) == ("succeeded", PASSED)


def test_a_run_with_failed_tests_is_failed_with_its_full_result_and_no_error(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    job = running_job(bridge)
    bridge.advance(1)
    bridge.editor.reports_job("failed", result=FAILED)
    status = bridge.agent.asks(job).answer
    assert (status["state"], status["result"]) == ("failed", FAILED)
    assert "error" not in status


def test_a_run_that_could_not_be_carried_out_has_an_error(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = running_job(bridge)
    bridge.advance(1)
    bridge.editor.reports_job(
        "failed", error={"code": "ERR_UNITY_EXECUTION", "message": "play mode", "details": {"x": 1}}
    )
    error = bridge.agent.asks(job).answer["error"]
    assert (error["code"], error["message"], error["details"]["unity"]["x"]) == (
        "ERR_UNITY_EXECUTION",
        'Unity says: "play mode"',
        1,
    )
    assert error["details"]["execution_guarantee"] == "completed_error"


@pytest.mark.parametrize("state", ["succeeded", "failed", "cancelled", "timeout"])
def test_unitys_end_is_ours_and_is_set_once(bridge: InMemoryBridge, state: str) -> None:
    bridge.editor.connects()
    job = running_job(bridge)
    bridge.advance(1)
    bridge.editor.reports_job(state, result=PASSED)
    asked = bridge.editor.last("get_job_status")
    bridge.editor.says("job_status", request_id=asked["request_id"], job_id=job, state="running")
    assert bridge.agent.asks(job).answer["state"] == state


def test_the_server_asks_by_itself_so_the_result_survives_the_editors_exit(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    job = running_job(bridge)
    bridge.advance(0.9)
    assert bridge.editor.heard("get_job_status") == []
    bridge.advance(0.2)
    bridge.editor.reports_job("succeeded", result=PASSED)
    bridge.editor.vanishes()
    bridge.advance(600)
    assert bridge.agent.asks(job).answer["result"] == PASSED


def test_it_does_not_ask_while_the_queue_has_work(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    running_job(bridge)
    bridge.agent.calls("read_console", timeout_ms=5000)
    bridge.advance(3)
    assert bridge.editor.heard("get_job_status") == []
    bridge.editor.answers(CONSOLE)
    assert len(bridge.editor.heard("get_job_status")) == 1


def test_other_calls_pass_while_a_job_runs_and_a_second_job_is_submitted_in_its_turn(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    running_job(bridge)
    call = bridge.agent.calls("read_console")
    bridge.editor.answers(CONSOLE)
    assert call.is_answered
    second = bridge.agent.runs_tests()
    assert bridge.editor.last("submit_job")["job_id"] == second


def test_no_answer_to_the_submission_fails_the_job_asks_unity_to_cancel_and_frees_the_queue(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    waiting = bridge.agent.calls("read_console")
    bridge.advance(30)
    error = bridge.job(job).error
    assert (
        error is not None
        and error.code.value == "ERR_REQUEST_TIMEOUT"
        and error.guarantee.value == "unknown"
    )
    bridge.editor.answers(CONSOLE)
    assert waiting.is_answered
    cancel = bridge.editor.last("cancel")
    assert cancel["target_job_id"] == job
    assert cancel["target_request_id"] == bridge.editor.last("submit_job")["request_id"]
    bridge.editor.accepts_job()
    assert bridge.job(job).state.value == "failed", "a late acceptance moves nothing"


def test_a_job_past_its_timeout_times_out_and_unity_is_asked_to_cancel(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    job = running_job(bridge, timeout_ms=5000)
    for _ in range(4):
        bridge.advance(1)
        bridge.editor.reports_job("running")
    bridge.advance(1)
    bridge.editor.reports_job("running")
    assert bridge.job(job).state.value == "timeout"
    assert bridge.editor.last("cancel")["target_job_id"] == job
    bridge.editor.answers_cancel()
    status = bridge.agent.asks(job).answer
    assert (status["state"], status["error"]["code"]) == ("timeout", "ERR_REQUEST_TIMEOUT")


# The connection breaks.


def test_a_submission_that_arrived_though_its_answer_was_lost_is_not_sent_again(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    bridge.editor.vanishes()
    bridge.editor.connects(jobs=[job])
    assert bridge.editor.heard("submit_job") == []
    assert bridge.editor.last("get_job_status")["job_id"] == job
    bridge.editor.reports_job("running")
    bridge.advance(1)
    bridge.editor.reports_job("succeeded", result=PASSED)
    assert bridge.agent.asks(job).answer["state"] == "succeeded"


def test_a_submission_that_never_arrived_is_submitted_again_once(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    bridge.editor.vanishes()
    bridge.editor.connects(jobs=[])
    bridge.editor.refuses("get_job_status", "ERR_JOB_NOT_FOUND")
    assert [m["job_id"] for m in bridge.editor.heard("submit_job")] == [job]
    bridge.editor.accepts_job()
    assert bridge.job(job).state.value == "running"


def test_the_question_is_asked_again_when_it_is_lost_too(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    bridge.editor.vanishes()
    bridge.editor.connects()
    bridge.editor.vanishes()
    bridge.editor.connects("compiling")
    assert bridge.editor.heard("get_job_status") == [], "an editor that compiles is not asked"
    bridge.editor.becomes("ready")
    bridge.editor.reports_job("running")
    assert bridge.job(job).accepted


def test_an_answer_of_no_use_to_that_question_is_asked_for_again_later(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    bridge.editor.vanishes()
    bridge.editor.connects()
    bridge.editor.refuses("get_job_status", "ERR_UNITY_EXECUTION")
    bridge.advance(1)
    assert len(bridge.editor.heard("get_job_status")) == 2
    bridge.editor.reports_job("running")
    assert bridge.job(job).accepted


def test_a_question_about_an_unknown_job_waits_for_a_reload(bridge: InMemoryBridge) -> None:
    bridge.editor.connects("reloading").vanishes(1001)
    call = bridge.agent.asks("u-7", wait_ms=40_000)
    bridge.advance(30)
    assert not call.is_answered
    bridge.editor.connects()
    bridge.editor.refuses("get_job_status", "ERR_JOB_NOT_FOUND")
    assert call.code == "ERR_JOB_NOT_FOUND"


def test_a_question_in_the_queue_waits_for_a_reload_too(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    bridge.agent.calls("read_console")
    known, unknown = bridge.agent.asks("u-7"), bridge.agent.asks("u-8", wait_ms=40_000)
    bridge.editor.reloads()
    assert known.code == "ERR_EDITOR_NOT_READY" and not unknown.is_answered
    bridge.editor.connects(
        "compiling", jobs=[{"job_id": "u-8", "tool": "compile", "state": "running"}]
    )
    assert not unknown.is_answered  # from here on it waits for the job
    bridge.advance(40)
    assert (unknown.answer["state"], unknown.answer["stale"]) == ("running", True)


@pytest.mark.parametrize("wait_ms, waits_s", [(5_000, 5.0), (50_000, 50.0)])
def test_a_question_about_an_unknown_job_waits_no_longer_than_its_client(
    bridge: InMemoryBridge, wait_ms: int, waits_s: float
) -> None:
    bridge.editor.connects("compiling")
    call = bridge.agent.asks("u-7", wait_ms=wait_ms)
    bridge.advance(waits_s - 0.1)
    assert not call.is_answered
    bridge.advance(0.1)
    assert (call.code, call.error["retryable"]) == ("ERR_EDITOR_NOT_READY", True)


def test_a_question_about_an_unknown_job_waits_no_longer_than_any_call_for_an_editor(
    bridge: InMemoryBridge,
) -> None:
    call = bridge.agent.asks("u-7", wait_ms=50_000)
    bridge.advance(2.5)
    assert call.code == "ERR_EDITOR_NOT_READY"


def test_a_question_about_an_unknown_job_does_not_wait_where_no_editor_can_connect() -> None:
    bridge = InMemoryBridge(listening=False)
    before = bridge.agent.asks("u-7", wait_ms=50_000)
    bridge.port_is_taken()
    after = bridge.agent.asks("u-7", wait_ms=50_000)
    assert [call.error["details"]["reason"] for call in (before, after)] == ["port_in_use"] * 2


def test_a_job_that_ended_is_not_asked_whether_it_arrived(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests(timeout_ms=3000)
    bridge.editor.vanishes()
    bridge.editor.connects()
    asked = len(bridge.editor.heard("get_job_status"))
    bridge.advance(30)
    assert bridge.job(job).state.value == "timeout"
    assert len(bridge.editor.heard("get_job_status")) == asked == 1


def test_a_submission_is_resolved_before_anything_else_is_sent(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    bridge.agent.calls("read_console")
    bridge.editor.vanishes()
    bridge.editor.connects()
    assert bridge.editor.heard("execute") == []
    bridge.editor.refuses("get_job_status", "ERR_JOB_NOT_FOUND")
    assert bridge.editor.last("submit_job")["job_id"] == job
    bridge.editor.accepts_job()
    assert len(bridge.editor.heard("execute")) == 1


def test_a_plugin_that_chose_its_own_id_is_mapped(bridge: InMemoryBridge) -> None:
    bridge.editor.instance_id = None
    bridge.editor.connects(jobs=None)
    job = bridge.agent.runs_tests()
    bridge.editor.accepts_job("job-1001")
    status = bridge.agent.asks(job)
    assert bridge.editor.last("get_job_status")["job_id"] == "job-1001"
    bridge.editor.reports_job("succeeded", result=PASSED)
    assert status.answer["job_id"] == job and status.answer["state"] == "succeeded"


def test_a_plugin_with_its_own_ids_that_breaks_off_in_the_gap_is_never_asked_to_run_it_again(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.instance_id = None
    bridge.editor.connects(jobs=None)
    job = bridge.agent.runs_tests()
    bridge.editor.vanishes()
    error = bridge.agent.asks(job).answer["error"]
    assert (error["code"], error["details"]["execution_guarantee"]) == (
        "ERR_RECONNECT_TIMEOUT",
        "unknown",
    )
    bridge.editor.connects(jobs=[])
    assert bridge.editor.heard("submit_job") == [], (
        "also not after an update to a plugin that adopts our ids"
    )


def test_not_known_counts_only_from_the_editor_process_that_got_the_job(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.instance_id = None
    bridge.editor.connects(jobs=[])
    job = bridge.agent.runs_tests()
    bridge.editor.vanishes()
    bridge.editor.connects(jobs=[])
    bridge.editor.refuses("get_job_status", "ERR_JOB_NOT_FOUND")
    assert bridge.editor.heard("submit_job") == []
    assert bridge.agent.asks(job).answer["error"]["code"] == "ERR_RECONNECT_TIMEOUT"


def test_a_running_job_outlives_a_domain_reload(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = running_job(bridge, mode="play")
    bridge.editor.reloads()
    bridge.advance(20)
    assert bridge.agent.asks(job).answer["stale"] is True
    bridge.editor.connects(jobs=[job])
    assert bridge.editor.last("get_job_status")["job_id"] == job, "it is asked for at once"
    bridge.editor.reports_job("succeeded", result=PASSED)
    assert bridge.agent.asks(job).answer["state"] == "succeeded"


def test_a_running_job_whose_editor_stays_away_is_lost(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = running_job(bridge)
    bridge.editor.vanishes()
    bridge.advance(59.9)
    assert bridge.job(job).state.value == "running"
    bridge.advance(0.2)
    error = bridge.agent.asks(job).answer["error"]
    assert (error["code"], error["details"]["execution_guarantee"]) == (
        "ERR_RECONNECT_TIMEOUT",
        "unknown",
    )


def test_a_job_is_lost_when_another_editor_process_comes_back(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = running_job(bridge)
    bridge.editor.vanishes()
    bridge.another_editor().connects(jobs=[])
    assert bridge.job(job).state.value == "failed"
    assert bridge.agent.asks(job).answer["error"]["code"] == "ERR_RECONNECT_TIMEOUT"


def test_a_restarted_editor_that_kept_the_jobs_end_still_reports_it(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = running_job(bridge)
    bridge.editor.vanishes()
    bridge.editor = bridge.another_editor().connects(jobs=[job])
    bridge.editor.reports_job("succeeded", result=PASSED)
    assert bridge.agent.asks(job).answer["result"] == PASSED


def test_a_running_job_that_unity_no_longer_knows_is_lost(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = running_job(bridge)
    status = bridge.agent.asks(job)
    bridge.editor.refuses("get_job_status", "ERR_JOB_NOT_FOUND")
    assert status.answer["state"] == "failed"
    assert status.answer["error"]["code"] == "ERR_RECONNECT_TIMEOUT"


def test_a_malformed_result_ends_the_job_as_an_invalid_response(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = running_job(bridge)
    bridge.advance(1)
    bridge.editor.reports_job("succeeded", result={"summary": "fine"})
    error = bridge.agent.asks(job).answer["error"]
    # Unity carried it out; there is no success to report all the same.
    assert (error["code"], error["details"]["execution_guarantee"]) == (
        "ERR_INVALID_RESPONSE",
        "completed_error",
    )


def test_a_result_that_is_no_object_ends_the_job_at_its_first_status(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    job = running_job(bridge)
    bridge.advance(1)
    question = bridge.editor.heard("get_job_status")[-1]
    answer = {
        "request_id": question["request_id"],
        "job_id": question["job_id"],
        "state": "succeeded",
    }
    bridge.editor.says_anything("job_status", **answer, result=["fine"])
    error = bridge.agent.asks(job).answer["error"]
    assert (error["code"], error["details"]["execution_guarantee"]) == (
        "ERR_INVALID_RESPONSE",
        "unknown",
    )


def test_one_bad_member_does_not_cost_the_result(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = running_job(bridge)
    bridge.advance(1)
    summary = {"total": 2, "passed": 2, "failed": 0}
    failed = [{"name": None, "message": "x"}]
    bridge.editor.reports_job(
        "succeeded", result={"summary": summary, "failed_tests": failed, "code_fresh": True}
    )
    status = bridge.agent.asks(job).answer
    assert (status["state"], status["result"]["failed_tests"][0]["name"]) == (
        "failed",
        "(the run itself)",
    )
    assert "failed_tests[0]" in status["result"]["remarks"][0]


def test_a_submission_that_could_not_leave_keeps_its_place_for_the_editor_that_comes_back(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects().fades()
    job = bridge.agent.runs_tests()
    assert bridge.job(job).state.value == "queued"
    bridge.agent.calls("read_console")
    bridge.editor.connects()
    assert bridge.editor.last("submit_job")["job_id"] == job, "first come, first served"
    bridge.editor.accepts_job()
    assert len(bridge.editor.heard("execute")) == 1
    bridge.advance(299)
    assert bridge.job(job).state.value == "running", "its own time counts from when it left"


def test_a_submission_that_could_not_leave_waits_no_longer_than_any_other(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects().fades()
    job = bridge.agent.runs_tests()
    bridge.editor.vanishes()
    bridge.advance(2.5)
    error = bridge.job(job).error
    assert error is not None and (error.code.value, error.guarantee.value) == (
        "ERR_EDITOR_NOT_READY",
        "not_executed",
    )


def test_a_second_submission_that_could_not_be_sent_is_resolved_by_asking_again(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    bridge.editor.vanishes()
    bridge.editor.connects()
    assert bridge.editor.last("get_job_status")["job_id"] == job
    bridge.editor.fades().refuses(
        "get_job_status", "ERR_JOB_NOT_FOUND"
    )  # the last that came through
    bridge.editor.connects()
    assert bridge.editor.last("get_job_status")["job_id"] == job
    bridge.editor.refuses("get_job_status", "ERR_JOB_NOT_FOUND")
    assert bridge.editor.last("submit_job")["job_id"] == job


def test_a_submission_over_the_message_limit_fails_as_not_executed(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests(filter="x" * 1_100_000)
    error = bridge.agent.asks(job).answer["error"]
    assert (error["code"], error["details"]["execution_guarantee"]) == (
        "ERR_INVALID_PARAMS",
        "not_executed",
    )


# Jobs of an earlier server (SPEC §14.3).


def test_a_job_of_an_earlier_server_is_asked_for_in_unity(bridge: InMemoryBridge) -> None:
    bridge.editor.connects(jobs=["job-before-1"])
    status = bridge.agent.asks("job-before-1")
    bridge.editor.reports_job(
        "running", progress={"completed": 1, "total": 2, "current_test": None}
    )
    assert status.answer["state"] == "running"
    bridge.advance(1)
    bridge.editor.reports_job("succeeded", result=PASSED)
    assert bridge.agent.asks("job-before-1").answer["result"] == PASSED


def test_an_unknown_job_is_an_error(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    for tool in ("get_job_status", "cancel_job"):
        call = bridge.agent.calls(tool, job_id="job-nobody")
        bridge.editor.refuses("get_job_status", "ERR_JOB_NOT_FOUND")
        assert (call.code, call.guarantee) == ("ERR_JOB_NOT_FOUND", "not_executed")


def test_an_unknown_job_is_not_ready_while_unity_cannot_be_asked(bridge: InMemoryBridge) -> None:
    call = bridge.agent.asks("job-before-1")
    assert (call.code, call.error["retryable"]) == ("ERR_EDITOR_NOT_READY", True)
    bridge.editor.connects()
    call = bridge.agent.asks("job-before-1")
    bridge.editor.vanishes()
    assert call.code == "ERR_EDITOR_NOT_READY"


def test_cancelling_a_job_of_an_earlier_server(bridge: InMemoryBridge) -> None:
    bridge.editor.connects(jobs=["job-before-1"])
    call = bridge.agent.calls("cancel_job", job_id="job-before-1")
    bridge.editor.reports_job("running")
    assert call.answer["status"] == "cancel_requested"
    assert bridge.editor.last("cancel")["target_job_id"] == "job-before-1"


# Waiting instead of polling.


def test_wait_ms_is_answered_when_the_job_ends(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = running_job(bridge)
    status = bridge.agent.asks(job, wait_ms=10000)
    bridge.editor.reports_job("running", progress={"completed": 1, "total": 3, "current_test": "A"})
    assert not status.is_answered
    bridge.advance(1)
    bridge.editor.reports_job("running", progress={"completed": 2, "total": 3, "current_test": "B"})
    bridge.advance(1)
    bridge.editor.reports_job("succeeded", result=PASSED)
    assert status.answer["state"] == "succeeded"
    assert [p.completed for p in status.progress if p.step is None] == [1, 1, 2, 2], (
        "every second, and each change"
    )


def test_the_first_hundred_calls_that_wait_for_one_job_get_its_progress() -> None:
    bridge = InMemoryBridge(Config(queue_max_size=1))
    bridge.editor.connects()
    running_job(bridge, client_request_id="k")

    def waits() -> PendingCall:
        return bridge.agent.calls("run_tests", client_request_id="k", wait_ms=50000)

    for _ in range(2):
        waits()  # a question to Unity under way, another in the queue, and the others find it full
    crowd = [waits() for _ in range(150)]
    assert {len(call.progress) for call in crowd} == {1}, "each hears where it stands"
    bridge.editor.reports_job("running", progress={"completed": 1, "total": 3, "current_test": "A"})
    assert [call.progress[-1].completed for call in crowd] == [1] * 100 + [None] * 50

    bridge.agent.gives_up(crowd[0])
    bridge.advance(1)
    bridge.editor.reports_job("running", progress={"completed": 2, "total": 3, "current_test": "B"})
    assert [call.progress[-1].completed for call in crowd[1:]] == [2] * 100 + [None] * 49, (
        "the next one moves up"
    )
    bridge.advance(1)
    bridge.editor.reports_job("succeeded", result=PASSED)
    assert all(call.answer["state"] == "succeeded" for call in crowd[1:])
    bridge.stop()


def test_a_wait_that_ends_first_is_answered_with_the_last_progress(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = running_job(bridge)
    status = bridge.agent.asks(job, wait_ms=1500)
    bridge.editor.reports_job("running")
    bridge.advance(1)
    bridge.editor.reports_job("running", progress={"completed": 2, "total": 3, "current_test": "B"})
    bridge.advance(0.5)
    assert status.answer["progress"]["completed"] == 2
    assert "stale" not in status.answer


def test_wait_ms_on_a_queued_job_goes_on_when_it_runs(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    bridge.agent.calls("read_console")
    job = bridge.agent.runs_tests()
    status = bridge.agent.asks(job, wait_ms=10000)
    bridge.editor.answers(CONSOLE)
    bridge.editor.accepts_job()
    bridge.editor.reports_job("running")
    assert not status.is_answered
    bridge.advance(1)
    bridge.editor.reports_job("succeeded", result=PASSED)
    assert status.answer["state"] == "succeeded"


def test_wait_ms_goes_on_through_a_reload(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = running_job(bridge)
    status = bridge.agent.asks(job, wait_ms=10000)
    bridge.editor.reloads()
    bridge.advance(3)
    assert not status.is_answered
    bridge.editor.connects(jobs=[job])
    bridge.editor.reports_job("succeeded", result=PASSED)
    assert status.answer["state"] == "succeeded"


def test_wait_ms_over_while_the_editor_is_away_says_so(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = running_job(bridge)
    bridge.editor.reloads()
    status = bridge.agent.asks(job, wait_ms=2000)
    bridge.advance(2)
    assert (status.answer["state"], status.answer["stale"]) == ("running", True)


def test_an_unanswered_question_is_answered_from_the_ledger(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = running_job(bridge)
    status = bridge.agent.asks(job)
    bridge.advance(5)
    assert (status.answer["state"], status.answer["stale"]) == ("running", True)


def test_a_question_in_flight_when_the_connection_breaks_is_answered_from_the_ledger(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    job = running_job(bridge)
    status = bridge.agent.asks(job)
    bridge.editor.vanishes()
    assert status.answer["stale"] is True


def test_a_question_in_the_queue_when_the_compile_begins_is_answered_from_the_ledger(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    job = running_job(bridge)
    bridge.agent.calls("read_console")
    status = bridge.agent.asks(job)
    bridge.editor.becomes("compiling")
    assert status.answer["stale"] is True


def test_a_watch_that_its_client_gives_up_ends_quietly(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = running_job(bridge)
    status = bridge.agent.asks(job, wait_ms=10000)
    bridge.editor.reports_job("running")
    bridge.agent.gives_up(status)
    assert not status.is_answered
    assert bridge.open_requests == []


def test_invalid_progress_is_left_out(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = running_job(bridge)
    status = bridge.agent.asks(job)
    bridge.editor.reports_job("running", progress={"completed": "three"})
    assert status.answer["progress"] is None


# Keeping.


@pytest.mark.slow
def test_ended_jobs_are_kept_for_half_an_hour_and_the_last_256_for_longer(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    jobs = []
    for _ in range(258):
        jobs.append(bridge.agent.runs_tests())
        bridge.editor.refuses("submit_job", "ERR_UNITY_EXECUTION")
    assert bridge.agent.asks(jobs[0]).answer["state"] == "failed", (
        "all of them ended within half an hour"
    )
    bridge.advance(1801)
    bridge.agent.runs_tests()
    assert bridge.stores.jobs.get(jobs[0]) is None and bridge.stores.jobs.get(jobs[1]) is None
    assert bridge.job(jobs[2]).state.value == "failed"


# Cancel (SPEC §6).


def test_cancelling_a_queued_job_it_is_never_sent(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    bridge.agent.calls("read_console")
    job = bridge.agent.runs_tests()
    watching = bridge.agent.asks(job, wait_ms=10000)
    assert bridge.agent.calls("cancel_job", job_id=job).answer == {
        "job_id": job,
        "status": "cancelled",
    }
    assert watching.answer["state"] == "cancelled"
    bridge.editor.answers(CONSOLE)
    assert bridge.editor.heard("submit_job") == []


def test_cancelling_a_running_job_the_end_comes_from_unity(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = running_job(bridge)
    assert bridge.agent.calls("cancel_job", job_id=job).answer["status"] == "cancel_requested"
    assert bridge.editor.last("cancel")["target_job_id"] == job
    bridge.editor.answers_cancel()
    assert bridge.job(job).state.value == "running"
    bridge.editor.reports_job("cancelled")
    assert bridge.agent.asks(job).answer["state"] == "cancelled"


def test_a_second_cancel_of_a_running_job_is_not_sent_again(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = running_job(bridge)
    for _ in range(2):
        assert bridge.agent.calls("cancel_job", job_id=job).answer["status"] == "cancel_requested"
    bridge.editor.answers_cancel()
    assert len(bridge.editor.heard("cancel")) == 1


def test_cancelling_an_ended_job_is_rejected(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    bridge.editor.refuses("submit_job", "ERR_UNITY_EXECUTION")
    assert bridge.agent.calls("cancel_job", job_id=job).answer["status"] == "rejected"


def test_a_cancel_while_the_editor_is_away_goes_when_it_is_back(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = running_job(bridge)
    bridge.editor.reloads()
    assert bridge.agent.calls("cancel_job", job_id=job).answer["status"] == "cancel_requested"
    bridge.editor.connects(jobs=[job])
    assert bridge.editor.last("cancel")["target_job_id"] == job


def test_a_cancel_whose_answer_was_lost_is_said_again_only_after_asking(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    job = running_job(bridge)
    bridge.agent.calls("cancel_job", job_id=job)
    bridge.editor.vanishes()
    bridge.editor.connects(jobs=[job])
    assert bridge.editor.heard("cancel") == []
    bridge.editor.reports_job("running")
    assert len(bridge.editor.heard("cancel")) == 1
    bridge.editor.answers_cancel()
    assert bridge.job(job).cancel is CancelProgress.ANSWERED


def test_a_cancel_whose_answer_was_lost_is_not_said_again_to_a_job_that_ended(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    job = running_job(bridge)
    bridge.agent.calls("cancel_job", job_id=job)
    bridge.editor.vanishes()
    bridge.editor.connects(jobs=[job])
    bridge.editor.reports_job("cancelled")
    assert bridge.editor.heard("cancel") == []
    assert bridge.job(job).state.value == "cancelled"


def test_a_cancel_that_unity_never_answers_frees_the_queue(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = running_job(bridge)
    bridge.agent.calls("cancel_job", job_id=job)
    call = bridge.agent.calls("read_console")
    bridge.advance(5)
    bridge.editor.answers(CONSOLE)
    assert call.is_answered


def test_cancel_job_of_a_request_is_not_supported(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    read = bridge.agent.calls("read_console")
    call = bridge.agent.calls("cancel_job", job_id=read.request_id)
    assert (call.code, call.guarantee) == ("ERR_CANCEL_NOT_SUPPORTED", "not_executed")


def test_an_unknown_job_cannot_be_asked_for_while_another_program_has_the_port() -> None:
    bridge = InMemoryBridge(listening=False)
    bridge.port_is_taken()
    error = bridge.agent.asks("job-of-yesterday").error
    assert (error["code"], error["details"]["reason"]) == ("ERR_EDITOR_NOT_READY", "port_in_use")


def test_a_cancel_that_unity_rejects_is_shown_in_the_status_while_the_job_runs(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    job = running_job(bridge)
    call = bridge.agent.calls("cancel_job", job_id=job)
    bridge.editor.answers_cancel("rejected")
    assert call.answer["status"] == "cancel_requested"
    bridge.editor.reports_job("running")
    goes_on = bridge.agent.asks(job)
    bridge.editor.reports_job("running")
    assert goes_on.answer["cancel_rejected"] is True
    ended = bridge.agent.asks(job)
    bridge.editor.reports_job("succeeded", result=PASSED)
    assert ended.answer["state"] == "succeeded" and "cancel_rejected" not in ended.answer


YESTERDAY = "job-0123abcd-7"


@pytest.mark.parametrize("tool", ["cancel_job", "get_job_status"])
def test_a_client_that_starts_a_server_for_each_call_can_stop_its_job_and_ask_for_it(
    tool: str,
) -> None:
    bridge = InMemoryBridge()
    call = bridge.agent.calls(tool, job_id=YESTERDAY)
    assert not call.is_answered, "the editor may be on its way, as for a read"
    bridge.advance(1)
    bridge.editor.connects("compiling", jobs=[YESTERDAY])
    bridge.editor.says("editor_status", state="ready", seq=1)
    bridge.editor.reports_job("running")
    if tool == "cancel_job":
        bridge.editor.answers_cancel()
        assert call.answer == {"job_id": YESTERDAY, "status": "cancel_requested"}
    else:
        assert call.answer["state"] == "running"


@pytest.mark.parametrize("tool", ["cancel_job", "get_job_status"])
def test_such_a_question_waits_as_long_as_a_read(tool: str) -> None:
    bridge = InMemoryBridge()
    call, malformed = (
        bridge.agent.calls(tool, job_id=YESTERDAY),
        bridge.agent.calls(tool, job_id="job-1"),
    )
    assert malformed.code == "ERR_EDITOR_NOT_READY"
    bridge.advance(2.4)
    assert not call.is_answered
    bridge.advance(0.2)
    assert call.code == "ERR_EDITOR_NOT_READY"
    assert bridge.agent.calls(tool, job_id=YESTERDAY).is_answered, (
        "no editor is on its way any more"
    )
