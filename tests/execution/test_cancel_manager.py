"""SPEC §6, both tables: what a cancel comes to in each state of its target."""

from __future__ import annotations

from dataclasses import replace
from typing import List

import pytest

from tests.fakes import ManualClock
from unity_bridge.calls import Call
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.catalogue.tool import Tool
from unity_bridge.config import Config
from unity_bridge.execution.cancel_manager import CancelManager, CancelStatus, job_status, request_status
from unity_bridge.execution.deadlines import Deadlines
from unity_bridge.execution.ids import Ids
from unity_bridge.execution.job_manager import JobManager
from unity_bridge.logger import Logger
from unity_bridge.state.machines import JobState, RequestState
from unity_bridge.state.stores import CancelProgress, JobRecord, StateStores
from unity_bridge.unity.messages import CancelResult

REQUEST = {
    "received": "cancelled",
    "waiting_editor_ready": "cancelled",
    "queued": "cancelled",
    "running": "cancel_requested",
    "forwarded": "cancelled",  # the owner of the port decides what it means in Unity (SPEC 14)
    "succeeded": "rejected",
    "failed": "rejected",
    "timeout": "rejected",
    "cancelled": "rejected",
}
JOB = {
    "queued": "cancelled",
    "running": "cancel_requested",
    "succeeded": "rejected",
    "failed": "rejected",
    "timeout": "rejected",
    "cancelled": "rejected",
}


class Room:
    """The two managers and their store."""

    def __init__(self) -> None:
        self.stores = StateStores("1")
        ids, log = Ids("test"), Logger("test")
        self.jobs = JobManager(self.stores, Deadlines(), Config(), ids, ManualClock(), log)
        self.cancels = CancelManager(self.jobs, ids, log)

    def job(self, state: JobState, tool: Tool = CATALOGUE["run_tests"], **fields: object) -> JobRecord:
        return self.stores.jobs.add(replace(JobRecord("job-1", state, call=Call(tool, {}, 1000)), **fields))  # type: ignore[arg-type]

    def now(self) -> JobRecord:
        job = self.stores.jobs.get("job-1")
        assert job is not None
        return job


def test_the_tables_are_complete() -> None:
    assert set(REQUEST) == {state.value for state in RequestState}
    assert set(JOB) == {state.value for state in JobState}


@pytest.mark.parametrize("state", list(RequestState))
def test_a_request(state: RequestState) -> None:
    assert request_status(state).value == REQUEST[state.value]


@pytest.mark.parametrize("state", list(JobState))
@pytest.mark.parametrize("progress", list(CancelProgress))
def test_a_job(state: JobState, progress: CancelProgress) -> None:
    room = Room()
    status, goes_to_unity = room.cancels.request(room.job(state, cancel=progress))
    assert job_status(state) is status and status.value == JOB[state.value]
    is_first = state is JobState.RUNNING and progress is CancelProgress.NOT_WANTED
    assert goes_to_unity is is_first, "a second wish sends nothing more"
    assert room.now().cancel is (CancelProgress.WANTED if is_first else progress)
    assert room.now().state is (JobState.CANCELLED if state is JobState.QUEUED else state)


def test_a_running_job_whose_tool_cannot_be_cancelled_runs_on() -> None:
    room = Room()
    job = room.job(JobState.RUNNING, replace(CATALOGUE["run_tests"], supports_cancel=False))
    assert room.cancels.request(job) == (CancelStatus.CANCEL_REQUESTED, False)
    assert room.now().cancel is CancelProgress.NOT_WANTED


def test_a_job_of_an_earlier_server_can_be_cancelled() -> None:
    room = Room()
    assert room.cancels.request(room.job(JobState.RUNNING, call=None)) == (CancelStatus.CANCEL_REQUESTED, True)


@pytest.mark.parametrize("unity_id, target", [(None, "job-1"), ("job-1", "job-1"), ("u-7", "u-7")])
def test_the_wish_names_the_job_as_unity_knows_it(unity_id: object, target: str) -> None:
    room = Room()
    message = room.cancels.message(room.job(JobState.RUNNING, unity_id=unity_id, request_id="req-9"))
    assert (message.target_job_id, message.target_request_id) == (target, "req-9")
    assert message.request_id != "req-9"
    assert room.now().cancel is CancelProgress.SENT


@pytest.mark.parametrize("status", ["cancelled", "cancel_requested", "rejected"])
def test_unitys_word_on_it_moves_no_job(status: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "unity_bridge")
    room = Room()
    room.job(JobState.RUNNING, cancel=CancelProgress.SENT)
    room.cancels.answered("job-1", CancelResult("req-1", status))
    assert (room.now().state, room.now().cancel) == (JobState.RUNNING, CancelProgress.ANSWERED)
    levels: List[str] = [record.levelname for record in caplog.records]
    assert levels == ["WARNING" if status == "rejected" else "INFO"]
