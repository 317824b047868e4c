"""Two endpoints on one port: what peers of the one do takes nothing from those of the other (SPEC
§20.1).
"""

from __future__ import annotations

import threading
from contextlib import ExitStack
from typing import Iterator

import pytest

from tests.unity.raw_websocket import CLOSE, HANG_S, RawClient, frame, header
from tests.unity.test_websocket import SECRET, Lines, Owner, opening
from unity_bridge.base.clock import SystemClock
from unity_bridge.base.result import Ok
from unity_bridge.unity.websocket import Endpoint, Limits, WebSocketListener


class TwoEndpoints:
    """A listener with ``/unity`` and ``/attach``; each has two slots."""

    def __init__(self) -> None:
        self.unity, self.attach = Owner(), Owner()
        self.attach.on_opened = lambda peer: peer.introduced()
        endpoints = {
            **dict.fromkeys(("/", "/unity"), Endpoint(self.unity, max_peers=2)),
            "/attach": Endpoint(
                self.attach, max_peers=2, max_message_bytes=1024, introduction_s=0.02
            ),
        }
        self._listener = WebSocketListener(
            endpoints, SystemClock(), Lines(), Limits(linger_s=HANG_S), lambda: SECRET
        )
        bound = self._listener.bind(0)
        assert isinstance(bound, Ok)
        self.port = bound.value
        self._accepting = threading.Thread(target=self._listener.serve, name="accept")
        self._accepting.start()

    def stop(self) -> None:
        self._listener.stop()
        self._accepting.join(HANG_S)


@pytest.fixture
def two() -> Iterator[TwoEndpoints]:
    two = TwoEndpoints()
    yield two
    two.stop()


@pytest.fixture
def clients() -> Iterator[ExitStack]:
    with ExitStack() as clients:
        yield clients


def connected(two: TwoEndpoints, clients: ExitStack, path: str) -> RawClient:
    return clients.enter_context(RawClient(two.port)).shake_hands(path)


def test_a_peer_is_heard_by_the_endpoint_of_its_path_alone(
    two: TwoEndpoints, clients: ExitStack
) -> None:
    connected(two, clients, "/unity").say("of unity")
    connected(two, clients, "/attach").say("of attach")
    for owner, text in ((two.unity, "of unity"), (two.attach, "of attach")):
        owner.opened()
        assert owner.next() == ("said", text)
    assert two.unity.events.empty() and two.attach.events.empty()


def test_the_slots_of_one_endpoint_are_no_other_ones(two: TwoEndpoints, clients: ExitStack) -> None:
    first, _ = connected(two, clients, "/attach"), connected(two, clients, "/attach")
    with RawClient(two.port) as third:
        with pytest.raises(AssertionError, match="503"):
            third.shake_hands("/attach")
    plugin = connected(two, clients, "/")
    plugin.say("ready")
    assert plugin.hears() == "ready"
    first.send(frame(CLOSE))
    assert first.is_cut() and two.attach.closed() == 1005
    connected(two, clients, "/attach")


def test_a_client_of_the_same_user_needs_no_slot(two: TwoEndpoints, clients: ExitStack) -> None:
    for _ in range(2):
        connected(two, clients, "/unity")
    own = clients.enter_context(RawClient(two.port))
    own.send(opening(own))
    assert own.http_status() == 101


def test_a_peer_that_lingers_after_its_goodbye_makes_room(
    two: TwoEndpoints, clients: ExitStack
) -> None:
    leaving = connected(two, clients, "/unity")
    two.unity.opened().close(1008, "")
    connected(two, clients, "/unity")
    assert leaving.close_code() == 1008  # and it does not hang up
    connected(two, clients, "/unity").say("ready")
    assert leaving.is_cut()


def test_a_peer_that_does_not_introduce_itself_in_time_is_closed(
    two: TwoEndpoints, clients: ExitStack
) -> None:
    known = connected(two, clients, "/attach")
    two.attach.opened()
    two.attach.on_opened = lambda peer: None
    unknown, plugin = connected(two, clients, "/attach"), connected(two, clients, "/unity")
    assert unknown.close_code() == 1008
    for client in (known, plugin):
        client.say("still here")
        assert client.hears() == "still here"


def test_each_endpoint_bounds_the_messages_of_its_peers(
    two: TwoEndpoints, clients: ExitStack
) -> None:
    small, large = connected(two, clients, "/attach"), connected(two, clients, "/unity")
    small.send(header(1, 1025))
    assert small.hears() == "too long" and small.close_code() == 1009
    large.say("x" * 1025)
    assert large.hears() == "x" * 1025
