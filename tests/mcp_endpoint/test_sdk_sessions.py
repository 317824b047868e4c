"""What the SDK's loops leave behind when the service ends under them."""

from __future__ import annotations

import asyncio
import gc
import warnings

import pytest

from unity_bridge.logger import Logger
from unity_bridge.mcp_endpoint.json_rpc import Request

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
