"""The example for CI: a batch-mode editor that is started, tested and ended (docs/ci.md)."""

from __future__ import annotations

import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Dict, List

import pytest

from tests.ports import free_port
from tests.unity_headless import build
from tests.unity_headless.headless_editor import require_mono
from unity_bridge.launch.environment import ROOT, isolated

EXAMPLE = Path(ROOT) / "docs" / "examples" / "unity-tests.sh"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    require_mono()
    project = tmp_path / "My Game"
    (project / "ProjectSettings").mkdir(parents=True)
    (project / "Assets").mkdir()
    (project / "ProjectSettings" / "ProjectVersion.txt").write_text(
        "m_EditorVersion: 2021.3.0f1\n", encoding="utf-8"
    )
    return project


def program(path: Path, *lines: str) -> str:
    path.write_text("\n".join(["#!/bin/sh", *lines]) + "\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def ran(project: Path, unity: str) -> subprocess.CompletedProcess[str]:
    folder = project.parent
    words = " ".join(f"'{word}'" for word in isolated())
    environment: Dict[str, str] = {
        **os.environ,
        "UNITY": unity,
        "UNITY_BRIDGE": program(folder / "bridge", f'exec {words} "$@"'),
        "UNITY_BRIDGE_PORT": str(free_port()),
        "UNITY_BRIDGE_STATE_DIR": str(folder / "state"),
    }
    command = ["sh", str(EXAMPLE), str(project), "unity.xml"]
    return subprocess.run(
        command,
        cwd=str(folder),
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        stdin=subprocess.DEVNULL,
    )


def headless(folder: Path, tests: List[str]) -> str:
    """Unity's command line on the host of the tests, which ends with its stdin."""
    host = build.build() / "1.4.6" / "HeadlessHost.exe"
    commands = [*(f"test {test}" for test in tests), "load"]
    (folder / "commands").write_text("\n".join(commands) + "\n", encoding="utf-8")
    return program(
        folder / "unity",
        '[ "$1 $2 $3 $5" = "-batchmode -nographics -projectPath -logFile" ] || exit 9',
        "mkfifo stdin",
        "exec 3<>stdin",  # stays open, so that its end never comes
        "cat commands >&3",
        'mkdir program && ln -s "$(command -v mono)" program/Unity',  # an editor's process is known by its name
        f'exec program/Unity \'{host}\' "$4" --batch-mode --hold <stdin >"$6" 2>&1',
    )


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
def test_the_example_runs_the_tests_of_a_batch_mode_editor(project: Path) -> None:
    unity = headless(
        project.parent, ["edit|Game.Adds|pass|5", "edit|Game.Breaks|fail|5||expected 1"]
    )
    done = ran(project, unity)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "Game.Breaks" in done.stdout + done.stderr
    report = ET.parse(project.parent / "unity.xml").getroot()
    assert len(list(report.iter("testcase"))) == 2 and len(list(report.iter("failure"))) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
def test_an_editor_that_ends_by_itself_is_reported_with_its_log(project: Path) -> None:
    log = "Scripts have compiler errors."
    done = ran(project, program(project.parent / "unity", f"echo '{log}' > \"$6\"", "exit 1"))
    assert done.returncode == 1 and log in done.stderr
    assert not (project.parent / "unity.xml").exists()
