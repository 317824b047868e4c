"""``console --since`` and ``--new``, and the errors that ``compile`` and ``test`` report: "done"
can be checked.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Iterator

import pytest
from click.testing import Result

from tests.commands.runner import runner
from tests.installation.unity_projects import make_project
from tests.ports import free_port
from unity_bridge import cli
from unity_bridge.simulator.connection import BackOff
from unity_bridge.simulator.editor import EditorSetup, SimulatedEditor
from unity_bridge.simulator.event_log import EventLog
from unity_bridge.simulator.project import Entry, PretendTest, default_project
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE


class Project:
    """A project in a simulated editor, and the command line in its folder."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.folder = folder
        logs = (Entry("error", "the lamp has no fuel"), Entry("warning", "it is dark"))
        tests = (*default_project().tests, PretendTest("Keep.Tests.Loud", logs=logs))
        project = replace(default_project(), name=folder.name, path=str(folder), tests=tests)
        back_off = BackOff(initial_ms=1, max_ms=20)
        self.editor = SimulatedEditor(
            EditorSetup(self.port, project, speed=1000.0, back_off=back_off), EventLog()
        )

    def run(self, *words: str) -> Result:
        options = ["--port", str(self.port), "--project", str(self.folder), "--wait", "30"]
        return runner().invoke(cli.cli, [*words, *options])


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setenv(STATE_DIR_VARIABLE, str(tmp_path / "state"))
    made = Project(make_project(tmp_path / "Game"))
    made.editor.start()
    yield made
    made.editor.stop()


def test_new_shows_each_entry_once(project: Project) -> None:
    first = project.run("console", "--new")
    assert first.exit_code == 0 and "torch_unlit" in first.stdout

    again = project.run("console", "--new", "--type", "error")

    assert again.exit_code == 0, again.output
    assert again.stdout == "" and "No new entries." in again.stderr


@pytest.mark.slow
def test_new_shows_what_came_since(project: Project) -> None:
    project.run("console", "--new", "--json")
    project.run("exec", 'Debug.LogError("it broke")')
    project.run("test", "--mode", "edit")

    came = project.run("console", "--new")

    assert came.exit_code == 0, came.output
    assert "torch_unlit" not in came.stdout and came.stdout != ""


def test_since_takes_the_cursor_of_an_earlier_answer_and_prints_the_next(project: Project) -> None:
    cursor = json.loads(project.run("console", "--json").stdout)["result"]["next_cursor"]

    newer = project.run("console", "--since", cursor)

    assert (newer.stdout, newer.stderr) == (
        "",
        f"No new entries.\nTo continue after these entries: --since {cursor}\n",
    )
    assert (
        json.loads(project.run("console", "--since", cursor, "--json").stdout)["result"]["entries"]
        == []
    )


def test_a_cursor_of_another_editor_is_said_to_be_one(project: Project) -> None:
    shown = project.run("console", "--since", "deadbeef:1")

    assert "torch_unlit" in shown.stdout and "the editor was restarted" in shown.stderr


def test_new_and_since_exclude_each_other(project: Project) -> None:
    assert project.run("console", "--new", "--since", "a:1").exit_code == 2


def test_a_state_folder_that_cannot_be_written_is_said(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = project.folder / "a file"
    file.touch()
    monkeypatch.setenv("UNITY_BRIDGE_PORT", str(project.port))
    monkeypatch.setattr("unity_bridge.commands.shared.console_mark._FOLDER", str(file))

    shown = project.run("console", "--new")

    assert shown.exit_code == 0 and "The position was not saved" in shown.stderr


@pytest.mark.slow
def test_errors_that_were_logged_during_a_test_run_are_reported(project: Project) -> None:
    done = project.run("test")

    assert "Logged since it began: 1 error.\n  error: the lamp has no fuel\n" in done.stderr, (
        done.stderr
    )
    assert "it is dark" not in done.stderr
    assert "Logged since" not in project.run("test", "--filter", "Keep.Tests.InventoryTests").stderr
