"""A running test run on stderr: a bar on a terminal, a line at every change where there is none."""

from __future__ import annotations

import shutil
import sys
from typing import Any, Optional

import click

from unity_bridge.calls import Progress
from unity_bridge.clock import Clock
from unity_bridge.commands.output import note
from unity_bridge.commands.run_follower import Display
from unity_bridge.foreign_text import visible_line
from unity_bridge.terminal import is_terminal

# A build server ends a job that is silent for too long.
_SILENT_AT_MOST_S = 30.0

_BAR_WIDTH = 24
_BESIDE_THE_NAME = _BAR_WIDTH + 36  # label, brackets, 10000/10000, the time left

_AWAY = "Unity is away (it compiles, reloads or was closed); the run goes on when it is back."


def display_for_stderr(clock: Clock) -> Display:
    return Bar() if is_terminal(sys.stderr) else Lines(clock)


class Lines:
    """One line a change, and at the latest every half minute in which tests ended."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._told_at: Optional[float] = None
        self._is_away = False

    def progress(self, progress: Progress) -> None:
        if progress.total is None:
            return
        now = self._clock.now()
        if self._told_at is None:
            note(f"Running {_tests(progress.total)} ...")
        elif now - self._told_at >= _SILENT_AT_MOST_S:
            note(f"{progress.completed} of {_tests(progress.total)} done")
        else:
            return
        self._told_at = now

    def away(self, is_away: bool) -> None:
        if is_away is not self._is_away:
            self._is_away = is_away
            note(_AWAY if is_away else "Unity is back.")

    def say(self, text: str) -> None:
        note(text)

    def close(self) -> None:
        pass


class Bar:
    """``Tests  [#######-----]  7/16  SaveGameTests.AnOldSaveIsMigrated``"""

    def __init__(self) -> None:
        self._bar: Any = None
        self._is_away = False

    def progress(self, progress: Progress) -> None:
        if progress.total is None or progress.completed is None:
            return
        if self._bar is None:
            self._bar = click.progressbar(
                length=1,
                label="Tests",
                file=sys.stderr,
                width=_BAR_WIDTH,
                show_pos=True,
                item_show_func=lambda name: name or "",
            )
        self._bar.length = max(progress.total, 1)
        self._bar.update(max(0, progress.completed - self._bar.pos), _short(progress.current_test))
        self._bar.render_progress()  # also where only the current test is another

    def away(self, is_away: bool) -> None:
        if is_away is not self._is_away:
            self._is_away = is_away
            if is_away:
                self.say(_AWAY)

    def say(self, text: str) -> None:
        self.close()
        note(text)

    def close(self) -> None:
        """Leave the bar as it stands, and go to the next line; more progress draws a new one."""
        if self._bar is not None:
            self._bar.render_finish()
            self._bar = None


def _tests(total: int) -> str:
    return "1 test" if total == 1 else f"{total} tests"


def _short(name: Optional[str]) -> str:
    """The end of a test's full name, which says the most, in what the bar leaves of the line."""
    width = max(0, shutil.get_terminal_size().columns - _BESIDE_THE_NAME)
    text = visible_line(name or "")
    return text if len(text) <= width else ("..." + text[len(text) - width + 3 :])[:width]
