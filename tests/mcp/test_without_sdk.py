"""Without the SDK every message is answered, and unusual ones as the SDK would answer them."""

from __future__ import annotations

import json
from typing import Any, Dict, Iterator

import pytest

from tests.mcp.conftest import ServedEndpoint
from tests.mcp.raw_client import MODERN_META, RawClient
from tests.mcp.sdk_alone import SdkAlone
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.mcp.envelope import era_of
from unity_bridge.mcp.json_rpc import Request
from unity_bridge.mcp.sdk.missing import answer_without_sdk
from unity_bridge.mcp.static_answers import StaticAnswers

VERSION, CAPABILITIES = (
    "io.modelcontextprotocol/protocolVersion",
    "io.modelcontextprotocol/clientCapabilities",
)
STATIC = StaticAnswers(lambda: CATALOGUE, "1.2.3")
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "x", "version": "1"},
}


@pytest.fixture(scope="module")
def sdk() -> Iterator[SdkAlone]:
    pytest.importorskip("mcp_types", reason="mcp needs Python 3.10")
    with SdkAlone() as sdk:
        yield sdk


def answered(request: Request) -> Dict[str, Any]:
    return dict(json.loads(answer_without_sdk(request, era_of(request), STATIC)))


@pytest.mark.parametrize(
    "request_",
    [
        Request(1, "no/such", None),
        Request("x", "resources/list", {}),
        Request(1, "resources/list", {"_meta": MODERN_META}),
        Request(1, "ping", {"_meta": MODERN_META}),
        Request(1, "tools/list", {"_meta": {**MODERN_META, VERSION: "2031-01-01"}}),
        Request(1, "tools/list", {"_meta": {**MODERN_META, VERSION: 7}}),
        Request(1, "tools/list", {"_meta": {VERSION: "2026-07-28"}}),
        Request(1, "initialize", {}),
        Request(1, "initialize", {**HELLO, "protocolVersion": 7}),
        Request(1, "initialize", {**HELLO, "protocolVersion": "1999-01-01"}),
        Request(1, "initialize", {**HELLO, "_meta": {"deep": [[[[[[[[[[[[[[1]]]]]]]]]]]]]]}}),
    ],
    ids=str,
)
def test_the_answer_has_the_result_or_the_code_of_the_sdks_answer(
    sdk: SdkAlone, request_: Request
) -> None:
    theirs = json.loads(sdk.says(Request(0, "initialize", HELLO), request_)[-1])
    ours = answered(request_)
    if "error" in theirs:  # its words are its own
        assert ours["error"]["code"] == theirs["error"]["code"]
        assert ours["error"].get("data") == theirs["error"].get("data")
    else:
        assert ours == theirs


@pytest.mark.parametrize(
    "request_",
    [
        Request(1, "initialize", {**HELLO, "clientInfo": None}),
        Request(1, "initialize", {**HELLO, "capabilities": {"roots": 7}}),
        Request(1, "tools/list", {"_meta": 7}),
        Request(1, "ping", {"_meta": []}),
        Request(1, "tools/list", {"_meta": {**MODERN_META, CAPABILITIES: None}}),
    ],
    ids=str,
)
def test_odd_but_harmless_requests_are_accepted(request_: Request) -> None:
    assert "result" in answered(request_)


def test_a_server_without_the_sdk_serves_calls_in_both_eras(monkeypatch: Any) -> None:
    monkeypatch.setattr("unity_bridge.mcp.endpoint.sdk_is_installed", lambda: False)
    served = ServedEndpoint().loads()
    client: RawClient = served.client.listens()
    served.starts()
    try:
        assert client.asks_for(1, "tools/list")["error"]["code"] == -32602  # before `initialize`
        client.asks(0, "initialize", {**HELLO, "capabilities": 7})
        assert client.hears()["result"]["protocolVersion"] == "2025-11-25"
        assert client.gets(2, "get_editor_state")["result"]["isError"] is False
        assert client.gets(3, "get_editor_state", _meta=[])["result"]["isError"] is False
        assert client.gets(4, "get_editor_state", modern=True)["result"]["isError"] is False
        future = {"name": "get_editor_state", "_meta": {**MODERN_META, VERSION: "2031-01-01"}}
        assert client.asks_for(5, "tools/call", future)["error"]["code"] == -32022
        assert client.asks_for(6, "resources/list")["error"]["code"] == -32601
    finally:
        served.closes()
