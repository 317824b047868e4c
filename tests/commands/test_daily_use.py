"""What a daily user meets: a narrow terminal, a taken port, a misspelt command, private files,
tests that fail.
"""

from __future__ import annotations

import os
import signal
import socket
import stat
import subprocess
from pathlib import Path
from typing import Iterator, List

import pytest

from tests.commands.runner import runner
from tests.fakes import ManualClock
from unity_bridge import cli
from unity_bridge.catalogue.calls import Progress
from unity_bridge.commands.shared.job_display import Lines
from unity_bridge.commands.shared.job_end import Followed, JobEnd
from unity_bridge.launch import environment


@pytest.mark.parametrize(
    "words", [[], ["run"], ["compile"], ["test"], ["client", "add"], ["skill", "show"]], ids=str
)
def test_help_fits_a_terminal_of_40_columns(
    words: List[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")

    shown = runner().invoke(cli.cli, [*words, "--help"]).stdout

    assert "Usage" in shown and [line for line in shown.splitlines() if len(line) > 40] == []


def test_help_on_a_wide_terminal_is_clicks_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")

    shown = runner().invoke(cli.cli, ["run", "--help"]).stdout

    assert "\n  --port N, --project PATH, --config FILE, --log-level LEVEL\n" in shown


@pytest.fixture
def taken_port() -> Iterator[str]:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        yield str(holder.getsockname()[1])


@pytest.mark.slow
def test_a_port_that_is_taken_is_said_once_and_as_a_sentence(taken_port: str) -> None:
    done = subprocess.run(
        [*environment.isolated(), "--port", taken_port, "compile", "--wait", "0"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )

    (line,) = done.stderr.splitlines()
    assert line.startswith(f"Port {taken_port} is in use by ") and done.returncode == 3


@pytest.mark.slow
def test_a_command_that_waits_on_a_taken_port_says_who_has_it(taken_port: str) -> None:
    with subprocess.Popen(
        [*environment.isolated(), "--port", taken_port, "compile", "--wait", "60"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as command:
        assert command.stderr is not None
        try:
            lines = []
            for line in command.stderr:
                lines.append(line)
                if "which is in use by" in line:
                    break
        finally:
            command.terminate()

    assert all(
        line.startswith("Waiting up to 60 s for a Unity Editor on port") for line in lines
    ), lines
    assert "which is in use by pid" in lines[-1], lines


def test_a_misspelt_command_names_the_list_of_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    details = {"execution_guarantee": "not_executed", "unity": {"reason": "unknown_command"}}
    said = 'Unity says: "There is no command spwn_wave. The nearest is spawn_wave()."'
    error = {"code": "ERR_INVALID_PARAMS", "message": said, "retryable": False, "details": details}

    followed = Followed(JobEnd("failed", error=error), {}, has_editor=True)
    monkeypatch.setattr("unity_bridge.commands.shared.job_follower.run_job", lambda *_: followed)

    done = runner().invoke(cli.cli, ["run", "spwn_wave"])

    assert done.exit_code == 1 and done.stderr.splitlines() == [
        said,
        "`unity-bridge run` lists the commands.",
    ]


@pytest.mark.skipif(os.name == "nt", reason="on Windows the profile's access list counts")
def test_a_new_file_of_a_client_is_its_users_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    team = tmp_path / "Game"
    team.mkdir()
    before = os.umask(0o022)
    try:
        assert runner().invoke(cli.cli, ["client", "add", "claude-code"]).exit_code == 0
        words = ["client", "add", "claude-code", "--scope", "project", "--folder", str(team)]
        assert runner().invoke(cli.cli, words).exit_code == 0
    finally:
        os.umask(before)

    assert stat.S_IMODE((tmp_path / ".claude.json").stat().st_mode) == 0o600
    assert stat.S_IMODE((team / ".mcp.json").stat().st_mode) == 0o644, "it is the team's"


def test_the_skill_is_shown_for_the_client_that_the_help_names() -> None:
    named = runner().invoke(cli.cli, ["skill", "show", "claude-code", "--user"])
    unnamed = runner().invoke(cli.cli, ["skill", "show", "--user"])

    assert named.exit_code == 0, named.output
    assert named.stdout == unnamed.stdout and "unity-bridge" in named.stdout


def test_each_test_that_fails_is_named_while_the_others_run(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = Lines(ManualClock())

    lines.progress(Progress(0, 9, "A"))
    lines.progress(Progress(1, 9, "B", failed=1, failed_test="A"))
    lines.progress(Progress(2, 9, "C", failed=1, failed_test="A"))
    lines.progress(Progress(5, 9, "F", failed=3, failed_test="E"))

    assert capsys.readouterr().err.splitlines() == [
        "Running 9 tests ...",
        "failed: A",
        "failed: E (and 1 more)",
    ]


@pytest.mark.slow
@pytest.mark.skipif(
    os.name == "nt", reason="Windows cannot send Ctrl-C to one process group without its console"
)
def test_ctrl_c_ends_the_demo_in_the_midst_of_a_test_run_without_a_traceback(
    tmp_path: Path,
) -> None:
    pytest.importorskip("mcp_types", reason="the demo needs Python 3.10")
    home = tmp_path / "a file where the state folder would be"
    home.write_text("")
    with subprocess.Popen(
        [*environment.isolated(), "demo"],
        env={**os.environ, "UNITY_BRIDGE_STATE_DIR": str(home), "TMPDIR": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        start_new_session=True,
    ) as demo:
        assert demo.stdout is not None
        for line in demo.stdout:
            if "run_tests()" in line:
                break
        # As a terminal does: to the demo, its server and its editor.
        os.killpg(demo.pid, signal.SIGINT)
        rest = demo.stdout.read()

    assert demo.returncode == 130
    assert rest.endswith("Interrupted. The bridge and the simulated editor have ended.\n"), rest
    assert "Traceback" not in rest and "never retrieved" not in rest, rest
    assert os.listdir(tmp_path) == [home.name]
