"""SPEC §6, both tables: what a cancel comes to in each state of its target."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, List

import pytest

from tests.fakes import InMemoryBridge
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.catalogue.calls import Call
from unity_bridge.catalogue.tool import Cancellable, Tool
from unity_bridge.core.calls.room import ABANDONED
from unity_bridge.core.jobs import cancelling
from unity_bridge.core.jobs.cancelling import CancelStatus
from unity_bridge.core.ledger.machines import JobState, RequestState
from unity_bridge.core.ledger.records import CancelProgress, JobRecord, Purpose, RoundTrip
from unity_bridge.unity.messages import CancelResult

REQUEST = {
    "received": "cancelled",
    "waiting_editor_ready": "cancelled",
    "queued": "cancelled",
    "running": "cancel_requested",
    "waiting_job": "cancelled",
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


class OneJob:
    """A bridge whose editor is there, and a job in its ledger."""

    def __init__(self, state: JobState, tool: Tool = CATALOGUE["run_tests"], **fields: Any) -> None:
        self.bridge = InMemoryBridge()
        self.bridge.editor.connects()
        record = JobRecord("job-1", state, call=Call(tool, {}, 1000), tool_name=tool.name)
        self.job = self.bridge.stores.jobs.add(replace(record, **fields))
        self.cancels = self.bridge.parts.cancels

    def now(self) -> JobRecord:
        return self.bridge.job("job-1")

    def goes_to_unity(self) -> bool:
        return self.bridge.stores.find("job-1", Purpose.CANCEL) is not None


def test_the_tables_are_complete() -> None:
    assert set(REQUEST) == {state.value for state in RequestState}
    assert set(JOB) == {state.value for state in JobState}


@pytest.mark.parametrize("state", list(RequestState))
def test_a_request(state: RequestState) -> None:
    assert ABANDONED[state].value == REQUEST[state.value]


@pytest.mark.parametrize("state", list(JobState))
@pytest.mark.parametrize("progress", list(CancelProgress))
def test_a_job(state: JobState, progress: CancelProgress) -> None:
    one = OneJob(state, cancel=progress)
    status = one.cancels.cancel(one.job)
    assert cancelling.JOB[state] is status and status.value == JOB[state.value]
    is_first = state is JobState.RUNNING and progress is CancelProgress.NOT_WANTED
    assert one.goes_to_unity() is is_first, "a second cancel sends nothing more"
    assert one.now().cancel is (CancelProgress.WANTED if is_first else progress)
    assert one.now().state is (JobState.CANCELLED if state is JobState.QUEUED else state)


def test_a_running_job_whose_tool_cannot_be_cancelled_runs_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(
        CATALOGUE, "run_tests", replace(CATALOGUE["run_tests"], cancel=Cancellable.NEVER)
    )
    one = OneJob(JobState.RUNNING)
    assert one.cancels.cancel(one.job) is CancelStatus.CANCEL_REQUESTED
    assert one.now().cancel is CancelProgress.NOT_WANTED and not one.goes_to_unity()


def test_a_job_of_an_earlier_server_can_be_cancelled() -> None:
    one = OneJob(JobState.RUNNING, call=None, tool_name=None)
    assert one.cancels.cancel(one.job) is CancelStatus.CANCEL_REQUESTED
    assert one.goes_to_unity()


@pytest.mark.parametrize("unity_id, target", [(None, "job-1"), ("job-1", "job-1"), ("u-7", "u-7")])
def test_the_cancel_names_the_job_as_unity_knows_it(unity_id: object, target: str) -> None:
    one = OneJob(
        JobState.RUNNING, unity_id=unity_id, request_id="req-9", cancel=CancelProgress.WANTED
    )
    assert one.cancels.begin("job-1") is None
    message = one.bridge.editor.last("cancel")
    assert (message["target_job_id"], message["target_request_id"]) == (target, "req-9")
    assert message["request_id"] != "req-9"
    assert one.now().cancel is CancelProgress.SENT


@pytest.mark.parametrize("status", ["cancelled", "cancel_requested", "rejected"])
def test_unitys_word_on_it_moves_no_job(status: str, caplog: pytest.LogCaptureFixture) -> None:
    one = OneJob(JobState.RUNNING, cancel=CancelProgress.SENT)
    caplog.set_level("INFO", "unity_bridge")
    one.cancels.answered(RoundTrip("req-1", Purpose.CANCEL, "job-1"), CancelResult("req-1", status))
    assert (one.now().state, one.now().cancel) == (JobState.RUNNING, CancelProgress.ANSWERED)
    levels: List[str] = [record.levelname for record in caplog.records]
    assert levels == ["WARNING" if status == "rejected" else "INFO"]
