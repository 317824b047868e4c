"""Frames leave in order, one at a time, and only the writer waits for that."""

from __future__ import annotations

from threading import Thread
from typing import List

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unity_bridge.unity.outbox import Outbox, Posted


class Line:
    """Takes ``room`` bytes without waiting, and no more."""

    def __init__(self, room: int = 0) -> None:
        self.room = room
        self.sent = b""

    def send_now(self, frame: bytes) -> int:
        taken = frame[: self.room]
        self.room -= len(taken)
        self.sent += taken
        return len(taken)


def everything(outbox: Outbox) -> List[bytes]:
    return list(iter(outbox.take, None))


def test_an_idle_socket_takes_a_frame_at_once() -> None:
    line = Line(room=100)
    outbox = Outbox(1000, line.send_now)
    assert outbox.put(b"hello") is Posted.ACCEPTED
    assert line.sent == b"hello"
    outbox.seal(b"bye")
    assert everything(outbox) == [b"bye"]


def test_the_writer_sends_the_rest_of_a_partial_send() -> None:
    line = Line(room=2)
    outbox = Outbox(1000, line.send_now)
    outbox.put(b"hello")
    line.room = 100
    outbox.put(b"world")
    outbox.seal(b"bye")
    assert line.sent == b"he"
    assert everything(outbox) == [b"llo", b"world", b"bye"]


def test_nothing_overtakes_the_frame_that_the_writer_is_writing() -> None:
    line = Line()
    outbox = Outbox(1000, line.send_now)
    outbox.put(b"first")
    assert outbox.take() == b"first"
    line.room = 100
    outbox.put(b"second")
    assert line.sent == b""
    assert outbox.take() == b"second"


def test_after_the_last_frame_there_is_nothing_more() -> None:
    outbox = Outbox(1000, Line().send_now)
    outbox.put(b"said before")
    assert outbox.seal(b"last")
    assert outbox.sealed
    assert not outbox.seal(b"second last")
    assert outbox.put(b"late") is Posted.SEALED
    assert everything(outbox) == [b"said before", b"last"]


def test_waiting_frames_are_bounded_and_the_last_frame_always_fits() -> None:
    outbox = Outbox(1000, Line().send_now)
    assert outbox.put(b"x" * 800) is Posted.ACCEPTED
    assert outbox.put(b"x" * 200) is Posted.FULL
    assert outbox.seal(b"x" * 200)


def test_a_flood_of_tiny_frames_is_bounded_by_what_they_cost_and_not_by_what_they_say() -> None:
    outbox = Outbox(6400, Line().send_now)
    posted = [outbox.put(b"x") for _ in range(200)]
    assert posted.count(Posted.ACCEPTED) < 100


def test_room_comes_back_as_frames_leave() -> None:
    outbox = Outbox(1000, Line().send_now)
    for _ in range(10):
        assert outbox.put(b"x" * 900) is Posted.ACCEPTED
        outbox.take()


@pytest.mark.parametrize("end", ["seal", "abandon"])
def test_a_waiting_writer_wakes_at_the_end(end: str) -> None:
    outbox = Outbox(1000, Line().send_now)
    taken: List[List[bytes]] = []
    writer = Thread(target=lambda: taken.append(everything(outbox)))
    writer.start()
    if end == "seal":
        outbox.seal(b"last")
    else:
        outbox.abandon()
    writer.join(20)
    assert taken == [[b"last"] if end == "seal" else []]


def test_an_abandoned_outbox_drops_what_waits() -> None:
    outbox = Outbox(1000, Line().send_now)
    outbox.put(b"never to leave")
    outbox.abandon()
    assert outbox.put(b"late") is Posted.SEALED
    assert outbox.take() is None


@given(
    st.lists(
        st.one_of(st.binary(min_size=1, max_size=50), st.integers(0, 60), st.just("take")),
        max_size=40,
    )
)
def test_every_byte_leaves_once_and_in_order(story: List[object]) -> None:
    """Frames are put, the line gets room, the writer takes: in any order."""
    line = Line()
    outbox = Outbox(10_000, line.send_now)
    posted, waiting = b"", 0
    for step in story:
        if isinstance(step, bytes):
            before = len(line.sent)
            outbox.put(step)
            posted += step
            waiting += len(line.sent) - before < len(step)
        elif isinstance(step, int):
            line.room = step
        elif waiting:
            waiting -= 1
            line.sent += outbox.take() or b""
    outbox.seal(b"")
    line.sent += b"".join(everything(outbox))
    assert line.sent == posted
