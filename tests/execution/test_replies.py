"""One answer to every call, none to a call that its client gave up, and what those are told that wait for a job."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

import pytest

from tests.fakes import lone_context
from unity_bridge.calls import Call, Outcome, Progress
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.errors import ErrorCode, ToolError
from unity_bridge.execution.call_figures import CallFigures
from unity_bridge.execution.events import CallArrived
from unity_bridge.execution.job_manager import JobManager
from unity_bridge.execution.job_waits import JobWaits
from unity_bridge.execution.replies import Replies
from unity_bridge.execution.request_scheduler import RequestScheduler
from unity_bridge.result import Ok
from unity_bridge.state.machines import JobState, RequestEvent
from unity_bridge.state.records import JobRecord, RequestRecord

CALL = Call(CATALOGUE["get_job_status"], {"job_id": "job-1"}, 1000)
ERROR = ToolError(ErrorCode.REQUEST_TIMEOUT, "too late")


class OneCall:
    """One call, and what its client was told."""

    def __init__(self, wants_progress: bool = True) -> None:
        context = lone_context()
        self.deadlines = context.deadlines
        self.scheduler = RequestScheduler(context)
        self.replies = Replies(context, self.scheduler, CallFigures())
        jobs = JobManager(context, CATALOGUE["get_job_status"])
        self.waits = JobWaits(context, self.scheduler, jobs, self.replies)
        self.outcomes: List[Outcome] = []
        self.progress: List[Progress] = []
        on_progress = self.progress.append if wants_progress else None
        self.replies.expect(CallArrived("r", CALL, self.outcomes.append, on_progress))
        self.request: RequestRecord = self.scheduler.receive("r", CALL)

    def waits_for(self, progress: Optional[Dict[str, Any]] = None) -> JobRecord:
        job = JobRecord("job-1", JobState.RUNNING, progress=progress)
        self.waits.wait(self.request, job, until=1010.0)
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


def test_who_waits_hears_of_progress_until_the_job_moves() -> None:
    one = OneCall()
    job = one.waits_for({"completed": 1, "total": 3})
    assert one.replies.wants_progress("r") and one.waits.all() == ["r"]
    one.waits.job_moved(JobRecord("job-1", JobState.RUNNING, progress={"completed": 2, "total": 3}))
    one.waits.job_moved(JobRecord("job-2", JobState.FAILED))
    assert one.outcomes == [] and one.deadlines.next() == 1010.0
    one.waits.job_moved(JobRecord("job-1", JobState.SUCCEEDED))
    one.waits.job_moved(job)
    assert [p.completed for p in one.progress] == [1, 2]
    assert len(one.outcomes) == 1 and one.deadlines.next() is None
    assert one.waits.all() == []


@pytest.mark.parametrize(
    "progress, told",
    [
        ({"completed": 1, "total": 2, "current_test": "A"}, Progress(1, 2, "A")),
        ({"completed": 1, "total": 2, "current_test": 7}, Progress(1, 2, None)),
        ({"completed": True, "total": 2}, None),
        ({"completed": 1.5, "total": 2}, None),
        ({"total": 2}, None),
        ({"completed": 1}, None),
        ({}, None),
        (None, None),
    ],
)
def test_what_counts_as_progress(progress: Optional[Dict[str, Any]], told: Optional[Progress]) -> None:
    one = OneCall()
    one.waits_for(progress)
    assert one.progress == ([] if told is None else [told])


@pytest.mark.parametrize(
    "learnt_at, was_asked, is_stale",
    [(None, False, True), (1000.0, False, True), (1001.0, False, False), (None, True, False)],
)
def test_a_running_job_is_stale_unless_unity_told_of_it_since_the_call_came(
    learnt_at: Optional[float], was_asked: bool, is_stale: bool
) -> None:
    one = OneCall()  # at 1000
    one.waits.tell("r", JobRecord("job-1", JobState.RUNNING, learnt_at=learnt_at), was_asked)
    (outcome,) = one.outcomes
    assert isinstance(outcome, Ok) and outcome.value.get("stale", False) is is_stale
