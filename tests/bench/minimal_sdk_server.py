"""A minimal server on the SDK: its low-level server and stdio, the same tool, a hand-over to a
thread, nothing else.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import asyncio
import json
import queue
import threading
from typing import Any, Callable, Tuple

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
        large = (
            console(wanted, "日本語 " + "m" * 200, "at A.B () in Assets/A.cs:1\n" * 8)
            if wanted
            else None
        )
        done(EDITOR_STATE if large is None else large)


async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[Any] = loop.create_future()
    INBOX.put(
        (params.arguments or {}, lambda value: loop.call_soon_threadsafe(answer.set_result, value))
    )
    value = await answer
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=json.dumps(value))], structured_content=value
    )


async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
    anything = {"type": "object"}
    return types.ListToolsResult(tools=[types.Tool(name="read_console", input_schema=anything)])


SERVER: Server[Any] = Server(
    "minimal", version="1", on_list_tools=list_tools, on_call_tool=call_tool
)


async def serve() -> None:
    async with stdio_server() as (read, write):
        await SERVER.run(read, write, SERVER.create_initialization_options())


if __name__ == "__main__":
    threading.Thread(target=execute, name="executor", daemon=True).start()
    asyncio.run(serve())
