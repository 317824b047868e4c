"""A minimal server on the SDK: its low-level server, the same tool, a hand-over to a thread, and nothing else.

``python tests/bench/minimal_sdk_server.py stock`` runs it on the SDK's own stdio, ``... own-wire`` on ours.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import asyncio
import json
import queue
import threading
from typing import Any, Callable, Sequence, Tuple

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from tests.mcp.fake_call_service import EDITOR_STATE, console

Work = Tuple[Any, Callable[[Any], object]]
INBOX: queue.Queue[Work] = queue.Queue()


def execute() -> None:
    while True:
        arguments, done = INBOX.get()
        wanted = int(arguments.get("max_entries", 0))
        large = console(wanted, "日本語 " + "m" * 200, "at A.B () in Assets/A.cs:1\n" * 8) if wanted else None
        done(EDITOR_STATE if large is None else large)


async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[Any] = loop.create_future()
    INBOX.put((params.arguments or {}, lambda value: loop.call_soon_threadsafe(answer.set_result, value)))
    value = await answer
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=json.dumps(value))], structured_content=value
    )


async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
    anything = {"type": "object"}
    return types.ListToolsResult(tools=[types.Tool(name="read_console", input_schema=anything)])


SERVER: Server[Any] = Server("minimal", version="1", on_list_tools=list_tools, on_call_tool=call_tool)


async def serve_stock() -> None:
    async with stdio_server() as (read, write):
        await SERVER.run(read, write, SERVER.create_initialization_options())


async def serve_on_our_wire() -> None:
    from unity_bridge.log.logger import Logger
    from unity_bridge.mcp.guarded_stdio import take_stdio
    from unity_bridge.mcp.json_rpc import Incoming, Request
    from unity_bridge.mcp.owed_requests import Owed
    from unity_bridge.mcp.sdk_sessions import SdkSessions
    from unity_bridge.mcp.stdio_wire import StdioWire

    # The SDK is shown a tool call without its arguments, and the handler finds them in its context.
    async def call(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        return await call_tool(context, params.model_copy(update={"arguments": context.request.get("arguments")}))

    def take(messages: Sequence[Incoming]) -> None:
        for message in messages:
            if isinstance(message, Request):
                sessions.take(Owed(message))

    SERVER.add_request_handler("tools/call", types.CallToolRequestParams, call)
    SERVER.middleware.clear()
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    log = Logger("bench")

    def deliver(messages: Sequence[Incoming]) -> None:
        loop.call_soon_threadsafe(take, messages)

    def end(_: object) -> None:
        loop.call_soon_threadsafe(ended.set)

    wire = StdioWire(
        take_stdio(),
        deliver,
        end,
        log,
    )
    sessions = SdkSessions(SERVER, lambda owed, line, is_result: wire.send(line), wire.send, log)
    wire.start()
    await ended.wait()
    await sessions.close()
    wire.close(1.0)


if __name__ == "__main__":
    threading.Thread(target=execute, name="executor", daemon=True).start()
    asyncio.run(serve_on_our_wire() if sys.argv[1:] == ["own-wire"] else serve_stock())
