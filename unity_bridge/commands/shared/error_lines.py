"""Errors of the compiler and of tests as lines: for people, and as annotations for GitHub Actions.

The rules of GitHub's runner are those of actions/runner, ``src/Runner.Common/ActionCommand.cs``.
"""

from __future__ import annotations

import os
import re
from typing import Iterator, List, Mapping, NamedTuple, Optional

from unity_bridge.commands.shared.envelope import details_of
from unity_bridge.commands.shared.job_end import Followed
from unity_bridge.scripting.output import in_github, note_command
from unity_bridge.text.foreign_text import visible, visible_line
from unity_bridge.text.json_types import JsonObject


def message_line(message: JsonObject, kind: str) -> str:
    """Return ``Assets/A.cs(12,9): error CS0103: message``, without the parts that are unknown."""
    text = visible(str(message.get("message") or "")).replace("\n", " ")
    code = ""
    if message.get("code"):
        code = f" {visible_line(str(message['code']))}"
    place = visible_line(str(message.get("file") or ""))
    if place and message.get("line"):
        place += f"({message['line']},{message.get('column') or 1})"
    return f"{place and place + ': '}{kind}{code}: {text}"


def errors_of(error: Optional[JsonObject]) -> List[JsonObject]:
    """Return the compiler's errors, if an error says that they kept a job from running (SPEC
    §16.1).
    """
    errors = details_of(error, "compile_errors").get("errors")
    return [entry for entry in errors or () if isinstance(entry, Mapping)]


def compile_errors(error: Optional[JsonObject]) -> List[str]:
    """Return a line for each of these errors."""
    return [message_line(message, "error") for message in errors_of(error)]


# What stands between a method and its file: `at Keep.Stack.Split () [0x0002e] in
# Assets/Stack.cs:33` (Mono), `... in C:\\game\\Assets\\Stack.cs:line 33` (.NET), `Keep.Stack:Split
# (int) (at Assets/Stack.cs:33)` (Unity).
_BEFORE_A_FILE = (" in ", "(at ")
_MOST_DIGITS = 9

# `Assets/Player/PlayerMovement.cs(63,27): warning CS0414: ...`: a compiler's message begins with
# the place.
_COMPILER = re.compile(r"(?P<file>[^()\n]+\.cs)\((?P<line>\d{1,9}),\d+\): ")

# Frames of the test framework and the engine, not of the project.
_NOT_THE_PROJECT = (
    "NUnit.",
    "UnityEngine.",
    "UnityEditor.",
    "Unity.",
    "System.",
    "Mono.",
    "(wrapper",
)


class SourceLine(NamedTuple):
    """A file and a line in it; ``str()`` is the form that editors and terminals open on a click."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class _Frame(NamedTuple):
    method: str
    place: SourceLine


def first_useful_place(stack_trace: Optional[str], message: str = "") -> Optional[SourceLine]:
    """Return the innermost frame of the project, else the innermost with a file, else a compiler
    message's place.
    """
    frames = [frame for frame in map(_frame, (stack_trace or "").splitlines()) if frame is not None]
    inside = [frame for frame in frames if not frame.method.startswith(_NOT_THE_PROJECT)]
    if frames:
        return (inside or frames)[0].place
    match = _COMPILER.match(message)
    if match is None:
        return None
    return SourceLine(match["file"].replace("\\", "/"), int(match["line"]))


def _frame(line: str) -> Optional[_Frame]:
    """Return the frame that a line of a stack trace shows, or None. Takes time in proportion to the
    line's length.
    """
    text = line.strip()
    head, _, number = (text[:-1] if text.endswith(")") else text).rpartition(":")
    number = _without(number, "line ")
    if not (number.isascii() and number.isdigit() and len(number) <= _MOST_DIGITS):
        return None
    # No file has these; in front of it they are generic arguments.
    begin = max(head.rfind("<"), head.rfind(">")) + 1
    places = [(place, word) for word in _BEFORE_A_FILE if (place := head.find(word, begin)) >= 0]
    if not places:
        return None
    place, word = min(places)
    method, file = head[:place].strip(), head[place + len(word) :]
    if not file:
        return None
    method = _without(method, "at ").lstrip()
    return _Frame(method, SourceLine(file.replace("\\", "/"), int(number)))


def _without(text: str, begin: str) -> str:
    if text.startswith(begin):
        return text[len(begin) :]
    return text


_MOST = 50
_TOOLS = ("compile", "run_tests")


def note_errors(tool: str, followed: Followed) -> None:
    """Print the annotations of a compile or a test run, if this is a step of a workflow."""
    if in_github() and tool in _TOOLS:
        for line in list(_lines(followed))[:_MOST]:
            note_command(line)


def _lines(followed: Followed) -> Iterator[str]:
    end, project = followed.end, str(followed.editor.get("project_path") or "")
    result = end.result or {}
    for error in errors_of(end.error) or result.get("errors") or ():
        text = message_line({**error, "file": None}, "error")
        yield _line(text, project, error.get("file"), error.get("line"), error.get("column"))
    for test in result.get("failed_tests") or ():
        place = first_useful_place(test.get("stack_trace"), test.get("message") or "")
        file, line = (None, None) if place is None else place
        yield _line(f"{test['name']}\n{test.get('message') or ''}".strip(), project, file, line)


def _line(
    text: str, project: str, file: Optional[str], line: Optional[int], column: Optional[int] = None
) -> str:
    place = {"file": file and _in_repository(str(file), project), "line": line, "col": column}
    properties = ",".join(
        f"{name}={_escaped(str(value), ':,')}" for name, value in place.items() if file and value
    )
    return f"::error {properties}::{_escaped(text)}"


def _escaped(text: str, further: str = "") -> str:
    escaped = visible(text).replace("%", "%25")
    for character in "\r\n" + further:
        escaped = escaped.replace(character, f"%{ord(character):02X}")
    return escaped


def _in_repository(file: str, project: str) -> str:
    """Return the path from the root of the git repository that has the file, as GitHub names it.

    The runner makes an absolute path relative to its workspace, which need not be the repository's
    root. In an image without git actions/checkout leaves no ``.git``; the workflow that runs is in
    the repository all the same.
    """
    from pathlib import Path

    path = Path(os.path.abspath(os.path.join(project, file)))
    checkouts = [folder for folder in path.parents if os.path.exists(folder / ".git")]
    workflows = [folder for folder in path.parents if os.path.exists(folder / ".github/workflows")]
    for root in (*checkouts[:1], *workflows[-1:]):
        return path.relative_to(root).as_posix()
    return path.as_posix()
