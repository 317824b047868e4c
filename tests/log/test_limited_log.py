"""A flood of refusals is a line now and then."""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

from tests.fakes import ManualClock
from unity_bridge.log.limited_log import LimitedLog
from unity_bridge.log.logger import Logger


class Lines(Logger):
    """Keeps what is written."""

    def __init__(self) -> None:
        super().__init__("refusals")
        self.written: List[Tuple[str, Dict[str, Any]]] = []

    def warning(self, text: str, **values: Any) -> None:
        self.written.append((text, values))


def test_a_flood_of_one_kind_is_one_line_until_it_is_quiet_again() -> None:
    clock, lines = ManualClock(), Lines()
    refusals = LimitedLog(lines, clock)
    for _ in range(1000):
        refusals.warn("origin", "refused", peer=1)
    refusals.warn("host", "refused for another reason")
    clock.advance(10.0)
    refusals.warn("origin", "refused", peer=2)
    clock.advance(10.0)
    refusals.warn("origin", "refused", peer=3)
    assert lines.written == [
        ("refused", {"peer": 1, "unsaid": None}),
        ("refused for another reason", {"unsaid": None}),
        ("refused", {"peer": 2, "unsaid": 999}),
        ("refused", {"peer": 3, "unsaid": None}),
    ]
