"""The line by itself: places, parking, the bound, the one round trip."""

from __future__ import annotations

from typing import List

import pytest

from tests.fakes import ManualClock
from unity_bridge.calls import Call
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.errors import ErrorCode
from unity_bridge.execution.request_scheduler import RequestScheduler
from unity_bridge.logger import Logger
from unity_bridge.result import Err, Ok
from unity_bridge.state.machines import RequestEvent, RequestState
from unity_bridge.state.stores import Parked, Purpose, RoundTrip, StateStores, Turn

CALL = Call(CATALOGUE["read_console"], {}, 1000)
PARKED = Parked(0.0, 5.0, ErrorCode.EDITOR_NOT_READY, "disconnected")


@pytest.fixture
def line() -> RequestScheduler:
    return RequestScheduler(StateStores("1"), 3, ManualClock(), Logger("test"))


def subjects(line: RequestScheduler) -> List[str]:
    return [turn.subject for turn in line.turns]


def queue(line: RequestScheduler, id: str) -> None:
    line.receive(id, CALL)
    line.move(id, RequestEvent.ADMITTED)
    line.join(Purpose.EXECUTE, id)


# Places.


def test_first_come_first_served(line: RequestScheduler) -> None:
    for id in ("a", "b", "c"):
        line.join(Purpose.EXECUTE, id)
    taken = [line.take(), line.take(), line.take(), line.take()]
    assert [turn and turn.subject for turn in taken] == ["a", "b", "c", None]
    assert not line.turns


def test_what_was_under_way_goes_before_all_others(line: RequestScheduler) -> None:
    line.join(Purpose.EXECUTE, "a")
    line.join_first(Purpose.SETTLE, "job-1")
    assert subjects(line) == ["job-1", "a"]


def test_a_turn_can_take_anothers_very_place(line: RequestScheduler) -> None:
    for id in ("a", "b", "c"):
        line.join(Purpose.EXECUTE, id)
    old = line.find("b", Purpose.EXECUTE)
    assert old is not None
    line.replace(old, Turn(Purpose.SUBMIT, "job-1"))
    assert subjects(line) == ["a", "job-1", "c"]


def test_leaving(line: RequestScheduler) -> None:
    line.join(Purpose.SUBMIT, "job-1")
    line.join(Purpose.CANCEL, "job-1")
    assert line.find("job-1", Purpose.POLL) is None
    assert line.leave("job-1", Purpose.SUBMIT) is True
    assert line.find("job-1", Purpose.CANCEL) is not None
    assert line.leave("job-1") is True and line.leave("job-1") is False


# The round trip.


def test_nothing_leaves_while_a_round_trip_is_under_way(line: RequestScheduler) -> None:
    line.join(Purpose.EXECUTE, "a")
    trip = RoundTrip("req-1", Purpose.POLL, "job-1")
    line.depart(trip)
    assert line.in_flight == trip and line.take() is None
    line.arrive()
    assert line.in_flight is None and line.take() is not None


def test_who_is_parked_in_front_is_not_overtaken(line: RequestScheduler) -> None:
    line.join(Purpose.EXECUTE, "a", PARKED)
    line.join(Purpose.EXECUTE, "b")
    assert line.take() is None
    line.unpark()
    taken = line.take()
    assert taken is not None and taken.subject == "a"


# Parking.


def test_parking_takes_the_requests_along_and_leaves_our_own_questions(line: RequestScheduler) -> None:
    queue(line, "a")
    line.join(Purpose.SUBMIT, "job-1")
    line.join(Purpose.CANCEL, "job-2")
    parked = line.park(lambda turn: PARKED)
    assert [turn.subject for turn in parked] == ["a", "job-1"]
    record = line.request("a")
    assert record is not None and record.state is RequestState.WAITING_EDITOR_READY
    assert line.counts() == (2, 0)
    assert [turn.subject for turn in line.unpark()] == ["a", "job-1"]
    assert line.counts() == (0, 2) and subjects(line) == ["a", "job-1", "job-2"]


# The bound.


def test_the_bound_counts_what_somebody_waits_for(line: RequestScheduler) -> None:
    for purpose in (Purpose.CANCEL, Purpose.SETTLE, Purpose.POLL):
        line.join(purpose, "job-1")
    line.join(Purpose.EXECUTE, "a", PARKED)
    line.join(Purpose.SUBMIT, "job-2")
    assert line.has_room() == Ok(None)
    line.join(Purpose.STATUS, "b")
    room = line.has_room()
    assert isinstance(room, Err) and room.error.code is ErrorCode.QUEUE_FULL
    assert room.error.details == {"queue_max_size": 3} and "3 calls" in room.error.message


# Requests.


def test_a_move_that_the_table_does_not_have_is_dropped(line: RequestScheduler) -> None:
    line.receive("a", CALL)
    assert line.move("a", RequestEvent.REFUSED) is not None
    assert line.move("a", RequestEvent.REFUSED) is None
    assert line.move("nobody", RequestEvent.REFUSED) is None


def test_open_requests_are_those_that_owe_an_end(line: RequestScheduler) -> None:
    for id in ("a", "b"):
        line.receive(id, CALL)
    line.move("a", RequestEvent.REFUSED)
    assert [record.id for record in line.open_requests()] == ["b"]


def test_ended_requests_are_kept_for_a_while_and_open_ones_for_ever(line: RequestScheduler) -> None:
    line.receive("open", CALL)
    for n in range(2000):
        line.receive(f"r-{n}", CALL)
        line.move(f"r-{n}", RequestEvent.REFUSED)
    assert line.request("open") is not None
    assert line.request("r-1999") is not None and line.request("r-1800") is not None
    assert line.request("r-0") is None, "the ledger does not grow for ever"
