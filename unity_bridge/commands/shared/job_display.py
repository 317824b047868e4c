"""A job on stderr as it goes: a bar on a terminal, a line at every change where there is none."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import Any, Iterator, Optional

import click

from unity_bridge.base.clock import Clock
from unity_bridge.catalogue.calls import Progress, named_wait
from unity_bridge.scripting.output import counted, note, send_to_nowhere
from unity_bridge.system.terminal import is_terminal
from unity_bridge.text.foreign_text import visible_line

# A build server ends a job that is silent for too long.
_SILENT_AT_MOST_S = 30.0

# "Running 10:00  [", "]  ", "10000/10000" and the gap before the name.
_NEXT_TO_THE_BAR = 32
_BAR_WIDTHS = (24, 12, 4)
_LEAST_NAME = 10

_AWAY = "Unity is away (it compiles, reloads or was closed); the job continues when it is back."

# What Unity is at (`step` of SPEC §15.3), for people.
_STEPS = {
    "waiting": "Waiting in Unity: another job comes first, or the editor is busy ...",
    "importing": "Importing what changed on disk ...",
    "compiling": "Compiling ...",
    "reloading": "Reloading the scripts ...",
    "stalled": "Unity's main thread does not respond; a dialog may be open in the editor ...",
    "entering_play_mode": "Entering play mode ...",
    "leaving_play_mode": "Leaving play mode ...",
    "running": "Running ...",
}


def display_for_stderr(clock: Clock, counts_tests: bool = True) -> Display:
    can_redraw = is_terminal(sys.stderr) and os.environ.get("TERM") != "dumb"
    if can_redraw:
        return Bar(clock, counts_tests)
    return Lines(clock, counts_tests)


# Nearly every job begins with these. A person hears of them only if they last.
_USUAL_STEPS = ("waiting", "running")
_LASTS_MS = 1000


class Display:
    """Shows a job as it goes."""

    _says_that_it_is_back = True

    def __init__(self, clock: Clock, counts_tests: bool = True) -> None:
        """``counts_tests``: else what is counted is the hundredths of one piece of work."""
        self._clock = clock
        self._began = clock.now()
        self._counts_tests = counts_tests
        self._is_away = False
        self._step: Optional[str] = None
        self._failed = 0

    @property
    def _elapsed(self) -> str:
        """The time since the job began, as `1:05`."""
        minutes, seconds = divmod(int(self._clock.now() - self._began), 60)
        return f"{minutes}:{seconds:02}"

    def progress(self, progress: Progress) -> None:
        raise NotImplementedError

    def _new_step(self, progress: Progress) -> Optional[str]:
        """Return a line about the current step, once."""
        if progress.step is None or progress.step == self._step:
            return None
        if progress.step in _USUAL_STEPS and progress.for_ms < _LASTS_MS:
            return None
        self._step = progress.step
        awaited = named_wait(progress.waits_for)
        if awaited is not None:
            return f"Waiting in Unity for {awaited} ..."
        return _STEPS.get(progress.step, f"{visible_line(progress.step)} ...")

    def _new_failure(self, progress: Progress) -> Optional[str]:
        """Return a line about tests that failed since the last call, if any.

        More than one may have failed between two reports from Unity; the newest is named.
        """
        count = progress.failed - self._failed
        if count <= 0 or progress.failed_test is None:
            return None
        self._failed = progress.failed
        suffix = "" if count == 1 else f" (and {count - 1} more)"
        return f"failed: {visible_line(progress.failed_test)}{suffix}"

    def away(self, is_away: bool) -> None:
        """Show that Unity does not answer at the moment, or does again."""
        if is_away is not self._is_away:
            self._is_away = is_away
            if is_away or self._says_that_it_is_back:
                sentence = _AWAY if is_away else "Unity is back."
                self.say(sentence)

    def say(self, text: str) -> None:
        self.close()
        note(text)

    def complete(self) -> None:
        """Show that the job was carried out until it finished."""

    def close(self) -> None:
        """End the display, because the job is over: what comes next stands on a line of its own."""


class Lines(Display):
    """One line a change, and at the latest every half minute in which Unity reported progress."""

    _doing: Optional[str] = None
    _has_begun = False
    _printed_at: Optional[float] = None

    def progress(self, progress: Progress) -> None:
        step, failure = self._new_step(progress), self._new_failure(progress)
        if failure is not None:
            note(failure)
        now = self._clock.now()
        is_due = self._printed_at is not None and now - self._printed_at >= _SILENT_AT_MOST_S
        if progress.total is None:
            self._doing = step or self._doing
            line = self._doing if step is not None or is_due else None
        else:
            tests = counted(progress.total, "test") if self._counts_tests else str(progress.total)
            is_first = not self._has_begun and self._counts_tests
            line = f"Running {tests} ..." if is_first else f"{progress.completed} of {tests} done"
            line = line if is_due or not self._has_begun else None
            self._has_begun = True
        if line is not None:
            if self._elapsed != "0:00":
                line += f" {self._elapsed}"
            note(line)
            self._printed_at = now


class Bar(Display):
    """``Tests 0:12  [#######-----]  7/16  SaveGameTests.AnOldSaveIsMigrated``"""

    _says_that_it_is_back = False
    _bar: Any = None

    def progress(self, progress: Progress) -> None:
        for news in (self._new_step(progress), self._new_failure(progress)):
            if news is not None:
                self.say(news)
        if progress.total is None or progress.completed is None:
            return
        label = "Tests" if self._counts_tests else "Running"
        if self._bar is None:
            self._bar = click.progressbar(
                length=1,
                label=label,
                file=sys.stderr,
                width=_bar_width(),
                show_pos=True,
                show_eta=False,  # the tests to come take as long as they take
                show_percent=False,
                item_show_func=lambda name: name or "",
            )
        with self._drawing():
            self._bar.label = f"{label} {self._elapsed}"
            self._bar.length = max(progress.total, 1)
            self._bar.update(
                max(0, progress.completed - self._bar.pos), _short(progress.current_test)
            )
            self._bar.render_progress()  # also where only the current test is another

    def complete(self) -> None:
        """Fill the bar: the last progress arrived before the last test ended."""
        if self._bar is not None:
            with self._drawing():
                self._bar.update(self._bar.length - self._bar.pos, "")
                self._bar.render_progress()

    def close(self) -> None:
        """Leave the bar as it stands, and go to the next line; more progress draws a new one."""
        if self._bar is not None:
            with self._drawing():
                self._bar.render_finish()
            self._bar = None

    @contextmanager
    def _drawing(self) -> Iterator[None]:
        """Write to the terminal, which may be gone; the job continues, or SIGHUP cancels it."""
        try:
            yield
        except OSError:
            send_to_nowhere(sys.stderr)


def _columns() -> int:
    import shutil  # only for the bar of a terminal

    return (
        shutil.get_terminal_size().columns - 1
    )  # the last column would break the line on some terminals


def _bar_width() -> int:
    """Return the widest bar that leaves room for the end of a name, or else fits at all."""
    room = _columns() - _NEXT_TO_THE_BAR
    return next(
        (width for width in _BAR_WIDTHS if width + _LEAST_NAME <= room),
        max(1, min(_BAR_WIDTHS[-1], room)),
    )


def _short(name: Optional[str]) -> str:
    """Return the end of a test's full name, its most useful part, as far as it fits next to the
    bar.
    """
    width = max(0, _columns() - _NEXT_TO_THE_BAR - _bar_width())
    text = visible_line(name or "")
    if len(text) <= width:
        return text
    return ("..." + text[len(text) - width + 3 :])[:width]
