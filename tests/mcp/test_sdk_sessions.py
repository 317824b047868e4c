"""What the SDK's loops leave behind when they fail, or the service ends under them."""

from __future__ import annotations

import asyncio
import gc
import json
import warnings
from typing import Any, Dict, List, Tuple

import pytest

from unity_bridge.log.logger import Logger
from unity_bridge.mcp.json_rpc import Request
from unity_bridge.mcp.owed_requests import Owed
from unity_bridge.mcp.sdk_fallback import Handshake

pytest.importorskip("mcp", reason="mcp needs Python 3.10")

from mcp.server.lowlevel import Server

from unity_bridge.mcp.sdk_sessions import SdkSessions


class Told:
    """The sessions of ``server``, and what they answered."""

    def __init__(self, server: Any) -> None:
        self.answers: List[Tuple[Any, Dict[str, Any]]] = []
        self.sessions = SdkSessions(server, self._answered, lambda line: None, Logger("test"))

    def _answered(self, owed: Owed, line: bytes, is_result: bool) -> None:
        answer = json.loads(line)
        assert is_result == ("result" in answer)
        self.answers.append((owed.request.id, answer))


class Broken(Server[Any]):
    async def run(self, read_stream: Any, *others: Any, **more: Any) -> None:
        await read_stream.receive()
        raise RuntimeError("a bug")


def ping(id: Any) -> Owed:
    return Owed(Request(id, "ping", None))


def test_a_loop_that_is_cancelled_before_it_begins_leaves_no_stream_open() -> None:
    async def ends_as_a_message_comes() -> None:
        told = Told(Server("any"))
        asyncio.get_running_loop().call_soon(told.sessions.take, ping(1))

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        asyncio.run(ends_as_a_message_comes())
        gc.collect()
    assert [str(warning.message) for warning in seen] == []


def test_a_request_that_comes_while_the_loops_end_is_refused_in_words() -> None:
    told, broken = Told(Server("any")), []

    async def ends_as_messages_come() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: broken.append(context))
        told.sessions.take(ping(1))
        await told.sessions.idle.wait()
        loop.call_soon(told.sessions.take, ping(2))
        await told.sessions.close()

    asyncio.run(ends_as_messages_come())
    assert [(id, "error" in answer) for id, answer in told.answers] == [(1, False), (2, True)]
    assert "nothing ran" in told.answers[1][1]["error"]["message"]
    assert broken == []


def test_what_a_session_that_fails_leaves_owed_is_refused_under_the_id_that_its_client_wrote() -> None:
    told = Told(Broken("any"))

    async def asks() -> None:
        for id in ("7", 8):
            told.sessions.take(ping(id))
            await told.sessions.idle.wait()
        await told.sessions.close()

    asyncio.run(asks())
    assert [(answer["id"], answer["error"]["code"]) for _, answer in told.answers] == [("7", -32603), (8, -32603)]


def test_a_request_that_was_cancelled_on_its_way_is_not_asked() -> None:
    told = Told(Server("any"))

    async def asks() -> None:
        owed = ping(1)
        owed.is_settled = True
        told.sessions.take(owed)
        assert told.sessions.idle.is_set()
        await told.sessions.close()

    asyncio.run(asks())
    assert told.answers == []


@pytest.mark.parametrize("agrees", [True, False])
def test_an_sdk_that_would_have_shaken_hands_otherwise_is_told_in_the_log(agrees: bool, caplog: Any) -> None:
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    told = Told(Server("any", version="1"))

    async def shakes_hands() -> None:
        told.sessions.take(Owed(Request(0, "initialize", hello)))
        await told.sessions.idle.wait()
        said = told.answers[0][1]
        line = json.dumps(said if agrees else {**said, "result": {}}).encode()
        told.sessions.replay(Handshake(Request(0, "initialize", hello), line))
        await told.sessions.idle.wait()
        await told.sessions.close()

    asyncio.run(shakes_hands())
    assert len(told.answers) == 1
    assert ("would have answered otherwise" in caplog.text) != agrees
