"""SPEC §7: every message encoded and decoded, and anything else refused."""

from __future__ import annotations

import errno
import json
from dataclasses import MISSING, fields
from typing import Any, Collection, Dict, List, Tuple, Type

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.goldens import Golden, every_field, goldens
from unity_bridge.base.errors import ErrorCode
from unity_bridge.base.result import Err, Ok
from unity_bridge.unity import messages
from unity_bridge.unity.messages import (
    HOT,
    TYPES,
    CancelResult,
    Capability,
    EditorStatus,
    ErrorMessage,
    Execute,
    Fault,
    Hello,
    Message,
    Pong,
    SubmitJob,
    SubmitJobResult,
    ToolResult,
    decode,
    definition,
    encode,
    type_name,
)

# Each kind of message with every field it has, as it is on the wire, and which of them it must
# have.
EVERY_FIELD = every_field()
FULL: Dict[str, Dict[str, Any]] = {name: wire for name, (wire, _) in EVERY_FIELD.items()}
REQUIRED: Dict[str, List[str]] = {name: required for name, (_, required) in EVERY_FIELD.items()}

# What a field of each kind must not be.
NOT_TEXT: List[Any] = [1, True, 1.5, [], {}]
NOT_ID: List[Any] = [*NOT_TEXT, "", "x" * 257]
NOT_UINT64: List[Any] = ["1", True, 1.0, 1.5, -1, 2**64, [], {}]
NOT_OBJECT: List[Any] = [1, True, "x", []]
NOT_NUMBER: List[Any] = ["1", True, [], {}]
NOT_FLAG: List[Any] = [0, 1, "true", [], {}]
NOT_NAME: List[Any] = [*NOT_TEXT, "", "x" * 129, "caf\u00e9", "a\n", "\x7f"]
NOT_CLIENT: List[Any] = [
    1,
    True,
    "agent",
    [],
    {},
    {"id": "", "name": ""},
    {"id": "a", "name": 1},
    {"id": "a"},
]
WRONG: Dict[str, List[Any]] = {
    "caller": NOT_CLIENT,
    "reconnect_initial_ms": NOT_NUMBER,
    "reconnect_multiplier": NOT_NUMBER,
    "reconnect_max_backoff_ms": NOT_NUMBER,
    "reconnect_jitter_ratio": NOT_NUMBER,
    "plugin_version": NOT_TEXT,
    "server_version": NOT_TEXT,
    "unity_version": NOT_TEXT,
    "project_name": NOT_TEXT,
    "project_path": NOT_TEXT,
    "client_request_id": NOT_TEXT,
    "tool_name": NOT_TEXT,
    "editor_instance_id": NOT_ID,
    "request_id": NOT_ID,
    "job_id": NOT_ID,
    "target_request_id": NOT_ID,
    "target_job_id": NOT_ID,
    "seq": NOT_UINT64,
    "main_thread_stalled_ms": NOT_UINT64,
    "compile_errors": NOT_UINT64,
    "untrusted_jobs": NOT_UINT64,
    "timeout_ms": NOT_UINT64,
    "state": ["asleep", "READY", "unknown", 1, True, [], {}, ["ready"]],
    "editor_state": ["asleep", "", 1, True, [], {}],
    "status": ["maybe", "", 1, True, [], {}],
    "params": NOT_OBJECT,
    "error": NOT_OBJECT,
    "progress": NOT_OBJECT,
    "jobs": ["job-1", 1, {}],
    "joins": ["ping", 1, {}, [1], [None], [["ping"]]],
    "names of tools": ["job-1", 1, {}, [1], [None], [["job-1"]]],
    "job_keys": ["job-1", 1, []],
    "playing": NOT_FLAG,
    "game_time_s": [-1, 1e10, "1", [], True],
    "frame": NOT_UINT64,
    "kept_copies": ["a copy", 1, {}, [1], [{"file": "Assets/A.mat"}]],
    "paused": NOT_FLAG,
    "client": NOT_NAME,
    "remaining_ms": NOT_UINT64,
    "console": NOT_OBJECT,
    "tools": ["x", 1, {}, [1], ["x"], [None]],
    "result": NOT_OBJECT,
    # Nothing: a word that is not known counts as unknown or as absent (SPEC §11.7).
    "code": [],
    "pending_reason": [],
    # Nothing: what is no process id, nonce or proof counts as absent (SPEC §17.1).
    "process_id": [],
    "nonce": [],
    "proof": [],
}


def on_the_wire(type: str, **changes: Any) -> Dict[str, Any]:
    return {"type": type, "protocol_version": 1, **FULL[type], **changes}


def fault(text: str) -> Fault:
    decoded = decode(text)
    assert isinstance(decoded, Err), f"it was taken for {decoded}"
    return decoded.error


# The goldens, which every other implementation reads as well.


@pytest.mark.parametrize("golden", goldens(), ids=str)
def test_a_golden_has_the_verdict_that_its_file_gives(golden: Golden) -> None:
    decoded = decode(golden.text, golden.is_after_hello)
    if golden.accepted is not None:
        assert isinstance(decoded, Ok), decoded
        known = {field: value for field, value in vars(decoded.value).items() if value is not None}
        assert (type_name(decoded.value), known) == (golden.type, golden.accepted)
        assert decode(encode(decoded.value)) == decoded
    else:
        assert isinstance(decoded, Err), decoded
        rejected = decoded.error
        assert (rejected.code.value, rejected.request_id, rejected.is_fatal) == (
            golden.fault,
            golden.request_id,
            golden.is_fatal,
        )


def test_every_kind_of_message_has_its_goldens_and_every_field_is_in_them() -> None:
    assert set(FULL) == set(TYPES) and len(TYPES) == 14
    for name, message in TYPES.items():
        assert {field.name for field in fields(message)} == set(FULL[name])


@pytest.mark.parametrize("name", list(FULL))
def test_every_field_has_a_golden_that_is_refused_because_of_it(name: str) -> None:
    rejected = [
        fault(golden.text).message for golden in goldens() if golden.file == name and golden.fault
    ]
    # The result of a tool may be anything. A wrong nonce, proof, code or process counts as absent,
    # a wrong reason as unknown.
    lenient = {"nonce", "proof", "code", "process_id", "pending_reason"}
    lenient |= {field for owner, field in DECORATIONS if owner == name}
    checked = set(FULL[name]) - ({"result"} if name == "result" else set()) - lenient
    assert {
        field
        for field in checked
        if not any(message.startswith(f"'{field}' of") for message in rejected)
    } == set()


# There and back.


@pytest.mark.parametrize("name", list(FULL))
def test_a_message_with_all_its_fields_is_written_and_read(name: str) -> None:
    message = TYPES[name](**FULL[name])
    assert type_name(message) == name
    assert json.loads(encode(message)) == on_the_wire(name)
    assert decode(json.dumps(on_the_wire(name))) == Ok(message)


@pytest.mark.parametrize("name", list(FULL))
@pytest.mark.parametrize("left_out", ["absent", "null"])
def test_a_message_with_only_what_it_must_have(name: str, left_out: str) -> None:
    optional = set(FULL[name]) - set(REQUIRED[name])
    text = on_the_wire(name)
    for field in optional:
        if left_out == "null":
            text[field] = None
        else:
            del text[field]
    decoded = decode(json.dumps(text))
    assert isinstance(decoded, Ok) and type(decoded.value) is TYPES[name]
    assert all(getattr(decoded.value, field) is None for field in optional)
    assert optional.isdisjoint(json.loads(encode(decoded.value))), "what is not known is not said"


@pytest.mark.parametrize(
    "name, field", [(name, field) for name, must in REQUIRED.items() for field in must]
)
@pytest.mark.parametrize("left_out", ["absent", "null"])
def test_a_message_that_lacks_what_it_must_have(name: str, field: str, left_out: str) -> None:
    text = on_the_wire(name)
    if left_out == "null":
        text[field] = None
    else:
        del text[field]
    rejected = fault(json.dumps(text))
    assert rejected.code is ErrorCode.INVALID_REQUEST
    assert f"'{field}' of '{name}'" in rejected.message
    assert rejected.message.endswith("null" if left_out == "null" else "missing")


# They say more about a job or the game, and their loss must not cost it (SPEC §20.3).
DECORATIONS = [
    ("job_status", field)
    for field in ("progress", "console", "tool_name", "remaining_ms", "client", "client_request_id")
] + [
    (report, field)
    for report in ("editor_status", "pong")
    for field in ("game_time_s", "frame", "kept_copies")
]


def wrong(name: str, field: str) -> List[Any]:
    # hello names its tools; capability describes them. A server's message has a client, job_status
    # the id of one.
    others = {
        ("hello", "tools"): "names of tools",
        ("execute", "client"): "caller",
        ("submit_job", "client"): "caller",
    }
    return WRONG[others.get((name, field), field)]


def wrong_fields() -> List[Tuple[str, str, Any]]:
    cases = [
        (name, field, value)
        for name, wire in FULL.items()
        for field in wire
        for value in wrong(name, field)
    ]
    # The result of a tool may be anything at all; that of a job is an object.
    return [case for case in cases if case[:2] not in {("result", "result"), *DECORATIONS}]


@pytest.mark.parametrize(
    "name, field, value", [(*one, value) for one in DECORATIONS for value in WRONG[one[1]]]
)
def test_an_optional_field_of_the_wrong_type_counts_as_absent(
    name: str, field: str, value: Any
) -> None:
    assert getattr(kept(name, **{field: value}), field) is None


@pytest.mark.parametrize("wrong", [1, None, ["job-1"], {}, {"job_id": "job-2"}])
def test_an_id_of_the_wrong_kind_is_dropped_and_costs_no_hello(wrong: Any) -> None:
    assert kept(
        "hello", jobs=["job-1", wrong], job_keys={"job-1": ["a", "b"], "job-2": wrong}
    ).jobs == ["job-1"]
    assert kept("hello", job_keys={"job-1": ["a", "b"], "job-2": wrong}).job_keys == {
        "job-1": ["a", "b"]
    }
    assert kept("hello", job_keys={"job-1": ["a", "b"], "job-2": ["a", wrong]}).job_keys == {
        "job-1": ["a", "b"]
    }


@pytest.mark.parametrize("name, field, value", wrong_fields())
def test_a_field_of_the_wrong_kind_is_refused(name: str, field: str, value: Any) -> None:
    rejected = fault(json.dumps(on_the_wire(name, **{field: value})))
    assert rejected.code is ErrorCode.INVALID_REQUEST and not rejected.is_fatal
    assert f"'{field}' of '{name}' must be" in rejected.message
    if field != "request_id" and "request_id" in FULL[name]:
        assert rejected.request_id == FULL[name]["request_id"], (
            "so that the call it means to answer is not left waiting"
        )


@pytest.mark.parametrize("result", [None, 0, 1.5, True, "text", [], {}, {"deep": [{"er": None}]}])
def test_a_tools_result_may_be_anything(result: Any) -> None:
    decoded = decode(json.dumps(on_the_wire("result", result=result)))
    assert isinstance(decoded, Ok) and isinstance(decoded.value, ToolResult)
    assert decoded.value.result == result and type(decoded.value.result) is type(result)


def test_unknown_fields_are_ignored_and_the_last_of_a_name_counts() -> None:
    text = '{"type":"hello","type":"pong","protocol_version":1,"seq":"x","seq":4,"mood":{"a":[1]},"timestamp":7}'
    assert decode(text) == Ok(Pong(seq=4))


def test_messages_are_ascii_so_that_characters_are_bytes() -> None:
    text = encode(Execute("r", "x", {"contains": "日本 \U0001f600"}, 1))
    assert text.isascii()
    assert decode(text) == Ok(Execute("r", "x", {"contains": "日本 \U0001f600"}, 1))


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_a_payload_that_is_not_json_is_a_bug_of_ours(number: float) -> None:
    with pytest.raises(ValueError):
        encode(Execute("r", "x", {"n": number}, 1))


# What is no message.


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "hello",
        "{",
        '{"type":"ping","protocol_version":1}x',
        '{"type":"ping","protocol_version":1,}',
        "{'type':'ping','protocol_version':1}",
        '{"type":"ping","protocol_version":NaN}',
        '{"type":"ping","protocol_version":1,"x":Infinity}',
        '{"type":"ping","protocol_version":1,"x":-Infinity}',
        '{"type":"ping","protocol_version":1,"x":1e400}',
        '{"type":"ping","protocol_version":1,"x":-1e999999}',
        '{"type":"ping","protocol_version":1,"x":"\n"}',
        '\ufeff{"type":"ping","protocol_version":1}',
        "[" * 1_000_000,
        '{"a":' * 200_000,
    ],
    ids=lambda text: repr(text[:40]),
)
def test_invalid_json_is_an_error(text: str) -> None:
    rejected = fault(text)
    assert rejected.code is ErrorCode.INVALID_REQUEST and "not JSON" in rejected.message
    assert len(rejected.message) < 200, "a fault does not repeat what was sent"


@pytest.mark.parametrize(
    "text, kind",
    [
        ("[]", "an array"),
        ("null", "null"),
        ("1", "a number"),
        ("1.5", "a number"),
        ("true", "a boolean"),
        ('"x"', "a string"),
    ],
)
def test_json_that_is_no_object_is_named_by_its_kind(text: str, kind: str) -> None:
    assert fault(text).message.endswith(f"this is {kind}")


@pytest.mark.parametrize(
    "type", [{}, {"type": None}, {"type": 1}, {"type": ["ping"]}, {"type": {}}]
)
def test_an_object_without_a_type_is_refused(type: Dict[str, Any]) -> None:
    rejected = fault(json.dumps({"protocol_version": 1, "request_id": "r", **type}))
    assert (rejected.code, rejected.request_id) == (ErrorCode.INVALID_REQUEST, "r")
    assert "'type'" in rejected.message


@pytest.mark.parametrize("version", [None, "1", 1.0, True, [1]])
def test_a_version_that_is_no_integer_is_refused(version: Any) -> None:
    rejected = fault(json.dumps({"type": "ping", "protocol_version": version}))
    assert (rejected.code, rejected.is_fatal) == (ErrorCode.INVALID_REQUEST, False)


@pytest.mark.parametrize("version", [0, 2, -1, 10**300])
def test_another_version_is_fatal_also_in_a_message_that_we_do_not_know(version: int) -> None:
    for name in ("ping", "moo"):
        rejected = fault(json.dumps({"type": name, "protocol_version": version}))
        assert (rejected.code, rejected.is_fatal) == (ErrorCode.INVALID_REQUEST, True)
        assert len(rejected.message) < 200


@pytest.mark.parametrize("name", ["moo", "", "PING", "Hello", "x" * 500, "job_progress"])
def test_an_unknown_type_is_refused(name: str) -> None:
    rejected = fault(json.dumps({"type": name, "protocol_version": 1, "request_id": "r"}))
    assert (rejected.code, rejected.request_id, rejected.is_fatal) == (
        ErrorCode.UNKNOWN_COMMAND,
        "r",
        False,
    )
    assert len(rejected.message) < 200


# Numbers, nesting, surrogates.


@pytest.mark.parametrize("digits", [20, 400, 5000, 1_000_000])
def test_a_huge_integer_is_refused_quickly(digits: int) -> None:
    rejected = fault(
        '{"type":"pong","protocol_version":1,"request_id":"r","seq":' + "9" * digits + "}"
    )
    assert rejected.code is ErrorCode.INVALID_REQUEST and len(rejected.message) < 200


def test_a_float_where_an_integer_belongs_is_not_rounded() -> None:
    assert "seq" in fault('{"type":"pong","protocol_version":1,"seq":1.0}').message


@pytest.mark.parametrize(
    "depth, is_fine", [(1, True), (49, True), (50, False), (900, False), (20_000, False)]
)
@pytest.mark.parametrize("brackets", ["[]", "{}"])
def test_nesting_has_a_bound(depth: int, is_fine: bool, brackets: str) -> None:
    opening, closing = ("[", "]") if brackets == "[]" else ('{"a":', "}")
    nested = opening * depth + "1" + closing * depth
    decoded = decode(
        '{"type":"result","protocol_version":1,"request_id":"r","status":"ok","result":'
        + nested
        + "}"
    )
    if is_fine:
        assert isinstance(decoded, Ok)
        json.loads(encode(decoded.value))
    else:
        assert isinstance(decoded, Err) and decoded.error.request_id == "r"


@pytest.mark.parametrize(
    "escaped, repaired",
    [
        (r"\ud83d", "�"),
        (r"\ude00", "�"),
        (r"a\ud83db", "a�b"),
        (r"\ude00\ud83d", "��"),
        (r"\ud83d\ude00", "\U0001f600"),
        (r"\\ud83d", "\\ud83d"),
        (r"\uD83D\uDE00 \uD83D", "\U0001f600 �"),
    ],
)
def test_half_a_surrogate_pair_is_replaced_and_a_whole_one_kept(
    escaped: str, repaired: str
) -> None:
    text = '{"type":"hello","protocol_version":1,"project_name":"' + escaped + '"}'
    decoded = decode(text)
    assert decoded == Ok(Hello(project_name=repaired))
    assert isinstance(decoded, Ok)
    encode(decoded.value).encode("utf-8")


def test_a_key_may_be_half_a_pair_too() -> None:
    decoded = decode(r'{"type":"error","protocol_version":1,"error":{"\ud83d":1}}')
    assert decoded == Ok(ErrorMessage(error={"�": 1}))


# The request id of what cannot be read.


@pytest.mark.parametrize(
    "text, request_id",
    [
        ('{"type":"result","request_id":"req-1","status":"ok","result":{"a', "req-1"),
        ('{"type":"result","request_id" : "req-1","x":NaN}', "req-1"),
        ('{"request_id":""', None),
        ('{"request_id":"' + "x" * 257 + '"', None),
        ('{"request_id":7', None),
        (r'{"request_id":"a\"b"', None),
        ("no id at all", None),
    ],
)
def test_the_request_id_is_found_where_it_can_be(text: str, request_id: Any) -> None:
    assert fault(text).request_id == request_id


@pytest.mark.parametrize("request_id", [7, "", "x" * 257, None, ["r"]])
def test_an_invalid_request_id_is_not_passed_on(request_id: Any) -> None:
    assert (
        fault(
            json.dumps({"type": "moo", "protocol_version": 1, "request_id": request_id})
        ).request_id
        is None
    )


# Whatever comes.

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=20,
)


@given(st.text())
def test_no_text_makes_it_raise(text: str) -> None:
    assert isinstance(decode(text), (Ok, Err))


@pytest.mark.slow
@given(st.sampled_from(list(FULL)), st.dictionaries(st.sampled_from(sorted(WRONG)), JSON), JSON)
def test_no_json_raises_and_every_fault_is_reported(
    name: str, changes: Dict[str, Any], other: Any
) -> None:
    for value in ({**on_the_wire(name), **changes}, other):
        decoded = decode(json.dumps(value))
        if isinstance(decoded, Err):
            assert decoded.error.message
        else:
            assert decode(encode(decoded.value)) == decoded


@given(st.sampled_from(list(FULL)), st.integers(0, 60), st.text(max_size=3))
def test_no_broken_text_makes_it_raise(name: str, at: int, junk: str) -> None:
    text = json.dumps(on_the_wire(name))
    assert isinstance(decode(text[:at] + junk), (Ok, Err))
    assert isinstance(decode(text[:at] + junk + text[at:]), (Ok, Err))


# What is saved of a text that is no message.


@pytest.mark.parametrize(
    "text",
    [
        '{"type":"error","protocol_version":1,"error":"no"}',
        '{"type":"error"}',
        '{"type":"error","error":{}}',
        '{"type":"error","protocol_version":2,"error":{}}',
        '{"type":"error","protocol_version":1,"request_id":"r","error":',
        '{ "type" : "error", "x": NaN }',
        '{"type":"error","protocol_version":1,"error":' + "[" * 60 + "]" * 60 + "}",
    ],
)
def test_an_unreadable_error_is_read_as_an_error_since_it_must_not_be_answered(text: str) -> None:
    assert fault(text).is_error


@pytest.mark.parametrize(
    "text", ["", "error", "[]", '{"type":"pong"}', '{"type":"ERROR","protocol_version":1}', "{"]
)
def test_anything_else_is_no_error(text: str) -> None:
    assert not fault(text).is_error


@pytest.mark.parametrize(
    "text",
    [
        '{"type":"submit_job_result","protocol_version":1,"request_id":"r","status":"done","job_id":"job-7"}',
        '{"type":"submit_job_result","protocol_version":1,"request_id":"r","job_id":"job-7"',
        '{"type":"submit_job_result","request_id":"r","status":"accepted","job_id":"job-7"}',
    ],
)
def test_the_job_of_an_answer_that_cannot_be_read_is_saved(text: str) -> None:
    rejected = fault(text)
    assert (rejected.request_id, rejected.job_id) == ("r", "job-7")


def test_an_invalid_job_id_is_not_kept() -> None:
    assert (
        fault('{"type":"job_status","protocol_version":1,"request_id":"r","job_id":5}').job_id
        is None
    )


@pytest.mark.parametrize("name", ["moo\x1b[2Jmoo", "moo\nmoo", "\u202emoo", "\u2028", "x" * 500])
def test_a_fault_quotes_without_repeating_commands(name: str) -> None:
    rejected = fault(json.dumps({"type": name, "protocol_version": 1}))
    assert rejected.message.isprintable() and len(rejected.message) < 200


# How much is kept of what a plugin says (SPEC §20.3).

LONG = "x" * 900_000


def kept(type: str, **fields: Any) -> Any:
    decoded = decode(json.dumps(on_the_wire(type, **fields)))
    assert isinstance(decoded, Ok)
    return decoded.value


@pytest.mark.parametrize("field", ["plugin_version", "unity_version", "project_name"])
def test_the_names_in_a_hello_are_short(field: str) -> None:
    assert getattr(kept("hello", **{field: LONG}), field) == LONG[:256]


def test_a_path_may_be_longer() -> None:
    assert kept("hello", project_path=LONG).project_path == LONG[:4096]


def test_a_hello_keeps_its_last_valid_jobs() -> None:
    assert kept("hello", jobs=["", "job-1", LONG]).jobs == ["job-1"]
    many = [f"job-{n}" for n in range(5000)]
    assert kept("hello", jobs=many).jobs == many[-1024:]


def test_a_hello_keeps_its_last_valid_job_keys() -> None:
    right, wrong = (
        {"job-1": ["me", "key"]},
        {"job-2": [LONG, "key"], "job-3": ["me", "\x1b"], LONG: ["me", "key"]},
    )
    assert kept("hello", job_keys={**right, **wrong, "": ["a", "b"]}).job_keys == right
    many = {f"job-{n}": ["me", "key"] for n in range(5000)}
    assert list(kept("hello", job_keys=many).job_keys) == list(many)[-1024:]


def test_tools_have_names_of_some_length_and_there_are_not_that_many() -> None:
    assert kept("hello", tools=["compile", LONG]).tools == ["compile"]
    assert len(kept("hello", tools=["compile"] * 5000).tools) == 256


def test_progress_is_short_and_holds_what_the_protocol_names() -> None:
    said = {
        "completed": 1,
        "total": 2,
        "current_test": LONG,
        "mood": LONG,
        "failed": 1,
        "failed_test": LONG,
    }
    short = {"current_test": LONG[:1024], "failed_test": LONG[:1024]}
    assert kept("job_status", progress=said).progress == {
        "completed": 1,
        "total": 2,
        "failed": 1,
        **short,
    }


def test_the_summary_of_the_console_is_one() -> None:
    said = {
        "errors": 9,
        "warnings": 0,
        "first": [LONG, {"a": LONG}, "b", "c", "d"],
        "next_cursor": "c-1",
        "all": LONG,
    }
    console = kept("job_status", console=said).console
    assert console == {"errors": 9, "warnings": 0, "first": [LONG[:500], "b"], "next_cursor": "c-1"}
    assert kept("job_status", console={"first": LONG}).console is None


# --- the direct way of the frequent messages, without dataclasses-json ---

IDS = st.text(min_size=1, max_size=256)
PAYLOADS = st.dictionaries(
    st.text(max_size=8),
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
        ),
        max_leaves=8,
    ),
    max_size=4,
)
UINT64 = st.integers(0, 2**64 - 1)
STATES = st.sampled_from(["queued", "running", "succeeded", "failed", "timeout", "cancelled"])
VALUES = {
    "request_id": IDS,
    "job_id": IDS,
    "target_job_id": IDS,
    "target_request_id": IDS,
    "tool_name": st.text(),
    "tool": st.text(),
    "params": PAYLOADS,
    "timeout_ms": UINT64,
    "status": st.sampled_from(["ok", "error"]),
    "state": STATES,
    "editor_state": st.sampled_from(["ready", "compiling", "reloading"]),
    "result": PAYLOADS,
    "error": PAYLOADS,
    "progress": PAYLOADS,
    "console": PAYLOADS,
    "seq": UINT64,
    "main_thread_stalled_ms": UINT64,
    "compile_errors": UINT64,
    "untrusted_jobs": UINT64,
    "remaining_ms": UINT64,
    "client": st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=128),
    "client_request_id": st.text(
        st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=128
    ),
    "playing": st.booleans(),
    "paused": st.booleans(),
    "game_time_s": st.integers() | st.floats(allow_nan=False, allow_infinity=False),
    "frame": st.integers(),
    "kept_copies": st.lists(st.fixed_dictionaries({"file": st.text(), "copy": st.text()})),
    **dict.fromkeys(
        ("plugin_version", "server_version", "unity_version", "project_name", "project_path"),
        st.text(),
    ),
    "editor_instance_id": IDS,
    "process_id": st.integers(),
    "nonce": st.text("0123456789abcdef", min_size=16, max_size=128) | st.text(),
    "proof": st.text(),
    "code": st.sampled_from(["loaded", "pending"]) | st.text(),
    "pending_reason": st.sampled_from(["compile_errors", "playing", "reload_locked", "requested"])
    | st.text(),
    "jobs": st.lists(IDS, max_size=3),
    "job_keys": st.dictionaries(IDS, st.lists(st.text(), min_size=2, max_size=2), max_size=2),
    "tools": st.lists(st.text(min_size=1), max_size=3),
    "joins": st.lists(st.text(min_size=1), max_size=3),
    **dict.fromkeys(
        (
            "reconnect_initial_ms",
            "reconnect_multiplier",
            "reconnect_max_backoff_ms",
            "reconnect_jitter_ratio",
        ),
        st.integers() | st.floats(allow_nan=False, allow_infinity=False),
    ),
}
CLIENTS = st.fixed_dictionaries({"id": VALUES["client"], "name": st.text()})
OTHER_VALUES: Dict[Type[Message], Dict[str, Any]] = {
    EditorStatus: {"state": VALUES["editor_state"]},
    Hello: {"state": VALUES["editor_state"]},
    Capability: {"tools": st.lists(PAYLOADS, max_size=2)},
    Execute: {"client": CLIENTS},
    SubmitJob: {"client": CLIENTS},
    SubmitJobResult: {"status": st.just("accepted")},
    CancelResult: {"status": st.sampled_from(["cancelled", "cancel_requested", "rejected"])},
}


@st.composite
def all_messages(draw: Any, classes: Collection[Type[Message]]) -> Message:
    cls = draw(st.sampled_from(sorted(classes, key=lambda one: one.__name__)))
    required = {f.name for f in fields(cls) if f.default is MISSING}
    values = {**VALUES, **OTHER_VALUES.get(cls, {})}
    chosen = {
        f.name: draw(values[f.name])
        for f in fields(cls)
        if f.name in required or draw(st.booleans())
    }
    made: Message = cls(**chosen)
    return made


@given(
    message=all_messages(HOT),
    more=st.dictionaries(st.sampled_from(["x", "timestamp"]), st.text(), max_size=1),
)
def test_hot_messages_are_read_and_written_as_dataclasses_json_does(
    message: Message, more: Dict[str, Any]
) -> None:
    written = json.loads(encode(message))
    defined = {
        name: value
        for name, value in definition(type(message)).to_dict(message).items()
        if value is not None
    }
    assert written == {"type": type_name(message), "protocol_version": 1, **defined}
    read = decode(json.dumps({**written, **more}))
    assert read == Ok(definition(type(message)).from_dict(left_of(message)))
    assert read == Ok(type(message)(**left_of(message)))


@given(message=all_messages(set(TYPES.values()) - HOT))
def test_the_other_messages_are_the_same_without_dataclasses_json(message: Message) -> None:
    written = json.loads(encode(message))
    read = decode(json.dumps(written))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(messages, "definition", no_descriptor_is_left)
        assert json.loads(encode(message)) == written
        assert decode(json.dumps(written)) == read == Ok(type(message)(**left_of(message)))


def no_descriptor_is_left(cls: Type[Message]) -> None:
    raise OSError(errno.EMFILE, "Too many open files")


def left_of(message: Message) -> Dict[str, Any]:
    """What is left of it once it was read: of some members no more than is known, or short."""
    members = vars(message)
    cuts = {f.name: f.metadata["check"].cut for f in fields(message) if members[f.name] is not None}
    return {
        name: members[name] if cuts.get(name) is None else cuts[name](members[name])
        for name in members
    }
