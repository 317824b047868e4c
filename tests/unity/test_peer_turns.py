"""How much of what peers say may wait for the executor (SPEC §20.1)."""

from __future__ import annotations

import threading
from typing import List

from unity_bridge.unity.peer_turns import BYTES_IN_ALL, IN_ALL, PER_PEER, PeerTurns

GUARD_S = 20.0


class Reader:
    """A peer's reader thread, which takes turns one after the other."""

    def __init__(
        self, turns: PeerTurns, peer_id: int, count: int, order: List[int], size: int = 2
    ) -> None:
        self.taken = threading.Semaphore(0)
        self._thread = threading.Thread(
            target=self._run, args=(turns, peer_id, count, order, size), name="reader"
        )
        self._thread.start()

    def _run(self, turns: PeerTurns, peer_id: int, count: int, order: List[int], size: int) -> None:
        for _ in range(count):
            turns.take(peer_id, size)
            order.append(peer_id)
            self.taken.release()

    def wait_for(self, count: int) -> None:
        for _ in range(count):
            assert self.taken.acquire(timeout=GUARD_S)

    def is_held_up(self) -> bool:
        return not self.taken.acquire(timeout=0.05)

    def join(self) -> None:
        self._thread.join(GUARD_S)
        assert not self._thread.is_alive()


def test_a_peer_has_eight_turns_and_then_waits_until_half_of_them_have_ended() -> None:
    turns, order = PeerTurns(), []  # type: PeerTurns, List[int]
    turns.begin()
    reader = Reader(turns, 1, PER_PEER + 4, order)
    reader.wait_for(PER_PEER)
    assert reader.is_held_up() and turns.under_way == PER_PEER
    for _ in range(4):
        turns.give_back(1, 2)
    reader.wait_for(4)
    reader.join()


def test_all_have_64_and_then_wait_in_order_of_arrival() -> None:
    turns, order = PeerTurns(), []  # type: PeerTurns, List[int]
    turns.begin()
    for peer_id in range(IN_ALL // PER_PEER):
        for _ in range(PER_PEER):
            turns.take(peer_id, 2)
    late = []
    for peer_id in (100, 101):
        late.append(Reader(turns, peer_id, 1, order))
        assert late[-1].is_held_up()
    turns.give_back(0, 2)
    late[0].wait_for(1)
    assert late[1].is_held_up()
    turns.give_back(0, 2)
    late[1].wait_for(1)
    assert order == [100, 101]
    for reader in late:
        reader.join()


def test_eight_megabytes_in_all_or_one_message_above_that() -> None:
    turns, order = PeerTurns(), []  # type: PeerTurns, List[int]
    turns.begin()
    turns.take(1, BYTES_IN_ALL + 1)
    reader = Reader(turns, 2, 1, order, size=1)
    assert reader.is_held_up()
    turns.give_back(1, BYTES_IN_ALL + 1)
    reader.wait_for(1)
    reader.join()


def test_no_thread_waits_without_an_executor() -> None:
    turns, order = PeerTurns(), []  # type: PeerTurns, List[int]
    for _ in range(IN_ALL * 2):
        turns.take(1, 2)
    turns.begin()
    readers = [Reader(turns, peer_id, 3, order) for peer_id in (1, 2)]
    assert all(reader.is_held_up() for reader in readers)
    turns.end()
    for reader in readers:
        reader.join()
    assert turns.under_way == IN_ALL * 2 + 6
    for _ in range(IN_ALL * 2 + 3):
        turns.give_back(1, 2)
    for _ in range(3):
        turns.give_back(2, 2)
    assert turns.under_way == 0
