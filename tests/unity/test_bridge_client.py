"""The client of Unity over a listener in memory: what becomes an event, what is sent, how the port
is waited for.
"""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from typing import Any, List, Optional, Tuple, cast

import pytest

from tests.fakes import ManualClock
from unity_bridge.base.errors import ErrorCode
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.log.logger import Logger
from unity_bridge.unity import bridge_client
from unity_bridge.unity.bridge_client import (
    ListenerBlocked,
    ListenerBound,
    ListenerLost,
    PeerClosed,
    PeerFaulted,
    PeerOpened,
    PeerOverflowed,
    PeerSaid,
    Sent,
    UnityBridgeClient,
    UnityEvent,
)
from unity_bridge.unity.messages import Execute, Ping, Pong
from unity_bridge.unity.websocket import BindFailure, WebSocketListener

HANG_S = 20
IN_USE = BindFailure(8091, "port_in_use")
HOLDER = "pid 42 (other)"
TAKEN = replace(IN_USE, holder=HOLDER)


class FakePeer:
    """A connection in memory."""

    def __init__(self, id: int = 1) -> None:
        self.id = id
        self.path = "/unity"
        self.is_open = True
        self.said: List[str] = []
        self.ends: List[Tuple[Any, ...]] = []

    def send(self, text: str) -> bool:
        if self.is_open:
            self.said.append(text)
        return self.is_open

    def close(self, code: int, reason: str) -> None:
        self.ends.append((code, reason))

    def introduced(self) -> None: ...

    def abort(self) -> None:
        self.ends.append(("aborted",))


class FakeListener:
    """A port that is free after so many tries, and is served until it is stopped, or breaks so many
    times.
    """

    def __init__(
        self, failures: int = 0, fault: Optional[Exception] = None, breaks: int = 0
    ) -> None:
        self.binds: List[int] = []
        self.stopped_with: Optional[Tuple[int, str]] = None
        self._failures = failures
        self._fault = fault
        self._breaks = breaks
        self._stopped = threading.Event()

    def bind(self, port: int) -> Result[int, BindFailure]:
        self.binds.append(port)
        if self._fault is not None:
            fault, self._fault = self._fault, None
            raise fault
        return Err(IN_USE) if len(self.binds) <= self._failures else Ok(port or 50000)

    def who_holds(self, port: int) -> str:
        return HOLDER

    def serve(self) -> None:
        if self._breaks:
            self._breaks -= 1
            raise RuntimeError("broken")
        assert self._stopped.wait(HANG_S)

    def stop(self, code: int, reason: str) -> None:
        self.stopped_with = (code, reason)
        self._stopped.set()


class Events:
    """What was emitted, in order; ``next`` waits for it."""

    def __init__(self) -> None:
        self.all: List[UnityEvent] = []
        self._came = threading.Condition()

    def take(self, event: UnityEvent) -> None:
        with self._came:
            self.all.append(event)
            self._came.notify_all()

    def wait_for(self, count: int) -> List[UnityEvent]:
        with self._came:
            assert self._came.wait_for(lambda: len(self.all) >= count, HANG_S), (
                f"only {self.all} came"
            )
            return list(self.all)


def client(
    events: Events, listener: Optional[FakeListener] = None, port: int = 8091, limit: int = 500
) -> Any:
    made = cast(WebSocketListener, listener or FakeListener())
    return UnityBridgeClient(
        port, limit, lambda _: made, events.take, ManualClock(), Logger("test")
    )


@pytest.fixture
def events() -> Events:
    return Events()


# What becomes an event.


def test_a_peers_stay_as_events(events: Events) -> None:
    unity, peer = client(events), FakePeer(7)
    unity.peer_opened(peer)
    unity.peer_said(peer, '{"type":"pong","protocol_version":1,"seq":3}')
    unity.peer_said(peer, "nonsense")
    unity.peer_closed(peer, 1006, "gone")
    opened, said, faulted, closed = events.all
    assert (opened, said) == (PeerOpened(7), PeerSaid(7, Pong(seq=3)))
    assert isinstance(faulted, PeerFaulted) and faulted.fault.code is ErrorCode.INVALID_REQUEST
    assert closed == PeerClosed(7, 1006, "gone")


def test_a_plugin_whose_hello_had_the_version_need_not_repeat_it(events: Events) -> None:
    """Plugins that follow the founding records carry it there and nowhere else (SPEC §7.7)."""
    unity, one, other = client(events), FakePeer(1), FakePeer(2)
    for peer in (one, other):
        unity.peer_opened(peer)
    unity.peer_said(one, '{"type":"pong","seq":1}')
    unity.peer_said(
        one, '{"type":"hello","protocol_version":1,"plugin_version":"1","state":"ready"}'
    )
    unity.peer_said(one, '{"type":"pong","seq":2}')
    unity.peer_said(one, '{"type":"pong","seq":3,"protocol_version":null}')
    unity.peer_said(one, '{"type":"pong","seq":4,"protocol_version":2}')
    unity.peer_said(one, '{"type":"pong","seq":5,"protocol_version":"1"}')
    unity.peer_said(other, '{"type":"pong","seq":6}')
    unity.peer_closed(one, 1000, "")
    unity.peer_opened(one)
    unity.peer_said(one, '{"type":"pong","seq":7}')
    said = [event.message for event in events.all if isinstance(event, PeerSaid)]
    assert [message for message in said if isinstance(message, Pong)] == [Pong(seq=2), Pong(seq=3)]
    assert [type(event) for event in events.all].count(PeerFaulted) == 5


def test_a_hello_that_is_refused_lends_no_version(events: Events) -> None:
    unity, peer = client(events), FakePeer(1)
    unity.peer_opened(peer)
    unity.peer_said(peer, '{"type":"hello","protocol_version":1,"state":"asleep"}')
    unity.peer_said(peer, '{"type":"pong","seq":2}')
    assert [type(event) for event in events.all] == [PeerOpened, PeerFaulted, PeerFaulted]


def test_a_message_over_the_limit_is_refused_to_its_peer_before_the_connection_closes(
    events: Events,
) -> None:
    unity, peer = client(events), FakePeer()
    unity.peer_opened(peer)
    unity.peer_overflowed(peer)
    answer = json.loads(peer.said[0])
    assert (answer["type"], answer["error"]["code"]) == ("error", "ERR_INVALID_REQUEST")
    assert "500 bytes" in answer["error"]["message"]
    assert events.all[-1] == PeerOverflowed(1)


# What is sent.


def test_a_message_goes_to_its_peer(events: Events) -> None:
    unity, one, other = client(events), FakePeer(1), FakePeer(2)
    unity.peer_opened(one)
    unity.peer_opened(other)
    assert unity.send(2, Ping()) is Sent.HANDED_OVER
    assert one.said == []
    assert json.loads(other.said[0]) == {"type": "ping", "protocol_version": 1}


def test_nothing_is_sent_to_who_is_not_there(events: Events) -> None:
    unity, peer = client(events), FakePeer()
    assert unity.send(1, Ping()) is Sent.GONE
    unity.peer_opened(peer)
    peer.is_open = False
    assert unity.send(1, Ping()) is Sent.GONE
    unity.peer_closed(peer, 1006, "")
    assert unity.send(1, Ping()) is Sent.GONE


@pytest.mark.parametrize("letter", ["x", "日"])
def test_the_limit_is_in_bytes_and_exact(events: Events, letter: str) -> None:
    def message(letters: int) -> Execute:
        return Execute("r", "t", {"a": letter * letters}, 1)

    unity, peer = client(events, limit=100_000), FakePeer()
    unity.peer_opened(peer)
    assert unity.send(1, message(1)) is Sent.HANDED_OVER
    one, per_letter = len(peer.said[0].encode()), len(json.dumps(letter)) - 2
    limit = one + 10 * per_letter
    unity = client(events, limit=limit)
    unity.peer_opened(peer)
    assert unity.send(1, message(11)) is Sent.HANDED_OVER
    assert len(peer.said[1].encode()) == limit
    assert unity.send(1, message(12)) is Sent.TOO_LARGE
    assert len(peer.said) == 2, "nothing of it left"


def test_closing_and_cutting_one_connection(events: Events) -> None:
    unity, one, other = client(events), FakePeer(1), FakePeer(2)
    unity.peer_opened(one)
    unity.peer_opened(other)
    unity.close(1, 1008, "why")
    unity.abort(2)
    unity.close(3, 1000, "nobody")
    unity.abort(3)
    assert (one.ends, other.ends) == ([(1008, "why")], [("aborted",)])


# The port.


def test_the_port_is_reported_and_freed_with_the_goodbye(events: Events) -> None:
    listener = FakeListener()
    unity = client(events, listener, port=0)
    unity.start()
    assert events.wait_for(1) == [ListenerBound(50000)], (
        "0 is any free port, and the bound one is reported"
    )
    unity.stop(1001, "server stopping")
    assert listener.stopped_with == (1001, "server stopping")
    assert not [thread for thread in threading.enumerate() if thread.name == "unity-listener"]


def test_a_port_that_is_taken_is_tried_again(
    events: Events, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bridge_client, "REBIND_INTERVAL_S", 0.001)
    unity = client(events, FakeListener(failures=2))
    unity.start()
    assert events.wait_for(3) == [
        ListenerBlocked(TAKEN),
        ListenerBlocked(TAKEN),
        ListenerBound(8091),
    ]
    unity.stop(1001, "")


def test_a_stop_does_not_wait_for_the_next_try(
    events: Events, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bridge_client, "REBIND_INTERVAL_S", 1000)
    unity = client(events, FakeListener(failures=99))
    unity.start()
    events.wait_for(1)
    unity.stop(1001, "")
    assert len(events.all) == 1


def test_a_bug_in_the_listener_is_logged_and_the_port_is_tried_again(
    events: Events, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(bridge_client, "REBIND_INTERVAL_S", 0.001)
    unity = client(events, FakeListener(fault=RuntimeError("a bug")))
    unity.start()
    assert events.wait_for(1) == [ListenerBound(8091)]
    unity.stop(1001, "")
    assert [record.getMessage() for record in caplog.records if record.exc_info] == [
        "a bug: listening failed; it is tried again"
    ]


def test_a_failed_listener_is_logged_with_its_stack_once_and_started_again(
    events: Events, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(bridge_client, "REBIND_INTERVAL_S", 0.001)
    listener = FakeListener(breaks=3)
    unity = client(events, listener)
    unity.start()
    assert events.wait_for(7) == 3 * [ListenerBound(8091), ListenerLost()] + [ListenerBound(8091)]
    unity.stop(1001, "")
    answer = [(record.getMessage(), bool(record.exc_info)) for record in caplog.records]
    assert answer == [
        ("a bug: listening failed; it is tried again", True),
        ("listening failed again", False),
    ]


def test_stopping_before_the_start_is_fine(events: Events) -> None:
    listener = FakeListener()
    client(events, listener).stop(1001, "never begun")
    assert listener.stopped_with == (1001, "never begun") and events.all == []


# Another way to Unity (SPEC §14).


class FakeAttachLink:
    """Works through the port's holder once, then refuses."""

    def __init__(self, *served: Result[None, Any]) -> None:
        self.ports: List[int] = []
        self.is_closed = False
        self._served = list(served)

    def serve(self, port: int) -> Result[None, Any]:
        self.ports.append(port)
        return self._served.pop(0)

    def close(self) -> None:
        self.is_closed = True


class Refused:
    remark = "another user's"
    is_momentary = False


def test_a_server_without_the_port_works_through_its_holder_and_binds_when_that_is_gone(
    events: Events,
) -> None:
    listener, attach_link = FakeListener(failures=1), FakeAttachLink(Ok(None))
    unity = UnityBridgeClient(
        8091,
        500,
        lambda _: cast(WebSocketListener, listener),
        events.take,
        ManualClock(),
        Logger("test"),
        attach_link,
    )
    unity.start()
    assert events.wait_for(1) == [ListenerBound(8091)], "the holder's end is no news of its own"
    assert attach_link.ports == [8091]
    unity.stop(1001, "")
    assert attach_link.is_closed


def test_a_holder_that_does_not_let_us_in_blocks_the_port(
    events: Events, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bridge_client, "REBIND_INTERVAL_S", 0.001)
    listener, attach_link = FakeListener(failures=1), FakeAttachLink(Err(Refused()))
    unity = UnityBridgeClient(
        8091,
        500,
        lambda _: cast(WebSocketListener, listener),
        events.take,
        ManualClock(),
        Logger("test"),
        attach_link,
    )
    unity.start()
    assert events.wait_for(2) == [ListenerBlocked(TAKEN, "another user's"), ListenerBound(8091)]
    unity.stop(1001, "")


def test_a_holder_that_let_go_for_the_moment_is_asked_at_the_next_bind(
    events: Events, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bridge_client, "REBIND_INTERVAL_S", 0.001)
    crowded = Refused()
    crowded.is_momentary = True
    listener, attach_link = (
        FakeListener(failures=7),
        FakeAttachLink(Err(crowded), Err(Refused()), Err(Refused())),
    )
    unity = UnityBridgeClient(
        8091,
        500,
        lambda _: cast(WebSocketListener, listener),
        events.take,
        ManualClock(),
        Logger("test"),
        attach_link,
    )
    unity.start()
    events.wait_for(8)
    unity.stop(1001, "")
    assert attach_link.ports == [8091] * 3, "at the first bind, the second, and after four more"


class FrozenHolder(FakeAttachLink):
    """Is worked through until it freezes; from then on each attempt waits for an answer that never
    comes.
    """

    def __init__(self, clock: ManualClock) -> None:
        super().__init__(Ok(None))
        self._clock = clock

    def serve(self, port: int) -> Result[None, Any]:
        if self._served:
            return super().serve(port)
        self.ports.append(port)
        self._clock.move_to(self._clock.now() + 1.0)
        return Err(Refused())


def test_a_frozen_owner_that_keeps_the_port_is_soon_reported_as_its_holder(events: Events) -> None:
    clock = ManualClock()
    holder = FrozenHolder(clock)
    made = cast(WebSocketListener, FakeListener(failures=1000))
    unity = UnityBridgeClient(8091, 500, lambda _: made, events.take, clock, Logger("test"), holder)
    unity.start()
    assert events.wait_for(1) == [ListenerBlocked(TAKEN, "another user's")]
    unity.stop(1001, "")
    assert len(holder.ports) <= 3
