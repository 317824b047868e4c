"""What a server notes for the settings page in Unity: how it is started, where only its user can
read it.
"""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from unity_bridge.launch import environment
from unity_bridge.serve.server_command_file import FILE, note_command
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE
from unity_bridge.version import __version__


def test_the_note_starts_this_program_without_code_of_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(STATE_DIR_VARIABLE, str(tmp_path / "state"))
    note_command()
    note = tmp_path / "state" / FILE
    command = json.loads(note.read_text(encoding="utf-8"))["command"]
    if sys.platform != "win32":
        assert (
            stat.S_IMODE(note.stat().st_mode) == 0o600
            and stat.S_IMODE(note.parent.stat().st_mode) == 0o700
        )
    assert command[:2] == [sys.executable, "-I"]
    (tmp_path / "json.py").write_text("raise SystemExit(7)", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", "")
    said = subprocess.run(
        [*command, "--version"], cwd=str(tmp_path), capture_output=True, text=True, check=True
    )
    assert __version__ in said.stdout
    # One that says the same stays, and one that others can write is replaced.
    before = note.stat().st_ino
    note_command()
    assert note.stat().st_ino == before
    if sys.platform != "win32":
        note.chmod(0o666)
        note_command()
        assert stat.S_IMODE(note.stat().st_mode) == 0o600


def test_without_a_folder_that_can_be_written_nothing_is_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "state").write_text("a file", encoding="utf-8")
    monkeypatch.setenv(STATE_DIR_VARIABLE, str(tmp_path / "state"))
    note_command()
    monkeypatch.setenv(STATE_DIR_VARIABLE, "relative")
    note_command()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["state"]


def test_a_program_in_a_folder_whose_name_is_no_text_is_not_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(STATE_DIR_VARIABLE, str(tmp_path))
    monkeypatch.setattr(
        environment, "command", lambda: ["/usr/bin/python3", "/opt/\udcff/unity-bridge"]
    )
    note_command()
    assert list(tmp_path.iterdir()) == []
