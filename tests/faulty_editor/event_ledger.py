"""``EventLedger``: an ``EventLog`` that can be read as a whole, and of which a part can be left
out.
"""

from __future__ import annotations

from typing import List

from unity_bridge.simulator.event_log import Event, EventLog


class EventLedger(EventLog):
    """For tests that look at more than the next event."""

    def pass_over(self, kind: str) -> None:
        """Skip what happened of this kind so far: it will not be found any more."""
        with self._changed:
            self._found[kind] = len(self._events)

    def all(self) -> List[Event]:
        """Return every event, in order."""
        with self._changed:
            return list(self._events)
