"""SPEC §15: one call starts a job and answers with its end. Shown with ``compile``; the same holds
for any job.
"""

from __future__ import annotations

from typing import Any, Dict

import pytest

from tests.fakes import InMemoryBridge
from tests.tool_results import CONSOLE
from unity_bridge.base.result import Ok
from unity_bridge.core.ledger.deadlines import Due

COMPILED: Dict[str, Any] = {
    "ok": True,
    "changed": True,
    "reloaded": True,
    "duration_ms": 4200,
    "error_count": 0,
    "warning_count": 1,
    "errors": [],
    "truncated": False,
}
ERRORS: Dict[str, Any] = {
    **COMPILED,
    "ok": False,
    "reloaded": False,
    "error_count": 1,
    "errors": [
        {
            "file": "Assets/A.cs",
            "line": 3,
            "column": 7,
            "code": "CS0103",
            "message": "no 'x'",
            "assembly": "Game",
        }
    ],
}
LOGGED = {"errors": 1, "warnings": 0, "first": ["CS0103: no 'x'"], "next_cursor": "c-9"}


pytestmark = pytest.mark.usefixtures("connected")


# One call.


def test_the_call_answers_with_the_jobs_end(bridge: InMemoryBridge) -> None:
    call = bridge.agent.compiles(force=True, client_request_id="edit-1")
    submitted = bridge.editor.last("submit_job")
    assert (submitted["tool_name"], submitted["params"]) == (
        "compile",
        {"force": True, "warnings": False, "changed_scenes": "refuse"},
    )
    assert (submitted["client"]["id"], submitted["client_request_id"]) == ("client-test", "edit-1")
    bridge.editor.accepts_job()
    bridge.editor.reports_job("running", progress={"step": "importing", "for_ms": 20})
    assert not call.is_answered
    bridge.editor.reloads()
    bridge.advance(4)
    bridge.editor.connects(jobs=[submitted["job_id"]])
    bridge.editor.reports_job("succeeded", result=COMPILED, tool_name="compile", console=LOGGED)
    assert call.answer == {
        "job_id": submitted["job_id"],
        "tool": "compile",
        "state": "succeeded",
        "progress": None,
        "result": COMPILED,
        "console": LOGGED,
    }


def test_scripts_that_do_not_compile_are_a_result_and_no_error(bridge: InMemoryBridge) -> None:
    call = bridge.agent.compiles()
    bridge.editor.accepts_job()
    bridge.editor.reports_job("failed", result=ERRORS)
    assert (call.answer["state"], call.answer["result"]) == ("failed", ERRORS)
    assert "error" not in call.answer


def test_a_submission_that_the_editor_refuses_has_not_run_and_says_why(
    bridge: InMemoryBridge,
) -> None:
    call = bridge.agent.compiles()
    error = {
        "code": "ERR_UNITY_EXECUTION",
        "message": "Leave play mode first.",
        "details": {"reason": "playing"},
    }
    bridge.editor.says(
        "error", request_id=bridge.editor.last("submit_job")["request_id"], error=error
    )
    failure = call.answer["error"]
    assert (call.answer["state"], failure["details"]["reason"]) == ("failed", "playing")
    assert failure["message"] == 'Unity says: "Leave play mode first."'
    assert failure["details"]["execution_guarantee"] == "not_executed"


def test_it_answers_with_what_is_known_when_it_has_waited_long_enough(
    bridge: InMemoryBridge,
) -> None:
    call = bridge.agent.compiles(wait_ms=2500)
    bridge.advance(0.5)
    bridge.editor.accepts_job()
    bridge.editor.reports_job("running")
    bridge.editor.becomes("compiling")
    bridge.advance(1.9)
    assert not call.is_answered
    bridge.advance(0.1)
    job = call.answer["job_id"]
    assert call.answer == {
        "job_id": job,
        "tool": "compile",
        "state": "running",
        "progress": {"step": "compiling", "for_ms": 2000},
        "result": None,
    }
    bridge.editor.becomes("ready")
    later = bridge.agent.asks(job, wait_ms=50000)
    bridge.editor.reports_job("running")
    bridge.advance(1)
    bridge.editor.reports_job("succeeded", result=COMPILED)
    assert later.answer["state"] == "succeeded"


def test_an_old_status_is_stale(bridge: InMemoryBridge) -> None:
    call = bridge.agent.compiles()
    bridge.editor.accepts_job()
    bridge.editor.becomes("compiling")
    bridge.advance(50)
    assert (call.answer["state"], call.answer["stale"]) == ("running", True)


def test_a_waiting_call_delays_no_other(bridge: InMemoryBridge) -> None:
    waiting = bridge.agent.compiles()
    bridge.editor.accepts_job()
    bridge.editor.reports_job("running")
    read = bridge.agent.calls("read_console")
    bridge.editor.answers(CONSOLE)
    assert read.is_answered and not waiting.is_answered


def test_a_wait_counts_from_the_calls_arrival_also_while_the_editor_is_busy(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.becomes("compiling")
    call = bridge.agent.compiles(wait_ms=5000)
    bridge.advance(6)
    assert not call.is_answered, "there is no job yet that could be reported"
    bridge.editor.becomes("ready")
    assert call.answer["state"] == "queued"
    assert bridge.editor.last("submit_job")["job_id"] == call.answer["job_id"]


def test_several_calls_wait_for_one_job(bridge: InMemoryBridge) -> None:
    first = bridge.agent.compiles()
    bridge.editor.accepts_job()
    job = bridge.editor.last("submit_job")["job_id"]
    bridge.editor.reports_job("running")
    second = bridge.agent.asks(job, wait_ms=20000)
    bridge.editor.reports_job("succeeded", result=COMPILED)
    assert first.answer == second.answer


# How far it is.


def test_progress_is_sent_every_second(bridge: InMemoryBridge) -> None:
    bridge.editor.is_deaf = False
    call = bridge.agent.compiles()
    bridge.editor.accepts_job()
    bridge.editor.reports_job("running", progress={"step": "importing", "for_ms": 0})
    bridge.editor.becomes("compiling")
    bridge.advance(3)
    messages = [progress.message for progress in call.progress]
    assert messages[-3:] == ["compiling, 1 s", "compiling, 2 s", "compiling, 3 s"]
    assert "importing, 0 s" in messages


def test_a_step_goes_on_between_two_answers_of_unity(bridge: InMemoryBridge) -> None:
    call = bridge.agent.compiles()
    bridge.editor.accepts_job()
    bridge.editor.reports_job("running", progress={"step": "stalled", "for_ms": 4000})
    bridge.advance(2)
    assert call.progress[-1].message == "stalled, 6 s"
    job = bridge.editor.last("submit_job")["job_id"]
    bridge.editor.reports_job("running", progress={"step": "stalled", "for_ms": 6000})
    asked = bridge.agent.asks(job)
    bridge.editor.reports_job("running", progress={"step": "stalled", "for_ms": 7000})
    assert asked.answer["progress"] == {"step": "stalled", "for_ms": 7000}, (
        "an answer has Unity's own progress"
    )


def test_a_call_that_wants_no_progress_costs_no_deadline(bridge: InMemoryBridge) -> None:
    validated = bridge.validator.validate("compile", {})
    assert isinstance(validated, Ok)
    request_id = bridge.call_service.submit(validated.value, lambda outcome: None)
    bridge.drain()
    assert bridge.core.deadlines.has(Due.WAIT, request_id)
    assert not bridge.core.deadlines.has(Due.PROGRESS, request_id)


def test_a_job_that_waits_in_the_queue_says_so(bridge: InMemoryBridge) -> None:
    bridge.agent.calls("read_console")
    call = bridge.agent.compiles()
    bridge.advance(1)
    assert [progress.message for progress in call.progress] == ["waiting, 0 s", "waiting, 1 s"]


def test_a_job_is_asked_for_soon_where_a_call_waits_and_ever_more_slowly(
    bridge: InMemoryBridge,
) -> None:
    bridge.agent.compiles()
    bridge.editor.accepts_job()
    for asked in range(1, 10):
        assert len(bridge.editor.heard("get_job_status")) == asked
        bridge.editor.reports_job("running")
        bridge.advance(min(1.0, 0.02 * 2.0 ** (asked - 1)))


# The client cancels the call (SPEC §15.4).


def test_a_job_that_is_still_queued_ends_with_its_call(bridge: InMemoryBridge) -> None:
    bridge.agent.calls("read_console")
    call = bridge.agent.compiles()
    bridge.agent.gives_up(call)
    bridge.editor.answers(CONSOLE)
    assert bridge.editor.heard("submit_job") == [] and not call.is_answered
    (job,) = bridge.stores.jobs.all()
    assert job.state.value == "cancelled"


def test_a_running_job_runs_on_and_can_be_found(bridge: InMemoryBridge) -> None:
    call = bridge.agent.compiles()
    bridge.editor.accepts_job()
    bridge.agent.gives_up(call)
    assert bridge.editor.heard("cancel") == [] and not call.is_answered
    (job,) = bridge.agent.calls("get_editor_state").answer["running_jobs"]
    bridge.editor.reports_job("succeeded", result=COMPILED)
    assert bridge.agent.asks(job["job_id"]).answer["result"] == COMPILED


def test_the_last_cancel_of_several_waiting_calls_ends_the_job(bridge: InMemoryBridge) -> None:
    bridge.agent.calls("read_console")
    first, second = bridge.agent.compiles(), bridge.agent.compiles()
    bridge.agent.gives_up(first)
    (job,) = bridge.stores.jobs.all()
    assert job.state.value == "queued"
    bridge.agent.gives_up(second)
    assert bridge.job(job.id).state.value == "cancelled"


def test_a_queued_job_whose_id_a_client_has_is_not_ended_by_another_client(
    bridge: InMemoryBridge,
) -> None:
    bridge.agent.calls("read_console")
    first = bridge.agent.compiles(wait_ms=0)
    joined = bridge.agent.compiles()
    bridge.agent.gives_up(joined)
    assert bridge.job(first.answer["job_id"]).state.value == "queued"
    bridge.editor.answers(CONSOLE)
    assert bridge.editor.last("submit_job")["job_id"] == first.answer["job_id"]


def test_cancel_job_answers_the_call_that_waits(bridge: InMemoryBridge) -> None:
    bridge.agent.calls("read_console")
    call = bridge.agent.compiles()
    (job,) = bridge.stores.jobs.all()
    bridge.agent.calls("cancel_job", job_id=job.id)
    assert call.answer["state"] == "cancelled"


# Time is up.


def test_a_deadline_does_not_try_to_stop_what_cannot_be_stopped(bridge: InMemoryBridge) -> None:
    call = bridge.agent.compiles(timeout_ms=3000)
    bridge.editor.accepts_job()
    bridge.editor.becomes("compiling")
    bridge.advance(3)
    assert (call.answer["state"], call.answer["error"]["code"]) == (
        "timeout",
        "ERR_REQUEST_TIMEOUT",
    )
    assert "may still run" in call.answer["error"]["message"]
    bridge.editor.becomes("ready")
    assert bridge.editor.heard("cancel") == []


def test_a_running_compile_can_be_asked_to_stop_since_it_may_only_wait_there(
    bridge: InMemoryBridge,
) -> None:
    bridge.agent.compiles()
    bridge.editor.accepts_job()
    bridge.editor.reports_job("queued")
    job = bridge.editor.last("submit_job")["job_id"]
    assert bridge.agent.calls("cancel_job", job_id=job).answer["status"] == "cancel_requested"
    assert bridge.editor.last("cancel")["target_job_id"] == job


# A plugin without the tool (SPEC §15.5).


@pytest.mark.parametrize("tools", [None, ["read_console", "run_tests"]])
def test_a_plugin_that_lacks_the_tool(tools: Any) -> None:
    bridge = InMemoryBridge()
    bridge.editor.connects(tools=tools)
    call = bridge.agent.compiles()
    assert (call.code, call.guarantee) == ("ERR_UNKNOWN_COMMAND", "not_executed")
    assert "unity-bridge plugin update" in call.error["message"]
    assert bridge.editor.heard("submit_job") == [] and bridge.stores.jobs.all() == []
    assert bridge.agent.calls("run_tests", wait_ms=0).answer["state"] == "queued"
    bridge.stop()


def test_a_plugin_that_lacks_the_tool_comes_while_the_call_waits(bridge: InMemoryBridge) -> None:
    bridge.editor.reloads()
    call = bridge.agent.compiles()
    bridge.editor.connects(tools=None)
    assert (call.code, call.guarantee) == ("ERR_UNKNOWN_COMMAND", "not_executed")


def test_a_plugin_that_lacks_the_tool_comes_while_the_job_waits(bridge: InMemoryBridge) -> None:
    bridge.agent.calls("read_console")
    call = bridge.agent.compiles()
    bridge.editor.reloads()
    bridge.editor.connects(tools=["read_console"])
    bridge.editor.answers(CONSOLE)
    error = call.answer["error"]
    assert (error["code"], error["details"]["execution_guarantee"]) == (
        "ERR_UNKNOWN_COMMAND",
        "not_executed",
    )


def test_a_read_that_the_plugin_lacks_is_not_sent(bridge: InMemoryBridge) -> None:
    bridge.agent.compiles()
    read = bridge.agent.calls("read_console")
    bridge.editor.vanishes()
    bridge.editor.connects(tools=["compile"], jobs=[])
    bridge.editor.refuses("get_job_status", "ERR_JOB_NOT_FOUND")
    bridge.editor.accepts_job()
    assert read.code == "ERR_UNKNOWN_COMMAND" and bridge.editor.heard("execute") == []
