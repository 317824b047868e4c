"""A flood of ``editor_status``: the last word counts, nothing that stays is lost, and the order of
all else is kept.
"""

from __future__ import annotations

import json
from typing import Any, List

import pytest

from tests.unity.test_bridge_client import Events, FakePeer, client
from unity_bridge.unity.bridge_client import PeerReported, PeerSaid
from unity_bridge.unity.latest_status import LatestStatus
from unity_bridge.unity.messages import EditorStatus, Pong


class Unity:
    """A client of the listener, and what it has emitted."""

    def __init__(self) -> None:
        self._events = Events()
        self.client = client(self._events)

    def connected(self, id: int = 1) -> FakePeer:
        peer = FakePeer(id)
        self.client.peer_opened(peer)
        return peer

    def events(self) -> List[Any]:
        return [event for event in self._events.all if isinstance(event, (PeerReported, PeerSaid))]


@pytest.fixture
def unity() -> Unity:
    return Unity()


def test_the_newest_is_taken_and_what_it_leaves_out_is_as_it_was() -> None:
    latest = LatestStatus(EditorStatus(state="compiling", seq=1, compile_errors=3, playing=True))
    assert latest.add(EditorStatus(state="ready", seq=2, paused=False))
    assert latest.take() == EditorStatus(
        state="ready", seq=2, compile_errors=3, playing=True, paused=False
    )


def test_a_stall_that_is_not_reported_again_is_over() -> None:
    latest = LatestStatus(EditorStatus(state="ready", seq=1, main_thread_stalled_ms=900))
    latest.add(EditorStatus(state="ready", seq=2))
    assert latest.take().main_thread_stalled_ms is None


def test_an_older_status_is_dropped() -> None:
    latest = LatestStatus(EditorStatus(state="ready", seq=5))
    assert latest.add(EditorStatus(state="compiling", seq=4))
    assert latest.take() == EditorStatus(state="ready", seq=5)


def test_nothing_is_added_to_what_was_taken() -> None:
    latest = LatestStatus(EditorStatus(state="ready", seq=1))
    latest.take()
    assert not latest.add(EditorStatus(state="compiling", seq=2))


def status(state: str, seq: int) -> str:
    return json.dumps({"type": "editor_status", "protocol_version": 1, "state": state, "seq": seq})


@pytest.mark.slow
def test_ten_thousand_untaken_statuses_are_one_event(unity: Unity) -> None:
    peer = unity.connected()
    for seq in range(1, 10_001):
        unity.client.peer_said(peer, status("ready" if seq % 2 else "compiling", seq))
    (reported,) = unity.events()
    assert reported.status.take() == EditorStatus(state="compiling", seq=10_000)
    unity.client.peer_said(peer, status("ready", 10_001))
    assert unity.events()[-1].status.take() == EditorStatus(state="ready", seq=10_001)


def test_another_message_between_statuses_keeps_its_place(unity: Unity) -> None:
    peer = unity.connected()
    unity.client.peer_said(peer, status("compiling", 1))
    unity.client.peer_said(peer, json.dumps({"type": "pong", "protocol_version": 1}))
    unity.client.peer_said(peer, status("ready", 2))
    first, pong, second = unity.events()
    assert first.status.take().state == "compiling"
    assert pong == PeerSaid(peer.id, Pong())
    assert second.status.take().state == "ready"


def test_each_connection_has_its_own(unity: Unity) -> None:
    one, other = unity.connected(1), unity.connected(2)
    for seq in (1, 2):
        unity.client.peer_said(one, status("ready", seq))
        unity.client.peer_said(other, status("compiling", seq))
    assert [(event.peer_id, event.status.take().state) for event in unity.events()] == [
        (1, "ready"),
        (2, "compiling"),
    ]
