"""Each log of ``editor_logs.py``, replayed through the reader (SPEC §22.6)."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

import pytest

from tests.editor_life.editor_logs import LINES, LOGS
from tests.fakes import ManualClock
from unity_bridge.editor_life.opening import Opened
from unity_bridge.editor_life.records import StartedEditor
from unity_bridge.editor_life.waiting import EditorSeen, Watch


class Process:
    """The child of ``open``."""

    pid = 2**30
    status: Optional[int] = None

    def poll(self) -> Optional[int]:
        return self.status


# They end whatever a log seemed to show before (SPEC §22.6).
_PROGRESS = ("reloaded", "loaded")
_NOTHING_SEEN = ("starting", "compiling")


class Replay:
    """A log of ``LOGS`` that is written line by line, and the editor that is watched."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._log, self._folder, self.clock = folder / "editor.log", folder, ManualClock()
        self._process = process = Process()
        editor = StartedEditor(
            str(folder), "/u", "", "x", str(self._log), "", pid=process.pid, process_start="0"
        )
        monkeypatch.setattr(StartedEditor, "is_alive", property(lambda _: process.status is None))
        self._opened = Opened(editor, True, process)  # type: ignore[arg-type]
        self._watch = self._watch_again()

    def _watch_again(self) -> Watch:
        return Watch(str(self._folder), self._opened, self.clock)

    def write(self, name: str) -> None:
        with open(self._log, "a", encoding="utf-8") as stream:
            stream.write(LINES[name][0].replace("{project}", str(self._folder)) + "\n")

    def end(self, status: Optional[int]) -> None:
        self._process.status = self._process.status if status is None else status

    def look(self) -> EditorSeen:
        return self._watch.look(None)

    def after_progress(self) -> EditorSeen:
        """What is seen if the lines of an editor that goes on follow now. They are taken away
        again.
        """
        before = self._log.read_bytes()
        for name in _PROGRESS:
            self.write(name)
        seen = self._watch_again().look(None)
        self._log.write_bytes(before)
        return seen


@pytest.fixture
def replay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Replay:
    return Replay(tmp_path, monkeypatch)


@pytest.mark.parametrize("name", LOGS)
def test_a_log_shows_what_the_editor_does(name: str, replay: Replay) -> None:
    for step in LOGS[name]:
        replay.clock.advance(step.after_s)
        for line in filter(None, step.lines.split(", ")):
            replay.write(line)
        replay.end(step.ended)
        seen = replay.look()
        assert (seen.state, seen.is_final) == (step.state, step.is_final), step
        if step.state not in _NOTHING_SEEN:
            assert (
                seen.members.get("evidence") or seen.members.get("errors") or step.state == "ended"
            )


@pytest.mark.parametrize("name", LOGS)
def test_line_by_line_no_state_is_false_or_stays(name: str, replay: Replay) -> None:
    """A line may show the step's state early, and what it follows late; it shows no third one.
    Progress ends each.
    """
    before = "starting"
    for step in LOGS[name]:
        replay.clock.advance(step.after_s)
        for line in filter(None, step.lines.split(", ")):
            replay.write(line)
            state = replay.look().state
            # Before an editor ends, its log shows why.
            is_known = state in (before, step.state, *_NOTHING_SEEN) or step.ended is not None
            assert is_known, (line, state)
            assert replay.after_progress().state in _NOTHING_SEEN, line
        replay.end(step.ended)
        before = replay.look().state


def test_a_full_disk_that_was_cleared_explains_no_end(replay: Replay) -> None:
    for line in ("opened", "disk", "success", "loaded", "end 1"):
        replay.write(line)
    replay.end(1)
    assert "disk" not in replay.look().sentence


def test_every_line_is_used_and_has_its_source() -> None:
    used = {
        name for steps in LOGS.values() for step in steps for name in step.lines.split(", ")
    } - {""}
    assert used == set(LINES) and all(source for _, source in LINES.values())
    assert len(LOGS) >= 20
