"""Which program has the port, and the report on a port that cannot be bound (SPEC §2.5)."""

from __future__ import annotations

from typing import Optional

import pytest

from tests.fakes import lone_core
from unity_bridge.base.errors import ErrorCode
from unity_bridge.config import Config
from unity_bridge.core.editor.no_editor_errors import port_blocked
from unity_bridge.core.ledger.machines import ListenerState
from unity_bridge.core.sharing.port import Port
from unity_bridge.unity.bridge_client import ListenerBlocked, ListenerBound
from unity_bridge.unity.websocket import BindFailure


def blocked(reason: str, holder: Optional[str] = None) -> ListenerBlocked:
    return ListenerBlocked(BindFailure(8091, reason, holder))


def test_the_same_news_of_the_port_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    core = lone_core()
    port = Port(core)
    for news in ("pid 1", "pid 1", "pid 2"):
        port.blocked(blocked("port_in_use", news))
    port.blocked(blocked("port_not_allowed"))
    assert sum("cannot listen" in record.getMessage() for record in caplog.records) == 3
    port.bound(ListenerBound(8091))
    assert core.ledger.listener_now.state is ListenerState.LISTENING


@pytest.mark.parametrize(
    "reason, holder, words",
    [
        ("port_in_use", "pid 1 (x)", "in use by pid 1 (x),"),
        ("port_in_use", None, "in use, so"),
        ("port_not_allowed", None, "does not let"),
        ("port_unusable", None, "does not let"),
    ],
)
def test_the_error_for_a_port_that_cannot_be_had(
    reason: str, holder: Optional[str], words: str
) -> None:
    core = lone_core()
    Port(core).blocked(blocked(reason, holder))
    error = port_blocked(core.ledger.listener_now)
    assert error.code is ErrorCode.EDITOR_NOT_READY
    assert words in error.message and "--port" in error.message
    assert (error.details["reason"], error.details["port"], error.details["holder"]) == (
        reason,
        8091,
        holder,
    )


def test_port_zero_is_not_known_before_it_is_bound() -> None:
    core = lone_core(Config(unity_ws_port=0))
    port = Port(core)
    assert core.ledger.listener_now.port is None
    port.bound(ListenerBound(50123))
    assert core.ledger.listener_now.port == 50123
