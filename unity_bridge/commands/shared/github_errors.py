"""Annotations for GitHub Actions: an ``::error`` line on stderr for each compile error and failed
test.

The runner's rules are those of actions/runner, ``src/Runner.Common/ActionCommand.cs``.
"""

from __future__ import annotations

import os
from typing import Iterator, Optional

from unity_bridge.commands.shared.compiler_lines import errors_of, message_line
from unity_bridge.commands.shared.job_end import Followed
from unity_bridge.commands.shared.stack_trace import first_useful_place
from unity_bridge.scripting.output import in_github, note_command
from unity_bridge.text.foreign_text import visible

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
