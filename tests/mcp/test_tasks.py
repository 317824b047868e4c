"""MCP's tasks: a job call of a client that can follow them is answered with one; its result is
inlined at the end.
"""

from __future__ import annotations

import json
from typing import Any, Dict

import pytest

from tests.mcp.conftest import ServedEndpoint
from tests.mcp.raw_client import GUARD_S, MODERN_META, RawClient
from unity_bridge.catalogue.job_text import job_as_text
from unity_bridge.serve.server import StopReason

TASKS = "io.modelcontextprotocol/tasks"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
DECLARED = {**MODERN_META, CAPABILITIES: {"extensions": {TASKS: {}}}}
SUMMARY = {
    "summary": {"total": 2, "passed": 1, "failed": 1, "skipped": 0, "duration_ms": 5},
    "failed_tests": [],
}


@pytest.fixture
def client(endpoint: ServedEndpoint) -> RawClient:
    return endpoint.client


def asked(
    client: RawClient, method: str, meta: Dict[str, Any] = DECLARED, **params: Any
) -> Dict[str, Any]:
    return dict(client.asks_for(f"{method}-{params}", method, {**params, "_meta": meta}))


def task(client: RawClient, method: str = "tasks/get", task_id: str = "job-1") -> Dict[str, Any]:
    return dict(asked(client, method, taskId=task_id)["result"])


def test_the_server_says_that_it_has_tasks(client: RawClient) -> None:
    said = client.asks_for(1, "server/discover", modern=True)["result"]
    assert said["capabilities"]["extensions"] == {TASKS: {}}


def test_a_job_call_is_answered_with_a_task_whose_id_is_the_jobs(client: RawClient) -> None:
    created = asked(client, "tools/call", name="run_tests", arguments={"mode": "edit"})["result"]
    assert (created["resultType"], created["taskId"], created["status"]) == (
        "task",
        "job-1",
        "working",
    )
    assert created["createdAt"] == created["lastUpdatedAt"]
    assert created["ttlMs"] >= 1_800_000 and created["pollIntervalMs"] > 0
    assert "content" not in created


@pytest.mark.parametrize(
    ("arguments", "waited"),
    [
        (None, 2000),
        ({}, 2000),
        ({"wait_ms": None}, 2000),
        ({"wait_ms": 50_000}, 2000),
        ({"wait_ms": 700}, 700),
        ({"wait_ms": 0}, 0),
    ],
)
def test_a_task_is_made_of_what_takes_longer_than_a_moment(
    client: RawClient, endpoint: ServedEndpoint, arguments: Any, waited: int
) -> None:
    # The next one waits for no bridge, which would count.
    asked(client, "tools/call", name="read_console")
    params = {} if arguments is None else {"arguments": arguments}
    assert asked(client, "tools/call", name="run_tests", **params)["result"]["resultType"] == "task"
    assert endpoint.call_service.calls[-1].wait_ms == waited


@pytest.mark.parametrize("wait_ms", [True, -1, "soon"])
def test_an_invalid_wait_is_refused_as_before(client: RawClient, wait_ms: Any) -> None:
    result = asked(client, "tools/call", name="run_tests", arguments={"wait_ms": wait_ms})["result"]
    assert result["structuredContent"]["error"]["code"] == "ERR_INVALID_PARAMS"


def test_a_job_that_ends_at_once_is_answered_with_its_result(
    client: RawClient, endpoint: ServedEndpoint
) -> None:
    endpoint.call_service.jobs["job-1"] = {"state": "succeeded", "result": SUMMARY}
    result = asked(client, "tools/call", name="run_tests", arguments={})["result"]
    assert (result["resultType"], result["structuredContent"]["state"]) == ("complete", "succeeded")


@pytest.mark.parametrize(
    "meta",
    [
        MODERN_META,
        {**DECLARED, CAPABILITIES: {"extensions": {}}},
        {**DECLARED, CAPABILITIES: {"extensions": None}},
    ],
)
def test_a_client_that_does_not_declare_tasks_gets_the_result(
    client: RawClient, meta: Dict[str, Any]
) -> None:
    result = asked(client, "tools/call", meta, name="run_tests", arguments={})["result"]
    assert result["resultType"] == "complete"
    assert result["structuredContent"]["job_id"] == "job-1"


@pytest.mark.slow
def test_a_client_that_has_shaken_hands_gets_no_task(client: RawClient) -> None:
    client.shakes_hands()
    assert "structuredContent" in client.gets(1, "run_tests", {})["result"]
    assert client.asks_for(2, "tasks/get", {"taskId": "job-1"})["error"]["code"] == -32601


def test_a_call_that_is_no_job_is_answered_as_ever(client: RawClient) -> None:
    assert (
        asked(client, "tools/call", name="get_editor_state")["result"]["resultType"] == "complete"
    )


@pytest.mark.parametrize(
    ("arguments", "code"), [({"mode": 7}, "ERR_INVALID_PARAMS"), ("x", "ERR_INVALID_REQUEST")]
)
def test_a_job_call_that_is_refused_makes_no_task(
    client: RawClient, arguments: Any, code: str
) -> None:
    result = asked(client, "tools/call", name="run_tests", arguments=arguments)["result"]
    assert result["isError"] is True
    assert result["structuredContent"]["error"]["code"] == code


def test_a_task_works_until_its_job_has_ended(client: RawClient, endpoint: ServedEndpoint) -> None:
    created = asked(client, "tools/call", name="run_tests", arguments={})["result"]
    working = task(client)
    assert (working["status"], working["resultType"]) == ("working", "complete")
    assert working["createdAt"] == created["createdAt"]
    endpoint.call_service.jobs["job-1"] = {
        "progress": {"completed": 3, "total": 40, "current_test": "A"}
    }
    assert task(client)["statusMessage"] == "3 of 40"
    endpoint.call_service.jobs["job-1"] = {
        "progress": {"step": "entering_play_mode", "for_ms": 12_300}
    }
    assert task(client)["statusMessage"] == "entering play mode, 12 s"


@pytest.mark.parametrize(
    ("job", "is_error"),
    [
        ({"state": "succeeded", "result": SUMMARY}, False),
        ({"state": "failed", "result": SUMMARY}, False),
        ({"state": "failed", "result": None, "error": {"code": "ERR_UNITY_EXECUTION"}}, True),
        ({"state": "timeout", "result": None, "error": {"code": "ERR_REQUEST_TIMEOUT"}}, True),
    ],
    ids=["passed", "found faults", "not carried out", "timed out"],
)
def test_the_calls_result_is_in_the_task_that_has_ended(
    client: RawClient, endpoint: ServedEndpoint, job: Dict[str, Any], is_error: bool
) -> None:
    asked(client, "tools/call", name="run_tests", arguments={})
    endpoint.call_service.jobs["job-1"] = job
    ended = task(client)
    assert ended["status"] == "completed"
    result = ended["result"]
    assert (result["resultType"], result["isError"]) == ("complete", is_error)
    assert result["structuredContent"]["state"] == job["state"]
    text = json.loads(result["content"][0]["text"])
    assert text == job_as_text(result["structuredContent"]) and text["state"] == job["state"]


@pytest.mark.parametrize("ends_at_once", [True, False])
def test_the_result_for_claude_code_is_text_only(
    client: RawClient, endpoint: ServedEndpoint, ends_at_once: bool
) -> None:
    meta = {
        **DECLARED,
        "io.modelcontextprotocol/clientInfo": {"name": "claude-code", "version": "2.1.330"},
    }
    ended = {"state": "failed", "result": SUMMARY}
    if ends_at_once:
        endpoint.call_service.jobs["job-1"] = ended
    result = asked(client, "tools/call", meta, name="run_tests", arguments={})["result"]
    if not ends_at_once:
        endpoint.call_service.jobs["job-1"] = ended
        result = asked(client, "tasks/get", meta, taskId="job-1")["result"]["result"]
    assert "structuredContent" not in result
    assert json.loads(result["content"][0]["text"])["state"] == "failed"


def test_a_job_that_was_cancelled_is_a_task_that_was(
    client: RawClient, endpoint: ServedEndpoint
) -> None:
    endpoint.call_service.jobs["job-1"] = {"state": "cancelled"}
    cancelled = task(client)
    assert cancelled["status"] == "cancelled"
    assert "result" not in cancelled


def test_a_job_of_an_earlier_server_is_a_task_too(
    client: RawClient, endpoint: ServedEndpoint
) -> None:
    endpoint.call_service.jobs["inherited"] = {
        "state": "succeeded",
        "tool": "run_tests",
        "result": SUMMARY,
    }
    assert task(client, task_id="inherited")["result"]["isError"] is False


def test_cancelling_and_updating_are_acknowledged(
    client: RawClient, endpoint: ServedEndpoint
) -> None:
    endpoint.call_service.jobs["job-1"] = {"state": "running"}
    for method in ("tasks/cancel", "tasks/update"):
        assert set(task(client, method)) == {"resultType", "_meta"}
    assert [call.tool.name for call in endpoint.call_service.calls] == [
        "cancel_job",
        "get_job_status",
    ]


@pytest.mark.parametrize("method", ["tasks/get", "tasks/cancel", "tasks/update"])
@pytest.mark.parametrize("task_id", ["nobody's", "", None, 7])
def test_an_invalid_task_is_refused_as_such(client: RawClient, method: str, task_id: Any) -> None:
    assert asked(client, method, taskId=task_id)["error"]["code"] == -32602


@pytest.mark.parametrize("method", ["tasks/get", "tasks/cancel", "tasks/update"])
def test_a_client_that_asks_for_a_task_must_be_able_to_follow_it(
    client: RawClient, method: str
) -> None:
    error = asked(client, method, MODERN_META, taskId="job-1")["error"]
    assert error["code"] == -32021
    assert error["data"] == {"requiredCapabilities": {"extensions": {TASKS: {}}}}


def test_there_is_no_list_and_no_result_of_tasks(client: RawClient) -> None:
    for method in ("tasks/list", "tasks/result"):
        assert asked(client, method, taskId="job-1")["error"]["code"] == -32601


def test_a_question_that_waits_for_the_bridge_is_refused_at_the_end(
    loading: ServedEndpoint,
) -> None:
    client = loading.client
    client.asks(1, "tasks/get", {"taskId": "job-1", "_meta": DECLARED})
    assert client.asks_for(2, "server/discover", modern=True)["result"]
    loading.server.stop(StopReason.SIGTERM)
    refused = client.hears()
    assert (refused["id"], refused["error"]["code"]) == (1, -32603)
    assert "Nothing was run" in refused["error"]["message"]


def test_a_call_that_is_cancelled_before_there_is_a_job_is_abandoned(
    client: RawClient, endpoint: ServedEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        endpoint.call_service, "_outcome", lambda call, request_id: pytest.fail("it is held")
    )
    monkeypatch.setattr(endpoint.call_service, "_holds", lambda call: True)
    client.asks(1, "tools/call", {"name": "run_tests", "arguments": {}, "_meta": DECLARED})
    held = endpoint.call_service.held.get(timeout=GUARD_S)
    client.cancels(1)
    assert endpoint.call_service.abandoned.get(timeout=GUARD_S) == held.request_id
