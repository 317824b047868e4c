"""The only file that imports ``time``. It provides instants and no waiting, so that a test can
control the time.
"""

from __future__ import annotations

import time
from datetime import datetime, timezone
from typing import Protocol


class Clock(Protocol):
    """A source of instants.

    ``now`` is in seconds on a clock that never goes back; deadlines are instants on it. ``utc`` is the wall clock, for
    timestamps.
    """

    def now(self) -> float: ...

    def utc(self) -> datetime: ...


class SystemClock:
    """The machine's own clock."""

    now = staticmethod(time.monotonic)

    def utc(self) -> datetime:
        return datetime.now(timezone.utc)


def rfc3339(instant: datetime) -> str:
    """``2026-02-24T23:59:59.123Z``: the form of every timestamp on the wire and in the log."""
    return (
        instant.astimezone(timezone.utc).isoformat(timespec="milliseconds")[: -len("+00:00")] + "Z"
    )
