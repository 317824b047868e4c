"""Test runs in the simulated editor: one at a time, each job id once, progress, cancel, results (SPEC §5, §8, §11)."""

from __future__ import annotations

import json
from threading import Lock
from typing import Any, Callable, Dict, List, Sequence

import pytest

from unity_bridge.result import Err, Ok
from unity_bridge.simulator.events import EventLog
from unity_bridge.simulator.project import Entry, PretendTest, default_project, generated_project
from unity_bridge.simulator.runs import Runs, chosen_tests

ADD = PretendTest("Game.Edit.InventoryTests.Add", duration_s=0.5)
SPLIT = PretendTest("Game.Edit.InventoryTests.Split", outcome="failed", message="lost one", stack_trace="at Split:58")
WALK = PretendTest("Game.Play.WalkTests.Walk", mode="play", categories=("Slow",))
LATER = PretendTest("Game.Edit.SaveTests.Cloud", outcome="skipped", categories=("Saving", "Slow"))
GAME = (WALK, ADD, SPLIT, LATER)


class Host:
    """An editor whose time stands still until ``step``."""

    def __init__(self) -> None:
        self.ready = True
        self.errors = 0
        self.survives_reload = True
        self.reloads = 0
        self.entries: List[Entry] = []
        self.events = EventLog()
        self.deadlines: List[Callable[[], object]] = []
        self._waiting: List[Callable[[], object]] = []

    def can_run_tests(self) -> bool:
        return self.ready

    def compile_errors(self) -> int:
        return self.errors

    def later(self, seconds: float, work: Callable[[], object]) -> None:
        self._waiting.append(work)

    def at_the_servers_pace(self, seconds: float, work: Callable[[], object]) -> None:
        assert seconds > 7.0, "the server's own deadline comes first"
        self.deadlines.append(work)

    def enter_play_mode(self) -> bool:
        self.reloads += 1
        return self.survives_reload

    def log(self, entry: Entry) -> None:
        self.entries.append(entry)

    def emit(self, kind: str, **values: Any) -> None:
        self.events(kind, **values)

    def step(self) -> None:
        self._waiting.pop(0)()

    def finish(self) -> None:
        while self._waiting:
            self.step()


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


def runs_of(host: Host, tests: Sequence[PretendTest] = GAME) -> Runs:
    return Runs(tests, host)


def begun(runs: Runs, job_id: str, **params: Any) -> None:
    assert runs.submit(params, job_id) == Ok(job_id)
    runs.resume()


def status(runs: Runs, job_id: str) -> Dict[str, Any]:
    found = runs.status(job_id)
    assert found is not None
    return found


def test_a_whole_run_edit_first_then_play_across_one_reload(host: Host) -> None:
    runs = runs_of(host)
    begun(runs, "J", mode="all")
    host.finish()
    assert [event["name"] for event in host.events.of("test_finished")] == [t.name for t in (ADD, SPLIT, LATER, WALK)]
    assert host.reloads == 1
    assert status(runs, "J") == {
        "state": "failed",
        "progress": {"completed": 4, "total": 4, "current_test": None},
        "result": {
            "summary": {"total": 4, "passed": 2, "failed": 1, "skipped": 1, "duration_ms": 800},
            "failed_tests": [{"name": SPLIT.name, "message": "lost one", "stack_trace": "at Split:58"}],
        },
    }


def test_a_run_without_failures_succeeds(host: Host) -> None:
    runs = runs_of(host)
    begun(runs, "J", filter=ADD.name)
    host.finish()
    assert (status(runs, "J")["state"], host.reloads) == ("succeeded", 0)


def test_progress_names_the_test_that_runs(host: Host) -> None:
    runs = runs_of(host)
    begun(runs, "J", mode="edit")
    host.step()  # the run begins
    assert status(runs, "J") == {
        "state": "running",
        "progress": {"completed": 0, "total": 3, "current_test": ADD.name},
    }
    host.step()  # the first test ends
    assert status(runs, "J")["progress"] == {"completed": 1, "total": 3, "current_test": SPLIT.name}


def test_a_run_that_its_server_forgot_ends_at_its_deadline(host: Host) -> None:
    runs = runs_of(host)
    for job_id in ("runs", "waits"):
        assert runs.submit({}, job_id, timeout_s=7.0) == Ok(job_id)
    runs.resume()
    host.step()
    for time_is_up in host.deadlines:
        time_is_up()
    assert (status(runs, "runs")["state"], status(runs, "waits")["state"]) == ("running", "timeout")
    host.step()
    assert status(runs, "runs")["state"] == "timeout", "after the test that ran"
    assert status(runs, "runs")["result"]["summary"]["total"] == 1


def test_the_deadline_of_a_run_that_has_ended_moves_nothing(host: Host) -> None:
    runs = runs_of(host)
    assert runs.submit({"filter": ADD.name}, "J", timeout_s=7.0) == Ok("J")
    runs.resume()
    host.finish()
    host.deadlines.pop()()
    assert status(runs, "J")["state"] == "succeeded"


def test_a_run_that_is_cancelled_in_the_moment_in_which_its_time_is_up_ends_as_was_told(host: Host) -> None:
    runs = runs_of(host)
    begun(runs, "runs")
    assert runs.submit({}, "waits", timeout_s=7.0) == Ok("waits")
    told: List[Any] = []
    runs._lock = LetsInOnce(lambda: told.append(runs.cancel("waits")))  # type: ignore[assignment]
    host.deadlines.pop()()
    assert (told, status(runs, "waits")["state"]) == (["cancelled"], "cancelled")


def test_a_submission_that_comes_again_starts_nothing(host: Host) -> None:
    runs = runs_of(host)
    for _ in range(2):
        begun(runs, "J", filter=ADD.name)
    host.finish()
    begun(runs, "J", filter=ADD.name)
    host.finish()
    assert len(host.events.of("run_started")) == len(host.events.of("test_finished")) == 1


def test_without_an_id_from_the_server_each_run_gets_its_own(host: Host) -> None:
    runs = runs_of(host)
    first, second = runs.submit({}, None), runs.submit({}, None)
    assert isinstance(first, Ok) and isinstance(second, Ok)
    assert runs.known() == [first.value, second.value] and first != second


def test_one_run_at_a_time_in_order(host: Host) -> None:
    runs = runs_of(host)
    begun(runs, "A", filter=ADD.name)
    begun(runs, "B", filter=ADD.name)
    assert (status(runs, "A")["state"], status(runs, "B")) == ("running", {"state": "queued", "progress": None})
    host.finish()
    assert [event["job_id"] for event in host.events.of("run_finished")] == ["A", "B"]
    assert runs.known() == ["A", "B"]


def test_a_run_waits_for_the_editor(host: Host) -> None:
    runs = runs_of(host)
    host.ready = False
    begun(runs, "J", filter=ADD.name)
    assert status(runs, "J")["state"] == "queued"
    host.ready = True
    runs.resume()
    host.finish()
    assert status(runs, "J")["state"] == "succeeded"


def test_runs_that_waited_for_a_compile_that_failed_are_not_carried_out(host: Host) -> None:
    runs = runs_of(host)
    host.ready = False
    begun(runs, "A")
    begun(runs, "B")
    host.ready, host.errors = True, 2
    runs.resume()
    host.finish()
    for job_id in ("A", "B"):
        told = status(runs, job_id)
        assert (told["state"], told["progress"], "result" in told) == ("failed", None, False)
        assert told["error"]["code"] == "ERR_UNITY_EXECUTION"
        assert told["error"]["details"] == {"reason": "compile_errors", "execution_guarantee": "not_executed"}
    assert host.events.of("run_started") == []


def test_a_queued_run_is_cancelled_at_once_and_never_starts(host: Host) -> None:
    runs = runs_of(host)
    begun(runs, "A", filter=ADD.name)
    begun(runs, "B")
    assert runs.cancel("B") == "cancelled"
    host.finish()
    assert status(runs, "B") == {"state": "cancelled", "progress": None}
    assert [event["job_id"] for event in host.events.of("run_started")] == ["A"]


def test_a_running_run_is_cancelled_after_the_test_that_runs(host: Host) -> None:
    runs = runs_of(host)
    begun(runs, "J")
    host.step()
    assert runs.cancel("J") == "cancel_requested"
    assert status(runs, "J")["state"] == "running"
    host.finish()
    assert status(runs, "J")["state"] == "cancelled"
    assert status(runs, "J")["result"]["summary"]["total"] == 1


def test_an_ended_run_cannot_be_cancelled_and_an_unknown_one_is_not_known(host: Host) -> None:
    runs = runs_of(host)
    begun(runs, "J", filter=ADD.name)
    host.finish()
    assert (runs.cancel("J"), runs.cancel("K"), runs.status("K")) == ("rejected", None, None)


def test_a_run_that_cannot_go_on_has_an_error_instead_of_a_result(host: Host) -> None:
    runs = runs_of(host)
    begun(runs, "A")
    begun(runs, "B", filter=ADD.name)
    host.step()
    assert runs.abort("the player was stopped")
    host.finish()
    assert (status(runs, "A")["state"], "result" in status(runs, "A")) == ("failed", False)
    assert status(runs, "A")["error"]["code"] == "ERR_UNITY_EXECUTION"
    assert status(runs, "B")["state"] == "succeeded"
    assert not runs.abort("nothing runs")


def test_lost_jobs_are_not_known_and_do_not_go_on(host: Host) -> None:
    runs = runs_of(host)
    begun(runs, "J")
    host.step()
    runs.forget()
    host.finish()
    assert (runs.known(), runs.status("J"), host.events.of("test_finished")) == ([], None, [])
    begun(runs, "K", filter=ADD.name)
    host.finish()
    assert status(runs, "K")["state"] == "succeeded"


def test_an_editor_that_ends_in_the_reload_takes_the_run_with_it(host: Host) -> None:
    runs = runs_of(host)
    host.survives_reload = False
    begun(runs, "J", mode="play")
    host.finish()
    assert host.events.of("test_finished") == []


def test_no_test_matching_is_an_empty_run_and_a_warning(host: Host) -> None:
    runs = runs_of(host)
    begun(runs, "J", filter="Gone")
    host.finish()
    assert status(runs, "J")["result"]["summary"]["total"] == 0
    assert [entry.type for entry in host.entries] == ["warning"]


def test_a_job_is_found_by_the_request_that_began_it(host: Host) -> None:
    runs = runs_of(host)
    runs.submit({}, "J", "req-7")
    assert (runs.job_of("req-7"), runs.job_of("req-8"), runs.job_of(None)) == ("J", None, None)


def test_what_tests_log_is_in_the_console(host: Host) -> None:
    runs = runs_of(host, (PretendTest("T", logs=(Entry("log", "scene loaded"),)),))
    begun(runs, "J")
    host.finish()
    assert host.entries == [Entry("log", "scene loaded")]


def test_ten_thousand_failures_fit_into_one_message_and_say_what_was_left_out(host: Host) -> None:
    runs = runs_of(host, generated_project(10_000, failing_every=1).tests)
    begun(runs, "J")
    host.finish()
    result = status(runs, "J")["result"]
    assert len(json.dumps(result)) < 1_000_000
    assert result["summary"]["failed"] == len(result["failed_tests"]) + result["failed_tests_omitted"] == 10_000


def test_only_so_many_ended_runs_are_kept(host: Host) -> None:
    runs = runs_of(host, ())
    for number in range(300):
        begun(runs, f"J{number}")
        host.finish()
    assert (len(runs.known()), runs.known()[-1]) == (256, "J299")


@pytest.mark.parametrize(
    ("params", "chosen"),
    [
        ({}, [ADD, SPLIT, LATER, WALK]),
        ({"mode": "play"}, [WALK]),
        ({"mode": "edit", "filter": ""}, [ADD, SPLIT, LATER]),
        ({"filter": ADD.name}, [ADD]),
        ({"filter": "Game.Edit"}, [ADD, SPLIT, LATER]),
        ({"filter": "Game.Edit.Inv"}, []),
        ({"filter": "category:Slow"}, [LATER, WALK]),
        ({"filter": "category:slow"}, []),
        ({"filter": "Category: Slow"}, [LATER, WALK]),
        ({"filter": "Game.Play."}, [WALK]),
        ({"filter": f" {WALK.name} ; category:Saving;"}, [LATER, WALK]),
        ({"filter": ADD.name, "mode": "play"}, []),
    ],
)
def test_mode_and_filter_choose(params: Dict[str, Any], chosen: List[PretendTest]) -> None:
    assert chosen_tests(GAME, params) == Ok(chosen)


def test_a_test_with_arguments_is_found_by_its_bare_name() -> None:
    chosen = chosen_tests(
        default_project().tests, {"filter": "Keep.Tests.InventoryTests.DroppedItemsKeepTheirDurability"}
    )
    assert isinstance(chosen, Ok) and len(chosen.value) == 1


@pytest.mark.parametrize("params", [{"mode": "both"}, {"mode": ["edit"]}, {"filter": 7}])
def test_a_wrong_parameter_is_refused(host: Host, params: Dict[str, Any]) -> None:
    runs = runs_of(host)
    refused = runs.submit(params, "J")
    assert isinstance(refused, Err) and refused.error.code.value == "ERR_INVALID_PARAMS"
    assert runs.known() == []
