"""A command that a message, a usage error or a help text prints can be run as it is printed, from a
clone too.
"""

from __future__ import annotations

import ast
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Iterator, List, Tuple

import pytest

from unity_bridge.base.errors import ErrorCode, ToolError, error_object
from unity_bridge.base.program_command import set_own_command, with_own_command
from unity_bridge.commands import COMMANDS
from unity_bridge.launch import environment

PACKAGE = Path(environment.ROOT) / "unity_bridge"
BY_NAME = re.compile(rf"unity-bridge ({'|'.join(COMMANDS)})\b")
# Before it: what the edge that prints the text replaces (cli.py, base/program_command.py).
REPLACED = re.compile(r'(`|Example: |&& |"\$\()$')
# Meant for another machine, which has the command on its PATH; words that are no command; the bytes
# of a request.
ELSEWHERE = {"installation/remote_checks.py", "installation/trial.py"}


@pytest.fixture
def program() -> Iterator[str]:
    set_own_command(lambda: "/clone/bin/unity-bridge")
    yield "/clone/bin/unity-bridge"
    set_own_command(lambda: "unity-bridge")


def test_a_command_between_backquotes_is_printed_as_it_can_be_run(program: str) -> None:
    assert with_own_command("Run `unity-bridge plugin install .`, or `unity-bridge doctor`.") == (
        f"Run `{program} plugin install .`, or `{program} doctor`."
    )
    for text in (
        "`unity-bridge` is a name",
        "a unity-bridge of another user",
        "`codex mcp list` shows unity-bridge as",
    ):
        assert with_own_command(text) == text


def test_the_answer_to_a_client_names_a_command_that_can_be_run(program: str) -> None:
    error = error_object(
        ToolError(
            ErrorCode.EDITOR_NOT_READY, "Ask the user to run `unity-bridge plugin install .`."
        )
    )
    assert error["message"] == f"Ask the user to run `{program} plugin install .`."


def texts() -> Iterator[Tuple[str, int, str]]:
    """File, line and text of each string of the package that is no docstring and no comment."""
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        said = {
            id(node.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        }
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and id(node) not in said
            ):
                yield path.relative_to(PACKAGE).as_posix(), node.lineno, node.value


def test_every_message_writes_its_commands_between_backquotes() -> None:
    bare = [
        f"{file}:{line}: {text[found.start() :][:40]}"
        for file, line, text in texts()
        if file not in ELSEWHERE
        for found in BY_NAME.finditer(text)
        if not REPLACED.search(text[: found.start()])
    ]
    assert bare == []


def printed_by(words: List[str], here: Path, **variables: str) -> str:
    environ = {**os.environ, "PATH": os.defpath, **variables}
    done = subprocess.run(
        [sys.executable, "-I", str(PACKAGE.parent / "bin" / "unity-bridge"), *words],
        cwd=str(here),
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    return done.stdout + done.stderr


@pytest.mark.skipif(os.name != "posix", reason="POSIX quotes its commands in one way")
@pytest.mark.parametrize(
    "words, pattern",
    [
        (["run", "--no-such"], r"Try '(.+) run -(?:h|-help)'"),
        (["no-such"], r"Try '(.+) -(?:h|-help)'"),
        (["build"], r"`([^`]+) compile`"),
        (["compile", "--help"], r"Usage: (.+) compile \[OPTIONS\]"),
        (["compile", "--help"], r"Example: (.+) compile &&"),
        (["compile", "--help"], r"&& (.+) test --mode edit"),
        (["status", "--port", "auto"], r"`([^`]+) plugin install"),
        (["completion", "bash", "--help"], r" bash: eval \"\$\((.+?) completion bash"),
    ],
)
def test_a_clone_prints_commands_that_run(words: List[str], pattern: str, tmp_path: Path) -> None:
    # Where a line ends depends on the length of the clone's path.
    shown = " ".join(printed_by(words, tmp_path).split())
    found = re.search(pattern, shown)
    assert found is not None, shown
    (program,) = shlex.split(found[1])
    assert os.path.isabs(program) and os.access(program, os.X_OK), shown


@pytest.mark.skipif(os.name != "posix", reason="POSIX quotes its commands in one way")
def test_in_the_clone_the_help_shows_the_short_path() -> None:
    assert printed_by(["status", "--help"], PACKAGE.parent).startswith(
        "Usage: bin/unity-bridge status "
    )
