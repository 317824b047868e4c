"""Jobs of any kind in the simulated editor: one at a time, each id once, across reloads (SPEC §5,
§15).
"""

from __future__ import annotations

import json
from threading import Lock
from typing import Any, Callable, Dict, List, Optional

import pytest

from tests.fakes import ManualClock
from tests.faulty_editor.obstacles import ObstructedJobs
from tests.simulator.manual_editor import ManualMain
from unity_bridge.base.errors import ErrorCode
from unity_bridge.base.result import Err, Ok
from unity_bridge.simulator.console import Console
from unity_bridge.simulator.event_log import EventLog
from unity_bridge.simulator.job import (
    Advance,
    End,
    Job,
    Parameters,
    RunState,
    Step,
    Submission,
    Wait,
)
from unity_bridge.simulator.jobs import Jobs, JobTool
from unity_bridge.simulator.project import Entry

DONE = End(RunState.SUCCEEDED, {"value": 5})


def known(jobs: Jobs) -> List[str]:
    return [one if isinstance(one, str) else one["job_id"] for one in jobs.listed()]


class Painting(JobTool):
    """A tool that needs a second for each of ``coats``."""

    name = "paint"
    is_cancellable = True
    parameters: Parameters = {"colour": "red", "coats": 1}

    def __init__(self, clock: ManualClock) -> None:
        self._clock = clock

    def advance(self, job: Job) -> Advance:
        if job.must_stop is not None:
            return End(job.must_stop)
        left = (
            job.notes.setdefault("dry_at", self._clock.now() + job.params["coats"])
            - self._clock.now()
        )
        return Wait(left) if left > 0 else DONE


class Printing(Painting):
    """It cannot be stopped, and goes on when the editor changes."""

    name = "print"
    is_cancellable = False

    def advance(self, job: Job) -> Advance:
        return DONE if job.reloads else Wait()


class Host:
    """An editor in which nothing happens but what the test does."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.main = ManualMain(self.clock)
        self.events = EventLog()
        self.idle = True
        self.console = Console()

    def now(self) -> float:
        return self.clock.now()

    def post(self, work: Callable[[], object], seconds: float = 0.0) -> None:
        self.main.post(work, seconds)

    def is_idle(self) -> bool:
        return self.idle

    def stalled_ms(self) -> int:
        return self.main.stalled

    def emit(self, kind: str, **values: Any) -> None:
        self.events(kind, **values)


class LetsInOnce:
    """A lock that, once it is free, first lets another thread do something."""

    def __init__(self, other: Callable[[], object]) -> None:
        self._lock = Lock()
        self._others = [other]

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *error: object) -> None:
        self._lock.release()
        if self._others:
            self._others.pop()()


@pytest.fixture
def host() -> Host:
    return Host()


@pytest.fixture
def jobs(host: Host) -> Jobs:
    return jobs_in(host)


def jobs_in(host: Host, saved: str = "[]") -> Jobs:
    return ObstructedJobs(
        {"paint": Painting(host.clock), "print": Printing(host.clock)}, host, saved
    )


def begin(
    jobs: Jobs, job_id: str, tool: str = "paint", timeout_s: Optional[float] = None, **params: Any
) -> None:
    assert jobs.submit(Submission(tool, params, job_id, timeout_s=timeout_s)) == Ok(job_id)
    jobs.resume()


def status_of(jobs: Jobs, job_id: str) -> Dict[str, Any]:
    status = jobs.status(job_id)
    assert status is not None
    return status


def states(jobs: Jobs, *job_ids: str) -> List[str]:
    return [status_of(jobs, job_id)["state"] for job_id in job_ids]


def test_a_job_runs_until_it_finishes_and_returns_its_console_entries(
    host: Host, jobs: Jobs
) -> None:
    host.console.log(Entry("error", "before"))
    begin(jobs, "J")
    assert status_of(jobs, "J") == {
        "tool_name": "paint",
        "state": "running",
        "progress": {"step": "running", "for_ms": 0},
    }
    host.console.log(Entry("error", "during"))
    host.main.run(1.0)
    assert status_of(jobs, "J") == {
        "tool_name": "paint",
        "state": "succeeded",
        "progress": None,
        "result": {"value": 5},
        "console": {
            "errors": 1,
            "warnings": 0,
            "first": ["during"],
            "next_cursor": host.console.cursor(),
        },
    }


def test_a_submission_that_comes_again_starts_nothing(host: Host, jobs: Jobs) -> None:
    for _ in range(2):
        begin(jobs, "J")
    host.main.run(5.0)
    begin(jobs, "J")
    host.main.run(5.0)
    assert len(host.events.of("job_started")) == len(host.events.of("job_finished")) == 1


def test_without_an_id_from_the_server_each_job_gets_its_own(jobs: Jobs) -> None:
    first, second = jobs.submit(Submission("paint")), jobs.submit(Submission("paint"))
    assert isinstance(first, Ok) and isinstance(second, Ok)
    assert known(jobs) == [first.value, second.value] and first != second


def test_a_job_that_cannot_be_queued_is_not_known(jobs: Jobs) -> None:
    refused = jobs.submit(Submission("dance", {}, "J"))
    assert isinstance(refused, Err) and refused.error.code is ErrorCode.UNKNOWN_COMMAND
    assert known(jobs) == []


def test_one_job_at_a_time_in_order_of_submission_whatever_their_tools(
    host: Host, jobs: Jobs
) -> None:
    begin(jobs, "A")
    begin(jobs, "B", "print")
    begin(jobs, "C")
    host.clock.move_to(host.now() + 0.5)
    assert status_of(jobs, "B")["progress"] == {
        "step": "waiting",
        "for_ms": 500,
        "waits_for": {"job_id": "A", "tool": "paint"},
    }
    host.main.run(1.0)
    assert states(jobs, "A", "B", "C") == ["succeeded", "running", "queued"]


def test_a_job_waits_until_the_editor_is_idle(host: Host, jobs: Jobs) -> None:
    host.idle = False
    begin(jobs, "J")
    assert states(jobs, "J") == ["queued"]
    host.idle = True
    jobs.resume()
    assert states(jobs, "J") == ["running"]


def test_time_passes_once_however_often_the_editor_changes(host: Host, jobs: Jobs) -> None:
    begin(jobs, "J", coats=3)
    for _ in range(3):
        host.main.run(0.5)
        jobs.resume()
    assert states(jobs, "J") == ["running"]
    host.main.run(1.5)
    assert states(jobs, "J") == ["succeeded"]


def test_a_queued_job_is_cancelled_at_once_and_never_starts(host: Host, jobs: Jobs) -> None:
    begin(jobs, "A")
    begin(jobs, "B")
    assert jobs.cancel("B") == "cancelled"
    host.main.run(9.0)
    assert status_of(jobs, "B") == {"tool_name": "paint", "state": "cancelled", "progress": None}
    assert [event["job_id"] for event in host.events.of("job_started")] == ["A"]


def test_a_running_job_is_cancelled_where_its_tool_can(host: Host, jobs: Jobs) -> None:
    begin(jobs, "A", coats=9)
    assert jobs.cancel("A") == "cancel_requested"
    assert states(jobs, "A") == ["running"]
    host.main.run(0.0)
    assert states(jobs, "A") == ["cancelled"]
    begin(jobs, "B", "print")
    assert jobs.cancel("B") == "rejected"


def test_an_ended_job_cannot_be_cancelled_and_an_unknown_one_is_not_known(
    host: Host, jobs: Jobs
) -> None:
    begin(jobs, "J")
    host.main.run(9.0)
    assert (jobs.cancel("J"), jobs.cancel("K"), jobs.status("K")) == ("rejected", None, None)


def test_the_remaining_time_of_a_job_is_reported_until_it_ends(host: Host, jobs: Jobs) -> None:
    begin(jobs, "J", timeout_s=7.0, coats=2)
    host.main.run(1.5)
    assert status_of(jobs, "J")["remaining_ms"] == 5500
    host.main.run(5.0)
    assert "remaining_ms" not in status_of(jobs, "J")


def test_a_job_that_its_server_forgot_ends_at_its_deadline(host: Host, jobs: Jobs) -> None:
    begin(jobs, "runs", timeout_s=7.0, coats=100)
    begin(jobs, "waits", timeout_s=7.0)
    host.main.run(9.9)
    assert states(jobs, "runs", "waits") == ["running", "queued"], (
        "the server's own deadline comes first"
    )
    host.main.run(0.2)
    assert states(jobs, "runs", "waits") == ["timeout", "timeout"]


def test_the_deadline_of_a_job_that_has_ended_moves_nothing(host: Host, jobs: Jobs) -> None:
    begin(jobs, "J", timeout_s=7.0)
    host.main.run(60.0)
    assert states(jobs, "J") == ["succeeded"]
    assert len(host.events.of("job_finished")) == 1


def test_a_job_cancelled_at_its_deadline_ends_as_it_was_reported(host: Host, jobs: Jobs) -> None:
    begin(jobs, "runs", coats=100)
    begin(jobs, "waits", timeout_s=7.0)
    host.main.run(9.9)
    answers: List[Any] = []
    jobs._lock = LetsInOnce(lambda: answers.append(jobs.cancel("waits")))  # type: ignore[assignment]
    host.main.run(0.2)
    assert (answers, states(jobs, "waits")) == (["cancelled"], ["cancelled"])


def test_a_job_that_cannot_go_on_has_an_error_instead_of_a_result(host: Host, jobs: Jobs) -> None:
    begin(jobs, "A", coats=9)
    begin(jobs, "B")
    assert isinstance(jobs, ObstructedJobs) and jobs.abort("the player was stopped")
    host.main.run(9.0)
    assert status_of(jobs, "A")["error"] == {
        "code": "ERR_UNITY_EXECUTION",
        "message": "the player was stopped",
        "details": {},
    }
    assert ("result" in status_of(jobs, "A"), states(jobs, "A", "B")) == (
        False,
        ["failed", "succeeded"],
    )
    assert not jobs.abort("nothing runs")


def test_lost_jobs_are_not_known_and_do_not_go_on(host: Host, jobs: Jobs) -> None:
    begin(jobs, "J", coats=9)
    assert isinstance(jobs, ObstructedJobs)
    jobs.forget()
    host.main.run(99.0)
    assert (known(jobs), jobs.status("J"), host.events.of("job_finished")) == ([], None, [])
    begin(jobs, "K")
    assert states(jobs, "K") == ["running"]


def test_a_stalled_main_thread_is_reported_as_the_step_with_its_length(
    host: Host, jobs: Jobs
) -> None:
    begin(jobs, "J", "print")
    host.main.stalled = 12_000
    assert status_of(jobs, "J")["progress"] == {"step": "stalled", "for_ms": 12_000}


def test_a_step_is_reported_with_the_time_since_it_began(host: Host) -> None:
    job = Job("J", "print", {}, step_since=host.now(), state=RunState.RUNNING)
    job.enter(Step.COMPILING, host.now())
    job.enter(Step.COMPILING, host.now() + 2.0)
    assert job.status(host.now() + 3.0, 0)["progress"] == {"step": "compiling", "for_ms": 3000}


def test_a_job_is_found_by_the_request_that_began_it(jobs: Jobs) -> None:
    jobs.submit(Submission("paint", {}, "J", "req-7"))
    assert (jobs.job_of("req-7"), jobs.job_of("req-8"), jobs.job_of(None)) == ("J", None, None)


def test_only_so_many_ended_jobs_are_kept(host: Host, jobs: Jobs) -> None:
    for number in range(300):
        begin(jobs, f"J{number}", coats=0)
        host.main.run(0.0)
    assert (len(known(jobs)), known(jobs)[-1]) == (256, "J299")


# Across a reload of the domain


def test_accepted_started_and_ended_jobs_survive_a_reload_and_none_starts_twice(
    host: Host, jobs: Jobs
) -> None:
    begin(jobs, "ended")
    host.main.run(1.0)
    begin(jobs, "runs", "print", timeout_s=60.0)
    begin(jobs, "waits", timeout_s=60.0)
    before = status_of(jobs, "ended")
    host.clock.move_to(host.now() + 10.0)
    after = jobs_in(host, jobs.leave())
    assert known(after) == ["ended", "runs", "waits"] and status_of(after, "ended") == before
    assert status_of(after, "runs")["remaining_ms"] == 50_000
    assert status_of(after, "runs")["progress"]["step"] == "reloading"
    after.resume()
    host.main.run(3.0)
    assert states(after, "runs", "waits") == ["succeeded", "succeeded"]
    assert [event["job_id"] for event in host.events.of("job_started")] == [
        "ended",
        "runs",
        "waits",
    ]


def test_after_a_reload_a_job_goes_on_from_its_notes(host: Host, jobs: Jobs) -> None:
    begin(jobs, "J", coats=3)
    host.main.run(2.0)
    after = jobs_in(host, jobs.leave())
    after.resume()
    host.main.run(1.0)
    assert states(after, "J") == ["succeeded"], "two coats were painted before"


def test_nothing_happens_any_more_in_a_domain_that_was_left(host: Host, jobs: Jobs) -> None:
    begin(jobs, "J", coats=1, timeout_s=1.0)
    jobs.leave()
    host.main.run(60.0)
    assert states(jobs, "J") == ["running"]
    refused = jobs.submit(Submission("paint", {}, "late"))
    assert isinstance(refused, Err) and refused.error.code is ErrorCode.EDITOR_NOT_READY


def test_a_queued_job_is_started_by_the_next_domain_only(host: Host, jobs: Jobs) -> None:
    host.idle = False
    begin(jobs, "J")
    after = jobs_in(host, jobs.leave())
    host.idle = True
    jobs.resume()
    after.resume()
    assert [event["job_id"] for event in host.events.of("job_started")] == ["J"]


def test_a_deadline_survives_the_reload(host: Host, jobs: Jobs) -> None:
    begin(jobs, "J", coats=100, timeout_s=7.0)
    host.main.run(5.0)
    after = jobs_in(host, jobs.leave())
    after.resume()
    host.main.run(5.1)
    assert states(after, "J") == ["timeout"]


def test_keys_are_reported_with_their_clients_and_survive_the_reload(
    host: Host, jobs: Jobs
) -> None:
    jobs.submit(Submission("paint", {}, "J", client="claude 7", key="edit-4"))
    jobs.submit(Submission("paint", {}, "K", key="edit-4"))
    after = jobs_in(host, jobs.leave())
    assert after.keys() == {"J": ["claude 7", "edit-4"]}
    assert (status_of(after, "J")["client"], status_of(after, "J")["client_request_id"]) == (
        "claude 7",
        "edit-4",
    )
    assert "client" not in status_of(after, "K")


def test_the_state_that_a_domain_leaves_is_json(host: Host, jobs: Jobs) -> None:
    begin(jobs, "J")
    host.main.run(9.0)
    assert json.loads(jobs.leave())[0]["state"] == "succeeded"
