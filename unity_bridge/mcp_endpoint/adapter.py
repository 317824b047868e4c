"""``McpEndpointAdapter``: the agent's door. MCP requests become calls, outcomes become MCP results (SPEC §12).

The only part that knows the ``mcp`` SDK, together with ``sdk_sessions``; importing it costs half a second, so whoever
does not serve must not import it.
"""

from __future__ import annotations

import asyncio
import json
import threading
from enum import Enum
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Set, Union

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.shared.jsonrpc_dispatcher import progress_token_from_params
from pydantic_core import PydanticSerializationError, to_json

from unity_bridge.calls import Call, Door, Failure, Outcome, Progress
from unity_bridge.catalogue.request_validator import RequestValidator, client_request_id_in
from unity_bridge.errors import ErrorCode, ToolError
from unity_bridge.logger import Logger
from unity_bridge.mcp_endpoint.json_rpc import Incoming, repaired
from unity_bridge.mcp_endpoint.opening import Opening
from unity_bridge.mcp_endpoint.sdk_sessions import SdkSessions
from unity_bridge.mcp_endpoint.static_answers import (
    INSTRUCTIONS,
    SERVER_NAME,
    SERVER_TITLE,
    TOOLS_STAY_MS,
    published,
)
from unity_bridge.mcp_endpoint.stdio_wire import WireEnd
from unity_bridge.result import Err

# SPEC §3.4, §12.4: the process is gone 2 s after its input ended, whatever is blocked. For calls to end by themselves,
# for the owner of the line to end them, and (three times) for what is then left to be written and joined:
_DRAIN_S = 1.0
# What is left of it at least, for calls that had to wait for the SDK to be loaded.
_DRAIN_LEAST_S = 0.2
_SETTLE_S = 0.3
_FLUSH_S = 0.2

_CLIENT_REQUEST_ID_KEY = "unity-bridge/client_request_id"


class EndOfService(Enum):
    """Why the endpoint stopped serving."""

    EOF = "eof"
    STDOUT_GONE = "stdout_gone"
    STOPPED = "stopped"


class McpEndpointAdapter:
    """Serves MCP on two byte streams, and takes every tool call through ``door``.

    Answers ``initialize`` and ``tools/list`` by itself, whatever the editor or the port do. ``on_end`` is called on
    the serving thread when the service is about to end, while answers can still be written: whoever owns the line
    then ends the calls that are left. What is not ended shortly after is answered here, as having an unknown end.
    """

    def __init__(
        self,
        door: Door,
        validator: RequestValidator,
        version: str,
        log: Logger,
        on_end: Optional[Callable[[EndOfService], None]] = None,
    ) -> None:
        self._door = door
        self._validator = validator
        self._log = log
        self._on_end = on_end
        self._server = self._sdk_server(version)
        self._unended: Set[_UnendedCall] = set()  # touched on the serving thread only
        self._lock = threading.Lock()  # guards the two below
        self._stopped = False
        self._ending: Optional[_Ending] = None

    def serve(self, opening: Opening) -> EndOfService:
        """Take over where ``opening`` has got to. Blocks the calling thread, and runs an event loop in it, until the
        service ends. Once only."""
        return asyncio.run(self._serve(opening))

    def stop(self) -> None:
        """End the service: answers that are still owed are written, then ``serve`` returns. Any thread, at once."""
        with self._lock:
            self._stopped = True
            ending = self._ending
        if ending is not None:
            ending.tell(EndOfService.STOPPED)

    # --- the life of the service ---

    async def _serve(self, opening: Opening) -> EndOfService:
        ending = _Ending(asyncio.get_running_loop())
        sessions = SdkSessions(self._server, opening.send, self._log)
        ending.receiver = sessions.take
        with self._lock:
            self._ending = ending
            if self._stopped:
                ending.tell(EndOfService.STOPPED)
        await sessions.replay(opening.stop_answering())
        if not opening.hand_over(ending.pass_on, ending.tell_wire_end):
            await sessions.close()
            return EndOfService.STOPPED
        reason = await ending.reason
        self._log.info("MCP service ends", reason=reason.value)
        if reason is EndOfService.EOF:
            await ending.answered(sessions, max(_DRAIN_LEAST_S, _DRAIN_S - opening.since_input_ended()))
        self._announce(reason)
        await ending.answered(sessions, _SETTLE_S)
        self._give_up()
        await ending.answered(sessions, _FLUSH_S)
        await sessions.close()
        opening.close(_FLUSH_S)
        return reason

    def _announce(self, reason: EndOfService) -> None:
        try:
            if self._on_end is not None:
                self._on_end(reason)
        except Exception:
            self._log.exception("stopping the rest failed")

    def _give_up(self) -> None:
        for unended in self._unended:
            self._door.abandon(unended.request_id)
            message = "unity-bridge was stopped before this call ended. Check what ran before you repeat it."
            error = ToolError(ErrorCode.RECONNECT_TIMEOUT, message)
            self._log.warning(
                f"call failed: {message}",
                tool=unended.call.tool.name,
                code=error.code.value,
                execution_guarantee=error.guarantee.value,
                request_id=unended.request_id,
                client_request_id=unended.call.client_request_id,
            )
            unended.end(Err(Failure(error, unended.request_id, unended.call.tool)))

    # --- MCP's requests ---

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
        server.middleware.clear()  # the documented way out of OpenTelemetry's span around every message
        return server

    async def _list_tools(
        self, context: ServerRequestContext[Any], params: Optional[types.PaginatedRequestParams]
    ) -> Dict[str, Any]:
        if params is not None and params.cursor is not None:
            raise MCPError(code=types.INVALID_PARAMS, message="There is one page of tools. Leave cursor out.")
        return {"resultType": "complete", "tools": [published(tool) for tool in self._validator.catalogue.values()]}

    async def _call_tool(
        self, context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> Dict[str, Any]:
        """A ``CallToolResult`` as a dict: the SDK then walks a result of megabytes once less."""
        sent: Mapping[str, Any] = context.request or {}
        call: Optional[Call] = None
        try:
            validated = self._validator.validate(sent.get("name"), sent.get("arguments"))
            if isinstance(validated, Err):
                return self._refused(validated.error, client_request_id_in(sent.get("arguments")))
            call = validated.value
            return _answer(await self._ended(call, context, sent), call.client_request_id)
        except MCPError:
            raise
        except Exception:
            return self._failed_on_a_bug(call)

    def _failed_on_a_bug(self, call: Optional[Call]) -> Dict[str, Any]:
        """A bug of ours is answered as such, and never as the client's fault, as the SDK would have it (SPEC §8)."""
        tool, client_request_id = (call.tool, call.client_request_id) if call is not None else (None, None)
        name = tool.name if tool is not None else None
        self._log.exception("a bug: a call failed", tool=name, client_request_id=client_request_id)
        message = "unity-bridge failed on this call; its log says why. Check what ran before you repeat it."
        return _answer(Err(Failure(ToolError(ErrorCode.INVALID_RESPONSE, message), None, tool)), client_request_id)

    def _refused(self, failure: Failure, client_request_id: Optional[str]) -> Dict[str, Any]:
        reason = failure.error.message
        self._log.info("call refused", code=failure.code.value, reason=reason, client_request_id=client_request_id)
        if failure.code is ErrorCode.UNKNOWN_COMMAND:
            raise MCPError(code=types.INVALID_PARAMS, message=failure.error.message, data=failure.as_json())
        return _answer(Err(failure), client_request_id)

    async def _ended(self, call: Call, context: ServerRequestContext[Any], sent: Mapping[str, Any]) -> Outcome:
        """Hand the call to the line, pass its progress on, and wait for its end."""
        wants_progress = progress_token_from_params(sent) is not None
        unended = _UnendedCall(call, asyncio.get_running_loop())
        unended.request_id = self._door.submit(call, unended.end, unended.progress if wants_progress else None)
        self._unended.add(unended)
        try:
            # Checked against its schema where it came in from Unity: a full console is not walked twice.
            return await unended.outcome(context)
        except asyncio.CancelledError:
            self._door.abandon(unended.request_id)
            raise
        finally:
            self._unended.discard(unended)


class _Ending:
    """Brings what happens on other threads to the event loop, and remembers why the service ends."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._output_gone = asyncio.Event()
        self.reason: asyncio.Future[EndOfService] = loop.create_future()
        self.receiver: Callable[[Sequence[Incoming]], None]

    def pass_on(self, messages: Sequence[Incoming]) -> None:
        _call_soon(self._loop, self.receiver, messages)

    def tell(self, reason: EndOfService) -> None:
        _call_soon(self._loop, self._end, reason)

    def tell_wire_end(self, end: WireEnd) -> None:
        self.tell(EndOfService.EOF if end is WireEnd.INPUT_ENDED else EndOfService.STDOUT_GONE)

    async def answered(self, sessions: SdkSessions, budget_s: float) -> None:
        """Until no answer is owed any more, nobody reads them any more, or the budget is used up."""
        waits = [asyncio.ensure_future(event.wait()) for event in (sessions.idle, self._output_gone)]
        await asyncio.wait(waits, timeout=budget_s, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()

    def _end(self, reason: EndOfService) -> None:
        if reason is EndOfService.STDOUT_GONE:
            self._output_gone.set()
        if not self.reason.done():
            self.reason.set_result(reason)


class _UnendedCall:
    """A call in the line: its events come from the executor's thread and are taken, in order, by its handler."""

    def __init__(self, call: Call, loop: asyncio.AbstractEventLoop) -> None:
        self.call = call
        self.request_id = ""
        self._loop = loop
        self._events: asyncio.Queue[Union[Progress, Outcome]] = asyncio.Queue()

    def end(self, outcome: Outcome) -> None:
        _call_soon(self._loop, self._events.put_nowait, outcome)

    def progress(self, progress: Progress) -> None:
        _call_soon(self._loop, self._events.put_nowait, progress)

    async def outcome(self, context: ServerRequestContext[Any]) -> Outcome:
        """The call's end. One queue for both kinds of event: no progress can overtake the answer, nor follow it."""
        furthest = -1
        while True:
            event = await self._events.get()
            if not isinstance(event, Progress):
                return event
            if event.completed > furthest:  # MCP: the value must increase
                furthest = event.completed
                await context.session.report_progress(event.completed, event.total, event.current_test)


def _call_soon(loop: asyncio.AbstractEventLoop, do: Callable[..., object], *arguments: object) -> None:
    """From another thread. After the service has ended there is nobody left to tell."""
    try:
        loop.call_soon_threadsafe(do, *arguments)
    except RuntimeError:  # the loop is closed
        pass


def _answer(outcome: Outcome, client_request_id: Optional[str] = None) -> Dict[str, Any]:
    """Structured content and the same JSON as text: some clients show their model only the one, some the other.

    The client's own id comes back beside them, where no model pays for it.
    """
    failed = isinstance(outcome, Err)
    payload: Dict[str, Any] = {"error": outcome.error.as_json()} if isinstance(outcome, Err) else outcome.value
    try:
        text = _as_text(payload)
    except PydanticSerializationError:  # half a character, as C# strings may hold
        payload = repaired(payload)
        text = _as_text(payload)
    content: List[Dict[str, Any]] = [{"type": "text", "text": text}]
    answer = {"resultType": "complete", "content": content, "structuredContent": payload, "isError": failed}
    return answer if client_request_id is None else {**answer, "_meta": {_CLIENT_REQUEST_ID_KEY: client_request_id}}


def _as_text(payload: Mapping[str, Any]) -> str:
    """Compact JSON, by the SDK's own encoder: a third of the time of ``json`` on a full console."""
    text = to_json(payload)
    if b"NaN" in text or b"Infinity" in text:
        json.dumps(payload, allow_nan=False)  # raises, unless they are only spoken of
    return text.decode("utf-8")
