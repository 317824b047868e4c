"""A run without a terminal: a line at every change, and never silence for so long that a build server gives up."""

from __future__ import annotations

from datetime import datetime

import pytest

from unity_bridge.calls import Progress
from unity_bridge.commands.run_display import Lines


class ManualClock:
    instant = 0.0

    def now(self) -> float:
        return self.instant

    def utc(self) -> datetime:
        raise AssertionError("no wall clock is needed")


def test_lines_are_few_but_never_half_a_minute_apart(capsys: pytest.CaptureFixture[str]) -> None:
    clock = ManualClock()
    lines = Lines(clock)
    for second in range(0, 70, 10):
        clock.instant = float(second)
        lines.progress(Progress(second, 100, "Keep.Tests.A"))
    lines.away(True)
    lines.away(True)
    lines.away(False)
    lines.say("Cancelling ...")
    lines.close()
    out, err = capsys.readouterr()
    assert out == "", "stdout is for the report"
    assert err.splitlines() == [
        "Running 100 tests ...",
        "30 of 100 tests done",
        "60 of 100 tests done",
        "Unity is away (it compiles, reloads or was closed); the run goes on when it is back.",
        "Unity is back.",
        "Cancelling ...",
    ]


def test_one_test_is_one_test(capsys: pytest.CaptureFixture[str]) -> None:
    Lines(ManualClock()).progress(Progress(0, 1))
    assert capsys.readouterr().err == "Running 1 test ...\n"
