"""The wall clock jumps, as when the time is corrected: deadlines and states do not follow it (SPEC
§5).
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Iterator, List, Tuple

import pytest

from tests.fakes import InMemoryBridge, ManualClock
from tests.tool_results import CONSOLE

Heard = List[Tuple[str, object]]


def story(bridge: InMemoryBridge) -> Heard:
    """What an agent is answered, step by step: a read, a run that ends at its deadline, a call
    without an editor.
    """
    heard: Heard = []
    bridge.editor.connects()
    read = bridge.agent.calls("read_console")
    bridge.editor.answers(CONSOLE)
    heard.append(("read", read.answer))
    run = bridge.agent.calls("run_tests", timeout_ms=2000)
    bridge.editor.accepts_job()
    bridge.advance(1.0)
    heard.append(("before its deadline", run.is_answered))
    bridge.advance(60.0)
    heard.append(("after its deadline", run.answer["state"]))
    bridge.editor.vanishes()
    bridge.advance(1.0)
    waiting = bridge.agent.calls("read_console", timeout_ms=1000)
    heard.append(("at once", waiting.is_answered))
    bridge.advance(120.0)
    heard.append(("without an editor", waiting.code))
    return heard


@pytest.fixture
def expected() -> Heard:
    return story(InMemoryBridge())


@pytest.mark.parametrize("years", [[40, 40, 40], [-40, -40, -40], [40, -40, 40, -40]])
def test_nothing_but_timestamps_changes(
    expected: Heard, monkeypatch: pytest.MonkeyPatch, years: List[int]
) -> None:
    def jumping() -> Iterator[datetime]:
        while True:
            for jump in years:
                yield datetime(2026, 1, 1, tzinfo=timezone.utc) + timedelta(days=365 * jump)

    instants = jumping()
    monkeypatch.setattr(ManualClock, "utc", lambda clock: next(instants))
    assert story(InMemoryBridge()) == expected
