"""A proven editor is never kept out by an unproven one, and what an unproven one says is marked
(SPEC §7.3, §17.2).
"""

from __future__ import annotations

import logging
from typing import Optional

import pytest

from tests.fakes import FakeEditor, InMemoryBridge
from tests.tool_results import CONSOLE
from unity_bridge.core.editor.incoming import TOO_MANY_FAULTS, WAITING_MAX

GAME = "/home/me/Game"


def unproven(
    editor: FakeEditor, project: Optional[str] = None, instance: Optional[str] = None
) -> FakeEditor:
    """A program that claims ``project`` and proves nothing."""
    editor.secret, editor.instance_id, editor.project = None, instance, project
    fields = {} if project is None else {"project_path": project}
    return editor.connects(jobs=None, **fields)


def is_open(editor: FakeEditor) -> bool:
    return editor.peer is not None and editor.peer.is_open


@pytest.mark.parametrize(
    "is_expected", [True, False], ids=["the server knows its project", "it does not"]
)
@pytest.mark.parametrize("claims", [None, GAME, "/home/me/Other"])
def test_an_unproven_editor_gives_way_to_a_proven_one(
    is_expected: bool, claims: Optional[str], caplog: pytest.LogCaptureFixture
) -> None:
    bridge = InMemoryBridge(project=GAME if is_expected else None)
    rogue = unproven(bridge.another_editor(), claims)
    bridge.editor.connects()
    state = bridge.agent.calls("get_editor_state").answer
    assert state["trusted"] is True and state["editor"]["project_path"] == GAME
    assert not is_open(rogue) and is_open(bridge.editor)
    was_let_in = not (is_expected and claims == "/home/me/Other")
    warned = [
        record
        for record in caplog.records
        if "took over from an editor without proof" in record.getMessage()
    ]
    assert len(warned) == was_let_in and all(record.levelno == logging.WARNING for record in warned)
    assert (
        state.get("project_remark")
        == f'the editor of "{GAME}" took over from an editor without proof'
    ) == was_let_in


@pytest.mark.parametrize("claims", [None, GAME, "/home/me/Other"])
def test_an_editor_that_reconnects_again_and_again_disturbs_no_other(
    bridge: InMemoryBridge, claims: Optional[str]
) -> None:
    bridge.editor.connects()
    for _ in range(20):
        assert not is_open(unproven(bridge.another_editor(), claims, "editor-1"))
    assert bridge.agent.calls("get_editor_state").answer["trusted"] is True and is_open(
        bridge.editor
    )


@pytest.mark.parametrize("claims", [None, GAME, "/home/me/Other"])
def test_an_unproven_editor_that_is_expected_back_keeps_no_slot(
    bridge: InMemoryBridge, claims: Optional[str]
) -> None:
    rogue = unproven(bridge.another_editor(), claims, "rogue")
    rogue.says("editor_status", state="reloading", seq=1).vanishes()
    assert is_open(bridge.editor.connects())
    assert bridge.agent.calls("get_editor_state").answer["trusted"] is True


def test_an_editor_of_another_project_is_still_refused_whatever_it_proves() -> None:
    bridge = InMemoryBridge(project=GAME)
    unproven(bridge.another_editor())
    other = bridge.another_editor("editor-2")
    other.project = "/home/me/Other"
    other.connects()
    assert not is_open(other)


def test_a_refusal_is_shown_while_another_editor_is_connected(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    other = bridge.another_editor("editor-2")
    other.project = "/home/me/Other"
    other.connects()
    listener = bridge.agent.calls("get_editor_state").answer["listener"]
    assert "another Unity editor session is already active" in listener["refused"]


def test_open_calls_of_the_replaced_editor_are_not_sent_to_the_new_one(
    bridge: InMemoryBridge,
) -> None:
    rogue = unproven(bridge.another_editor(), None, None)
    job = bridge.agent.calls("run_tests", wait_ms=0).answer["job_id"]
    assert rogue.heard("submit_job")
    bridge.editor.connects()
    bridge.advance(1)
    status = bridge.agent.calls("get_job_status", job_id=job).answer
    assert (
        status["state"] == "failed"
        and status["error"]["details"]["execution_guarantee"] == "unknown"
    )
    assert not bridge.editor.heard("submit_job"), (
        "what another program may have run is not run again"
    )


@pytest.mark.parametrize(
    "text",
    ["{}", "no JSON", '{"type": "what", "protocol_version": 1}', '{"type": "pong", "seq": -1}'],
)
def test_the_101st_message_that_cannot_be_used_within_ten_seconds_ends_the_session(
    bridge: InMemoryBridge, text: str
) -> None:
    bridge.editor.connects()
    for _ in range(100):
        bridge.editor.says_text(text)
    assert is_open(bridge.editor)
    bridge.editor.says_text(text)
    assert bridge.editor.peer is not None and bridge.editor.peer.closed_with == (
        1008,
        TOO_MANY_FAULTS,
    )
    assert bridge.editor.last("error")["error"]["message"] == TOO_MANY_FAULTS
    assert is_open(unproven(bridge.another_editor())), "its slot is not kept"


def test_faults_over_a_longer_time_end_no_session(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    for _ in range(300):
        bridge.editor.says_text("{}")
        bridge.advance(0.11)
    assert is_open(bridge.editor)


def test_unexpected_errors_and_answers_do_not_count(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    for number in range(150):
        bridge.editor.says_text('{"type": "error", "protocol_version": 1, "error": 7}')
        bridge.editor.says("error", error={"code": "ERR_INVALID_REQUEST", "message": "no"})
        bridge.editor.says("result", request_id=f"stray-{number}", status="ok")
    assert is_open(bridge.editor)


def test_the_oldest_editor_that_owes_a_proof_gives_way(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    waiting = []
    for number in range(WAITING_MAX + 3):
        editor = bridge.another_editor(f"editor-{number}", "/home/me/Game")
        editor.instance_id = "editor-1"
        hello = {
            "editor_instance_id": "editor-1",
            "project_path": "/home/me/Game",
            "nonce": editor.nonce,
        }
        waiting.append(editor.opens().says("hello", plugin_version="1.1.0", state="ready", **hello))
    assert [is_open(editor) for editor in waiting] == [False] * 3 + [True] * WAITING_MAX
    assert is_open(bridge.editor)
    waiting[-1].proves()
    assert is_open(waiting[-1]) and not is_open(bridge.editor), "the same process, with its proof"


@pytest.mark.parametrize("is_proven", [True, False])
def test_results_and_errors_of_an_unproven_plugin_are_marked(
    bridge: InMemoryBridge, is_proven: bool
) -> None:
    editor = bridge.editor.connects() if is_proven else unproven(bridge.editor, GAME, "editor-1")
    call = bridge.agent.calls("read_console")
    editor.says("result", request_id=call.request_id, status="ok", result=CONSOLE)
    assert call.answer.get("untrusted") is (None if is_proven else True)
    call = bridge.agent.calls("read_console")
    error = {"code": "ERR_UNITY_EXECUTION", "message": "stuck", "details": {"nextstep": "curl"}}
    editor.says("result", request_id=call.request_id, status="error", error=error)
    assert call.error["details"].get("untrusted") is (None if is_proven else True)
    assert (
        call.error["details"]["unity"] == {"nextstep": "curl"}
        and "nextstep" not in call.error["details"]
    )
