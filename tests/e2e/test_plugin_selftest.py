"""``unity-bridge selftest`` with the plugin in a headless editor: every row passes (SPEC §25)."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any, List, Mapping, NamedTuple, Sequence

import pytest

from tests.strict_python import STRICT
from tests.unity_headless.unity_program import unity_program
from unity_bridge.launch.environment import isolated
from unity_bridge.selftest.row import GROUPS
from unity_bridge.selftest.rows import rows_of
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE

# Long, because a machine may be busy with other things: it only ends what hangs.
GUARD_S = 1200


class Ran(NamedTuple):
    """How a run ended."""

    status: int
    rows: Sequence[Mapping[str, Any]]
    events: Sequence[Sequence[Any]]
    kept: Sequence[str]

    def not_passed(self, group: str) -> List[Mapping[str, Any]]:
        return [row for row in self.rows if row["group"] == group and row["status"] != "pass"]


def run(program: Path, folder: Path, *options: str) -> Ran:
    file, state = folder / "report.json", folder / "state"
    done = subprocess.run(
        [*isolated(), "selftest", "--unity", str(program), "--report", str(file), *options],
        cwd=str(folder),
        env={**os.environ, **STRICT, "DISPLAY": ":0", STATE_DIR_VARIABLE: str(state)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=GUARD_S,
    )
    assert "Traceback" not in done.stderr, done.stderr
    report = json.loads(file.read_text(encoding="utf-8"))
    kept = sorted(path.name for path in (state / "selftest").glob("*/Scratch/*"))
    return Ran(done.returncode, report["rows"], report["events"], kept)


@pytest.fixture(scope="module")
def sound(compiler: str, tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """One run of all rows, as a user starts it."""
    folder = tmp_path_factory.mktemp("sound")
    return run(unity_program(folder / "unity", compiler), folder)


@pytest.mark.parametrize("group", GROUPS)
def test_every_row_passes_in_the_headless_editor(sound: Ran, group: str) -> None:
    assert sound.not_passed(group) == []
    assert sum(1 for row in sound.rows if row["group"] == group) == len(rows_of([group]))


def test_a_run_without_a_failure_leaves_nothing(sound: Ran) -> None:
    assert (sound.status, sound.kept) == (0, [])


def test_the_report_has_what_the_editor_did(sound: Ran) -> None:
    kinds = {event[1] for event in sound.events}
    assert {
        "compilation_started",
        "compilation_finished",
        "reload_begins",
        "loaded",
        "stall",
        "updates",
    } <= kinds
    assert {
        "exiting_edit_mode",
        "entered_play_mode",
        "delay_call_asked",
        "delay_call_by_bridge",
    } <= kinds
    assert all(isinstance(value, int) for event in sound.events for value in [event[0], *event[2:]])


def test_an_editor_without_a_window_runs_the_rows_that_need_none(
    compiler: str, tmp_path: Path
) -> None:
    groups = [word for group in ("state", "play", "picture", "ui") for word in ("--only", group)]
    ran = run(unity_program(tmp_path / "unity", compiler), tmp_path, "--headless", *groups)
    by_status = {
        status: {row["group"] for row in ran.rows if row["status"] == status}
        for status in ("pass", "skipped")
    }
    # Of the group play, a recording needs a window.
    skipped = {"picture", "ui", "play"}
    assert (ran.status, by_status) == (0, {"pass": {"state", "play"}, "skipped": skipped})
