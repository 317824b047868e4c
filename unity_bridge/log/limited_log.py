"""``LimitedLog``: lines that any program on the machine can provoke, so each kind is written at a
bounded rate.
"""

from __future__ import annotations

from threading import Lock
from typing import Any, Callable, Dict

from unity_bridge.base.clock import Clock
from unity_bridge.log.logger import Logger
from unity_bridge.log.rate_limit import RateLimit


class LimitedLog:
    """At most one line of a kind in ten seconds; the next one says how many were ``unsaid`` since.
    Any thread.

    A kind comes from a fixed set of words, never from the peer.
    """

    def __init__(self, log: Logger, clock: Clock) -> None:
        self._log = log
        self._clock = clock
        self._lock = Lock()
        self._limit = RateLimit(1)  # guarded by _lock

    def info(self, kind: str, text: str, **values: Any) -> None:
        self._write(self._log.info, kind, text, values)

    def warn(self, kind: str, text: str, **values: Any) -> None:
        self._write(self._log.warning, kind, text, values)

    def _write(
        self, write: Callable[..., None], kind: str, text: str, values: Dict[str, Any]
    ) -> None:
        with self._lock:
            unsaid = self._limit.admit(kind, self._clock.now())
        if unsaid is not None:
            write(text, **values, unsaid=unsaid or None)
