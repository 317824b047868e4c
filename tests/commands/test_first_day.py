"""What a new user meets on the first day: completion, a client that is running, the simulator's own
project.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import List

import click
import pytest

from tests.commands.runner import runner
from tests.installation.unity_projects import make_project
from tests.ports import free_port
from unity_bridge import cli
from unity_bridge.commands import client as client_command
from unity_bridge.commands.shot import written
from unity_bridge.launch import environment
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script_for_the_shell(shell: str) -> None:
    done = runner().invoke(cli.cli, ["completion", shell])

    assert done.exit_code == 0, done.output
    assert "_UNITY_BRIDGE_COMPLETE" in done.stdout and f"{shell}_complete" in done.stdout


@pytest.mark.skipif(shutil.which("bash") is None or os.name == "nt", reason="needs bash")
def test_bash_completes_a_command_with_the_script(tmp_path: Path) -> None:
    (tmp_path / "unity-bridge").write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -m unity_bridge "$@"\n'
    )
    (tmp_path / "unity-bridge").chmod(0o755)
    script = (
        'eval "$(unity-bridge completion bash)"; COMP_WORDS=(unity-bridge comp); COMP_CWORD=1; '
        '_unity_bridge_completion unity-bridge; echo "${COMPREPLY[@]}"'
    )
    path = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-c", script],
        env={**os.environ, "PATH": path, "PYTHONPATH": environment.ROOT},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        timeout=60,
    )

    assert set(done.stdout.decode().split()) == {"compile", "completion"}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(
    "runs, begin", [(True, "Claude Code runs now, and"), (False, "While Claude Code runs,")]
)
def test_adding_to_claude_code_says_that_a_running_one_may_overwrite_the_entry(
    home: Path, monkeypatch: pytest.MonkeyPatch, runs: bool, begin: str
) -> None:
    monkeypatch.setattr(
        client_command, "is_any_running", lambda program: runs and program == "claude"
    )

    done = runner().invoke(cli.cli, ["client", "add", "claude-code"])

    assert done.exit_code == 0, done.output
    assert f"{begin} it may write its own copy over this file" in done.stderr
    assert "claude mcp add-json --scope user unity-bridge" in done.stderr
    assert "own copy" not in runner().invoke(cli.cli, ["client", "add", "copilot"]).stderr


def test_the_help_of_the_simulator_shows_no_options_for_its_own_tests() -> None:
    shown = runner().invoke(cli.cli, ["simulate", "--help"]).stdout

    assert "--speed" in shown and "--dialect" not in shown and "--fault" not in shown


@pytest.mark.parametrize("by_variable", [False, True])
def test_auto_where_a_number_belongs_says_where_auto_belongs(
    by_variable: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if by_variable:
        monkeypatch.setenv("UNITY_BRIDGE_PORT", "auto")

    done = runner().invoke(cli.cli, ["status", *([] if by_variable else ["--port", "auto"])])

    assert done.exit_code == 2 and "plugin install PROJECT --port auto" in done.stderr


@pytest.mark.slow
def test_the_plugin_is_removed_from_a_project_that_went_back_to_an_older_unity(
    tmp_path: Path,
) -> None:
    game = make_project(tmp_path / "Game")
    assert runner().invoke(cli.cli, ["plugin", "install", str(game)]).exit_code == 0
    (game / "ProjectSettings" / "ProjectVersion.txt").write_text("m_EditorVersion: 2019.4.1f1\n")

    refused = runner().invoke(cli.cli, ["plugin", "update", str(game)])
    removed = runner().invoke(cli.cli, ["plugin", "remove", str(game)])

    assert refused.exit_code == 2 and removed.exit_code == 0, removed.output
    assert not (game / "Packages" / "com.unitybridge.editor").exists()


@pytest.mark.slow
def test_status_during_a_simulation_does_not_say_that_unity_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """README offers both to one reader. In 17 trials of 17 the status asked to open the project in
    Unity (Q5, N5).
    """
    game = make_project(tmp_path / "Game")
    program = environment.isolated()
    monkeypatch.setenv("UNITY_BRIDGE_PORT", str(free_port()))
    monkeypatch.setenv("UNITY_BRIDGE_STATE_DIR", str(tmp_path / "state"))
    with subprocess.Popen(
        [*program, "simulate", "--project", str(game)],
        cwd=str(game),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as simulator:
        assert simulator.stderr is not None
        try:
            assert simulator.stderr.readline() != ""
            status = subprocess.run(
                [*program, "status"],
                cwd=str(game),
                stdin=subprocess.DEVNULL,
                stdout=-1,
                stderr=-1,
                encoding="utf-8",
            )
        finally:
            simulator.terminate()

    # On a machine that is slow the simulator may come after status has ended; nothing untrue is
    # said then either.
    assert "Unity does not run" not in status.stdout + status.stderr
    assert status.returncode in (0, 3)


@pytest.mark.parametrize("word", ["x", "0", "1001", "1.5"])
def test_a_word_that_is_no_number_of_frames_is_said_to_be_none(word: str) -> None:
    done = runner().invoke(cli.cli, ["play", "step", word])

    assert done.exit_code == 2 and f"'{word}' is not a whole number from 1 to 1000" in done.stderr


def test_a_picture_goes_into_a_folder_that_is_not_there_yet(tmp_path: Path) -> None:
    """As the report of ``test --junit`` does (n11)."""
    path = tmp_path / "new" / "x.png"

    assert written(b"picture", str(path), "png") == str(path)
    assert path.read_bytes() == b"picture"


def test_a_picture_that_cannot_be_written_says_where(tmp_path: Path) -> None:
    with pytest.raises(click.ClickException, match=f"could not be written to {tmp_path}: "):
        written(b"picture", str(tmp_path), "png")


@pytest.mark.parametrize(
    "words, code",
    [(["nope"], "ERR_UNKNOWN_COMMAND"), (["read_console", "max_entries=0"], "ERR_INVALID_PARAMS")],
)
def test_a_call_that_cannot_be_made_prints_its_error_as_any_failed_call_does(
    words: List[str], code: str
) -> None:
    """Its help promises that, and ``| jq`` got nothing."""
    plain = runner().invoke(cli.cli, ["call", *words])
    enveloped = runner().invoke(cli.cli, ["call", *words, "--json"])

    assert plain.exit_code == enveloped.exit_code == 2
    assert json.loads(plain.stdout)["error"]["code"] == code
    assert (
        json.loads(enveloped.stdout)["ok"] is False
        and json.loads(enveloped.stdout)["error"]["code"] == code
    )
    assert plain.stderr.strip() == json.loads(plain.stdout)["error"]["message"]


def test_a_self_test_that_finds_no_unity_has_a_code(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["selftest", "--unity", str(tmp_path / "none"), "--json"], None) == 1
    error = json.loads(capfd.readouterr().out)["error"]
    assert error["code"] and "Name Unity's program with --unity PATH" in error["message"]


def test_a_self_test_without_a_place_for_its_project_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    monkeypatch.setenv(STATE_DIR_VARIABLE, str(in_the_way))
    monkeypatch.chdir(tmp_path)
    done = runner().invoke(cli.cli, ["selftest", "--unity", "simulate"])
    assert isinstance(done.exception, SystemExit) and done.exit_code == 1
    assert f"{in_the_way}" in done.stderr and f"Set {STATE_DIR_VARIABLE}" in done.stderr
