"""What a row reads of the record of events: a dialog holds the main thread, and a busy machine does
so for a moment.
"""

from __future__ import annotations

from typing import Any, Dict, List, cast

import pytest

from unity_bridge.selftest.calls import Calls
from unity_bridge.selftest.report import FAIL, PASS, RowResult, SelftestReport
from unity_bridge.selftest.row import Events, Row
from unity_bridge.selftest.runner import Runner, UnderTest


class Recorded:
    """Calls of an editor that has recorded these events. They come after the row has begun."""

    def __init__(self, events: List[Any]) -> None:
        self._events = events
        self._asked = 0

    def now(self) -> float:
        return 0.0

    def state(self) -> Dict[str, Any]:
        return {"connected": False}

    def call(self, tool: str, arguments: Dict[str, Any], within_s: float) -> Dict[str, Any]:
        self._asked += 1
        events = self._events if self._asked == 2 else []
        value = {"events": events, "next": 0, "total": len(events)}
        return {"state": "succeeded", "result": {"value": value}}


@pytest.mark.parametrize(
    ("stall_ms", "status"), [(1200, PASS), (2900, PASS), (3000, FAIL), (60_000, FAIL)]
)
def test_a_short_stall_is_no_dialog(stall_ms: int, status: str) -> None:
    results: List[RowResult] = []
    calls = cast(Calls, Recorded([[5, "loaded"], [9, "stall", stall_ms]]))
    row = Row("no dialog", "tests", "§16.1", (Events(never=("stall",)),))
    Runner(UnderTest(calls), SelftestReport("now", "2021.3.0f1"), results.append).run(row)
    assert [result.status for result in results] == [status]
