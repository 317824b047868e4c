"""SPEC §8 ``get_editor_state``: every field, whatever Unity does, always at once."""

from __future__ import annotations

from typing import Any, Dict

import pytest

from tests.fakes import PORT, InMemoryBridge
from unity_bridge.unity.bridge_client import ListenerBlocked, ListenerLost
from unity_bridge.unity.websocket import BindFailure


def state(bridge: InMemoryBridge) -> Dict[str, Any]:
    answer = bridge.agent.calls("get_editor_state").answer
    assert (
        bridge.validator.check_result(bridge.validator.catalogue["get_editor_state"], answer)
        is None
    )
    return answer


def test_a_game_that_plays_is_as_far_as_the_last_report_said(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    bridge.editor.says("pong", playing=True, game_time_s=12.5, frame=741)
    assert (state(bridge)["game_time_s"], state(bridge)["frame"]) == (12.5, 741)
    bridge.editor.says("pong", playing=False)
    assert "frame" not in state(bridge) and "game_time_s" not in state(bridge)


def test_copies_that_a_batch_left_are_listed_until_they_are_gone(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    assert "kept_copies" not in state(bridge)
    copies = [{"file": "Assets/Tank.prefab", "copy": "Library/UnityBridge/Kept/a/1.prefab"}]
    bridge.editor.says("pong", kept_copies=copies)
    assert state(bridge)["kept_copies"] == copies
    bridge.editor.says("pong")
    assert "kept_copies" not in state(bridge)


def test_every_field_has_a_value_before_an_editor_connects(bridge: InMemoryBridge) -> None:
    assert state(bridge) == {
        "server_state": "waiting_editor",
        "editor_state": "unknown",
        "connected": False,
        "trusted": None,
        "playing": None,
        "paused": None,
        "code": None,
        "last_editor_status_seq": None,
        "port": PORT,
        "server_version": "0.1.0",
        "plugin_version": None,
        "editor": None,
        "waiting": 0,
        "queued": 0,
        "running_jobs": [],
        "listener": {"state": "listening", "waited_ms": 0},
        "role": "owner",
        "clients": 1,
        "calls": {"ok": 0, "failed": 0, "p50_ms": None, "p99_ms": None},
        "reason": "connecting",
    }


def test_what_the_editor_reports_of_itself_is_in_the_state(bridge: InMemoryBridge) -> None:
    bridge.editor.connects(
        unity_version="2022.3.1f1", project_name="Game", project_path="/games/Game"
    )
    bridge.editor.says(
        "editor_status",
        state="compiling",
        seq=8,
        compile_errors=2,
        main_thread_stalled_ms=1500,
        mood="good",
    )
    assert "frame" not in state(bridge)
    now = state(bridge)
    assert (now["server_state"], now["editor_state"], now["connected"]) == (
        "ready",
        "compiling",
        True,
    )
    assert (now["last_editor_status_seq"], now["plugin_version"]) == (8, "0.1.0")
    assert now["editor"] == {
        "unity_version": "2022.3.1f1",
        "project_name": "Game",
        "project_path": "/games/Game",
        "editor_instance_id": "editor-1",
        "main_thread_stalled_ms": 1500,
        "compile_errors": 2,
    }


def test_an_editor_that_reports_nothing_of_itself_is_an_empty_object(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.instance_id = None
    bridge.editor.connects(jobs=None)
    assert state(bridge)["editor"] == {}


def test_tools_that_the_plugin_does_not_have_are_listed(bridge: InMemoryBridge) -> None:
    bridge.editor.connects(tools=["run_tests", "read_console", "inspect"])
    assert state(bridge)["editor"]["missing_tools"] == [
        "compile",
        "play_mode",
        "run_csharp",
        "screenshot",
        "run_command",
    ]


@pytest.mark.parametrize("said", ["ready", "compiling", "reloading"])
def test_the_state_is_the_editors_own_word(bridge: InMemoryBridge, said: str) -> None:
    bridge.editor.connects().becomes(said)
    assert state(bridge)["editor_state"] == said
    bridge.editor.becomes("ready")
    assert state(bridge)["editor_state"] == "ready"


def test_a_stalled_main_thread_is_reported_until_it_runs_again(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    bridge.editor.says("pong", main_thread_stalled_ms=9000)
    assert state(bridge)["editor"]["main_thread_stalled_ms"] == 9000
    bridge.editor.says("pong")
    assert "main_thread_stalled_ms" not in state(bridge)["editor"]


def test_after_a_loss_the_state_is_unknown_and_the_plugins_version_is_kept(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    bridge.editor.says("editor_status", state="ready", seq=3, main_thread_stalled_ms=5)
    bridge.editor.vanishes()
    now = state(bridge)
    assert (now["server_state"], now["editor_state"], now["connected"]) == (
        "waiting_editor",
        "unknown",
        False,
    )
    assert now["editor"] is None
    assert now["plugin_version"] == "0.1.0", "the last one that was seen"


def test_an_editor_that_left_to_reload_is_still_reloading_for_a_while(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects().reloads()
    assert (state(bridge)["editor_state"], state(bridge)["connected"]) == ("reloading", False)
    bridge.advance(59)
    assert state(bridge)["editor_state"] == "reloading"
    bridge.advance(1)
    assert state(bridge)["editor_state"] == "unknown"


def test_waiting_and_queued_calls_and_running_jobs_are_counted(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    first = bridge.agent.runs_tests()
    bridge.editor.accepts_job()
    bridge.agent.calls("read_console")
    bridge.agent.calls("read_console")
    second = bridge.agent.runs_tests()
    now = state(bridge)
    assert (now["waiting"], now["queued"]) == (0, 2)
    assert [(job["job_id"], job["state"], job["client"]) for job in now["running_jobs"]] == [
        (first, "running", "this"),
        (second, "queued", "this"),
    ]
    bridge.editor.becomes("compiling")
    now = state(bridge)
    assert (now["waiting"], now["queued"]) == (2, 0)
    assert bridge.agent.asks(second).answer["state"] == "queued"


def test_listening_that_broke_off_is_no_listening_until_the_port_is_ours_again(
    bridge: InMemoryBridge,
) -> None:
    bridge.inbox.put(ListenerLost())
    bridge.drain()
    assert (state(bridge)["listener"]["state"], state(bridge)["role"]) == ("closed", "none")
    bridge.port_is_taken()
    assert state(bridge)["listener"]["state"] == "blocked"
    bridge.port_is_free_again()
    assert (state(bridge)["listener"]["state"], state(bridge)["role"]) == ("listening", "owner")


def test_a_port_that_the_system_does_not_give_is_reported_with_its_reason(
    bridge: InMemoryBridge,
) -> None:
    blocked = InMemoryBridge(listening=False)
    blocked.inbox.put(ListenerBlocked(BindFailure(80, "port_not_allowed")))
    blocked.drain()
    assert state(blocked)["listener"] == {"state": "blocked", "reason": "port_not_allowed"}
    call = blocked.agent.calls("read_console")
    assert (call.code, call.error["details"]["reason"]) == (
        "ERR_EDITOR_NOT_READY",
        "port_not_allowed",
    )
    assert "does not let" in call.error["message"]
