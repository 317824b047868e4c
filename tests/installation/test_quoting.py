"""A command that is printed is pasted: it must come out of the user's shell as the words that were
meant.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from unity_bridge.installation import command_line
from unity_bridge.installation.command_line import Shell, quoted

# Words that one shell or another would change.
WORDS = [
    "plain",
    "C:\\Program Files\\Python\\python.exe",
    "C:\\Users\\Zoë\\",
    "a dir\\",
    "click>=8.1,<9",
    "a&b|c",
    "$HOME `x` %PATH",
    "it's",
    "it\u2019s",
    '{"command": "C:\\\\Zoë M\\\\x.exe", "args": ["a b"]}',
    "--port",
    "(x);y",
    "@x",
    "#x",
]

SHOW = [sys.executable, "-c", "import json, sys; print(json.dumps(sys.argv[1:]))"]


def test_a_plain_line_is_the_same_in_every_shell() -> None:
    words = ["unity-bridge", "client", "add", "--port", "8091"]
    assert {quoted(words, shell) for shell in Shell} == {"unity-bridge client add --port 8091"}


@pytest.mark.parametrize(
    "shell, line",
    [
        (Shell.POSIX, "'C:\\a b\\py.exe' -m pip install 'click>=8.1,<9'"),
        (Shell.CMD, '"C:\\a b\\py.exe" -m pip install "click>=8.1,<9"'),
        (Shell.WINDOWS_POWERSHELL, "& 'C:\\a b\\py.exe' -m pip install 'click>=8.1,<9'"),
        (Shell.POWERSHELL, "& 'C:\\a b\\py.exe' -m pip install 'click>=8.1,<9'"),
    ],
)
def test_a_program_with_a_space_is_run_and_a_comparison_is_no_redirection(
    shell: Shell, line: str
) -> None:
    assert quoted(["C:\\a b\\py.exe", "-m", "pip", "install", "click>=8.1,<9"], shell) == line


@pytest.mark.parametrize(
    "shell, program, line",
    [
        (Shell.CMD, "code", 'code --add-mcp "{\\"a\\": \\"b c\\"}"'),
        (Shell.WINDOWS_POWERSHELL, "code", 'code --add-mcp \'{\\"a\\": \\"b c\\"}\''),
        (Shell.POWERSHELL, "code.cmd", 'code.cmd --add-mcp \'{\\"a\\": \\"b c\\"}\''),
        (Shell.POWERSHELL, "claude.exe", 'claude.exe --add-mcp \'{"a": "b c"}\''),
    ],
)
def test_json_reaches_the_program(shell: Shell, program: str, line: str) -> None:
    assert quoted([program, "--add-mcp", '{"a": "b c"}'], shell) == line


@pytest.mark.parametrize(
    "name", ["$(calc)", "`calc`", "\u201c; calc; \u201c", '"x', "%PATH%", "a!b", "a\nb"]
)
def test_a_folder_whose_name_a_shell_obeys_is_not_given_to_an_unknown_shell_of_windows(
    name: str,
) -> None:
    assert (
        command_line._in_any_shell_of_windows(["C:\\x\\unity-bridge.exe", "open", f"C:\\{name}"])
        is None
    )


def test_any_other_folder_is_given_to_it_in_double_quotes() -> None:
    line = command_line._in_any_shell_of_windows(
        ["C:\\x\\unity-bridge.exe", "open", "C:\\Zoë's (old) & [new] #1"]
    )
    assert line == '"C:/x/unity-bridge.exe" "open" "C:/Zoë\'s (old) & [new] #1"'


def test_advice_for_windows_says_what_powershell_needs_before_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        command_line, "_installed_program", lambda: ["C:\\Program Files\\unity-bridge.exe"]
    )
    monkeypatch.setattr("unity_bridge.installation.command_line.os.name", "nt")
    line = command_line.command_in_full("open", "C:\\Game")
    assert (
        line
        == '"C:/Program Files/unity-bridge.exe" "open" "C:/Game" (in PowerShell with `& ` before it)'
    )
    assert command_line.command_in_full("open", "C:\\$(calc)") is None


@pytest.mark.skipif(os.name != "posix", reason="a POSIX shell")
def test_a_folder_whose_name_a_posix_shell_obeys_is_quoted(tmp_path: Path) -> None:
    hostile = f"/$(touch {tmp_path}/made)`touch {tmp_path}/made`'\n"
    line = command_line.command_in_full("open", hostile)
    assert line is not None and shlex.split(line)[-2:] == ["open", hostile]
    subprocess.run(["sh", "-c", f"true {line}"], check=True, timeout=60)
    assert list(tmp_path.iterdir()) == []


def test_a_single_quote_of_any_kind_ends_no_text() -> None:
    assert quoted(["x", "it's", "it\u2019s"], Shell.POWERSHELL) == "x 'it''s' 'it\u2019\u2019s'"


def test_a_back_slash_at_the_end_escapes_no_quote() -> None:
    assert quoted(["x", "a dir\\"], Shell.CMD) == 'x "a dir\\\\"'
    assert quoted(["x", "a dir\\"], Shell.WINDOWS_POWERSHELL) == "x 'a dir\\\\'"


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
def test_a_posix_shell_says_what_was_meant() -> None:
    said = subprocess.run(
        ["sh", "-c", quoted([*SHOW, *WORDS], Shell.POSIX)], stdout=subprocess.PIPE, check=True
    )
    assert json.loads(said.stdout) == WORDS
    assert shlex.split(quoted(WORDS, Shell.POSIX)) == WORDS


@pytest.mark.skipif(sys.platform != "win32", reason="needs Windows")
def test_cmd_says_what_was_meant() -> None:
    words = [word for word in WORDS if "%" not in word and '"' not in word]
    line = quoted([*SHOW, *words], Shell.CMD)
    said = subprocess.run(f'cmd /d /s /c "{line}"', stdout=subprocess.PIPE, check=True)
    assert json.loads(said.stdout) == words


@pytest.mark.skipif(shutil.which("pwsh") is None, reason="no PowerShell here")
def test_powershell_says_what_was_meant() -> None:
    start = ["pwsh", "-NoProfile", "-Command", quoted([*SHOW, *WORDS], Shell.POWERSHELL)]
    said = subprocess.run(start, stdout=subprocess.PIPE, check=True)
    assert json.loads(said.stdout) == WORDS


def test_without_the_package_that_finds_the_shell_there_is_a_command_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "psutil", None)
    monkeypatch.setattr("unity_bridge.installation.command_line.os.name", "nt")
    command_line.shell_in_use.cache_clear()
    try:
        assert command_line.shell_in_use() is Shell.WINDOWS_POWERSHELL
    finally:
        command_line.shell_in_use.cache_clear()


def test_the_shell_is_one_of_those_known() -> None:
    assert command_line.shell_in_use() in Shell
    assert sys.platform == "win32" or command_line.shell_in_use() is Shell.POSIX
