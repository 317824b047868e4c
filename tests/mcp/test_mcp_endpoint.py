"""The MCP endpoint as a client meets it: everything over real pipes, with only the call service
faked.
"""

from __future__ import annotations

import asyncio
import gc
import json
import random
from typing import Any, Dict, List, Type

import pytest

from tests.mcp.conftest import Panic, ServedEndpoint
from tests.mcp.fake_call_service import EDITOR_STATE, SHOWN_STATE, console
from tests.mcp.raw_client import GUARD_S, MODERN_META, RawClient
from unity_bridge.base.result import Ok
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.catalogue.calls import Progress
from unity_bridge.mcp.client_calls import RunningCall
from unity_bridge.mcp.owed_requests import Owed
from unity_bridge.version import __version__

BOTH_ERAS = pytest.mark.parametrize("modern", [False, True], ids=["handshake", "envelope"])

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = (
    -32700,
    -32600,
    -32601,
    -32602,
    -32603,
)


def error_of(answer: Any) -> Any:
    """The error object of a failed call, which the answer must hold twice and alike."""
    result = answer["result"]
    assert result["isError"] is True
    assert [part["type"] for part in result["content"]] == ["text"]
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    return result["structuredContent"]["error"]


def result_of(answer: Any) -> Any:
    """The structured result of a call that worked, which the answer must hold twice and alike."""
    result = answer["result"]
    assert result["isError"] is False
    assert [part["type"] for part in result["content"]] == ["text"]
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    return result["structuredContent"]


# --- the two protocol eras ---


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_every_handshake_version_is_served_as_asked(endpoint: ServedEndpoint, version: str) -> None:
    result = endpoint.client.shakes_hands(version)
    assert result["protocolVersion"] == version
    assert result["serverInfo"] == {
        "name": "unity-bridge",
        "title": "Unity Bridge",
        "version": __version__,
    }
    assert list(result["capabilities"]) == ["prompts", "tools"]
    assert "get_editor_state" in result["instructions"]
    assert result_of(endpoint.client.gets(1, "get_editor_state")) == SHOWN_STATE


@pytest.mark.parametrize("version", ["1999-01-01", "2026-07-28", ""])
def test_a_handshake_version_that_does_not_exist_is_offered_the_newest(
    endpoint: ServedEndpoint, version: str
) -> None:
    assert endpoint.client.shakes_hands(version)["protocolVersion"] == "2025-11-25"


def test_a_client_may_shake_hands_again(client: RawClient) -> None:
    assert client.shakes_hands("2025-06-18")["protocolVersion"] == "2025-06-18"
    assert result_of(client.gets(1, "get_editor_state"))


def test_the_newest_protocol_needs_no_handshake(endpoint: ServedEndpoint) -> None:
    discovered = endpoint.client.asks_for(1, "server/discover", modern=True)["result"]
    assert "2026-07-28" in discovered["supportedVersions"]
    assert list(discovered["capabilities"]) == ["extensions", "prompts", "tools"]
    assert result_of(endpoint.client.gets(2, "get_editor_state", modern=True)) == SHOWN_STATE


def test_a_client_may_probe_first_and_shake_hands_then(endpoint: ServedEndpoint) -> None:
    client = endpoint.client
    assert "result" in client.asks_for("probe", "server/discover", modern=True)
    assert client.shakes_hands()["protocolVersion"] == "2025-11-25"
    assert result_of(client.gets(1, "get_editor_state"))


def test_both_eras_are_served_side_by_side(client: RawClient) -> None:
    for id in range(1, 9):
        assert result_of(client.gets(id, "get_editor_state", modern=id % 2 == 0))


@pytest.mark.slow
def test_a_probe_without_an_envelope_is_answered_with_the_handshake_it_needs(
    endpoint: ServedEndpoint,
) -> None:
    error = endpoint.client.asks_for(1, "server/discover")["error"]
    assert (
        error["code"] == INVALID_PARAMS
        and "io.modelcontextprotocol/protocolVersion" in error["message"]
    )
    assert endpoint.client.shakes_hands()


def test_an_envelope_of_an_unknown_version_is_refused_with_the_known_ones(
    endpoint: ServedEndpoint,
) -> None:
    meta = {**MODERN_META, "io.modelcontextprotocol/protocolVersion": "2031-01-01"}
    error = endpoint.client.asks_for(1, "tools/list", {"_meta": meta})["error"]
    assert error["code"] == -32022
    assert error["data"]["supported"] == ["2026-07-28"]


def test_before_the_handshake_only_ping_is_served(endpoint: ServedEndpoint) -> None:
    client = endpoint.client
    assert client.asks_for(1, "ping")["result"] == {}
    assert client.asks_for(2, "tools/list")["error"]["code"] == INVALID_PARAMS
    assert client.asks_for(3, "no/such")["error"]["code"] == METHOD_NOT_FOUND
    assert endpoint.call_service.calls == []


@BOTH_ERAS
@pytest.mark.parametrize(
    "method", ["no/such", "resources/list", "resources/read", "logging/setLevel", "tasks/list", ""]
)
def test_an_unknown_method_is_not_found(client: RawClient, method: str, modern: bool) -> None:
    params = {"uri": "a://b", "level": "info"}
    assert client.asks_for(1, method, params, modern)["error"]["code"] == METHOD_NOT_FOUND


# --- prompts ---


@BOTH_ERAS
def test_three_prompts_name_tools_that_exist(client: RawClient, modern: bool) -> None:
    listed = client.asks_for(1, "prompts/list", modern=modern)["result"]["prompts"]
    assert [prompt["name"] for prompt in listed] == ["fix-compile", "run-failed", "look-at-scene"]
    for number, prompt in enumerate(listed, 2):
        got = client.asks_for(number, "prompts/get", {"name": prompt["name"]}, modern)["result"]
        (message,) = got["messages"]
        assert (message["role"], got["description"]) == ("user", prompt["description"])
        assert any(tool in message["content"]["text"] for tool in CATALOGUE)


def test_an_unknown_prompt_is_refused_with_the_known_ones(client: RawClient) -> None:
    error = client.asks_for(1, "prompts/get", {"name": "fix"})["error"]
    assert error["code"] == INVALID_PARAMS
    assert "fix-compile, run-failed, look-at-scene" in error["message"]


# --- tools/list ---


@BOTH_ERAS
def test_the_list_of_tools_is_the_catalogue(client: RawClient, modern: bool) -> None:
    listed = client.asks_for(1, "tools/list", modern=modern)["result"]["tools"]
    assert [tool["name"] for tool in listed] == list(CATALOGUE)
    for published, tool in zip(listed, CATALOGUE.values()):
        assert published["inputSchema"] == tool.published_schema
        assert "outputSchema" not in published
        assert (published["title"], published["description"]) == (tool.title, tool.description)


@BOTH_ERAS
def test_the_list_of_tools_has_at_most_10500_bytes(client: RawClient, modern: bool) -> None:
    listed = client.asks_for(1, "tools/list", modern=modern)
    assert len(json.dumps(listed, ensure_ascii=False, separators=(",", ":")).encode()) <= 10_500


def test_the_annotations_are_those_of_the_contract(client: RawClient) -> None:
    listed = client.asks_for(1, "tools/list")["result"]["tools"]
    read = {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False}
    acts = {"readOnlyHint": False, "destructiveHint": False, "openWorldHint": False}
    assert {tool["name"]: tool["annotations"] for tool in listed} == {
        "compile": {**acts, "idempotentHint": True},
        "run_tests": {**acts, "idempotentHint": False},
        "read_console": read,
        "play_mode": {**acts, "idempotentHint": False},
        "inspect": read,
        "run_csharp": {
            **acts,
            "destructiveHint": True,
            "openWorldHint": True,
            "idempotentHint": False,
        },
        "screenshot": {**read, "idempotentHint": False},
        "run_command": {**acts, "idempotentHint": False, "destructiveHint": True},
        "get_editor_state": read,
        "get_job_status": read,
        "cancel_job": {**acts, "idempotentHint": True},
    }


@BOTH_ERAS
def test_the_list_of_tools_is_short_plain_and_always_the_same(
    client: RawClient, modern: bool
) -> None:
    lists = [client.asks_for(id, "tools/list", modern=modern)["result"] for id in (1, 2)]
    assert lists[0] == lists[1]
    text = json.dumps(lists[0], separators=(",", ":"))
    assert len(text) <= 10_500
    assert "$ref" not in text


def test_every_argument_is_described_in_a_few_words_and_every_schema_says_what_is_required(
    client: RawClient,
) -> None:
    for tool in client.asks_for(1, "tools/list")["result"]["tools"]:
        assert isinstance(tool["inputSchema"]["required"], list), tool["name"]
        for name, schema in tool["inputSchema"]["properties"].items():
            assert 1 <= len(schema["description"].split()) <= 12, (tool["name"], name)


def test_the_list_has_a_key_for_jobs_only_and_no_keyword_that_breaks_a_client(
    client: RawClient,
) -> None:
    schemas = {
        tool["name"]: tool["inputSchema"]
        for tool in client.asks_for(1, "tools/list")["result"]["tools"]
    }
    keyed = {
        name for name, schema in schemas.items() if "client_request_id" in schema["properties"]
    }
    assert keyed == {"compile", "run_tests", "play_mode", "run_command", "run_csharp"}
    described = {schemas[name]["properties"]["client_request_id"]["description"] for name in keyed}
    assert described == {"Only to repeat a call whose answer was lost."}
    arguments_of_commands = schemas["run_command"]["properties"]["arguments"]
    assert arguments_of_commands.pop("additionalProperties") == {
        "description": "Any value."
    }  # SPEC §8.2
    assert "additionalProperties" not in json.dumps(schemas)
    for arguments in ({"client_request_id": "a"}, {"timeout_ms": 5000}):
        assert not client.gets(2, "get_editor_state", arguments, modern=False)["result"].get(
            "isError"
        )


@BOTH_ERAS
def test_there_is_one_page_of_tools(client: RawClient, modern: bool) -> None:
    assert (
        client.asks_for(1, "tools/list", {"cursor": "next"}, modern)["error"]["code"]
        == INVALID_PARAMS
    )


# --- results and errors ---


@BOTH_ERAS
@pytest.mark.parametrize(
    ("tool", "arguments", "result"),
    [
        ("get_editor_state", {}, SHOWN_STATE),
        ("get_editor_state", {"detail": True}, EDITOR_STATE),
        (
            "read_console",
            {"contains": "日本語 \U0001f600 \u2028"},
            console(1, "日本語 \U0001f600 \\u{2028}"),
        ),
        ("run_tests", {"mode": "edit"}, {"job_id": "job-1", "state": "queued"}),
    ],
)
def test_a_result_is_returned_as_structure_and_as_text(
    client: RawClient, tool: str, arguments: Any, result: Any, modern: bool
) -> None:
    assert result_of(client.gets(1, tool, arguments, modern)) == result


@BOTH_ERAS
def test_the_text_of_a_job_leaves_out_what_says_nothing(client: RawClient, modern: bool) -> None:
    result = client.gets(1, "get_job_status", {"job_id": "j"}, modern)["result"]
    assert result["structuredContent"] == {
        "job_id": "j",
        "state": "running",
        "progress": None,
        "result": None,
    }
    assert json.loads(result["content"][0]["text"]) == {"job_id": "j", "state": "running"}


@BOTH_ERAS
def test_a_result_of_a_megabyte_is_cut_to_what_an_answer_may_have(
    client: RawClient, modern: bool
) -> None:
    answer = client.gets(1, "read_console", {"contains": "entries 2000"}, modern)["result"]
    result = answer["structuredContent"]
    assert len(answer["content"][0]["text"].encode()) <= 24_000
    assert len(result["entries"]) + result["omitted"]["entries"] == 2000


@BOTH_ERAS
def test_an_answered_call_leaves_nothing_to_the_garbage_collector(
    client: RawClient, modern: bool
) -> None:
    """A call may have megabytes of arguments, and the collector comes rarely."""
    gc.collect()
    gc.disable()
    try:
        for id in range(10):
            client.gets(id, "read_console", modern=modern)
        kept = [one for one in gc.get_objects() if type(one) in (Owed, RunningCall)]
    finally:
        gc.enable()
    assert len(kept) <= 2, "no more than the thread has of the last one"


@BOTH_ERAS
def test_a_failed_call_is_a_result_that_says_so(client: RawClient, modern: bool) -> None:
    error = error_of(client.gets(1, "read_console", {"contains": "refuse"}, modern))
    assert error == {
        "code": "ERR_EDITOR_NOT_READY",
        "message": "No Unity Editor is connected. Open the project.",
        "retryable": True,
        "details": {
            "execution_guarantee": "not_executed",
            "recovery": "check_get_editor_state_then_retry",
            "request_id": "req-1",
        },
    }


@BOTH_ERAS
@pytest.mark.parametrize(
    "tool, nearest",
    [("readconsole", "read_console"), ("nope", None), ("x" * 10_000, None), ("\n", None)],
)
def test_an_unknown_tool_is_a_protocol_error_with_the_same_object(
    client: RawClient, endpoint: ServedEndpoint, tool: str, nearest: Any, modern: bool
) -> None:
    error = client.gets(1, tool, modern=modern)["error"]
    assert error["code"] == INVALID_PARAMS
    assert error["message"] == error["data"]["message"]
    assert error["data"]["code"] == "ERR_UNKNOWN_COMMAND"
    assert error["data"]["details"].get("nearest") == nearest
    # Once: the message has them.
    assert (
        all(name in error["message"] for name in CATALOGUE)
        and "known_tools" not in error["data"]["details"]
    )
    assert endpoint.call_service.calls == []


@BOTH_ERAS
@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({}, "ERR_INVALID_REQUEST"),
        ({"arguments": {}}, "ERR_INVALID_REQUEST"),
        ({"name": 7}, "ERR_INVALID_REQUEST"),
        ({"name": None}, "ERR_INVALID_REQUEST"),
        ({"name": "read_console", "arguments": []}, "ERR_INVALID_REQUEST"),
        ({"name": "read_console", "arguments": "no object"}, "ERR_INVALID_REQUEST"),
        ({"name": "read_console", "arguments": 7}, "ERR_INVALID_REQUEST"),
        ({"name": "read_console", "arguments": {"client_request_id": "\n"}}, "ERR_INVALID_REQUEST"),
        ({"name": "read_console", "arguments": {"max_entries": 0}}, "ERR_INVALID_PARAMS"),
        ({"name": "read_console", "arguments": {"max": 1}}, "ERR_INVALID_PARAMS"),
        ({"name": "read_console", "arguments": {"timeout_ms": 30_001}}, "ERR_INVALID_PARAMS"),
        ({"name": "cancel_job"}, "ERR_INVALID_PARAMS"),
    ],
)
def test_a_bad_call_is_refused_with_what_to_send_and_never_queued(
    client: RawClient, endpoint: ServedEndpoint, params: Any, code: int, modern: bool
) -> None:
    error = error_of(client.asks_for(1, "tools/call", params, modern))
    assert error["code"] == code
    assert error["retryable"] is False
    assert error["details"]["execution_guarantee"] == "not_executed"
    assert endpoint.call_service.calls == []


@BOTH_ERAS
@pytest.mark.parametrize(
    "arguments", [None, {}, "{}", {"max_entries": "50"}, '{"include_stack_trace": "false"}']
)
def test_stringified_and_absent_arguments_are_taken_for_what_they_mean(
    client: RawClient, endpoint: ServedEndpoint, arguments: Any, modern: bool
) -> None:
    assert result_of(
        client.asks_for(1, "tools/call", {"name": "read_console", "arguments": arguments}, modern)
    )
    assert endpoint.call_service.calls[0].params == {
        "max_entries": 50,
        "include_stack_trace": False,
    }


def test_a_timeout_travels_with_the_call(client: RawClient, endpoint: ServedEndpoint) -> None:
    client.gets(1, "read_console")  # the next one waits for no bridge, which would count
    client.gets(2, "read_console", {"timeout_ms": 77})
    assert endpoint.call_service.calls[1].timeout_ms == 77


@BOTH_ERAS
@pytest.mark.parametrize("contains", ["", "refuse", "nan", "bug"])
def test_the_clients_own_id_comes_back_next_to_the_answer(
    client: RawClient, endpoint: ServedEndpoint, contains: str, modern: bool
) -> None:
    answer = client.gets(
        1, "read_console", {"contains": contains, "client_request_id": "mine"}, modern
    )
    assert answer["result"]["_meta"]["unity-bridge/client_request_id"] == "mine"
    assert "unity-bridge" not in str(
        client.gets(2, "read_console", modern=modern)["result"]["content"]
    )
    assert all(call.client_request_id == "mine" for call in endpoint.call_service.calls[:-1])


@BOTH_ERAS
@pytest.mark.parametrize("arguments", [{"max_entries": 0}, {"max": 1}, {"timeout_ms": 0}])
def test_the_clients_own_id_comes_back_with_a_refusal_too(
    client: RawClient, arguments: Any, modern: bool, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    answer = client.gets(1, "read_console", {**arguments, "client_request_id": "mine"}, modern)
    assert error_of(answer)["code"] == "ERR_INVALID_PARAMS"
    assert answer["result"]["_meta"]["unity-bridge/client_request_id"] == "mine"
    (logged,) = (record for record in caplog.records if record.getMessage() == "call refused")
    assert vars(logged)["values"]["client_request_id"] == "mine"


@BOTH_ERAS
def test_an_invalid_id_does_not_come_back(client: RawClient, modern: bool) -> None:
    answer = client.gets(1, "read_console", {"client_request_id": "two\nlines"}, modern)
    assert error_of(answer)["code"] == "ERR_INVALID_REQUEST"
    assert "unity-bridge/client_request_id" not in answer["result"].get("_meta", {})


@BOTH_ERAS
@pytest.mark.parametrize("contains", ["nan", "bug"])
def test_a_bad_result_and_a_bug_are_never_the_clients_fault(
    client: RawClient, contains: str, modern: bool
) -> None:
    error = error_of(client.gets(1, "read_console", {"contains": contains}, modern))
    assert error["code"] == "ERR_INVALID_RESPONSE"
    assert error["details"]["execution_guarantee"] == "unknown"
    assert result_of(client.gets(2, "get_editor_state", modern=modern))


def test_a_bug_in_the_validation_is_not_the_clients_fault_either(
    client: RawClient, endpoint: ServedEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    def validate(name: Any, arguments: Any) -> None:
        raise TypeError("a bug")

    monkeypatch.setattr(endpoint.bridge.validator, "validate", validate)
    error = error_of(client.gets(1, "read_console"))
    assert (error["code"], error["details"]["execution_guarantee"]) == (
        "ERR_UNITY_EXECUTION",
        "not_executed",
    )


def test_numbers_that_are_none_may_be_spoken_of(client: RawClient) -> None:
    entries = result_of(client.gets(1, "read_console", {"contains": "NaN, Infinity"}))["entries"]
    assert entries[0]["message"] == "NaN, Infinity"


def test_half_a_character_from_unity_is_replaced(client: RawClient) -> None:
    entries = result_of(client.gets(1, "read_console", {"contains": "half a character"}))["entries"]
    assert entries[0]["message"] == "half \ufffd of it"


def test_half_a_character_from_the_client_is_replaced(
    client: RawClient, endpoint: ServedEndpoint
) -> None:
    client.says(
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":'
        b'{"name":"read_console","arguments":{"contains":"\\ud800"}}}\n'
    )
    assert result_of(client.hears())
    assert endpoint.call_service.calls[0].params["contains"] == "\ufffd"


@BOTH_ERAS
def test_metadata_that_is_too_deep_or_no_object_is_answered(
    client: RawClient, modern: bool
) -> None:
    deep: Dict[str, Any] = {}
    current = deep
    for _ in range(300):
        current["deeper"] = {}
        current = current["deeper"]
    metas: List[Any] = [deep, [], 7, "x", None]
    for id, meta in enumerate(metas, 1):
        assert (
            client.asks_for(id, "tools/call", {"name": "get_editor_state", "_meta": meta})["id"]
            == id
        )


# --- the wire ---


def test_an_invalid_message_is_refused_and_the_next_one_served(client: RawClient) -> None:
    for line in (b"rubbish", b"[]", b'"x"', b'{"jsonrpc":"2.0"}', b"\xff", b"[" * 100_000):
        client.says(line + b"\n")
        assert client.hears()["error"]["code"] in (PARSE_ERROR, INVALID_REQUEST)
    assert result_of(client.gets(1, "get_editor_state"))


def test_a_line_of_ten_megabytes_is_refused(client: RawClient) -> None:
    client.says(
        b'{"jsonrpc":"2.0","id":5,"method":"ping","params":{"a":"' + b"p" * 10_000_000 + b'"}}\n'
    )
    answer = client.hears()
    assert (answer["id"], answer["error"]["code"]) == (None, INVALID_REQUEST)
    assert client.asks_for(6, "ping")["result"] == {}


def test_an_argument_of_a_megabyte_is_taken(client: RawClient, endpoint: ServedEndpoint) -> None:
    assert client.gets(1, "run_tests", {"filter": "f" * 1_000_000})
    assert len(endpoint.call_service.calls[0].params["filter"]) == 1_000_000


@BOTH_ERAS
def test_thirty_two_calls_at_once_each_get_their_own_answer(
    client: RawClient, endpoint: ServedEndpoint, modern: bool
) -> None:
    for id in range(32):
        client.calls(id, "read_console", {"contains": "hold", "max_entries": id + 1}, modern)
    held = [endpoint.call_service.held.get(timeout=GUARD_S) for _ in range(32)]
    assert client.asks_for("during it", "tools/list", modern=modern)["result"]
    for call in reversed(held):
        call.on_outcome(Ok(console(call.call.params["max_entries"])))
    answers = {answer["id"]: result_of(answer)["count"] for answer in client.hears_all(32)}
    assert answers == {id: id + 1 for id in range(32)}


def test_an_id_in_flight_cannot_be_used_twice(client: RawClient, endpoint: ServedEndpoint) -> None:
    client.calls(7, "read_console", {"contains": "hold"})
    held = endpoint.call_service.held.get(timeout=GUARD_S)
    for twin in (7, "7"):
        assert client.gets(twin, "get_editor_state")["error"]["code"] == INVALID_REQUEST
    held.on_outcome(Ok(console(0)))
    assert result_of(client.hears()) == console(0)
    assert result_of(client.gets(7, "get_editor_state"))
    assert len(endpoint.call_service.calls) == 2


def test_an_id_in_flight_cannot_be_used_in_the_other_era_either(
    client: RawClient, endpoint: ServedEndpoint
) -> None:
    client.calls(7, "read_console", {"contains": "hold"})
    held = endpoint.call_service.held.get(timeout=GUARD_S)
    assert client.gets(7, "get_editor_state", modern=True)["error"]["code"] == INVALID_REQUEST
    held.on_outcome(Ok(console(0)))
    assert result_of(client.hears())


REFUSED = [
    b"rubbish",
    b"[]",
    b"7",
    b"{}",
    b"\xff",
    b'{"id":1.5}',
    b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
    b"[" * 9999,
]
UNANSWERED = [
    b"",
    b"\r",
    b'{"jsonrpc":"2.0","method":"no/such"}',
    b'{"jsonrpc":"2.0","id":1,"result":{}}',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"nobody"}}',
]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_each_line_of_any_mixture_gets_its_due_exactly_once(client: RawClient, seed: int) -> None:
    chance = random.Random(seed)
    client.seen.clear()
    asked, refused, said = [], 0, b""
    for number in range(400):
        kind = chance.randrange(4)
        if kind == 0:
            said += chance.choice(UNANSWERED) + b"\n"
        elif kind == 1:
            said += chance.choice(REFUSED) + b"\n"
            refused += 1
        else:
            id = chance.choice([number, f"n{number}"])
            asked.append(id)
            params = {
                "name": chance.choice(["get_editor_state", "read_console", "nope", ""]),
                "arguments": {},
            }
            if chance.random() < 0.5:
                params["_meta"] = MODERN_META
            request = {
                "jsonrpc": "2.0",
                "id": id,
                "method": chance.choice(["ping", "tools/call", "no/such"]),
            }
            said += json.dumps({**request, "params": params}).encode() + chance.choice(
                [b"\n", b"\r\n"]
            )
    while said:
        size = chance.randrange(1, 3000)
        client.says(said[:size])
        said = said[size:]
    heard = client.hears_all(len(asked) + refused)
    assert client.asks_for("last", "ping")["result"] == {}
    assert sorted(map(str, (line["id"] for line in heard if line["id"] is not None))) == sorted(
        map(str, asked)
    )


# --- cancel ---


@BOTH_ERAS
@pytest.mark.parametrize(
    ("id", "cancelled_as"), [(7, 7), ("seven", "seven"), (7, "7"), ("7", 7), (0, 0), ("", "")]
)
def test_a_cancelled_call_is_abandoned_and_never_answered(
    client: RawClient, endpoint: ServedEndpoint, id: Any, cancelled_as: Any, modern: bool
) -> None:
    client.calls(id, "read_console", {"contains": "hold"}, modern)
    held = endpoint.call_service.held.get(timeout=GUARD_S)
    client.cancels(cancelled_as)
    assert endpoint.call_service.abandoned.get(timeout=GUARD_S) == held.request_id
    held.on_outcome(Ok(console(0)))
    assert client.asks_for("after", "tools/list", modern=modern)
    assert not [line for line in client.seen if line.get("id") == id and line is not client.seen[0]]


def test_the_id_of_a_cancelled_call_may_be_used_again(
    client: RawClient, endpoint: ServedEndpoint
) -> None:
    client.calls(7, "read_console", {"contains": "hold"})
    endpoint.call_service.held.get(timeout=GUARD_S)
    client.cancels(7)
    endpoint.call_service.abandoned.get(timeout=GUARD_S)
    assert result_of(client.gets(7, "get_editor_state"))


def test_a_call_cancelled_in_the_same_breath_is_not_answered(
    client: RawClient, endpoint: ServedEndpoint
) -> None:
    call = {"jsonrpc": "2.0", "id": 7, "method": "tools/call"}
    call["params"] = {"name": "read_console", "arguments": {"contains": "hold"}}
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
    client.says(json.dumps(call).encode() + b"\n" + json.dumps(cancel).encode() + b"\n")
    assert client.asks_for(8, "ping")["result"] == {}
    assert result_of(client.gets(7, "get_editor_state"))


@pytest.mark.parametrize("id", [99, "99", None, 1.5, [], {"a": 1}])
def test_a_cancel_of_nothing_does_nothing(
    client: RawClient, endpoint: ServedEndpoint, id: Any
) -> None:
    client.calls(7, "read_console", {"contains": "hold"})
    held = endpoint.call_service.held.get(timeout=GUARD_S)
    client.cancels(id)
    client.says_line({"jsonrpc": "2.0", "method": "notifications/cancelled"})
    held.on_outcome(Ok(console(0)))
    assert result_of(client.hears()) == console(0)


@pytest.mark.parametrize(
    "method", ["notifications/initialized", "notifications/roots/list_changed", "no/such"]
)
def test_a_notification_is_never_answered(client: RawClient, method: str) -> None:
    client.says_line({"jsonrpc": "2.0", "method": method, "params": {}})
    assert client.asks_for(1, "ping")["result"] == {}


# --- progress ---


@BOTH_ERAS
@pytest.mark.parametrize("token", [1, "token", 0, ""])
def test_progress_rises_and_comes_before_the_answer(
    client: RawClient, token: Any, modern: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unity_bridge.mcp.progress._APART_S", 0)
    client.calls(
        1, "read_console", {"contains": "progress"}, modern, _meta={"progressToken": token}
    )
    *progress, answer = client.hears_all(5)
    assert result_of(answer)
    assert [line["method"] for line in progress] == ["notifications/progress"] * 4
    assert [line["params"] for line in progress] == [
        {"progressToken": token, "progress": completed, "total": 5, "message": f"Test{completed}"}
        for completed in (0, 1, 3, 5)
    ]


@BOTH_ERAS
@pytest.mark.parametrize(
    "meta", [{}, {"progressToken": None}, {"progressToken": True}, {"progressToken": []}]
)
def test_without_a_token_there_is_no_progress(
    client: RawClient, endpoint: ServedEndpoint, meta: Any, modern: bool
) -> None:
    client.calls(1, "read_console", {"contains": "progress"}, modern, _meta=meta)
    assert client.hears()["id"] == 1


def test_progress_after_the_end_is_not_sent(client: RawClient, endpoint: ServedEndpoint) -> None:
    client.calls(1, "read_console", {"contains": "hold"}, _meta={"progressToken": 1})
    held = endpoint.call_service.held.get(timeout=GUARD_S)
    held.on_outcome(Ok(console(0)))
    assert held.on_progress is not None
    held.on_progress(Progress(1, 2))
    assert result_of(client.hears())
    assert client.asks_for(2, "ping")["result"] == {}


# --- an SDK that fails


@pytest.mark.parametrize("fault", [RuntimeError, Panic, asyncio.CancelledError])
def test_an_sdk_that_breaks_under_a_request_leaves_no_client_waiting_and_calls_go_on(
    client: RawClient, monkeypatch: pytest.MonkeyPatch, fault: Type[BaseException]
) -> None:
    pytest.importorskip("mcp_types", reason="mcp needs Python 3.10")
    from mcp.server.lowlevel import Server

    async def breaks(server: Any, read_stream: Any, *others: Any) -> None:
        await read_stream.receive()
        raise fault("a bug in the SDK's loop")

    monkeypatch.setattr(Server, "run", breaks)
    assert client.asks_for(1, "no/such")["error"]["code"] == INTERNAL_ERROR
    assert client.asks_for(2, "no/such")["error"]["code"] == INTERNAL_ERROR
    assert result_of(client.gets(3, "get_editor_state"))


# --- arguments that are guessed ---


def test_an_answer_says_what_was_taken_for_what(client: RawClient) -> None:
    result = client.gets(1, "read_console", {"maxEntries": "5"})["result"]
    remarks = ["maxEntries was taken as max_entries.", 'max_entries "5" was taken as 5.']
    assert result["structuredContent"]["remarks"] == remarks
    assert json.loads(result["content"][0]["text"])["remarks"] == remarks


def test_an_error_says_it_in_its_details(client: RawClient) -> None:
    result = client.gets(1, "read_console", {"maxEntries": 5, "contains": "refuse"})["result"]
    assert result["structuredContent"]["error"]["details"]["remarks"] == [
        "maxEntries was taken as max_entries."
    ]


def test_a_picture_says_it_in_its_text(client: RawClient) -> None:
    result = client.gets(1, "screenshot", {"format": "jpeg"})["result"]
    assert "structuredContent" not in result
    assert json.loads(result["content"][-1]["text"])["remarks"] == [
        'format "jpeg" was taken as "jpg".'
    ]
