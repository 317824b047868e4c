"""Progress notifications are few: once a second at most, and only with something new (SPEC §8.6)."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any, List, Tuple

from tests.fakes import ManualClock
from unity_bridge.catalogue.calls import Progress
from unity_bridge.mcp.progress import ProgressReport


def sent(*happened: Tuple[float, Progress]) -> List[Tuple[float, float]]:
    """``(instant, value)`` of each notification."""
    clock, lines = ManualClock(), []
    owed: Any = SimpleNamespace(is_closed=False)
    began = clock.now()
    report = ProgressReport(
        owed, "t", lambda line: lines.append((clock.now() - began, json.loads(line))), clock
    )
    for instant, progress in happened:
        clock.move_to(began + instant)
        report.report(progress)
    return [(round(instant, 3), line["params"]["progress"]) for instant, line in lines]


def test_a_job_without_news_is_reported_once_a_second() -> None:
    running = Progress(step="running", for_ms=0)
    burst = [(step * 0.1, running) for step in range(31)]
    assert sent(*burst) == [(0.0, 0.001), (1.0, 0.002), (2.0, 0.003), (3.0, 0.004)]


def test_news_within_a_second_comes_with_the_next_notification() -> None:
    counts = [
        (0.0, Progress(1, 9)),
        (0.2, Progress(2, 9)),
        (0.4, Progress(3, 9)),
        (1.4, Progress(3, 9)),
    ]
    assert sent(*counts) == [(0.0, 1), (1.4, 3)]


def test_a_count_that_does_not_rise_is_not_sent_again() -> None:
    counts = [
        (0.0, Progress(1, 9)),
        (1.0, Progress(1, 9)),
        (2.0, Progress(1, 9)),
        (2.5, Progress(2, 9)),
    ]
    assert sent(*counts) == [(0.0, 1), (2.5, 2)]
