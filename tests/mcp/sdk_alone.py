"""The ``mcp`` SDK as the product serves with it, without the endpoint before it: the authority to compare with."""

from __future__ import annotations

import asyncio
import threading
from typing import Any, List, Mapping, Sequence

from tests.mcp.fake_call_service import FakeCallService
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.catalogue.request_validator import RequestValidator
from unity_bridge.catalogue.tool import Tool
from unity_bridge.log.logger import Logger
from unity_bridge.mcp.json_rpc import Request
from unity_bridge.mcp.owed_requests import Owed
from unity_bridge.mcp.tool_calls import ToolCalls

GUARD_S = 60


class SdkAlone:
    """A context manager: the SDK's server on an event loop of its own, with a fake call service behind its tools."""

    def __init__(self, catalogue: Mapping[str, Tool] = CATALOGUE, version: str = "1.2.3") -> None:
        from unity_bridge.mcp.sdk_server import SdkServer

        self._log = Logger("test")
        self._call_service = FakeCallService()
        self.server = SdkServer(catalogue, version, lambda *_: None, lambda _: None, self._log)
        self.server.open(ToolCalls(self._call_service, RequestValidator(catalogue), self._log))
        self._thread = threading.Thread(target=self.server.run, args=(lambda: None,), name="sdk", daemon=True)

    def __enter__(self) -> SdkAlone:
        self._thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.server.stop()
        self._thread.join(GUARD_S)
        self._call_service.close()

    def says(self, *requests: Request) -> List[bytes]:
        """What a new connection hears of ``requests``, one after the other, notifications included."""
        return asyncio.run_coroutine_threadsafe(self._heard(requests), self.server.loop).result(GUARD_S)

    async def _heard(self, requests: Sequence[Request]) -> List[bytes]:
        from unity_bridge.mcp.sdk_sessions import SdkSessions

        heard: List[bytes] = []
        sessions = SdkSessions(
            self.server.sdk, lambda owed, line, is_result: heard.append(line), heard.append, self._log
        )
        for request in requests:
            sessions.take(Owed(request))
            await sessions.idle.wait()
        await sessions.close()
        return heard
