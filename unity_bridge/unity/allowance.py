"""``Allowance``: how often something that any program can provoke is done at once, and then in a
second.
"""

from __future__ import annotations

from unity_bridge.base.clock import Clock


class Allowance:
    """``burst`` at once, then ``rate`` a second. For one thread."""

    def __init__(self, burst: int, rate: float, clock: Clock) -> None:
        self._burst = burst
        self._rate = rate
        self._clock = clock
        self._left: float = burst
        self._counted_at = clock.now()

    def take(self) -> bool:
        """Return whether one more is allowed now; it counts then."""
        now = self._clock.now()
        self._left = min(self._burst, self._left + (now - self._counted_at) * self._rate)
        self._counted_at = now
        is_allowed = self._left >= 1
        if is_allowed:
            self._left -= 1
        return is_allowed
