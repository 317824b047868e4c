"""``SdkAuthority``: what the ``mcp`` SDK answers to one request (ADR-0022).

The only module that knows the SDK; importing it costs half a second. Each request gets a connection
of its own inside this process, so that nothing is left of the one before: the SDK decides once for
a whole connection which era it serves, and a client may use both (SPEC §12.1).
"""

from __future__ import annotations

import asyncio
import math
from typing import Any, Awaitable, Callable, Mapping, Optional

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types import JSONRPCError, JSONRPCRequest, JSONRPCResponse, jsonrpc_message_adapter

from unity_bridge.catalogue.tool import Tool
from unity_bridge.mcp import prompts
from unity_bridge.mcp.envelope import TASKS, Era, era_of
from unity_bridge.mcp.json_rpc import Request
from unity_bridge.mcp.static_answers import (
    INSTRUCTIONS,
    ONE_PAGE,
    SERVER_NAME,
    SERVER_TITLE,
    TOOLS_STAY_MS,
    published,
)
from unity_bridge.text.json_types import JsonDict

# None of its handlers waits for anything. This only ends one that never answers.
_GUARD_S = 10.0


class SdkAuthority:
    """The SDK's low-level server with the tools of ``catalogue``. For one thread, which must have
    no event loop.
    """

    def __init__(
        self, catalogue: Mapping[str, Tool], version: str, instructions: str = INSTRUCTIONS
    ) -> None:
        self._catalogue = catalogue
        self._server: Server[Any] = Server(
            SERVER_NAME,
            version=version,
            title=SERVER_TITLE,
            instructions=instructions,
            cache_hints={
                method: CacheHint(ttl_ms=TOOLS_STAY_MS, scope="public")
                for method in ("tools/list", "prompts/list")
            },
        )
        self._server.add_request_handler(
            "tools/list", types.PaginatedRequestParams, _one_page(self._listed_tools)
        )
        self._server.add_request_handler("tools/call", types.CallToolRequestParams, self.call_tool)
        self._server.add_request_handler(
            "prompts/list", types.PaginatedRequestParams, _one_page(prompts.listed)
        )
        self._server.add_request_handler(
            "prompts/get", types.GetPromptRequestParams, self._get_prompt
        )
        self._server.extensions = {TASKS: {}}
        self._server.middleware.clear()  # the documented way out of OpenTelemetry's span around every message

    def answer(self, request: Request, handshake: Optional[Request]) -> bytes:
        """Return the line that answers ``request``, from a client that has shaken hands with
        ``handshake`` before.

        A ``tools/call`` is only checked: its result says nothing but that the SDK finds no fault
        with the message. Raises whatever goes wrong in the SDK.
        """
        before = None
        if request.method != "initialize" and era_of(request) is Era.HANDSHAKE:
            before = handshake
        return asyncio.run(asyncio.wait_for(self._answered(request, before), _GUARD_S))

    async def _answered(self, request: Request, handshake: Optional[Request]) -> bytes:
        to_sdk, sdk_reads = anyio.create_memory_object_stream["SessionMessage | Exception"](
            math.inf
        )
        sdk_writes, from_sdk = anyio.create_memory_object_stream["SessionMessage"](math.inf)
        options = self._server.create_initialization_options()
        session = asyncio.ensure_future(self._server.run(sdk_reads, sdk_writes, options))
        try:
            if handshake is not None:
                to_sdk.send_nowait(_message(handshake))
                await _response(from_sdk, session)
            to_sdk.send_nowait(_message(request))
            body = (await _response(from_sdk, session)).model_copy(update={"id": request.id})
            return (
                jsonrpc_message_adapter.dump_json(body, by_alias=True, exclude_unset=True) + b"\n"
            )
        finally:
            session.cancel()
            await asyncio.wait({session})
            for stream in (to_sdk, sdk_reads, sdk_writes, from_sdk):
                stream.close()

    # --- the SDK's handlers ---

    def _listed_tools(self) -> JsonDict:
        return {"tools": [published(tool) for tool in self._catalogue.values()]}

    async def _get_prompt(
        self, context: ServerRequestContext[Any], params: types.GetPromptRequestParams
    ) -> JsonDict:
        if params.name not in prompts.PROMPTS:
            raise MCPError(code=types.INVALID_PARAMS, message=prompts.unknown(params.name))
        return {"resultType": "complete", **prompts.got(params.name)}

    async def call_tool(
        self, context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> JsonDict:
        return {"resultType": "complete", "content": []}


def _one_page(listed: Callable[[], JsonDict]) -> Callable[..., Awaitable[JsonDict]]:
    async def handler(_: object, params: Optional[types.PaginatedRequestParams]) -> JsonDict:
        if params is not None and params.cursor is not None:
            raise MCPError(code=types.INVALID_PARAMS, message=ONE_PAGE)
        return {"resultType": "complete", **listed()}

    return handler


def _message(request: Request) -> SessionMessage:
    """Return the message that the SDK sees: a call is shown to it as one that is always well
    formed.

    The SDK checks a call's parameters before its handler sees them, and its errors do not say what
    to send instead.
    """
    params = request.params
    if request.method == "tools/call":
        sent = request.params or {}
        name = sent.get("name")
        params = {"name": name if isinstance(name, str) else "", "arguments": {}}
        meta = {}
        if "_meta" in sent:
            meta = {"_meta": sent["_meta"]}
        params.update(meta)
    # A number of ours: what the SDK makes of the client's own id does not matter then.
    message = JSONRPCRequest(jsonrpc="2.0", id=1, method=request.method, params=params)
    return SessionMessage(message, ServerMessageMetadata(request_context=request.params))


async def _response(
    from_sdk: MemoryObjectReceiveStream[SessionMessage], session: asyncio.Task[None]
) -> JSONRPCResponse | JSONRPCError:
    """Return the next response. If the session ends without one, raise its exception."""
    while True:
        coming = asyncio.ensure_future(from_sdk.receive())
        await asyncio.wait({coming, session}, return_when=asyncio.FIRST_COMPLETED)
        if not coming.done():
            coming.cancel()
            session.result()
            raise EOFError("the SDK's session ended without an answer")
        body = coming.result().message
        if isinstance(body, (JSONRPCResponse, JSONRPCError)):
            return body
