"""A job as it goes, on stderr: a build server never waits in silence, and no line is wider than the
terminal.
"""

from __future__ import annotations

import io
import os
import re
import sys
from typing import List

import pytest

from tests.fakes import ManualClock
from unity_bridge.catalogue.calls import Progress
from unity_bridge.commands.shared.job_display import Bar, Lines, display_for_stderr


def test_lines_are_few_but_never_half_a_minute_apart(capsys: pytest.CaptureFixture[str]) -> None:
    clock = ManualClock()
    lines = Lines(clock)
    began = clock.now()
    for second in range(0, 70, 10):
        clock.move_to(began + second)
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
        "30 of 100 tests done 0:30",
        "60 of 100 tests done 1:00",
        "Unity is away (it compiles, reloads or was closed); the job continues when it is back.",
        "Unity is back.",
        "Cancelling ...",
    ]


def test_one_test_is_written_in_the_singular(capsys: pytest.CaptureFixture[str]) -> None:
    Lines(ManualClock()).progress(Progress(0, 1))
    assert capsys.readouterr().err == "Running 1 test ...\n"


def test_a_run_that_waits_behind_another_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    lines = Lines(ManualClock())
    lines.progress(Progress(step="waiting", for_ms=1000))
    lines.progress(Progress(step="waiting", for_ms=2000))
    assert (
        capsys.readouterr().err
        == "Waiting in Unity: another job comes first, or the editor is busy ...\n"
    )


@pytest.mark.parametrize("step", ["waiting", "running"])
def test_work_of_less_than_a_second_is_not_announced(
    step: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = Lines(ManualClock())
    for for_ms in (0, 999):
        lines.progress(Progress(step=step, for_ms=for_ms))
    assert capsys.readouterr().err == ""


def test_each_step_is_shown_once(capsys: pytest.CaptureFixture[str]) -> None:
    lines = Lines(ManualClock())
    for for_ms in (0, 500, 1000):
        lines.progress(Progress(step="compiling", for_ms=for_ms))
    lines.progress(Progress(step="reloading"))
    lines.progress(Progress(step="a step of a newer plugin"))
    assert capsys.readouterr().err.splitlines() == [
        "Compiling ...",
        "Reloading the scripts ...",
        "a step of a newer plugin ...",
    ]


def test_a_long_step_is_repeated_with_the_time_it_has_taken(
    capsys: pytest.CaptureFixture[str],
) -> None:
    clock = ManualClock()
    lines, began = Lines(clock), clock.now()
    for second in range(0, 80, 10):
        clock.move_to(began + second)
        lines.progress(Progress(step="compiling", for_ms=second * 1000))
    assert capsys.readouterr().err.splitlines() == [
        "Compiling ...",
        "Compiling ... 0:30",
        "Compiling ... 1:00",
    ]


class Terminal(io.StringIO):
    @classmethod
    def of_stderr(cls, monkeypatch: pytest.MonkeyPatch, columns: int = 80) -> Terminal:
        """To be called by the test itself: before that, pytest puts its own stderr there."""
        terminal = cls()
        monkeypatch.setattr(sys, "stderr", terminal)
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setenv("TERM", "xterm")
        return terminal

    def isatty(self) -> bool:
        return True

    def drawn(self) -> List[str]:
        """Each drawing of the bar's line."""
        return [
            line
            for line in re.split(r"[\r\n]|\x1b\[[?0-9]*[a-zA-Z]", self.getvalue())
            if line.strip()
        ]


@pytest.mark.parametrize("columns", [28, 30, 40, 54, 80, 200])
def test_the_bar_fits_in_a_terminal_of_28_columns_or_more(
    columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal.of_stderr(monkeypatch, columns)
    bar = Bar(ManualClock())
    bar.progress(
        Progress(9_999, 10_000, "Keep.Tests.InventoryTests.AStackThatIsFullTakesNothingMore")
    )
    bar.close()
    assert terminal.drawn() and max(len(line) for line in terminal.drawn()) < columns


def test_a_complete_job_fills_the_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal.of_stderr(monkeypatch)
    bar = Bar(ManualClock())
    bar.progress(Progress(15, 16, "Keep.Tests.Last"))
    bar.complete()
    bar.close()
    assert "16/16" in terminal.drawn()[-1]


def test_a_dumb_terminal_gets_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    Terminal.of_stderr(monkeypatch)
    assert isinstance(display_for_stderr(ManualClock()), Bar)
    monkeypatch.setenv("TERM", "dumb")
    assert isinstance(display_for_stderr(ManualClock()), Lines)


@pytest.mark.skipif(os.name == "nt", reason="there are no terminals of this kind")
def test_a_terminal_that_closes_costs_the_bar_and_not_the_job(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    window, terminal = os.openpty()
    with os.fdopen(terminal, "w") as stderr:
        monkeypatch.setattr(sys, "stderr", stderr)
        bar = Bar(ManualClock())
        bar.progress(Progress(1, 3, "A"))
        os.close(window)
        bar.progress(Progress(2, 3, "B"))
        bar.complete()
        bar.say("It goes on.")
