"""Connections that the listener cuts while the other side keeps them: no thread and no slot is lost
to it (SPEC §7.9).

On Windows a ``shutdown`` does not wake one's own threads, so these run as there.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import Any, Callable, Iterator, List

import pytest

from tests.unity.raw_websocket import HANG_S, RawClient, request
from tests.unity.test_websocket import Running
from unity_bridge.unity.websocket import Limits

pytestmark = pytest.mark.usefixtures("shutdown_wakes_nobody")

Start = Callable[..., Running]


@pytest.fixture
def start() -> Iterator[Start]:
    running: List[Running] = []

    def _start(**limits: Any) -> Running:
        running.append(Running(Limits(**limits)))
        return running[-1]

    yield _start
    for each in running:
        each.stop()


def peer_threads() -> List[str]:
    return [thread.name for thread in threading.enumerate() if "peer" in thread.name]


def test_a_cut_peer_that_does_not_hang_up_is_gone_all_the_same(start: Start) -> None:
    running = start()
    with running.connect():
        running.owner.opened().abort()
        assert running.owner.next() == ("closed", 1006, "aborted")
        running.peers_are_gone()
        assert peer_threads() == []


@pytest.mark.slow
def test_a_cut_peer_that_does_not_read_is_gone_too(start: Start) -> None:
    running = start(send_s=600.0, outbox_bytes=2**26)
    with RawClient(running.port, receive_buffer=4096).shake_hands():
        peer = running.owner.opened()
        for _ in range(40):
            peer.send("x" * 2**20)
        peer.abort()
        running.peers_are_gone()
        assert peer_threads() == []


def test_the_oldest_half_open_connection_gives_its_thread_back(start: Start) -> None:
    running = start(half_open=1, head_s=600.0)
    with RawClient(running.port) as oldest:
        running.healthy_client_gets_in()
        assert oldest.is_cut()
        running.peers_are_gone()
        assert peer_threads() == []


@pytest.mark.parametrize("thread", ["peer-reader", "writer"])
def test_a_system_without_another_thread_costs_that_connection_alone(
    start: Start, monkeypatch: pytest.MonkeyPatch, thread: str
) -> None:
    """As under a limit on threads: the connection is closed, and the next one gets in."""
    running = start()
    works = threading.Thread.start
    refused: List[str] = []

    def limited(self: threading.Thread) -> None:
        if thread in self.name and not refused:
            refused.append(self.name)
            raise RuntimeError("can't start new thread")
        works(self)

    monkeypatch.setattr(threading.Thread, "start", limited)
    with RawClient(running.port) as unlucky:
        with suppress(ConnectionError):
            unlucky.send(request(running.port))
        assert unlucky.is_cut()
    assert refused
    running.healthy_client_gets_in()
    running.peers_are_gone()
    assert peer_threads() == []


@pytest.mark.slow
def test_stopping_does_not_wait_for_unproven_peers(start: Start) -> None:
    running = start(stop_s=600.0, head_s=600.0)
    with RawClient(running.port), RawClient(running.port), running.connect():
        running.owner.opened()
        stopping = threading.Thread(target=running.stop, name="stopping")
        stopping.start()
        stopping.join(HANG_S)
        assert not stopping.is_alive() and peer_threads() == []
