"""``unity-bridge selftest`` as a user runs it, with the simulated editor: output, exit status,
report (SPEC §25).
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List

import pytest

from tests.ports import free_port
from tests.strict_python import STRICT
from unity_bridge.launch.environment import isolated
from unity_bridge.selftest.row import Requirement
from unity_bridge.selftest.rows import rows_of
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE

GUARD_S = 300
# As users are called, to spoil a report: with a space, a quote, an expression's characters, and
# beyond ASCII.
NAME = "zoë o'brien (x)+"


class Runs:
    """The command in a home whose name is hostile."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / NAME
        self.home.mkdir()
        self.file = self.home / "report.json"
        self.environment = {**os.environ, **STRICT, STATE_DIR_VARIABLE: str(self.home / "state")}
        self.environment.update(
            HOME=str(self.home), USERPROFILE=str(self.home), USER=NAME, USERNAME=NAME, LOGNAME=NAME
        )

    def start(self, *options: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*isolated(), "selftest", "--report", str(self.file), *options],
            cwd=str(self.home),
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    def run(self, *options: str) -> subprocess.CompletedProcess[str]:
        with self.start(*options) as process:
            out, errors = process.communicate(timeout=GUARD_S)
        assert "Traceback" not in errors, errors
        return subprocess.CompletedProcess(options, process.returncode, out, errors)

    def report(self) -> Dict[str, Any]:
        report: Dict[str, Any] = json.loads(self.file.read_text(encoding="utf-8"))
        return report

    def kept(self) -> List[Path]:
        return list((self.home / "state" / "selftest").glob("*/Scratch"))


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    return Runs(tmp_path)


def test_a_newcomer_without_unity_sees_the_whole_path(runs: Runs) -> None:
    groups = [
        word for group in ("install", "play", "commands", "life") for word in ("--only", group)
    ]
    done = runs.run("--unity", "simulate", *groups)
    assert done.returncode == 0, (done.stdout, done.stderr)
    assert "pass  install   the plugin is connected, trusted and ready" in done.stdout
    rows = runs.report()["rows"]
    assert {row["status"] for row in rows} == {"pass", "skipped"}
    assert all(row["reason"] for row in rows if row["status"] == "skipped")
    keys = next(row for row in rows if row["name"].startswith("keys go down"))
    assert keys["reason"] == "the simulated editor does not do this"
    counts = [
        str(sum(1 for row in rows if row["status"] == status))
        for status in ("pass", "fail", "skipped")
    ]
    assert done.stdout.splitlines()[-1].split() == ["all", *counts]
    assert runs.kept() == []


def test_json_is_the_report_in_the_envelope(runs: Runs) -> None:
    done = runs.run("--unity", "simulate", "--only", "install", "--json")
    assert json.loads(done.stdout) == {"ok": True, "result": runs.report()}
    assert "  pass  install  " in done.stderr


def test_it_needs_no_project_and_runs_above_several(runs: Runs) -> None:
    for name in ("Game", "Other"):
        (runs.home / name / "ProjectSettings").mkdir(parents=True)
        version = runs.home / name / "ProjectSettings" / "ProjectVersion.txt"
        version.write_text("m_EditorVersion: 2022.3.20f1\n", encoding="utf-8")
    done = runs.run("--unity", "simulate", "--only", "install")
    assert done.returncode == 0, done.stderr


def test_a_headless_run_skips_the_rows_that_need_a_window_and_writes_the_page(runs: Runs) -> None:
    page = runs.home / "report.html"
    runs.environment.update(DISPLAY="", WAYLAND_DISPLAY="")
    done = runs.run(
        "--unity",
        "simulate",
        "--headless",
        "--only",
        "install",
        "--only",
        "picture",
        "--html",
        str(page),
    )
    assert done.returncode == 0, done.stderr
    skipped = {row["reason"] for row in runs.report()["rows"] if row["group"] == "picture"}
    assert skipped == {"needs a window"}
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>") and "needs a window" in text
    assert NAME not in text and f"Report: {page}" in done.stderr


def test_the_list_says_of_each_row_whether_a_real_unity_has_run_it(runs: Runs) -> None:
    rows = json.loads(runs.run("--list", "--only", "ui", "--json").stdout)["result"]["rows"]
    assert [row["name"] for row in rows] == [row.name for row in rows_of(["ui"])]
    assert {row["seen"] for row in rows} <= {row.seen for row in rows_of([])}
    assert "(not yet run in Unity)" in runs.run("--list", "--only", "ui").stdout
    assert not runs.file.exists()


def test_nothing_of_the_user_is_in_the_report_of_a_run_that_failed(runs: Runs) -> None:
    # The program is no editor, so why it did not open is in the report.
    program = runs.home / "2021.3.58f1" / "Unity"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho '{runs.home}'\nexit 1\n", encoding="utf-8")
    program.chmod(0o755)
    if sys.platform == "win32":
        pytest.skip("a shell script")
    done = runs.run("--unity", str(program), "--wait", "20")
    assert done.returncode == 1
    text = json.dumps(runs.report(), ensure_ascii=False)
    assert [row["status"] for row in runs.report()["rows"]].count("fail") == 1
    for word in (NAME, "zoë", "o'brien", str(runs.home.parent), os.sep + "tmp" + os.sep, "HOME="):
        assert word not in text
    assert len(runs.kept()) == 1


def test_with_a_project_only_rows_that_change_nothing_are_carried_out(runs: Runs) -> None:
    game = runs.home / "Game"
    (game / "ProjectSettings").mkdir(parents=True)
    (game / "ProjectSettings" / "ProjectVersion.txt").write_text(
        "m_EditorVersion: 2022.3.20f1\n", encoding="utf-8"
    )
    (game / "ProjectSettings" / "UnityBridge.json").write_text(
        json.dumps({"port": free_port()}), encoding="utf-8"
    )
    before = sorted(game.rglob("*"))
    command = [*isolated(), "simulate", "--project", str(game), "--no-stdin-controls"]
    with subprocess.Popen(
        command, env=runs.environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as editor:
        try:
            assert editor.stderr is not None
            assert b"connecting to unity-bridge" in editor.stderr.readline()
            done = runs.run(
                str(game), "--only", "install", "--only", "commands", "--only", "reload"
            )
        finally:
            editor.terminate()
    assert done.returncode == 0, (done.stdout, done.stderr)
    carried_out = {row["name"] for row in runs.report()["rows"] if row["status"] == "pass"}
    assert "ping" in carried_out
    assert carried_out <= {row.name for row in rows_of([]) if Requirement.SCRATCH not in row.needs}
    assert (sorted(game.rglob("*")), runs.kept()) == (before, [])


def test_no_unity_is_an_error_that_says_what_to_do(runs: Runs) -> None:
    done = runs.run("--unity", str(runs.home / "nowhere"), "--json")
    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error["details"]["execution_guarantee"]) == (1, "not_executed")
    assert "--unity PATH" in done.stderr


def test_an_unknown_group_is_a_usage_error(runs: Runs) -> None:
    assert runs.run("--only", "nothing").returncode == 2


def test_a_project_and_a_program_together_are_a_usage_error(runs: Runs) -> None:
    assert runs.run(str(runs.home), "--unity", "simulate").returncode == 2
    assert runs.run(str(runs.home), "--headless").returncode == 2


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_still_writes_the_report(runs: Runs, number: signal.Signals) -> None:
    with runs.start("--unity", "simulate") as process:
        assert process.stdout is not None
        first = process.stdout.readline()  # a row is over, so the others are under way
        process.send_signal(number)
        _, errors = process.communicate(timeout=GUARD_S)
    assert "pass" in first and "Traceback" not in errors, errors
    assert process.returncode == 130
    rows = runs.report()["rows"]
    assert rows[0]["status"] == "pass" and rows[-1]["reason"] == "interrupted"
    assert runs.kept() == []
