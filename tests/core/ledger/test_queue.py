"""The queue by itself: places, parking, the bound, the one round trip."""

from __future__ import annotations

from typing import List

import pytest

from tests.fakes import lone_context
from unity_bridge.base.calls import Call
from unity_bridge.base.errors import ErrorCode
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.config import Config
from unity_bridge.core.ledger.machines import RequestEvent, RequestState
from unity_bridge.core.ledger.queue import RequestScheduler
from unity_bridge.core.ledger.records import Parked, Purpose, RequestRecord, RoundTrip, Turn

CALL = Call(CATALOGUE["read_console"], {}, 1000)
PARKED = Parked(0.0, 5.0, ErrorCode.EDITOR_NOT_READY, "disconnected")


@pytest.fixture
def scheduler() -> RequestScheduler:
    return RequestScheduler(lone_context(Config(queue_max_size=3)))


def subjects(scheduler: RequestScheduler) -> List[str]:
    return [turn.subject for turn in scheduler.turns]


def enqueue(scheduler: RequestScheduler, id: str) -> None:
    scheduler.receive(id, CALL)
    scheduler.move(id, RequestEvent.ADMITTED)
    scheduler.join(Purpose.EXECUTE, id)


# Places.


def test_first_come_first_served(scheduler: RequestScheduler) -> None:
    for id in ("a", "b", "c"):
        scheduler.join(Purpose.EXECUTE, id)
    taken = [scheduler.take(), scheduler.take(), scheduler.take(), scheduler.take()]
    assert [turn and turn.subject for turn in taken] == ["a", "b", "c", None]
    assert not scheduler.turns


def test_what_was_under_way_goes_before_all_others(scheduler: RequestScheduler) -> None:
    scheduler.join(Purpose.EXECUTE, "a")
    scheduler.join_first(Purpose.RESOLVE, "job-1")
    assert subjects(scheduler) == ["job-1", "a"]


def test_a_turn_can_take_anothers_very_place(scheduler: RequestScheduler) -> None:
    for id in ("a", "b", "c"):
        scheduler.join(Purpose.EXECUTE, id)
    old = scheduler.find("b", Purpose.EXECUTE)
    assert old is not None
    scheduler.replace(old, Turn(Purpose.SUBMIT, "job-1"))
    assert subjects(scheduler) == ["a", "job-1", "c"]


def test_leaving(scheduler: RequestScheduler) -> None:
    scheduler.join(Purpose.SUBMIT, "job-1")
    scheduler.join(Purpose.CANCEL, "job-1")
    assert scheduler.find("job-1", Purpose.POLL) is None
    assert scheduler.leave("job-1", Purpose.SUBMIT) is True
    assert scheduler.find("job-1", Purpose.CANCEL) is not None
    assert scheduler.leave("job-1") is True and scheduler.leave("job-1") is False


# The round trip.


def test_nothing_leaves_while_a_round_trip_is_under_way(scheduler: RequestScheduler) -> None:
    scheduler.join(Purpose.EXECUTE, "a")
    trip = RoundTrip("req-1", Purpose.POLL, "job-1")
    scheduler.depart(trip)
    assert scheduler.take() is None and bool(scheduler.in_flight == trip)
    scheduler.arrive()
    assert scheduler.in_flight is None
    assert scheduler.take() is not None


def test_who_is_parked_in_front_is_not_overtaken(scheduler: RequestScheduler) -> None:
    scheduler.join(Purpose.EXECUTE, "a", PARKED)
    scheduler.join(Purpose.EXECUTE, "b")
    assert scheduler.take() is None
    scheduler.unpark()
    taken = scheduler.take()
    assert taken is not None and taken.subject == "a"


# Parking.


def test_parking_takes_the_requests_along_and_leaves_our_own_questions(scheduler: RequestScheduler) -> None:
    enqueue(scheduler, "a")
    scheduler.join(Purpose.SUBMIT, "job-1")
    scheduler.join(Purpose.CANCEL, "job-2")
    scheduler.park(lambda turn: PARKED)
    assert [turn.subject for turn in scheduler.parked()] == ["a", "job-1"]
    record = scheduler.request("a")
    assert record is not None and record.state is RequestState.WAITING_EDITOR_READY
    assert scheduler.counts() == (2, 0)
    assert [turn.subject for turn in scheduler.unpark()] == ["a", "job-1"]
    assert scheduler.counts() == (0, 2) and subjects(scheduler) == ["a", "job-1", "job-2"]


# The bound.


def test_the_bound_counts_what_somebody_waits_for(scheduler: RequestScheduler) -> None:
    for purpose in (Purpose.CANCEL, Purpose.RESOLVE, Purpose.POLL):
        scheduler.join(purpose, "job-1")
    scheduler.join(Purpose.EXECUTE, "a", PARKED)
    scheduler.join(Purpose.SUBMIT, "job-2")
    assert scheduler.full_error() is None
    scheduler.join(Purpose.STATUS, "b")
    error = scheduler.full_error()
    assert error is not None and error.code is ErrorCode.QUEUE_FULL
    assert error.details == {"queue_max_size": 3} and "3 calls" in error.message


# Requests.


def test_a_move_that_the_table_does_not_have_is_dropped(scheduler: RequestScheduler) -> None:
    scheduler.receive("a", CALL)
    assert scheduler.move("a", RequestEvent.REFUSED) is not None
    assert scheduler.move("a", RequestEvent.REFUSED) is None
    assert scheduler.move("nobody", RequestEvent.REFUSED) is None


def test_open_requests_are_those_that_owe_an_end(scheduler: RequestScheduler) -> None:
    for id in ("a", "b"):
        scheduler.receive(id, CALL)
    scheduler.move("a", RequestEvent.REFUSED)
    assert [record.id for record in scheduler.open_requests()] == ["b"]


def test_ended_requests_are_kept_for_a_while_and_open_ones_for_ever(scheduler: RequestScheduler) -> None:
    scheduler.receive("open", CALL)
    for n in range(2000):
        scheduler.receive(f"r-{n}", CALL)
        scheduler.move(f"r-{n}", RequestEvent.REFUSED)
    assert scheduler.request("open") is not None
    assert scheduler.request("r-1999") is not None and scheduler.request("r-1800") is not None
    assert scheduler.request("r-0") is None, "the ledger does not grow for ever"


def test_a_call_costs_the_same_however_many_are_open(
    scheduler: RequestScheduler, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A client may have any number of calls that wait for a job (SPEC §20.9).
    for number in range(1000):
        scheduler.receive(f"open-{number}", CALL)
    looks: List[str] = []
    has_ended = RequestScheduler.has_ended

    def counted(self: RequestScheduler, record: RequestRecord) -> bool:
        looks.append(record.id)
        return has_ended(self, record)

    monkeypatch.setattr(RequestScheduler, "has_ended", counted)
    for number in range(10):
        scheduler.receive(f"call-{number}", CALL)
        scheduler.move(f"call-{number}", RequestEvent.REFUSED)
    assert len(looks) <= 10
