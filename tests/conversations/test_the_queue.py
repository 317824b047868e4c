"""SPEC §4: one queue, first come, first served, one round trip at a time."""

from __future__ import annotations

from typing import List

import pytest

from tests.fakes import InMemoryBridge, PendingCall
from tests.tool_results import CONSOLE
from unity_bridge.config import Config


def numbers(bridge: InMemoryBridge) -> list:  # type: ignore[type-arg]
    """Which calls have reached the present connection, by their max_entries."""
    return [message["params"]["max_entries"] for message in bridge.editor.heard("execute")]


# First come, first served.


def test_one_round_trip_at_a_time_in_the_order_of_arrival(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    calls = [bridge.agent.calls("read_console", max_entries=n) for n in (1, 2, 3)]
    assert numbers(bridge) == [1]
    bridge.editor.answers(CONSOLE)
    assert numbers(bridge) == [1, 2]
    bridge.editor.answers(CONSOLE)
    bridge.editor.answers(CONSOLE)
    assert numbers(bridge) == [1, 2, 3]
    assert all(call.answer == CONSOLE for call in calls)


def test_execute_has_the_fields_of_the_call(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls(
        "read_console", types=["error"], timeout_ms=1234, client_request_id="me-1"
    )
    sent = bridge.editor.last("execute")
    assert sent == {
        "type": "execute",
        "protocol_version": 1,
        "request_id": call.request_id,
        "client_request_id": "me-1",
        "tool_name": "read_console",
        "params": {"max_entries": 50, "include_stack_trace": False, "types": ["error"]},
        "timeout_ms": 1234,
        "client": {"id": "client-test", "name": ""},
    }


def test_control_tools_take_their_turn_in_the_same_line(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    bridge.editor.accepts_job()
    read = bridge.agent.calls("read_console")
    status = bridge.agent.asks(job)
    late = bridge.agent.calls("read_console")
    assert bridge.editor.heard("get_job_status") == []
    bridge.editor.answers(CONSOLE)
    assert read.is_answered and len(bridge.editor.heard("get_job_status")) == 1
    assert len(bridge.editor.heard("execute")) == 1
    bridge.editor.reports_job("running")
    assert status.is_answered and len(bridge.editor.heard("execute")) == 2
    bridge.editor.answers(CONSOLE)
    assert late.is_answered


# The bound.


@pytest.mark.parametrize("state", ["ready", "compiling"])
def test_the_33rd_that_would_have_to_wait_is_refused_at_once(
    bridge: InMemoryBridge, state: str
) -> None:
    bridge.editor.connects(state)
    if state == "ready":
        bridge.agent.calls("read_console")  # it runs, so it does not wait
    waiting = [bridge.agent.calls("read_console") for _ in range(32)]
    assert not any(call.is_answered for call in waiting)
    refused = bridge.agent.calls("read_console")
    assert (refused.code, refused.guarantee, refused.error["retryable"]) == (
        "ERR_QUEUE_FULL",
        "not_executed",
        True,
    )
    assert "32" in refused.error["message"]


def reads(bridge: InMemoryBridge, client: str, number: int) -> List[PendingCall]:
    return [bridge.agent.calls("read_console", as_client=client) for _ in range(number)]


def full(calls: List[PendingCall]) -> int:
    return sum(call.is_answered and call.code == "ERR_QUEUE_FULL" for call in calls)


def test_one_of_several_clients_never_takes_the_last_quarter(bridge: InMemoryBridge) -> None:
    bridge.editor.connects("compiling")
    bridge.agent.calls("get_editor_state", as_client="quiet")
    assert full(reads(bridge, "busy", 32)) == 8
    jobs = [bridge.agent.calls("run_tests", as_client="busy", wait_ms=0) for _ in range(2)]
    assert full(jobs) == 2, "jobs are calls too"
    assert full(reads(bridge, "quiet", 8)) == 0
    assert full(reads(bridge, "quiet", 1)) == 1, "the queue is full"


def test_reads_in_line_count_as_those_of_their_client(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    bridge.agent.calls("get_editor_state", as_client="quiet")
    reads(bridge, "quiet", 1)  # it runs
    for number in range(10):
        bridge.agent.calls("run_tests", as_client="busy", wait_ms=0, filter=f"Game.Tests{number}")
    assert full(reads(bridge, "busy", 24)) == 10, "jobs in line count too"


def test_a_client_alone_has_the_whole_queue(bridge: InMemoryBridge) -> None:
    bridge.editor.connects("compiling")
    bridge.agent.calls("get_editor_state", as_client="of an hour ago")
    bridge.advance(60.1)
    assert full(reads(bridge, "busy", 33)) == 1


def test_parked_and_queued_calls_jobs_and_questions_share_the_bound(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    bridge.editor.accepts_job()
    bridge.agent.calls("read_console")
    for _ in range(10):
        bridge.agent.calls("read_console")
        bridge.agent.calls("run_tests", wait_ms=0)
        bridge.agent.asks(job)
    bridge.agent.asks(job)
    bridge.agent.asks(job)
    for tool, arguments in (
        ("read_console", {}),
        ("run_tests", {}),
        ("get_job_status", {"job_id": job}),
    ):
        assert bridge.agent.calls(tool, **arguments).code == "ERR_QUEUE_FULL"
    state = bridge.agent.calls("get_editor_state").answer
    assert (state["waiting"], state["queued"]) == (0, 32)
    cancelled = bridge.agent.calls("cancel_job", job_id=job)
    assert cancelled.answer["status"] == "cancel_requested", "what the ledger answers needs no room"


def test_the_bound_is_configured_and_an_end_makes_room() -> None:
    bridge = InMemoryBridge(Config(queue_max_size=1))
    bridge.editor.connects()
    bridge.agent.calls("read_console")
    waiting = bridge.agent.calls("read_console")
    assert bridge.agent.calls("read_console").code == "ERR_QUEUE_FULL"
    bridge.agent.gives_up(waiting)
    assert not bridge.agent.calls("read_console").is_answered
    bridge.editor.answers(CONSOLE)
    assert not bridge.agent.calls("read_console").is_answered


# Answers.


def test_the_first_result_wins_and_the_second_is_dropped(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    bridge.editor.answers(CONSOLE)
    bridge.editor.answers({**CONSOLE, "count": 5})
    bridge.editor.refuses("execute", "ERR_UNITY_EXECUTION")
    assert call.answer["count"] == 0
    assert bridge.request(call).state.value == "succeeded"


def test_an_answer_after_the_deadline_is_dropped_and_the_queue_has_moved_on(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    late = bridge.agent.calls("read_console", max_entries=1, timeout_ms=1000)
    following = bridge.agent.calls("read_console", max_entries=2)
    bridge.advance(1)
    assert (late.code, late.guarantee, late.error["retryable"]) == (
        "ERR_REQUEST_TIMEOUT",
        "unknown",
        True,
    )
    assert bridge.request(late).state.value == "timeout"
    bridge.editor.says("result", request_id=late.request_id, status="ok", result=CONSOLE)
    assert not following.is_answered, "it is not taken for somebody else's answer"
    bridge.editor.answers({**CONSOLE, "count": 2})
    assert following.answer["count"] == 2


def test_an_answer_without_a_question_is_dropped(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    bridge.editor.says(
        "result", request_id="req-of-an-earlier-server-1", status="ok", result=CONSOLE
    )
    bridge.editor.says("submit_job_result", request_id="req-x", status="accepted", job_id="job-x")
    assert not call.is_answered
    assert bridge.editor.peer is not None
    kinds = [message["type"] for message in bridge.editor.peer.said]
    assert kinds == ["hello", "capability", "execute"]
    bridge.editor.answers(CONSOLE)
    assert call.is_answered


def test_an_answer_of_another_kind_fails_the_call_at_once(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    bridge.editor.says("cancel_result", request_id=call.request_id, status="cancelled")
    assert (call.code, call.guarantee) == ("ERR_INVALID_RESPONSE", "unknown")
    assert "cancel_result" in call.error["message"]


# The connection breaks (SPEC §4.4).


def test_a_read_is_sent_again_after_the_reconnect_with_the_same_id(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    bridge.editor.vanishes()
    bridge.advance(2)
    bridge.editor.connects()
    assert bridge.editor.last("execute")["request_id"] == call.request_id
    bridge.editor.answers(CONSOLE)
    assert call.answer == CONSOLE


def test_a_read_is_sent_again_before_those_behind_it(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    bridge.agent.calls("read_console", max_entries=1)
    bridge.agent.calls("read_console", max_entries=2)
    bridge.editor.vanishes()
    bridge.editor.connects()
    assert numbers(bridge) == [1]
    bridge.editor.answers(CONSOLE)
    assert numbers(bridge) == [1, 2]


def test_a_read_is_sent_again_once_the_reconnected_editor_is_ready(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    bridge.editor.reloads()
    bridge.advance(4)
    bridge.editor.connects("compiling")
    assert bridge.editor.heard("execute") == []
    bridge.advance(4)
    bridge.editor.becomes("ready")
    bridge.editor.answers(CONSOLE)
    assert call.answer == CONSOLE


def test_a_read_is_not_sent_again_to_a_plugin_that_lacks_it(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    bridge.editor.vanishes()
    bridge.editor.connects(tools=["compile"])
    assert (call.code, call.guarantee) == ("ERR_UNKNOWN_COMMAND", "unknown"), "it was sent before"
    assert bridge.editor.heard("execute") == [] and bridge.stores.in_flight is None


def test_a_read_waits_on_if_the_connection_is_gone_again(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    bridge.editor.vanishes().opens()
    bridge.editor.says(
        "hello", plugin_version="1", state="ready", editor_instance_id="editor-1", nonce="a" * 16
    )
    bridge.editor.nonce = "a" * 16
    given = bridge.editor.the_proof()
    bridge.editor.fades().says("pong", proof=given)
    assert not call.is_answered and bridge.editor.heard("execute") == []
    bridge.editor.vanishes().connects()
    bridge.editor.answers(CONSOLE)
    assert call.answer == CONSOLE


def test_the_deadline_of_a_read_does_not_restart_with_the_reconnect(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console", timeout_ms=3000)
    bridge.advance(1)
    bridge.editor.vanishes()
    bridge.advance(1)
    bridge.editor.connects()
    bridge.advance(0.9)
    assert not call.is_answered
    bridge.advance(0.1)
    assert call.code == "ERR_REQUEST_TIMEOUT"


def test_a_read_whose_deadline_passes_while_the_editor_is_away_times_out_and_is_not_sent_again(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console", timeout_ms=1000)
    bridge.editor.reloads()
    bridge.advance(1)
    assert call.code == "ERR_REQUEST_TIMEOUT"
    bridge.editor.connects()
    assert bridge.editor.heard("execute") == []


def test_an_editor_that_stays_away_ends_the_read_after_the_reconnect_window(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    bridge.editor.vanishes()
    bridge.advance(2.4)
    assert not call.is_answered
    bridge.advance(0.1)
    assert (call.code, call.guarantee, call.error["retryable"]) == (
        "ERR_RECONNECT_TIMEOUT",
        "unknown",
        True,
    )
    bridge.editor.connects()
    assert bridge.editor.heard("execute") == []


def test_an_editor_that_left_to_reload_is_given_the_compile_window(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console", timeout_ms=30000)
    bridge.editor.reloads()
    bridge.advance(20)
    bridge.editor.connects()
    bridge.editor.answers(CONSOLE)
    assert call.answer == CONSOLE


def test_the_connection_may_break_again_before_the_read_is_answered(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    for _ in range(3):
        bridge.editor.vanishes()
        bridge.advance(2)
        bridge.editor.connects()
    bridge.editor.answers(CONSOLE)
    assert call.answer == CONSOLE


def test_an_answer_on_the_old_connection_is_not_heard(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    old = bridge.editor.peer
    bridge.editor.connects()  # the same editor process on a second connection: it replaces the first
    new = bridge.editor.peer
    bridge.editor.peer = old
    bridge.editor.says(
        "result", request_id=call.request_id, status="ok", result={**CONSOLE, "count": 1}
    )
    assert not call.is_answered
    bridge.editor.peer = new
    bridge.editor.answers(CONSOLE)
    assert call.answer["count"] == 0


def test_a_read_that_its_client_gave_up_is_not_sent_again(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    given_up = bridge.agent.calls("read_console", max_entries=1)
    following = bridge.agent.calls("read_console", max_entries=2)
    bridge.agent.gives_up(given_up)
    bridge.editor.vanishes()
    bridge.editor.connects()
    assert numbers(bridge) == [2]
    bridge.editor.answers(CONSOLE)
    assert following.is_answered and not given_up.is_answered


def test_a_read_that_its_client_gives_up_while_the_editor_is_away_is_not_sent_again(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    given_up = bridge.agent.calls("read_console", max_entries=1)
    following = bridge.agent.calls("read_console", max_entries=2)
    bridge.editor.vanishes()
    bridge.agent.gives_up(given_up)
    bridge.editor.connects()
    assert numbers(bridge) == [2]
    bridge.editor.answers(CONSOLE)
    assert following.is_answered and not given_up.is_answered


def test_nothing_else_in_flight_is_sent_again(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    bridge.editor.accepts_job()
    status = bridge.agent.asks(job)
    bridge.editor.vanishes()
    assert status.answer["stale"] is True
    bridge.editor.connects(jobs=[job])
    asked = bridge.editor.heard("get_job_status")
    assert [message["request_id"] for message in asked] != [status.request_id], (
        "a question of the server's own"
    )
    assert len(asked) == 1


def test_a_connection_that_breaks_under_the_sending_hand_costs_the_read_nothing(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    bridge.editor.vanishes()
    bridge.editor.opens()
    peer = bridge.editor.peer
    assert peer is not None
    bridge.editor.says(
        "hello", plugin_version="0.1.0", state="compiling", editor_instance_id="editor-1", jobs=[]
    )
    peer.is_open = False  # the listener knows already, the executor not yet
    bridge.editor.becomes("ready")
    bridge.editor.vanishes()
    bridge.editor.connects()
    bridge.editor.answers(CONSOLE)
    assert call.answer == CONSOLE
