"""SPEC §15.2: a client's own time counts from the arrival of its call, also while the editor
compiles.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes import FakeEditor, InMemoryBridge
from tests.tool_results import CONSOLE, PASSED


@pytest.fixture
def compiling(bridge: InMemoryBridge) -> FakeEditor:
    bridge.editor.connects()
    return bridge.editor.becomes("compiling")


@pytest.mark.usefixtures("compiling")
@pytest.mark.parametrize("tool", ["run_tests", "compile"])
def test_a_job_call_that_will_not_wait_is_refused_at_once_and_nothing_was_submitted(
    bridge: InMemoryBridge, tool: str
) -> None:
    call = bridge.agent.calls_for_wait_ms(
        tool, wait_ms=0, client_request_id="k", as_client="window"
    )
    assert (call.code, call.guarantee) == ("ERR_COMPILE_TIMEOUT", "not_executed")
    assert call.error["retryable"] is True and call.error["details"]["parked_ms"] == 0
    bridge.editor.becomes("ready")
    assert not bridge.editor.heard("submit_job")
    again = bridge.agent.calls_for_wait_ms(
        tool, wait_ms=0, client_request_id="k", as_client="window"
    )
    assert again.answer["state"] == "queued"


@pytest.mark.usefixtures("compiling")
def test_a_parked_job_call_is_refused_when_its_wait_is_over(bridge: InMemoryBridge) -> None:
    call = bridge.agent.calls_for_wait_ms("compile", wait_ms=1000)
    bridge.advance(0.9)
    assert not call.is_answered
    bridge.advance(0.2)
    assert call.code == "ERR_COMPILE_TIMEOUT" and 1000 <= call.error["details"]["parked_ms"] <= 1100


def test_without_an_editor_the_code_is_that_of_an_editor_that_is_not_there(
    bridge: InMemoryBridge,
) -> None:
    call = bridge.agent.calls_for_wait_ms("compile", wait_ms=0)
    assert (call.code, call.guarantee) == ("ERR_EDITOR_NOT_READY", "not_executed")


def test_a_call_that_does_not_wait_for_an_editor_that_may_be_on_its_way_may_be_repeated(
    bridge: InMemoryBridge,
) -> None:
    def refusal() -> Any:
        error = bridge.agent.calls_for_wait_ms("compile", wait_ms=0).error
        return error["details"]["reason"], error["retryable"], error["details"]["recovery"]

    on_its_way = ("connecting", True, "check_get_editor_state_then_retry")
    assert refusal() == on_its_way
    bridge.advance(2.5)
    assert refusal() == ("disconnected", False, "ask_the_user")
    bridge.editor.connects()
    bridge.editor.vanishes()
    assert refusal() == on_its_way


@pytest.mark.usefixtures("compiling")
def test_an_editor_that_becomes_ready_in_time_gets_the_job_and_the_wait_goes_on(
    bridge: InMemoryBridge,
) -> None:
    call = bridge.agent.calls_for_wait_ms("run_tests", wait_ms=2000)
    bridge.advance(1)
    bridge.editor.becomes("ready").accepts_job()
    assert not call.is_answered
    bridge.advance(1.1)
    assert call.answer["state"] == "running"


@pytest.mark.usefixtures("compiling")
def test_a_call_of_a_command_or_a_task_waits_as_long_as_the_editor_may_take(
    bridge: InMemoryBridge,
) -> None:
    call = bridge.agent.calls("run_tests", wait_ms=0)
    bridge.advance(30)
    assert not call.is_answered
    bridge.editor.becomes("ready")
    assert call.answer["state"] == "queued"


@pytest.mark.usefixtures("compiling")
def test_a_read_with_a_timeout_ends_when_that_has_passed_since_it_came(
    bridge: InMemoryBridge,
) -> None:
    call = bridge.agent.calls("read_console", timeout_ms=500)
    bridge.advance(0.6)
    assert (call.code, call.guarantee) == ("ERR_COMPILE_TIMEOUT", "not_executed")
    patient = bridge.agent.calls("read_console")
    bridge.advance(30)
    assert not patient.is_answered


@pytest.mark.usefixtures("compiling")
def test_a_read_that_was_parked_has_the_rest_of_its_time_in_unity(bridge: InMemoryBridge) -> None:
    call = bridge.agent.calls("read_console", timeout_ms=1000)
    bridge.advance(0.6)
    bridge.editor.becomes("ready")
    assert bridge.editor.last("execute")["timeout_ms"] == 400
    bridge.advance(0.5)
    assert (call.code, call.guarantee) == ("ERR_REQUEST_TIMEOUT", "unknown")


def test_a_read_behind_another_one_ends_unsent(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    bridge.agent.calls("read_console", timeout_ms=20_000)
    second = bridge.agent.calls("read_console", contains="x", timeout_ms=300)
    bridge.advance(0.4)
    assert (second.code, second.guarantee) == ("ERR_REQUEST_TIMEOUT", "not_executed")
    bridge.editor.answers(CONSOLE)
    assert len(bridge.editor.heard("execute")) == 1


def test_the_default_counts_from_the_moment_when_it_is_sent(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    bridge.editor.becomes("compiling")
    call = bridge.agent.calls("read_console")
    bridge.advance(30)
    bridge.editor.becomes("ready")
    assert bridge.editor.last("execute")["timeout_ms"] == 10_000
    bridge.editor.answers(CONSOLE)
    assert call.answer["count"] == 0


def test_a_job_that_runs_is_answered_as_before(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls_for_wait_ms("run_tests", wait_ms=50_000)
    bridge.editor.accepts_job()
    bridge.advance(1)
    bridge.editor.reports_job("succeeded", result=PASSED)
    assert call.answer["state"] == "succeeded"
