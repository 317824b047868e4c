"""How long a call is worth keeping for each editor there is or was (SPEC §3.2), how long one may be silent (§7.5)."""

from __future__ import annotations

from dataclasses import replace
from typing import Optional

import pytest

from tests.fakes import ManualClock
from unity_bridge.config import Config
from unity_bridge.errors import ErrorCode
from unity_bridge.execution.deadlines import Deadlines
from unity_bridge.execution.orders import Close, Send
from unity_bridge.execution.reconnect_controller import ReconnectController
from unity_bridge.logger import Logger
from unity_bridge.state.machines import EditorState
from unity_bridge.state.stores import EDITOR_ID, EditorRecord, SessionRecord, StateStores
from unity_bridge.unity.bridge_client import ListenerBlocked
from unity_bridge.unity.messages import Hello
from unity_bridge.unity.websocket import BindFailure

GONE = EditorRecord(EDITOR_ID, EditorState.UNKNOWN)
READY = EditorRecord(EDITOR_ID, EditorState.READY)
COMPILING = EditorRecord(EDITOR_ID, EditorState.COMPILING, busy_seen_at=1000.0)
RELOADING = EditorRecord(EDITOR_ID, EditorState.RELOADING, busy_seen_at=1000.0)


class Room:
    """A controller whose port is bound."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.stores = StateStores("1.0")
        log = Logger("test")
        self.controller = ReconnectController(self.stores, Deadlines(), Config(), [], self.clock, log)
        self.controller.bound(8091)

    def session(self, peer_id: int = 1, instance: Optional[str] = "e") -> SessionRecord:
        self.controller.opened(peer_id)
        opened = self.controller.heard(peer_id)
        assert opened is not None
        self.controller.greet(opened, Hello(plugin_version="1", state="ready", editor_instance_id=instance))
        return opened


# Patience.


@pytest.mark.parametrize(
    "connected, editor, since, until, code, reason",
    [
        (False, GONE, 1000.0, 1002.5, ErrorCode.EDITOR_NOT_READY, "disconnected"),
        (False, COMPILING, 1000.0, 1060.0, ErrorCode.COMPILE_TIMEOUT, "compiling"),
        (False, RELOADING, 1059.0, 1060.0, ErrorCode.COMPILE_TIMEOUT, "reloading"),
        (True, COMPILING, 1030.0, 1090.0, ErrorCode.COMPILE_TIMEOUT, "compiling"),
        (True, RELOADING, 1030.0, 1090.0, ErrorCode.COMPILE_TIMEOUT, "reloading"),
    ],
)
def test_how_long_a_call_waits(
    connected: bool, editor: EditorRecord, since: float, until: float, code: ErrorCode, reason: str
) -> None:
    room = Room()
    if connected:
        room.session()
    parked = room.controller.patience(since, editor)
    assert (parked.since, parked.deadline, parked.code, parked.reason) == (since, until, code, reason)


def test_when_the_reason_changes_the_longer_window_counts() -> None:
    room = Room()
    short = room.controller.patience(1000.0, GONE)
    room.session()
    long = room.controller.patience(1000.0, COMPILING, short)
    assert long.code is ErrorCode.COMPILE_TIMEOUT
    room.controller.lost(1, 1006, "")
    assert room.controller.patience(1000.0, GONE, long) is long, "it was worth waiting for, and may come back"


def test_of_two_equal_windows_the_present_one_is_told() -> None:
    room = Room()
    room.session()
    before = room.controller.patience(1000.0, COMPILING)
    assert room.controller.patience(1000.0, RELOADING, before) == replace(before, reason="reloading")


@pytest.mark.parametrize("editor, window_s", [(GONE, 2.5), (READY, 2.5), (COMPILING, 60.0), (RELOADING, 60.0)])
def test_how_long_a_call_in_flight_waits_for_the_connection(editor: EditorRecord, window_s: float) -> None:
    assert Room().controller.reconnect_window_s(editor) == window_s


# Silence.


@pytest.mark.parametrize("is_busy, limit_s", [(False, 4.5), (True, 60.0)])
def test_silence_is_borne_up_to_its_limit(is_busy: bool, limit_s: float) -> None:
    room = Room()
    room.session()
    room.clock.move_to(1000 + limit_s - 0.001)
    assert room.controller.silence_due("1", is_busy) == []
    room.clock.move_to(1000 + limit_s)
    assert room.controller.silence_due("1", is_busy) == [Close(1, 1008, "silent for too long")]
    assert room.controller.active is None
    assert room.controller.silence_due("1", is_busy) == [], "it has ended already"


def test_silence_of_nobody_is_judged_by_nobody() -> None:
    room = Room()
    room.controller.judge_silence_anew(editor_is_busy=False)
    assert room.controller.silence_due("9", False) == [] and room.controller.hello_due("9") == []


def test_hello_that_came_in_time_is_not_waited_for() -> None:
    room = Room()
    room.session()
    assert room.controller.hello_due("1") == []
    assert room.controller.active is not None


# Sessions.


def test_one_that_comes_back_is_greeted_and_the_old_one_closed() -> None:
    room = Room()
    room.session(1)
    room.controller.opened(2)
    newcomer = room.controller.heard(2)
    assert newcomer is not None
    admission = room.controller.greet(
        newcomer, Hello(plugin_version="1", state="ready", editor_instance_id="e", jobs=["j"])
    )
    assert (admission.admitted, admission.replaced) == (True, True)
    kinds = [order.message.__class__.__name__ if isinstance(order, Send) else order for order in admission.orders]
    assert kinds == [Close(1, 1000, "replaced by a newer connection"), "Hello", "Capability"]
    active = room.controller.active
    assert active is not None and active.identity is not None and active.identity.jobs == ("j",)
    assert room.controller.heard(1) is None, "who was replaced is not heard any more"
    assert room.controller.lost(1, 1000, "") is False
    assert room.controller.lost(2, 1006, "") is True
    assert room.controller.lost(2, 1006, "") is False


# The port.


def blocked(reason: str, holder: Optional[str] = None) -> ListenerBlocked:
    return ListenerBlocked(BindFailure(8091, reason, holder))


def test_the_same_news_of_the_port_is_no_news() -> None:
    stores = StateStores("1.0")
    controller = ReconnectController(stores, Deadlines(), Config(), [], ManualClock(), Logger("test"))
    assert controller.blocked_error() is None
    assert controller.blocked(blocked("port_in_use", "pid 1")) is True
    assert controller.blocked(blocked("port_in_use", "pid 1")) is False
    assert controller.blocked(blocked("port_in_use", "pid 2")) is True
    assert controller.blocked(blocked("port_not_allowed")) is True
    controller.bound(8091)
    assert controller.blocked_error() is None


@pytest.mark.parametrize(
    "reason, holder, words",
    [
        ("port_in_use", "pid 1 (x)", "in use by pid 1 (x),"),
        ("port_in_use", None, "in use, so"),
        ("port_not_allowed", None, "does not let"),
        ("port_unusable", None, "does not let"),
    ],
)
def test_what_is_told_of_a_port_that_is_not_to_be_had(reason: str, holder: Optional[str], words: str) -> None:
    stores = StateStores("1.0")
    controller = ReconnectController(stores, Deadlines(), Config(), [], ManualClock(), Logger("test"))
    controller.blocked(blocked(reason, holder))
    error = controller.blocked_error()
    assert error is not None and error.code is ErrorCode.EDITOR_NOT_READY
    assert words in error.message and "--port" in error.message
    assert (error.details["reason"], error.details["port"], error.details["holder"]) == (reason, 8091, holder)


def test_port_zero_is_not_known_before_it_is_bound() -> None:
    stores = StateStores("1.0")
    controller = ReconnectController(
        stores, Deadlines(), replace(Config(), unity_ws_port=0), [], ManualClock(), Logger("test")
    )
    assert controller.listener.port is None
    controller.bound(50123)
    assert controller.listener.port == 50123
