"""``RateLimit``: how often something of one kind is said. The log has no other device for it."""

from __future__ import annotations

from typing import Dict, Hashable, Optional

_WITHIN_S = 10.0
_KINDS_REMEMBERED = 1000


class _Said:
    """How often a kind was admitted until ``until``, and how often it was not."""

    def __init__(self, until: float) -> None:
        self.until = until
        self.times = 1
        self.unsaid = 0


class RateLimit:
    """At most ``times`` of a kind in ten seconds. For one thread, or under its owner's lock."""

    def __init__(self, times: int) -> None:
        self._times = times
        self._said: Dict[Hashable, _Said] = {}

    def admit(self, kind: Hashable, now: float) -> Optional[int]:
        """``None`` if it is not to be said; else how many of the kind were left out before."""
        record = self._said.get(kind)
        if record is None or now >= record.until:
            if len(self._said) > _KINDS_REMEMBERED:
                self._said = {
                    kind_: record_ for kind_, record_ in self._said.items() if now < record_.until
                }
            self._said[kind] = _Said(now + _WITHIN_S)
            if record is None:
                return 0
            return record.unsaid
        if record.times < self._times:
            record.times += 1
            return 0
        record.unsaid += 1
        return None
