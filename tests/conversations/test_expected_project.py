"""A server that knows its project works with no other's editor, and says which it expects (SPEC
§18.2).
"""

from __future__ import annotations

import sys
from typing import Any, Dict, Iterator

import pytest

from tests.conversations.test_absent_plugin import SAFE_MODE
from tests.conversations.test_several_clients import Owner
from tests.fakes import InMemoryBridge
from tests.tool_results import PASSED
from unity_bridge.projects.canonical_path import canonical

GAME, OTHER = (canonical(path, sys.platform) for path in ("/home/me/Game", "/home/me/Other"))


@pytest.fixture
def bridge() -> Iterator[InMemoryBridge]:
    wired = InMemoryBridge(project=GAME)
    yield wired
    wired.stop()
    assert wired.open_requests == []


def state(bridge: InMemoryBridge) -> Dict[str, Any]:
    return bridge.agent.calls("get_editor_state").answer


def test_the_editor_of_another_project_is_refused_with_both_named(bridge: InMemoryBridge) -> None:
    other = bridge.another_editor(project=OTHER).connects()
    assert other.peer is not None and not other.peer.is_open
    message = other.last("error")["error"]["message"]
    assert GAME in message and OTHER in message and "--port auto" in message
    assert (state(bridge)["connected"], state(bridge)["project"]) == (False, GAME)

    bridge.editor.connects()
    assert state(bridge)["connected"] and "project_remark" not in state(bridge)


def test_another_project_is_refused_even_with_the_last_editors_id(bridge: InMemoryBridge) -> None:
    bridge.editor.connects().reloads()
    other = bridge.another_editor("editor-1", project=OTHER).connects()
    assert other.peer is not None and not other.peer.is_open


def test_a_plugin_that_does_not_say_is_served_with_a_remark(bridge: InMemoryBridge) -> None:
    bridge.editor.connects(project_path=None)
    answer = state(bridge)
    assert answer["connected"] and answer["project"] == GAME
    assert answer["project_remark"] == "the plugin does not say which project it has open"
    bridge.agent.calls("read_console")
    assert bridge.editor.heard("execute")


# Servers that share the port


def test_a_call_of_an_attached_server_for_another_project_is_refused() -> None:
    bridge = InMemoryBridge()
    bridge.editor.connects()
    for tool in ("read_console", "compile"):
        call = bridge.agent.calls(tool, as_client="b", for_project=OTHER)
        assert (call.code, call.guarantee) == ("ERR_EDITOR_NOT_READY", "not_executed")
        assert call.error["details"]["reason"] == "other_project"
        assert OTHER in call.error["message"] and GAME in call.error["message"]
    assert not bridge.editor.heard("execute") and not bridge.editor.heard("submit_job")
    assert bridge.agent.calls("get_editor_state", for_project=OTHER).is_answered
    job = bridge.agent.runs_tests()
    bridge.editor.accepts_job()
    for tool in ("get_job_status", "cancel_job"):
        error = bridge.agent.calls(tool, as_client="b", for_project=OTHER, job_id=job).error
        assert error["details"]["reason"] == "other_project"
    assert not bridge.editor.heard("cancel")
    bridge.advance(1)
    bridge.editor.reports_job("succeeded", result=PASSED)
    bridge.agent.calls("read_console", for_project=GAME)
    assert bridge.editor.heard("execute")
    bridge.stop()


def test_a_call_for_another_project_joins_no_job() -> None:
    bridge = InMemoryBridge()
    bridge.editor.connects()
    bridge.agent.calls("read_console")  # so that the job stays in the queue
    job_id = bridge.agent.compiles(wait_ms=0, as_client="a").answer["job_id"]
    assert bridge.agent.compiles(wait_ms=0, as_client="b").answer["job_id"] == job_id
    assert (
        bridge.agent.compiles(wait_ms=0, as_client="b", for_project=OTHER).code
        == "ERR_EDITOR_NOT_READY"
    )
    bridge.stop()


def test_a_call_that_waits_for_an_editor_is_refused_if_another_project_connects() -> None:
    bridge = InMemoryBridge()
    waiting = bridge.agent.calls("read_console", for_project=OTHER)
    bridge.editor.connects()
    assert waiting.error["details"]["reason"] == "other_project"
    bridge.stop()


def test_a_server_for_a_project_refuses_them_at_once(bridge: InMemoryBridge) -> None:
    assert (
        f"the editor has {GAME}."
        in bridge.agent.calls("read_console", for_project=OTHER).error["message"]
    )


def test_an_attached_server_says_what_it_expects_and_what_is_there() -> None:
    owner = Owner()
    bridge = owner.bridge = InMemoryBridge(listening=False, link=owner, project=GAME)
    owner.is_found()
    asked = bridge.agent.calls("get_editor_state")
    owner.answers(asked, result={"connected": True, "editor": {"project_path": OTHER}})
    assert (asked.answer["project"], asked.answer["role"]) == (GAME, "attached")
    assert "another project" in asked.answer["project_remark"]
    for project, reason in ((GAME, "safe_mode"), (OTHER, None)):
        asked = bridge.agent.calls("get_editor_state")
        owner.answers(
            asked,
            result={"connected": False, "editor": None, "project": project, "reason": "safe_mode"},
        )
        assert (asked.answer["project"], asked.answer.get("reason")) == (GAME, reason)
        assert "project_remark" not in asked.answer
    bridge.stop()


def test_an_attached_server_looks_at_its_own_project_while_the_owner_sees_no_editor() -> None:
    owner = Owner()
    bridge = owner.bridge = InMemoryBridge(listening=False, link=owner, project=GAME)
    owner.is_found()
    bridge.sees(SAFE_MODE)
    asked, compiled = bridge.agent.calls("get_editor_state"), bridge.agent.compiles()
    console = bridge.agent.calls("read_console")
    owner.answers(asked, result={"connected": False, "editor": None})
    owner.fails(compiled, "ERR_EDITOR_NOT_READY", "not_executed", reason="disconnected")
    owner.fails(console, "ERR_EDITOR_NOT_READY", "not_executed", reason="disconnected")
    assert asked.answer["reason"] == "safe_mode"
    assert compiled.answer["result"]["source"] == "editor_log"
    assert console.error["details"]["reason"] == "safe_mode"

    owner.sees("ready")
    bridge.advance(60)
    assert bridge.looks_asked == 0
    compiled = bridge.agent.compiles()
    owner.fails(compiled, "ERR_EDITOR_NOT_READY", "not_executed", reason="disconnected")
    assert compiled.error["details"]["reason"] == "disconnected"
    bridge.stop()


def test_an_editor_that_takes_over_gets_no_call_for_the_project_of_the_former_one() -> None:
    """The owner of the port is for no project. Its editor gave no proof, so a proven one takes its
    place.
    """
    bridge = InMemoryBridge()
    unproven = bridge.another_editor("editor-1", GAME)
    unproven.secret = None
    unproven.connects()
    read = bridge.agent.calls("read_console", as_client="b", for_project=GAME)
    job = bridge.agent.calls("run_tests", as_client="b", for_project=GAME)
    assert len(unproven.heard("execute")) == 1 and unproven.heard("submit_job") == []
    proven = bridge.another_editor("editor-2", OTHER).connects()
    assert (proven.heard("execute"), proven.heard("submit_job")) == ([], [])
    assert (read.code, read.error["details"]["reason"]) == ("ERR_EDITOR_NOT_READY", "other_project")
    assert read.guarantee == "unknown", "the former editor may have read"
    assert (
        "Nothing was run" not in read.error["message"] and "not repeated" in read.error["message"]
    )
    error = job.answer["error"]
    assert (error["code"], error["details"]["reason"]) == ("ERR_EDITOR_NOT_READY", "other_project")
    assert error["details"]["execution_guarantee"] == "not_executed"
    bridge.agent.calls("read_console", as_client="b", for_project=OTHER)
    assert len(proven.heard("execute")) == 1
