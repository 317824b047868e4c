"""SPEC §15.7: which call starts a job, and which joins one that there is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Iterator

import pytest

from tests.fakes import InMemoryBridge
from tests.tool_results import CONSOLE
from unity_bridge.base.result import Ok
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.catalogue.tool import Join

pytestmark = pytest.mark.usefixtures("connected")


@pytest.fixture
def open_joins(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """``run_tests`` as a command that agents repeat when its answer is late."""
    tool = replace(CATALOGUE["run_tests"], join=Join.OPEN)
    monkeypatch.setitem(CATALOGUE, "run_tests", tool)
    yield


def submissions(bridge: InMemoryBridge) -> int:
    return len(bridge.editor.heard("submit_job"))


def finishes_job(bridge: InMemoryBridge, state: str = "succeeded", **fields: Any) -> None:
    """The editor takes the job that was submitted last, and ends it."""
    bridge.editor.accepts_job()
    bridge.editor.reports_job(state, **fields)


# By key.


def test_the_same_key_is_the_same_job(bridge: InMemoryBridge) -> None:
    first = bridge.agent.calls("run_tests", client_request_id="k", wait_ms=0)
    bridge.editor.accepts_job()
    second = bridge.agent.calls("run_tests", client_request_id="k", timeout_ms=7000)
    bridge.editor.reports_job("running")
    assert not second.is_answered, "it waits for the job as the first one could have"
    bridge.advance(1)
    bridge.editor.reports_job("succeeded")
    assert (second.answer["job_id"], second.answer["joined"]) == (first.answer["job_id"], True)
    assert "joined" not in first.answer
    assert submissions(bridge) == 1


def test_a_call_that_joins_blocks_the_queue_no_longer_than_a_question(
    bridge: InMemoryBridge,
) -> None:
    """Its timeout_ms is the job's."""
    bridge.agent.calls("run_tests", client_request_id="k", wait_ms=0)
    bridge.editor.accepts_job()
    joined = bridge.agent.calls("run_tests", client_request_id="k", wait_ms=0)
    bridge.agent.calls("read_console")
    bridge.advance(5)
    assert (joined.answer["state"], joined.answer["stale"]) == ("running", True)
    assert len(bridge.editor.heard("execute")) == 1


def test_an_ended_job_keeps_no_large_arguments_and_its_key_still_knows_them(
    bridge: InMemoryBridge,
) -> None:
    """Hundreds of ended jobs are kept, and a call may carry megabytes (SPEC §20.4)."""
    code = "1;" * 50_000
    first = bridge.agent.calls("run_csharp", client_request_id="k", code=code)
    finishes_job(bridge)
    (job,) = bridge.stores.jobs.all()
    assert job.call is not None and not job.call.params
    again = bridge.agent.calls("run_csharp", client_request_id="k", code=code)
    assert (again.answer["job_id"], again.answer["joined"]) == (first.answer["job_id"], True)
    assert (
        bridge.agent.calls("run_csharp", client_request_id="k", code=code + "2").code
        == "ERR_INVALID_REQUEST"
    )
    assert submissions(bridge) == 1


@pytest.mark.parametrize(
    "tool, arguments", [("run_command", {"name": "build"}), ("run_csharp", {"code": "1"})]
)
def test_a_job_with_effects_keeps_its_key_after_its_end(
    bridge: InMemoryBridge, tool: str, arguments: Any
) -> None:
    first = bridge.agent.calls(tool, client_request_id="k", **arguments)
    finishes_job(bridge)
    again = bridge.agent.calls(tool, client_request_id="k", **arguments)
    assert (again.answer["job_id"], again.answer["joined"]) == (first.answer["job_id"], True)
    assert submissions(bridge) == 1


def test_a_job_that_unity_forgot_is_lost_and_not_run_again(bridge: InMemoryBridge) -> None:
    bridge.agent.calls("run_tests", client_request_id="k", wait_ms=0)
    bridge.editor.accepts_job()
    again = bridge.agent.calls("run_tests", client_request_id="k", wait_ms=0)
    bridge.editor.refuses("get_job_status", "ERR_JOB_NOT_FOUND")
    assert (again.answer["state"], again.answer["error"]["code"]) == (
        "failed",
        "ERR_RECONNECT_TIMEOUT",
    )
    assert submissions(bridge) == 1


@pytest.mark.parametrize("tool, arguments", [("run_tests", {"mode": "edit"}), ("compile", {})])
def test_a_key_with_another_tool_or_other_arguments_is_refused(
    bridge: InMemoryBridge, tool: str, arguments: Any
) -> None:
    job = bridge.agent.runs_tests(client_request_id="k")
    call = bridge.agent.calls(tool, client_request_id="k", **arguments)
    assert (call.code, call.guarantee) == ("ERR_INVALID_REQUEST", "not_executed")
    assert call.error["details"]["job_id"] == job
    assert "'k'" in call.error["message"] and "leave it out" in call.error["message"]


def test_defaults_are_filled_in_before_arguments_are_compared(bridge: InMemoryBridge) -> None:
    job = bridge.agent.runs_tests(client_request_id="k")
    call = bridge.agent.calls(
        "run_tests", mode="all", refresh=True, client_request_id="k", wait_ms=0
    )
    bridge.editor.accepts_job()
    bridge.editor.reports_job("running")
    assert call.answer["job_id"] == job


def test_a_key_belongs_to_the_client_that_gave_it(bridge: InMemoryBridge) -> None:
    first = bridge.agent.runs_tests(client_request_id="1")
    second = bridge.agent.calls(
        "run_tests", as_client="another window", client_request_id="1", wait_ms=0
    )
    assert second.answer["job_id"] != first and "joined" not in second.answer


def test_a_key_joins_also_where_nothing_can_be_started(bridge: InMemoryBridge) -> None:
    job = bridge.agent.runs_tests(client_request_id="k")
    bridge.editor.accepts_job()
    bridge.editor.reloads()
    again = bridge.agent.calls("run_tests", client_request_id="k", wait_ms=0)
    assert (again.answer["job_id"], again.answer["stale"]) == (job, True)


def test_a_key_joins_also_when_the_queue_is_full(bridge: InMemoryBridge) -> None:
    job = bridge.agent.runs_tests(client_request_id="k")
    bridge.editor.accepts_job()
    for _ in range(33):
        bridge.agent.calls("read_console")
    again = bridge.agent.calls("run_tests", client_request_id="k", wait_ms=0)
    assert again.answer["job_id"] == job


def test_two_calls_of_one_key_that_wait_for_the_editor_are_one_job(bridge: InMemoryBridge) -> None:
    bridge.editor.reloads()
    calls = [bridge.agent.calls("run_tests", client_request_id="k") for _ in range(2)]
    other = bridge.agent.calls("run_tests", client_request_id="k", mode="play")
    bridge.editor.connects()
    assert other.code == "ERR_INVALID_REQUEST"
    assert submissions(bridge) == 1 and not any(call.is_answered for call in calls)
    bridge.editor.accepts_job()
    bridge.editor.reports_job("succeeded")
    assert [call.answer.get("joined", False) for call in calls] == [False, True]


# A key is spent once its client has the end of its job; the tools with effects keep it.


SPENDING = [("compile", {}), ("run_tests", {}), ("play_mode", {"action": "exit"})]


@pytest.mark.parametrize("tool, arguments", SPENDING)
def test_the_job_calls_answer_with_the_end_spends_its_key(
    bridge: InMemoryBridge, tool: str, arguments: Any
) -> None:
    calls = []
    for _ in range(3):
        calls.append(bridge.agent.calls(tool, client_request_id="k", **arguments))
        finishes_job(bridge)
    assert submissions(bridge) == len({call.answer["job_id"] for call in calls}) == 3
    assert not any("joined" in call.answer for call in calls)


def test_a_spent_key_is_new_with_any_tool_and_any_arguments(bridge: InMemoryBridge) -> None:
    bridge.agent.compiles(client_request_id="k")
    finishes_job(bridge)
    forced = bridge.agent.compiles(client_request_id="k", force=True)
    finishes_job(bridge)
    tests = bridge.agent.calls("run_tests", client_request_id="k")
    finishes_job(bridge)
    assert "joined" not in forced.answer and "joined" not in tests.answer
    assert submissions(bridge) == 3


def test_a_key_that_is_used_again_joins_its_new_job(bridge: InMemoryBridge) -> None:
    bridge.agent.compiles(client_request_id="k")
    finishes_job(bridge)
    new = bridge.agent.calls("compile", client_request_id="k", wait_ms=0)
    bridge.editor.accepts_job()
    again = bridge.agent.calls("compile", client_request_id="k", wait_ms=0)
    bridge.editor.reports_job("running")
    assert (again.answer["job_id"], again.answer["joined"]) == (new.answer["job_id"], True)
    other = bridge.agent.compiles(client_request_id="k", force=True)
    assert other.code == "ERR_INVALID_REQUEST" and "'k'" in other.error["message"]


def test_get_job_status_spends_the_key_too(bridge: InMemoryBridge) -> None:
    job = bridge.agent.runs_tests(client_request_id="k")
    bridge.editor.accepts_job()
    asked = bridge.agent.asks(job)
    bridge.editor.reports_job("succeeded")
    assert asked.answer["state"] == "succeeded"
    assert "joined" not in bridge.agent.calls("run_tests", client_request_id="k", wait_ms=0).answer
    assert submissions(bridge) == 2


def test_an_answer_without_the_end_spends_nothing(bridge: InMemoryBridge) -> None:
    job = bridge.agent.runs_tests(client_request_id="k")
    bridge.editor.accepts_job()
    running = bridge.agent.asks(job)
    bridge.editor.reports_job("running")
    assert running.answer["state"] == "running"
    bridge.advance(1)
    bridge.editor.reports_job("succeeded")
    again = bridge.agent.calls("run_tests", client_request_id="k")
    assert (again.answer["job_id"], again.answer["joined"]) == (job, True), (
        "the end itself has reached nobody yet"
    )


def test_an_answer_without_a_receiver_spends_no_key(bridge: InMemoryBridge) -> None:
    lost = bridge.agent.compiles(client_request_id="k")
    bridge.editor.accepts_job()
    bridge.agent.gives_up(lost)
    bridge.editor.reports_job("succeeded")
    again = bridge.agent.compiles(client_request_id="k")
    assert again.answer["joined"] is True and submissions(bridge) == 1


def test_an_answer_that_cannot_be_handed_over_spends_nothing(bridge: InMemoryBridge) -> None:
    def breaks(_: Any) -> None:
        raise OSError("nobody reads")

    call = bridge.validator.validate("compile", {"client_request_id": "k"})
    assert isinstance(call, Ok)
    bridge.call_service.submit(call.value, breaks)
    bridge.drain()
    finishes_job(bridge)
    assert bridge.agent.compiles(client_request_id="k").answer["joined"] is True


def test_another_clients_question_spends_nothing(bridge: InMemoryBridge) -> None:
    job = bridge.agent.runs_tests(client_request_id="k")
    bridge.editor.accepts_job()
    bridge.agent.asks(job, as_client="another window")
    bridge.editor.reports_job("succeeded")
    assert bridge.agent.calls("run_tests", client_request_id="k").answer["joined"] is True


def test_an_answer_for_an_attached_server_spends_no_key_here(bridge: InMemoryBridge) -> None:
    """It may be lost on the way. That server knows what its client has been given, and forwards a
    new key then.
    """
    first = bridge.agent.compiles(client_request_id="k", as_client="another window")
    finishes_job(bridge)
    again = bridge.agent.compiles(client_request_id="k", as_client="another window")
    assert (again.answer["job_id"], again.answer["joined"]) == (first.answer["job_id"], True)


@pytest.mark.parametrize("client", [None, "another window"])
@pytest.mark.parametrize("tool, arguments", [*SPENDING, ("run_command", {"name": "build"})])
def test_a_job_that_never_ran_holds_no_key(
    bridge: InMemoryBridge, client: Any, tool: str, arguments: Any
) -> None:
    refused = bridge.agent.calls(tool, as_client=client, client_request_id="k", **arguments)
    bridge.editor.refuses("submit_job", "ERR_UNITY_EXECUTION")
    assert refused.answer["error"]["details"]["execution_guarantee"] == "not_executed"
    retried = bridge.agent.calls(tool, as_client=client, client_request_id="k", **arguments)
    finishes_job(bridge)
    assert (retried.answer["state"], "joined" in retried.answer) == ("succeeded", False)
    assert submissions(bridge) == 2
    asked = bridge.agent.asks(refused.answer["job_id"])
    assert asked.answer["state"] == "failed", "the refused one is still known by its id"


def test_a_job_that_was_cancelled_in_the_queue_holds_no_key(bridge: InMemoryBridge) -> None:
    bridge.agent.calls("read_console")
    first = bridge.agent.calls("run_command", name="build", client_request_id="k", wait_ms=0)
    assert (
        bridge.agent.calls("cancel_job", job_id=first.answer["job_id"]).answer["status"]
        == "cancelled"
    )
    again = bridge.agent.calls("run_command", name="build", client_request_id="k")
    bridge.editor.answers(CONSOLE)
    finishes_job(bridge)
    assert "joined" not in again.answer and again.answer["job_id"] != first.answer["job_id"]


def test_a_job_that_was_cancelled_in_unity_keeps_its_key(bridge: InMemoryBridge) -> None:
    first = bridge.agent.calls("run_command", name="build", client_request_id="k", wait_ms=0)
    bridge.editor.accepts_job()
    bridge.agent.calls("cancel_job", job_id=first.answer["job_id"])
    bridge.editor.answers_cancel()
    bridge.editor.reports_job("cancelled")
    again = bridge.agent.calls("run_command", name="build", client_request_id="k")
    assert (again.answer["state"], again.answer["joined"]) == ("cancelled", True)


def test_a_plugin_that_lists_a_spent_key_again_does_not_bring_it_back(
    bridge: InMemoryBridge,
) -> None:
    call = bridge.agent.compiles(client_request_id="k")
    finishes_job(bridge)
    job = call.answer["job_id"]
    assert bridge.editor.last("submit_job")["client_request_id"] == "k"
    bridge.editor.reloads().connects(jobs=[job], job_keys={job: ["client-test", "k"]})
    bridge.agent.compiles(client_request_id="k")
    submitted = bridge.editor.last("submit_job")
    assert submitted["job_id"] != job and submitted["client_request_id"] not in (None, "k")


def test_a_refused_job_that_the_plugin_lists_again_has_no_key(bridge: InMemoryBridge) -> None:
    refused = bridge.agent.calls("run_command", name="build", client_request_id="k")
    finishes_job(
        bridge,
        "failed",
        error={
            "code": "ERR_UNITY_EXECUTION",
            "message": "no",
            "details": {"execution_guarantee": "not_executed"},
        },
    )
    job = refused.answer["job_id"]
    bridge.editor.reloads().connects(jobs=[job], job_keys={job: ["client-test", "k"]})
    bridge.agent.calls("run_command", name="build", client_request_id="k")
    assert bridge.editor.last("submit_job")["job_id"] != job


def test_a_key_of_an_earlier_server_is_unspent_until_its_client_has_the_end() -> None:
    bridge = InMemoryBridge()
    bridge.editor.connects(jobs=["job-old"], job_keys={"job-old": ["client-test", "k"]})
    for n, is_joined in enumerate([True, False]):
        call = bridge.agent.calls("run_tests", client_request_id="k")
        if n == 0:
            bridge.editor.reports_job("succeeded", tool_name="run_tests")
        else:
            finishes_job(bridge)
        assert call.answer.get("joined", False) is is_joined
    bridge.stop()


def test_a_spent_key_is_remembered_for_long_and_not_for_ever(
    bridge: InMemoryBridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unity_bridge.core.jobs.jobs._SPENT_KEPT", 3)
    for n in range(4):
        bridge.agent.compiles(client_request_id=f"k-{n}")
        finishes_job(bridge)
    assert list(bridge.parts.jobs._renewed) == ["k-1", "k-2", "k-3"]


def test_an_empty_key_counts_as_absent(bridge: InMemoryBridge) -> None:
    first, second = (
        bridge.agent.calls("run_tests", client_request_id="", wait_ms=0) for _ in range(2)
    )
    assert first.answer["job_id"] != second.answer["job_id"]
    bridge.editor.says("editor_status", state="ready", seq=1).reloads()
    bridge.editor.connects(jobs=["job-old"], job_keys={"job-old": ["client-test", ""]})
    assert "" not in {key for _, key in bridge.stores.session.identity.job_keys}  # type: ignore[union-attr]


# A key outlives the server (SPEC §14.3).


def test_the_editor_knows_the_keys_of_an_earlier_server() -> None:
    bridge = InMemoryBridge()
    bridge.editor.connects(jobs=["job-old"], job_keys={"job-old": ["client-test", "k"]})
    call = bridge.agent.calls("run_tests", client_request_id="k")
    assert bridge.editor.last("get_job_status")["job_id"] == "job-old"
    bridge.editor.reports_job("running", tool_name="run_tests", remaining_ms=9000)
    bridge.advance(1)
    bridge.editor.reports_job("succeeded", tool_name="run_tests")
    assert (call.answer["job_id"], call.answer["tool"], call.answer["joined"]) == (
        "job-old",
        "run_tests",
        True,
    )
    assert submissions(bridge) == 0
    bridge.stop()


def test_a_call_that_waited_and_joins_keeps_its_place_among_the_others() -> None:
    bridge = InMemoryBridge()
    joins = bridge.agent.calls("run_tests", client_request_id="k", wait_ms=0)
    bridge.agent.calls("read_console")
    bridge.editor.connects(jobs=["job-old"], job_keys={"job-old": ["client-test", "k"]})
    assert bridge.editor.heard("execute") == []
    bridge.editor.reports_job("running", tool_name="run_tests")
    assert joins.answer["joined"] is True and len(bridge.editor.heard("execute")) == 1
    bridge.stop()


def test_the_key_of_an_earlier_server_was_another_tools() -> None:
    bridge = InMemoryBridge()
    bridge.editor.connects(jobs=["job-old"], job_keys={"job-old": ["client-test", "k"]})
    call = bridge.agent.compiles(client_request_id="k")
    bridge.editor.reports_job("running", tool_name="run_tests")
    assert (call.code, call.guarantee) == ("ERR_INVALID_REQUEST", "not_executed")
    again = bridge.agent.compiles(client_request_id="k")
    assert again.code == "ERR_INVALID_REQUEST", "now it is known at once"
    bridge.stop()


def test_an_inherited_job_has_the_key_of_its_client(bridge: InMemoryBridge) -> None:
    bridge.agent.asks("job-old")
    bridge.editor.reports_job(
        "running", tool_name="compile", client="client-test", client_request_id="k"
    )
    call = bridge.agent.compiles(client_request_id="k", wait_ms=0)
    bridge.editor.reports_job("running")
    assert (call.answer["job_id"], call.answer["joined"]) == ("job-old", True)


def test_an_inherited_job_has_the_time_that_is_left_of_it(bridge: InMemoryBridge) -> None:
    call = bridge.agent.asks("job-old", wait_ms=50000)
    bridge.editor.reports_job("running", tool_name="run_tests", remaining_ms=4000)
    bridge.editor.is_deaf = True
    bridge.advance(4)
    assert (call.answer["state"], call.answer["error"]["code"]) == (
        "timeout",
        "ERR_REQUEST_TIMEOUT",
    )
    assert "the time that it was given" in call.answer["error"]["message"]


def test_a_job_of_a_newer_plugin_is_passed_on_as_it_is(bridge: InMemoryBridge) -> None:
    call = bridge.agent.asks("job-new")
    bridge.editor.reports_job("succeeded", tool_name="dream", result={"anything": 1})
    assert (call.answer["tool"], call.answer["result"]) == ("dream", {"anything": 1})
    running = bridge.agent.asks("job-newer")
    bridge.editor.reports_job("running", tool_name="dream", remaining_ms=1000)
    assert (
        bridge.agent.calls("cancel_job", job_id="job-newer").answer["status"] == "cancel_requested"
    )
    assert len(bridge.editor.heard("cancel")) == 1, "it knows whether that can be stopped"
    bridge.editor.answers_cancel()
    bridge.editor.reports_job("running")
    bridge.advance(1)
    assert bridge.job("job-newer").state.value == "timeout" and running.is_answered


# Without a key.


def test_a_compile_joins_a_queued_one(bridge: InMemoryBridge) -> None:
    bridge.agent.calls("read_console")
    first = bridge.agent.compiles()
    second = bridge.agent.calls("compile", as_client="another window")
    other = bridge.agent.compiles(force=True)
    bridge.editor.answers(CONSOLE)
    bridge.editor.accepts_job()
    bridge.editor.accepts_job()
    assert submissions(bridge) == 2
    for _ in range(2):
        bridge.editor.reports_job("succeeded")
    assert second.answer["job_id"] == first.answer["job_id"] != other.answer["job_id"]
    assert (second.answer["joined"], "joined" in first.answer, "joined" in other.answer) == (
        True,
        False,
        False,
    )


def test_a_compile_never_joins_one_that_may_have_started(bridge: InMemoryBridge) -> None:
    """It may have begun before the last edit."""
    bridge.agent.compiles()
    bridge.editor.accepts_job()
    bridge.agent.compiles()
    bridge.editor.reports_job("queued")
    assert submissions(bridge) == 2


def test_test_runs_are_joined_only_by_key(bridge: InMemoryBridge) -> None:
    bridge.agent.calls("read_console")
    assert bridge.agent.runs_tests() != bridge.agent.runs_tests()


@pytest.mark.usefixtures("open_joins")
def test_a_repeated_call_joins_its_clients_own_open_job() -> None:
    bridge = InMemoryBridge()
    bridge.editor.connects()
    first = bridge.agent.runs_tests()
    bridge.editor.accepts_job()
    repeated = bridge.agent.calls("run_tests", wait_ms=0)
    bridge.editor.reports_job("running")
    assert (repeated.answer["job_id"], repeated.answer["joined"]) == (first, True)
    assert bridge.agent.calls("run_tests", wait_ms=0, mode="edit").answer["job_id"] != first
    bridge.editor.accepts_job()
    others = bridge.agent.calls("run_tests", as_client="another window", wait_ms=0)
    assert others.answer["job_id"] != first
    bridge.editor.accepts_job()
    bridge.agent.calls("cancel_job", job_id=first)
    bridge.editor.answers_cancel()
    assert bridge.agent.calls("run_tests", wait_ms=0).answer["job_id"] != first, (
        "that one is being stopped"
    )
    bridge.stop()


@pytest.mark.usefixtures("open_joins")
def test_an_ended_open_job_is_not_joined() -> None:
    bridge = InMemoryBridge()
    bridge.editor.connects()
    first = bridge.agent.runs_tests()
    bridge.editor.refuses("submit_job", "ERR_UNITY_EXECUTION")
    assert bridge.agent.runs_tests() != first
    bridge.stop()


@pytest.mark.slow
def test_forgotten_jobs_take_their_keys_along(bridge: InMemoryBridge) -> None:
    for n in range(257):
        bridge.agent.calls("run_command", name="build", client_request_id=f"k-{n}")
        finishes_job(bridge)
    bridge.advance(1801)
    bridge.agent.calls("run_command", name="build")
    finishes_job(bridge)
    assert (
        "joined"
        not in bridge.agent.calls(
            "run_command", name="build", client_request_id="k-0", wait_ms=0
        ).answer
    )
    assert (
        bridge.agent.calls("run_command", name="build", client_request_id="k-250").answer["joined"]
        is True
    )


def test_calls_are_compared_as_they_were_meant(bridge: InMemoryBridge) -> None:
    bridge.agent.calls("run_tests", mode="edit", client_request_id="k", wait_ms=0)
    bridge.editor.accepts_job()
    again = bridge.agent.calls("run_tests", mode="EditMode", clientRequestId="k")
    bridge.editor.reports_job("running")
    bridge.advance(1)
    bridge.editor.reports_job("succeeded")
    assert again.answer["joined"] is True
