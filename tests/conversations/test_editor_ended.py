"""The editor's process is gone: nobody waits for it, and its jobs end (SPEC §5.6)."""

from __future__ import annotations

from typing import Optional

import pytest

from tests.fakes import InMemoryBridge
from unity_bridge.projects.project_probe import NoPlugin, ProcessIdentity, ProcessSeen, ProjectProbe

GAME = "/home/me/Game"
PID = 4242
ENDED = ProjectProbe(
    NoPlugin.UNITY_NOT_RUNNING,
    advice="open it",
    has_ended=True,
    last_lines=("Caught fatal signal",),
)
LIVES = ProjectProbe(has_ended=False)
CLOSED = ProjectProbe(NoPlugin.UNITY_NOT_RUNNING)


@pytest.fixture
def bridge() -> InMemoryBridge:
    return InMemoryBridge(project=GAME)


def runs_a_job(bridge: InMemoryBridge, process_id: Optional[int] = PID) -> str:
    bridge.sees(CLOSED)
    bridge.editor.connects(project_path=GAME, process_id=process_id)
    job_id = bridge.agent.runs_tests()
    bridge.editor.accepts_job()
    return job_id


def test_a_running_job_ends_with_its_editor(bridge: InMemoryBridge) -> None:
    job_id = runs_a_job(bridge)
    waiting = bridge.agent.asks(job_id, wait_ms=30_000)
    bridge.editor.reports_job("running")
    bridge.editor.vanishes()
    assert bridge.watched == ProcessIdentity(PID, "its start")
    bridge.sees(ENDED)
    status = waiting.answer
    assert (status["state"], status["error"]["code"]) == ("failed", "ERR_RECONNECT_TIMEOUT")
    assert status["error"]["details"]["execution_guarantee"] == "unknown"
    assert status["error"]["details"]["reason"] == "editor_ended"
    assert status["error"]["details"]["log"] == ["Caught fatal signal"]
    assert "asked to stop" not in status["error"]["message"]


def test_a_process_that_lives_is_waited_for(bridge: InMemoryBridge) -> None:
    job_id = runs_a_job(bridge)
    bridge.editor.reloads()
    for _ in range(10):
        bridge.sees(LIVES)
        bridge.advance(2)
    assert bridge.agent.asks(job_id).answer["state"] == "running"


def test_calls_that_wait_for_a_reload_are_answered_when_the_editor_ends(
    bridge: InMemoryBridge,
) -> None:
    runs_a_job(bridge)
    bridge.editor.reloads()
    bridge.sees(LIVES)
    call = bridge.agent.calls("read_console")
    bridge.advance(3)
    assert not call.is_answered
    bridge.sees(ENDED)
    bridge.advance(0)
    assert (call.code, call.guarantee) == ("ERR_EDITOR_NOT_READY", "not_executed")
    assert call.error["details"]["reason"] == "unity_not_running"
    assert bridge.agent.calls("get_editor_state").answer["editor_state"] == "unknown"


def test_a_read_that_was_sent_ends_with_the_editor(bridge: InMemoryBridge) -> None:
    runs_a_job(bridge)
    bridge.editor.becomes("compiling").becomes("ready")
    read = bridge.agent.calls("read_console", timeout_ms=30_000)
    bridge.editor.becomes("reloading").vanishes()
    bridge.sees(ENDED)
    assert read.code == "ERR_RECONNECT_TIMEOUT"


def test_a_plugin_without_a_process_is_gone_when_its_project_is_seen_closed_twice(
    bridge: InMemoryBridge,
) -> None:
    job_id = runs_a_job(bridge, process_id=None)
    bridge.editor.vanishes()
    bridge.sees(CLOSED)
    assert bridge.agent.asks(job_id).answer["state"] == "running"
    bridge.advance(2)
    bridge.sees(CLOSED)
    assert bridge.agent.asks(job_id).answer["error"]["details"]["reason"] == "editor_ended"


def test_an_editor_that_comes_back_is_no_ended_one(bridge: InMemoryBridge) -> None:
    job_id = runs_a_job(bridge)
    bridge.editor.vanishes()
    bridge.editor.connects(project_path=GAME, process_id=PID, jobs=[job_id])
    bridge.sees(ENDED)
    bridge.editor.reports_job("running")
    assert (
        bridge.agent.asks(job_id).is_answered is False
        or bridge.job(job_id).state.value == "running"
    )


def test_a_process_that_is_seen_after_its_session_is_not_watched(bridge: InMemoryBridge) -> None:
    runs_a_job(bridge)
    bridge.editor.vanishes()
    bridge.sees(CLOSED)
    bridge.inbox.put(ProcessSeen(ProcessIdentity(7, "late")))
    bridge.advance(2)
    assert bridge.watched == ProcessIdentity(PID, "its start")


def test_the_process_of_an_unproven_plugin_is_not_watched(bridge: InMemoryBridge) -> None:
    bridge.editor.secret = None
    runs_a_job(bridge)
    bridge.editor.vanishes()
    assert bridge.watched is None


def test_a_server_for_no_project_says_that_the_editor_ended() -> None:
    bridge = InMemoryBridge(looks_below=True)
    bridge.editor.connects(process_id=PID)
    job_id = bridge.agent.runs_tests()
    bridge.editor.accepts_job().vanishes()
    bridge.sees(ProjectProbe(NoPlugin.EDITOR_ENDED, has_ended=True))
    assert bridge.job(job_id).error is not None
    assert bridge.agent.calls("get_editor_state").answer["reason"] == "editor_ended"
