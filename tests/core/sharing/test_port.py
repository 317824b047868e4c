"""Whose the port is, and what is told of one that is not to be had (SPEC §2.5)."""

from __future__ import annotations

from typing import Optional

import pytest

from tests.fakes import lone_context
from unity_bridge.base.errors import ErrorCode
from unity_bridge.config import Config
from unity_bridge.core.sharing.port import ServerLife
from unity_bridge.unity.bridge_client import ListenerBlocked
from unity_bridge.unity.websocket import BindFailure


def blocked(reason: str, holder: Optional[str] = None) -> ListenerBlocked:
    return ListenerBlocked(BindFailure(8091, reason, holder))


def test_the_same_news_of_the_port_is_no_news() -> None:
    life = ServerLife(lone_context())
    assert life.blocked_error() is None
    assert life.blocked(blocked("port_in_use", "pid 1")) is True
    assert life.blocked(blocked("port_in_use", "pid 1")) is False
    assert life.blocked(blocked("port_in_use", "pid 2")) is True
    assert life.blocked(blocked("port_not_allowed")) is True
    life.bound(8091)
    assert life.blocked_error() is None


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
    life = ServerLife(lone_context())
    life.blocked(blocked(reason, holder))
    error = life.blocked_error()
    assert error is not None and error.code is ErrorCode.EDITOR_NOT_READY
    assert words in error.message and "--port" in error.message
    assert (error.details["reason"], error.details["port"], error.details["holder"]) == (reason, 8091, holder)


def test_port_zero_is_not_known_before_it_is_bound() -> None:
    life = ServerLife(lone_context(Config(unity_ws_port=0)))
    assert life.listener.port is None
    life.bound(50123)
    assert life.listener.port == 50123
