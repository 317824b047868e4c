"""One answer to every call, and none to a call that its client gave up."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

import pytest

from tests.fakes import ManualClock
from unity_bridge.calls import Call, Outcome, Progress
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.errors import ErrorCode, ToolError
from unity_bridge.execution.deadlines import Deadlines
from unity_bridge.execution.events import CallArrived
from unity_bridge.execution.replies import Replies
from unity_bridge.execution.request_scheduler import RequestScheduler
from unity_bridge.logger import Logger
from unity_bridge.result import Ok
from unity_bridge.state.machines import JobState, RequestEvent
from unity_bridge.state.stores import JobRecord, RequestRecord, StateStores

CALL = Call(CATALOGUE["get_job_status"], {"job_id": "job-1"}, 1000)
ERROR = ToolError(ErrorCode.REQUEST_TIMEOUT, "too late")


class Desk:
    """Replies over a line of their own, and what one caller was told."""

    def __init__(self) -> None:
        self.scheduler = RequestScheduler(StateStores("1"), 3, ManualClock(), Logger("test"))
        self.deadlines = Deadlines()
        self.replies = Replies(self.scheduler, self.deadlines, Logger("test"))
        self.outcomes: List[Outcome] = []
        self.progress: List[Progress] = []

    def receive(self, wants_progress: bool = True) -> RequestRecord:
        on_progress = self.progress.append if wants_progress else None
        self.replies.expect(CallArrived("r", CALL, self.outcomes.append, on_progress))
        return self.scheduler.receive("r", CALL)

    def watches(self, progress: Optional[Dict[str, Any]] = None) -> JobRecord:
        job = JobRecord("job-1", JobState.RUNNING, progress=progress)
        self.replies.watch(self.receive(), job, until=1010.0)
        return job


def test_the_first_end_is_the_answer_and_a_second_one_is_none() -> None:
    desk = Desk()
    desk.receive()
    desk.replies.succeed_now("r", {"n": 1})
    desk.replies.succeed_now("r", {"n": 2})
    desk.replies.succeed("r", RequestEvent.RESULT_OK, {"n": 3})
    desk.replies.fail("r", RequestEvent.DEADLINE, ERROR)
    assert desk.outcomes == [Ok({"n": 1})]


def test_a_call_that_was_given_up_ends_without_an_answer() -> None:
    desk = Desk()
    desk.receive()
    desk.replies.forget("r")
    desk.replies.succeed_now("r", {})
    assert desk.outcomes == [] and desk.scheduler.open_requests() == []


def test_who_wants_no_progress_is_told_none() -> None:
    desk = Desk()
    desk.receive(wants_progress=False)
    assert desk.replies.wants_progress("r") is False
    desk.replies.progress("r", Progress(1, 2))
    desk.replies.progress("nobody", Progress(1, 2))
    assert desk.progress == []


def test_a_watch_hears_of_progress_until_its_job_moves() -> None:
    desk = Desk()
    job = desk.watches({"completed": 1, "total": 3})
    assert desk.replies.wants_progress("r") and desk.replies.watched_job("r") == "job-1"
    desk.replies.job_moved(JobRecord("job-1", JobState.RUNNING, progress={"completed": 2, "total": 3}))
    desk.replies.job_moved(JobRecord("job-2", JobState.FAILED))
    assert desk.outcomes == [] and desk.deadlines.next() == 1010.0
    desk.replies.job_moved(JobRecord("job-1", JobState.SUCCEEDED))
    desk.replies.job_moved(job)
    assert [p.completed for p in desk.progress] == [1, 2]
    assert len(desk.outcomes) == 1 and desk.deadlines.next() is None
    assert not desk.replies.is_watching("r")


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
    desk = Desk()
    desk.watches(progress)
    assert desk.progress == ([] if told is None else [told])


@pytest.mark.parametrize(
    "learnt_at, was_asked, is_stale",
    [(None, False, True), (1000.0, False, True), (1001.0, False, False), (None, True, False)],
)
def test_a_running_job_is_stale_unless_unity_told_of_it_since_the_call_came(
    learnt_at: Optional[float], was_asked: bool, is_stale: bool
) -> None:
    desk = Desk()
    desk.receive()  # at 1000
    desk.replies.job_status("r", JobRecord("job-1", JobState.RUNNING, learnt_at=learnt_at), was_asked)
    (outcome,) = desk.outcomes
    assert isinstance(outcome, Ok) and outcome.value.get("stale", False) is is_stale
