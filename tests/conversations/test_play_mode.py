"""SPEC §16.2, as the server sees it: what Unity answers is told, and no change of play mode is asked for twice."""

from __future__ import annotations

from typing import Any, Dict

import pytest

from tests.fakes import InMemoryBridge

ENTERED: Dict[str, Any] = {"playing": True, "paused": False, "frame": 1, "changed": True}


@pytest.fixture
def bridge(bridge: InMemoryBridge) -> InMemoryBridge:
    bridge.editor.connects()
    return bridge


def test_entering_is_one_call_across_the_reload(bridge: InMemoryBridge) -> None:
    call = bridge.agent.calls("play_mode", action="enter")
    submitted = bridge.editor.last("submit_job")
    assert submitted["params"] == {"action": "enter", "frames": 1}
    assert submitted["timeout_ms"] == 60_000
    bridge.editor.accepts_job()
    bridge.editor.tells("running", progress={"step": "entering_play_mode", "for_ms": 20})
    bridge.editor.reloads()
    bridge.advance(2)
    bridge.editor.connects(jobs=[submitted["job_id"]], playing=True)
    bridge.editor.tells("succeeded", result=ENTERED, tool_name="play_mode")
    assert (call.answer["state"], call.answer["result"]) == ("succeeded", ENTERED)
    assert bridge.editor.heard("submit_job") == [], "on the new connection it is asked for, and not made again"


def test_an_entry_that_unity_called_off_has_had_its_effect(bridge: InMemoryBridge) -> None:
    call = bridge.agent.calls("play_mode", action="enter")
    bridge.editor.accepts_job()
    details = {"reason": "cancelled_by_unity", "execution_guarantee": "completed_error", "errors": ["no player"]}
    bridge.editor.tells("failed", error={"code": "ERR_UNITY_EXECUTION", "message": "called off", "details": details})
    told = call.answer["error"]
    assert (call.answer["state"], told["retryable"]) == ("failed", False)
    assert told["details"]["execution_guarantee"] == "completed_error"
    assert told["details"]["errors"] == ["no player"]


def test_an_editor_that_crashed_in_the_middle_is_not_asked_again(bridge: InMemoryBridge) -> None:
    call = bridge.agent.calls("play_mode", action="step", frames=3)
    bridge.editor.accepts_job()
    bridge.editor.tells("running")
    bridge.editor.vanishes()
    bridge.advance(1)
    bridge.editor.instance_id = "editor-2"
    bridge.editor.connects(jobs=[])
    assert bridge.editor.heard("submit_job") == []
    assert (call.answer["state"], call.answer["error"]["details"]["execution_guarantee"]) == ("failed", "unknown")


def test_a_key_joins_the_job_that_it_named(bridge: InMemoryBridge) -> None:
    first = bridge.agent.calls("play_mode", action="enter", client_request_id="play-1")
    second = bridge.agent.calls("play_mode", action="enter", client_request_id="play-1")
    bridge.editor.accepts_job()
    bridge.editor.tells("succeeded", result=ENTERED)
    assert (first.answer["result"], second.answer["joined"]) == (ENTERED, True)
    assert len(bridge.editor.heard("submit_job")) == 1


def test_a_plugin_without_it_is_named() -> None:
    bridge = InMemoryBridge()
    bridge.editor.connects(tools=["run_tests", "read_console"])
    call = bridge.agent.calls("play_mode", action="enter")
    assert (call.code, call.guarantee) == ("ERR_UNKNOWN_COMMAND", "not_executed")
    bridge.stop()
