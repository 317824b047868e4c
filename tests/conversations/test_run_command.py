"""SPEC §16.5: one door for the project's commands, and nothing that runs twice."""

from __future__ import annotations

import json
from typing import Any, Dict

import pytest

from tests.fakes import InMemoryBridge
from unity_bridge.catalogue.job_text import job_text

VALUE: Dict[str, Any] = {"value": {"spawned": 3}}
LISTED: Dict[str, Any] = {
    "commands": [{"name": "ping", "signature": "ping()", "description": "", "write": False}]
}


pytestmark = pytest.mark.usefixtures("connected")


def test_a_command_is_run_by_its_name(bridge: InMemoryBridge) -> None:
    call = bridge.agent.calls("run_command", name="spawn_wave", arguments={"size": 3})
    submitted = bridge.editor.last("submit_job")
    assert submitted["params"] == {"name": "spawn_wave", "arguments": {"size": 3}}
    assert submitted["timeout_ms"] == 60_000
    bridge.editor.accepts_job()
    bridge.editor.reports_job("succeeded", result=VALUE)
    assert (call.answer["state"], call.answer["result"]) == ("succeeded", VALUE)


def test_the_plugin_learns_that_an_mcp_client_calls(bridge: InMemoryBridge) -> None:
    bridge.agent.calls_for_wait_ms("run_command", name="create_object")
    params = {"name": "create_object", "arguments": {}, "tell_unsaved": True}
    assert bridge.editor.last("submit_job")["params"] == params


def test_without_a_name_the_answer_is_the_list(bridge: InMemoryBridge) -> None:
    call = bridge.agent.calls("run_command")
    assert bridge.editor.last("submit_job")["params"] == {"arguments": {}}
    bridge.editor.accepts_job()
    bridge.editor.reports_job("succeeded", result=LISTED)
    assert call.answer["result"] == LISTED


@pytest.mark.parametrize(
    "query, nearest",
    [
        ("build setting", "The nearest is build_scenes, which is build_scenes("),
        ("frob prefab now", "The nearest is add_listener, apply_overrides, "),
        ("zzz", "No command has all these words. C# can do it: run_csharp, once"),
    ],
)
def test_a_query_that_matches_nothing_is_answered_with_the_nearest(
    bridge: InMemoryBridge, query: str, nearest: str
) -> None:
    call = bridge.agent.calls("run_command", query=query)
    bridge.editor.accepts_job()
    # Also if the plugin ignores the query.
    bridge.editor.reports_job("succeeded", result=LISTED)
    assert call.answer["result"]["commands"] == [] and nearest in call.answer["result"]["hint"]
    assert json.loads(job_text(call.answer, ""))["result"]["commands"] == []


def test_a_result_that_is_no_answer_is_not_passed_on(bridge: InMemoryBridge) -> None:
    call = bridge.agent.calls("run_command", name="ping")
    bridge.editor.accepts_job()
    bridge.editor.reports_job("succeeded", result=LISTED)
    assert call.answer["error"]["code"] == "ERR_INVALID_RESPONSE"


def test_a_command_that_is_called_again_while_it_runs_is_joined(bridge: InMemoryBridge) -> None:
    # Agents repeat calls whose answer is late.
    first = bridge.agent.calls("run_command", name="build_player", wait_ms=0)
    bridge.editor.accepts_job()
    bridge.advance(1)
    bridge.editor.reports_job("running")
    again = bridge.agent.calls("run_command", name="build_player", arguments={}, wait_ms=1000)
    bridge.editor.reports_job("succeeded", result=VALUE)
    assert again.answer["job_id"] == first.answer["job_id"] and again.answer["joined"] is True
    assert len(bridge.editor.heard("submit_job")) == 1
    # After its end it runs again.
    bridge.agent.calls("run_command", name="build_player", wait_ms=0)
    assert len(bridge.editor.heard("submit_job")) == 2


def joined(bridge: InMemoryBridge, name: str) -> bool:
    """Whether the second of two equal calls joins the job of the first, which runs."""
    bridge.agent.calls("run_command", name=name, arguments={"path": "/Lamp"}, wait_ms=0)
    bridge.editor.accepts_job()
    bridge.advance(1)
    bridge.editor.reports_job("running")
    bridge.agent.calls("run_command", name=name, arguments={"path": "/Lamp"}, wait_ms=0)
    return len(bridge.editor.heard("submit_job")) == 1


@pytest.mark.parametrize(
    ("name", "expected"),
    [("menu", True), ("set_fields", False), ("build_player", False), ("the_projects_own", True)],
)
def test_a_plugin_says_which_of_its_commands_may_be_joined(
    bridge: InMemoryBridge, name: str, expected: bool
) -> None:
    bridge.editor.vanishes().connects(joins=["menu", "ping"])
    assert joined(bridge, name) is expected


def test_any_command_of_a_plugin_that_does_not_say_is_joined(bridge: InMemoryBridge) -> None:
    assert joined(bridge, "set_fields") is True


@pytest.mark.parametrize(("name", "submissions"), [("menu", 0), ("set_fields", 1)])
def test_a_call_during_a_reload_is_compared_once_the_plugin_is_back(
    bridge: InMemoryBridge, name: str, submissions: int
) -> None:
    bridge.editor.vanishes().connects(joins=["menu"])
    first = bridge.agent.calls("run_command", name=name, wait_ms=0)
    bridge.editor.accepts_job()
    bridge.advance(1)
    bridge.editor.reports_job("running")
    bridge.editor.reloads()
    bridge.agent.calls("run_command", name=name, wait_ms=0)
    bridge.editor.connects(joins=["menu"], jobs=[first.answer["job_id"]])
    bridge.advance(1)
    assert len(bridge.editor.heard("submit_job")) == submissions


def test_a_key_joins_any_command(bridge: InMemoryBridge) -> None:
    bridge.editor.vanishes().connects(joins=[])
    for _ in range(2):
        bridge.agent.calls("run_command", name="set_fields", client_request_id="once", wait_ms=0)
    assert len(bridge.editor.heard("submit_job")) == 1


def test_calls_that_wait_for_the_editor_are_not_taken_for_one(bridge: InMemoryBridge) -> None:
    bridge.editor.vanishes().connects(joins=["menu"])
    bridge.editor.becomes("compiling")
    calls = [bridge.agent.calls("run_command", name="set_fields", wait_ms=0) for _ in range(2)]
    bridge.editor.becomes("ready")
    assert len({call.answer["job_id"] for call in calls}) == 2


def test_other_arguments_and_other_clients_are_other_runs(bridge: InMemoryBridge) -> None:
    calls = [
        bridge.agent.calls("run_command", name="build_player", wait_ms=0),
        bridge.agent.calls(
            "run_command", name="build_player", arguments={"target": "iOS"}, wait_ms=0
        ),
        bridge.agent.calls("run_command", as_client="another", name="build_player", wait_ms=0),
    ]
    assert len({call.answer["job_id"] for call in calls}) == 3


@pytest.mark.parametrize(
    "name, arguments, reason, said",
    [
        (
            "create_gameobject",
            {},
            "unknown_command",
            "The nearest is create_object, which is create_object(parent?, name?, kind?, ",
        ),
        (
            "manage_scene",
            {"action": "save"},
            "unknown_command",
            "The nearest is save_scene, which is save_scene(",
        ),
        ("run_tests", {}, "unknown_command", "The nearest is the tool run_tests."),
        ("generate", {}, "unknown_command", 'Unity says: "Perhaps generate_level."'),
        (
            "generate",
            {},
            "unknown_command",
            "once the user has allowed it with `unity-bridge allow csharp`, or a command of the",
        ),
        ("create_gameobject", {}, "arguments", 'Unity says: "Perhaps generate_level."'),
    ],
)
def test_an_unknown_name_is_answered_with_what_it_means_here(
    bridge: InMemoryBridge, name: str, arguments: Dict[str, Any], reason: str, said: str
) -> None:
    # A project may have a command of that name: Unity is asked first.
    call = bridge.agent.calls("run_command", name=name, arguments=arguments)
    bridge.editor.accepts_job()
    details = {"reason": reason, "execution_guarantee": "not_executed"}
    error = {"code": "ERR_INVALID_PARAMS", "message": "Perhaps generate_level.", "details": details}
    bridge.editor.reports_job("failed", error=error)
    error = call.answer["error"]
    assert said in error["message"] and error["details"]["execution_guarantee"] == "not_executed"
    assert error["details"].get("instead", []) == [
        word for word in ("create_object", "save_scene", "run_tests") if word in said
    ]


def test_an_exception_says_that_the_command_has_run(bridge: InMemoryBridge) -> None:
    call = bridge.agent.calls("run_command", name="throws")
    bridge.editor.accepts_job()
    details = {
        "reason": "exception",
        "execution_guarantee": "completed_error",
        "stack": ["Game.Throws (at A.cs:3)"],
    }
    error = {
        "code": "ERR_UNITY_EXECUTION",
        "message": "throws threw Exception: no",
        "details": details,
    }
    bridge.editor.reports_job("failed", error=error)
    reported = call.answer["error"]
    assert reported["details"]["execution_guarantee"] == "completed_error"
    assert reported["details"]["stack"] == ["Game.Throws (at A.cs:3)"]


def test_a_reload_in_the_midst_is_unknown_and_never_run_again(bridge: InMemoryBridge) -> None:
    call = bridge.agent.calls("run_command", name="generate")
    job_id = bridge.editor.last("submit_job")["job_id"]
    bridge.editor.accepts_job()
    bridge.editor.reports_job("running")
    bridge.editor.reloads()
    bridge.editor.connects(jobs=[job_id])
    details = {"reason": "reloaded_while_running", "execution_guarantee": "unknown"}
    error = {"code": "ERR_UNITY_EXECUTION", "message": "Unity reloaded.", "details": details}
    bridge.editor.reports_job("failed", error=error)
    reported = call.answer["error"]["details"]
    assert (reported["reason"], reported["execution_guarantee"]) == (
        "reloaded_while_running",
        "unknown",
    )
    bridge.advance(20)
    assert bridge.editor.heard("submit_job") == []


def test_a_cancel_goes_to_unity_which_knows_whether_it_can_be_stopped(
    bridge: InMemoryBridge,
) -> None:
    call = bridge.agent.calls("run_command", name="build_player")
    job_id = bridge.editor.last("submit_job")["job_id"]
    bridge.editor.accepts_job()
    bridge.editor.reports_job("running")
    assert bridge.agent.calls("cancel_job", job_id=job_id).answer["status"] == "cancel_requested"
    asked = bridge.editor.last("cancel")
    assert asked["target_job_id"] == job_id
    bridge.editor.says("cancel_result", request_id=asked["request_id"], status="rejected")
    bridge.advance(1)
    bridge.editor.reports_job("succeeded", result=VALUE)
    assert call.answer["state"] == "succeeded"
