"""SPEC §7.1-§7.6: who may be the session, how it is greeted, and when it is given up."""

from __future__ import annotations

from typing import Any, Dict

import pytest

from tests.fakes import PORT, FakeEditor, InMemoryBridge
from tests.tool_results import CONSOLE
from unity_bridge.config import Config

ANOTHER_SESSION = "another Unity editor session is already active"


def state(bridge: InMemoryBridge) -> Dict[str, Any]:
    return bridge.agent.calls("get_editor_state").answer


def was_refused(editor: FakeEditor, message: str, code: str = "ERR_INVALID_REQUEST") -> bool:
    """Whether the editor got exactly this reason and the close, and nothing else."""
    assert editor.peer is not None
    said = editor.peer.said
    return (
        [m["type"] for m in said] == ["error"]
        and message in said[0]["error"]["message"]
        and said[0]["error"]["code"] == code
        and editor.peer.closed_with is not None
        and editor.peer.closed_with[0] == 1008
    )


# Hello.


def test_hello_has_the_reconnect_settings() -> None:
    bridge = InMemoryBridge(Config(reconnect_initial_ms=50, reconnect_max_backoff_ms=900))
    bridge.editor.connects()
    hello = bridge.editor.last("hello")
    assert (hello["reconnect_initial_ms"], hello["reconnect_max_backoff_ms"]) == (50, 900)
    assert (hello["reconnect_multiplier"], hello["reconnect_jitter_ratio"]) == (1.7, 0.1)


def test_hello_is_answered_with_hello_then_capability(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    assert bridge.editor.peer is not None
    hello, capability = bridge.editor.peer.said
    assert (hello["type"], hello["server_version"], hello["protocol_version"]) == (
        "hello",
        "0.1.0",
        1,
    )
    assert "plugin_version" not in hello and "state" not in hello
    assert capability["type"] == "capability"
    assert {tool["name"]: tool["execution_mode"] for tool in capability["tools"]} == {
        "compile": "job",
        "run_tests": "job",
        "read_console": "sync",
        "play_mode": "job",
        "inspect": "sync",
        "run_csharp": "job",
        "screenshot": "sync",
        "run_command": "job",
        "get_editor_state": "sync",
        "get_job_status": "sync",
        "cancel_job": "sync",
    }
    assert capability["tools"][1] == {
        "name": "run_tests",
        "execution_mode": "job",
        "supports_cancel": True,
        "default_timeout_ms": 300000,
        "max_timeout_ms": 1800000,
        "requires_client_request_id": False,
        "execution_error_retryable": False,
    }


def test_a_plugin_of_the_bare_protocol_is_welcome(bridge: InMemoryBridge) -> None:
    bridge.editor.instance_id = None
    bridge.editor.connects(jobs=None)
    assert state(bridge)["server_state"] == "ready"


def test_a_silent_peer_is_closed_after_five_seconds(bridge: InMemoryBridge) -> None:
    bridge.editor.opens()
    bridge.advance(4.9)
    assert bridge.editor.peer is not None and bridge.editor.peer.is_open
    bridge.advance(0.1)
    assert was_refused(bridge.editor, "no hello")


@pytest.mark.parametrize(
    "first",
    [
        "pong",
        "ping",
        "editor_status",
        "result",
        "execute",
        "capability",
        "nonsense",
        "get_job_status",
    ],
)
def test_anything_before_hello_is_refused_and_closed(bridge: InMemoryBridge, first: str) -> None:
    bridge.editor.opens()
    fields: Dict[str, Any] = {
        "editor_status": {"state": "ready", "seq": 1},
        "result": {"request_id": "x", "status": "ok", "result": {}},
        "execute": {"request_id": "x", "tool_name": "x", "params": {}, "timeout_ms": 1},
        "capability": {"tools": []},
        "get_job_status": {"request_id": "x", "job_id": "x"},
    }
    bridge.editor.says_anything(first, **fields.get(first, {}))
    assert was_refused(bridge.editor, "")
    assert state(bridge)["connected"] is False


def test_many_silent_connections_cannot_keep_a_plugin_out(bridge: InMemoryBridge) -> None:
    silent = [bridge.another_editor(None).opens() for _ in range(20)]
    assert [one.peer is not None and one.peer.is_open for one in silent] == [False] * 4 + [
        True
    ] * 16
    assert was_refused(silent[0], "too many connections")
    bridge.editor.connects()
    assert bridge.agent.calls("get_editor_state").answer["connected"] is True


@pytest.mark.parametrize(
    "text", ["", "hello", "[]", "null", "{}", '{"type": "hello"}', '{"type":1}']
)
def test_an_invalid_message_before_hello_is_refused_and_closed(
    bridge: InMemoryBridge, text: str
) -> None:
    bridge.editor.opens().says_text(text)
    assert was_refused(bridge.editor, "")


@pytest.mark.parametrize("missing", ["plugin_version", "state"])
def test_a_hello_that_lacks_what_a_plugin_must_say(bridge: InMemoryBridge, missing: str) -> None:
    hello = {"plugin_version": "0.1.0", "state": "ready"}
    del hello[missing]
    bridge.editor.opens().says("hello", **hello)
    assert was_refused(bridge.editor, missing)


@pytest.mark.parametrize(
    "fields", [{"state": "asleep"}, {"state": 3}, {"jobs": "none"}, {"editor_instance_id": ""}]
)
def test_a_hello_with_a_field_of_the_wrong_kind(
    bridge: InMemoryBridge, fields: Dict[str, Any]
) -> None:
    bridge.editor.opens().says_anything(
        "hello", **{"plugin_version": "0.1.0", "state": "ready", **fields}
    )
    assert was_refused(bridge.editor, next(iter(fields)))


def test_a_second_hello_on_the_same_connection_is_refused_and_changes_nothing(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    bridge.editor.says("hello", plugin_version="9", state="compiling")
    assert bridge.editor.last("error")["error"]["code"] == "ERR_INVALID_REQUEST"
    assert (state(bridge)["editor_state"], state(bridge)["plugin_version"]) == ("ready", "0.1.0")


# Protocol version (SPEC §7.4).


@pytest.mark.parametrize("version", [0, 2, 99, -1])
def test_another_protocol_version_is_refused_and_closed(
    bridge: InMemoryBridge, version: int
) -> None:
    bridge.editor.opens()
    bridge.editor.says_anything(
        "hello", plugin_version="1", state="ready", protocol_version=version
    )
    assert was_refused(bridge.editor, "protocol_version")


def test_another_protocol_version_ends_even_the_active_session(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    bridge.editor.says_anything("pong", protocol_version=2)
    assert bridge.editor.last("error")["error"]["code"] == "ERR_INVALID_REQUEST"
    assert bridge.editor.peer is not None and bridge.editor.peer.closed_with is not None
    assert state(bridge)["connected"] is False
    bridge.advance(2.5)
    assert call.code == "ERR_RECONNECT_TIMEOUT"


# One active session (SPEC §7.3).


def test_the_same_editor_on_a_second_connection_takes_over_at_once(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    old = bridge.editor.peer
    bridge.editor.connects()
    assert old is not None and old.closed_with == (1000, "replaced by a newer connection")
    assert len(bridge.editor.heard("hello")) == 1
    assert state(bridge)["connected"] is True
    bridge.advance(10)
    assert state(bridge)["connected"] is True


def test_the_old_connections_close_does_not_end_the_new_session(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    old = bridge.editor.peer
    assert old is not None
    bridge.editor.connects("compiling")
    bridge.unity.peer_closed(old, 1000, "")
    bridge.drain()
    assert (state(bridge)["connected"], state(bridge)["editor_state"]) == (True, "compiling")


def test_the_new_connections_hello_rules_what_the_editor_does(bridge: InMemoryBridge) -> None:
    bridge.editor.connects("ready")
    call = bridge.agent.calls("read_console")
    parked = bridge.agent.calls("read_console")
    bridge.editor.connects("compiling")
    assert state(bridge)["editor_state"] == "compiling"
    assert bridge.editor.heard("execute") == []
    bridge.advance(60)
    assert call.code == "ERR_REQUEST_TIMEOUT", "it ran when the connection changed"
    assert (parked.code, parked.error["details"]["reason"]) == ("ERR_COMPILE_TIMEOUT", "compiling")


def test_another_editor_is_refused_while_the_session_lives(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    other_editor = bridge.another_editor().connects()
    assert was_refused(other_editor, ANOTHER_SESSION)
    bridge.advance(30)
    assert bridge.editor.peer is not None and bridge.editor.peer.is_open
    assert state(bridge)["connected"] is True


@pytest.mark.parametrize("first, second", [(None, None), ("editor-1", None), (None, "editor-2")])
def test_an_editor_without_an_id_counts_as_another_one(
    bridge: InMemoryBridge, first: Any, second: Any
) -> None:
    bridge.editor.instance_id = first
    bridge.editor.connects()
    assert was_refused(bridge.another_editor(second).connects(), ANOTHER_SESSION)


def test_another_editor_takes_over_from_a_silent_session(bridge: InMemoryBridge) -> None:
    bridge.editor.connects("compiling")  # so the silence alone does not end it
    bridge.editor.is_deaf = True
    bridge.advance(4.4)
    assert was_refused(bridge.another_editor().connects(), ANOTHER_SESSION)
    bridge.advance(0.1)
    other_editor = bridge.another_editor("editor-3").connects()
    assert len(other_editor.heard("capability")) == 1
    assert bridge.editor.peer is not None and not bridge.editor.peer.is_open


def test_pending_connections_never_disturb_the_active_session(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    for n in range(5):
        nobody = bridge.another_editor(f"editor-{n + 2}").opens()
        if n % 2:
            nobody.says_text("what?")
        elif n == 2:
            nobody.says_too_much()
            nobody.vanishes()
    bridge.advance(6)
    assert state(bridge)["connected"] is True
    bridge.editor.answers(CONSOLE)
    assert call.is_answered


def test_messages_of_a_refused_peer_are_ignored(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    other_editor = bridge.another_editor().connects()
    other_editor.says("editor_status", state="compiling", seq=9).says_text("{").says_too_much()
    assert state(bridge)["editor_state"] == "ready"
    assert other_editor.peer is not None and len(other_editor.peer.said) == 1, (
        "its refusal was the last word"
    )
    other_editor.vanishes()
    assert state(bridge)["connected"] is True


# Heartbeat (SPEC §7.5).


def test_a_ping_every_three_seconds(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    bridge.advance(2.9)
    assert bridge.editor.heard("ping") == []
    bridge.advance(6.2)
    assert len(bridge.editor.heard("ping")) == 3


def test_a_session_that_is_silent_is_closed_after_the_heartbeat_timeout(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    bridge.editor.is_deaf = True
    bridge.advance(4.4)
    assert state(bridge)["connected"] is True
    bridge.advance(0.1)
    assert bridge.editor.peer is not None and bridge.editor.peer.closed_with == (
        1008,
        "silent for too long",
    )
    assert (state(bridge)["connected"], state(bridge)["editor_state"]) == (False, "unknown")
    bridge.advance(10)
    assert len(bridge.editor.heard("ping")) == 1, "nobody goes on pinging it"


def test_any_message_is_a_sign_of_life(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    bridge.editor.is_deaf = True
    for text in (
        '{"type":"pong","protocol_version":1}',
        "not json",
        '{"type":"moo","protocol_version":1}',
    ):
        bridge.advance(4)
        bridge.editor.says_text(text)
    bridge.advance(4)
    assert state(bridge)["connected"] is True


@pytest.mark.parametrize("busy", ["compiling", "reloading"])
def test_a_busy_editor_may_be_silent_for_as_long_as_a_compile_may_take(
    bridge: InMemoryBridge, busy: str
) -> None:
    bridge.editor.connects().becomes(busy)
    bridge.editor.is_deaf = True
    bridge.advance(59.9)
    assert state(bridge)["connected"] is True
    bridge.advance(0.1)
    assert state(bridge)["connected"] is False


def test_the_leniency_ends_with_the_compile(bridge: InMemoryBridge) -> None:
    bridge.editor.connects("compiling")
    bridge.editor.is_deaf = True
    bridge.advance(30)
    bridge.editor.becomes("ready")
    bridge.advance(4.5)
    assert state(bridge)["connected"] is False


def test_a_plugin_that_answers_ping_with_error_and_sends_its_status_every_five_seconds_stays(
    bridge: InMemoryBridge,
) -> None:
    """A plugin seen in the field: it knows no ping, so each of its own messages has to do as a
    pong.
    """
    bridge.editor.instance_id = None
    bridge.editor.connects(jobs=None)
    bridge.editor.is_deaf = True
    for _ in range(20):
        bridge.advance(3)
        bridge.editor.says(
            "error", error={"code": "ERR_UNKNOWN_COMMAND", "message": "unknown type: ping"}
        )
        bridge.advance(2)
        bridge.editor.becomes("ready")
    assert state(bridge)["connected"] is True
    call = bridge.agent.calls("read_console")
    bridge.editor.says(
        "error", error={"code": "ERR_UNKNOWN_COMMAND", "message": "unknown type: ping"}
    )
    assert not call.is_answered, "that error was not about the call"
    bridge.editor.answers(CONSOLE)
    assert call.is_answered


def test_the_plugin_may_ping_too(bridge: InMemoryBridge) -> None:
    bridge.editor.connects().says("ping")
    assert len(bridge.editor.heard("pong")) == 1


# Sequence numbers (SPEC §7.6).


def test_an_older_status_is_dropped(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    bridge.editor.says("editor_status", state="compiling", seq=7)
    bridge.editor.says("editor_status", state="ready", seq=6)
    assert (state(bridge)["editor_state"], state(bridge)["last_editor_status_seq"]) == (
        "compiling",
        7,
    )
    bridge.editor.says("pong", editor_state="ready", seq=5)
    assert state(bridge)["editor_state"] == "compiling"
    bridge.editor.says("editor_status", state="ready", seq=7)
    assert state(bridge)["editor_state"] == "ready", "only a smaller number is older"


def test_a_pong_may_have_the_state_with_and_without_a_number(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    bridge.editor.says("pong", editor_state="compiling", seq=3)
    assert (state(bridge)["editor_state"], state(bridge)["last_editor_status_seq"]) == (
        "compiling",
        3,
    )
    bridge.editor.says("pong", editor_state="ready")
    assert (state(bridge)["editor_state"], state(bridge)["last_editor_status_seq"]) == ("ready", 3)


def test_sequence_numbers_restart_with_each_session_and_hello_has_the_first_state(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    bridge.editor.says("editor_status", state="ready", seq=2**64 - 1)
    bridge.editor.vanishes()
    bridge.editor.connects("compiling")
    assert (state(bridge)["editor_state"], state(bridge)["last_editor_status_seq"]) == (
        "compiling",
        None,
    )
    bridge.editor.says("editor_status", state="ready", seq=1)
    assert (state(bridge)["editor_state"], state(bridge)["last_editor_status_seq"]) == ("ready", 1)


# The port.


def test_the_port_is_known_before_it_is_bound_and_after() -> None:
    bridge = InMemoryBridge(listening=False)
    booting = state(bridge)
    assert (booting["server_state"], booting["port"], booting["listener"]["state"]) == (
        "booting",
        PORT,
        "closed",
    )
    bridge.port_is_free_again()
    waiting = state(bridge)
    assert (waiting["server_state"], waiting["port"]) == ("waiting_editor", PORT)
