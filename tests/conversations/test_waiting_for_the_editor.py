"""SPEC §3.2, §3.3: which calls wait for the editor, how long, and what they are answered."""

from __future__ import annotations

import pytest

from tests.fakes import InMemoryBridge
from tests.tool_results import CONSOLE


def test_without_unity_a_call_fails_after_the_reconnect_wait(bridge: InMemoryBridge) -> None:
    call = bridge.agent.calls("read_console")
    bridge.advance(2.4)
    assert not call.is_answered
    bridge.advance(0.1)
    assert (call.code, call.guarantee) == ("ERR_EDITOR_NOT_READY", "not_executed")
    assert call.error["retryable"] is False, "only the user can open the project"
    assert call.error["details"]["recovery"] == "ask_the_user"
    assert "8091" in call.error["message"]


@pytest.mark.parametrize("state", ["compiling", "reloading"])
def test_a_busy_editor_is_waited_for_as_long_as_a_compile_may_take(
    bridge: InMemoryBridge, state: str
) -> None:
    bridge.editor.connects(state)
    call = bridge.agent.calls("read_console")
    bridge.advance(59.9)
    assert not call.is_answered
    bridge.advance(0.2)
    assert (call.code, call.guarantee) == ("ERR_COMPILE_TIMEOUT", "not_executed")
    assert call.error["details"]["reason"] == state


def test_an_editor_that_left_to_reload_is_waited_for_until_its_window_ends(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects().reloads()
    bridge.advance(50)
    call = bridge.agent.calls("read_console")
    bridge.advance(9.9)
    assert not call.is_answered
    bridge.advance(0.2)
    assert call.code == "ERR_COMPILE_TIMEOUT"
    # What Unity does now is not known, and it was at it before this call came.
    assert (
        "Unity was reloading and did not become ready in the 10 s that this call waited"
        in call.error["message"]
    )


def test_once_that_window_is_over_the_editor_counts_as_gone(bridge: InMemoryBridge) -> None:
    bridge.editor.connects().reloads()
    bridge.advance(61)
    assert bridge.agent.calls("get_editor_state").answer["editor_state"] == "unknown"
    call = bridge.agent.calls("read_console")
    bridge.advance(2.5)
    assert call.code == "ERR_EDITOR_NOT_READY"


def test_a_call_without_an_editor_gets_the_longer_window_once_a_busy_editor_connects(
    bridge: InMemoryBridge,
) -> None:
    call = bridge.agent.calls("read_console")
    bridge.advance(2)
    bridge.editor.connects("compiling")
    bridge.advance(57.9)
    assert not call.is_answered
    bridge.advance(0.2)
    assert call.code == "ERR_COMPILE_TIMEOUT"


def test_the_longer_window_stays_when_the_reason_gets_worse(bridge: InMemoryBridge) -> None:
    bridge.editor.connects("compiling")
    call = bridge.agent.calls("read_console")
    bridge.advance(10)
    bridge.editor.vanishes()
    bridge.advance(49)
    assert not call.is_answered
    bridge.editor.connects()
    assert bridge.editor.heard("execute"), "it was still worth waiting for"
    bridge.editor.answers(CONSOLE)
    assert call.answer == CONSOLE


def test_parked_calls_go_in_the_order_they_came_sync_and_job_mixed(bridge: InMemoryBridge) -> None:
    bridge.editor.connects("compiling")
    first = bridge.agent.calls("read_console", max_entries=1)
    second = bridge.agent.calls("run_tests", wait_ms=0, mode="edit")
    third = bridge.agent.calls("read_console", max_entries=3)
    assert not second.is_answered, "no job id unless and until the editor is ready"
    bridge.editor.becomes("ready")
    assert second.answer["state"] == "queued"
    assert [m["params"]["max_entries"] for m in bridge.editor.heard("execute")] == [1]
    bridge.editor.answers(CONSOLE)
    assert bridge.editor.last("submit_job")["job_id"] == second.answer["job_id"]
    assert len(bridge.editor.heard("execute")) == 1, (
        "the submission holds the queue until it is accepted"
    )
    bridge.editor.accepts_job()
    assert bridge.editor.last("execute")["params"]["max_entries"] == 3
    bridge.editor.answers(CONSOLE)
    assert first.is_answered and third.is_answered


def test_a_queued_call_goes_back_to_waiting_and_keeps_its_place(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    running = bridge.agent.calls("read_console", max_entries=1)
    queued = bridge.agent.calls("read_console", max_entries=2)
    bridge.editor.becomes("compiling")
    bridge.editor.answers(CONSOLE)
    assert running.is_answered
    late = bridge.agent.calls("read_console", max_entries=3)
    bridge.advance(5)
    bridge.editor.becomes("ready")
    assert bridge.editor.last("execute")["params"]["max_entries"] == 2
    bridge.editor.answers(CONSOLE)
    assert bridge.editor.last("execute")["params"]["max_entries"] == 3
    bridge.editor.answers(CONSOLE)
    assert queued.is_answered and late.is_answered


def test_each_parked_call_has_its_own_deadline(bridge: InMemoryBridge) -> None:
    early = bridge.agent.calls("read_console")
    bridge.advance(2)
    late = bridge.agent.calls("read_console")
    bridge.advance(0.5)
    assert early.is_answered and not late.is_answered
    bridge.advance(2)
    assert late.is_answered


def test_the_default_timeout_counts_from_running_not_from_parking(bridge: InMemoryBridge) -> None:
    bridge.editor.connects("compiling")
    call = bridge.agent.calls("read_console")
    bridge.advance(30)
    bridge.editor.becomes("ready")
    bridge.advance(9.9)
    assert not call.is_answered
    bridge.advance(0.2)
    assert (call.code, call.guarantee) == ("ERR_REQUEST_TIMEOUT", "unknown")


def test_an_expired_call_never_runs(bridge: InMemoryBridge) -> None:
    bridge.agent.calls("read_console")
    bridge.agent.calls("run_tests", wait_ms=0)
    bridge.advance(3)
    bridge.editor.connects()
    assert bridge.editor.heard("execute") == [] and bridge.editor.heard("submit_job") == []


def test_while_the_editor_compiles_what_needs_no_editor_is_answered_at_once(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    bridge.editor.accepts_job()
    queued = bridge.agent.runs_tests()
    bridge.editor.becomes("compiling")
    parked = bridge.agent.calls("read_console")
    state = bridge.agent.calls("get_editor_state").answer
    assert (state["editor_state"], state["server_state"], state["waiting"]) == (
        "compiling",
        "ready",
        1,
    )
    status = bridge.agent.asks(job).answer
    assert (status["state"], status["stale"]) == ("running", True)
    assert (
        bridge.agent.asks(queued).answer["state"] == "running"
    )  # its submission left before the compile began
    assert not parked.is_answered


def test_a_read_in_flight_when_the_compile_begins_delays_no_call_that_needs_no_editor(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    bridge.agent.calls("read_console")
    bridge.editor.reloads()
    assert bridge.agent.calls("get_editor_state").answer["editor_state"] == "reloading"


def test_a_job_that_was_queued_when_the_editor_left_for_good_fails_as_not_executed(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    bridge.agent.calls("read_console")
    job = bridge.agent.runs_tests()
    bridge.editor.vanishes()
    bridge.advance(2.5)
    status = bridge.agent.asks(job).answer
    assert status["state"] == "failed"
    assert status["error"]["code"] == "ERR_EDITOR_NOT_READY"
    assert status["error"]["details"]["execution_guarantee"] == "not_executed"


def test_a_job_that_was_queued_when_a_long_compile_began_fails_as_not_executed(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    bridge.agent.calls("read_console", timeout_ms=30000)
    job = bridge.agent.runs_tests()
    bridge.editor.becomes("compiling")
    bridge.advance(60)
    assert bridge.agent.asks(job).answer["error"]["code"] == "ERR_COMPILE_TIMEOUT"
    bridge.editor.becomes("ready")
    assert bridge.editor.heard("submit_job") == []


def test_a_start_without_unity_waits_and_hello_makes_it_ready(bridge: InMemoryBridge) -> None:
    assert bridge.agent.calls("get_editor_state").answer["server_state"] == "waiting_editor"
    bridge.editor.connects("compiling")
    state = bridge.agent.calls("get_editor_state").answer
    assert (state["server_state"], state["editor_state"], state["connected"]) == (
        "ready",
        "compiling",
        True,
    )
    bridge.editor.vanishes()
    assert bridge.agent.calls("get_editor_state").answer["server_state"] == "waiting_editor"


def test_port_in_use_fails_at_once_naming_the_holder_and_recovers_by_itself() -> None:
    bridge = InMemoryBridge(listening=False)
    early = bridge.agent.calls("read_console")
    bridge.port_is_taken(holder="pid 4242 (other)")
    assert early.code == "ERR_EDITOR_NOT_READY", "a call that waited already is answered as well"
    for tool in ("read_console", "run_tests"):
        call = bridge.agent.calls(tool)
        details = call.error["details"]
        assert (details["reason"], details["port"], details["holder"]) == (
            "port_in_use",
            8091,
            "pid 4242 (other)",
        )
        assert "pid 4242 (other)" in call.error["message"]
    state = bridge.agent.calls("get_editor_state").answer
    assert state["listener"] == {
        "state": "blocked",
        "reason": "port_in_use",
        "holder": "pid 4242 (other)",
    }
    bridge.port_is_free_again()
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    bridge.editor.answers(CONSOLE)
    assert call.answer == CONSOLE


def test_a_call_that_could_not_leave_keeps_its_place_and_is_sent_when_the_editor_is_back(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects().fades()
    first, second = (
        bridge.agent.calls("read_console"),
        bridge.agent.calls("read_console", max_entries=7),
    )
    bridge.editor.vanishes()  # which the executor hears of now
    assert [bridge.request(call).state.value for call in (first, second)] == [
        "waiting_editor_ready"
    ] * 2
    bridge.advance(0.1)
    bridge.editor.connects()
    assert bridge.editor.last("execute")["params"]["max_entries"] == 50
    bridge.editor.answers(CONSOLE).answers(CONSOLE)
    assert first.answer == second.answer == CONSOLE


def test_a_call_that_could_not_leave_waits_no_longer_than_any_other(bridge: InMemoryBridge) -> None:
    bridge.editor.connects().fades()
    call = bridge.agent.calls("read_console")
    bridge.editor.vanishes()
    bridge.advance(2.4)
    assert not call.is_answered
    bridge.advance(0.1)
    assert (call.code, call.guarantee) == ("ERR_EDITOR_NOT_READY", "not_executed")


def test_a_call_that_could_not_leave_waits_for_an_editor_that_said_as_its_last_word_that_it_reloads(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects().fades()
    call = bridge.agent.calls("read_console")
    bridge.editor.reloads()  # said before the connection went, and heard after the call
    bridge.advance(59)
    bridge.editor.connects()
    bridge.editor.answers(CONSOLE)
    assert call.answer == CONSOLE


def test_a_call_that_could_not_leave_may_be_cancelled(bridge: InMemoryBridge) -> None:
    bridge.editor.connects().fades()
    call = bridge.agent.calls("read_console")
    bridge.agent.gives_up(call)
    bridge.editor.connects()
    assert bridge.editor.heard("execute") == [] and not call.is_answered
