"""Who speaks: what a plugin proves, and what is told of one that does not (SPEC §17)."""

from __future__ import annotations

import logging
from typing import List, Optional

import pytest

from tests.fakes import PORT, SECRET, FakeEditor, InMemoryBridge
from unity_bridge.result import Err
from unity_bridge.trust.proof import PLUGIN, SERVER, is_nonce, proof
from unity_bridge.unity.close_codes import POLICY_VIOLATION

EMPTY_CONSOLE = {"entries": [], "count": 0, "truncated": False}


def trusted(bridge: InMemoryBridge) -> Optional[bool]:
    state: Optional[bool] = bridge.agent.calls("get_editor_state").answer["trusted"]
    return state


def advice(bridge: InMemoryBridge) -> str:
    return str(bridge.agent.calls("get_editor_state").answer["editor"]["untrusted"])


def with_nonce(bridge: InMemoryBridge) -> FakeEditor:
    """An editor whose hello has a nonce, and that has proved nothing yet."""
    editor = bridge.editor
    return editor.opens().says("hello", plugin_version="1.1.0", state="ready", nonce=editor.nonce)


def the_proof(editor: FakeEditor, secret: bytes = SECRET, port: int = PORT) -> str:
    return proof(secret, PLUGIN, port, editor.last("hello")["nonce"], editor.nonce)


def warnings(caplog: pytest.LogCaptureFixture) -> List[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


def test_server_and_plugin_prove_to_each_other_who_they_are(bridge: InMemoryBridge) -> None:
    editor = with_nonce(bridge)
    hello = editor.last("hello")
    assert is_nonce(hello["nonce"]) and hello["nonce"] != editor.nonce
    assert hello["proof"] == proof(SECRET, SERVER, PORT, editor.nonce, hello["nonce"])
    assert trusted(bridge) is False
    editor.says("editor_status", state="ready", seq=1, proof=the_proof(editor))
    assert trusted(bridge) is True
    assert "untrusted" not in bridge.agent.calls("get_editor_state").answer["editor"]


def test_the_proof_may_come_in_any_message(bridge: InMemoryBridge) -> None:
    editor = with_nonce(bridge)
    call = bridge.agent.calls("read_console")
    bridge.advance(1.9)
    editor.answers(EMPTY_CONSOLE, proof=the_proof(editor))
    assert trusted(bridge) is True and call.answer["count"] == 0


def test_a_proof_is_not_lost_in_a_later_status(bridge: InMemoryBridge) -> None:
    editor = with_nonce(bridge)
    assert editor.peer is not None
    said = '{"type": "editor_status", "protocol_version": 1, "state": "compiling", "seq": %d%s}'
    for seq, more in ((1, ""), (3, f', "proof": "{the_proof(editor)}"'), (2, ""), (4, ', "proof": "again"')):
        bridge.unity.peer_said(editor.peer, said % (seq, more))
    bridge.drain()
    state = bridge.agent.calls("get_editor_state").answer
    assert (state["trusted"], state["last_editor_status_seq"]) == (True, 4)


def test_no_editor_no_trust(bridge: InMemoryBridge) -> None:
    assert trusted(bridge) is None


def test_a_plugin_without_a_nonce_is_not_asked_for_anything(
    bridge: InMemoryBridge, caplog: pytest.LogCaptureFixture
) -> None:
    bridge.editor.secret = None
    bridge.editor.connects()
    assert not {"nonce", "proof"} & set(bridge.editor.last("hello"))
    assert trusted(bridge) is False and "plugin update" in advice(bridge)
    bridge.editor.says("pong", proof="0" * 64)
    assert trusted(bridge) is False and bridge.editor.peer is not None and bridge.editor.peer.is_open
    # It reloads all day, and is doubted once.
    bridge.editor.reloads().connects().reloads().connects()
    assert len([text for text in warnings(caplog) if "prove" in text]) == 1


def test_after_two_seconds_it_is_unproven(bridge: InMemoryBridge, caplog: pytest.LogCaptureFixture) -> None:
    editor = with_nonce(bridge)
    bridge.advance(1.9)
    assert "ask again" in advice(bridge) and not warnings(caplog)[1:]  # the versions differ
    bridge.advance(0.1)
    assert trusted(bridge) is False and "UNITY_BRIDGE_STATE_DIR" in advice(bridge)
    assert len([text for text in warnings(caplog) if "has not proved" in text]) == 1
    assert editor.peer is not None and editor.peer.is_open


def test_a_late_proof_still_counts(bridge: InMemoryBridge) -> None:
    editor = with_nonce(bridge)
    bridge.advance(4.0)
    assert trusted(bridge) is False
    editor.says("pong", proof=the_proof(editor))
    assert trusted(bridge) is True
    bridge.advance(4.0)
    assert trusted(bridge) is True


@pytest.mark.parametrize("kind", ["another user", "another port", "nothing", "our own"])
def test_a_wrong_proof_closes_the_session(bridge: InMemoryBridge, kind: str, caplog: pytest.LogCaptureFixture) -> None:
    editor = with_nonce(bridge)
    given = {
        "another user": the_proof(editor, b"x" * 32),
        "another port": the_proof(editor, port=PORT + 1),
        "nothing": "",
        "our own": editor.last("hello")["proof"],
    }[kind]
    editor.says("editor_status", state="compiling", seq=1, proof=given)
    assert editor.peer is not None and editor.peer.closed_with is not None
    assert editor.peer.closed_with[0] == POLICY_VIOLATION
    assert editor.last("error")["error"]["code"] == "ERR_INVALID_REQUEST"
    state = bridge.agent.calls("get_editor_state").answer
    assert (state["connected"], state["trusted"], state["editor_state"]) == (False, None, "unknown")
    assert len([text for text in warnings(caplog) if "the proof is wrong" in text]) == 1


def test_who_has_proved_it_need_not_again(bridge: InMemoryBridge) -> None:
    bridge.editor.connects().says("pong", proof="anything")
    assert trusted(bridge) is True


def test_each_connection_has_its_own_proof(bridge: InMemoryBridge) -> None:
    editor = with_nonce(bridge)
    old = the_proof(editor)
    editor.vanishes()
    with_nonce(bridge)
    editor.says("pong", proof=old)
    assert editor.peer is not None and not editor.peer.is_open


def test_a_second_hello_changes_nothing(bridge: InMemoryBridge) -> None:
    editor = with_nonce(bridge)
    asked = editor.last("hello")
    editor.says("hello", plugin_version="1.1.0", state="ready", nonce="f" * 16)
    assert editor.last("hello") == asked
    editor.says("pong", proof=the_proof(editor))
    assert trusted(bridge) is True


def test_a_server_without_a_secret_says_so(bridge: InMemoryBridge, caplog: pytest.LogCaptureFixture) -> None:
    bridge.secret = Err("/state/attach-secret cannot be used: Permission denied")
    editor = with_nonce(bridge)
    assert not {"nonce", "proof"} & set(editor.last("hello"))
    assert trusted(bridge) is False and "no secret" in advice(bridge)
    assert any("Permission denied" in text for text in warnings(caplog))


def test_a_hello_that_is_refused_is_not_asked_for_a_proof(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    another = bridge.another_editor().connects()
    assert another.peer is not None and not another.heard("hello")
    assert trusted(bridge) is True
