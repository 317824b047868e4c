"""One answer to every call, none to a cancelled call, and progress for calls that wait for a job."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Dict, List, Optional

import pytest

from tests.fakes import lone_core
from unity_bridge.base.errors import ErrorCode, ToolError
from unity_bridge.base.result import Ok
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.catalogue.calls import Call, Outcome, Progress
from unity_bridge.core.calls.requests import Requests
from unity_bridge.core.calls.waiting import Waits
from unity_bridge.core.changes import JobMoved
from unity_bridge.core.events import CallArrived
from unity_bridge.core.jobs.jobs import JobRecords
from unity_bridge.core.jobs.polling import Polls
from unity_bridge.core.jobs.results import Results
from unity_bridge.core.ledger.machines import RequestEvent
from unity_bridge.core.ledger.records import Caller, JobRecord, RequestRecord

CALL = Call(CATALOGUE["get_job_status"], {"job_id": "job-1"}, 1000, wait_ms=10_000)
ERROR = ToolError(ErrorCode.REQUEST_TIMEOUT, "too late")


class OneCall:
    """One call, and what its client received."""

    def __init__(self, wants_progress: bool = True) -> None:
        core = lone_core()
        self.ledger, self.deadlines, self.clock = core.ledger, core.deadlines, core.clock
        self.requests = Requests(core)
        self.jobs = JobRecords(core)
        self.results = Results(core, self.jobs)
        self.waits = Waits(core, self.jobs, Polls(core, self.jobs, self.results), self.requests)
        core.hears[JobMoved] = [self.waits.job_moved]
        self.outcomes: List[Outcome] = []
        self.progress: List[Progress] = []
        on_progress = self.progress.append if wants_progress else None
        self.request: RequestRecord = self.requests.receive(
            CallArrived("r", CALL, Caller(self.outcomes.append, on_progress))
        )

    def waits_for(self, progress: Optional[Dict[str, Any]] = None) -> None:
        self.waits.answer_or_wait(self.request, self.hears(progress))

    def hears(self, progress: Optional[Dict[str, Any]] = None, state: str = "running") -> JobRecord:
        """Unity reports the job's state."""
        self.results.remember("job-1", {"state": state, "progress": progress})
        job = self.jobs.get("job-1")
        assert job is not None
        return job


def test_the_first_end_is_the_answer_and_a_second_one_is_ignored() -> None:
    one = OneCall()
    one.requests.answered_here("r", {"n": 1})
    one.requests.answered_here("r", {"n": 2})
    one.requests.succeed("r", RequestEvent.RESULT_OK, {"n": 3})
    one.requests.fail("r", RequestEvent.DEADLINE, ERROR)
    one.waits_for()
    assert one.outcomes == [Ok({"n": 1})] and one.waits.all() == []


def test_a_call_that_was_given_up_ends_without_an_answer() -> None:
    one = OneCall()
    one.requests.forget_caller("r")
    one.requests.answered_here("r", {})
    assert one.outcomes == [] and one.ledger.open_requests() == []


def test_a_call_without_a_progress_token_gets_no_progress() -> None:
    one = OneCall(wants_progress=False)
    assert one.requests.wants_progress("r") is False
    one.requests.progress("r", Progress(1, 2))
    one.requests.progress("nobody", Progress(1, 2))
    assert one.progress == []


def test_a_waiting_call_gets_progress_until_the_job_ends() -> None:
    one = OneCall()
    one.waits_for({"completed": 1, "total": 3})
    assert (
        one.requests.wants_progress("r")
        and one.waits.all() == ["r"]
        and one.waits.is_waited_for("job-1")
    )
    one.hears({"completed": 2, "total": 3})
    one.results.remember("job-2", {"state": "failed"})
    assert one.outcomes == []
    one.hears(state="succeeded")
    one.hears({"completed": 3, "total": 3})
    assert [p.completed for p in one.progress] == [1, 2]
    assert len(one.outcomes) == 1 and one.deadlines.next() is None
    assert one.waits.all() == []


@pytest.mark.parametrize(
    "progress, expected",
    [
        ({"completed": 1, "total": 2, "current_test": "A"}, Progress(1, 2, "A")),
        ({"completed": 1, "total": 2, "current_test": 7}, Progress(1, 2, None)),
        ({"step": "compiling", "for_ms": 12000}, Progress(step="compiling", for_ms=12000)),
        ({"completed": True, "total": 2}, None),
        ({"completed": 1.5, "total": 2}, None),
        ({"total": 2}, None),
        ({"completed": 1}, None),
        ({"step": "compiling"}, None),
        ({"step": 7, "for_ms": 1}, None),
        ({}, None),
        (None, None),
    ],
)
def test_progress_has_a_count_or_a_step(
    progress: Optional[Dict[str, Any]], expected: Optional[Progress]
) -> None:
    one = OneCall()
    one.waits_for(progress)
    assert one.progress == [expected or Progress(step="running", for_ms=0)], (
        "there is always something to say"
    )


@pytest.mark.parametrize(
    "learnt_at, was_asked, is_stale",
    [(None, False, True), (1000.0, False, True), (1001.0, False, False), (None, True, False)],
)
def test_a_running_job_is_stale_unless_unity_reported_it_since_the_call_came(
    learnt_at: Optional[float], was_asked: bool, is_stale: bool
) -> None:
    one = OneCall()  # at 1000
    one.waits.answer("r", replace(one.hears(), learnt_at=learnt_at), was_asked)
    (outcome,) = one.outcomes
    assert isinstance(outcome, Ok) and outcome.value.get("stale", False) is is_stale


def test_an_old_report_is_stale_even_if_the_call_came_before_it() -> None:
    one = OneCall()
    one.waits_for()
    one.clock.move_to(1001.0)  # type: ignore[attr-defined]
    one.hears()
    one.clock.move_to(1009.0)  # type: ignore[attr-defined]
    one.waits.over("r")
    (outcome,) = one.outcomes
    assert isinstance(outcome, Ok) and outcome.value["stale"] is True


# The records.


def received(requests: Requests, id: str) -> None:
    requests.receive(CallArrived(id, CALL, Caller(lambda outcome: None)))


def test_a_move_that_the_table_does_not_have_is_dropped() -> None:
    requests = Requests(lone_core())
    received(requests, "a")
    assert requests.move("a", RequestEvent.REFUSED) is not None
    assert requests.move("a", RequestEvent.REFUSED) is None
    assert requests.move("nobody", RequestEvent.REFUSED) is None


def test_open_requests_are_the_unanswered_ones() -> None:
    core = lone_core()
    requests = Requests(core)
    for id in ("a", "b"):
        received(requests, id)
    requests.end("a", RequestEvent.REFUSED)
    assert [record.id for record in core.ledger.open_requests()] == ["b"]


def test_ended_requests_are_kept_for_a_while_and_open_ones_for_ever() -> None:
    requests = Requests(lone_core())
    received(requests, "open")
    for n in range(2000):
        received(requests, f"r-{n}")
        requests.end(f"r-{n}", RequestEvent.REFUSED)
    assert requests.get("open") is not None
    assert requests.get("r-1999") is not None and requests.get("r-1800") is not None
    assert requests.get("r-0") is None, "the ledger does not grow for ever"


def test_an_ended_request_keeps_no_arguments() -> None:
    """A late answer is known by the id alone, and the arguments of one call may have megabytes
    (SPEC §20).
    """
    requests = Requests(lone_core())
    call = replace(CALL, params={"job_id": "job-1", "code": "megabytes"})
    requests.receive(CallArrived("a", call, Caller(lambda outcome: None)))
    ended = requests.end("a", RequestEvent.REFUSED)
    assert ended is not None and ended.call is call, "its answer may still need them"
    kept = requests.get("a")
    assert kept is not None and kept.call == replace(call, params={"job_id": "job-1"}), (
        "the log needs the job id"
    )


def test_a_call_costs_the_same_however_many_are_open() -> None:
    # A client may have any number of calls that wait for a job (SPEC §20.9).
    core = lone_core()
    requests = Requests(core)
    for number in range(1000):
        received(requests, f"open-{number}")
    checked: List[str] = []
    has_ended = core.ledger.requests.has_ended

    def counted(record: RequestRecord) -> bool:
        checked.append(record.id)
        return has_ended(record)

    core.ledger.requests.has_ended = counted  # type: ignore[method-assign]
    for number in range(10):
        received(requests, f"call-{number}")
        requests.end(f"call-{number}", RequestEvent.REFUSED)
    assert len(checked) <= 10
