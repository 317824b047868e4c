"""Each log of ``editor_logs.py``, replayed through the reader (SPEC §22.6)."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

import pytest

from tests.editor_life.editor_logs import LINES, LOGS
from tests.fakes import ManualClock
from unity_bridge.editor_life.opening import Opened
from unity_bridge.editor_life.records import StartedEditor
from unity_bridge.editor_life.waiting import Watch


class Process:
    """The child of ``open``."""

    pid = 2**30
    status: Optional[int] = None

    def poll(self) -> Optional[int]:
        return self.status


@pytest.mark.parametrize("name", LOGS)
def test_a_log_shows_what_the_editor_does(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log, clock, process = tmp_path / "editor.log", ManualClock(), Process()
    editor = StartedEditor(str(tmp_path), "/u", "", "x", str(log), "", pid=process.pid, process_start="0")
    monkeypatch.setattr(StartedEditor, "is_alive", property(lambda _: process.status is None))
    watch = Watch(str(tmp_path), Opened(editor, True, process), clock)  # type: ignore[arg-type]
    for step in LOGS[name]:
        clock.advance(step.after_s)
        with open(log, "a", encoding="utf-8") as stream:
            for line in filter(None, step.lines.split(", ")):
                stream.write(LINES[line][0].replace("{project}", str(tmp_path)) + "\n")
        process.status = step.ended if step.ended is not None else process.status
        seen = watch.look(None)
        assert (seen.state, seen.is_final) == (step.state, step.is_final), step
        if step.state not in ("starting", "compiling"):
            assert seen.members.get("evidence") or seen.members.get("errors") or step.state == "ended"


def test_every_line_is_used_and_has_its_source() -> None:
    used = {name for steps in LOGS.values() for step in steps for name in step.lines.split(", ")} - {""}
    assert used == set(LINES) and all(source for _, source in LINES.values())
    assert len(LOGS) >= 20
