"""SPEC §3.4: the bridge is stopped in every state: each kind of call gets its answer, and nothing
follows.
"""

from __future__ import annotations

from typing import Tuple

import pytest

from tests.fakes import InMemoryBridge, PendingCall
from tests.tool_results import CONSOLE
from unity_bridge.core.events import StopRequested

NOT_RUN = ("ERR_EDITOR_NOT_READY", "not_executed", "stopping")
UNKNOWN = ("ERR_RECONNECT_TIMEOUT", "unknown", "stopping")


def outcome(call: PendingCall) -> Tuple[str, str, str]:
    return call.code, call.guarantee, call.error["details"]["reason"]


def test_a_call_before_the_port_is_bound_was_not_run() -> None:
    bridge = InMemoryBridge(listening=False)
    call = bridge.agent.calls("read_console")
    bridge.stop()
    assert outcome(call) == NOT_RUN
    assert bridge.server_state == "stopped"


def test_a_stop_while_another_program_has_the_port() -> None:
    bridge = InMemoryBridge(listening=False)
    bridge.port_is_taken()
    bridge.stop()
    assert bridge.server_state == "stopped"


def test_parked_calls_were_not_run(bridge: InMemoryBridge) -> None:
    calls = [bridge.agent.calls("read_console"), bridge.agent.calls("run_tests", wait_ms=0)]
    bridge.stop()
    assert [outcome(call) for call in calls] == [NOT_RUN, NOT_RUN]


def test_queued_calls_were_not_run_and_running_ones_are_unknown(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    running = bridge.agent.calls("read_console")
    queued = bridge.agent.calls("read_console")
    bridge.stop()
    assert outcome(running) == UNKNOWN
    assert outcome(queued) == NOT_RUN


def test_a_read_that_waits_to_be_sent_again_is_unknown(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    running = bridge.agent.calls("read_console")
    bridge.editor.reloads()
    bridge.stop()
    assert outcome(running) == UNKNOWN


def test_a_call_that_waits_for_a_job_gets_its_last_state(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    bridge.editor.accepts_job()
    watching = bridge.agent.asks(job, wait_ms=10000)
    bridge.editor.reports_job("running", progress={"completed": 1, "total": 9})
    bridge.stop()
    assert (watching.answer["state"], watching.answer["progress"]["completed"]) == ("running", 1)


def test_a_question_on_its_way_is_unknown_and_one_in_the_queue_was_not_asked(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    bridge.editor.accepts_job()
    asked, waiting = bridge.agent.asks(job), bridge.agent.asks(job)
    bridge.stop()
    assert outcome(asked) == UNKNOWN
    assert outcome(waiting) == NOT_RUN


def test_a_cancelled_call_gets_no_answer(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    bridge.agent.gives_up(call)
    bridge.stop()
    assert not call.is_answered and bridge.open_requests == []


@pytest.mark.parametrize("tool", ["read_console", "run_tests", "get_editor_state"])
def test_new_calls_are_refused(bridge: InMemoryBridge, tool: str) -> None:
    bridge.editor.connects()
    bridge.stop()
    assert outcome(bridge.agent.calls(tool)) == NOT_RUN


def test_a_second_stop_changes_nothing(bridge: InMemoryBridge) -> None:
    call = bridge.agent.calls("read_console")
    bridge.stop()
    bridge.stop()
    assert outcome(call) == NOT_RUN and bridge.server_state == "stopped"


def test_nothing_follows_a_stop(bridge: InMemoryBridge) -> None:
    """Late answers, a plugin that connects, deadlines that pass: no client gets an answer, and
    nothing is sent.
    """
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    bridge.editor.accepts_job()
    call = bridge.agent.calls("read_console")
    bridge.stop()
    assert bridge.editor.peer is not None
    said = list(bridge.editor.peer.said)
    bridge.editor.says("result", request_id=call.request_id, status="ok", result=CONSOLE)
    bridge.editor.becomes("compiling").says_anything("moo").says_text("{")
    bridge.agent.gives_up(call)
    newcomer = bridge.another_editor().connects()
    bridge.advance(600)
    bridge.port_is_taken()
    bridge.port_is_free_again()
    assert outcome(call) == UNKNOWN
    assert bridge.editor.peer.said == said
    assert newcomer.peer is not None and newcomer.peer.said == []
    assert bridge.job(job).state.value == "running", "jobs live in memory only: Unity still has it"
    assert bridge.server_state == "stopped"


def test_calls_that_came_in_behind_the_stop_are_still_refused(bridge: InMemoryBridge) -> None:
    bridge.inbox.put(StopRequested("test"))
    call = bridge.agent.calls("read_console")
    assert outcome(call) == NOT_RUN


def test_a_job_that_never_left_the_queue_was_not_run(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    bridge.agent.calls("read_console")
    calls = [bridge.agent.compiles(), bridge.agent.compiles()]
    bridge.stop()
    assert [call.answer["job_id"] for call in calls] == [calls[0].answer["job_id"]] * 2
    errors = [call.answer["error"] for call in calls]
    assert [(error["code"], error["details"]["execution_guarantee"]) for error in errors] == [
        NOT_RUN[:2]
    ] * 2


def test_nothing_is_due_after_the_stop(bridge: InMemoryBridge) -> None:
    """However late the executor is let go, its inbox runs empty."""
    bridge.editor.connects()
    bridge.stop()
    bridge.clock.move_to(bridge.clock.now() + 100)
    assert bridge.wiring.next_deadline() is None
    bridge.drain()
