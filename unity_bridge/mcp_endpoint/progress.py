"""``ProgressReport``: a call's progress as the notifications that its client asked for with a token."""

from __future__ import annotations

import json
from typing import Any, Callable, Dict

from unity_bridge.calls import Progress
from unity_bridge.mcp_endpoint.envelope import ProgressToken
from unity_bridge.mcp_endpoint.owed_requests import Owed


class ProgressReport:
    """For one call. ``tell`` belongs to the executor, as does the call's end: no progress can overtake the answer."""

    def __init__(self, owed: Owed, token: ProgressToken, send: Callable[[bytes], None]) -> None:
        self._owed = owed
        self._token = token
        self._send = send
        self._furthest = -1

    def tell(self, progress: Progress) -> None:
        # MCP: the value must increase, and nothing may follow the answer.
        if progress.completed <= self._furthest or self._owed.is_settled:
            return
        self._furthest = progress.completed
        params: Dict[str, Any] = {"progressToken": self._token, "progress": progress.completed}
        params["total"] = progress.total
        if progress.current_test is not None:
            params["message"] = progress.current_test
        told = {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}
        self._send(json.dumps(told, separators=(",", ":")).encode("ascii") + b"\n")
