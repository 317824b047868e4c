"""SPEC §16.2, as the server sees it: Unity's answer is returned, and no change of play mode is
requested twice.
"""

from __future__ import annotations

from typing import Any, Dict

import pytest

from tests.fakes import InMemoryBridge

ENTERED: Dict[str, Any] = {"playing": True, "paused": False, "frame": 1, "changed": True}


pytestmark = pytest.mark.usefixtures("connected")


def test_entering_is_one_call_across_the_reload(bridge: InMemoryBridge) -> None:
    call = bridge.agent.calls("play_mode", action="enter")
    submitted = bridge.editor.last("submit_job")
    assert submitted["params"] == {"action": "enter", "frames": 1}
    assert submitted["timeout_ms"] == 60_000
    bridge.editor.accepts_job()
    bridge.editor.reports_job("running", progress={"step": "entering_play_mode", "for_ms": 20})
    bridge.editor.reloads()
    bridge.advance(2)
    bridge.editor.connects(jobs=[submitted["job_id"]], playing=True)
    bridge.editor.reports_job("succeeded", result=ENTERED, tool_name="play_mode")
    assert (call.answer["state"], call.answer["result"]) == ("succeeded", ENTERED)
    assert bridge.editor.heard("submit_job") == [], (
        "on the new connection it is asked for, and not made again"
    )


def test_an_entry_that_unity_called_off_has_had_its_effect(bridge: InMemoryBridge) -> None:
    call = bridge.agent.calls("play_mode", action="enter")
    bridge.editor.accepts_job()
    details = {
        "reason": "cancelled_by_unity",
        "execution_guarantee": "completed_error",
        "errors": ["no player"],
    }
    bridge.editor.reports_job(
        "failed", error={"code": "ERR_UNITY_EXECUTION", "message": "called off", "details": details}
    )
    reported = call.answer["error"]
    assert (call.answer["state"], reported["retryable"]) == ("failed", False)
    assert reported["details"]["execution_guarantee"] == "completed_error"
    assert reported["details"]["errors"] == ["no player"]


def test_an_editor_that_crashed_in_the_middle_is_not_asked_again(bridge: InMemoryBridge) -> None:
    call = bridge.agent.calls("play_mode", action="step", frames=3)
    bridge.editor.accepts_job()
    bridge.editor.reports_job("running")
    bridge.editor.vanishes()
    bridge.advance(1)
    bridge.editor.instance_id = "editor-2"
    bridge.editor.connects(jobs=[])
    assert bridge.editor.heard("submit_job") == []
    assert (call.answer["state"], call.answer["error"]["details"]["execution_guarantee"]) == (
        "failed",
        "unknown",
    )
