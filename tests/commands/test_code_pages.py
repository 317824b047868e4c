"""What programs write and read through pipes and files is the same in every locale and code page."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List

import pytest
from click.testing import CliRunner

from tests.strict_python import STRICT
from unity_bridge.cli import cli
from unity_bridge.commands.exec import report
from unity_bridge.launch import environment
from unity_bridge.scripting.output import put_value

VALUE = {"Größe": ["日本", "\U0001f3ee", "\x9b31m"]}
COMMAND = {
    "name": "größe",
    "description": "日本",
    "signature": "größe()",
    "source": "Spiel.Größe (Spiel)",
}

WITH_CLICK_8_1 = """
import sys
sys.path.insert(0, sys.argv.pop(1))
from click import shell_completion
from unity_bridge.__main__ import main

echo = shell_completion.echo
shell_completion.echo = lambda text, **how: echo(text.decode() if isinstance(text, bytes) else text, **how)
sys.exit(main())
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A Unity project whose path and whose commands are not in ASCII."""
    folder = tmp_path / "Zoë 日本"
    for name in ("Assets", "Packages", "ProjectSettings"):
        (folder / name).mkdir(parents=True)
    (folder / "Packages" / "manifest.json").write_text("{}")
    (folder / "ProjectSettings" / "ProjectVersion.txt").write_text("m_EditorVersion: 2022.3.1f1\n")
    commands = folder / "Library" / "UnityBridge" / "commands.json"
    commands.parent.mkdir(parents=True)
    commands.write_text(json.dumps({"schema_version": 1, "commands": [COMMAND]}))
    return folder


def printed_by(
    module: str, *arguments: str, cwd: Path, **variables: str
) -> subprocess.CompletedProcess[bytes]:
    """By a process of its own, whose stdout and stderr are pipes."""
    return printed([*environment.isolated(module), *arguments], cwd, **variables)


def printed(command: List[str], cwd: Path, **variables: str) -> subprocess.CompletedProcess[bytes]:
    unset = ("PYTHONIOENCODING", "PYTHONUTF8", "UNITY_BRIDGE_PORT")
    inherited = {name: value for name, value in os.environ.items() if name not in unset}
    return subprocess.run(
        command,
        cwd=str(cwd),
        env={**inherited, **STRICT, **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
    )


def test_a_page_that_is_redirected_is_utf8_with_plain_line_ends(project: Path) -> None:
    """As ``skill install`` writes it. On Windows Python would take the ANSI code page and two
    characters a line end.
    """
    shown = printed_by("unity_bridge", "skill", "show", cwd=project).stdout

    assert "größe" in shown.decode("utf-8")
    assert b"\r" not in shown


def test_a_completion_is_utf8_with_plain_line_ends(project: Path) -> None:
    """It is bash that reads it, in Git Bash too. The newest click writes bytes; the one for Python
    3.8 writes text.
    """
    asked = {
        "_UNITY_BRIDGE_COMPLETE": "bash_complete",
        "COMP_WORDS": "unity-bridge run g",
        "COMP_CWORD": "2",
    }
    command = [sys.executable, "-c", WITH_CLICK_8_1, environment.ROOT]
    assert printed(command, project, **asked).stdout == "plain,größe\n".encode()


def test_a_message_in_a_pipe_is_utf8(project: Path) -> None:
    said = printed_by("unity_bridge", "--project", "Größe", "status", cwd=project).stderr
    assert "Größe is not a Unity project" in said.decode("utf-8")


def test_the_simulated_editor_prints_utf8_into_a_pipe(project: Path) -> None:
    said = printed_by(
        "unity_bridge", "simulate", "--project", "Größe", "--port", "1", cwd=project
    ).stderr
    assert "Größe" in said.decode("utf-8")


def test_a_user_who_names_an_encoding_gets_it(project: Path) -> None:
    shown = printed_by(
        "unity_bridge", "skill", "show", cwd=project, PYTHONIOENCODING="cp437"
    ).stdout
    assert "größe" in shown.decode("cp437")


def test_a_server_whose_stdout_is_the_null_device_starts_and_ends(project: Path) -> None:
    done = subprocess.run(
        [*environment.isolated(), "--port", "0"],
        cwd=str(project),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        timeout=60,
    )
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False)


@pytest.mark.parametrize("encoding", ["cp1252", "cp437", "latin-1", "ascii", "utf-8", "utf-16"])
def test_a_value_is_json_in_any_code_page(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Escapes of the encoding's own (``\\U0001f3ee``) are none of JSON's."""
    for write in (put_value, lambda value: report({"ok": True, "value": value}, "Fix.cs")):
        raw = io.BytesIO()
        stream = io.TextIOWrapper(raw, encoding=encoding, errors="backslashreplace")
        with monkeypatch.context() as patched:
            patched.setattr(sys, "stdout", stream)
            write(VALUE)
            stream.flush()
        shown = raw.getvalue().decode(encoding)

        assert json.loads(shown) == VALUE
        assert ("日本" in shown) == encoding.startswith("utf")


@pytest.mark.parametrize("start", ["", "\ufeff"], ids=["plain", "with a byte order mark"])
@pytest.mark.parametrize(
    "words",
    [["call", "read_console", "--args", "-"], ["run", "größe", "--json-args", "-"]],
    ids=["call", "run"],
)
def test_arguments_on_stdin_are_utf8_in_any_code_page(
    words: List[str], start: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: List[Dict[str, Any]] = []

    class Asked(Exception):
        pass

    def remembering(*arguments: Any) -> Any:
        given.append(arguments[2])
        raise Asked

    monkeypatch.chdir(project)
    monkeypatch.setattr("unity_bridge.scripting.command_bridge.CommandBridge.validate", remembering)
    monkeypatch.setattr("unity_bridge.commands.shared.job_follower.run_job", remembering)
    sent = start + json.dumps({"contains": "Zoë 日本"}, ensure_ascii=False)

    done = CliRunner(charset="cp1252").invoke(cli, words, input=sent.encode())

    assert isinstance(done.exception, Asked), done.output
    (arguments,) = given
    assert arguments.get("arguments", arguments)["contains"] == "Zoë 日本"
