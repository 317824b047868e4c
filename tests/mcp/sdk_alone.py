"""The ``mcp`` SDK as the product asks it, without the endpoint before it: the authority to compare
with.

Unlike the product it serves calls with the SDK too, from their first message to their result.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any, List, Mapping, Optional

from tests.mcp.fake_call_service import FakeCallService
from unity_bridge.base.result import Err
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.catalogue.request_validator import RequestValidator
from unity_bridge.catalogue.tool import Tool
from unity_bridge.log.logger import Logger
from unity_bridge.mcp.client_calls import ClientCalls, Ended, is_unknown_tool
from unity_bridge.mcp.json_rpc import INVALID_PARAMS, Request
from unity_bridge.mcp.static_answers import INSTRUCTIONS
from unity_bridge.mcp.tool_result import tool_result


class SdkAlone:
    """A context manager: the SDK's server with a fake call service behind its tools."""

    def __init__(
        self,
        catalogue: Mapping[str, Tool] = CATALOGUE,
        version: str = "1.2.3",
        instructions: str = INSTRUCTIONS,
    ) -> None:
        from unity_bridge.mcp.sdk.authority import SdkAuthority

        self._call_service = FakeCallService()
        calls = ClientCalls(self._call_service, RequestValidator(catalogue), Logger("test"))

        class ServesCalls(SdkAuthority):
            async def call_tool(self, context: Any, params: Any) -> Any:
                return await called(calls, context.request or {})

        self._authority = ServesCalls(catalogue, version, instructions)

    def __enter__(self) -> SdkAlone:
        return self

    def __exit__(self, *_: Any) -> None:
        self._call_service.close()

    def says(self, *requests: Request) -> List[bytes]:
        """What a new client is answered to ``requests``, one after the other."""
        handshake: Optional[Request] = None
        lines = []
        for request in requests:
            lines.append(self._authority.answer(request, handshake))
            if request.method == "initialize" and "result" in json.loads(lines[-1]):
                handshake = request
        return lines


async def called(calls: ClientCalls, sent: Mapping[str, Any]) -> Any:
    from mcp.shared.exceptions import MCPError

    loop = asyncio.get_running_loop()
    end: asyncio.Future[Ended] = loop.create_future()

    def on_ended(ended: Ended) -> None:
        loop.call_soon_threadsafe(end.set_result, ended)

    calls.begin(sent, on_ended)
    ended = await end
    if is_unknown_tool(ended):
        assert isinstance(ended.outcome, Err)
        failure = ended.outcome.error
        raise MCPError(code=INVALID_PARAMS, message=failure.error.message, data=failure.as_json())
    return {**json.loads(b"".join(tool_result(ended, 24_000))), "resultType": "complete"}
