"""How a service ends, and how it answers calls in flight (SPEC §3.4, §12.4)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from typing import Any, Callable

import pytest

from tests.mcp.conftest import Panic, ServedEndpoint
from tests.mcp.fake_call_service import console
from tests.mcp.raw_client import GUARD_S, RawClient
from tests.mcp.test_mcp_endpoint import BOTH_ERAS, error_of, result_of
from unity_bridge.base.errors import ErrorCode, ToolError, stopping
from unity_bridge.base.result import Err, Ok
from unity_bridge.catalogue.calls import Failure
from unity_bridge.serve.server import StopReason

WAYS = pytest.mark.parametrize("way", ["end of file", "signal"])


def end(endpoint: ServedEndpoint, way: Any) -> None:
    endpoint.client.hangs_up() if way == "end of file" else endpoint.server.stop(StopReason.SIGTERM)


def test_a_refusal_at_the_end_needs_nothing_that_may_still_be_loading() -> None:
    """On a slow machine the import of the catalogue takes longer than the rest of the 2 s."""
    program = """\
import sys
from unity_bridge.base.errors import stopping
from unity_bridge.mcp.refusals import refusal_line
print(refusal_line(7, stopping(), "req-1", {}).decode())
assert "unity_bridge.catalogue" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    failure = Failure(
        ToolError(ErrorCode.EDITOR_NOT_READY, stopping().message, {"reason": "stopping"}), "req-1"
    )
    assert error_of(answer) == failure.as_json()


def test_at_end_of_file_an_idle_server_ends(endpoint: ServedEndpoint, client: RawClient) -> None:
    client.hangs_up()
    assert endpoint.ended() == 0
    assert endpoint.announced == ["input_ended"]
    assert client.hears_the_end() == []


@pytest.mark.parametrize(("way", "status"), [(StopReason.SIGTERM, 143), (StopReason.SIGINT, 130)])
def test_a_signal_ends_it_with_its_status(
    endpoint: ServedEndpoint, client: RawClient, way: Any, status: int
) -> None:
    endpoint.server.stop(way)
    assert endpoint.ended() == status
    assert endpoint.announced == [way.name.lower()]


@pytest.mark.skipif(
    os.name == "nt", reason="there the reader cannot be interrupted, and ends with the process"
)
def test_no_thread_stays_behind_although_the_client_stays(
    endpoint: ServedEndpoint, client: RawClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    # That every thread ends, however slow the machine is. The bounds have tests of their own.
    monkeypatch.setattr("unity_bridge.serve.server._FLUSH_S", GUARD_S)
    monkeypatch.setattr("unity_bridge.mcp.sdk.fallback._END_S", GUARD_S)
    client.asks_for(1, "no/such")  # so that the SDK's is there too
    endpoint.server.stop(StopReason.SIGTERM)
    endpoint.ended()
    left = {thread.name for thread in threading.enumerate()}
    assert not left & {"mcp-stdin", "mcp-stdout", "mcp-sdk", "loading", "watchdog"}


def test_requests_piped_in_before_the_end_of_file_are_all_answered(
    unstarted: ServedEndpoint,
) -> None:
    client = unstarted.client
    hello = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "x", "version": "1"},
    }
    client.asks(0, "initialize", hello)
    for id in range(1, 21):
        client.calls(id, "get_editor_state")
    client.asks(21, "no/such")
    client.hangs_up()
    client.listens()
    assert unstarted.starts().ended() == 0
    answers = {answer["id"]: answer for answer in client.hears_the_end()}
    assert sorted(answers) == list(range(22))
    assert all("result" in answers[id] for id in range(21))


def test_a_call_that_ends_after_the_end_of_file_is_answered(
    endpoint: ServedEndpoint, client: RawClient
) -> None:
    client.calls(1, "read_console", {"contains": "hold"})
    held = endpoint.call_service.held.get(timeout=GUARD_S)
    client.hangs_up()
    held.on_outcome(Ok(console(0)))
    assert endpoint.ended() == 0
    assert [result_of(answer) for answer in client.hears_the_end()] == [console(0)]


def test_a_signal_does_not_wait_for_what_is_in_flight_at_the_end_of_file(
    endpoint: ServedEndpoint, client: RawClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unity_bridge.serve.server._DRAIN_S", 10 * GUARD_S)
    client.calls(1, "read_console", {"contains": "hold"})
    endpoint.call_service.held.get(timeout=GUARD_S)
    client.hangs_up()
    endpoint.server.stop(StopReason.SIGINT)
    assert endpoint.ended() == 130


@pytest.mark.slow
@WAYS
def test_a_system_without_another_thread_loses_no_owed_answer(
    endpoint: ServedEndpoint, client: RawClient, way: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.calls(1, "read_console", {"contains": "hold"})
    held = endpoint.call_service.held.get(timeout=GUARD_S)
    monkeypatch.setattr(
        endpoint.bridge, "end_calls", lambda reason: held.on_outcome(Ok(console(0)))
    )
    gives_no_more_threads(monkeypatch, "watchdog")
    end(endpoint, way)
    assert endpoint.ended() in (0, 143)
    assert [result_of(answer) for answer in client.hears_the_end()] == [console(0)]


def test_a_system_without_threads_to_load_the_bridge_on_answers_its_calls_all_the_same(
    unstarted: ServedEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = unstarted.client.listens()

    def call_first() -> None:
        client.shakes_hands()
        client.calls(1, "read_console", {})
        client.asks_for(2, "ping")  # answered once the call before it has been read

    gives_no_more_threads(monkeypatch, "loading", call_first)
    assert unstarted.starts().ended() == 1
    (answer,) = client.hears_the_end()
    assert (
        answer["id"] == 1 and error_of(answer)["details"]["execution_guarantee"] == "not_executed"
    )


def test_a_system_without_threads_to_serve_on_is_reported(
    unstarted: ServedEndpoint, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    gives_no_more_threads(monkeypatch, "mcp-stdin")
    assert unstarted.starts().ended() == 1
    assert "no more threads" in caplog.text


def gives_no_more_threads(
    monkeypatch: pytest.MonkeyPatch, name: str, happens_first: Callable[[], None] = lambda: None
) -> None:
    """As a limit on processes does (RLIMIT_NPROC)."""
    start = threading.Thread.start

    def limited(thread: threading.Thread) -> None:
        if thread.name == name:
            happens_first()
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", limited)


@WAYS
def test_calls_that_the_bridge_ends_on_its_stop_are_answered_with_its_word(
    endpoint: ServedEndpoint, client: RawClient, way: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unity_bridge.serve.server._DRAIN_S", 0.05)

    def end_calls(reason: str) -> None:
        held = endpoint.call_service.held.get(timeout=GUARD_S)
        error = ToolError(ErrorCode.EDITOR_NOT_READY, "The server stops.")
        held.on_outcome(Err(Failure(error, held.request_id, held.call.tool)))

    monkeypatch.setattr(endpoint.bridge, "end_calls", end_calls)
    client.calls(1, "read_console", {"contains": "hold"})
    client.gets(2, "get_editor_state")
    end(endpoint, way)
    endpoint.ended()
    (answer,) = client.hears_the_end()
    assert error_of(answer)["code"] == "ERR_EDITOR_NOT_READY"


@WAYS
@BOTH_ERAS
def test_unended_calls_are_answered_as_having_an_unknown_end(
    endpoint: ServedEndpoint,
    client: RawClient,
    way: Any,
    modern: bool,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("unity_bridge.serve.server._DRAIN_S", 0.05)
    monkeypatch.setattr("unity_bridge.serve.server._END_CALLS_S", 0.05)
    client.calls(1, "run_tests", {"filter": "x"}, modern)
    client.hears()
    client.calls(2, "read_console", {"contains": "hold"}, modern)
    held = endpoint.call_service.held.get(timeout=GUARD_S)
    end(endpoint, way)
    endpoint.ended()
    (answer,) = client.hears_the_end()
    error = error_of(answer)
    assert (error["code"], error["details"]["request_id"]) == (
        "ERR_RECONNECT_TIMEOUT",
        held.request_id,
    )
    (logged,) = (
        record for record in caplog.records if record.getMessage().startswith("call failed")
    )
    assert logged.levelname == "WARNING" and vars(logged)["values"]["request_id"] == held.request_id
    assert endpoint.call_service.abandoned.get(timeout=GUARD_S) == held.request_id
    held.on_outcome(Ok(console(0)))  # too late, and harmless


def test_a_call_that_the_sdk_passed_on_is_answered_too(
    endpoint: ServedEndpoint, client: RawClient
) -> None:
    client.calls(
        1, "read_console", {"contains": "hold"}, _meta={"progressToken": 1, "deep": deep(20)}
    )
    held = endpoint.call_service.held.get(timeout=GUARD_S)
    endpoint.server.stop(StopReason.SIGTERM)
    endpoint.ended()
    (answer,) = client.hears_the_end()
    error = error_of(answer)
    assert (error["code"], error["details"]["request_id"]) == (
        "ERR_RECONNECT_TIMEOUT",
        held.request_id,
    )


def deep(levels: int) -> Any:
    """Nested too deep to be served without asking the SDK."""
    return {"deeper": deep(levels - 1)} if levels else {}


def test_a_call_that_comes_while_the_service_ends_is_refused_in_words(
    endpoint: ServedEndpoint, client: RawClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = threading.Event()

    def end_calls(reason: str) -> None:
        client.calls(9, "get_editor_state")
        asked.wait(GUARD_S)

    monkeypatch.setattr(endpoint.bridge, "end_calls", end_calls)
    endpoint.server.stop(StopReason.SIGTERM)
    refused = client.hears()
    asked.set()
    error = error_of(refused)
    assert (refused["id"], error["code"]) == (9, "ERR_EDITOR_NOT_READY")
    assert error["details"]["execution_guarantee"] == "not_executed"
    assert endpoint.ended() == 143


def test_a_bug_in_the_end_of_calls_does_not_keep_the_server(
    endpoint: ServedEndpoint, client: RawClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(reason: str) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(endpoint.bridge, "end_calls", broken)
    client.hangs_up()
    assert endpoint.ended() == 0


def test_a_server_may_be_stopped_twice_and_after_its_end(endpoint: ServedEndpoint) -> None:
    endpoint.server.stop(StopReason.SIGTERM)
    endpoint.server.stop(StopReason.SIGINT)
    assert endpoint.ended() == 143
    endpoint.server.stop(StopReason.SIGINT)


@pytest.mark.skipif(os.name == "nt", reason="there it shows at the next write only")
@pytest.mark.parametrize("dies", [False, True])
def test_a_client_that_dies_or_no_longer_reads_ends_the_service_without_waiting(
    unstarted: ServedEndpoint, monkeypatch: pytest.MonkeyPatch, dies: bool
) -> None:
    monkeypatch.setattr("unity_bridge.serve.server._DRAIN_S", 10 * GUARD_S)
    client = unstarted.starts().client
    client.calls(1, "read_console", {"contains": "hold"}, modern=True)
    held = unstarted.call_service.held.get(timeout=GUARD_S)
    if dies:
        client.hangs_up()
    client.stops_reading()
    assert unstarted.ended() == 0
    assert unstarted.call_service.abandoned.get(timeout=GUARD_S) == held.request_id
    assert unstarted.announced == ["output_gone"]


def test_a_client_that_stops_reading_its_pipe_cannot_hold_the_server(
    unstarted: ServedEndpoint,
) -> None:
    client = unstarted.starts().client
    client.calls(1, "read_console", {"contains": "entries 2000"}, modern=True)
    client.hangs_up()
    assert unstarted.ended() == 0
    client.listens()  # so that the writer's thread, left behind, ends too


# --- while the bridge is being loaded ---


def test_a_client_has_its_tools_before_the_bridge_is_there(loading: ServedEndpoint) -> None:
    client = loading.client
    client.shakes_hands()
    assert client.asks_for(1, "tools/list")["result"]["tools"]
    assert client.asks_for(2, "ping")["result"] == {}
    assert client.asks_for(3, "server/discover", modern=True)["result"]["supportedVersions"] == [
        "2026-07-28"
    ]


def test_calls_wait_for_the_bridge_in_their_order_and_nothing_else_does(
    loading: ServedEndpoint,
) -> None:
    client = loading.client
    client.shakes_hands()
    for id in range(1, 6):
        client.calls(id, "read_console", {"max_entries": id})
    assert client.asks_for("during it", "ping")["result"] == {}
    loading.loads()
    assert [answer["id"] for answer in client.hears_all(5)] == [1, 2, 3, 4, 5]
    assert [call.params["max_entries"] for call in loading.call_service.calls] == [1, 2, 3, 4, 5]


def test_a_call_that_the_sdk_passes_on_waits_too(loading: ServedEndpoint) -> None:
    client = loading.client
    client.shakes_hands()
    client.calls(1, "get_editor_state", _meta={"deep": deep(20)})
    assert client.asks_for(2, "no/such")["error"]["code"] == -32601
    loading.loads()
    assert client.hears()["id"] == 1


@pytest.mark.parametrize("meta", [{}, {"deep": True}], ids=["ours", "the SDK's"])
def test_a_call_that_is_cancelled_while_it_waits_never_runs(
    loading: ServedEndpoint, meta: Any
) -> None:
    client = loading.client
    client.shakes_hands()
    client.calls(1, "run_tests", {"mode": "edit"}, _meta={"deep": deep(20)} if meta else {})
    client.cancels(1)
    assert client.asks_for(2, "no/such")["error"]["code"] == -32601
    loading.loads()
    assert result_of(client.gets(3, "get_editor_state"))
    assert [call.tool.name for call in loading.call_service.calls] == ["get_editor_state"]
    assert not [line for line in client.seen if line.get("id") == 1]


def test_a_signal_answers_calls_that_wait_with_the_word_that_nothing_ran(
    loading: ServedEndpoint, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    client = loading.client
    client.shakes_hands()
    client.calls(7, "run_tests", {"mode": "edit", "client_request_id": "mine"})
    assert client.asks_for(8, "ping")["result"] == {}
    loading.server.stop(StopReason.SIGTERM)
    error = error_of(client.hears())
    assert error["code"] == "ERR_EDITOR_NOT_READY"
    assert error["details"]["execution_guarantee"] == "not_executed"
    (logged,) = (record for record in caplog.records if record.getMessage() == "call refused")
    assert error["details"]["request_id"] == vars(logged)["values"]["request_id"]
    assert loading.ended() == 143
    loading.loads()
    assert loading.call_service.calls == []


def test_a_client_that_leaves_with_all_its_answers_is_not_waited_for(
    loading: ServedEndpoint,
) -> None:
    loading.client.shakes_hands()
    loading.client.hangs_up()
    assert loading.ended() == 0


def test_a_call_that_is_owed_at_end_of_file_is_waited_for_but_not_for_ever(
    loading: ServedEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unity_bridge.serve.server._DRAIN_LOADING_S", 0.05)
    client = loading.client
    client.shakes_hands()
    client.calls(7, "get_editor_state")
    client.hangs_up()
    assert loading.ended() == 0
    (answer,) = client.hears_the_end()
    assert error_of(answer)["code"] == "ERR_EDITOR_NOT_READY"


@pytest.mark.parametrize("fault", [RuntimeError("a bug"), Panic("a bug"), SystemExit(3)], ids=repr)
def test_a_bridge_that_does_not_load_ends_the_server_and_answers_its_calls(
    loading: ServedEndpoint, caplog: pytest.LogCaptureFixture, fault: BaseException
) -> None:
    client = loading.client
    client.shakes_hands()
    client.calls(7, "get_editor_state")
    assert client.asks_for(8, "ping")["result"] == {}
    loading.bridge.load_fault = fault
    loading.loads()
    assert error_of(client.hears())["code"] == "ERR_EDITOR_NOT_READY"
    assert loading.ended() == 1
    assert "cannot be started" in caplog.text
