"""What the SDK's loops leave behind when they fail, or the service ends under them."""

from __future__ import annotations

import asyncio
import gc
import json
import warnings
from typing import Any, Dict, List

import pytest

from unity_bridge.logger import Logger
from unity_bridge.mcp_endpoint.json_rpc import Notification, Request

pytest.importorskip("mcp", reason="mcp needs Python 3.10")


def test_a_loop_that_is_cancelled_before_it_begins_leaves_no_stream_open() -> None:
    from mcp.server.lowlevel import Server

    from unity_bridge.mcp_endpoint.sdk_sessions import SdkSessions

    async def ends_as_a_message_comes() -> None:
        sessions = SdkSessions(Server("any"), lambda line: None, Logger("test"))
        asyncio.get_running_loop().call_soon(sessions.take, [Request(1, "ping", None)])

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        asyncio.run(ends_as_a_message_comes())
        gc.collect()
    assert [str(warning.message) for warning in told] == []


def test_a_request_that_comes_while_the_loops_end_is_refused_in_words() -> None:
    from mcp.server.lowlevel import Server

    from unity_bridge.mcp_endpoint.sdk_sessions import SdkSessions

    said: List[Dict[str, Any]] = []
    broken: List[Dict[str, Any]] = []

    async def ends_as_messages_come() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: broken.append(context))
        sessions = SdkSessions(Server("any"), lambda line: said.append(json.loads(line)), Logger("test"))
        sessions.take([Request(1, "ping", None)])
        await sessions.idle.wait()
        loop.call_soon(sessions.take, [Request(2, "ping", None), Notification("notifications/any", None)])
        await sessions.close()

    asyncio.run(ends_as_messages_come())
    assert [(answer["id"], "error" in answer) for answer in said] == [(1, False), (2, True)]
    assert "nothing ran" in said[1]["error"]["message"]
    assert broken == []


def test_what_a_session_that_fails_leaves_owed_is_refused_under_the_id_that_its_client_wrote() -> None:
    from mcp.server.lowlevel import Server

    from unity_bridge.mcp_endpoint.sdk_sessions import SdkSessions

    class Broken(Server[Any]):
        async def run(self, read_stream: Any, *others: Any, **more: Any) -> None:
            await read_stream.receive()
            raise RuntimeError("a bug")

    said: List[Dict[str, Any]] = []

    async def asks() -> None:
        sessions = SdkSessions(Broken("any"), lambda line: said.append(json.loads(line)), Logger("test"))
        for id in ("7", 8):
            sessions.take([Request(id, "ping", None)])
            await sessions.idle.wait()
        await sessions.close()

    asyncio.run(asks())
    assert [(answer["id"], answer["error"]["code"]) for answer in said] == [("7", -32603), (8, -32603)]
