"""The wire before the SDK is there: what is static is answered, the rest waits, and every end is noticed."""

import json
import os
import queue
import sys
from unittest.mock import ANY

import pytest

from tests.mcp_endpoint.conftest import ServedEndpoint
from tests.mcp_endpoint.raw_client import GUARD_S, RawClient
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.clock import SystemClock
from unity_bridge.logger import Logger
from unity_bridge.mcp_endpoint import opening as module
from unity_bridge.mcp_endpoint.guarded_stdio import Stdio
from unity_bridge.mcp_endpoint.json_rpc import Request
from unity_bridge.mcp_endpoint.opening import Opening
from unity_bridge.mcp_endpoint.static_answers import StaticAnswers
from unity_bridge.mcp_endpoint.stdio_wire import WireEnd

needs_the_sdk = pytest.mark.skipif(sys.version_info < (3, 10), reason="mcp needs Python 3.10")


class OpeningOnPipes:
    """An opening with a client at the far end of its pipes; nobody has taken over yet."""

    def __init__(self):
        client_reads, server_writes = os.pipe()
        server_reads, client_writes = os.pipe()
        self.ends = queue.Queue()
        self.opening = Opening(
            Stdio(server_reads, server_writes),
            StaticAnswers(CATALOGUE, "1.2.3"),
            SystemClock(),
            Logger("test"),
            lambda: self.ends.put("nothing to wait for"),
        )
        self.client = RawClient(client_reads, client_writes)
        self.news = queue.Queue()
        self._fds = (server_reads, server_writes)

    def hands_over(self):
        return self.opening.hand_over(self._delivered, self.news.put)

    def next(self):
        return self.news.get(timeout=GUARD_S)

    def ended(self):
        return self.ends.get(timeout=GUARD_S)

    def closes(self):
        self.opening.withdraw(GUARD_S)
        self.opening.close(GUARD_S)
        for fd in self._fds:
            os.close(fd)
        self.client.leaves()

    def _delivered(self, messages):
        for message in messages:
            self.news.put(message)


@pytest.fixture
def early():
    early = OpeningOnPipes()
    early.opening.start()
    yield early
    early.closes()


@pytest.fixture
def client(early):
    return early.client.listens()


def test_a_client_has_its_tools_before_anybody_has_taken_over(early, client):
    assert client.shakes_hands()["serverInfo"]["version"] == "1.2.3"
    assert len(client.asks_for(1, "tools/list")["result"]["tools"]) == len(CATALOGUE)
    assert client.asks_for(2, "ping")["result"] == {}
    assert client.asks_for(3, "server/discover", modern=True)["result"]["supportedVersions"] == ["2026-07-28"]


def test_the_list_waits_where_nobody_has_shaken_hands(early, client):
    client.asks(1, "tools/list")
    client.hangs_up()
    assert early.hands_over()
    assert early.next() == Request(1, "tools/list", None)


def test_from_the_first_message_that_is_not_static_all_wait_in_their_order(early, client):
    client.shakes_hands()
    client.calls(1, "get_editor_state")
    client.asks(2, "ping")
    client.cancels(1)
    client.says(b"rubbish\n")
    assert client.hears()["error"]["code"] == -32700  # so the lines before it have been read, and not answered
    client.hangs_up()
    assert early.hands_over()
    assert [early.next().method for _ in range(3)] == ["tools/call", "ping", "notifications/cancelled"]
    assert early.next() is WireEnd.INPUT_ENDED


def test_whoever_takes_over_is_told_what_was_said_and_then_gets_everything(early, client):
    client.shakes_hands()
    client.asks_for(1, "ping")
    dealt = early.opening.stop_answering()
    assert [one.message.method for one in dealt] == [
        "initialize",
        "notifications/initialized",
        "ping",
    ]
    assert [json.loads(one.answer or b"null") for one in dealt] == [client.seen[0], None, client.seen[1]]
    client.asks(2, "ping")
    client.says(b"rubbish\n")
    assert client.hears()["error"]["code"] == -32700  # so the ping has been read, and not answered
    assert early.hands_over()
    assert early.next() == Request(2, "ping", None)
    client.asks(3, "ping")
    assert early.next() == Request(3, "ping", None)
    assert not early.opening.withdraw(GUARD_S)


@pytest.mark.parametrize("params", [{"a": 1}, {"_meta": {}}], ids=["odd", "metadata"])
@pytest.mark.parametrize("method", ["initialize", "ping", "tools/list", "server/discover"])
def test_what_is_not_plain_waits(early, client, method, params):
    client.asks(1, method, params)
    client.hangs_up()
    assert early.hands_over()
    assert early.next() == Request(1, method, params)


def test_capabilities_a_thousand_levels_deep_wait_too(early, client):
    deep = b'{"a":' * 900 + b"1" + b"}" * 900
    client.says(
        b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",'
        b'"clientInfo":{"name":"x","version":"1"},"capabilities":' + deep + b"}}\n"
    )
    client.hangs_up()
    assert early.hands_over()
    assert early.next().id == 1


def test_a_line_that_is_no_message_is_refused_and_ends_nothing(early, client):
    client.says(b"rubbish\n")
    assert client.hears()["error"]["code"] == -32700
    assert client.shakes_hands()


# --- ends that come before anybody has taken over ---


def test_a_client_that_leaves_with_all_its_answers_is_not_waited_for(early, client):
    client.shakes_hands()
    client.hangs_up()
    assert early.ended()
    assert early.opening.withdraw(GUARD_S)


@pytest.mark.skipif(os.name == "nt", reason="there it shows at the next write only")
def test_a_client_that_reads_no_more_is_not_waited_for_whatever_it_is_owed(monkeypatch):
    monkeypatch.setattr(module, "_LOADING_S", 10 * GUARD_S)
    early = OpeningOnPipes()
    early.client.calls(1, "get_editor_state")
    early.client.stops_reading()
    early.opening.start()
    try:
        assert early.ended()
    finally:
        early.closes()


def test_an_answer_that_is_owed_at_end_of_file_is_waited_for_but_not_for_ever(monkeypatch):
    monkeypatch.setattr(module, "_LOADING_S", 0.05)
    early = OpeningOnPipes()
    early.client.listens().calls(7, "get_editor_state")
    early.client.hangs_up()
    early.opening.start()
    try:
        assert early.ended()
        assert early.opening.since_input_ended() > 0
        assert early.opening.withdraw(GUARD_S)
        answer = early.client.hears()
        assert (answer["id"], answer["error"]["code"]) == (7, -32603)
        assert "Keep its stdin open" in answer["error"]["message"]
    finally:
        early.closes()


def test_whoever_takes_over_after_the_end_is_told_of_it(early, client):
    client.shakes_hands()
    client.hangs_up()
    assert early.ended()
    assert early.hands_over()
    assert early.next() is WireEnd.INPUT_ENDED


def test_whoever_takes_over_in_time_gets_what_is_owed_and_the_end_too(monkeypatch):
    monkeypatch.setattr(module, "_LOADING_S", 10 * GUARD_S)
    early = OpeningOnPipes()
    early.client.listens().calls(1, "get_editor_state")
    early.client.hangs_up()
    early.opening.start()
    try:
        assert early.hands_over()
        assert [early.next(), early.next()] == [Request(1, "tools/call", ANY), WireEnd.INPUT_ENDED]
        assert early.ends.empty()
    finally:
        early.closes()


def test_a_stop_answers_what_waits_and_nobody_can_take_over_any_more(early, client):
    client.shakes_hands()
    client.calls(7, "get_editor_state")
    client.asks(8, "tools/list")
    client.says_line({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"})  # is owed no answer
    client.says(b"rubbish\n")
    assert client.hears()["error"]["code"] == -32700  # so the lines before it have been read
    assert early.opening.withdraw(GUARD_S)
    answers = client.hears_all(2)
    assert {answer["id"]: answer["error"]["code"] for answer in answers} == {7: -32603, 8: -32603}
    assert "log" in answers[0]["error"]["message"]
    assert not early.hands_over()
    assert early.news.empty()


# --- the SDK takes over ---


@pytest.fixture
def late():
    """An endpoint that a client can talk to, and whose SDK is not there yet."""
    late = ServedEndpoint(StaticAnswers(CATALOGUE, "1.2.3"))
    late.client.listens()
    yield late
    late.closes()


@needs_the_sdk
def test_a_session_that_began_without_the_sdk_goes_on_with_it(late):
    client = late.client
    client.shakes_hands("2025-06-18")
    listed = client.asks_for(1, "tools/list")
    client.calls(2, "get_editor_state")
    late.starts()
    assert client.hears()["result"]["isError"] is False
    assert client.asks_for(1, "tools/list") == listed
    assert client.asks_for(0, "no/such")["error"]["code"] == -32601
    assert [answer["id"] for answer in client.seen] == [0, 1, 2, 1, 0]


@needs_the_sdk
def test_a_session_that_began_with_a_probe_goes_on_with_the_sdk(late):
    client = late.client
    client.asks_for(1, "server/discover", modern=True)
    listed = client.asks_for(2, "tools/list", modern=True)
    late.starts()
    assert client.gets(3, "get_editor_state", modern=True)["result"]["isError"] is False
    assert client.asks_for(2, "tools/list", modern=True) == listed
    assert client.shakes_hands()["protocolVersion"] == "2025-11-25"


@needs_the_sdk
def test_an_sdk_that_would_have_answered_otherwise_is_told_in_the_log_and_serves_on(late, caplog):
    late.client.shakes_hands()
    late.adapter._server.instructions = "other instructions"
    late.starts()
    assert late.client.gets(1, "get_editor_state")["result"]["isError"] is False
    assert "would have answered otherwise" in caplog.text


@needs_the_sdk
def test_a_session_that_agrees_with_the_sdk_is_not_worth_a_word(late, caplog):
    late.client.shakes_hands()
    late.client.asks_for(1, "tools/list")
    late.client.asks_for(2, "tools/list", modern=True)
    late.starts()
    assert late.client.gets(3, "get_editor_state")["result"]["isError"] is False
    assert "would have answered otherwise" not in caplog.text


@needs_the_sdk
def test_an_endpoint_whose_opening_was_withdrawn_does_not_serve(late):
    late.client.shakes_hands()
    assert late.opening.withdraw(GUARD_S)
    assert late.starts().ended().value == "stopped"
    assert late.announced == []
