"""The pretend project: built in, generated, or from a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.faulty_editor.project_file import generated_project, load_project
from unity_bridge.base.result import Err, Ok
from unity_bridge.simulator.program import setup_of
from unity_bridge.simulator.project import Entry, PretendTest, default_project


def written(folder: Path, content: Any) -> str:
    path = folder / "project.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return str(path)


def test_the_built_in_game_has_one_failure_that_says_what_and_where() -> None:
    tests = default_project().tests
    assert (
        len([t for t in tests if t.mode == "edit"]),
        len([t for t in tests if t.mode == "play"]),
    ) == (12, 4)
    (failing,) = (test for test in tests if test.outcome == "failed")
    assert "Expected" in failing.message and ".cs:58" in failing.stack_trace
    assert len({test.name for test in tests}) == len(tests)
    assert sum(test.duration_s for test in tests) < 6.0


def test_a_generated_project_is_as_big_as_asked() -> None:
    project = generated_project(10_000, 2000, failing_every=100)
    assert len({test.name for test in project.tests}) == 10_000
    assert sum(test.outcome == "failed" for test in project.tests) == 100
    assert len(project.console) == 2000


def test_a_project_from_a_file(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        {
            "name": "Mine",
            "play_reload_s": 3,
            "compile_s": 0.5,
            "tests": [
                {"name": "A.B.C"},
                {
                    "name": "A.B.D",
                    "mode": "play",
                    "categories": ["Slow"],
                    "outcome": "failed",
                    "message": "no",
                },
            ],
            "console": [
                {"message": "hello"},
                {"type": "error", "message": "broken", "stack_trace": "at X"},
            ],
        },
    )
    loaded = load_project(path)
    assert isinstance(loaded, Ok)
    project = loaded.value
    assert (project.name, project.play_reload_s, project.compile_s) == ("Mine", 3.0, 0.5)
    assert project.tests == (
        PretendTest("A.B.C"),
        PretendTest("A.B.D", mode="play", categories=("Slow",), outcome="failed", message="no"),
    )
    assert project.console == (Entry("log", "hello"), Entry("error", "broken", "at X"))


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ([], "object"),
        ({"nmae": "x"}, "nmae"),
        ({"tests": {}}, "tests"),
        ({"tests": [{}]}, "test 1: name must be text"),
        (
            {"tests": [{"name": "A"}, {"name": "B", "mode": "both"}]},
            "test 2: mode must be one of edit, play",
        ),
        ({"tests": [{"name": "A", "duration_s": -1}]}, "test 1: duration_s must be a number"),
        ({"tests": [{"name": "A", "duration_s": True}]}, "test 1: duration_s must be a number"),
        ({"console": [{"type": "fatal", "message": "x"}]}, "console entry 1: type must be one of"),
        ({"name": 5}, "the project: name must be text"),
    ],
)
def test_a_fault_in_a_file_is_named(tmp_path: Path, content: Any, named: str) -> None:
    path = written(tmp_path, content)
    loaded = load_project(path)
    assert isinstance(loaded, Err) and named in loaded.error and path in loaded.error


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    loaded = load_project(str(tmp_path / "none.json"))
    assert isinstance(loaded, Err) and "none.json" in loaded.error


def test_a_unity_project_lends_its_name_and_path_and_generated_tests_stay(tmp_path: Path) -> None:
    (tmp_path / "Game" / "ProjectSettings").mkdir(parents=True)
    (tmp_path / "Game" / "ProjectSettings" / "ProjectVersion.txt").write_text(
        "m_EditorVersion: 6000.0.23f1"
    )
    setup = setup_of(1, str(tmp_path / "Game"), generated_project(1000), 1.0)
    assert isinstance(setup, Ok)
    project = setup.value.project
    assert (project.name, project.unity_version, len(project.tests)) == (
        "Game",
        "6000.0.23f1",
        1000,
    )
    assert project.path == (tmp_path / "Game").resolve().as_posix()


def test_a_folder_that_is_no_unity_project_is_named(tmp_path: Path) -> None:
    refused = setup_of(1, str(tmp_path), default_project(), 1.0)
    assert isinstance(refused, Err) and str(tmp_path) in refused.error
