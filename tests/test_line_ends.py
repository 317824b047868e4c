"""A checkout is the same on every system: WSL runs what git for Windows has checked out."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent


def git(*words: str) -> str:
    try:
        return subprocess.run(
            ["git", *words], cwd=str(REPOSITORY), check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
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
    assert [line for line in git("ls-files", "--eol").splitlines() if "i/crlf" in line or "i/mixed" in line] == []
