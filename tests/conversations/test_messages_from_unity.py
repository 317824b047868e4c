"""SPEC §7.7, §7.8: what Unity may say wrongly, and what becomes of the call it was about."""

from __future__ import annotations

import json
from typing import Any, Dict, Optional

import pytest

from tests.fakes import InMemoryBridge
from tests.tool_results import CONSOLE
from unity_bridge.config import Config

PASSED: Dict[str, Any] = {
    "summary": {"total": 1, "passed": 1, "failed": 0, "skipped": 0, "duration_ms": 1},
    "failed_tests": [],
    "code_fresh": True,
}


def envelope(type: str, **fields: Any) -> str:
    return json.dumps({"type": type, "protocol_version": 1, **fields})


# What is no message.


@pytest.mark.parametrize(
    "text, code",
    [
        ("", "ERR_INVALID_REQUEST"),
        ("hello there", "ERR_INVALID_REQUEST"),
        ("[1]", "ERR_INVALID_REQUEST"),
        ("null", "ERR_INVALID_REQUEST"),
        ("{}", "ERR_INVALID_REQUEST"),
        ('{"protocol_version": 1}', "ERR_INVALID_REQUEST"),
        ('{"type": 7, "protocol_version": 1}', "ERR_INVALID_REQUEST"),
        ('{"type": "pong", "protocol_version": "1"}', "ERR_INVALID_REQUEST"),
        ('{"type": "pong", "protocol_version": true}', "ERR_INVALID_REQUEST"),
        (
            '{"type": "editor_status", "protocol_version": 1, "state": "ready"}',
            "ERR_INVALID_REQUEST",
        ),
        (
            '{"type": "editor_status", "protocol_version": 1, "state": "ready", "seq": -1}',
            "ERR_INVALID_REQUEST",
        ),
        (
            '{"type": "editor_status", "protocol_version": 1, "state": "ready", "seq": NaN}',
            "ERR_INVALID_REQUEST",
        ),
        ('{"type": "pong", "protocol_version": 1, "seq": 1e400}', "ERR_INVALID_REQUEST"),
        ("[" * 100_000, "ERR_INVALID_REQUEST"),
        ('{"type": "moo", "protocol_version": 1}', "ERR_UNKNOWN_COMMAND"),
        ('{"type": "execute", "protocol_version": 1}', "ERR_INVALID_REQUEST"),
        (
            envelope("execute", request_id="x", tool_name="x", params={}, timeout_ms=1),
            "ERR_INVALID_REQUEST",
        ),
        (envelope("capability", tools=[]), "ERR_INVALID_REQUEST"),
        (envelope("cancel", request_id="x", target_job_id="y"), "ERR_INVALID_REQUEST"),
        (envelope("hello", plugin_version="1", state="ready"), "ERR_INVALID_REQUEST"),
    ],
)
def test_a_fault_is_answered_and_the_session_continues(
    bridge: InMemoryBridge, text: str, code: str
) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    bridge.editor.says_text(text)
    error = bridge.editor.last("error")["error"]
    assert error["code"] == code and error["message"]
    assert bridge.editor.peer is not None and bridge.editor.peer.is_open
    assert not call.is_answered
    bridge.editor.answers(CONSOLE)
    assert call.answer == CONSOLE


def test_unknown_fields_are_ignored(bridge: InMemoryBridge) -> None:
    bridge.editor.connects(favourite_colour="blue", timestamp="yesterday")
    call = bridge.agent.calls("read_console")
    bridge.editor.answers(CONSOLE, mood={"good": True})
    assert call.answer == CONSOLE


def test_the_error_names_the_request_that_the_fault_was_in(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    bridge.editor.says_anything("result", request_id="req-7", status="fine")
    assert bridge.editor.last("error")["request_id"] == "req-7"


def test_a_plugin_may_say_the_version_in_its_hello_alone(bridge: InMemoryBridge) -> None:
    """As the founding records have it: every status, result and answer after it means the same
    version (SPEC §7.7).
    """
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    bridge.editor.says_text(json.dumps({"type": "editor_status", "state": "ready", "seq": 1}))
    bridge.editor.says_text(
        json.dumps(
            {"type": "result", "request_id": call.request_id, "status": "ok", "result": CONSOLE}
        )
    )
    assert call.answer == CONSOLE
    assert bridge.editor.heard("error") == []


def test_unusable_messages_are_counted_in_the_state(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    assert "faulted_messages" not in bridge.agent.calls("get_editor_state").answer["editor"]
    bridge.editor.says_text("nonsense")
    bridge.editor.says("execute", request_id="r", tool_name="x", params={}, timeout_ms=1)
    bridge.editor.says_anything("error", error="no")
    assert bridge.agent.calls("get_editor_state").answer["editor"]["faulted_messages"] == 3
    bridge.editor.vanishes().connects()
    assert "faulted_messages" not in bridge.agent.calls("get_editor_state").answer["editor"]


def test_a_plugin_that_says_much_of_itself_does_not_fill_every_state(
    bridge: InMemoryBridge,
) -> None:
    long = "x" * 200_000
    bridge.editor.connects(
        plugin_version=long, unity_version=long, project_name=long, project_path=long
    )
    assert len(json.dumps(bridge.agent.calls("get_editor_state").answer)) < 8192


@pytest.mark.parametrize(
    "text",
    [
        '{"type": "error"}',
        '{"type": "error", "protocol_version": 1}',
        '{"type": "error", "protocol_version": 1, "error": "text"}',
        '{"type": "error", "protocol_version": 1, "error": {}, "request_id": 7}',
        '{"type": "error", "protocol_version": "1", "error": {}}',
        '{"type": "error", "protocol_version": 1, "error": ',
        envelope(
            "error", error={"code": "ERR_UNKNOWN_COMMAND", "message": "unknown message type 'ping'"}
        ),
    ],
)
def test_an_error_is_never_answered(bridge: InMemoryBridge, text: str) -> None:
    """Two sides that answered each other's errors would go on for ever (SPEC §7.7)."""
    bridge.editor.connects().says_text(text)
    assert bridge.editor.heard("error") == []
    assert bridge.editor.peer is not None and bridge.editor.peer.is_open


def test_an_error_that_cannot_be_read_still_ends_the_call_that_it_answers(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    bridge.editor.says_anything("error", request_id=call.request_id, error="no")
    assert (call.code, call.guarantee) == ("ERR_INVALID_RESPONSE", "unknown")
    assert bridge.editor.heard("error") == []


# What is no answer.


@pytest.mark.parametrize(
    "answer",
    [
        {"status": "fine", "result": CONSOLE},
        {"result": CONSOLE},
        {"status": None, "result": CONSOLE},
        {"status": "ok"},
        {"status": "ok", "result": None},
        {"status": "ok", "result": []},
        {"status": "ok", "result": "text"},
        {"status": "error", "error": "text"},
    ],
)
def test_a_malformed_answer_fails_the_call_at_once(
    bridge: InMemoryBridge, answer: Dict[str, Any]
) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    following = bridge.agent.calls("read_console")
    bridge.editor.says_anything("result", request_id=call.request_id, **answer)
    assert (call.code, call.guarantee, call.error["retryable"]) == (
        "ERR_INVALID_RESPONSE",
        "unknown",
        True,
    )
    assert call.error["details"]["request_id"] == call.request_id
    bridge.editor.answers(CONSOLE)
    assert following.is_answered


def test_unrequested_fields_of_a_plugin_are_left_out(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls(
        "read_console", types=["error"], max_entries=2, include_stack_trace=False
    )
    entries = [
        {"type": type, "message": str(n), "stack_trace": "at A"}
        for n in range(5)
        for type in ("log", "error")
    ]
    bridge.editor.answers({"entries": entries, "count": 10, "truncated": False})
    assert call.answer == {
        "entries": [{"type": "error", "message": "3"}, {"type": "error", "message": "4"}],
        "count": 5,
        "truncated": True,
    }


def test_an_answer_that_does_not_fit_the_question_is_an_error(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console", since="c:1")
    bridge.editor.answers(CONSOLE)
    assert call.code == "ERR_INVALID_RESPONSE" and "leave it out" in call.error["message"]


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999"])
def test_an_answer_with_what_json_does_not_have_fails_its_call_at_once(
    bridge: InMemoryBridge, number: str
) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    text = envelope(
        "result", request_id=call.request_id, status="ok", result={**CONSOLE, "count": 77}
    )
    bridge.editor.says_text(text.replace("77", number))
    assert call.code == "ERR_INVALID_RESPONSE"


def test_an_answer_that_breaks_off_fails_its_call_at_once(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    text = envelope("result", request_id=call.request_id, status="ok", result=CONSOLE)
    bridge.editor.says_text(text[:-10])
    assert call.code == "ERR_INVALID_RESPONSE"


def test_an_answer_of_an_unknown_kind_fails_its_call_at_once(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    bridge.editor.says_anything("execute_result", request_id=call.request_id, result=CONSOLE)
    assert call.code == "ERR_INVALID_RESPONSE"
    assert bridge.editor.last("error")["error"]["code"] == "ERR_UNKNOWN_COMMAND"


def test_a_surrogate_that_is_half_a_pair_is_repaired(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    entry = {"type": "log", "message": "half \ud83d here"}
    bridge.editor.answers({**CONSOLE, "entries": [entry], "count": 1})
    assert call.answer["entries"][0]["message"] == "half � here"


@pytest.mark.parametrize("depth", [40, 60, 900, 100_000])
def test_an_answer_nested_deeper_than_a_client_can_read_fails_its_call(
    bridge: InMemoryBridge, depth: int
) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    text = envelope(
        "result", request_id=call.request_id, status="ok", result={**CONSOLE, "more": "here"}
    )
    bridge.editor.says_text(text.replace('"here"', "[" * depth + "]" * depth))
    if depth == 40:
        assert call.answer["count"] == 0
    else:
        assert call.code == "ERR_INVALID_RESPONSE"


# Over the size limit.


def test_an_answer_over_the_limit_fails_the_call_at_once_and_the_rest_waits_for_the_next_connection(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    following = bridge.agent.calls("read_console")
    job = bridge.agent.calls("run_tests", wait_ms=0)
    bridge.editor.says_too_much()
    assert (call.code, call.guarantee) == ("ERR_INVALID_RESPONSE", "unknown")
    assert "1048576" in call.error["message"]
    refusal = bridge.editor.last("error")["error"]
    assert refusal["code"] == "ERR_INVALID_REQUEST" and "1048576" in refusal["message"]
    assert len(bridge.editor.heard("execute")) == 1, (
        "nothing more is sent on a connection that closes"
    )
    bridge.editor.vanishes(1009)
    bridge.editor.connects(jobs=[])
    bridge.editor.answers(CONSOLE)
    assert following.answer == CONSOLE
    assert bridge.editor.last("submit_job")["job_id"] == job.answer["job_id"]


def test_an_oversized_message_without_a_call_is_answered_and_the_editor_comes_back(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects().says_too_much()
    assert len(bridge.editor.heard("error")) == 1
    bridge.editor.vanishes(1009)
    bridge.editor.connects()
    assert bridge.agent.calls("get_editor_state").answer["connected"] is True


def test_an_oversized_message_from_another_peer_fails_no_call(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    bridge.another_editor().opens().says_too_much()
    assert not call.is_answered
    bridge.editor.answers(CONSOLE)
    assert call.is_answered


def test_an_acceptance_over_the_limit_is_resolved_after_the_reconnect(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    bridge.editor.says_too_much().vanishes(1009)
    bridge.editor.connects(jobs=[job])
    assert bridge.editor.last("get_job_status")["job_id"] == job
    bridge.editor.reports_job("running")
    assert bridge.job(job).accepted


def test_a_call_to_unity_over_the_limit_fails_here_as_not_executed() -> None:
    bridge = InMemoryBridge(Config(max_message_bytes=4096))
    bridge.editor.connects()
    call = bridge.agent.calls("read_console", contains="x" * 5000)
    assert (call.code, call.guarantee, call.error["retryable"]) == (
        "ERR_INVALID_PARAMS",
        "not_executed",
        False,
    )
    assert call.error["details"]["max_message_bytes"] == 4096
    assert bridge.editor.heard("execute") == []


# Errors, in both forms (SPEC §7.8).


def test_a_failed_tool_may_have_its_error_next_to_the_result(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    error = {
        "code": "ERR_UNITY_EXECUTION",
        "message": "the console is stuck",
        "details": {"tries": 3},
    }
    bridge.editor.says("result", request_id=call.request_id, status="error", error=error)
    assert (call.code, call.guarantee, call.error["retryable"]) == (
        "ERR_UNITY_EXECUTION",
        "completed_error",
        False,
    )
    assert call.error["message"] == 'Unity says: "the console is stuck"'
    assert call.error["details"]["unity"] == {"tries": 3}


def test_a_tool_that_ran_and_failed_with_the_error_in_the_result(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    error = {"code": "EDITOR_ON_FIRE", "message": "flames", "details": None}
    bridge.editor.says("result", request_id=call.request_id, status="error", result=error)
    assert (call.code, call.guarantee) == ("ERR_UNITY_EXECUTION", "completed_error")
    assert call.error["message"] == 'Unity says: "flames"'
    assert call.error["details"]["unity_code"] == "EDITOR_ON_FIRE"


def test_a_tool_that_ran_has_run_whatever_code_its_error_has(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    error = {"code": "ERR_INVALID_PARAMS", "message": "no such cursor"}
    bridge.editor.says("result", request_id=call.request_id, status="error", error=error)
    assert (call.code, call.guarantee) == ("ERR_UNITY_EXECUTION", "completed_error")
    assert call.error["details"]["unity_code"] == "ERR_INVALID_PARAMS", (
        "nothing that Unity said is lost"
    )


@pytest.mark.parametrize(
    "said", [{}, {"result": "it broke"}, {"result": ["it", "broke"]}, {"error": {}}]
)
def test_a_tool_that_failed_without_saying_why_in_the_protocols_form(
    bridge: InMemoryBridge, said: Dict[str, Any]
) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    bridge.editor.says("result", request_id=call.request_id, status="error", **said)
    assert (call.code, call.guarantee) == ("ERR_UNITY_EXECUTION", "completed_error")
    assert call.error["message"]
    if said.get("result") == "it broke":
        assert call.error["message"] == 'Unity says: "it broke"'


@pytest.mark.parametrize(
    "code, reported, unity_code",
    [
        ("ERR_INVALID_PARAMS", "ERR_INVALID_PARAMS", None),
        ("ERR_EDITOR_NOT_READY", "ERR_EDITOR_NOT_READY", None),
        ("ERR_RECONFIG_IN_PROGRESS", "ERR_RECONFIG_IN_PROGRESS", None),
        ("ERR_UNITY_EXECUTION", "ERR_UNITY_EXECUTION", None),
        ("ERR_TEAPOT", "ERR_UNITY_EXECUTION", "ERR_TEAPOT"),
        (42, "ERR_UNITY_EXECUTION", 42),
        (["ERR_INVALID_PARAMS"], "ERR_UNITY_EXECUTION", ["ERR_INVALID_PARAMS"]),
        ({"a": 1}, "ERR_UNITY_EXECUTION", {"a": 1}),
        (None, "ERR_UNITY_EXECUTION", None),
    ],
)
def test_an_error_message_keeps_a_code_that_is_known_and_means_that_nothing_ran(
    bridge: InMemoryBridge, code: Any, reported: str, unity_code: Optional[Any]
) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    bridge.editor.refuses("execute", code, "not today")
    assert (call.code, call.guarantee, call.error["message"]) == (
        reported,
        "not_executed",
        'Unity says: "not today"',
    )
    assert call.error["details"].get("unity_code") == unity_code


def test_an_end_of_a_job_with_a_code_that_is_no_code_is_still_its_end(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    bridge.editor.accepts_job()
    bridge.advance(1)
    bridge.editor.reports_job("failed", error={"code": ["?"], "message": 5})
    status = bridge.agent.asks(job).answer
    assert (status["state"], status["error"]["code"]) == ("failed", "ERR_UNITY_EXECUTION")


@pytest.mark.parametrize(
    "details, guarantee",
    [
        (
            {"execution_guarantee": "not_executed", "recovery": "relax"},
            "not_executed",
        ),  # SPEC §15.8
        ({"execution_guarantee": "surely", "recovery": "relax"}, "completed_error"),
        ("text", "completed_error"),
        ([1], "completed_error"),
        (None, "completed_error"),
    ],
)
def test_details_from_unity_cannot_contradict_the_contract(
    bridge: InMemoryBridge, details: Any, guarantee: str
) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    error = {"code": "ERR_UNITY_EXECUTION", "message": "x", "details": details}
    bridge.editor.says("result", request_id=call.request_id, status="error", error=error)
    assert call.guarantee == guarantee
    assert call.error["details"]["recovery"] == "read_the_message"


# Errors about questions and wishes.


def test_a_question_that_unity_cannot_answer_is_answered_from_the_ledger(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    bridge.editor.accepts_job()
    status = bridge.agent.asks(job)
    bridge.editor.refuses("get_job_status", "ERR_UNITY_EXECUTION")
    assert (status.answer["state"], status.answer["stale"]) == ("running", True)


def test_the_servers_own_question_may_go_unanswered_or_wrong(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    bridge.editor.accepts_job()
    bridge.advance(1)
    bridge.editor.refuses("get_job_status", "ERR_UNITY_EXECUTION")
    assert bridge.job(job).state.value == "running"
    bridge.advance(1)
    assert len(bridge.editor.heard("get_job_status")) == 2
    bridge.advance(5)  # nothing comes
    bridge.advance(1)
    assert len(bridge.editor.heard("get_job_status")) == 3
    bridge.editor.refuses("get_job_status", "ERR_JOB_NOT_FOUND")
    assert bridge.agent.asks(job).answer["error"]["code"] == "ERR_RECONNECT_TIMEOUT"


def test_a_cancel_that_unity_refuses_with_an_error_frees_the_queue(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    bridge.editor.accepts_job()
    bridge.agent.calls("cancel_job", job_id=job)
    bridge.editor.refuses("cancel", "ERR_CANCEL_REJECTED")
    assert bridge.job(job).state.value == "running"
    bridge.editor.reports_job(
        "succeeded", result=PASSED
    )  # it is asked for at once: the end may be near
    assert bridge.job(job).state.value == "succeeded"


# What Unity reports about itself.


def test_compile_errors_stay_known_until_unity_says_otherwise(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    bridge.editor.says(
        "editor_status", state="ready", seq=1, compile_errors=3, main_thread_stalled_ms=900
    )
    bridge.editor.says("pong")
    editor = bridge.agent.calls("get_editor_state").answer["editor"]
    assert editor["compile_errors"] == 3
    assert "main_thread_stalled_ms" not in editor, "who says nothing of a stall has none"
    bridge.editor.says("pong", compile_errors=0)
    assert bridge.agent.calls("get_editor_state").answer["editor"]["compile_errors"] == 0
