"""One answer to every call, none to a call that its client gave up, and what those are told that wait for a job."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Dict, List, Optional

import pytest

from tests.fakes import lone_context
from unity_bridge.base.calls import Call, Outcome, Progress
from unity_bridge.base.errors import ErrorCode, ToolError
from unity_bridge.base.result import Ok
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.core.calls.answer import Replies
from unity_bridge.core.calls.figures import CallFigures
from unity_bridge.core.calls.waiting import JobWaits
from unity_bridge.core.editor.status import EditorStateTracker
from unity_bridge.core.events import CallArrived
from unity_bridge.core.jobs.jobs import JobManager
from unity_bridge.core.ledger.machines import RequestEvent
from unity_bridge.core.ledger.queue import RequestScheduler
from unity_bridge.core.ledger.records import JobRecord, RequestRecord

CALL = Call(CATALOGUE["get_job_status"], {"job_id": "job-1"}, 1000, wait_ms=10_000)
ERROR = ToolError(ErrorCode.REQUEST_TIMEOUT, "too late")


class OneCall:
    """One call, and what its client was told."""

    def __init__(self, wants_progress: bool = True) -> None:
        context = lone_context()
        self.deadlines = context.deadlines
        self.scheduler = RequestScheduler(context)
        self.replies = Replies(context, self.scheduler, CallFigures())
        self.jobs = JobManager(context)
        self.waits = JobWaits(context, self.scheduler, EditorStateTracker(context), self.jobs, self.replies)
        self.jobs.observers.append(self.waits.job_moved)
        self.clock = context.clock
        self.outcomes: List[Outcome] = []
        self.progress: List[Progress] = []
        on_progress = self.progress.append if wants_progress else None
        self.replies.expect(CallArrived("r", CALL, self.outcomes.append, on_progress))
        self.request: RequestRecord = self.scheduler.receive("r", CALL)

    def waits_for(self, progress: Optional[Dict[str, Any]] = None) -> None:
        self.waits.tell_or_wait(self.request, self.hears(progress))

    def hears(self, progress: Optional[Dict[str, Any]] = None, state: str = "running") -> JobRecord:
        """Unity tells how the job is."""
        self.jobs.remember("job-1", {"state": state, "progress": progress})
        job = self.jobs.get("job-1")
        assert job is not None
        return job


def test_the_first_end_is_the_answer_and_a_second_one_is_none() -> None:
    one = OneCall()
    one.replies.answered_here("r", {"n": 1})
    one.replies.answered_here("r", {"n": 2})
    one.replies.succeed("r", RequestEvent.RESULT_OK, {"n": 3})
    one.replies.fail("r", RequestEvent.DEADLINE, ERROR)
    one.waits_for()
    assert one.outcomes == [Ok({"n": 1})] and one.waits.all() == []


def test_a_call_that_was_given_up_ends_without_an_answer() -> None:
    one = OneCall()
    one.replies.forget("r")
    one.replies.answered_here("r", {})
    assert one.outcomes == [] and one.scheduler.open_requests() == []


def test_who_wants_no_progress_is_told_none() -> None:
    one = OneCall(wants_progress=False)
    assert one.replies.wants_progress("r") is False
    one.replies.progress("r", Progress(1, 2))
    one.replies.progress("nobody", Progress(1, 2))
    assert one.progress == []


def test_who_waits_hears_of_progress_until_the_job_ends() -> None:
    one = OneCall()
    one.waits_for({"completed": 1, "total": 3})
    assert one.replies.wants_progress("r") and one.waits.all() == ["r"] and one.waits.is_waited_for("job-1")
    one.hears({"completed": 2, "total": 3})
    one.jobs.remember("job-2", {"state": "failed"})
    assert one.outcomes == []
    one.hears(state="succeeded")
    one.hears({"completed": 3, "total": 3})
    assert [p.completed for p in one.progress] == [1, 2]
    assert len(one.outcomes) == 1 and one.deadlines.next() is None
    assert one.waits.all() == []


@pytest.mark.parametrize(
    "progress, told",
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
def test_what_counts_as_progress(progress: Optional[Dict[str, Any]], told: Optional[Progress]) -> None:
    one = OneCall()
    one.waits_for(progress)
    assert one.progress == [told or Progress(step="running", for_ms=0)], "there is always something to say"


@pytest.mark.parametrize(
    "learnt_at, was_asked, is_stale",
    [(None, False, True), (1000.0, False, True), (1001.0, False, False), (None, True, False)],
)
def test_a_running_job_is_stale_unless_unity_told_of_it_since_the_call_came(
    learnt_at: Optional[float], was_asked: bool, is_stale: bool
) -> None:
    one = OneCall()  # at 1000
    one.waits.tell("r", replace(one.hears(), learnt_at=learnt_at), was_asked)
    (outcome,) = one.outcomes
    assert isinstance(outcome, Ok) and outcome.value.get("stale", False) is is_stale


def test_what_was_told_long_ago_is_stale_though_the_call_came_before() -> None:
    one = OneCall()
    one.waits_for()
    one.clock.move_to(1001.0)  # type: ignore[attr-defined]
    one.hears()
    one.clock.move_to(1009.0)  # type: ignore[attr-defined]
    one.waits.over("r")
    (outcome,) = one.outcomes
    assert isinstance(outcome, Ok) and outcome.value["stale"] is True
