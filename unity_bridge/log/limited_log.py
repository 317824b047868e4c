"""``LimitedLog``: lines that any program on the machine can provoke, so each kind is written at a bounded rate."""

from __future__ import annotations

from threading import Lock
from typing import Any, Dict, Optional, Tuple

from unity_bridge.base.clock import Clock
from unity_bridge.log.logger import Logger

_QUIET_S = 10.0


class LimitedLog:
    """At most one line of a kind in ten seconds; the next one says how many were ``unsaid`` since. Any thread.

    A kind comes from a fixed set of words, never from the peer.
    """

    def __init__(self, log: Logger, clock: Clock) -> None:
        self._log = log
        self._clock = clock
        self._lock = Lock()
        self._quiet_until: Dict[str, float] = {}  # guarded by _lock
        self._unsaid: Dict[str, int] = {}  # guarded by _lock

    def info(self, kind: str, text: str, **values: Any) -> None:
        is_due, unsaid = self._take(kind)
        if is_due:
            self._log.info(text, **values, unsaid=unsaid)

    def warn(self, kind: str, text: str, **values: Any) -> None:
        is_due, unsaid = self._take(kind)
        if is_due:
            self._log.warning(text, **values, unsaid=unsaid)

    def _take(self, kind: str) -> Tuple[bool, Optional[int]]:
        """Whether a line of this kind is due, and how many were not written since the last one."""
        now = self._clock.now()
        with self._lock:
            if now < self._quiet_until.get(kind, now):
                self._unsaid[kind] = self._unsaid.get(kind, 0) + 1
                return False, None
            self._quiet_until[kind] = now + _QUIET_S
            return True, self._unsaid.pop(kind, None)
