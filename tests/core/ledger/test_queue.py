"""The queue by itself: places, parking, the bound, the one round trip."""

from __future__ import annotations

from typing import List

import pytest

from unity_bridge.base.errors import ErrorCode
from unity_bridge.core.errors import queue_full
from unity_bridge.core.ledger.ledger import Ledger
from unity_bridge.core.ledger.records import Parked, Purpose, RoundTrip, Turn

PARKED = Parked(0.0, 5.0, ErrorCode.EDITOR_NOT_READY, "disconnected")


@pytest.fixture
def ledger() -> Ledger:
    return Ledger("1.0")


def subjects(ledger: Ledger) -> List[str]:
    return [turn.subject for turn in ledger.turns]


# Places.


def test_first_come_first_served(ledger: Ledger) -> None:
    for id in ("a", "b", "c"):
        ledger.join(Purpose.EXECUTE, id)
    taken = [ledger.take(), ledger.take(), ledger.take(), ledger.take()]
    assert [turn and turn.subject for turn in taken] == ["a", "b", "c", None]
    assert not ledger.turns


def test_a_turn_that_was_under_way_goes_before_all_others(ledger: Ledger) -> None:
    ledger.join(Purpose.EXECUTE, "a")
    ledger.join_first(Purpose.RESOLVE, "job-1")
    assert subjects(ledger) == ["job-1", "a"]


def test_a_turn_can_take_anothers_very_place(ledger: Ledger) -> None:
    for id in ("a", "b", "c"):
        ledger.join(Purpose.EXECUTE, id)
    old = ledger.find("b", Purpose.EXECUTE)
    assert old is not None
    ledger.replace(old, Turn(Purpose.SUBMIT, "job-1"))
    assert subjects(ledger) == ["a", "job-1", "c"]


def test_leaving(ledger: Ledger) -> None:
    ledger.join(Purpose.SUBMIT, "job-1")
    ledger.join(Purpose.CANCEL, "job-1")
    assert ledger.find("job-1", Purpose.POLL) is None
    assert ledger.leave("job-1") is True and ledger.leave("job-1") is False
    assert ledger.find("job-1", Purpose.CANCEL) is None


# The round trip.


def test_nothing_leaves_while_a_round_trip_is_under_way(ledger: Ledger) -> None:
    ledger.join(Purpose.EXECUTE, "a")
    trip = RoundTrip("req-1", Purpose.POLL, "job-1")
    ledger.depart(trip)
    assert ledger.take() is None and bool(ledger.in_flight == trip)
    ledger.arrive()
    assert ledger.in_flight is None
    assert ledger.take() is not None


def test_a_parked_call_is_not_overtaken(ledger: Ledger) -> None:
    ledger.join(Purpose.EXECUTE, "a", PARKED)
    ledger.join(Purpose.EXECUTE, "b")
    assert ledger.take() is None
    ledger.unpark()
    taken = ledger.take()
    assert taken is not None and taken.subject == "a"


# Parking.


def test_parking_leaves_our_own_questions(ledger: Ledger) -> None:
    ledger.join(Purpose.EXECUTE, "a")
    ledger.join(Purpose.SUBMIT, "job-1")
    ledger.join(Purpose.CANCEL, "job-2")
    assert [turn.subject for turn in ledger.park(lambda turn: PARKED)] == ["a", "job-1"]
    assert ledger.parked() == ledger.park(lambda turn: PARKED)
    assert ledger.counts() == (2, 0)
    assert [turn.subject for turn in ledger.unpark()] == ["a", "job-1"]
    assert ledger.counts() == (0, 2) and subjects(ledger) == ["a", "job-1", "job-2"]


# The bound.


def test_the_limit_counts_calls_with_a_waiting_client(ledger: Ledger) -> None:
    for purpose in (Purpose.CANCEL, Purpose.RESOLVE, Purpose.POLL):
        ledger.join(purpose, "job-1")
    ledger.join(Purpose.EXECUTE, "a", PARKED)
    ledger.join(Purpose.SUBMIT, "job-2")
    assert not ledger.is_full(3)
    ledger.join(Purpose.STATUS, "b")
    assert ledger.is_full(3)
    error = queue_full(sum(ledger.counts()), 3)
    assert error.code is ErrorCode.QUEUE_FULL
    assert error.details == {"queue_max_size": 3} and "3 calls" in error.message
