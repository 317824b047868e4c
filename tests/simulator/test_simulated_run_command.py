"""``run_command`` in the simulated editor: a handful of commands, and what ends each (SPEC §16.5)."""

from __future__ import annotations

from typing import Any, Dict

import pytest

from tests.simulator.manual_editor import ManualEditor
from unity_bridge.base.errors import ErrorCode
from unity_bridge.simulator.job import Submission
from unity_bridge.simulator.project import PretendTest, Project

PROJECT = Project("Game", "/Game", (PretendTest("A.B.C", duration_s=5.0),), compile_s=1.0, compile_reload_s=1.0)


@pytest.fixture
def editor() -> ManualEditor:
    return ManualEditor(PROJECT)


def run(editor: ManualEditor, name: str, job_id: str = "J", **arguments: Any) -> Dict[str, Any]:
    return editor.ends("run_command", job_id, name=name, arguments=arguments)


def test_without_a_name_it_lists_them(editor: ManualEditor) -> None:
    commands = {one["name"]: one for one in editor.ends("run_command")["result"]["commands"]}
    assert commands["spawn_wave"]["signature"] == "spawn_wave(enemy: bat|slime|knight, size: int = 3)"
    assert (commands["ping"]["write"], commands["build_player"]["write"]) == (False, True)
    assert editor.events.of("command_ran") == []


def test_one_runs_with_its_arguments_and_says_so(editor: ManualEditor) -> None:
    status = run(editor, "spawn_wave", enemy="bat")
    assert (status["state"], status["result"]) == (
        "succeeded",
        {"value": {"done": "spawn_wave", "enemy": "bat", "size": 3}},
    )
    assert editor.heard("command_ran", "name") == ["spawn_wave"]
    assert [one.entry.message for one in editor.process.console.read().kept] == ["A wave comes"]


@pytest.mark.parametrize(
    ("name", "arguments", "why"),
    [
        ("spawn_waves", {}, "The nearest are spawn_wave("),
        ("spawn_wave", {}, "enemy is missing. It is spawn_wave("),
        ("spawn_wave", {"enemy": "cat"}, 'enemy must be bat|slime|knight, not "cat"'),
        ("spawn_wave", {"enemy": "bat", "size": True}, "size must be int, not true"),
        ("ping", {"size": 1}, "takes no argument size"),
    ],
)
def test_what_does_not_fit_is_refused(editor: ManualEditor, name: str, arguments: Dict[str, Any], why: str) -> None:
    error = run(editor, name, **arguments)["error"]
    assert (error["code"], error["details"]["execution_guarantee"]) == ("ERR_INVALID_PARAMS", "not_executed")
    assert why in error["message"]
    assert editor.events.of("command_ran") == []


@pytest.mark.parametrize("params", [{"name": 3}, {"arguments": []}])
def test_bad_parameters_are_refused_at_once(editor: ManualEditor, params: Dict[str, Any]) -> None:
    assert editor.refuses("run_command", **params).code is ErrorCode.INVALID_PARAMS


def test_a_long_one_counts_and_is_cancelled(editor: ManualEditor) -> None:
    editor.begins("run_command", name="bake_lightmaps")
    editor.main.run(2.05)
    assert editor.told()["progress"] == {"completed": 25, "total": 100, "current_test": "bake_lightmaps"}
    assert editor.process.jobs.cancel("J") == "cancel_requested"
    assert editor.end()["state"] == "cancelled"


def test_one_without_a_token_rejects_a_cancel(editor: ManualEditor) -> None:
    editor.begins("run_command", name="build_player")
    assert editor.process.jobs.cancel("J") == "rejected"
    assert editor.end()["state"] == "succeeded"


def test_one_that_runs_too_long_is_left_at_its_deadline(editor: ManualEditor) -> None:
    taken = editor.process.jobs.submit(Submission("run_command", {"name": "bake_lightmaps"}, "J", timeout_s=1.0))
    editor.main.post(editor.process.jobs.resume)
    assert taken.value == "J"  # type: ignore[union-attr]
    assert editor.end()["state"] == "timeout"


def test_an_exception_is_told_with_its_stack(editor: ManualEditor) -> None:
    error = run(editor, "check_references")["error"]
    assert (error["details"]["reason"], error["details"]["execution_guarantee"]) == ("exception", "completed_error")
    assert "NullReferenceException" in error["message"] and len(error["details"]["stack"]) == 2


def test_a_reload_in_the_midst_ends_it_as_unknown(editor: ManualEditor) -> None:
    status = run(editor, "generate_items")
    assert status["error"]["details"] == {"reason": "reloaded_while_running", "execution_guarantee": "unknown"}
    assert editor.heard("command_ran", "name") == ["generate_items"]


def test_what_only_looks_runs_beside_tests_and_overtakes_nothing(editor: ManualEditor) -> None:
    editor.begins("run_tests", "tests")
    editor.begins("run_command", "looks", name="ping")
    assert (editor.told("looks")["state"], editor.told("tests")["state"]) == ("succeeded", "running")
    editor.begins("run_command", "writes", name="spawn_wave", arguments={"enemy": "bat"})
    editor.begins("run_command", "after", name="ping")
    assert (editor.told("writes")["state"], editor.told("after")["state"]) == ("queued", "queued")
    editor.end("after")
    assert editor.heard("command_ran", "job_id") == ["looks", "writes", "after"]
    assert editor.told("tests")["state"] == "succeeded"
