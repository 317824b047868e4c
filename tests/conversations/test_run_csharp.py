"""SPEC §16.6: C# in the editor, which its user has to allow; run once, whatever becomes of the
answer.
"""

from __future__ import annotations

from typing import Any, Dict

import pytest

from tests.fakes import InMemoryBridge

RAN: Dict[str, Any] = {
    "ok": True,
    "value": {"x": 1.5, "names": ["a"]},
    "output": "hello\n",
    "scenes_dirtied": ["Assets/Main.unity"],
    "log_file": "Library/UnityBridge/csharp/1.cs",
}


pytestmark = pytest.mark.usefixtures("connected")


def runs(bridge: InMemoryBridge, code: str = "1 + 1", **arguments: Any) -> Any:
    return bridge.agent.calls("run_csharp", code=code, **arguments)


def test_the_code_is_submitted_as_it_is_and_its_value_answered(bridge: InMemoryBridge) -> None:
    call = runs(bridge, "var a = 1;\na + 1", usings=["System.Xml"])
    submitted = bridge.editor.last("submit_job")
    assert submitted["params"] == {"code": "var a = 1;\na + 1", "usings": ["System.Xml"]}
    bridge.editor.accepts_job()
    bridge.editor.reports_job("succeeded", result=RAN)
    assert (call.answer["state"], call.answer["result"]) == ("succeeded", RAN)


@pytest.mark.parametrize("value", [None, True, 3, "text", [1, [2]], {"a": {"b": None}}])
def test_a_value_is_anything_that_json_can_say(bridge: InMemoryBridge, value: Any) -> None:
    call = runs(bridge)
    bridge.editor.accepts_job()
    bridge.editor.reports_job("succeeded", result={**RAN, "value": value})
    assert call.answer["result"]["value"] == value


def test_code_that_does_not_compile_is_a_result_and_no_error(bridge: InMemoryBridge) -> None:
    call = runs(bridge, "nowhere")
    error = {
        "file": "snippet.cs",
        "line": 1,
        "column": 1,
        "code": "CS0103",
        "message": "no 'nowhere'",
    }
    bridge.editor.accepts_job()
    bridge.editor.reports_job(
        "failed",
        result={"ok": False, "error_count": 60, "errors": [error] * 60, "truncated": False},
    )
    assert call.answer["state"] == "failed" and "error" not in call.answer
    assert len(call.answer["result"]["errors"]) == 50 and call.answer["result"]["truncated"] is True


def test_code_that_threw_has_run_and_its_output_is_returned(bridge: InMemoryBridge) -> None:
    call = runs(bridge)
    details = {
        "reason": "exception",
        "execution_guarantee": "completed_error",
        "stack": ["A.B (at Assets/A.cs:3)"],
    }
    error = {
        "code": "ERR_UNITY_EXECUTION",
        "message": "run_csharp threw Exception: broken",
        "details": details,
    }
    bridge.editor.accepts_job()
    bridge.editor.reports_job("failed", result={**RAN, "ok": False, "value": None}, error=error)
    failure = call.answer["error"]
    assert (failure["retryable"], failure["details"]["execution_guarantee"]) == (
        False,
        "completed_error",
    )
    assert failure["details"]["stack"] == ["A.B (at Assets/A.cs:3)"]
    assert call.answer["result"]["output"] == "hello\n"


def test_a_refusal_of_run_csharp_has_not_run_it(bridge: InMemoryBridge) -> None:
    call = runs(bridge)
    details = {"reason": "not_allowed", "execution_guarantee": "not_executed"}
    bridge.editor.accepts_job()
    bridge.editor.reports_job(
        "failed",
        error={"code": "ERR_UNITY_EXECUTION", "message": "switched off", "details": details},
    )
    failure = call.answer["error"]["details"]
    assert (failure["reason"], failure["execution_guarantee"]) == ("not_allowed", "not_executed")


def test_the_same_code_joins_a_running_job_and_runs_again_after_its_end(
    bridge: InMemoryBridge,
) -> None:
    first = runs(bridge)
    bridge.editor.accepts_job()
    bridge.editor.reports_job("running")
    again, other = runs(bridge), runs(bridge, "2 + 2")
    bridge.editor.reports_job("succeeded", result=RAN)
    assert again.answer["job_id"] == first.answer["job_id"] and again.answer["joined"] is True
    assert not other.is_answered
    bridge.editor.accepts_job()
    bridge.editor.reports_job("succeeded", result=RAN)
    later = runs(bridge)
    bridge.editor.accepts_job()
    bridge.editor.reports_job("succeeded", result=RAN)
    assert later.answer["job_id"] != first.answer["job_id"]
