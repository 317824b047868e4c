"""Annotations for GitHub Actions, read by the rules of its runner (``ActionCommand.cs`` of
actions/runner).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Dict, List, Tuple

import pytest

from unity_bridge.commands.shared.error_lines import note_errors
from unity_bridge.commands.shared.job_end import Followed, JobEnd
from unity_bridge.scripting.output import note, put, put_json

# Each would be a command of its own, as text or once the runner has unescaped it.
HOSTILE = [
    "a\n::stop-commands::x",
    "a\r::add-mask::x",
    "a%0A::add-mask::x",
    "\u3000 ::add-mask::x",
    "a ##[add-mask]x",
    "b\n##[group]x",
    "::error file=b::c",
]


@pytest.fixture(autouse=True)
def workflow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")


def commands_in(text: str) -> List[Tuple[str, Dict[str, str], str]]:
    """Return name, properties and data of each command that the runner would obey; it tries the
    newer form first.
    """
    found = []
    for line in re.split("\r\n|\r|\n", text):
        newer = re.match(r"\s*::([\w-]+)(?: (.*?))?::(.*)", line)
        older = re.search(r"##\[([\w-]+)(?: (.*?))?\](.*)", line)
        match = newer or older
        if match is not None:
            pairs = (pair.partition("=") for pair in (match[2] or "").split(",") if pair)
            found.append(
                (
                    match[1],
                    {name: _plain(value, ":,") for name, _, value in pairs},
                    _plain(match[3]),
                )
            )
    return found


def _plain(text: str, more: str = "") -> str:
    for character in "\r\n" + more + "%":  # the percent sign last
        text = text.replace(f"%{ord(character):02X}", character)
    return text


def annotated(
    capsys: pytest.CaptureFixture[str], tool: str, end: JobEnd, project: str = "/p"
) -> Any:
    note_errors(tool, Followed(end, {"project_path": project}, True))
    return commands_in(capsys.readouterr().err)


def compiled(*errors: Dict[str, Any]) -> JobEnd:
    return JobEnd("succeeded", {"errors": list(errors)})


def test_an_error_of_the_compiler_is_annotated_where_github_shows_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".git").mkdir()
    error = {
        "file": "Assets/A,b.cs",
        "line": 3,
        "column": 9,
        "code": "CS0103",
        "message": "no 'Lamp' here: 100%",
    }
    expected = (
        "error",
        {"file": "game/Assets/A,b.cs", "line": "3", "col": "9"},
        "error CS0103: no 'Lamp' here: 100%",
    )
    project = str(tmp_path / "game")
    assert annotated(capsys, "compile", compiled(error), project) == [expected]
    refused = JobEnd(
        "failed",
        error={"message": "no", "details": {"reason": "compile_errors", "errors": [error]}},
    )
    assert annotated(capsys, "run_tests", refused, project) == [expected]


def test_a_repository_below_the_workspace_is_the_root(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As the examples check a project out: into a folder `game` of the workspace."""
    (tmp_path / "game" / ".git").mkdir(parents=True)
    errors = compiled({"file": "Assets/A.cs", "line": 3, "column": 9, "message": "no"})
    ((_, properties, _),) = annotated(capsys, "compile", errors, str(tmp_path / "game"))
    assert properties["file"] == "Assets/A.cs"


def test_a_checkout_without_git_is_known_by_its_workflows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A copied package may have workflows of its own, which GitHub does not run."""
    for folder in (tmp_path / "game", tmp_path / "game" / "Packages" / "a"):
        (folder / ".github" / "workflows").mkdir(parents=True)
    errors = compiled({"file": "Packages/a/A.cs", "line": 3, "column": 9, "message": "no"})
    ((_, properties, _),) = annotated(capsys, "compile", errors, str(tmp_path / "game"))
    assert properties["file"] == "Packages/a/A.cs"


def test_a_path_is_of_the_repository_also_if_the_project_is_not_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "game").mkdir()
    monkeypatch.chdir(tmp_path / "game")
    errors = compiled({"file": "Assets/A.cs", "line": 3, "column": 9, "message": "no"})
    ((_, properties, _),) = annotated(capsys, "compile", errors, "")
    assert properties["file"] == "game/Assets/A.cs"


def test_a_failed_test_is_annotated_at_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    failed = [
        {
            "name": "N.T.A",
            "message": "Expected: 1\nBut was: 2",
            "stack_trace": "at N.T.A () in /p/Assets/T.cs:33",
        },
        {"name": "N.T.B"},
    ]
    ended = JobEnd("succeeded", {"failed_tests": failed})
    first = ("error", {"file": "/p/Assets/T.cs", "line": "33"}, "N.T.A\nExpected: 1\nBut was: 2")
    assert annotated(capsys, "run_tests", ended) == [first, ("error", {}, "N.T.B")]
    assert annotated(capsys, "run_command", ended) == []


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_of_unity_makes_a_command(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    error = {"file": text, "line": 1, "column": 1, "message": text}
    found = annotated(capsys, "compile", compiled(error))
    assert [name for name, *_ in found] == ["error"] and set(found[0][1]) == {"file", "line", "col"}
    note(text)
    put(text)
    put_json({"result": text})
    written = capsys.readouterr()
    assert commands_in(written.out + written.err) == []


def test_at_most_fifty_are_printed_and_none_elsewhere(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    many = compiled(*({"file": "A.cs", "line": n, "message": "no"} for n in range(1, 60)))
    assert len(annotated(capsys, "compile", many)) == 50
    monkeypatch.delenv("GITHUB_ACTIONS")
    assert annotated(capsys, "compile", many) == []
    note("::error::as it is")
    assert capsys.readouterr().err == "::error::as it is\n"
