"""The place of an editor that is expected back is kept for it (SPEC §7.3)."""

from __future__ import annotations

from typing import Optional

import pytest

from tests.fakes import FakeEditor, InMemoryBridge

TAKEN = "another Unity editor session is already active"
OTHER = "/home/me/Other"


def served(bridge: InMemoryBridge) -> Optional[str]:
    """The project that an agent would work in now."""
    editor = bridge.agent.calls("get_editor_state").answer["editor"]
    return None if editor is None else str(editor["project_path"])


def knocks(editor: FakeEditor) -> bool:
    """Whether it gets in. One that is refused is told why and closed, and nothing else is said to it."""
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


def test_a_reload_does_not_hand_the_agent_to_another_project(bridge: InMemoryBridge, other: FakeEditor) -> None:
    bridge.editor.connects().reloads()
    call = bridge.agent.calls("read_console")
    for _ in range(8):
        assert not knocks(other)
        bridge.advance(0.5)
    bridge.editor.connects()
    assert served(bridge) == "/home/me/Game"
    bridge.editor.answers({"entries": [], "count": 0, "truncated": False})
    assert call.is_answered and not knocks(other)


def test_the_refused_one_is_told_both_projects(bridge: InMemoryBridge, other: FakeEditor) -> None:
    bridge.editor.connects().reloads()
    other.connects()
    message = other.last("error")["error"]["message"]
    assert '"/home/me/Game"' in message and '"/home/me/Other"' in message


@pytest.mark.parametrize("doing, window_s", [("compiling", 60.0), ("reloading", 60.0), ("ready", 2.5)])
def test_the_place_is_free_when_a_call_would_no_longer_wait(
    bridge: InMemoryBridge, other: FakeEditor, doing: str, window_s: float
) -> None:
    bridge.editor.connects().becomes(doing).vanishes()
    bridge.advance(window_s - 0.1)
    assert not knocks(other)
    bridge.advance(0.1)
    assert knocks(other) and served(bridge) == OTHER
    assert not knocks(bridge.editor), "who comes back too late finds the place taken"


def test_an_editor_that_was_closed_for_its_silence_is_expected_back(bridge: InMemoryBridge, other: FakeEditor) -> None:
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


def test_another_process_with_the_same_project_takes_the_place_at_once(bridge: InMemoryBridge) -> None:
    """The user has restarted Unity, and a project is open in one editor only."""
    bridge.editor.connects().reloads()
    assert knocks(bridge.another_editor())


def test_of_two_with_one_project_the_one_that_is_connected_stays(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    assert not knocks(bridge.another_editor())


@pytest.mark.parametrize("instance", [None, "editor-2"])
def test_who_does_not_tell_its_project_is_kept_out_as_another(bridge: InMemoryBridge, instance: Optional[str]) -> None:
    bridge.editor.connects().reloads()
    stranger = bridge.another_editor(instance, project=None)
    assert not knocks(stranger)
    bridge.advance(60)
    assert knocks(stranger)


def test_who_does_not_say_who_it_is_keeps_no_place(bridge: InMemoryBridge, other: FakeEditor) -> None:
    bridge.editor.instance_id = None
    bridge.editor.connects().reloads()
    assert knocks(other)


def test_a_place_is_kept_for_the_last_one_that_had_it(bridge: InMemoryBridge, other: FakeEditor) -> None:
    bridge.editor.connects().vanishes()
    bridge.advance(2.5)
    other.connects().reloads()
    assert not knocks(bridge.editor)
    bridge.advance(60)
    assert knocks(bridge.editor)


def test_who_was_sent_away_is_not_expected_back(bridge: InMemoryBridge, other: FakeEditor) -> None:
    bridge.editor.connects().says_anything("pong", protocol_version=2)
    assert served(bridge) is None and knocks(other)


def test_the_listener_loses_a_connection_by_a_message_that_is_too_long(
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
    fields = {"editor_instance_id": editor.instance_id, "project_path": editor.project, "jobs": [], **hello}
    editor.opens().says("hello", **{"plugin_version": "0.1.0", "state": "ready", "nonce": editor.nonce, **fields})
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
def test_who_owes_its_proof_waits_beside_the_one_that_has_the_place(bridge: InMemoryBridge, doing: str) -> None:
    bridge.editor.connects()
    old = bridge.editor.peer
    assert old is not None
    if doing == "reloading":
        bridge.editor.reloads()
    newcomer = slow_to_prove(bridge.another_editor("editor-1"), state="compiling")
    assert newcomer.heard("hello") and newcomer.heard("capability")
    newcomer.says("ping").says("pong", editor_state="ready", paused=True).says("result", request_id="r", status="ok")
    assert len(newcomer.heard("pong")) == 1 and not newcomer.heard("error")
    assert old.is_open == (doing == "ready") and (served(bridge) is None) == (doing == "reloading")
    newcomer.proves()
    state = bridge.agent.calls("get_editor_state").answer
    assert (state["trusted"], state["editor_state"], state["paused"]) == (True, "ready", True)
    assert not old.is_open


def test_what_the_proof_came_with_is_heard(bridge: InMemoryBridge) -> None:
    bridge.editor.connects().reloads()
    newcomer = slow_to_prove(bridge.another_editor("editor-1"))
    bridge.editor = newcomer
    status = {"state": "compiling", "seq": 3, "playing": True}
    newcomer.says("editor_status", **status, proof=newcomer.the_proof())
    state = bridge.agent.calls("get_editor_state").answer
    assert (state["editor_state"], state["last_editor_status_seq"], state["playing"]) == ("compiling", 3, True)


def test_no_proof_no_place(bridge: InMemoryBridge) -> None:
    bridge.editor.connects().reloads()
    newcomer = slow_to_prove(bridge.another_editor("editor-1"))
    bridge.advance(1.9)
    assert newcomer.peer is not None and newcomer.peer.is_open
    bridge.advance(0.1)
    assert newcomer.peer.closed_with and "proves" in newcomer.last("error")["error"]["message"]
    assert served(bridge) is None and knocks(bridge.editor)


def test_a_wrong_proof_of_one_that_waits_disturbs_nobody(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    newcomer = slow_to_prove(bridge.another_editor("editor-1"))
    newcomer.secret = b"x" * 32
    newcomer.proves()
    assert newcomer.peer is not None and not newcomer.peer.is_open
    assert served(bridge) == "/home/me/Game" and bridge.editor.peer is not None and bridge.editor.peer.is_open


def test_one_that_waits_may_leave_again(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    slow_to_prove(bridge.another_editor("editor-1")).vanishes()
    slow_to_prove(bridge.another_editor("editor-1")).says_text("nonsense")
    bridge.advance(3)
    assert bridge.editor.peer is not None and bridge.editor.peer.is_open


def test_meanwhile_the_place_may_become_free(bridge: InMemoryBridge) -> None:
    bridge.editor.connects().vanishes()
    bridge.advance(1)
    newcomer = slow_to_prove(bridge.another_editor("editor-1"))
    bridge.advance(2)
    assert newcomer.peer is not None and newcomer.peer.is_open, "the place was kept for another second and a half"
    assert bridge.agent.calls("get_editor_state").answer["trusted"] is False


def test_meanwhile_the_place_may_become_anothers(bridge: InMemoryBridge) -> None:
    bridge.editor.connects().reloads()
    newcomer = slow_to_prove(bridge.another_editor())
    bridge.editor.connects()
    newcomer.proves()
    assert newcomer.peer is not None and not newcomer.peer.is_open and served(bridge) == "/home/me/Game"


def test_a_trusted_editor_replaces_one_with_its_project_that_is_not(bridge: InMemoryBridge) -> None:
    impostor = old_plugin(bridge.another_editor("whoever")).connects()
    assert not knocks(old_plugin(bridge.another_editor("editor-3")))
    bridge.editor.connects()
    assert impostor.peer is not None and not impostor.peer.is_open
    assert bridge.agent.calls("get_editor_state").answer["trusted"] is True


def test_two_old_plugins_change_places_as_they_did(bridge: InMemoryBridge) -> None:
    old_plugin(bridge.editor).connects().reloads()
    assert knocks(old_plugin(bridge.another_editor("editor-1")))
