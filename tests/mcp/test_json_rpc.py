# ruff: noqa: E501 (tables read better with one row a line)
"""Every line a client can send, and what it gets for it."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any, List

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unity_bridge.mcp.json_rpc import (
    INVALID_REQUEST,
    PARSE_ERROR,
    LineSplitter,
    Notification,
    Request,
    Response,
    RpcError,
    read_line,
    repaired,
    too_long,
)

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (PING, Request(1, "ping", None)),
        (b"\xef\xbb\xbf" + PING, Request(1, "ping", None)),
        (PING + b"\r", Request(1, "ping", None)),
        (b" \t" + PING + b"  ", Request(1, "ping", None)),
        (b'{"jsonrpc":"2.0","id":"a","method":"m","params":{"x":1}}', Request("a", "m", {"x": 1})),
        (b'{"jsonrpc":"2.0","id":0,"method":"m","params":null}', Request(0, "m", None)),
        (b'{"jsonrpc":"2.0","id":"","method":"m"}', Request("", "m", None)),
        (b'{"jsonrpc":"2.0","id":-5,"method":"m"}', Request(-5, "m", None)),
        (b'{"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"m"}', Request(123456789012345678901234567890, "m", None)),
        (b'{"jsonrpc":"2.0","method":"m","params":{}}', Notification("m", {})),
        (b'{"jsonrpc":"2.0","id":3,"result":{}}', Response(3)),
        (b'{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}', Response(None)),
        (b'{"jsonrpc":"2.0","id":1,"method":"m","future":true}', Request(1, "m", None)),
        ('{"jsonrpc":"2.0","id":1,"method":"m","params":{"t":"日本語 \U0001f600"}}'.encode(), Request(1, "m", {"t": "日本語 \U0001f600"})),
        (rb'{"jsonrpc":"2.0","id":1,"method":"m","params":{"t":"\ud83d\ude00"}}', Request(1, "m", {"t": "\U0001f600"})),
        (rb'{"jsonrpc":"2.0","id":1,"method":"m","params":{"t":"a\ud800b"}}', Request(1, "m", {"t": "a\ufffdb"})),
        (rb'{"jsonrpc":"2.0","id":1,"method":"m","params":{"\udfff":["\uDBFF"]}}', Request(1, "m", {"\ufffd": ["\ufffd"]})),
        (rb'{"jsonrpc":"2.0","id":"\ud800","method":"m"}', Request("\ufffd", "m", None)),
        (b"", None),
        (b"   \t", None),
        (b"\r", None),
    ],
)  # fmt: skip
def test_a_message_is_read(line: bytes, message: Any) -> None:
    assert read_line(line) == message


@pytest.mark.parametrize(
    ("line", "id", "code", "said"),
    [
        (b"hello", None, PARSE_ERROR, "not JSON"),
        (b'{"jsonrpc":"2.0","id":9,"method":"ping"', None, PARSE_ERROR, "not JSON"),
        (b"{'jsonrpc':'2.0'}", None, PARSE_ERROR, "not JSON"),
        (PING + PING, None, PARSE_ERROR, "not JSON"),
        (b"\x00\x01", None, PARSE_ERROR, "not JSON"),
        (PING.decode().encode("utf-16"), None, PARSE_ERROR, "not UTF-8"),
        (b'{"jsonrpc":"2.0","id":9,"method":"m","params":{"t":"\xff"}}', 9, PARSE_ERROR, "not UTF-8"),
        (b'{"jsonrpc":"2.0","id":9,"method":"m","params":{"t":"\xed\xa0\x80"}}', 9, PARSE_ERROR, "not UTF-8"),
        (b'{"jsonrpc":"2.0","id":9,"method":"m","params":{"t":NaN}}', 9, PARSE_ERROR, "number"),
        (b'{"jsonrpc":"2.0","id":9,"method":"m","params":{"t":-Infinity}}', 9, PARSE_ERROR, "number"),
        (b'{"jsonrpc":"2.0","id":9,"method":"m","params":' + b'{"t":' * 200_000 + b"1" + b"}" * 200_000 + b"}", 9, INVALID_REQUEST, "nested"),
        (b"[" * 200_000, None, INVALID_REQUEST, "nested"),
        (b"[" + PING + b"]", None, INVALID_REQUEST, "Batches"),
        (b"[]", None, INVALID_REQUEST, "Batches"),
        (b'"ping"', None, INVALID_REQUEST, "JSON object"),
        (b"7", None, INVALID_REQUEST, "JSON object"),
        (b"null", None, INVALID_REQUEST, "JSON object"),
        (b"{}", None, INVALID_REQUEST, "jsonrpc"),
        (b'{"id":9,"method":"ping"}', 9, INVALID_REQUEST, "jsonrpc"),
        (b'{"jsonrpc":"1.0","id":9,"method":"ping"}', 9, INVALID_REQUEST, "jsonrpc"),
        (b'{"jsonrpc":2.0,"id":9,"method":"ping"}', 9, INVALID_REQUEST, "jsonrpc"),
        (b'{"jsonrpc":"2.0","id":9}', 9, INVALID_REQUEST, "method"),
        (b'{"jsonrpc":"2.0","id":9,"method":5}', 9, INVALID_REQUEST, "method"),
        (b'{"jsonrpc":"2.0","id":"x","method":null}', "x", INVALID_REQUEST, "method"),
        (b'{"jsonrpc":"2.0","id":9,"method":"m","params":[]}', 9, INVALID_REQUEST, "params"),
        (b'{"jsonrpc":"2.0","id":9,"method":"m","params":"x"}', 9, INVALID_REQUEST, "params"),
        (b'{"jsonrpc":"2.0","method":"m","params":[1]}', None, INVALID_REQUEST, "params"),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', None, INVALID_REQUEST, "id must be"),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', None, INVALID_REQUEST, "id must be"),
        (b'{"jsonrpc":"2.0","id":1.0,"method":"ping"}', None, INVALID_REQUEST, "id must be"),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', None, INVALID_REQUEST, "id must be"),
        (b'{"jsonrpc":"2.0","id":[1],"method":"ping"}', None, INVALID_REQUEST, "id must be"),
        (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', None, INVALID_REQUEST, "id must be"),
    ],
)  # fmt: skip
def test_an_invalid_message_is_refused(line: bytes, id: Any, code: int, said: str) -> None:
    refusal = read_line(line)
    assert isinstance(refusal, RpcError)
    assert (refusal.id, refusal.code) == (id, code)
    assert said in refusal.message
    answer = json.loads(refusal.line())
    assert answer == {
        "jsonrpc": "2.0",
        "id": id,
        "error": {"code": code, "message": refusal.message},
    }


def test_a_number_of_thousands_of_digits_is_read_or_refused_with_its_id() -> None:
    """Python's own limit on such numbers differs from release to release."""
    message = read_line(
        b'{"jsonrpc":"2.0","id":9,"method":"m","params":{"n":' + b"1" * 100_000 + b"}}"
    )
    assert isinstance(message, (Request, RpcError)) and message.id == 9


@given(st.binary(max_size=200))
def test_no_line_is_too_odd(line: bytes) -> None:
    message = read_line(line)
    assert message is None or isinstance(message, (Request, Notification, Response, RpcError))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(max_codepoint=0x10FFFF)),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@pytest.mark.slow
@given(st.dictionaries(st.text(), JSON))
def test_a_message_arrives_as_it_was_sent(params: Any) -> None:
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "m", "params": params}).encode()
    assert read_line(line) == Request(1, "m", repaired(params))


# --- lines ---


def split(data: bytes, limit: int, chunk: int) -> Any:
    splitter = LineSplitter(limit)
    lines = []
    for start in range(0, len(data), chunk):
        lines += splitter.feed(data[start : start + chunk])
    return lines + splitter.end()


@given(st.binary(max_size=60), st.integers(1, 20))
def test_lines_are_the_same_however_they_arrive(data: bytes, chunk: int) -> None:
    whole = data.split(b"\n")
    assert split(data, 1000, chunk) == (whole if whole[-1] else whole[:-1])


@given(st.lists(st.integers(0, 30), max_size=8), st.integers(1, 70), st.integers(1, 20))
def test_exactly_the_lines_over_the_limit_are_cut(
    lengths: List[int], chunk: int, limit: int
) -> None:
    data = b"".join(b"x" * length + b"\n" for length in lengths)
    cut = [line is None for line in split(data, limit, chunk)]
    assert cut == [length > limit for length in lengths]


def test_a_line_over_the_limit_is_not_held_in_memory() -> None:
    splitter = LineSplitter(1000)
    tracemalloc.start()
    for _ in range(1000):
        assert splitter.feed(b"x" * 1000) == []
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 10_000
    assert splitter.feed(b"\n") == [None]
    assert splitter.feed(PING + b"\n") == [PING]


# No UTF-8.
PADDING = b"p" * 5000 + b"\xff"


@pytest.mark.parametrize(
    ("line", "id"),
    [
        (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"a":"%s"}}', 7),
        (b'{ "method" : "tools/call", "id" : "seven", "params":{"a":"%s"}}', "seven"),
        (b'{"id":-7,"params":{"a":"%s"}}', -7),
        (b'{"method":"tools/call","params":{"a":"%s"},"jsonrpc":"2.0","id":7}', 7),
        (b'{"method":"tools/call","params":{"a":"%s"},"id":"a\\"b","jsonrpc":"2.0"}', 'a"b'),
        (b'{"method":"tools/call","params":{"a":"%s"} , "id" : 7 } \r', 7),
        (rb'{"method":"tools/call","params":{"a":"%s"},"id":"\ud800"}', "\ufffd"),
        # What looks like an id but is not the message's own, or not one at all:
        (b'{"params":{"a":"%s","id":7}}', None),
        (b'{"params":{"id":7,"a":"%s"}}', None),
        (b'{"params":{"a":"%s,\\"id\\":7}"}}', None),
        (b'{"jsonrpc":"2.0","id":7.5,"params":{"a":"%s"}}', None),
        (b'{"jsonrpc":"2.0","id":null,"params":{"a":"%s"}}', None),
        (rb'{"id":"\x","params":{"a":"%s"}}', None),
        (b"%s", None),
    ],
)
def test_the_id_of_a_message_that_cannot_be_read_is_found_at_either_end(
    line: bytes, id: Any
) -> None:
    refusal = read_line(line.replace(b"%s", PADDING))
    assert isinstance(refusal, RpcError)
    assert (refusal.id, refusal.code) == (id, PARSE_ERROR)


def test_a_line_over_the_limit_is_refused_without_an_id() -> None:
    refusal = too_long(1000)
    assert (refusal.id, refusal.code) == (None, INVALID_REQUEST) and "1000 bytes" in refusal.message
