"""``ParkingLimits``: how long a call is worth keeping while the editor is not ready (SPEC §3.2)."""

from __future__ import annotations

from typing import Optional

from unity_bridge.base.errors import ErrorCode
from unity_bridge.core.context import ExecutionContext
from unity_bridge.core.editor.reconnect import ReconnectController
from unity_bridge.core.editor.status import EditorStateTracker
from unity_bridge.core.ledger.records import Parked


class ParkingLimits:
    """Reads the ledger, writes nothing. For the executor thread alone."""

    def __init__(self, context: ExecutionContext, reconnect: ReconnectController, tracker: EditorStateTracker) -> None:
        self._reconnect = reconnect
        self._tracker = tracker
        self._grace_s = context.config.compile_grace_timeout_ms / 1000
        self._reconnect_s = context.config.request_reconnect_wait_ms / 1000

    def parked(self, since: float, before: Optional[Parked] = None) -> Parked:
        """How long a call that waits since ``since`` may go on waiting, as things stand now.

        When the reason changes, the longer of the windows that applied counts, and what it ends with; of two equal
        ones the present, which says what the editor does now.
        """
        now = self._as_things_stand(since)
        return before if before is not None and before.deadline > now.deadline else now

    def reconnect_window_s(self) -> float:
        """How long to wait for a lost connection with a call in flight, from its loss."""
        return self._reconnect_s if self._tracker.editor.busy_seen_at is None else self._grace_s

    def _as_things_stand(self, since: float) -> Parked:
        editor = self._tracker.editor
        if self._reconnect.active is not None:
            return Parked(since, since + self._grace_s, ErrorCode.COMPILE_TIMEOUT, editor.state.value)
        if editor.busy_seen_at is not None:
            until = editor.busy_seen_at + self._grace_s
            return Parked(since, until, ErrorCode.COMPILE_TIMEOUT, editor.state.value)
        return Parked(since, since + self._reconnect_s, ErrorCode.EDITOR_NOT_READY, "disconnected")
