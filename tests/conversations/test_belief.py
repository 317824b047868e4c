"""SPEC §20: which reports of Unity on a job count, how much of them is kept, and when deadlines are
checked.
"""

from __future__ import annotations

from typing import Any, Dict

import pytest

from tests.fakes import InMemoryBridge
from tests.tool_results import CONSOLE, PASSED
from unity_bridge.core.jobs.kept_results import RESULTS_BUDGET, KeptResults

pytestmark = pytest.mark.usefixtures("connected")


def accepted_job(bridge: InMemoryBridge, **arguments: Any) -> str:
    job = bridge.agent.runs_tests(**arguments)
    bridge.editor.accepts_job()
    return job


def error_of(bridge: InMemoryBridge, job: str) -> Dict[str, Any]:
    error: Dict[str, Any] = bridge.agent.asks(job).answer["error"]
    return error


def reports_nonsense(bridge: InMemoryBridge) -> None:
    """Answers the last ``get_job_status`` with what is none."""
    asked = bridge.editor.last("get_job_status")
    bridge.editor.says_anything(
        "job_status", request_id=asked["request_id"], job_id=asked["job_id"], state="asleep"
    )


# What cannot be used (SPEC §20.5).


def test_a_status_over_the_limit_ends_the_job_at_once(bridge: InMemoryBridge) -> None:
    job = accepted_job(bridge)
    bridge.advance(1)
    bridge.editor.says_too_much()
    error = error_of(bridge, job)
    assert (error["code"], error["details"]["execution_guarantee"]) == (
        "ERR_INVALID_RESPONSE",
        "unknown",
    )
    assert "over 1048576 bytes" in error["message"]
    bridge.editor.connects(jobs=[job])
    bridge.advance(3)
    assert bridge.editor.heard("get_job_status") == []


def test_statuses_in_a_row_over_three_seconds_that_cannot_be_used_end_the_job(
    bridge: InMemoryBridge,
) -> None:
    job = accepted_job(bridge)
    for _ in range(4):
        assert bridge.job(job).error is None
        bridge.advance(1)
        reports_nonsense(bridge)
    error = error_of(bridge, job)
    assert (error["code"], error["details"]["execution_guarantee"]) == (
        "ERR_INVALID_RESPONSE",
        "unknown",
    )
    assert "4 times in a row" in error["message"]


def test_two_statuses_that_cannot_be_used_end_no_job_however_far_apart(
    bridge: InMemoryBridge,
) -> None:
    job = accepted_job(bridge)
    bridge.advance(1)
    reports_nonsense(bridge)
    bridge.editor.vanishes()
    bridge.advance(20)
    bridge.editor.connects(jobs=[job])
    reports_nonsense(bridge)
    assert bridge.job(job).state.value == "running"


def test_a_plugin_with_a_hiccup_of_half_a_second_keeps_its_job(bridge: InMemoryBridge) -> None:
    call = bridge.agent.calls(
        "run_tests", wait_ms=50_000
    )  # while a call waits, Unity is asked often
    bridge.editor.accepts_job()
    for _ in range(4):
        reports_nonsense(bridge)
        bridge.advance(0.12)
    bridge.advance(1)
    bridge.editor.reports_job("succeeded", result=PASSED)
    assert call.answer["state"] == "succeeded"


def test_refusals_are_counted_apart_and_end_the_job_after_half_a_minute(
    bridge: InMemoryBridge,
) -> None:
    job = accepted_job(bridge)
    for _ in range(30):
        assert bridge.job(job).error is None
        bridge.advance(1)
        bridge.editor.refuses("get_job_status", "ERR_UNITY_EXECUTION", "out of order")
    assert (bridge.job(job).state.value, bridge.job(job).unusable) == ("running", 0)
    bridge.advance(1)
    bridge.editor.refuses("get_job_status", "ERR_UNITY_EXECUTION", "out of order")
    error = error_of(bridge, job)
    assert (error["code"], error["details"]["execution_guarantee"]) == (
        "ERR_INVALID_RESPONSE",
        "unknown",
    )
    assert "out of order" in error["message"] and "30 s" in error["message"]


@pytest.mark.parametrize("progress", [0.5, "half way", [1], True])
def test_progress_that_cannot_be_used_costs_no_job(bridge: InMemoryBridge, progress: Any) -> None:
    call = bridge.agent.calls("run_tests", wait_ms=50_000)
    bridge.editor.accepts_job()
    for _ in range(6):
        bridge.editor.reports_job("running", progress=progress)
        bridge.advance(1)
    bridge.editor.reports_job("succeeded", progress=progress, result=PASSED)
    assert call.answer["state"] == "succeeded"


def test_a_usable_answer_resets_the_count(bridge: InMemoryBridge) -> None:
    job = accepted_job(bridge)
    for is_usable in (False, False, False, True, False, False, False):
        bridge.advance(1)
        bridge.editor.reports_job("running") if is_usable else reports_nonsense(bridge)
    assert bridge.job(job).state.value == "running"


def test_a_busy_refusal_does_not_count_as_an_answer(bridge: InMemoryBridge) -> None:
    job = accepted_job(bridge)
    for _ in range(5):
        bridge.advance(1)
        bridge.editor.refuses("get_job_status", "ERR_RECONFIG_IN_PROGRESS")
    assert bridge.job(job).state.value == "running"


def test_clients_questions_count_as_well(bridge: InMemoryBridge) -> None:
    job = accepted_job(bridge)
    for _ in range(4):
        asked = bridge.agent.asks(job)
        reports_nonsense(bridge)
        bridge.clock.advance(1)
    assert asked.answer["error"]["code"] == "ERR_INVALID_RESPONSE"


def test_a_client_that_shall_ask_again_gets_the_last_state(bridge: InMemoryBridge) -> None:
    job = accepted_job(bridge)
    asked = bridge.agent.asks(job)
    bridge.editor.refuses("get_job_status", "ERR_RECONFIG_IN_PROGRESS")
    assert (asked.answer["state"], bridge.job(job).unusable) == ("running", 0)


def test_questions_whether_a_job_arrived_count_as_well(bridge: InMemoryBridge) -> None:
    job = bridge.agent.runs_tests()
    bridge.editor.vanishes()
    bridge.editor.connects()
    for _ in range(4):
        reports_nonsense(bridge)
        bridge.advance(1)
    assert error_of(bridge, job)["code"] == "ERR_INVALID_RESPONSE"
    assert bridge.job(job).unusable == 3, "the fourth ended it"


def test_a_question_that_must_wait_whether_a_job_arrived(bridge: InMemoryBridge) -> None:
    job = bridge.agent.runs_tests()
    bridge.editor.vanishes()
    bridge.editor.connects()
    bridge.editor.refuses("get_job_status", "ERR_RECONFIG_IN_PROGRESS")
    assert bridge.job(job).unusable == 0


@pytest.mark.parametrize("refuses", [False, True])
def test_an_unusable_answer_about_an_unknown_job_is_an_error(
    bridge: InMemoryBridge, refuses: bool
) -> None:
    call = bridge.agent.asks("job-nobody")
    bridge.editor.refuses("get_job_status", "ERR_UNITY_EXECUTION") if refuses else reports_nonsense(
        bridge
    )
    assert call.code == "ERR_INVALID_RESPONSE"


# An acceptance that cannot be read.


def unreadable_acceptance(bridge: InMemoryBridge, **fields: Any) -> None:
    request_id = bridge.editor.last("submit_job")["request_id"]
    bridge.editor.says_anything("submit_job_result", request_id=request_id, status="yes", **fields)


def test_an_unreadable_acceptance_that_names_a_job_is_asked_for_it() -> None:
    bridge = InMemoryBridge()
    bridge.editor.connects(jobs=None)
    job = bridge.agent.runs_tests()
    unreadable_acceptance(bridge, job_id="u-7")
    bridge.advance(1)
    assert bridge.editor.last("get_job_status")["job_id"] == "u-7"
    bridge.editor.reports_job("succeeded", result=PASSED)
    assert bridge.agent.asks(job).answer["result"] == PASSED
    bridge.stop()


def test_without_a_name_the_job_is_lost_and_the_connection_is_not_blamed() -> None:
    bridge = InMemoryBridge()
    bridge.editor.connects(jobs=None)
    job = bridge.agent.runs_tests()
    unreadable_acceptance(bridge)
    error = error_of(bridge, job)
    assert error["code"] == "ERR_RECONNECT_TIMEOUT"
    assert "cannot be read" in error["message"] and "connection broke" not in error["message"]
    bridge.stop()


def test_a_plugin_that_adopts_our_ids_is_asked_after_an_unreadable_acceptance(
    bridge: InMemoryBridge,
) -> None:
    job = bridge.agent.runs_tests()
    unreadable_acceptance(bridge, job_id="u-7")
    assert bridge.editor.last("get_job_status")["job_id"] == job
    bridge.editor.reports_job("running")
    assert bridge.job(job).accepted


def test_a_job_that_ended_is_asked_for_no_more(bridge: InMemoryBridge) -> None:
    bridge.agent.runs_tests(timeout_ms=1000)
    bridge.advance(1)
    unreadable_acceptance(bridge)
    assert bridge.editor.heard("get_job_status") == []


# What is logged while a job runs.


@pytest.mark.parametrize(
    "said, kept",
    [
        ({"errors": 1, "warnings": 2}, {"errors": 1, "warnings": 2, "first": []}),
        (
            {"errors": 1, "warnings": 0, "first": ["a", 7, "b" * 600, "c"], "next_cursor": "n"},
            {"errors": 1, "warnings": 0, "first": ["a", "b" * 500], "next_cursor": "n"},
        ),
        (
            {"errors": 1, "warnings": 2, "first": "a", "next_cursor": 3},
            {"errors": 1, "warnings": 2, "first": []},
        ),
        ({"errors": "many", "warnings": 2}, None),
        ({"errors": True, "warnings": 2}, None),
        ({}, None),
        (None, None),
    ],
)
def test_the_log_of_a_job_is_cut_to_size(bridge: InMemoryBridge, said: Any, kept: Any) -> None:
    job = accepted_job(bridge)
    bridge.advance(1)
    bridge.editor.reports_job("succeeded", console=said)
    assert bridge.agent.asks(job).answer.get("console") == kept


# What is kept (SPEC §20.4).


def test_the_oldest_results_go_first_and_say_so(
    bridge: InMemoryBridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bridge.parts.jobs, "kept", KeptResults(budget=250))
    jobs = []
    for _ in range(3):
        jobs.append(accepted_job(bridge))
        bridge.advance(1)
        bridge.editor.reports_job("succeeded", result=PASSED)
    bridge.editor.vanishes()
    kept = [bridge.agent.asks(job).answer for job in jobs]
    assert [answer["result"] for answer in kept] == [None, PASSED, PASSED]
    assert [answer.get("result_dropped", False) for answer in kept] == [True, False, False]
    assert kept[0]["state"] == "succeeded"


def test_the_budget_is_that_of_the_contract() -> None:
    assert RESULTS_BUDGET == 64 * 1024 * 1024


def test_a_result_beyond_the_budget_is_not_kept_at_all() -> None:
    results = KeptResults(budget=10)
    assert results.add("a", 5) == []
    assert results.add("a", 6) == [], "it took the place of its own"
    assert results.add("b", 4) == []
    assert results.add("c", 11) == ["a", "b", "c"]
    results.forget("nobody")
    assert results.add("d", 10) == []


# When deadlines are checked (SPEC §20.6).


def test_a_job_that_ended_while_the_server_was_frozen_is_not_out_of_time(
    bridge: InMemoryBridge,
) -> None:
    job = accepted_job(bridge, timeout_ms=5000)
    bridge.clock.advance(12)  # the process was stopped
    bridge.drain()
    assert bridge.job(job).error is None
    bridge.editor.reports_job("succeeded", result=PASSED)
    assert bridge.agent.asks(job).answer["result"] == PASSED


def test_a_job_that_had_not_ended_is_out_of_time(bridge: InMemoryBridge) -> None:
    job = accepted_job(bridge, timeout_ms=5000)
    bridge.clock.advance(12)
    bridge.drain()
    bridge.editor.reports_job("running")
    bridge.advance(5)
    assert bridge.job(job).state.value == "timeout"


def test_an_answer_that_was_there_all_the_time_is_read_first(bridge: InMemoryBridge) -> None:
    call = bridge.agent.calls("read_console", timeout_ms=3000)
    bridge.clock.advance(12)
    bridge.drain()
    assert not call.is_answered
    bridge.editor.answers(CONSOLE)
    assert call.answer == CONSOLE


def test_an_unanswered_read_still_fails_after_a_freeze(bridge: InMemoryBridge) -> None:
    call = bridge.agent.calls("read_console", timeout_ms=3000)
    bridge.editor.is_deaf = True
    bridge.clock.advance(12)
    bridge.advance(0.5)
    assert call.code == "ERR_REQUEST_TIMEOUT"
    assert bridge.editor.peer is not None and not bridge.editor.peer.is_open, (
        "nor did it answer a ping"
    )


# What the ledger knows need not be asked (issue of questions behind a submission).


def test_a_question_that_waits_behind_a_submission_is_answered_when_the_ledger_learns_the_end(
    bridge: InMemoryBridge,
) -> None:
    job = accepted_job(bridge, timeout_ms=1500)
    other = bridge.agent.runs_tests()
    asked, about_the_other = bridge.agent.asks(job), bridge.agent.asks(other)
    bridge.advance(1.5)
    assert asked.answer["state"] == "timeout"
    assert not about_the_other.is_answered
