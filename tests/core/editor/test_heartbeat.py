"""Which connection is the session, and how long it may be silent (SPEC §7.5)."""

from __future__ import annotations

from typing import Optional

import pytest

from tests.fakes import ManualClock, RecordedConnections, lone_core
from unity_bridge.core.editor.sessions import Greeting, Sessions
from unity_bridge.core.ledger.machines import EditorState
from unity_bridge.core.ledger.records import EDITOR_ID, SessionRecord
from unity_bridge.unity.messages import Hello


class Room:
    """The editor's sessions on a port that is bound, and what was sent."""

    def __init__(self) -> None:
        self.core = core = lone_core()
        assert isinstance(core.clock, ManualClock) and isinstance(
            core.outside.connections, RecordedConnections
        )
        self.clock, self.done = core.clock, core.outside.connections.done
        self.sessions = Sessions(core)

    def session(self, peer_id: int = 1, instance: Optional[str] = "e") -> SessionRecord:
        self.sessions.opened(peer_id)
        opened = self.sessions.heard(peer_id)
        assert opened is not None
        self.sessions.greet(
            opened, Hello(plugin_version="1", state="ready", editor_instance_id=instance)
        )
        return opened


@pytest.mark.parametrize("is_busy, limit_s", [(False, 4.5), (True, 60.0)])
def test_silence_is_borne_up_to_its_limit(is_busy: bool, limit_s: float) -> None:
    it = Room()
    it.session()
    it.core.ledger.editor.amend(
        EDITOR_ID, state=EditorState.COMPILING if is_busy else EditorState.READY
    )
    it.clock.move_to(1000 + limit_s - 0.001)
    assert it.sessions.silence_due(1) is False
    it.clock.move_to(1000 + limit_s)
    assert it.sessions.silence_due(1) is True
    assert it.done[-1] == (1, 1008, "silent for too long")
    assert it.core.ledger.session is None
    assert it.sessions.silence_due(1) is False, "it has ended already"


def test_without_a_session_silence_has_no_effect() -> None:
    it = Room()
    it.sessions.set_silence_limit()
    it.sessions.hello_due(9)
    assert it.sessions.silence_due(9) is False and it.done == []


def test_hello_that_came_in_time_is_not_waited_for() -> None:
    it = Room()
    it.session()
    it.sessions.hello_due(1)
    assert it.core.ledger.session is not None


def test_an_editor_that_comes_back_is_greeted_and_its_old_connection_closed() -> None:
    it = Room()
    it.session(1)
    it.sessions.opened(2)
    newcomer = it.sessions.heard(2)
    assert newcomer is not None
    del it.done[:]
    hello = Hello(plugin_version="1", state="ready", editor_instance_id="e", jobs=["j"])
    assert it.sessions.greet(newcomer, hello) is Greeting.REPLACED_ANOTHER
    assert it.done[0] == (1, 1000, "replaced by a newer connection")
    assert [type(message).__name__ for _, message in it.done[1:]] == ["Hello", "Capability"]
    active = it.core.ledger.session
    assert active is not None and active.identity is not None and active.identity.jobs == ("j",)
    assert it.sessions.heard(1) is None, "who was replaced is not heard any more"
    assert it.sessions.lost(1, 1000, "") is False
    assert it.sessions.lost(2, 1006, "") is True
    assert it.sessions.lost(2, 1006, "") is False
