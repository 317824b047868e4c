"""Thousands of spoilt lines: each is answered as the contract says, and the next good one is
served.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any, Dict, Iterator, List

import pytest

from tests.fuzz.mutations import spoilt
from tests.mcp.conftest import ServedEndpoint
from tests.mcp.raw_client import MODERN_META, RawClient

LINES = 1500
MEGABYTES = 10


@pytest.fixture
def endpoint() -> Iterator[ServedEndpoint]:
    served = ServedEndpoint().loads()
    served.client.listens()
    yield served.starts()
    served.closes()


def good_messages(id: Any) -> List[Dict[str, Any]]:
    """One of each kind, in both eras."""
    hello = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "fuzz", "version": "1"},
    }
    asked: List[Dict[str, Any]] = [
        {"method": "initialize", "params": hello},
        {"method": "server/discover", "params": {"_meta": dict(MODERN_META)}},
        {"method": "ping"},
        {"method": "tools/list", "params": {}},
        {"method": "tools/list", "params": {"_meta": dict(MODERN_META)}},
        {"method": "tools/call", "params": {"name": "get_editor_state", "arguments": {}}},
        {
            "method": "tools/call",
            "params": {"name": "read_console", "arguments": {"max_entries": 5, "types": ["log"]}},
        },
        {
            "method": "tools/call",
            "params": {"name": "read_console", "arguments": {"contains": "progress"}},
        },
        {
            "method": "tools/call",
            "params": {"name": "run_tests", "arguments": {"mode": "edit", "timeout_ms": 1000}},
        },
        {
            "method": "tools/call",
            "params": {"name": "get_job_status", "arguments": {"job_id": "job-1", "wait_ms": 0}},
        },
        {
            "method": "tools/call",
            "params": {"name": "cancel_job", "arguments": {"job_id": "job-1"}},
        },
        {
            "method": "tools/call",
            "params": {
                "name": "run_tests",
                "arguments": {},
                "_meta": {**MODERN_META, "progressToken": 7},
            },
        },
        {"method": "resources/list", "params": {}},
    ]
    notices: List[Dict[str, Any]] = [
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}},
        {"jsonrpc": "2.0", "id": id, "result": {}},
    ]
    return [{"jsonrpc": "2.0", "id": id, **message} for message in asked] + notices


def must_be_answered(line: bytes) -> bool:
    """Whether the line is a request by the rules of JSON-RPC. Any other line only must not break
    anything.
    """
    try:
        message = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return False
    return (
        isinstance(message, dict)
        and message.get("jsonrpc") == "2.0"
        and isinstance(message.get("method"), str)
        and not message["method"].startswith("notifications/")
        and type(message.get("id")) in (int, str)
        and "\ud83d" not in str(message["id"])  # half a character comes back as U+FFFD
        and type(message.get("params")) in (dict, type(None))
    )


@pytest.mark.parametrize("seed", [1, 2])
def test_every_line_gets_its_due(endpoint: ServedEndpoint, seed: int) -> None:
    chance, client = random.Random(seed), endpoint.client
    client.shakes_hands()
    owed: Counter[Any] = Counter()
    for number in range(1, LINES + 1):
        id: Any = number if number % 2 else f"fuzz-{number}"
        line = spoilt(chance.choice(good_messages(id)), chance)
        if must_be_answered(line):
            owed[key(json.loads(line)["id"])] += 1
        client.says(line + b"\n")
        if number % 100 == 0:
            hears_up_to(client, f"alive-{number}")
    client.hangs_up()
    client.hears_the_end()
    answered = Counter(key(message.get("id")) for message in client.seen if "method" not in message)
    # An id that a mutation has made a second time may be refused for being in flight: an answer all
    # the same.
    missing = {id: count for id, count in owed.items() if answered[id] < count}
    assert not missing
    assert all(message.get("jsonrpc") == "2.0" for message in client.seen)


def test_ten_megabytes_in_one_line_and_a_line_that_breaks_off(endpoint: ServedEndpoint) -> None:
    client = endpoint.client
    client.shakes_hands()
    for line in (
        b"x",
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"' + b"y",
        b"[",
        b'"',
        b"\xff",
    ):
        client.says(line + line[-1:] * (MEGABYTES * 1024 * 1024) + b"\n")
        refused = client.hears()
        assert refused["error"]["code"] in (-32600, -32700)
    hears_up_to(client, "alive")
    client.says(b'{"jsonrpc":"2.0","id":2,"method":"pi')
    client.hangs_up()
    assert [message["error"]["code"] for message in client.hears_the_end()] == [-32700]


def hears_up_to(client: RawClient, id: str) -> None:
    """Whatever was said before, the next good request is answered."""
    client.asks(id, "ping")
    while client.hears().get("id") != id:
        pass


def key(id: Any) -> Any:
    return json.dumps(id)
