"""``SdkSessions``: the ``mcp`` SDK's server, fed from our wire instead of its own stdio.

The SDK decides once for a whole connection which protocol era it serves. Here each era has an SDK loop of its own on
the same wire, and every request goes to the one it was written for, so a client may probe with ``server/discover``
and then shake hands with ``initialize`` (SPEC §12.1). Everything runs on the event loop's thread.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import math
from functools import partial
from typing import Any, Callable, Dict, Mapping, Optional

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse, jsonrpc_message_adapter

from unity_bridge.log.logger import Logger
from unity_bridge.mcp.envelope import Era, era_of
from unity_bridge.mcp.json_rpc import INTERNAL_ERROR, Refusal, Request
from unity_bridge.mcp.owed_requests import Owed
from unity_bridge.mcp.sdk_fallback import Answered, Handshake

_Stream = MemoryObjectSendStream["SessionMessage | Exception"]


class _Asked:
    """A request that the SDK was given, under a number of ours: its client may use the id again after a cancel."""

    def __init__(self, request: Request, era: Era, owed: Optional[Owed], expected: Optional[bytes] = None) -> None:
        self.request = request
        self.era = era
        self.owed = owed  # None for what was answered before, with ``expected``
        self.expected = expected


class SdkSessions:
    """Routes requests to the SDK and its messages back."""

    def __init__(self, server: Server[Any], answered: Answered, send: Callable[[bytes], None], log: Logger) -> None:
        self._server = server
        self._answered = answered
        self._send = send
        self._log = log
        self._numbers = itertools.count(1)
        self._asked: Dict[int, _Asked] = {}
        self._streams: Dict[Era, _Stream] = {}
        self._loops: Dict[Era, asyncio.Task[None]] = {}
        self._is_closing = False
        self.idle = asyncio.Event()
        self.idle.set()

    def take(self, owed: Owed) -> None:
        """Hand a request to the SDK, unless it was cancelled on its way here."""
        if not owed.is_settled:
            self._ask(_Asked(owed.request, era_of(owed.request), owed))

    def replay(self, handshake: Handshake) -> None:
        """Shake hands once more, for the SDK alone."""
        self._ask(_Asked(handshake.request, Era.HANDSHAKE, None, handshake.line))

    def cancel(self, owed: Owed) -> None:
        for number, asked in self._asked.items():
            if asked.owed is owed:
                params = {"requestId": number}
                message = JSONRPCNotification(jsonrpc="2.0", method="notifications/cancelled", params=params)
                self._stream(asked.era).send_nowait(SessionMessage(message))

    async def close(self) -> None:
        """End the SDK's loops; a handler that still runs is cancelled. What still comes is refused."""
        self._is_closing = True
        for stream in self._streams.values():
            stream.close()
        if self._loops:
            await asyncio.wait(list(self._loops.values()), timeout=1.0)

    # --- inwards ---

    def _ask(self, asked: _Asked) -> None:
        number, request = next(self._numbers), asked.request
        self._asked[number] = asked
        self.idle.clear()
        if self._is_closing:
            self._fail(number, "unity-bridge is shutting down; nothing ran. Start it again.")
            return
        # The SDK checks parameters before any handler sees them and answers faults without a word of help, so it is
        # shown a call that is always well formed; the handler finds what was really sent in its context's `request`.
        shown = _always_well_formed(request.params) if request.method == "tools/call" else request.params
        message = JSONRPCRequest(jsonrpc="2.0", id=number, method=request.method, params=shown)
        metadata = ServerMessageMetadata(
            request_context=request.params, on_request_unanswered=partial(self._settle_unanswered, number)
        )
        self._stream(asked.era).send_nowait(SessionMessage(message, metadata))

    def _stream(self, era: Era) -> _Stream:
        stream = self._streams.get(era)
        if stream is None:
            stream, receive = anyio.create_memory_object_stream["SessionMessage | Exception"](math.inf)
            loop = asyncio.ensure_future(self._serve(era, receive))
            # Not by the loop: one that is cancelled before it begins never comes to its end.
            loop.add_done_callback(partial(_close_both, stream, receive))
            self._streams[era] = stream
            self._loops[era] = loop
        return stream

    async def _serve(self, era: Era, receive: MemoryObjectReceiveStream[SessionMessage | Exception]) -> None:
        try:
            await self._server.run(receive, _Outgoing(self), self._server.create_initialization_options())
        except Exception:
            self._log.exception("the MCP session failed; the next request starts a new one", era=era.name)
        finally:
            del self._streams[era]
            for number in [number for number, asked in self._asked.items() if asked.era is era]:
                self._fail(number, "The MCP session failed. Send initialize and the request again.")

    # --- outwards ---

    def send(self, message: SessionMessage) -> None:
        """Put one of the SDK's messages on the wire."""
        body = message.message
        if not isinstance(body, (JSONRPCResponse, JSONRPCError)):
            self._send(_line(body))
            return
        assert isinstance(body.id, int)  # the number it was given
        asked = self._asked.get(body.id)
        if asked is None:
            return
        try:
            line = _line(body.model_copy(update={"id": asked.request.id}))
        except ValueError:  # a bug of ours: what a handler returned is not JSON
            self._log.exception("an MCP message could not be written", mcp_id=asked.request.id)
            self._fail(body.id, "The answer could not be written; the server's log says why.")
            return
        self._settle(body.id, line, isinstance(body, JSONRPCResponse))

    def _fail(self, number: int, message: str) -> None:
        asked = self._asked[number]
        self._log.warning("request refused", code=INTERNAL_ERROR, reason=message, mcp_id=asked.request.id)
        self._settle(number, Refusal(asked.request.id, INTERNAL_ERROR, message).line(), is_result=False)

    def _settle(self, number: int, line: bytes, is_result: bool) -> None:
        asked = self._asked.pop(number)
        self._tell_if_idle()
        if asked.owed is not None:
            self._answered(asked.owed, line, is_result)
        elif asked.expected is not None and json.loads(asked.expected) != json.loads(line):
            self._log.warning("the MCP SDK would have answered otherwise", mcp_message=asked.request)

    async def _settle_unanswered(self, number: int) -> None:
        """The SDK's word that a cancelled request has ended and will not be answered."""
        self._asked.pop(number, None)
        self._tell_if_idle()

    def _tell_if_idle(self) -> None:
        if not self._asked:
            self.idle.set()


def _line(message: Any) -> bytes:
    return jsonrpc_message_adapter.dump_json(message, by_alias=True, exclude_unset=True) + b"\n"


def _close_both(
    stream: _Stream, receive: MemoryObjectReceiveStream[SessionMessage | Exception], loop: asyncio.Task[None]
) -> None:
    stream.close()
    receive.close()


class _Outgoing:
    """The SDK's write stream. Closing it closes nothing: the other era goes on using the wire."""

    def __init__(self, sessions: SdkSessions) -> None:
        self._sessions = sessions

    async def send(self, item: SessionMessage, /) -> None:
        self._sessions.send(item)

    async def aclose(self) -> None:
        return None

    async def __aenter__(self) -> _Outgoing:
        return self

    async def __aexit__(self, *error: object) -> None:
        return None


def _always_well_formed(params: Optional[Mapping[str, Any]]) -> Dict[str, Any]:
    sent = params or {}
    name = sent.get("name")
    shown: Dict[str, Any] = {"name": name if isinstance(name, str) else "", "arguments": {}}
    if "_meta" in sent:
        shown["_meta"] = sent["_meta"]
    return shown
