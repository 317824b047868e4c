"""The command line as a whole: what it lists, what it imports for that, and whose stdout it is."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List, Tuple

import click
import pytest
from click.testing import CliRunner

from tests.commands.runner import runner
from tests.installation.unity_projects import make_project
from unity_bridge.__main__ import serves
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.cli import cli
from unity_bridge.commands import ALIASES, COMMANDS
from unity_bridge.commands.shared.envelope import LinesCommand
from unity_bridge.installation.command_line import quoted
from unity_bridge.launch import environment

# What makes a start slow, and what is not there on an old Python.
HEAVY = (
    "mcp",
    "pydantic",
    "anyio",
    "jsonschema",
    "websocket_server",
    "wsproto",
    "psutil",
    "asyncio",
    "unity_bridge.serve.app",
)

SPY = """
import json, sys
from unity_bridge.__main__ import main
try:
    main(sys.argv[1:])
finally:
    sys.stderr.write(json.dumps([sorted(sys.modules)]))
"""

# A Python without the package: importing it fails as it does there.
WITHOUT_MCP = """
import sys
sys.modules["mcp"] = sys.modules["mcp_types"] = None
from unity_bridge.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


# One whose packages do not fit together.
BROKEN_MCP = WITHOUT_MCP.replace('"mcp"', '"mcp.server.lowlevel"').replace(
    'sys.modules["mcp_types"] = ', ""
)

# A signal that arrives while a module is being imported.
SENDER = """
import os, signal, sys

class Sender:
    def find_spec(self, name, path=None, target=None):
        if name in os.environ["MODULES"].split():
            signal.raise_signal(getattr(signal, os.environ["SIGNAL"]))

sys.meta_path.insert(0, Sender())
"""
SIGNALLED = f"""{SENDER}
os.environ["MODULES"] = "unity_bridge.cli unity_bridge.serve.entry"
from unity_bridge.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


def run(source: str, *arguments: str, **environment: str) -> Tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-c", source, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        env={**os.environ, **environment},
    )
    # Text on Windows ends its lines in two characters.
    out, err = (text.decode().replace("\r\n", "\n") for text in (done.stdout, done.stderr))
    return done.returncode, out, err


@pytest.mark.parametrize(
    "arguments, environment, shown",
    [
        (["--help"], {}, r"\n  status +Show the editor's state on one screen\.\n"),
        (["--version"], {}, "unity-bridge "),
        (
            [],
            {
                "_UNITY_BRIDGE_COMPLETE": "bash_complete",
                "COMP_WORDS": "unity-bridge st",
                "COMP_CWORD": "1",
            },
            "status",
        ),
    ],
    ids=["help", "version", "completion"],
)
def test_help_version_and_completion_import_no_command(
    arguments: List[str], environment: Dict[str, str], shown: str
) -> None:
    _, out, err = run(SPY, *arguments, **environment)
    assert re.search(shown, out)
    (imported,) = json.loads(err)
    assert not set(HEAVY) & set(imported)
    commands = [name for name in imported if name.startswith("unity_bridge.commands.")]
    assert commands == ["unity_bridge.commands.shared", "unity_bridge.commands.shared.options"]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_of_the_table_is_there_and_shows_how_it_is_used(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert isinstance(command, click.Command)
    shown = CliRunner().invoke(cli, [name, "--help"], prog_name="unity-bridge")
    assert shown.exit_code == 0
    assert f"unity-bridge {name}" in shown.output.split("\n")[0]
    assert "Example" in shown.output


@pytest.mark.parametrize("name", ["call", "test", "console", "status"])
def test_the_script_commands_run_without_mcp_and_refuse_a_bad_configuration(name: str) -> None:
    rest = ["get_editor_state"] if name == "call" else []
    status, out, err = run(WITHOUT_MCP, name, *rest, "--port", "70000")
    assert (status, out) == (2, "")
    assert err == (
        "ERR_CONFIG_VALIDATION: option --port (unity_ws_port) = 70000: "
        "must be an integer from 0 to 65535; 0 = any free port\n"
    )


def test_an_invalid_port_is_reported_in_one_line() -> None:
    status, out, err = run(WITHOUT_MCP, "status", "--port", "abc")
    assert (status, out) == (2, "")
    assert err == (
        'ERR_CONFIG_VALIDATION: option --port (unity_ws_port) = "abc": '
        "must be an integer from 0 to 65535; 0 = any free port\n"
    )


@pytest.mark.parametrize("seconds", ["nan", "inf", "-1", "1e300", "86401", "soon", ""])
@pytest.mark.parametrize(
    "command",
    [
        "call get_editor_state --wait",
        "console --wait",
        "doctor --wait",
        "status --wait",
        "test --timeout",
    ],
)
def test_a_time_that_cannot_be_waited_is_a_usage_error(command: str, seconds: str) -> None:
    result = CliRunner().invoke(cli, [*command.split(), seconds])
    (least, most), option = ((1, 1800) if "timeout" in command else (0, 86400)), command.split()[-1]
    expected = f"Invalid value for '{option}': '{seconds}' is not a number of seconds from {least} to {most}."
    assert result.exit_code == 2
    assert result.output.rstrip().endswith(expected)


HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "x", "version": "1"},
}
SESSION = "".join(
    json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}) + "\n"
    for id, method, params in (
        (0, "initialize", HELLO),
        (1, "resources/list", {}),
        (2, "tools/call", {"name": "get_editor_state", "arguments": {}}),
    )
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "code"), [(WITHOUT_MCP, -32601), (BROKEN_MCP, -32603)], ids=["without", "broken"]
)
def test_a_server_needs_the_mcp_package_only_for_what_nothing_else_knows(
    source: str, code: int
) -> None:
    if source is BROKEN_MCP and sys.version_info < (3, 10):
        pytest.skip("there is no such package to be broken")
    with subprocess.Popen(
        [sys.executable, "-c", source, "--port", "0"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as server:
        assert server.stdin is not None and server.stdout is not None and server.stderr is not None
        server.stdin.write(SESSION.encode())
        server.stdin.flush()
        answers = {
            answer["id"]: answer
            for answer in (json.loads(server.stdout.readline()) for _ in range(3))
        }
        server.stdin.close()
        result = server.stderr.read().decode()
    assert server.returncode == 0
    assert answers[1]["error"]["code"] == code
    assert answers[2]["result"]["isError"] is False
    assert ("the MCP SDK failed" in result) == (source is BROKEN_MCP)


def test_the_demo_without_the_mcp_package_says_what_to_do() -> None:
    status, out, err = run(WITHOUT_MCP, "demo")
    assert (status, out) == (1, "")
    assert "'demo' needs" in err


@pytest.mark.parametrize(
    ("name", "status"),
    [("SIGTERM", 143), ("SIGINT", 130), *([("SIGBREAK", 130)] if os.name == "nt" else [])],
)
def test_a_signal_that_comes_during_the_imports_ends_the_start_with_its_status(
    name: str, status: int
) -> None:
    assert run(SIGNALLED, "--port", "0", SIGNAL=name) == (status, "", "")


def test_ctrl_c_during_the_imports_of_a_command_is_no_traceback() -> None:
    assert run(SIGNALLED, "status", SIGNAL="SIGINT") == (130, "", "")


@pytest.mark.parametrize(
    "module", ["unity_bridge.launch.launcher", "unity_bridge.__main__", "unity_bridge.commands"]
)
def test_ctrl_c_during_the_imports_of_the_launcher_is_no_traceback(module: str) -> None:
    launcher = os.path.join(environment.ROOT, "bin", "unity-bridge")
    source = f"{SENDER}\nimport runpy\nrunpy.run_path({launcher!r}, run_name='__main__')"
    assert run(source, "status", SIGNAL="SIGINT", MODULES=module) == (130, "", "")


def test_an_option_before_the_command_counts_for_the_command() -> None:
    status, _, err = run(WITHOUT_MCP, "--port", "70000", "status")
    assert (status, err.split(":")[0]) == (2, "ERR_CONFIG_VALIDATION")


def test_a_command_that_does_not_exist_is_a_usage_error() -> None:
    status, out, err = run(WITHOUT_MCP, "frobnicate")
    assert (status, out) == (2, "")
    assert err.rstrip().endswith("No such command 'frobnicate'.")


def test_a_misspelt_command_is_answered_with_the_nearest_one() -> None:
    status, out, err = run(WITHOUT_MCP, "statsu")
    assert (status, out) == (2, "")
    assert err.rstrip().endswith("No such command 'statsu'. Did you mean 'status'?")


@pytest.mark.parametrize(
    "words, meant",
    [
        ("run_tests", "test"),
        ("run-tests --failed", "test --failed"),
        ("tests", "test"),
        ("read_console", "console"),
        ("read-console", "console"),
        ("log", "console"),
        ("logs --follow", "console --follow"),
        ("screenshot", "shot"),
        ("play_mode enter", "play enter"),
        ("run_command list_scenes", "run list_scenes"),
        ("run_command list_scenes deep=true", "run list_scenes deep=true"),
        ("run_command open name=Main", "run open name=Main"),
        ("run-csharp 1+1", "exec 1+1"),
        ("eval 1+1", "exec 1+1"),
        ("eval a=b", "exec a=b"),
        ("get_editor_state", "status"),
        ("state", "status"),
        ("wait_ready", "wait-ready"),
        ("get_job_status job_id=job-1", "call get_job_status job_id=job-1"),
        ("cancel-job job_id=job-1", "call cancel_job job_id=job-1"),
        ("cancel_job", "call cancel_job"),
        ("run_tests mode=edit", "call run_tests mode=edit"),
        ("read-console --wait 1 max_entries=5", "call read_console --wait 1 max_entries=5"),
        ("compile force=true", "call compile force=true"),
        ("inspect what=scenes", "call inspect what=scenes"),
        ("inspect object Main/A=b", "inspect object Main/A=b"),
        ("compile --force", "compile --force"),
        ("frobnicate", "frobnicate"),
    ],
)
def test_a_name_that_is_guessed_is_the_command_that_is_meant(words: str, meant: str) -> None:
    name, command, rest = cli.resolve_command(
        click.Context(cli, resilient_parsing=True), words.split(" ")
    )
    assert " ".join([str(name), *rest] if command else words.split(" ")) == meant
    assert serves(words.split(" ")) is (command is None)


@pytest.mark.parametrize("tool", CATALOGUE)
def test_every_tools_name_is_a_command_in_both_spellings_and_in_no_list(tool: str) -> None:
    for name in (tool, tool.replace("_", "-")):
        assert (
            cli.resolve_command(click.Context(cli, resilient_parsing=True), [name])[1] is not None
        )
    assert not set(ALIASES) & set(COMMANDS)
    assert set(ALIASES.values()) <= set(COMMANDS)


@pytest.mark.parametrize(
    "name, says",
    [("start", "play enter"), ("build", "run build_player"), ("scene", "run open_scene")],
)
def test_a_name_that_means_several_things_is_explained(name: str, says: str) -> None:
    status, out, err = run(WITHOUT_MCP, name)
    assert (status, out) == (2, "")
    assert f"There is no command '{name}'." in err and says in err


@pytest.mark.parametrize("word", ["log", "build", "state", "run_tests", "list", "help"])
def test_a_folder_that_is_called_like_a_guess_is_no_command(word: str) -> None:
    assert serves(["--project", word])
    assert not serves(["--port", "1", word])


@pytest.mark.parametrize("word, meant", [("start", "enter"), ("stop", "exit"), ("enter", "enter")])
def test_play_takes_start_and_stop(word: str, meant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _submitted(["play", word], monkeypatch) == {"action": meant, "frames": 1}


@pytest.mark.parametrize("mode", ["EditMode", "editmode", "Edit", "edit"])
def test_a_word_is_spelt_as_mcp_takes_it(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _submitted(["test", "--mode", mode], monkeypatch)["mode"] == "edit"


@pytest.mark.parametrize(
    "words, tool", [(["play", "enter"], "play_mode"), (["inspect"], "inspect")]
)
def test_timeout_has_the_range_that_help_prints(words: List[str], tool: str) -> None:
    most = CATALOGUE[tool].max_timeout_ms // 1000
    assert f"[1<=x<={most}]" in runner().invoke(cli, [words[0], "--help"]).stdout
    done = runner().invoke(cli, [*words, "--timeout", str(most + 1)])
    assert done.exit_code == 2 and f"is not a number of seconds from 1 to {most}." in done.stderr


@pytest.mark.parametrize("words", [["1+1"], ["--code", "1+1"]])
def test_exec_takes_code_as_an_option_too(
    words: List[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _submitted(["exec", *words], monkeypatch)["code"] == "1+1"


def _submitted(words: List[str], monkeypatch: pytest.MonkeyPatch) -> Dict[str, Any]:
    """The arguments of the job of a command."""
    submitted: List[Dict[str, Any]] = []

    def run_job(settings: object, tool: str, arguments: Dict[str, Any], *_: object) -> None:
        submitted.append(arguments)
        click.get_current_context().exit(0)

    monkeypatch.setattr("unity_bridge.commands.shared.job_follower.run_job", run_job)
    CliRunner().invoke(cli, words)
    return submitted[0]


@pytest.mark.parametrize("arguments", [[], ["status"], ["--help"]])
def test_a_python_without_the_packages_is_reported_with_the_fix(arguments: List[str]) -> None:
    status, out, err = run(WITHOUT_MCP.replace('"mcp"', '"click"'), *arguments)
    assert (status, out) == (1, "")
    assert err.startswith(f"unity-bridge: the package click is missing in {sys.executable}. ")
    launcher = os.path.join(environment.ROOT, "bin", "unity-bridge")
    # Windows starts no file without an ending.
    words = quoted([sys.executable, launcher]) if os.name == "nt" else launcher
    assert f"Start {words} instead" in err


@pytest.mark.parametrize("arguments", [[], ["--port", "1"], ["--log-file", "x.log"]])
def test_only_serving_takes_stdout_for_mcp(arguments: List[str]) -> None:
    assert serves(arguments)
    for name in COMMANDS:
        assert serves([name, *arguments]) is (name == "serve")


@pytest.mark.parametrize(
    "words, completed",
    [
        ("unity-bridge call read", ["read_console"]),
        ("unity-bridge call read_console ma", ["max_entries="]),
        ("unity-bridge call run_tests mode=", ["mode=all", "mode=edit", "mode=play"]),
        ("unity-bridge call run_tests refresh=f", ["refresh=false"]),
        ("unity-bridge console --type e", ["error", "exception"]),
        ("unity-bridge status --log-level w", ["warning"]),
        ("unity-bridge test --mode ", ["all", "edit", "play"]),
    ],
)
def test_the_shell_completes_what_the_contract_knows(words: str, completed: List[str]) -> None:
    count = len(words.split(" ")) - 1
    _, out, _ = run(
        WITHOUT_MCP, _UNITY_BRIDGE_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=str(count)
    )
    assert [line.partition(",")[2] for line in out.splitlines()] == completed


@pytest.mark.skipif(
    sys.platform == "win32", reason="Windows keeps the folder that a process stands in"
)
@pytest.mark.parametrize(
    "words", [["client", "list"], ["skill", "install"], ["doctor", "--wait", "0"], ["--project=x"]]
)
def test_a_missing_folder_is_reported_in_one_line(words: List[str], tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    removed = f"import os, sys; os.chdir({str(gone)!r}); os.rmdir({str(gone)!r})"
    removed += f"; sys.path.insert(0, {environment.ROOT!r})"
    program = f"{removed}; from unity_bridge.__main__ import main; sys.exit(main({words!r}))"
    home = {"HOME": str(tmp_path), "PYTHONPATH": environment.module_path()}
    ran = subprocess.run(
        [sys.executable, "-I", "-c", program], capture_output=True, env={**os.environ, **home}
    )
    assert (ran.returncode, ran.stderr) == (
        2,
        b"The folder that this was started in is gone: change to another one.\n",
    )


@pytest.mark.parametrize(
    "name", ["compile", "status", "test", "console", "run", "shot", "wait-ready"]
)
def test_the_help_of_a_command_shows_its_own_options_and_names_the_common_ones_in_one_line(
    name: str,
) -> None:
    shown = CliRunner().invoke(cli, [name, "--help"]).stdout

    assert shown.count("--project") == shown.count("--config") == 1
    line = next(line for line in shown.splitlines() if "--project" in line)
    assert line.strip() == "--port N, --project PATH, --config FILE, --log-level LEVEL"
    assert shown.index("--json" if "--json" in shown else "--wait") < shown.index(line)
    assert "Configuration file" in CliRunner().invoke(cli, ["--help"]).stdout, (
        "explained where it is pointed to"
    )


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (["--port", "26010", "simulate"], "port"),
        (["--project", "{game}", "simulate"], "project"),
        (["--port", "26010", "plugin", "install", "{game}"], "port"),
        (["--project", "{game}", "plugin", "status"], "project"),
        (["--project", "{game}", "client", "show", "cursor"], "project"),
        (["--client-project", "/far", "client", "show", "cursor"], "client_project"),
    ],
)
def test_an_option_before_the_command_counts_for_a_command_that_has_it(
    words: List[str], option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = str(make_project(tmp_path / "Game"))
    words = [word.format(game=game) for word in words]
    assert parameters_of(words, monkeypatch)[option] == (
        int(words[1]) if words[1].isdigit() else words[1]
    )


def parameters_of(words: List[str], monkeypatch: pytest.MonkeyPatch) -> Dict[str, Any]:
    """Return what a command is run with, and run nothing."""
    found: Dict[str, Any] = {}

    def invoke(command: click.Command, context: click.Context) -> None:
        found.update(context.params)

    for command_class in (click.Command, LinesCommand):
        monkeypatch.setattr(command_class, "invoke", invoke)
    assert runner().invoke(cli, words).exit_code == 0
    return found


def test_an_option_after_the_command_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["--port", "26010", "simulate", "--port", "26011"]
    assert parameters_of(words, monkeypatch)["port"] == 26011


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (["--port", "26010", "demo"], "--port"),
        (["--port", "26010", "junit", "merge", "a", "b"], "--port"),
        (["--log-file", "x.log", "simulate"], "--log-file"),
        (["--project", "/game", "skill", "install"], "--project"),
        (["--config", "x.json", "plugin", "status", "."], "--config"),
    ],
)
def test_an_option_before_a_command_that_has_none_like_it_is_refused(
    words: List[str], option: str
) -> None:
    done = runner().invoke(cli, words)
    assert done.exit_code == 2
    assert f"has no {option}. Leave it out." in done.stderr
