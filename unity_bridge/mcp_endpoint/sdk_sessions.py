"""``SdkSessions``: the ``mcp`` SDK's server, fed from our wire instead of its own stdio.

The SDK decides once for a whole connection which protocol era it serves. Here each era has an SDK loop of its own on
the same wire, and every request goes to the one it was written for, so a client may probe with ``server/discover``
and then shake hands with ``initialize`` (SPEC §12.1). Everything runs on the event loop's thread.
"""

from __future__ import annotations

import asyncio
import math
from enum import Enum
from functools import partial
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.shared.dispatcher import coerce_request_id
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types import (
    PROTOCOL_VERSION_META_KEY,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
    jsonrpc_message_adapter,
)

from unity_bridge.logger import Logger
from unity_bridge.mcp_endpoint.json_rpc import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    Incoming,
    Notification,
    Refusal,
    Request,
)
from unity_bridge.mcp_endpoint.opening import Dealt

_Stream = MemoryObjectSendStream["SessionMessage | Exception"]


class Era(Enum):
    """How a request says which protocol it is written for."""

    HANDSHAKE = "initialize, 2024-11-05 to 2025-11-25"
    ENVELOPE = "2026-07-28: every request carries its version"


class _Owed(NamedTuple):
    """A request without its answer; ``id`` as its client wrote it."""

    id: RequestId
    era: Era


class SdkSessions:
    """Routes messages to the SDK and lines back to the wire; knows which requests are still owed an answer."""

    def __init__(self, server: Server[Any], send: Callable[[bytes], None], log: Logger) -> None:
        self._server = server
        self._send = send
        self._log = log
        self._streams: Dict[Era, _Stream] = {}
        self._loops: Dict[Era, asyncio.Task[None]] = {}
        # Keyed as the SDK correlates, to whom 7 and "7" are one: else a cancel could hit the wrong one of the two.
        self._owed: Dict[RequestId, _Owed] = {}
        self._is_closing = False
        self.idle = asyncio.Event()
        self.idle.set()

    def take(self, messages: Sequence[Incoming]) -> None:
        """Hand the client's messages to the SDK, in their order."""
        for message in messages:
            if self._is_closing:
                self._turn_away(message)
            elif isinstance(message, Request):
                self._take_request(message)
            elif isinstance(message, Notification):
                self._take_notification(message)

    async def replay(self, opened: Sequence[Dealt]) -> None:
        """Bring the SDK to where the opening has brought its client. What it answers was said: it is only compared."""
        said: List[bytes] = []
        send, self._send = self._send, said.append
        for dealt in opened:
            said.clear()
            self.take([dealt.message])
            await self.idle.wait()
            if dealt.answer not in (None, b"".join(said)):
                self._log.warning("the MCP SDK would have answered otherwise", mcp_message=dealt.message)
        self._send = send

    async def close(self) -> None:
        """End the SDK's loops; a handler that still runs is cancelled. What still comes is refused."""
        self._is_closing = True
        for stream in self._streams.values():
            stream.close()
        if self._loops:
            await asyncio.wait(list(self._loops.values()), timeout=1.0)

    # --- inwards ---

    def _turn_away(self, message: Incoming) -> None:
        if isinstance(message, Request):
            self._refuse(message.id, INTERNAL_ERROR, "unity-bridge is shutting down; nothing ran. Start it again.")

    def _take_request(self, request: Request) -> None:
        key = coerce_request_id(request.id)
        if key in self._owed:
            self._refuse(request.id, INVALID_REQUEST, "A request with this id is still in flight. Use a new id.")
            return
        era = _era_of(request)
        self._owed[key] = _Owed(request.id, era)
        self.idle.clear()
        # The SDK checks parameters before any handler sees them and answers faults without a word of help, so it is
        # shown a call that is always well formed; the handler finds what was really sent in its context's `request`.
        shown = _always_well_formed(request.params) if request.method == "tools/call" else request.params
        message = JSONRPCRequest(jsonrpc="2.0", id=request.id, method=request.method, params=shown)
        metadata = ServerMessageMetadata(
            request_context=request.params, on_request_unanswered=partial(self._settle_unanswered, key)
        )
        self._stream(era).send_nowait(SessionMessage(message, metadata))

    def _take_notification(self, notification: Notification) -> None:
        era: Optional[Era] = Era.HANDSHAKE
        if notification.method == "notifications/cancelled":
            cancelled = (notification.params or {}).get("requestId")
            owed = self._owed.get(coerce_request_id(cancelled)) if isinstance(cancelled, (int, str)) else None
            era = None if owed is None else owed.era
        if era is None:
            self._log.debug("cancel of a request that is not in flight", mcp_id=str(notification.params))
            return
        message = JSONRPCNotification(jsonrpc="2.0", method=notification.method, params=notification.params)
        self._stream(era).send_nowait(SessionMessage(message))

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
            for key, owed in [(key, owed) for key, owed in self._owed.items() if owed.era is era]:
                self._refuse(owed.id, INTERNAL_ERROR, "The MCP session failed. Send initialize and the request again.")
                self._settle(key)

    # --- outwards ---

    def send(self, message: SessionMessage) -> None:
        """Put one of the SDK's messages on the wire."""
        body = message.message
        answered = body.id if isinstance(body, (JSONRPCResponse, JSONRPCError)) else None
        try:
            self._send(jsonrpc_message_adapter.dump_json(body, by_alias=True, exclude_unset=True) + b"\n")
        except ValueError:  # a bug of ours: what a handler returned is not JSON
            self._log.exception("an MCP message could not be written", mcp_id=answered)
            if answered is not None:
                self._refuse(answered, INTERNAL_ERROR, "The answer could not be written; the server's log says why.")
        if answered is not None:
            self._settle(coerce_request_id(answered))

    def _refuse(self, request_id: RequestId, code: int, message: str) -> None:
        self._log.warning("request refused", code=code, reason=message, mcp_id=request_id)
        self._send(Refusal(request_id, code, message).line())

    def _settle(self, key: RequestId) -> None:
        self._owed.pop(key, None)
        if not self._owed:
            self.idle.set()

    async def _settle_unanswered(self, key: RequestId) -> None:
        """The SDK's word that a cancelled request has ended and will not be answered."""
        self._settle(key)


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


def _era_of(request: Request) -> Era:
    """A handshake is a handshake whatever else it carries; otherwise the envelope tells."""
    meta = (request.params or {}).get("_meta")
    enveloped = isinstance(meta, dict) and PROTOCOL_VERSION_META_KEY in meta
    return Era.ENVELOPE if enveloped and request.method != "initialize" else Era.HANDSHAKE


def _always_well_formed(params: Optional[Mapping[str, Any]]) -> Dict[str, Any]:
    sent = params or {}
    name = sent.get("name")
    shown: Dict[str, Any] = {"name": name if isinstance(name, str) else "", "arguments": {}}
    if "_meta" in sent:
        shown["_meta"] = sent["_meta"]
    return shown
