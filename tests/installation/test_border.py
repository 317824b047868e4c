"""Entries whose server runs elsewhere: the words of ``--via``, and what a border may do to stdio (SPEC §23)."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from unity_bridge.base.result import Err, Ok
from unity_bridge.installation.border import command_over, unsafe_option
from unity_bridge.installation.trial import answers_across
from unity_bridge.launch import environment

PYTHON = sys.executable
SERVER = environment.command()


@pytest.fixture
def ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    program = tmp_path / ("ssh.exe" if os.name == "nt" else "ssh")
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    return str(program)


@pytest.mark.parametrize("host", ["workstation", "ada@work-station.example", "10.0.0.2", "[fe80::1%eth0]", "_x"])
def test_a_host_is_reached_without_a_question_and_without_a_terminal(ssh: str, host: str) -> None:
    words = command_over(f"ssh:{host}")
    assert words == Ok([ssh, "-T", "-o", "BatchMode=yes", "--", host, "unity-bridge"])


@pytest.mark.parametrize(
    "host", ["", "-oProxyCommand=sh", "-l@x", "ada@-x", "a b", "a;b", "a$(b)", "a'b", "möwe", "a@b@c", "host\n"]
)
def test_a_host_that_could_mean_something_else_is_refused(ssh: str, host: str) -> None:
    refused = command_over(f"ssh:{host}")
    assert isinstance(refused, Err) and "is not a host" in refused.error


@pytest.mark.skipif(os.name == "nt", reason="Windows splits a command line by other rules")
def test_a_command_is_split_as_a_shell_does(ssh: str) -> None:
    words = command_over('ssh \'a b\' "Möwe \\"x\\"" c\\ d')
    assert words == Ok([ssh, "a b", 'Möwe "x"', "c d"])
    assert isinstance(command_over("ssh 'a"), Err)


@pytest.mark.skipif(os.name != "nt", reason="the rules of Windows")
def test_a_command_is_split_as_programs_on_windows_do(ssh: str) -> None:
    words = command_over('ssh "a b" C:\\x\\y "Möwe \\"x\\"" \'c')
    assert words == Ok([ssh, "a b", "C:\\x\\y", 'Möwe "x"', "'c"])


@pytest.mark.parametrize("via", ["", "  ", "no-such-program x"])
def test_a_command_needs_a_program_of_this_machine(ssh: str, via: str) -> None:
    assert isinstance(command_over(via), Err)


@pytest.mark.parametrize("option", ["/a b", "/Möwe", "/it's", 'C:\\"x"', "C:\\Game", "$(id)", "a;b", ""])
@pytest.mark.parametrize("program", ["/usr/bin/ssh", "C:\\OpenSSH\\SSH.exe", "plink"])
def test_options_that_the_far_shell_would_read_are_refused(program: str, option: str) -> None:
    assert unsafe_option(program, ["--project", option]) == option
    assert unsafe_option("/usr/bin/docker", ["--project", option]) is None
    assert unsafe_option(program, ["--project", "/home/ada/Game", "--port", "8092"]) is None


def script(text: str) -> list[str]:
    return [PYTHON, "-I", "-c", text]


def test_a_server_that_answers_and_ends_is_taken() -> None:
    assert answers_across(SERVER) == Ok(None)


def test_lines_that_end_as_on_windows_are_taken() -> None:
    relay = (
        "import subprocess, sys; p = subprocess.Popen(sys.argv[1:], stdin=0, stdout=-1)\n"
        "for line in p.stdout: sys.stdout.buffer.write(line.rstrip(b'\\r\\n') + b'\\r\\n'); sys.stdout.flush()\n"
        "sys.exit(p.wait())"
    )
    assert answers_across([*script(relay), *SERVER]) == Ok(None)


@pytest.mark.parametrize(
    "far, said",
    [
        ("print('Welcome \\x1b[1m home'); input()", "its first line is not the server's answer: 'Welcome "),
        ("print('{}'); input()", "is not the server's answer: '{}'"),
        ("print('[' * 60000); input()", "is not the server's answer"),
        ("import sys; sys.exit('Permission denied (publickey).')", "status 1 and no line: 'Permission denied"),
        ("import os; os.close(1); input(); input()", "exit status 1 and no line"),
    ],
)
def test_what_came_instead_is_shown_as_quoted_text(far: str, said: str) -> None:
    refused = answers_across(script(far))
    assert isinstance(refused, Err) and said in refused.error and "\x1b" not in refused.error


def test_a_host_that_does_not_answer_is_given_up() -> None:
    refused = answers_across(script("import time; time.sleep(600)"), seconds=0.5)
    assert isinstance(refused, Err) and "no line came within" in refused.error


ANSWER = '{"id": 1, "result": {"serverInfo": {"name": "unity-bridge"}}}'


def test_a_server_that_does_not_end_with_its_stdin_is_refused_and_ended() -> None:
    refused = answers_across(script(f"import time; print({ANSWER!r}, flush=True); time.sleep(600)"), seconds=3)
    assert isinstance(refused, Err) and "did not end within 3 s after its stdin was closed" in refused.error


def test_another_exit_status_is_shown_with_the_last_line() -> None:
    refused = answers_across(
        script(f"import sys; print({ANSWER!r}, flush=True); sys.stdin.read(); sys.exit('lost it')")
    )
    assert refused == Err("it ended with exit status 1: 'lost it'")
