"""``LatestStatus``: an ``editor_status`` on its way to the executor, whose place a newer one may
take.

Only the last word on the editor's state counts. A plugin that says it ten thousand times a second costs the calls of
others no more than one that says it once (SPEC §20).
"""

from __future__ import annotations

import threading
from typing import Optional

from unity_bridge.base.frozen import changed, fields_of
from unity_bridge.unity.messages import EditorStatus

# What is left out of a message is as it was (SPEC §7.6), but for a stall, which is over.
_STAYS = tuple(
    name
    for name in fields_of(EditorStatus)
    if name not in ("state", "seq", "main_thread_stalled_ms")
)


class LatestStatus:
    """The peer's reader thread adds to it, until the executor takes it."""

    def __init__(self, status: EditorStatus) -> None:
        self._lock = threading.Lock()
        self._status: Optional[EditorStatus] = status  # guarded by _lock; None once taken

    def add(self, newer: EditorStatus) -> bool:
        """Whether ``newer`` is part of it; if not, it was taken before."""
        with self._lock:
            if self._status is None:
                return False
            self._status = _merged(self._status, newer)
            return True

    def take(self) -> EditorStatus:
        """Once only."""
        with self._lock:
            status, self._status = self._status, None
        assert status is not None
        return status


def _merged(older: EditorStatus, newer: EditorStatus) -> EditorStatus:
    if newer.seq < older.seq:
        return older  # as the executor would have dropped it
    staying = {name: getattr(older, name) for name in _STAYS if getattr(newer, name) is None}
    if any(value is not None for value in staying.values()):
        return changed(newer, **staying)
    return newer
