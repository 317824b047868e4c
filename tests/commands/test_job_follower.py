"""Following one job, whenever Ctrl-C comes: either nothing was started, or Unity is asked to
cancel.
"""

from __future__ import annotations

import os
import signal
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

import pytest

from unity_bridge.base.errors import ErrorCode, ToolError
from unity_bridge.base.result import Err, Ok
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.catalogue.calls import Call, Failure, OnOutcome, OnProgress, Progress
from unity_bridge.commands.shared.job_end import JobEnd, Stop
from unity_bridge.commands.shared.job_follower import JobFollower

JOB = {"job_id": "job-1", "state": "queued"}
RESULT = {
    "summary": {"total": 3, "passed": 3, "failed": 0, "skipped": 0, "duration_ms": 30},
    "failed_tests": [],
}
LIMIT_S = 60.0


def status(state: str, **more: Any) -> Dict[str, Any]:
    return {"job_id": "job-1", "state": state, "progress": None, "result": None, **more}


def failure(code: ErrorCode) -> Failure:
    return Failure(ToolError(code, f"it failed: {code.value}"))


class ScriptedLife:
    """A bridge that answers each call with the next line of its script: a result, a failure, or
    what is to happen.
    """

    def __init__(self) -> None:
        self.script: List[Tuple[str, Any]] = []
        self.calls: List[str] = []
        self.abandoned: List[str] = []
        self.params: Dict[str, Mapping[str, Any]] = {}
        self.owed: Dict[str, OnOutcome] = {}

    def answers(self, tool: str, *outcomes: Any) -> None:
        self.script += [(tool, outcome) for outcome in outcomes]

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Call:
        return Call(CATALOGUE[tool], arguments, 1000)

    def submit(
        self, call: Call, on_outcome: OnOutcome, on_progress: Optional[OnProgress] = None
    ) -> str:
        tool = call.tool.name
        self.calls.append(tool)
        self.params[tool] = call.params
        self.owed[tool] = on_outcome
        index = next((n for n, (name, _) in enumerate(self.script) if name == tool), None)
        if index is not None:
            self._happen(self.script.pop(index)[1], on_outcome, on_progress)
        return f"req-{len(self.calls)}"

    def abandon(self, request_id: str) -> None:
        self.abandoned.append(request_id)

    def _happen(self, what: Any, on_outcome: OnOutcome, on_progress: Optional[OnProgress]) -> None:
        if callable(what):
            what()
        elif isinstance(what, Progress):
            assert on_progress is not None
            on_progress(what)
        elif isinstance(what, list):
            for part in what:
                self._happen(part, on_outcome, on_progress)
        else:
            on_outcome(Err(what) if isinstance(what, Failure) else Ok(what))


class Clock:
    """An instant later each time it is asked, so that no wait of the follower is ever real."""

    def __init__(self) -> None:
        self.instant = 0.0
        self.step = 0.0

    def now(self) -> float:
        self.instant += self.step
        return self.instant

    def utc(self) -> Any:
        raise AssertionError("the follower has no use for the wall clock")


class FakeDisplay:
    """What the user was shown."""

    def __init__(self) -> None:
        self.lines: List[Any] = []

    def progress(self, progress: Progress) -> None:
        self.lines.append((progress.completed, progress.total))

    def away(self, is_away: bool) -> None:
        if is_away or "away" in self.lines:
            self.lines.append("away" if is_away else "back")

    def say(self, text: str) -> None:
        self.lines.append(text)

    def complete(self) -> None:
        self.lines.append("complete")

    def close(self) -> None:
        raise AssertionError("the caller that made the display closes it")


class Story:
    def __init__(self) -> None:
        self.life, self.display, self.clock = ScriptedLife(), FakeDisplay(), Clock()

    def follow(self, timeout_s: float = 300.0, tool: str = "run_tests") -> JobEnd:
        follower = JobFollower(self.life, self.display, timeout_s, self.clock, LIMIT_S)  # type: ignore[arg-type]
        return follower.follow(tool, {"mode": "edit"} if tool == "run_tests" else {})

    def passes(self, seconds: float) -> Callable[[], None]:
        def pass_() -> None:
            self.clock.instant += seconds

        return pass_


@pytest.fixture
def story() -> Story:
    return Story()


def ctrl_c() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def terminated() -> None:
    os.kill(os.getpid(), signal.SIGTERM)


def hung_up() -> None:
    os.kill(os.getpid(), signal.SIGHUP)


on_posix = pytest.mark.skipif(
    os.name == "nt", reason="Windows cannot send itself Ctrl-C without its whole console"
)


def test_a_run_is_followed_to_its_end(story: Story) -> None:
    story.life.answers("run_tests", JOB)
    story.life.answers(
        "get_job_status",
        [
            Progress(1, 3, "A"),
            status("running", progress={"completed": 2, "total": 3, "current_test": "B"}),
        ],
        status("succeeded", result=RESULT),
    )
    assert story.follow() == JobEnd("succeeded", RESULT, job_id="job-1")
    assert story.display.lines == [(1, 3), (2, 3), "complete"]
    assert story.life.params["run_tests"] == {"mode": "edit", "wait_ms": 0, "timeout_ms": 330_000}


@pytest.mark.parametrize("state", ["failed", "cancelled", "timeout"])
def test_the_follower_returns_the_jobs_state_result_and_error(story: Story, state: str) -> None:
    error = {"code": "ERR_UNITY_EXECUTION", "message": "play mode was left"}
    story.life.answers("run_tests", JOB)
    story.life.answers("get_job_status", status(state, result=RESULT, error=error))
    assert story.follow() == JobEnd(state, RESULT, error, job_id="job-1")


def test_a_run_that_is_refused_was_not_run(story: Story) -> None:
    story.life.answers("run_tests", failure(ErrorCode.COMPILE_TIMEOUT))
    end = story.follow()
    assert (end.state, end.error and end.error["code"]) == ("not_run", "ERR_COMPILE_TIMEOUT")


def test_an_absent_editor_is_waited_for_and_its_return_is_shown(story: Story) -> None:
    story.clock.step = 2.0
    story.life.answers("run_tests", JOB)
    story.life.answers(
        "get_job_status",
        status("running", stale=True),
        failure(ErrorCode.EDITOR_NOT_READY),
        failure(ErrorCode.EDITOR_NOT_READY),
        status("succeeded", result=RESULT),
    )
    assert story.follow() == JobEnd("succeeded", RESULT, job_id="job-1")
    assert story.display.lines == ["away", "away", "away", "back", "complete"]


def test_progress_that_repeats_an_old_state_is_no_sign_of_life(story: Story) -> None:
    story.life.answers("run_tests", JOB)
    stale = status("running", stale=True)
    story.life.answers(
        "get_job_status", stale, [Progress(1, 3, "A"), stale], status("succeeded", result=RESULT)
    )
    story.follow()
    assert story.display.lines == ["away", (1, 3), "away", "back", "complete"]


def test_an_editor_that_does_not_come_back_is_given_up(story: Story) -> None:
    story.clock.step = 2.0
    story.life.answers("run_tests", JOB)
    lost = failure(ErrorCode.EDITOR_NOT_READY)
    story.life.answers("get_job_status", lost, [story.passes(LIMIT_S), lost])
    end = story.follow()
    assert (end.state, end.error and end.error["code"]) == ("left", "ERR_EDITOR_NOT_READY")


def test_a_job_that_unity_has_forgotten_is_not_asked_for_again(story: Story) -> None:
    story.life.answers("run_tests", JOB)
    story.life.answers("get_job_status", failure(ErrorCode.JOB_NOT_FOUND))
    end = story.follow()
    assert (end.state, end.error and end.error["code"]) == ("left", "ERR_JOB_NOT_FOUND")
    assert story.life.calls.count("get_job_status") == 1


@on_posix
@pytest.mark.parametrize(
    "arrives, stop", [(ctrl_c, Stop.SIGINT), (terminated, Stop.SIGTERM), (hung_up, Stop.SIGHUP)]
)
def test_a_signal_cancels_the_run_and_waits_for_its_end(
    story: Story, arrives: Callable[[], None], stop: Stop
) -> None:
    story.life.answers("run_tests", JOB)
    story.life.answers(
        "get_job_status", [arrives, status("running")], status("cancelled", result=RESULT)
    )
    assert story.follow() == JobEnd("cancelled", RESULT, None, stop, "job-1")
    assert story.life.params["cancel_job"] == {"job_id": "job-1"}
    assert story.display.lines == ["Cancelling it in Unity ... (Ctrl-C again leaves at once)"]


@on_posix
def test_a_job_that_unity_does_not_stop_is_said_to_go_on_once(story: Story) -> None:
    story.life.answers("run_command", JOB)
    goes_on = status("running", cancel_rejected=True)
    story.life.answers(
        "get_job_status",
        [ctrl_c, status("running")],
        goes_on,
        goes_on,
        status("succeeded", result={}),
    )
    assert story.follow(tool="run_command").stopped_by is Stop.SIGINT
    assert story.display.lines[1:] == [
        "Unity does not stop this job while it runs. Waiting for its end ...",
        "complete",
    ]


@on_posix
def test_a_second_ctrl_c_leaves_at_once_but_an_echo_of_the_first_does_not(story: Story) -> None:
    story.life.answers("run_tests", JOB)
    story.life.answers(
        "get_job_status", [ctrl_c, ctrl_c, status("running")], [story.passes(1.0), ctrl_c]
    )
    assert story.follow() == JobEnd("left", stopped_by=Stop.SIGINT, job_id="job-1")
    assert story.life.calls == ["run_tests", "get_job_status", "cancel_job", "get_job_status"]


def test_a_run_out_of_time_is_cancelled_and_its_finished_tests_are_returned(story: Story) -> None:
    story.life.answers("run_tests", JOB)
    story.life.answers(
        "get_job_status",
        [story.passes(300.0), status("running")],
        status("cancelled", result=RESULT),
    )
    assert story.follow(timeout_s=300.0) == JobEnd(
        "cancelled", RESULT, None, Stop.OUT_OF_TIME, "job-1"
    )
    assert story.display.lines == [
        "It took longer than 300 s. Cancelling it in Unity ... (Ctrl-C leaves at once)"
    ]


def test_a_cancel_that_does_nothing_is_not_waited_for_for_ever(story: Story) -> None:
    story.life.answers("run_tests", JOB)
    story.life.answers(
        "get_job_status", [story.passes(300.0), status("running")], story.passes(30.0)
    )
    assert story.follow(timeout_s=300.0) == JobEnd(
        "left", stopped_by=Stop.OUT_OF_TIME, job_id="job-1"
    )


@on_posix
def test_ctrl_c_before_there_is_a_job_withdraws_the_call(story: Story) -> None:
    story.life.answers("run_tests", ctrl_c)
    story.life.answers("get_editor_state", {})
    assert story.follow() == JobEnd("not_run", stopped_by=Stop.SIGINT)
    assert story.life.abandoned == ["req-1"]
    assert "cancel_job" not in story.life.calls


@on_posix
def test_a_job_that_is_issued_while_its_call_is_withdrawn_is_cancelled(story: Story) -> None:
    story.life.answers("run_tests", ctrl_c)
    # The executor had issued the job before it heard of the withdrawal.
    story.life.answers("get_editor_state", [lambda: story.life.owed["run_tests"](Ok(JOB)), {}])
    story.life.answers("get_job_status", status("cancelled"))
    assert story.follow() == JobEnd("cancelled", stopped_by=Stop.SIGINT, job_id="job-1")
    assert story.life.calls == ["run_tests", "get_editor_state", "cancel_job", "get_job_status"]


@on_posix
def test_afterwards_the_signals_are_what_they_were(story: Story) -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    story.life.answers("run_tests", failure(ErrorCode.QUEUE_FULL))
    story.follow()
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


@on_posix
def test_a_compile_that_has_begun_is_not_waited_for_as_long_after_ctrl_c(story: Story) -> None:
    """Unity cannot stop it, so only its wait in Unity's queue can be ended."""
    story.life.answers("compile", JOB)
    story.life.answers("get_job_status", [ctrl_c, status("running")], story.passes(2.0))
    assert story.follow(tool="compile") == JobEnd("left", stopped_by=Stop.SIGINT, job_id="job-1")
    assert story.display.lines == [
        "Cancelling it, unless Unity has begun ... (Ctrl-C again leaves at once)"
    ]


@on_posix
def test_waiting_for_another_clients_job_ends_without_a_cancel(story: Story) -> None:
    story.life.answers("get_job_status", [ctrl_c, status("running")])
    follower = JobFollower(story.life, story.display, 300.0, story.clock, LIMIT_S)  # type: ignore[arg-type]
    assert follower.follow_job("job-1") == JobEnd("left", stopped_by=Stop.SIGINT, job_id="job-1")
    assert "cancel_job" not in story.life.calls
