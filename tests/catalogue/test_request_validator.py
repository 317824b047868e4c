"""What a client may send, and the one clear sentence it gets for everything else."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from unity_bridge.base.errors import ErrorCode
from unity_bridge.base.result import Err, Ok
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.catalogue.request_validator import RequestValidator, client_request_id_in
from unity_bridge.catalogue.tool import Effect, Mode, Service, Tool

ROOT = Path(__file__).parents[2]
VALIDATOR = RequestValidator()
OWN_ARGUMENTS: Dict[str, Dict[str, Any]] = {
    "compile": {"force": False, "warnings": False, "changed_scenes": "refuse"},
    "get_editor_state": {"detail": False},
    "screenshot": {"view": "game", "max_size": 1024, "format": "jpg", "frames": 1, "every_ms": 250},
    "play_mode": {"action": "enter", "frames": 1},
    "read_console": {"max_entries": 50, "include_stack_trace": False},
    "inspect": {"what": "scenes", "depth": 2, "limit": 100},
    "run_csharp": {"code": "1", "usings": []},
    "run_tests": {
        "mode": "all",
        "refresh": True,
        "unsaved": "refuse",
        "changed_scenes": "refuse",
        "include_passed": False,
    },
    "run_command": {"arguments": {}},
    "get_job_status": {"job_id": "job-1"},
    "cancel_job": {"job_id": "job-1"},
}
REQUIRED: Dict[str, Dict[str, Any]] = {
    "run_csharp": {"code": "1"},
    "play_mode": {"action": "enter"},
    "get_job_status": {"job_id": "job-1"},
    "cancel_job": {"job_id": "job-1"},
    "inspect": {"what": "scenes"},
}
TOOLS = sorted(CATALOGUE)


def accepted(name: Any, arguments: Any) -> Any:
    outcome = VALIDATOR.validate(name, arguments)
    assert isinstance(outcome, Ok), outcome
    return outcome.value


def refused(name: Any, arguments: Any) -> Any:
    outcome = VALIDATOR.validate(name, arguments)
    assert isinstance(outcome, Err), outcome
    json.dumps(outcome.error.as_json(), allow_nan=False)
    assert len(outcome.error.error.message) < 500
    return outcome.error


@pytest.mark.parametrize("tool", TOOLS)
def test_the_least_a_client_can_say_gets_every_default(tool: str) -> None:
    call = accepted(tool, REQUIRED.get(tool))
    assert call.tool is CATALOGUE[tool]
    assert call.params == OWN_ARGUMENTS[tool]
    assert call.timeout_ms == CATALOGUE[tool].default_timeout_ms
    assert call.wait_ms == (50_000 if CATALOGUE[tool].mode is Mode.JOB else 0)
    assert call.client_request_id is None and call.client is None


def test_the_common_arguments_are_not_the_tools_own() -> None:
    sent = {"force": True, "timeout_ms": 1, "client_request_id": "mine 7", "wait_ms": "0"}
    call = accepted("compile", sent)
    assert (call.timeout_ms, call.client_request_id, call.wait_ms) == (1, "mine 7", 0)
    assert call.params == {"force": True, "warnings": False, "changed_scenes": "refuse"}


def test_the_clients_own_object_is_left_alone() -> None:
    arguments = {"max_entries": "7", "types": '["log"]'}
    accepted("read_console", arguments)
    assert arguments == {"max_entries": "7", "types": '["log"]'}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (None, "no tool name"),
        ("", "no tool name"),
        (7, "7 is not a tool name"),
        ({"a": 1}, "an object"),
        (True, "true"),
    ],
)
def test_a_call_without_a_tool_name_is_a_broken_envelope(name: Any, said: Any) -> None:
    failure = refused(name, {})
    assert failure.code is ErrorCode.INVALID_REQUEST
    assert said in failure.error.message
    assert "read_console" in failure.error.message


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("readconsole", "read_console"),
        ("READ_CONSOLE", "read_console"),
        ("mcp__unity__run_tests", "run_tests"),
        ("get_state", "get_editor_state"),
        ("job_status", "get_job_status"),
        ("cancel", "cancel_job"),
        ("run_tests ", "run_tests"),
    ],
)
def test_an_unknown_tool_is_refused_with_the_nearest_name(name: Any, nearest: str) -> None:
    failure = refused(name, {})
    assert failure.code is ErrorCode.UNKNOWN_COMMAND
    assert failure.error.details["nearest"] == nearest
    assert f"nearest is {nearest}" in failure.error.message


def test_a_tool_name_of_megabytes_is_not_repeated() -> None:
    assert refused("read" * 1_000_000, {}).code is ErrorCode.UNKNOWN_COMMAND


@pytest.mark.parametrize(
    "arguments", [[], [1], 7, 1.5, True, "", "text", "[1]", "7", "null", '{"a":', "[" * 100_000]
)
def test_arguments_that_are_no_object_are_a_broken_envelope(arguments: Any) -> None:
    failure = refused("read_console", arguments)
    assert failure.code is ErrorCode.INVALID_REQUEST
    assert "params.arguments must be an object" in failure.error.message
    assert failure.tool is CATALOGUE["read_console"]


def test_arguments_may_be_the_json_text_of_an_object() -> None:
    assert accepted("read_console", '{"max_entries": 5}').params["max_entries"] == 5
    assert accepted("read_console", " {} ").params["max_entries"] == 50


@pytest.mark.parametrize(
    "value", ["x" * 129, "new\nline", "trailing\n", "tab\t", "ünicode", "\x7f", 7, True, []]
)
def test_a_malformed_client_request_id_is_a_broken_envelope(value: Any) -> None:
    failure = refused("read_console", {"client_request_id": value, "max_entries": 0})
    assert failure.code is ErrorCode.INVALID_REQUEST
    assert "client_request_id must be" in failure.error.message


@pytest.mark.parametrize("arguments", [{"client_request_id": ""}, '{"client_request_id": ""}'])
def test_an_empty_client_request_id_counts_as_absent(arguments: Any) -> None:
    """Clients with strict schemas make their models fill in every argument."""
    assert accepted("compile", arguments).client_request_id is None
    assert client_request_id_in(arguments) is None


@pytest.mark.parametrize("value", ["x", "x" * 128, " ", "~", "a b-c"])
def test_a_good_client_request_id_travels_with_the_call(value: Any) -> None:
    assert accepted("get_editor_state", {"client_request_id": value}).client_request_id == value


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"client_request_id": "mine", "max": 1}, "mine"),
        ('{"client_request_id": "mine", "max": 1}', "mine"),
        ({"client_request_id": "two\nlines"}, None),
        ({"client_request_id": 7}, None),
        ({}, None),
        (None, None),
        ([], None),
        ("rubbish", None),
        ("[" * 100_000, None),
    ],
)
def test_the_clients_own_id_is_found_whatever_else_is_wrong(arguments: Any, found: Any) -> None:
    assert client_request_id_in(arguments) == found


@pytest.mark.parametrize(
    ("arguments", "longer_ms"),
    [
        ({"name": "wait_for", "arguments": {"within_ms": 120_000}}, 120_000),
        ({"name": "wait_for"}, 10_000),
        ({"name": "wait_for", "arguments": {"within_ms": "long"}}, 0),
        ({"name": "profile", "arguments": {"seconds": 1e308}}, 1_740_000),
        ({"name": "wait_for", "arguments": {"within_ms": float("nan")}}, 0),
        ({"name": "press", "arguments": {"keys": ["w"], "for_ms": 8_000}}, 8_000),
        ({"name": "mine", "arguments": {"within_ms": 120_000}}, 0),
        ({"name": "wait_for", "arguments": {"within_ms": 10**9}}, 1_740_000),
        ({}, 0),
    ],
)
def test_the_limit_of_a_command_grows_with_the_time_that_it_is_asked_to_take(
    arguments: Any, longer_ms: int
) -> None:
    default_ms = CATALOGUE["run_command"].default_timeout_ms
    assert accepted("run_command", arguments).timeout_ms == default_ms + longer_ms


@pytest.mark.parametrize("tool", TOOLS)
def test_timeout_ms_is_bounded_by_the_tool(tool: str) -> None:
    highest = CATALOGUE[tool].max_timeout_ms
    required = REQUIRED.get(tool, {})
    for good in (1, highest, str(highest), float(highest)):
        assert accepted(tool, {**required, "timeout_ms": good}).timeout_ms == int(float(good))
    bad: Any
    for bad in (
        0,
        -1,
        highest + 1,
        10**400,
        1.5,
        "soon",
        "",
        True,
        [1],
        {},
        "true",
        "NaN",
        float("inf"),
    ):
        failure = refused(tool, {**required, "timeout_ms": bad})
        assert failure.code is ErrorCode.INVALID_PARAMS
        assert failure.error.details["argument"] == "timeout_ms"
        assert f"timeout_ms must be an integer from 1 to {highest}, not " in failure.error.message


@pytest.mark.parametrize("tool", TOOLS)
def test_an_unknown_argument_is_named_with_the_nearest_known_one(tool: str) -> None:
    failure = refused(tool, {**REQUIRED.get(tool, {}), "timeout": 1000})
    assert failure.code is ErrorCode.INVALID_PARAMS
    assert failure.error.details["argument"] == "timeout"
    assert f'{tool} has no argument "timeout"; the nearest is timeout_ms.' in failure.error.message


def test_an_empty_string_is_not_called_anything_but_a_string() -> None:
    assert (
        refused("run_csharp", {"code": ""}).error.message
        == 'code must be a string that is not empty (As in return 1 + 1;), not "".'
    )


def test_several_wrong_arguments_are_reported_together_the_missing_one_first() -> None:
    error = refused("play_mode", {"frames": 0, "wait_ms": "soon"}).error
    assert error.details["argument"] == "action" and error.message.startswith("action is missing")
    assert [problem.split(" ")[0] for problem in error.details["problems"]] == ["frames", "wait_ms"]


@pytest.mark.slow
def test_many_unknown_arguments_make_one_short_answer() -> None:
    failure = refused("read_console", {f"argument_{n}" * 1000: n for n in range(10_000)})
    assert len(failure.error.details["problems"]) == 4
    assert "It takes: max_entries" in failure.error.message and "It takes" not in str(
        failure.error.details
    )


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
ARGUMENTS = sorted(
    {name for tool in CATALOGUE.values() for name in tool.input_schema["properties"]}
)


@pytest.mark.slow
@given(
    st.sampled_from(TOOLS) | JSON,
    st.dictionaries(st.sampled_from(ARGUMENTS) | st.text(), JSON, max_size=4) | JSON,
)
def test_any_request_is_either_a_call_or_a_failure_with_a_message(
    name: Any, arguments: Any
) -> None:
    outcome = VALIDATOR.validate(name, arguments)
    if isinstance(outcome, Ok):
        Draft202012Validator(dict(outcome.value.tool.input_schema)).validate(
            dict(outcome.value.params)
        )
    else:
        json.dumps(outcome.error.as_json(), allow_nan=False).encode()


MUST_BE = {
    "what": 'one of "scenes", "hierarchy", "object", "assets", "selection"',
    "max_entries": "an integer from 1 to 2000",
    "types": 'an array, each item one of "log", "warning", "error", "assert", "exception"',
    "types[1]": 'one of "log", "warning", "error", "assert", "exception"',
    "code": "a string",
    "contains": "a string (Only messages with this text)",
    "include_stack_trace": "true or false",
    "since": "a string (next_cursor of an earlier answer: only newer entries)",
    "mode": 'one of "all", "edit", "play"',
    "filter": "a string (As in Keep.InventoryTests;category:Fast)",
    "job_id": "a string of 1 to 256 characters (From its call)",
    "unsaved": 'one of "refuse", "save"',
    "refresh": "true or false",
    "force": "true or false",
    "action": 'one of "enter", "exit", "pause", "resume", "step"',
    "frames": "an integer from 1 to 1000",
    "max_size": "an integer from 64 to 2000",
    "every_ms": "an integer from 50 to 1000",
    "view": 'one of "game", "scene"',
    "wait_ms": "an integer from 0 to 50000",
}


@pytest.mark.parametrize(
    ("tool", "where", "value", "shown"),
    [
        ("read_console", "max_entries", 0, "0"),
        ("read_console", "max_entries", 2001, "2001"),
        ("read_console", "max_entries", "2001", "2001"),
        ("read_console", "max_entries", 200.5, "200.5"),
        ("read_console", "max_entries", True, "true"),
        ("read_console", "max_entries", "true", '"true"'),
        ("read_console", "max_entries", "many", '"many"'),
        ("read_console", "max_entries", "0x10", '"0x10"'),
        ("read_console", "max_entries", 10**400, "a number of more than 20 digits"),
        ("read_console", "max_entries", float("nan"), "NaN"),
        ("read_console", "max_entries", "1e999", '"1e999"'),
        ("read_console", "types", '"error"', '"\\"error\\""'),
        ("read_console", "types", {"error": True}, "an object"),
        ("read_console", "types[1]", ["log", "fatal"], '"fatal"'),
        ("read_console", "types[1]", '["log", "fatal"]', '"fatal"'),
        ("read_console", "types[1]", ["log", ["error"]], "an array"),
        ("read_console", "contains", 7, "7"),
        ("read_console", "contains", ["x"], "an array"),
        ("read_console", "include_stack_trace", 1, "1"),
        ("read_console", "include_stack_trace", "1", '"1"'),
        ("read_console", "include_stack_trace", "yes", '"yes"'),
        ("read_console", "since", 12, "12"),
        ("run_tests", "mode", "editor", '"editor"'),
        ("run_tests", "mode", '"edit"', '"\\"edit\\""'),
        ("run_tests", "filter", False, "false"),
        ("get_job_status", "job_id", "", '""'),
        ("get_job_status", "job_id", "j" * 257, '"' + "j" * 60 + '..."'),
        ("get_job_status", "job_id", 7, "7"),
        ("get_job_status", "wait_ms", -1, "-1"),
        ("get_job_status", "wait_ms", 50_001, "50001"),
        ("compile", "wait_ms", 50_001, "50001"),
        ("compile", "wait_ms", 0.5, "0.5"),
        ("compile", "force", "please", '"please"'),
        ("play_mode", "action", "toggle", '"toggle"'),
        ("play_mode", "frames", 1001, "1001"),
        ("screenshot", "max_size", 63, "63"),
        ("screenshot", "every_ms", 49, "49"),
        ("screenshot", "every_ms", 1001, "1001"),
        ("screenshot", "view", "back", '"back"'),
        ("run_tests", "wait_ms", "long", '"long"'),
        ("run_tests", "refresh", 1, "1"),
        ("run_tests", "unsaved", "discard", '"discard"'),
        ("cancel_job", "job_id", None, "null"),
        ("cancel_job", "job_id", {}, "an object"),
    ],
)
def test_a_wrong_value_is_refused_with_the_allowed_ones(
    tool: str, where: str, value: Any, shown: str
) -> None:
    argument = where.split("[")[0]
    failure = refused(tool, {**REQUIRED.get(tool, {}), argument: value})
    assert failure.code is ErrorCode.INVALID_PARAMS
    assert failure.error.details["argument"] == argument
    assert failure.error.message == f"{where} must be {MUST_BE[where]}, not {shown}."


@pytest.mark.parametrize(
    ("tool", "argument", "value", "meant"),
    [
        ("read_console", "max_entries", "200", 200),
        ("read_console", "max_entries", " 7 ", 7),
        ("read_console", "max_entries", 200.0, 200),
        ("read_console", "max_entries", "200.0", 200),
        ("read_console", "max_entries", 2000, 2000),
        ("read_console", "types", '["error"]', ["error"]),
        ("read_console", "types", [], []),
        ("read_console", "types", ["log", "warning", "error", "assert", "exception"], None),
        ("read_console", "include_stack_trace", "false", False),
        ("read_console", "include_stack_trace", "true", True),
        ("read_console", "include_stack_trace", False, False),
        ("compile", "force", "true", True),
        ("run_tests", "refresh", "false", False),
    ],
)
def test_a_stringified_value_is_taken_for_what_it_means(
    tool: str, argument: str, value: Any, meant: Any
) -> None:
    taken = accepted(tool, {**REQUIRED.get(tool, {}), argument: value}).params[argument]
    expected = value if meant is None else meant
    assert taken == expected
    assert type(taken) is type(expected)


@pytest.mark.parametrize("text", ["7", "true", "null", "[1]", '{"a":1}', '"quoted"', "", "日本語"])
@pytest.mark.parametrize(
    ("tool", "argument"), [("read_console", "contains"), ("run_tests", "filter")]
)
def test_text_is_never_read_as_another_type(tool: str, argument: str, text: str) -> None:
    assert accepted(tool, {argument: text}).params[argument] == text


@pytest.mark.parametrize("tool", sorted(REQUIRED))
def test_a_missing_argument_is_named(tool: str) -> None:
    failure = refused(tool, {})
    assert failure.code is ErrorCode.INVALID_PARAMS
    (argument,) = REQUIRED[tool]
    assert failure.error.details == {"tool": tool, "argument": argument}
    assert failure.error.message.startswith(
        f"{argument} is missing; {tool} needs it: {MUST_BE[argument]}"
    )


# SPEC §8.2: what the converters of Google's, OpenAI's and Anthropic's SDKs all take.
SCHEMA_WORDS = {"type", "description", "properties", "required", "items", "enum", "default"}
SCHEMA_WORDS |= {"minimum", "maximum", "minLength", "maxLength"}


def schemas_in(schema: Dict[str, Any]) -> Iterator[Dict[str, Any]]:
    yield schema
    inner = [
        *schema.get("properties", {}).values(),
        *([schema["items"]] if "items" in schema else []),
    ]
    for one in inner:
        yield from schemas_in(one)


@pytest.mark.parametrize("tool", TOOLS)
def test_a_published_schema_has_only_words_that_every_model_takes(tool: str) -> None:
    for schema in schemas_in(CATALOGUE[tool].published_schema):
        is_open = schema["type"] == "object" and "properties" not in schema
        assert set(schema) <= SCHEMA_WORDS | ({"additionalProperties"} if is_open else set())
        assert isinstance(schema["type"], str), schema
        assert schema["type"] != "array" or "items" in schema
        assert isinstance(schema.get("default", ""), (str, int, float, bool)), schema


@pytest.mark.parametrize("tool", TOOLS)
def test_only_a_jobs_tool_publishes_a_key_and_a_timeout_and_each_tool_takes_both(tool: str) -> None:
    both = {"client_request_id", "timeout_ms"}
    published = both & set(CATALOGUE[tool].published_schema["properties"])
    assert published == (both if CATALOGUE[tool].mode is Mode.JOB else set())
    call = accepted(tool, {**REQUIRED.get(tool, {}), "client_request_id": "k", "timeout_ms": 1})
    assert (call.client_request_id, call.timeout_ms) == ("k", 1)


def test_every_immediate_tool_is_a_read() -> None:
    """Anything else is a job: it reaches Unity at most once, which reads do not (SPEC §15.1)."""
    at_once = [
        tool
        for tool in CATALOGUE.values()
        if tool.mode is Mode.SYNC and tool.service is Service.UNITY
    ]
    assert at_once and all(tool.kind is Effect.READ and tool.read_only for tool in at_once)


def test_the_answer_of_a_job_call_fits_the_published_schema() -> None:
    statuses = [
        {"job_id": "j", "tool": "x", "state": "queued", "progress": None, "result": None},
        {
            "job_id": "j",
            "tool": None,
            "state": "failed",
            "progress": {"step": "a", "for_ms": 1},
            "result": {"ok": 1},
        },
    ]
    for tool in CATALOGUE.values():
        if tool.mode is Mode.JOB:
            assert all(
                Draft202012Validator(dict(tool.output_schema)).is_valid(status)
                for status in statuses
            )


def test_no_tool_requires_more_than_one_argument() -> None:
    """The sentence for a missing argument relies on it."""
    assert all(len(tool.input_schema.get("required", ())) <= 1 for tool in CATALOGUE.values())


@pytest.mark.parametrize("tool", TOOLS)
def test_the_defaults_satisfy_the_published_schema(tool: str) -> None:
    schema = CATALOGUE[tool].input_schema
    Draft202012Validator.check_schema(schema)
    Draft202012Validator.check_schema(CATALOGUE[tool].output_schema)
    Draft202012Validator(schema).validate(dict(accepted(tool, REQUIRED.get(tool)).params))


GOOD_RESULTS: Dict[str, Dict[str, Any]] = {
    "run_csharp": {
        "ok": True,
        "value": {"a": [1]},
        "output": "",
        "scenes_dirtied": ["A"],
        "log_file": "Library/1.cs",
    },
    "screenshot": {
        "image": "/9j/",
        "format": "jpg",
        "width": 64,
        "height": 36,
        "view": "game",
        "playing": True,
        "frame": 1,
        "fresh": True,
        "uniform": False,
    },
    "play_mode": {"playing": True, "paused": False, "frame": 1, "changed": True},
    "get_editor_state": {
        "server_state": "ready",
        "editor_state": "compiling",
        "connected": True,
        "last_editor_status_seq": None,
        "port": 8091,
        "server_version": "1.0.0",
        "plugin_version": None,
        "editor": None,
        "waiting": 0,
        "queued": 0,
        "running_jobs": [
            {
                "job_id": "job-1",
                "tool": "compile",
                "state": "running",
                "age_ms": 7,
                "client": "this",
            }
        ],
        "listener": {},
    },
    "read_console": {
        "entries": [{"type": "log", "message": "m", "stack_trace": None, "extra": 1}],
        "count": 1,
        "truncated": False,
    },
    "inspect": {"items": [{"path": "Main", "extra": None}], "total": 7, "next_cursor": "c"},
    "run_command": {
        "value": [1, {"x": None}],
        "truncated": True,
        "commands": [
            {
                "name": "ping",
                "description": "",
                "signature": "ping()",
                "write": False,
                "source": "A.B (C)",
            }
        ],
    },
    "compile": {
        "ok": False,
        "changed": True,
        "reloaded": False,
        "duration_ms": 812,
        "error_count": 1,
        "warning_count": 0,
        "errors": [
            {"file": None, "line": 0, "column": 0, "code": "", "message": "m", "assembly": "A"}
        ],
        "truncated": False,
    },
    "run_tests": {
        "summary": {"total": 1, "passed": 0, "failed": 1, "skipped": 0, "duration_ms": 1},
        "failed_tests": [{"name": "A.B", "message": None, "stack_trace": None}],
        "code_fresh": True,
    },
    "get_job_status": {"job_id": "job-1", "state": "running", "progress": None, "result": None},
    "cancel_job": {"job_id": "job-1", "status": "cancel_requested"},
}
BAD_RESULTS = [
    (
        "read_console",
        {"entries": [{"type": "log", "message": 7}], "count": 1, "truncated": False},
        "result.entries[0].message",
    ),
    (
        "read_console",
        {"entries": [{"type": "fatal", "message": ""}], "count": 1, "truncated": False},
        "result.entries[0].type",
    ),
    (
        "read_console",
        {"entries": {}, "count": 1, "truncated": False},
        "result.entries must be array",
    ),
    (
        "read_console",
        {"entries": [], "count": True, "truncated": False},
        "result.count must be integer",
    ),
    ("read_console", {"entries": [], "count": -1, "truncated": False}, "result.count"),
    ("read_console", {"entries": [], "truncated": False}, "count"),
    ("compile", {**GOOD_RESULTS["compile"], "errors": [{"file": "a"}]}, "message"),
    ("compile", {"ok": True}, "changed"),
    ("inspect", {"items": ["Main"], "total": 1}, "result.items[0]"),
    ("inspect", {"items": []}, "total"),
    ("run_tests", {"summary": {"total": 1}, "failed_tests": []}, "result.summary"),
    ("run_tests", {**GOOD_RESULTS["run_tests"], "compile": {"ok": 1}}, "result.compile"),
    ("run_command", {"commands": [{"name": "ping"}]}, "signature"),
    ("run_command", {"commands": [], "unlisted": -1}, "result.unlisted"),
    (
        "get_job_status",
        {"job_id": "j", "state": "done", "progress": None, "result": {}},
        "result.state",
    ),
    ("cancel_job", [], "result must be object"),
    ("get_editor_state", None, "result must be object"),
]


@pytest.mark.parametrize("tool", TOOLS)
def test_a_good_result_has_nothing_wrong(tool: str) -> None:
    assert VALIDATOR.check_result(CATALOGUE[tool], GOOD_RESULTS[tool]) is None


@pytest.mark.parametrize(("tool", "result", "said"), BAD_RESULTS)
def test_a_broken_result_is_refused_with_its_path(tool: str, result: Any, said: Any) -> None:
    assert said in str(VALIDATOR.check_result(CATALOGUE[tool], result))


@pytest.mark.parametrize("tool", TOOLS)
def test_the_result_check_agrees_with_the_schema(tool: str) -> None:
    """Both decide about a good result with each single value distorted."""
    published = Draft202012Validator(
        dict(CATALOGUE[tool].result_schema or CATALOGUE[tool].output_schema)
    )
    for key in list(GOOD_RESULTS[tool]):
        odd: Any
        for odd in (
            None,
            True,
            0,
            -1,
            1.5,
            2.0,
            "",
            "x",
            [],
            [1],
            {},
            {"completed": -1},
            {"summary": {}},
        ):
            distorted = {**GOOD_RESULTS[tool], key: odd}
            assert (
                VALIDATOR.check_result(CATALOGUE[tool], distorted) is None
            ) == published.is_valid(distorted), (
                key,
                odd,
            )
        missing = {name: value for name, value in GOOD_RESULTS[tool].items() if name != key}
        assert (VALIDATOR.check_result(CATALOGUE[tool], missing) is None) == published.is_valid(
            missing
        ), key


@pytest.mark.parametrize("tool", TOOLS)
def test_the_argument_check_agrees_with_the_published_schema(tool: str) -> None:
    published = Draft202012Validator(dict(CATALOGUE[tool].input_schema))
    required = REQUIRED.get(tool, {})
    for argument in [*CATALOGUE[tool].input_schema["properties"], "unknown"]:
        odd: Any
        for odd in (
            True,
            0,
            1,
            -1,
            1.5,
            2.0,
            2000,
            2001,
            10**9,
            "x",
            [],
            ["log"],
            ["x"],
            [["log"]],
            {},
        ):
            arguments = {**required, argument: odd}
            outcome = VALIDATOR.validate(tool, arguments)
            if isinstance(outcome, Ok) and outcome.value.remarks:
                assert published.is_valid({**required, **outcome.value.params})  # as it was meant
            else:
                assert isinstance(outcome, Ok) == published.is_valid(arguments), arguments


def test_a_check_leaves_the_result_as_it_is() -> None:
    result = json.loads(json.dumps(GOOD_RESULTS["read_console"]))
    VALIDATOR.check_result(CATALOGUE["read_console"], result)
    assert result == GOOD_RESULTS["read_console"]


def test_the_validator_imports_neither_mcp_nor_a_schema_library() -> None:
    """They take longer to import than the rest of a command."""
    code = (
        "import sys; from unity_bridge.catalogue.request_validator import RequestValidator\n"
        "RequestValidator().validate('read_console', {'max_entries': 5})\n"
        "loaded = {'mcp', 'mcp_types', 'jsonschema', 'fastjsonschema'} & set(sys.modules)\n"
        "assert not loaded, loaded\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, stderr=subprocess.PIPE, timeout=60)
    assert (ran.returncode, ran.stderr) == (0, b"")


@pytest.mark.parametrize("tool", list(CATALOGUE.values()), ids=lambda tool: tool.name)
def test_null_for_an_optional_argument_means_that_it_was_left_out(tool: Tool) -> None:
    required = REQUIRED.get(tool.name, {})
    nulls = {name: None for name in tool.input_schema["properties"] if name not in required}
    plain, filled = (
        VALIDATOR.validate(tool.name, required),
        VALIDATOR.validate(tool.name, {**nulls, **required}),
    )
    assert isinstance(plain, Ok) and filled == plain


@pytest.mark.parametrize("result", [["entries"], "done", {"entries": "none"}])
def test_a_result_that_does_not_fit_is_no_answer(result: Any) -> None:
    assert isinstance(VALIDATOR.checked_result(CATALOGUE["read_console"], {}, result), Err)


@pytest.mark.parametrize("met", ["no", None, 1])
def test_a_condition_that_cannot_be_read_is_not_met(met: Any) -> None:
    tool, params = CATALOGUE["run_command"], {"name": "wait_for"}
    outcome = VALIDATOR.read_result(tool, params, {"value": {"met": met}})
    assert isinstance(outcome, Ok)
    assert outcome.value.value["value"] == {"met": False, "reason": "unreadable"}
