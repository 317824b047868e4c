"""SPEC §3.4: the bridge is stopped in every state: what each kind of call is told, and that nothing follows."""

from __future__ import annotations

from typing import Tuple

import pytest

from tests.fakes import InMemoryBridge, PendingCall
from unity_bridge.core.events import StopRequested

CONSOLE = {"entries": [], "count": 0, "truncated": False}
NOT_RUN = ("ERR_EDITOR_NOT_READY", "not_executed", "stopping")
UNKNOWN = ("ERR_RECONNECT_TIMEOUT", "unknown", "stopping")


def told(call: PendingCall) -> Tuple[str, str, str]:
    return call.code, call.guarantee, call.error["details"]["reason"]


def server_state(bridge: InMemoryBridge) -> str:
    record = bridge.stores.server.get("server")
    assert record is not None
    return str(record.state.value)


def test_before_the_port_is_bound() -> None:
    bridge = InMemoryBridge(listening=False)
    call = bridge.agent.calls("read_console")
    bridge.stop()
    assert told(call) == NOT_RUN
    assert server_state(bridge) == "stopped"


def test_while_the_port_is_somebody_elses() -> None:
    bridge = InMemoryBridge(listening=False)
    bridge.port_is_taken()
    bridge.stop()
    assert server_state(bridge) == "stopped"


def test_parked_calls_were_not_run(bridge: InMemoryBridge) -> None:
    calls = [bridge.agent.calls("read_console"), bridge.agent.calls("run_tests", wait_ms=0)]
    bridge.stop()
    assert [told(call) for call in calls] == [NOT_RUN, NOT_RUN]


def test_queued_calls_were_not_run_and_running_ones_are_unknown(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    running = bridge.agent.calls("read_console")
    queued = bridge.agent.calls("read_console")
    bridge.stop()
    assert told(running) == UNKNOWN
    assert told(queued) == NOT_RUN


def test_a_read_that_waits_to_be_sent_again_is_unknown(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    running = bridge.agent.calls("read_console")
    bridge.editor.reloads()
    bridge.stop()
    assert told(running) == UNKNOWN


def test_a_call_that_watches_a_job_is_told_its_last_state(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    bridge.editor.accepts_job()
    watching = bridge.agent.asks(job, wait_ms=10000)
    bridge.editor.tells("running", progress={"completed": 1, "total": 9})
    bridge.stop()
    assert (watching.answer["state"], watching.answer["progress"]["completed"]) == ("running", 1)


def test_a_question_on_its_way_is_unknown_and_one_in_the_queue_was_not_asked(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    bridge.editor.accepts_job()
    asked, waiting = bridge.agent.asks(job), bridge.agent.asks(job)
    bridge.stop()
    assert told(asked) == UNKNOWN
    assert told(waiting) == NOT_RUN


def test_a_call_that_was_given_up_is_told_nothing(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    bridge.agent.gives_up(call)
    bridge.stop()
    assert not call.is_answered and bridge.open_requests == []


@pytest.mark.parametrize("tool", ["read_console", "run_tests", "get_editor_state"])
def test_new_calls_are_refused(bridge: InMemoryBridge, tool: str) -> None:
    bridge.editor.connects()
    bridge.stop()
    assert told(bridge.agent.calls(tool)) == NOT_RUN


def test_a_second_stop_changes_nothing(bridge: InMemoryBridge) -> None:
    call = bridge.agent.calls("read_console")
    bridge.stop()
    bridge.stop()
    assert told(call) == NOT_RUN and server_state(bridge) == "stopped"


def test_nothing_follows(bridge: InMemoryBridge) -> None:
    """Late answers, a plugin that connects, deadlines that pass: nobody is told, and nothing is sent."""
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
    assert told(call) == UNKNOWN
    assert bridge.editor.peer.said == said
    assert newcomer.peer is not None and newcomer.peer.said == []
    assert bridge.job(job).state.value == "running", "jobs live in memory only: Unity still has it"
    assert server_state(bridge) == "stopped"


def test_calls_that_came_in_behind_the_stop_are_still_refused(bridge: InMemoryBridge) -> None:
    bridge.inbox.put(StopRequested("test"))
    call = bridge.agent.calls("read_console")
    assert told(call) == NOT_RUN
