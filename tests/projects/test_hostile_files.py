"""SPEC §20: the files of a project that came from anywhere hold nobody up, and give nobody orders."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path
from typing import Any, Callable, List

import pytest

from tests.installation.unity_projects import make_project
from unity_bridge.base.result import Err
from unity_bridge.projects import editor_lock, probing
from unity_bridge.projects.editor_log import read_log
from unity_bridge.projects.project_commands import commands_of
from unity_bridge.projects.project_probe import NoPlugin, ProjectProbe

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")

LONG_S = 20.0


@pytest.fixture
def game(tmp_path: Path) -> Path:
    return make_project(tmp_path / "game").resolve()


def soon(ask: Callable[[], Any]) -> Any:
    """What ``ask`` gives back, which must not wait for anybody."""
    answers: List[Any] = []
    asking = threading.Thread(target=lambda: answers.append(ask()), name="asking", daemon=True)
    asking.start()
    asking.join(LONG_S)
    assert answers, "it waits for ever"
    return answers[0]


def pipe(*parts: object) -> None:
    path = Path(*map(str, parts))
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        path.unlink()
    os.mkfifo(str(path))


def test_a_pipe_in_place_of_the_commands(game: Path) -> None:
    pipe(game, "Library", "UnityBridge", "commands.json")
    found = soon(lambda: commands_of(str(game)))
    assert isinstance(found, Err) and "is not a file" in found.error


def test_a_pipe_in_place_of_unitys_own_file(game: Path) -> None:
    pipe(game, "Library", "EditorInstance.json")
    assert soon(lambda: editor_lock.is_open_in_unity(str(game))) is False


def test_pipes_in_place_of_the_lists_of_packages(
    game: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probing, "is_open_in_unity", lambda project: True)
    pipe(game, "Packages", "manifest.json")
    pipe(game, "Packages", "packages-lock.json")
    # Whether the plugin is there is unknown.
    assert (
        soon(lambda: probing.probe_project(str(game), [str(game / "Editor.log")])) == ProjectProbe()
    )


def test_a_pipe_in_place_of_the_log(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probing, "is_open_in_unity", lambda project: True)
    (game / "Packages" / "com.unitybridge.editor").mkdir()
    (game / "Temp").mkdir()
    (game / "Temp" / "UnityLockfile").touch()
    pipe(game, "Editor.log")
    assert (
        soon(lambda: probing.probe_project(str(game), [str(game / "Editor.log")])) == ProjectProbe()
    )


def test_a_pipe_in_place_of_the_lock(game: Path) -> None:
    pipe(game, "Temp", "UnityLockfile")
    assert soon(lambda: probing.probe_project(str(game), [str(game / "Editor.log")])).reason in (
        None,
        NoPlugin.UNITY_NOT_RUNNING,
    )


@pytest.mark.parametrize(
    "line",
    [
        "[Csc " + "a" * 1900,
        "[Csc " + "a/" * 900,
        "(1,1): " * 280 + "error ",
        "[" + "Csc " * 480,
        "",
    ],
)
def test_no_line_of_a_log_takes_long(line: str) -> None:
    text = f"{line}\n" * 1000
    began = time.process_time()
    read_log(text)
    assert time.process_time() - began < 1


def test_an_errors_words_are_no_orders() -> None:
    start = 'Starting: bee_backend --dagfile="Library/Bee/1900b0aE.dag" ScriptAssemblies\n'
    log = read_log(start + "Assets/\x1b[2JA.cs(1,2): error CS0103: \x1b]0;x\x07\u202eno\n")
    (error,) = log.first
    assert (error.file, error.message) == ("Assets/\\x1b[2JA.cs", "\\x1b]0;x\\x07\\u202eno")
