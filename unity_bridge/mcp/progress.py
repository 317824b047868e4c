"""``ProgressReport``: a call's progress as the notifications that its client asked for with a
token.
"""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, Optional

from unity_bridge.base.clock import Clock
from unity_bridge.catalogue.calls import Progress
from unity_bridge.mcp.envelope import ProgressToken
from unity_bridge.mcp.owed_requests import Owed

# Steps count for nothing next to tests.
_STEP = 0.001
# SPEC §8.6: once a second at most. A waiting call hears of its job every second at least, so what
# is left out here comes with the next notification; a little less than a second keeps that one from
# being left out too.
_APART_S = 0.95


class ProgressReport:
    """For one call. ``report`` belongs to the executor, as does the call's end: no progress can
    overtake the answer.
    """

    def __init__(
        self, owed: Owed, token: ProgressToken, send: Callable[[bytes], None], clock: Clock
    ) -> None:
        self._owed = owed
        self._token = token
        self._send = send
        self._clock = clock
        self._sent_at: Optional[float] = None
        self._furthest: float = -1

    def report(self, progress: Progress) -> None:
        now = self._clock.now()
        if self._sent_at is not None and now - self._sent_at < _APART_S:
            return
        # MCP: the value must increase with each notification.
        if progress.completed is None:
            value = round(max(self._furthest, 0) + _STEP, 3)
        else:
            value = progress.completed
        if value <= self._furthest or self._owed.is_closed:  # nothing may follow the answer
            return
        self._sent_at, self._furthest = now, value
        params: Dict[str, Any] = {"progressToken": self._token, "progress": value}
        if progress.total is not None:
            params["total"] = progress.total
        if progress.message is not None:
            params["message"] = progress.message
        message = {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}
        self._send(json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n")
