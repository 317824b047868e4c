"""The place of an editor that is expected back is kept for it (SPEC §7.3)."""

from __future__ import annotations

from typing import Optional

import pytest

from tests.fakes import FakeEditor, InMemoryBridge
from tests.tool_results import CONSOLE

TAKEN = "another Unity editor session is already active"
OTHER = "/home/me/Other"


def served(bridge: InMemoryBridge) -> Optional[str]:
    """The project that an agent would work in now."""
    editor = bridge.agent.calls("get_editor_state").answer["editor"]
    return None if editor is None else str(editor["project_path"])


def knocks(editor: FakeEditor) -> bool:
    """Return whether the editor is accepted. A refused one gets the reason and the close, and
    nothing else.
    """
    editor.connects()
    assert editor.peer is not None
    if editor.peer.is_open:
        return True
    (error,) = editor.peer.said
    assert error["type"] == "error" and error["error"]["code"] == "ERR_INVALID_REQUEST"
    assert error["error"]["message"].startswith(TAKEN) and editor.peer.closed_with is not None
    editor.vanishes()
    return False


@pytest.fixture
def other(bridge: InMemoryBridge) -> FakeEditor:
    return bridge.another_editor(project=OTHER)


def test_a_reload_does_not_hand_the_agent_to_another_project(
    bridge: InMemoryBridge, other: FakeEditor
) -> None:
    bridge.editor.connects().reloads()
    call = bridge.agent.calls("read_console")
    for _ in range(8):
        assert not knocks(other)
        bridge.advance(0.5)
    bridge.editor.connects()
    assert served(bridge) == "/home/me/Game"
    bridge.editor.answers(CONSOLE)
    assert call.is_answered and not knocks(other)


def test_a_refused_editor_gets_both_projects(bridge: InMemoryBridge, other: FakeEditor) -> None:
    bridge.editor.connects().reloads()
    other.connects()
    message = other.last("error")["error"]["message"]
    assert '"/home/me/Game"' in message and '"/home/me/Other"' in message


@pytest.mark.parametrize(
    "doing, window_s", [("compiling", 60.0), ("reloading", 60.0), ("ready", 2.5)]
)
def test_the_place_is_free_when_a_call_would_no_longer_wait(
    bridge: InMemoryBridge, other: FakeEditor, doing: str, window_s: float
) -> None:
    bridge.editor.connects().becomes(doing).vanishes()
    bridge.advance(window_s - 0.1)
    assert not knocks(other)
    bridge.advance(0.1)
    assert knocks(other) and served(bridge) == OTHER
    assert not knocks(bridge.editor), "who comes back too late finds the place taken"


def test_an_editor_that_was_closed_for_its_silence_is_expected_back(
    bridge: InMemoryBridge, other: FakeEditor
) -> None:
    bridge.editor.connects()
    bridge.editor.is_deaf = True
    bridge.advance(4.5)
    assert served(bridge) is None and not knocks(other)
    bridge.advance(2.5)
    assert knocks(other)


def test_an_editor_that_is_silent_because_it_compiles_is_not_handed_over(
    bridge: InMemoryBridge, other: FakeEditor
) -> None:
    bridge.editor.connects("compiling")
    bridge.editor.is_deaf = True
    for _ in range(11):
        bridge.advance(5)
        assert not knocks(other)
    bridge.editor.becomes("ready")
    assert served(bridge) == "/home/me/Game"


def test_another_process_with_the_same_project_takes_the_place_at_once(
    bridge: InMemoryBridge,
) -> None:
    """The user has restarted Unity, and a project is open in one editor only."""
    bridge.editor.connects().reloads()
    assert knocks(bridge.another_editor())


def test_of_two_editors_with_one_project_the_connected_one_stays(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    assert not knocks(bridge.another_editor())


@pytest.mark.parametrize("instance", [None, "editor-2"])
def test_an_editor_without_a_project_is_refused_like_another_project(
    bridge: InMemoryBridge, instance: Optional[str]
) -> None:
    bridge.editor.connects().reloads()
    other_editor = bridge.another_editor(instance, project=None)
    assert not knocks(other_editor)
    bridge.advance(60)
    assert knocks(other_editor)


def test_an_editor_without_an_id_keeps_no_slot(bridge: InMemoryBridge, other: FakeEditor) -> None:
    bridge.editor.instance_id = None
    bridge.editor.connects().reloads()
    assert knocks(other)


def test_the_slot_is_kept_for_the_last_editor(bridge: InMemoryBridge, other: FakeEditor) -> None:
    bridge.editor.connects().vanishes()
    bridge.advance(2.5)
    other.connects().reloads()
    assert not knocks(bridge.editor)
    bridge.advance(60)
    assert knocks(bridge.editor)


def test_an_editor_that_was_sent_away_is_not_expected_back(
    bridge: InMemoryBridge, other: FakeEditor
) -> None:
    bridge.editor.connects().says_anything("pong", protocol_version=2)
    assert served(bridge) is None and knocks(other)


def test_an_editor_whose_message_was_too_long_is_expected_back(
    bridge: InMemoryBridge, other: FakeEditor
) -> None:
    bridge.editor.connects().says_too_much()
    assert served(bridge) is None and not knocks(other)


# With trust (SPEC §17.1).


def old_plugin(editor: FakeEditor) -> FakeEditor:
    editor.secret = None
    return editor


def slow_to_prove(editor: FakeEditor, **hello: object) -> FakeEditor:
    """It says hello, and its proof is still to come."""
    fields = {
        "editor_instance_id": editor.instance_id,
        "project_path": editor.project,
        "jobs": [],
        **hello,
    }
    editor.opens().says(
        "hello", **{"plugin_version": "0.1.0", "state": "ready", "nonce": editor.nonce, **fields}
    )
    return editor


def test_an_impostor_cannot_take_the_place_of_a_trusted_editor(bridge: InMemoryBridge) -> None:
    impostor = old_plugin(bridge.another_editor("editor-1"))
    bridge.editor.connects()
    assert not knocks(impostor)
    bridge.editor.reloads()
    assert not knocks(impostor)
    bridge.advance(60)
    assert knocks(impostor), "nobody is expected back any more"


@pytest.mark.parametrize("doing", ["ready", "reloading"])
def test_an_editor_that_owes_its_proof_waits_next_to_the_connected_one(
    bridge: InMemoryBridge, doing: str
) -> None:
    bridge.editor.connects()
    old = bridge.editor.peer
    assert old is not None
    if doing == "reloading":
        bridge.editor.reloads()
    newcomer = slow_to_prove(bridge.another_editor("editor-1"), state="compiling")
    assert newcomer.heard("hello") and newcomer.heard("capability")
    newcomer.says("ping").says(
        "pong", editor_state="ready", paused=True, code="pending", pending_reason="playing"
    ).says("result", request_id="r", status="ok")
    assert len(newcomer.heard("pong")) == 1 and not newcomer.heard("error")
    assert old.is_open == (doing == "ready") and (served(bridge) is None) == (doing == "reloading")
    newcomer.proves()
    state = bridge.agent.calls("get_editor_state").answer
    assert (state["trusted"], state["editor_state"], state["paused"]) == (True, "ready", True)
    assert (state["code"], state["pending_reason"]) == ("pending", "playing")
    assert not old.is_open


def test_the_status_that_comes_with_the_proof_is_used(bridge: InMemoryBridge) -> None:
    bridge.editor.connects().reloads()
    newcomer = slow_to_prove(bridge.another_editor("editor-1"))
    bridge.editor = newcomer
    status = {"state": "compiling", "seq": 3, "playing": True}
    newcomer.says("editor_status", **status, proof=newcomer.the_proof())
    state = bridge.agent.calls("get_editor_state").answer
    assert (state["editor_state"], state["last_editor_status_seq"], state["playing"]) == (
        "compiling",
        3,
        True,
    )


def test_no_proof_no_slot(bridge: InMemoryBridge) -> None:
    bridge.editor.connects().reloads()
    newcomer = slow_to_prove(bridge.another_editor("editor-1"))
    bridge.advance(1.9)
    assert newcomer.peer is not None and newcomer.peer.is_open
    bridge.advance(0.1)
    assert newcomer.peer.closed_with and "proves" in newcomer.last("error")["error"]["message"]
    assert served(bridge) is None and knocks(bridge.editor)


def test_a_wrong_proof_of_a_waiting_editor_disturbs_no_other(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    newcomer = slow_to_prove(bridge.another_editor("editor-1"))
    newcomer.secret = b"x" * 32
    newcomer.proves()
    assert newcomer.peer is not None and not newcomer.peer.is_open
    assert (
        served(bridge) == "/home/me/Game"
        and bridge.editor.peer is not None
        and bridge.editor.peer.is_open
    )


def test_a_waiting_editor_that_disconnects_disturbs_no_other(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    slow_to_prove(bridge.another_editor("editor-1")).vanishes()
    slow_to_prove(bridge.another_editor("editor-1")).says_text("nonsense")
    bridge.advance(3)
    assert bridge.editor.peer is not None and bridge.editor.peer.is_open


def test_a_waiting_editor_gets_the_free_slot_unproven(bridge: InMemoryBridge) -> None:
    bridge.editor.connects().vanishes()
    bridge.advance(1)
    newcomer = slow_to_prove(bridge.another_editor("editor-1"))
    bridge.advance(2)
    assert newcomer.peer is not None and newcomer.peer.is_open, (
        "the place was kept for another second and a half"
    )
    assert bridge.agent.calls("get_editor_state").answer["trusted"] is False


def test_another_editor_may_take_the_slot_and_the_waiting_one_is_refused(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects().reloads()
    newcomer = slow_to_prove(bridge.another_editor())
    bridge.editor.connects()
    newcomer.proves()
    assert (
        newcomer.peer is not None
        and not newcomer.peer.is_open
        and served(bridge) == "/home/me/Game"
    )


def test_a_trusted_editor_replaces_one_with_its_project_that_is_not(bridge: InMemoryBridge) -> None:
    impostor = old_plugin(bridge.another_editor("impostor")).connects()
    assert not knocks(old_plugin(bridge.another_editor("editor-3")))
    bridge.editor.connects()
    assert impostor.peer is not None and not impostor.peer.is_open
    assert bridge.agent.calls("get_editor_state").answer["trusted"] is True


def test_an_unproven_editor_with_the_same_id_takes_over_after_a_reload(
    bridge: InMemoryBridge,
) -> None:
    old_plugin(bridge.editor).connects().reloads()
    assert knocks(old_plugin(bridge.another_editor("editor-1")))
