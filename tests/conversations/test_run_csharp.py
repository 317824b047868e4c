"""SPEC §16.6: C# in the editor, which its user has to allow; run once, whatever becomes of the answer."""

from __future__ import annotations

from typing import Any, Dict

import pytest

from tests.fakes import InMemoryBridge
from unity_bridge.base.errors import ErrorCode
from unity_bridge.base.result import Err
from unity_bridge.catalogue.request_validator import RequestValidator

RAN: Dict[str, Any] = {
    "ok": True,
    "value": {"x": 1.5, "names": ["a"]},
    "output": "hello\n",
    "scenes_dirtied": ["Assets/Main.unity"],
    "log_file": "Library/UnityBridge/csharp/1.cs",
}


@pytest.fixture
def bridge(bridge: InMemoryBridge) -> InMemoryBridge:
    bridge.editor.connects()
    return bridge


def runs(bridge: InMemoryBridge, code: str = "1 + 1", **arguments: Any) -> Any:
    return bridge.agent.calls("run_csharp", code=code, **arguments)


def test_the_code_is_submitted_as_it_is_and_its_value_answered(bridge: InMemoryBridge) -> None:
    call = runs(bridge, "var a = 1;\na + 1", usings=["System.Xml"])
    submitted = bridge.editor.last("submit_job")
    assert submitted["params"] == {"code": "var a = 1;\na + 1", "usings": ["System.Xml"]}
    bridge.editor.accepts_job()
    bridge.editor.tells("succeeded", result=RAN)
    assert (call.answer["state"], call.answer["result"]) == ("succeeded", RAN)


@pytest.mark.parametrize("value", [None, True, 3, "text", [1, [2]], {"a": {"b": None}}])
def test_a_value_is_anything_that_json_can_say(bridge: InMemoryBridge, value: Any) -> None:
    call = runs(bridge)
    bridge.editor.accepts_job()
    bridge.editor.tells("succeeded", result={**RAN, "value": value})
    assert call.answer["result"]["value"] == value


def test_code_that_does_not_compile_is_a_result_and_no_error(bridge: InMemoryBridge) -> None:
    call = runs(bridge, "nowhere")
    error = {"file": "snippet.cs", "line": 1, "column": 1, "code": "CS0103", "message": "no 'nowhere'"}
    bridge.editor.accepts_job()
    bridge.editor.tells("failed", result={"ok": False, "error_count": 60, "errors": [error] * 60, "truncated": False})
    assert call.answer["state"] == "failed" and "error" not in call.answer
    assert len(call.answer["result"]["errors"]) == 50 and call.answer["result"]["truncated"] is True


def test_code_that_threw_has_run_and_what_it_printed_is_told(bridge: InMemoryBridge) -> None:
    call = runs(bridge)
    details = {"reason": "exception", "execution_guarantee": "completed_error", "stack": ["A.B (at Assets/A.cs:3)"]}
    error = {"code": "ERR_UNITY_EXECUTION", "message": "run_csharp threw Exception: broken", "details": details}
    bridge.editor.accepts_job()
    bridge.editor.tells("failed", result={**RAN, "ok": False, "value": None}, error=error)
    told = call.answer["error"]
    assert (told["retryable"], told["details"]["execution_guarantee"]) == (False, "completed_error")
    assert told["details"]["stack"] == ["A.B (at Assets/A.cs:3)"]
    assert call.answer["result"]["output"] == "hello\n"


def test_where_it_is_not_allowed_nothing_has_run(bridge: InMemoryBridge) -> None:
    call = runs(bridge)
    details = {"reason": "not_allowed", "execution_guarantee": "not_executed"}
    bridge.editor.accepts_job()
    bridge.editor.tells("failed", error={"code": "ERR_UNITY_EXECUTION", "message": "switched off", "details": details})
    told = call.answer["error"]["details"]
    assert (told["reason"], told["execution_guarantee"]) == ("not_allowed", "not_executed")


def test_the_same_code_once_more_joins_what_still_runs_and_runs_anew_afterwards(bridge: InMemoryBridge) -> None:
    first = runs(bridge)
    bridge.editor.accepts_job()
    bridge.editor.tells("running")
    again, other = runs(bridge), runs(bridge, "2 + 2")
    bridge.editor.tells("succeeded", result=RAN)
    assert again.answer["job_id"] == first.answer["job_id"] and again.answer["joined"] is True
    assert not other.is_answered
    bridge.editor.accepts_job()
    bridge.editor.tells("succeeded", result=RAN)
    later = runs(bridge)
    bridge.editor.accepts_job()
    bridge.editor.tells("succeeded", result=RAN)
    assert later.answer["job_id"] != first.answer["job_id"]


def test_a_running_one_cannot_be_stopped(bridge: InMemoryBridge) -> None:
    call = runs(bridge)
    bridge.editor.accepts_job()
    bridge.editor.tells("running")
    job = bridge.editor.last("submit_job")["job_id"]
    bridge.agent.calls("cancel_job", job_id=job)
    bridge.editor.says("cancel_result", request_id=bridge.editor.last("cancel")["request_id"], status="rejected")
    bridge.editor.tells("succeeded", result=RAN)
    assert call.answer["state"] == "succeeded"


@pytest.mark.parametrize("arguments", [{}, {"code": ""}, {"code": 1}, {"code": "1", "usings": [1]}])
def test_bad_arguments_are_refused_at_once(arguments: Any) -> None:
    refused = RequestValidator().validate("run_csharp", arguments)
    assert isinstance(refused, Err) and refused.error.error.code is ErrorCode.INVALID_PARAMS
