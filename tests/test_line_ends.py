"""A checkout is the same on every system: WSL runs what git for Windows has checked out."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent


def git(*words: str) -> str:
    try:
        return subprocess.run(
            ["git", *words],
            cwd=str(REPOSITORY),
            check=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ).stdout.decode()
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no git, or no clone")


def test_scripts_keep_their_line_ends_on_windows() -> None:
    for script in ("bin/unity-bridge", "bin/test", ".ci/run"):
        assert git("check-attr", "eol", script).endswith(": lf\n")


def test_scripts_of_cmd_have_carriage_returns_on_windows() -> None:
    for script in ("bin/unity-bridge.cmd", "bin/test.cmd"):
        assert git("check-attr", "eol", script).endswith(": crlf\n")


def test_no_carriage_return_is_committed() -> None:
    assert [
        line
        for line in git("ls-files", "--eol").splitlines()
        if "i/crlf" in line or "i/mixed" in line
    ] == []


def test_no_line_of_csharp_is_longer_than_the_editor_settings_allow() -> None:
    """ruff checks Python's; nothing else checks these."""
    settings = (REPOSITORY / ".editorconfig").read_text(encoding="utf-8")
    section = settings[settings.index("[*.cs]") :]
    most = int(re.findall(r"max_line_length = (\d+)", section)[0])
    files = [REPOSITORY / name for name in git("ls-files", "*.cs").splitlines()]
    long = [
        f"{path.relative_to(REPOSITORY)}:{number}"
        for path in files
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > most
    ]
    assert files and long == []
