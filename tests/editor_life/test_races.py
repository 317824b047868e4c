"""At most one editor for a project, if several processes start one at once or are killed during it
(SPEC §22.2).
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Dict, List

import pytest

from tests.editor_life.desk import LIMIT_S, Desk, soon
from tests.editor_life.fake_unity import USUAL
from tests.editor_life.killed_open import MOMENTS
from tests.installation.unity_projects import make_project

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        sys.platform == "win32", reason="processes are forked, and ended by a signal"
    ),
]

# EDITOR_RACES=100 is a measurement of some minutes.
_RACES = int(os.environ.get("EDITOR_RACES", "3"))
_AT_ONCE = 8
# It notes its start, and lives until its stop file is there.
_PROGRAM = """#!/bin/sh
echo $$ >> "{folder}/starts"
while [ ! -e "{folder}/stop" ]; do sleep 0.05; done
"""
_RACER = """
import os, sys
sys.path.insert(0, {repository!r})
from unity_bridge.base.clock import SystemClock
from unity_bridge.editor_life import opening
from unity_bridge.editor_life.records import editor_records
request = opening.OpenRequest({project!r}, unity={program!r}, starts_for_version=False)
plan, records = opening.prepared(request), editor_records()
sys.stdout.write("here\\n")
sys.stdout.flush()
sys.stdin.readline()
opened = opening.start(plan.value, records.value, SystemClock())
started = opened.value
sys.stdout.write(("started" if started.was_started else "known") + f" {{started.editor.pid}}\\n")
sys.stdout.flush()
os._exit(0)
"""
REPOSITORY = Path(__file__).resolve().parent.parent.parent


class Race:
    """One project, one program, and eight processes that stand before the start."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        project = make_project(folder / "game")
        self.program = folder / "2022.3.10f1" / "Unity"
        self.program.parent.mkdir()
        self.program.write_text(_PROGRAM.format(folder=folder))
        self.program.chmod(0o755)
        code = _RACER.format(
            repository=str(REPOSITORY), project=str(project), program=str(self.program)
        )
        environ = {**os.environ, "UNITY_BRIDGE_STATE_DIR": str(folder / "state"), "DISPLAY": ":0"}
        self.racers = [self._racer(code, environ) for _ in range(_AT_ONCE)]
        for racer in self.racers:
            assert racer.stdout is not None and racer.stdout.readline() == "here\n"

    @staticmethod
    def _racer(code: str, environ: Dict[str, str]) -> subprocess.Popen[str]:
        command = [sys.executable, "-I", "-c", code]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, stdin=pipe, stdout=pipe, encoding="utf-8", env=environ)

    def go(self) -> None:
        for racer in self.racers:
            assert racer.stdin is not None
            racer.stdin.write("go\n")
            racer.stdin.flush()

    def answers(self) -> List[str]:
        return [racer.communicate(timeout=LIMIT_S)[0].strip() for racer in self.racers]

    def starts(self) -> List[str]:
        path = self.folder / "starts"
        return path.read_text().split() if path.exists() else []

    def end(self) -> None:
        (self.folder / "stop").touch()
        for racer in self.racers:
            racer.kill()
            racer.communicate()
        assert soon(lambda: not any(_is_program(pid, self.program) for pid in self.starts()))


def _is_program(pid: str, program: Path) -> bool:
    try:
        return str(program).encode() in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="its own check reads /proc")
@pytest.mark.parametrize("number", range(_RACES))
def test_eight_starters_start_one(tmp_path: Path, number: int) -> None:
    race = Race(tmp_path / "race")
    try:
        race.go()
        answers = race.answers()
        assert sorted(line.split()[0] for line in answers) == ["known"] * (_AT_ONCE - 1) + [
            "started"
        ], answers
        assert len({line.split()[1] for line in answers}) == 1 and soon(
            lambda: len(race.starts()) == 1
        )
    finally:
        race.end()


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="its own check reads /proc")
@pytest.mark.parametrize("number", range(_RACES))
def test_starters_that_are_killed_leave_at_most_one(tmp_path: Path, number: int) -> None:
    """Half of them are killed somewhere in the midst; the others still start one between them."""
    race = Race(tmp_path / "race")
    try:
        race.go()
        for racer in random.Random(number).sample(race.racers, _AT_ONCE // 2):
            racer.send_signal(signal.SIGKILL)
        answers = [line for line in race.answers() if line]
        assert len({line.split()[1] for line in answers}) == 1, answers
        assert soon(lambda: len(race.starts()) == 1)
    finally:
        race.end()


@pytest.mark.parametrize("moment", MOMENTS)
def test_the_next_one_after_a_kill_starts_no_second_editor(desk: Desk, moment: str) -> None:
    desk.unity.plan([["gate", "go"], *USUAL])
    script = Path(__file__).parent / "killed_open.py"
    words = ["open", str(desk.project), "--port", str(desk.port)]
    killed = subprocess.run(
        [sys.executable, str(script), moment, *words],
        env=desk.environ,
        cwd=str(desk.home),
        timeout=LIMIT_S,
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    has_started = MOMENTS.index(moment) >= 2
    desk.unity.open_gate("go")
    status, answers, stderr = desk.open()
    assert (status, answers["result"]["started"]) == (0, not has_started), stderr
    assert len(desk.unity.starts()) == 1
    [record] = (desk.state / "editors").glob("*.json")
    assert json.loads(record.read_text())["log"] == answers["result"]["log"]


def test_an_editor_that_ends_while_another_waits_is_started_again_by_the_next(desk: Desk) -> None:
    desk.unity.plan([["log", "x"], ["exit", 7]])
    assert [desk.open()[1]["error"]["details"]["exit_status"] for _ in range(2)] == [7, 7]
    assert len(desk.unity.starts()) == 2
