"""The one thread that decides: what it takes first, and that no bug of ours leaves a call without
its answer.
"""

from __future__ import annotations

import logging
import threading
from typing import Any, Callable, Dict, List

import pytest

from tests.fakes import InMemoryBridge, PendingCall
from tests.tool_results import CONSOLE
from unity_bridge.attach.owner_events import OwnerFound, OwnerLost
from unity_bridge.base.clock import SystemClock
from unity_bridge.base.result import Ok
from unity_bridge.catalogue.calls import Outcome
from unity_bridge.config import Config
from unity_bridge.core.events import CallAbandoned, StopRequested
from unity_bridge.core.loop import Executor, Inbox
from unity_bridge.log.logger import Logger

HANG_S = 20


class Broken(Exception):
    """A bug, put in by a test."""


def break_once(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> None:
    """The next call of ``owner.name`` raises; those after it work."""
    works: Callable[..., Any] = getattr(owner, name)
    calls: List[int] = []

    def broken(*arguments: Any, **named: Any) -> Any:
        calls.append(1)
        if len(calls) == 1:
            raise Broken(name)
        return works(*arguments, **named)

    monkeypatch.setattr(owner, name, broken)


def bugs(caplog: pytest.LogCaptureFixture) -> List[str]:
    return [record.getMessage() for record in caplog.records if record.exc_info]


def goes_on(bridge: InMemoryBridge) -> None:
    """The bridge still does what it is for."""
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    bridge.editor.answers(CONSOLE)
    assert call.answer == CONSOLE


# The inbox.


def test_the_inbox_keeps_the_order_and_returns_at_once() -> None:
    inbox = Inbox()
    assert inbox.take(0) is None
    inbox.put(CallAbandoned("a"))
    inbox.put(StopRequested("b"))
    assert [inbox.take(0), inbox.take(None), inbox.take(0.001)] == [
        CallAbandoned("a"),
        StopRequested("b"),
        None,
    ]


def test_the_inbox_wakes_who_waits_for_it() -> None:
    inbox = Inbox()
    taken: List[object] = []
    waiting = threading.Thread(target=lambda: taken.append(inbox.take(None)), name="taker")
    waiting.start()
    inbox.put(CallAbandoned("a"))
    waiting.join(HANG_S)
    assert taken == [CallAbandoned("a")]


# Events and deadlines.


def test_a_message_before_the_deadline_is_handled_first(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console", timeout_ms=1000)
    bridge.clock.advance(1)  # its deadline is now, and nobody has looked yet
    bridge.editor.answers(CONSOLE)
    assert call.answer == CONSOLE


def test_a_quiet_days_events_are_no_flood(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    inbox = Inbox()
    executor = Executor(bridge.wiring, inbox, bridge.clock, Logger("test"))
    for n in range(1000):
        inbox.put(CallAbandoned(f"nobody-{n}"))
        executor._step(timeout_s=60)
    call = bridge.agent.calls("read_console", timeout_ms=1000)
    bridge.clock.advance(1)
    request_id = bridge.editor.last("execute")["request_id"]
    bridge.unity._emit_in_turn = inbox.put_of_peer
    assert bridge.editor.peer is not None
    text = '{"type":"result","protocol_version":1,"request_id":"%s","status":"ok","result":%s}'
    bridge.unity.peer_said(
        bridge.editor.peer, text % (request_id, '{"entries":[],"count":0,"truncated":false}')
    )
    executor._step(timeout_s=0)
    assert call.answer == CONSOLE


def test_a_peer_that_never_stops_talking_does_not_stop_the_clock(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console", timeout_ms=1000)
    bridge.clock.advance(1)
    for n in range(1000):
        bridge.inbox.put(CallAbandoned(f"nobody-{n}"))
    handled = 0
    while not call.is_answered:
        bridge.executor._step(timeout_s=0)
        handled += 1
        assert handled < 500, "the deadline waits for the flood to end"
    assert call.code == "ERR_REQUEST_TIMEOUT"


def test_a_flood_without_a_deadline_is_handled_to_its_end(bridge: InMemoryBridge) -> None:
    for n in range(1000):
        bridge.inbox.put(CallAbandoned(f"nobody-{n}"))
    bridge.drain()
    assert bridge.inbox.take(0) is None


# Bugs of ours.


@pytest.mark.parametrize("tool", ["get_editor_state", "read_console", "run_tests"])
def test_a_bug_in_the_admission_of_a_call_fails_it_as_not_executed(
    bridge: InMemoryBridge,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    tool: str,
) -> None:
    if tool == "get_editor_state":
        break_once(monkeypatch, bridge.parts.jobs, "open")
    else:
        break_once(monkeypatch, bridge.parts.admission, "_park")
    call = bridge.agent.calls(tool)
    assert (call.code, call.guarantee) == ("ERR_UNITY_EXECUTION", "not_executed")
    assert "log" in call.error["message"]
    assert len(bugs(caplog)) == 1
    goes_on(bridge)


def test_a_bug_in_checking_an_answer_fails_its_call_and_the_queue_moves_on(
    bridge: InMemoryBridge, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    following = bridge.agent.calls("read_console")
    break_once(monkeypatch, bridge.parts.reads, "_check_result")
    bridge.editor.answers(CONSOLE)
    assert (call.code, call.guarantee) == ("ERR_INVALID_RESPONSE", "unknown")
    assert len(bugs(caplog)) == 1
    bridge.advance(3)  # the heartbeat at the latest moves the queue on
    bridge.editor.answers(CONSOLE)
    assert following.answer == CONSOLE


@pytest.mark.parametrize("status", ["ok", "not a status"])
def test_a_bug_in_finding_the_session_of_an_answer_fails_its_call(
    bridge: InMemoryBridge, monkeypatch: pytest.MonkeyPatch, status: str
) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    break_once(monkeypatch, bridge.parts.sessions, "heard")
    bridge.editor.says_anything("result", request_id=call.request_id, status=status, result=CONSOLE)
    assert call.code == "ERR_INVALID_RESPONSE"
    goes_on(bridge)


def test_a_bug_in_beginning_the_next_turn_fails_that_call_alone(
    bridge: InMemoryBridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The event was about one call, and the bug hit another."""
    bridge.editor.connects()
    first = bridge.agent.calls("read_console")
    second = bridge.agent.calls("read_console")
    third = bridge.agent.calls("read_console")
    break_once(monkeypatch, bridge.unity, "send")
    bridge.editor.answers(CONSOLE)
    assert first.answer == CONSOLE
    assert second.code == "ERR_INVALID_RESPONSE"
    bridge.advance(3)
    bridge.editor.answers(CONSOLE)
    assert third.answer == CONSOLE


def test_a_bug_in_ending_a_parked_call_fails_it_as_not_executed(
    bridge: InMemoryBridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = bridge.agent.calls("read_console")
    break_once(monkeypatch, bridge.parts.admission, "_end_parked")
    bridge.advance(2.5)
    assert (call.code, call.guarantee) == ("ERR_UNITY_EXECUTION", "not_executed")
    goes_on(bridge)


def test_a_bug_when_the_connection_broke_still_answers_the_call(
    bridge: InMemoryBridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    break_once(monkeypatch, bridge.parts.status, "session_lost")
    bridge.editor.vanishes()
    bridge.advance(10)
    assert call.is_answered
    goes_on(bridge)


def test_a_bug_in_submitting_ends_the_job_and_not_its_neighbour(
    bridge: InMemoryBridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge.editor.connects()
    neighbour = bridge.agent.runs_tests()
    bridge.editor.accepts_job()
    break_once(monkeypatch, bridge.unity, "send")
    job = bridge.agent.runs_tests()
    error = bridge.job(job).error
    assert error is not None and (error.code.value, error.guarantee.value) == (
        "ERR_INVALID_RESPONSE",
        "unknown",
    )
    assert bridge.job(neighbour).state.value == "running"
    bridge.advance(1)
    bridge.editor.reports_job("succeeded")
    assert bridge.job(neighbour).state.value == "succeeded"


def test_a_bug_in_taking_the_acceptance_ends_the_job(
    bridge: InMemoryBridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    break_once(monkeypatch, bridge.parts.jobs, "accepted")
    bridge.editor.accepts_job()
    assert bridge.job(job).state.value == "failed"
    goes_on(bridge)


def test_a_bug_in_polling_does_not_end_the_polling(
    bridge: InMemoryBridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    bridge.editor.accepts_job()
    bridge.advance(1)
    break_once(monkeypatch, bridge.parts.results, "learn")
    bridge.editor.reports_job("running")
    bridge.advance(1)
    bridge.editor.reports_job("succeeded")
    assert bridge.job(job).state.value == "succeeded"


@pytest.mark.parametrize(
    "state", ["a submission that waits", "a submission that is being resolved"]
)
def test_a_bug_elsewhere_leaves_jobs_in_their_place(
    bridge: InMemoryBridge, monkeypatch: pytest.MonkeyPatch, state: str
) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    if state == "a submission that is being resolved":
        bridge.editor.vanishes()
        bridge.editor.connects(jobs=[])
        bridge.editor.refuses("get_job_status", "ERR_UNITY_EXECUTION")  # asked again in a second
    break_once(monkeypatch, bridge.parts.jobs, "open")
    assert bridge.agent.calls("get_editor_state").code == "ERR_UNITY_EXECUTION"
    assert bridge.job(job).error is None
    if state == "a submission that waits":
        bridge.editor.accepts_job()
    else:
        bridge.advance(1)
        bridge.editor.reports_job("running")
    assert bridge.job(job).accepted


def test_a_bug_keeps_waiting_calls_and_job_listeners(
    bridge: InMemoryBridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    bridge.editor.accepts_job()
    watching = bridge.agent.asks(job, wait_ms=10000)
    bridge.editor.reports_job("running")
    running, queued = bridge.agent.calls("read_console"), bridge.agent.calls("read_console")
    break_once(monkeypatch, bridge.parts.incoming, "_editor_said")
    bridge.editor.says("pong")
    assert not any(call.is_answered for call in (watching, running, queued))
    bridge.editor.answers(CONSOLE)
    bridge.editor.answers(CONSOLE)
    bridge.advance(1)
    bridge.editor.reports_job("succeeded")
    assert all(call.is_answered for call in (watching, running, queued))


@pytest.mark.parametrize("at", ["the job's end", "the end of the wait"])
def test_a_bug_in_answering_a_call_that_waited_for_a_job_still_answers_it(
    bridge: InMemoryBridge, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    """The wait is over before the answer is made: a bug between the two must not lose the call."""
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    bridge.editor.accepts_job()
    waiting = bridge.agent.asks(job, wait_ms=5000)
    bridge.editor.reports_job("running")
    bridge.advance(1)
    break_once(monkeypatch, bridge.parts.requests, "answered_here")
    if at == "the job's end":
        bridge.editor.reports_job("succeeded")
    else:
        bridge.advance(4)
    assert waiting.is_answered
    bridge.stop()
    assert bridge.server_state == "stopped"


def test_a_bug_in_an_answer_that_names_a_queued_call_does_not_end_that_call(
    bridge: InMemoryBridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge.editor.connects()
    first, queued = bridge.agent.calls("read_console"), bridge.agent.calls("read_console")
    break_once(monkeypatch, bridge.parts.incoming, "_editor_said")
    bridge.editor.says("result", request_id=queued.request_id, status="ok", result={})
    assert not first.is_answered and not queued.is_answered


def test_a_bug_at_the_stop_costs_no_other_call_its_answer(
    bridge: InMemoryBridge, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    calls = [bridge.agent.calls("read_console") for _ in range(3)]
    break_once(monkeypatch, bridge.parts.requests, "fail")
    bridge.stop()
    assert [call.is_answered for call in calls] == [True, True, True]
    assert len(bugs(caplog)) == 1
    assert bridge.server_state == "stopped"


def test_a_bug_when_the_owner_of_the_port_is_lost_still_answers_what_it_had(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class AnyOwner:
        def call(self, *arguments: Any, **flags: Any) -> bool:
            return True

        def abandon(self, request_id: str) -> None: ...

    bridge = InMemoryBridge(listening=False, link=AnyOwner())
    bridge.inbox.put(OwnerFound(8091, "0.1.0", 1))
    calls = [bridge.agent.calls("run_tests") for _ in range(2)]
    break_once(monkeypatch, bridge.parts.owner_answers, "_owner_ended")
    bridge.inbox.put(OwnerLost("gone"))
    bridge.drain()
    assert [call.code for call in calls] == ["ERR_INVALID_RESPONSE"] * 2


def test_a_bug_in_the_recovery_itself_is_survived(
    bridge: InMemoryBridge, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    break_once(monkeypatch, bridge.parts.admission, "_park")
    break_once(monkeypatch, bridge.parts.recovery, "after")
    call = bridge.agent.calls("read_console")
    assert len(bugs(caplog)) == 2 and not call.is_answered
    bridge.editor.connects()
    break_once(monkeypatch, bridge.parts.incoming, "_editor_said")
    bridge.editor.says("pong")
    assert call.is_answered, "the next recovery finds what the first one left"


def test_a_bug_on_the_agents_side_is_not_ours_to_die_of(
    bridge: InMemoryBridge, caplog: pytest.LogCaptureFixture
) -> None:
    validated = bridge.validator.validate("get_editor_state", {})
    assert isinstance(validated, Ok)

    def breaks(outcome: Outcome) -> None:
        raise Broken("on_outcome")

    bridge.call_service.submit(validated.value, breaks)
    bridge.drain()
    assert bugs(caplog) == ["an answer could not be handed over"]
    goes_on(bridge)


# The thread.


class Answered:
    """Where a real thread's answer comes in."""

    def __init__(self) -> None:
        self.call = PendingCall()
        self._came = threading.Event()

    def take(self, outcome: Outcome) -> None:
        self.call.outcomes.append(outcome)
        self._came.set()

    def wait(self) -> PendingCall:
        assert self._came.wait(HANG_S), "no answer came"
        return self.call


@pytest.fixture
def threaded(monkeypatch: pytest.MonkeyPatch) -> InMemoryBridge:
    """A bridge on the real clock, whose executor has a thread of its own."""
    clock = SystemClock()
    monkeypatch.setattr("tests.fakes.ManualClock", lambda: clock)
    return InMemoryBridge(Config(request_reconnect_wait_ms=50))


def submit(bridge: InMemoryBridge, tool: str, arguments: Dict[str, Any]) -> Answered:
    validated = bridge.validator.validate(tool, arguments)
    assert isinstance(validated, Ok)
    answered = Answered()
    bridge.call_service.submit(validated.value, answered.take)
    return answered


def test_the_thread_answers_calls_keeps_deadlines_and_ends_with_the_stop(
    threaded: InMemoryBridge,
) -> None:
    threaded.executor.start()
    assert (
        submit(threaded, "get_editor_state", {}).wait().answer["server_state"] == "waiting_editor"
    )
    assert submit(threaded, "read_console", {}).wait().code == "ERR_EDITOR_NOT_READY"
    assert not threaded.executor.join(0)
    threaded.inbox.put(StopRequested("test"))
    assert threaded.executor.join(HANG_S)


def test_owed_answers_are_sent_before_the_thread_ends_and_later_calls_are_refused(
    threaded: InMemoryBridge,
) -> None:
    """The stopping thread closes connections in between: their calls must be answered before, and
    new calls too.
    """
    threaded.executor.start()
    assert not threaded.executor.wait_for_stop(0)
    parked = submit(threaded, "read_console", {})
    threaded.inbox.put(StopRequested("test"))
    assert threaded.executor.wait_for_stop(HANG_S)
    assert parked.call.is_answered
    assert submit(threaded, "read_console", {}).wait().code == "ERR_EDITOR_NOT_READY"
    assert threaded.executor.join(HANG_S)


def test_calls_that_wait_behind_the_stop_are_refused_before_the_thread_ends(
    threaded: InMemoryBridge,
) -> None:
    threaded.inbox.put(StopRequested("test"))
    late = [submit(threaded, "get_editor_state", {}) for _ in range(3)]
    threaded.executor.start()
    assert threaded.executor.join(HANG_S)
    assert [answered.wait().code for answered in late] == ["ERR_EDITOR_NOT_READY"] * 3


def test_the_thread_lives_on_after_a_bug(
    threaded: InMemoryBridge, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "unity_bridge")
    break_once(monkeypatch, threaded.parts.admission, "_park")
    threaded.executor.start()
    assert submit(threaded, "read_console", {}).wait().code == "ERR_UNITY_EXECUTION"
    assert submit(threaded, "read_console", {}).wait().code == "ERR_EDITOR_NOT_READY"
    threaded.inbox.put(StopRequested("test"))
    assert threaded.executor.join(HANG_S)
    assert bugs(caplog) == ["a bug: an event could not be handled"]


# Who calls without end.


def test_a_caller_waits_for_its_turn_where_there_is_much_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    inbox, done = Inbox(), threading.Event()

    def calls_without_end() -> None:
        for _ in range(1000):
            inbox.put_in_turn(CallAbandoned("mine"))
        done.set()

    monkeypatch.setattr("unity_bridge.core.loop._CALLS_WAIT_S", HANG_S)
    caller = threading.Thread(target=calls_without_end, name="caller")
    caller.start()
    handled = 0
    longest = 0
    while handled < 1000:
        assert inbox.take(HANG_S) is not None
        handled += 1
        longest = max(longest, inbox._events.qsize())
    caller.join(HANG_S)
    assert done.is_set() and longest <= 64


def test_a_caller_is_not_held_for_ever_and_what_unity_says_never_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("unity_bridge.core.loop._CALLS_WAIT_S", 0.0)
    inbox = Inbox()
    for number in range(300):
        inbox.put_in_turn(CallAbandoned(str(number)))
        inbox.put(CallAbandoned(str(number)))
    assert inbox._events.qsize() == 600
