"""``SdkServer``: the ``mcp`` SDK's low-level server, on an event loop of its own, with our tools.

The only part that knows the SDK, together with ``sdk_sessions``; importing it costs half a second.
"""

from __future__ import annotations

import asyncio
import json
from concurrent import futures
from typing import Any, Callable, Dict, Mapping, Optional, Union

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.shared.jsonrpc_dispatcher import progress_token_from_params

from unity_bridge.base.calls import Progress
from unity_bridge.base.result import Err
from unity_bridge.catalogue.tool import Tool
from unity_bridge.log.logger import Logger
from unity_bridge.mcp.envelope import TASKS
from unity_bridge.mcp.owed_requests import Owed
from unity_bridge.mcp.progress import further
from unity_bridge.mcp.sdk_fallback import Answered, Handshake
from unity_bridge.mcp.sdk_sessions import SdkSessions
from unity_bridge.mcp.static_answers import (
    INSTRUCTIONS,
    ONE_PAGE,
    SERVER_NAME,
    SERVER_TITLE,
    TOOLS_STAY_MS,
    published,
)
from unity_bridge.mcp.tool_calls import Ended, ToolCalls, is_unknown_tool
from unity_bridge.mcp.tool_result import tool_result


class SdkServer:
    """``run`` blocks its thread; everything else is safe from any, and returns at once."""

    def __init__(
        self,
        catalogue: Mapping[str, Tool],
        version: str,
        answered: Answered,
        send: Callable[[bytes], None],
        log: Logger,
    ) -> None:
        self._catalogue = catalogue
        self._log = log
        self.loop = asyncio.new_event_loop()
        self._stopped = asyncio.Event()
        self._calls: asyncio.Future[ToolCalls] = self.loop.create_future()
        self.sdk = self._sdk_server(version)
        self._sessions = SdkSessions(self.sdk, answered, send, log)

    def run(self, on_running: Callable[[], None]) -> None:
        """Serve until ``stop``. ``on_running`` is called first, on this thread."""
        try:
            self.loop.run_until_complete(self._serve(on_running))
        finally:
            self.loop.run_until_complete(_cancel_what_is_left())
            self.loop.close()

    def open(self, calls: ToolCalls) -> None:
        self._soon(self._calls.set_result, calls)

    def replay(self, handshake: Handshake) -> None:
        """Bring the SDK to where its client is. What it answers was said: it is only compared."""
        self._soon(self._sessions.replay, handshake)

    def take(self, owed: Owed) -> None:
        self._soon(self._sessions.take, owed)
        owed.has_begun(lambda: self._soon(self._sessions.cancel, owed))

    def drain(self, budget_s: float) -> None:
        """Wait for what the SDK is about to answer: calls that have just ended."""
        try:
            asyncio.run_coroutine_threadsafe(self._sessions.idle.wait(), self.loop).result(budget_s)
        except (RuntimeError, futures.TimeoutError, futures.CancelledError):  # it has ended, or does not end
            pass

    def stop(self) -> None:
        self._soon(self._stopped.set)

    async def _serve(self, on_running: Callable[[], None]) -> None:
        on_running()
        await self._stopped.wait()
        await self._sessions.close()

    def _soon(self, do: Callable[..., object], *arguments: object) -> None:
        """After the end there is nobody left to tell."""
        try:
            self.loop.call_soon_threadsafe(do, *arguments)
        except RuntimeError:  # the loop is closed
            pass

    # --- MCP's requests, on the loop ---

    def _sdk_server(self, version: str) -> Server[Any]:
        server: Server[Any] = Server(
            SERVER_NAME,
            version=version,
            title=SERVER_TITLE,
            instructions=INSTRUCTIONS,
            cache_hints={"tools/list": CacheHint(ttl_ms=TOOLS_STAY_MS, scope="public")},
        )
        server.add_request_handler("tools/list", types.PaginatedRequestParams, self._list_tools)
        server.add_request_handler("tools/call", types.CallToolRequestParams, self._call_tool)
        server.extensions = {TASKS: {}}
        server.middleware.clear()  # the documented way out of OpenTelemetry's span around every message
        return server

    async def _list_tools(
        self, context: ServerRequestContext[Any], params: Optional[types.PaginatedRequestParams]
    ) -> Dict[str, Any]:
        if params is not None and params.cursor is not None:
            raise MCPError(code=types.INVALID_PARAMS, message=ONE_PAGE)
        return {"resultType": "complete", "tools": [published(tool) for tool in self._catalogue.values()]}

    async def _call_tool(
        self, context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> Dict[str, Any]:
        sent: Mapping[str, Any] = context.request or {}
        calls = await self._calls
        events: asyncio.Queue[Union[Progress, Ended]] = asyncio.Queue()
        wants_progress = progress_token_from_params(sent) is not None

        def happened(event: Union[Progress, Ended]) -> None:
            self._soon(events.put_nowait, event)

        running = calls.begin(sent, happened, happened if wants_progress else None)
        try:
            return _result(await self._ended(events, context))
        except asyncio.CancelledError:
            if running is not None:
                calls.abandon(running)
            raise

    async def _ended(self, events: asyncio.Queue[Union[Progress, Ended]], context: ServerRequestContext[Any]) -> Ended:
        """One queue for both kinds of event: no progress can overtake the answer, nor follow it."""
        furthest: float = -1
        while True:
            event = await events.get()
            if not isinstance(event, Progress):
                return event
            value = further(event, furthest)
            if value is not None:
                furthest = value
                await context.session.report_progress(value, event.total, event.message)


async def _cancel_what_is_left() -> None:
    tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _result(ended: Ended) -> Dict[str, Any]:
    if is_unknown_tool(ended):
        assert isinstance(ended.outcome, Err)
        failure = ended.outcome.error
        raise MCPError(code=types.INVALID_PARAMS, message=failure.error.message, data=failure.as_json())
    result: Dict[str, Any] = json.loads(b"".join(tool_result(*ended)))
    return {**result, "resultType": "complete"}
