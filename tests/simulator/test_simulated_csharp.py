"""``run_csharp`` in the simulated editor: off until its user allows it, then recorded answers (SPEC
§16.6).
"""

from __future__ import annotations

from typing import Any, List

import pytest

from tests.simulator.manual_editor import ManualEditor
from unity_bridge.simulator.tools.run_csharp import CSHARP_IS_ALLOWED


@pytest.fixture
def editor() -> ManualEditor:
    editor = ManualEditor()
    editor.process.session_state[CSHARP_IS_ALLOWED] = "true"
    return editor


def test_it_is_off_until_its_user_allows_it() -> None:
    editor = ManualEditor()
    status = editor.ends("run_csharp", code="1 + 1")
    assert status["state"] == "failed" and "result" not in status
    assert status["error"]["details"] == {
        "reason": "not_allowed",
        "execution_guarantee": "not_executed",
    }
    assert editor.heard("csharp_started", "job_id") == []


@pytest.mark.parametrize(
    "code, value", [("1 + 1", 2), (" 6 * 7\n", 42), ('Debug.Log("hello"); 6 * 7', 42)]
)
def test_a_recorded_snippet_has_its_recorded_value(
    editor: ManualEditor, code: str, value: Any
) -> None:
    status = editor.ends("run_csharp", code=code)
    assert (status["state"], status["result"]["value"]) == ("succeeded", value)


def test_any_other_code_is_refused_as_without_a_compiler(editor: ManualEditor) -> None:
    error = editor.ends("run_csharp", code="GameObject.Find(name)")["error"]
    assert (error["details"]["reason"], error["details"]["execution_guarantee"]) == (
        "compiler_missing",
        "not_executed",
    )
    assert "recorded answers for:" in error["message"] and "'6 * 7'" in error["message"]
    assert editor.heard("csharp_started", "job_id") == []


def test_the_logged_lines_are_the_output(editor: ManualEditor) -> None:
    status = editor.ends("run_csharp", code='Debug.Log("one");\nDebug.LogWarning("two");\n3')
    assert status["result"] == {
        "ok": True,
        "value": 3,
        "output": "one\nwarning: two\n",
        "scenes_dirtied": [],
        "log_file": "Library/UnityBridge/csharp/J.cs",
    }
    assert status["console"]["warnings"] == 1


@pytest.mark.parametrize(
    "code, place", [("nowhere", [1, 1]), ('Debug.Log("hello");\n  nowhere', [2, 3])]
)
def test_a_compile_error_stands_where_it_is(
    editor: ManualEditor, code: str, place: List[int]
) -> None:
    status = editor.ends("run_csharp", code=code)
    assert status["state"] == "failed" and "error" not in status
    (error,) = status["result"]["errors"]
    assert ([error["line"], error["column"]], error["code"], status["result"]["ok"]) == (
        place,
        "CS0103",
        False,
    )
    assert editor.heard("csharp_started", "job_id") == []


def test_code_that_throws_has_run(editor: ManualEditor) -> None:
    status = editor.ends("run_csharp", code='Debug.Log("before"); throw new Exception("broken");')
    details = status["error"]["details"]
    assert (details["reason"], details["execution_guarantee"]) == ("exception", "completed_error")
    assert (details["exception"], status["result"]["output"]) == ("System.Exception", "before\n")


def test_code_that_awaits_goes_on_later_and_is_compiled_first(editor: ManualEditor) -> None:
    editor.begins("run_csharp", code="await Task.Delay(1000); 2")
    assert editor.step() == "compiling"
    editor.main.run(0.6)
    assert editor.step() == "running"
    assert editor.end()["result"]["value"] == 2


def test_a_reload_in_the_midst_loses_it_and_it_never_runs_again(editor: ManualEditor) -> None:
    editor.begins("run_csharp", code="await Task.Delay(60000);")
    editor.main.run(1.0)
    editor.process.reload_domain(1.0)
    details = editor.end()["error"]["details"]
    assert details == {"reason": "reloaded_while_running", "execution_guarantee": "unknown"}
    assert editor.heard("csharp_started", "job_id") == ["J"]


def test_a_reload_before_it_ran_costs_nothing(editor: ManualEditor) -> None:
    editor.begins("run_csharp", code="1 + 1")
    editor.process.reload_domain(1.0)
    assert editor.end()["state"] == "succeeded"
    assert editor.heard("csharp_started", "job_id") == ["J"]
