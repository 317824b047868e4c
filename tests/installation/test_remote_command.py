"""Entries whose server runs elsewhere: the words of ``--via``, and what a border may do to stdio
(SPEC §23).
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import List, Optional, Tuple

import pytest

from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.installation.clients.client import Launch
from unity_bridge.installation.command_line import quoted
from unity_bridge.installation.entries import ClientEntry, NewEntry, renewed
from unity_bridge.installation.remote_command import command_over, unsafe_option
from unity_bridge.installation.trial import PROBE, serves
from unity_bridge.launch import environment
from unity_bridge.launch.environment_maker import PREPARES
from unity_bridge.launch.file_lock import WAITS

PYTHON = sys.executable
SERVER = environment.command()


@pytest.fixture
def ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    program = tmp_path / ("ssh.exe" if os.name == "nt" else "ssh")
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    return str(program)


@pytest.mark.parametrize(
    "host", ["workstation", "ada@work-station.example", "10.0.0.2", "fe80::1%eth0", "_x"]
)
def test_a_host_is_reached_without_a_question_and_without_a_terminal(ssh: str, host: str) -> None:
    words = command_over(f"ssh:{host}")
    assert words == Ok([ssh, "-T", "-o", "BatchMode=yes", "--", host, "unity-bridge"])


@pytest.mark.parametrize(
    "host, meant", [("[::1]", "::1"), ("ada@[fe80::1%eth0]", "ada@fe80::1%eth0")]
)
def test_an_address_in_brackets_is_given_without_them_because_ssh_takes_none(
    ssh: str, host: str, meant: str
) -> None:
    assert command_over(f"ssh:{host}") == command_over(f"ssh:{meant}")
    words = command_over(f"ssh:{host}")
    assert isinstance(words, Ok) and words.value[5] == meant


@pytest.mark.parametrize("host", ["far:2222", "ada@far:2222", "[::1]:2222"])
def test_a_port_after_the_host_is_refused_with_the_place_for_it(ssh: str, host: str) -> None:
    refused = command_over(f"ssh:{host}")
    assert isinstance(refused, Err) and '--via "ssh -p 2222 ' in refused.error


@pytest.mark.parametrize(
    "host",
    [
        "",
        "[",
        "[]",
        "a[b]",
        "[a",
        "-oProxyCommand=sh",
        "-l@x",
        "ada@-x",
        "a b",
        "a;b",
        "a$(b)",
        "a'b",
        "möwe",
        "a@b@c",
        "host\n",
    ],
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


@pytest.mark.parametrize(
    "option",
    [
        *("/a b", "/Möwe", "/it's", 'C:\\"x"', "C:\\Game", "$(id)", "a;b", "", "/a!b", "/a\nb"),
        # What cmd and PowerShell read, which OpenSSH for Windows may start: a variable, an array, a
        # splatted one.
        *("C:/%USERNAME%/Game", "C:/a,b", "@Game", "=x"),
    ],
)
@pytest.mark.parametrize(
    "program",
    [
        ["/usr/bin/ssh", "far", "unity-bridge"],
        ["C:\\OpenSSH\\SSH.exe", "far", "unity-bridge"],
        ["plink", "far", "unity-bridge"],
        ["/usr/bin/sshpass", "-e", "ssh", "far", "unity-bridge"],
        # By design a shell reads what follows `--` too (microsoft/WSL#41598).
        ["C:\\Windows\\System32\\wsl.exe", "-d", "Debian", "--", "unity-bridge"],
        # cmd runs these, whichever program starts them.
        ["C:\\tools\\cross.cmd", "far"],
    ],
)
def test_options_that_a_shell_on_the_way_would_read_are_refused(
    program: List[str], option: str
) -> None:
    assert unsafe_option(program, ["--project", option]) == option
    assert unsafe_option(program, ["--project", "/home/ada/Game-2@1", "--port", "8092"]) is None


@pytest.mark.parametrize(
    "program",
    [
        ["/usr/bin/docker", "exec", "-i", "dev", "unity-bridge"],
        ["wsl.exe", "-d", "Debian", "-e", "x"],
    ],
)
def test_options_that_no_shell_reads_may_have_any_character(program: List[str]) -> None:
    assert unsafe_option(program, ["--project", "/home/ada/My $Game"]) is None


def script(text: str) -> List[str]:
    return [PYTHON, "-I", "-c", text]


def serves_at(words: List[str], seconds: float = 20) -> Result[None, str]:
    return serves(words, {}, seconds)


def test_a_server_that_answers_and_ends_is_taken() -> None:
    assert serves_at(SERVER) == Ok(None)


@pytest.mark.slow
def test_lines_that_end_as_on_windows_are_taken() -> None:
    relay = (
        "import subprocess, sys; p = subprocess.Popen(sys.argv[1:], stdin=0, stdout=-1)\n"
        "for line in p.stdout: sys.stdout.buffer.write(line.rstrip(b'\\r\\n') + b'\\r\\n'); sys.stdout.flush()\n"
        "sys.exit(p.wait())"
    )
    assert serves_at([*script(relay), *SERVER]) == Ok(None)


@pytest.mark.parametrize(
    "far, said",
    [
        (
            "print('Welcome \\x1b[1m home'); input()",
            "its first line is not the server's answer: 'Welcome ",
        ),
        ("print('{}'); input()", "is not the server's answer: '{}'"),
        ("print('[' * 60000); input()", "is not the server's answer"),
        (
            "import sys; sys.exit('Permission denied (publickey).')",
            "status 1 and no line: 'Permission denied",
        ),
        pytest.param(
            "import os; os.close(1); input(); input()",
            "exit status 1 and no line",
            marks=pytest.mark.skipif(
                os.name == "nt", reason="there the pipe stays open until the process has ended"
            ),
        ),
    ],
)
def test_unexpected_output_is_shown_as_quoted_text(far: str, said: str) -> None:
    refused = serves_at(script(far))
    assert isinstance(refused, Err) and said in refused.error and "\x1b" not in refused.error


@pytest.mark.parametrize(
    "said", ["There is no distribution with the supplied name.", "没有使用所提供名称的分发版。"]
)
def test_what_wsl_itself_says_in_utf_16_can_be_read(said: str) -> None:
    """microsoft/WSL#4607."""
    refused = serves_at(
        script(
            f"import sys; sys.stdout.buffer.write({said + chr(13) + chr(10)!r}.encode('utf-16-le'))"
        )
    )
    assert isinstance(refused, Err) and f"is not the server's answer: '{said}'" in refused.error


@pytest.mark.slow
def test_a_question_without_a_line_end_is_shown() -> None:
    asks = "import sys, time; sys.stderr.write('Password: '); sys.stderr.flush(); time.sleep(600)"
    assert serves_at(script(asks), seconds=0.5) == Err("no line came within 0 s: 'Password:'")


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="a shell of POSIX")
def test_a_command_that_drops_the_options_is_refused_with_the_way_to_hand_them_on() -> None:
    refused = serves_at(["/bin/sh", "-c", f"exec {quoted(SERVER)} --port 0"])
    assert isinstance(refused, Err) and "it started without the entry's options" in refused.error
    assert serves_at(["/bin/sh", "-c", f'exec {quoted(SERVER)} "$@"', "sh"]) == Ok(None)


@pytest.mark.slow
@pytest.mark.parametrize("said", [PREPARES, WAITS])
def test_a_clone_that_first_makes_its_environment_is_waited_for(tmp_path: Path, said: str) -> None:
    goes_on = tmp_path / "goes-on"
    prepares = (
        "import os, subprocess, sys, time\n"
        f"print('unity-bridge:', {said!r}, file=sys.stderr, flush=True)\n"
        f"while not os.path.exists({str(goes_on)!r}): time.sleep(0.01)\n"
        "sys.exit(subprocess.call(sys.argv[1:]))"
    )
    heard: List[str] = []

    def say(text: str) -> None:
        heard.append(text)
        goes_on.touch()

    assert serves([*script(prepares), *SERVER], {}, seconds=3, say=say) == Ok(None)
    assert len(heard) == 1 and "prepares its environment" in heard[0]


@pytest.mark.slow
def test_a_host_that_does_not_answer_is_given_up() -> None:
    refused = serves_at(script("import time; time.sleep(600)"), seconds=0.5)
    assert isinstance(refused, Err) and "no line came within" in refused.error


ANSWER = json.dumps(
    {"id": 1, "result": {"serverInfo": {"name": "unity-bridge"}, "instructions": PROBE}}
)


@pytest.mark.slow
def test_a_server_that_does_not_end_with_its_stdin_is_refused_and_ended() -> None:
    refused = serves_at(
        script(f"import time; print({ANSWER!r}, '{{}}', sep='\\n', flush=True); time.sleep(600)"),
        seconds=3,
    )
    assert (
        isinstance(refused, Err)
        and "did not end within 3 s after its stdin was closed" in refused.error
    )


def test_another_exit_status_is_shown_with_the_last_line() -> None:
    refused = serves_at(
        script(f"import sys; print({ANSWER!r}, flush=True); input(); sys.exit('lost it')")
    )
    assert refused == Err("it ended with exit status 1 and no answer to a call: 'lost it'")


LONG = ["-T", "-p", "2222", "-i", "/home/ada/key", "-o", "BatchMode=yes", "-J", "jump", "--", "far"]
PYTHON_OF_WINDOWS = "/mnt/c/Python312/python.exe"


@pytest.mark.parametrize(
    "words, flags",
    [
        (["/usr/bin/ssh", *LONG, "unity-bridge", "--port", "1"], ("--port", "1")),
        (["/usr/bin/ssh", *LONG, "/opt/bin/unity-bridge"], ()),
        (["ssh", "--", "unity-bridge", "unity-bridge", "--port", "1"], ("--port", "1")),
        (["docker", "exec", "-i", "unity-bridge", "unity-bridge"], ()),
        (["ssh", "-l", "unity-bridge", "far", "unity-bridge"], ()),
        (
            ["ssh", "far", "unity-bridge", "--project", "/home/unity-bridge"],
            ("--project", "/home/unity-bridge"),
        ),
        (
            ["ssh", "far", "unity-bridge", "--client-project", "/g/unity-bridge"],
            ("--client-project", "/g/unity-bridge"),
        ),
        (["kubectl", "exec", "-i", "pod", "-n", "a", "-c", "b", "--", "unity-bridge"], ()),
        (
            [
                "sudo",
                "-u",
                "ada",
                "nsenter",
                "-t",
                "1",
                "-m",
                "-u",
                "-n",
                "unity-bridge",
                "--port",
                "1",
            ],
            ("--port", "1"),
        ),
        (["wsl.exe", "-d", "Debian", "--exec", "/home/ada/bin/unity-bridge"], ()),
        (["python3", "-I", "-m", "unity_bridge", "--port", "1"], ("--port", "1")),
        (
            ["ssh", "far", "unity-bridge", "--project=/a/unity-bridge"],
            ("--project=/a/unity-bridge",),
        ),
        (["docker", "exec", "-i", "dev", "bash", "-lc", "exec unity-bridge"], ()),
    ],
)
def test_an_entry_is_ours_however_long_its_command_is(
    words: List[str], flags: Tuple[str, ...]
) -> None:
    entry = ClientEntry("x", Launch.of(words))
    assert entry.is_ours and entry.flags == flags


@pytest.mark.parametrize(
    "words",
    [
        [
            "npx",
            "-y",
            "server-filesystem",
            "/1",
            "/2",
            "/3",
            "/4",
            "/5",
            "/6",
            "/home/ada/unity-bridge",
        ],
        ["ssh", "far", "other", "--project", "unity-bridge"],
    ],
)
def test_another_server_that_gets_a_folder_of_our_name_is_not_ours(words: List[str]) -> None:
    assert not ClientEntry("x", Launch.of(words)).is_ours


@pytest.mark.skipif(os.name == "nt", reason="on Windows a program of Windows is of this side")
def test_a_python_of_windows_is_a_border_in_wsl() -> None:
    entry = ClientEntry(
        "x", Launch.of([PYTHON_OF_WINDOWS, "-I", "-m", "unity_bridge", "--project", "C:\\Game"])
    )
    assert (entry.border, entry.project, entry.runs_code_of_its_folder) == (
        "wsl",
        "C:\\Game",
        False,
    )


HERE = ["/opt/python", "-I", "/opt/unity-bridge", "--project", "/game", "--port", "8092"]
THERE = ["/usr/bin/ssh", "far", "unity-bridge"]
MINE = {"LANG": "C", "PYTHONPATH": "", "UNITY_BRIDGE_STATE_DIR": "/state", "XDG_STATE_HOME": "/x"}


@pytest.mark.parametrize(
    "words, border",
    [
        (["sudo", "-n", "docker", "exec", "-i", "dev", "unity-bridge"], "docker"),
        (["env", "SSH_AUTH_SOCK=/s", "/usr/bin/ssh", "far", "unity-bridge"], "ssh"),
        (["/opt/python", "-I", "/opt/unity-bridge", "--project", "/games/wsl"], None),
    ],
)
def test_a_border_may_be_started_by_another_program(
    words: List[str], border: Optional[str]
) -> None:
    assert ClientEntry("x", Launch.of(words)).border == border


def test_an_entry_of_this_machine_loses_its_flags_and_variables_when_its_server_moves() -> None:
    old = ClientEntry("x", Launch.of(HERE, MINE))
    launch, sentences, dropped = renewed(old, NewEntry(THERE, 9000, is_elsewhere=True))
    assert launch == Launch.of([*THERE, "--port", "9000"])
    assert sorted(dropped) == ["PYTHONPATH", "UNITY_BRIDGE_STATE_DIR", "XDG_STATE_HOME"]
    assert any("Left out: --project /game --port 8092" in sentence for sentence in sentences)
    assert any("no longer sets UNITY_BRIDGE_STATE_DIR" in sentence for sentence in sentences)


def test_an_entry_keeps_the_flags_of_the_same_far_side_and_drops_those_of_another() -> None:
    old = ClientEntry(
        "x",
        Launch.of(
            [*THERE, "--project", "/far/Game", "--log-level", "debug"], {"SSH_AUTH_SOCK": "/s"}
        ),
    )
    same = renewed(old, NewEntry(THERE, 9000, client_project="/near/Game", is_elsewhere=True))
    assert same.launch.args == (
        *old.launch.args,
        "--client-project",
        "/near/Game",
        "--port",
        "9000",
    )
    assert same.dropped == []
    again = renewed(
        ClientEntry("x", same.launch), NewEntry(THERE, client_project="/other", is_elsewhere=True)
    )
    assert again.launch.args[-4:] == ("--port", "9000", "--client-project", "/other")
    other = ["/usr/bin/ssh", "other", "unity-bridge"]
    assert renewed(old, NewEntry(other, is_elsewhere=True)).launch == Launch.of(other)
    back = renewed(old, NewEntry(["/opt/unity-bridge"], environ={"PYTHONPATH": ""}))
    assert back.launch == Launch.of(["/opt/unity-bridge"], {"PYTHONPATH": ""})


def test_the_place_of_another_project_is_not_kept() -> None:
    words = [*THERE, "--project", "/far/One", "--client-project", "/near/One"]
    old = ClientEntry("x", Launch.of(words))
    launch, sentences, _ = renewed(old, NewEntry(THERE, None, "/far/Two", is_elsewhere=True))
    assert launch == Launch.of([*THERE, "--project", "/far/Two"])
    assert (
        "It no longer has --client-project /near/One, which was for the other project." in sentences
    )


def test_an_entry_whose_program_is_in_a_script_keeps_its_options() -> None:
    script = ["/usr/bin/docker", "exec", "-i", "dev", "sh", "-lc", 'exec unity-bridge "$@"', "sh"]
    old = ClientEntry("x", Launch.of([*script, "--project", "/game"]))
    assert old.is_ours and old.border == "docker"
    new = renewed(old, NewEntry(script, 9000, is_elsewhere=True)).launch
    assert new.words == [*script, "--project", "/game", "--port", "9000"]
