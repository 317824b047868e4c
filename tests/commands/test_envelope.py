"""``--json`` in every command, with one envelope (SPEC §19.3)."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any, Dict, Iterator, List, Tuple

import click
import pytest

from tests.commands.runner import runner
from tests.installation.unity_projects import make_project
from unity_bridge import cli as cli_module
from unity_bridge.cli import cli
from unity_bridge.commands import COMMANDS
from unity_bridge.commands.call import _enveloped
from unity_bridge.commands.shared.envelope import with_one_object
from unity_bridge.scripting import output

# They run until they are stopped: stdout carries MCP, or what the simulated editor does.
WITHOUT = {"serve", "simulate"}


def commands() -> Iterator[Tuple[str, click.Command]]:
    for name in COMMANDS:
        command = import_module(f"unity_bridge.commands.{name.replace('-', '_')}").command
        if isinstance(command, click.Group):
            yield from ((f"{name} {inner}", found) for inner, found in command.commands.items())
        else:
            yield name, command


def test_every_command_takes_json() -> None:
    """A command of lines gets it by ``cls=LinesCommand``, a group of them by ``cls=LinesGroup``."""
    without = {
        name
        for name, command in commands()
        if "--json" not in {o for p in command.params for o in p.opts}
    }
    assert without == WITHOUT


def run(*arguments: str) -> Tuple[int, Dict[str, Any], str]:
    done = runner().invoke(cli, list(arguments))
    return done.exit_code, json.loads(done.stdout), done.stderr


def test_the_lines_of_a_command_are_in_the_envelope(tmp_path: Path) -> None:
    project = str(make_project(tmp_path / "Game"))
    status, answer, stderr = run("plugin", "status", project, "--json")
    assert (status, answer["ok"], answer["result"]["form"]) == (1, False, "absent")
    assert answer["result"]["remarks"][0].startswith("Install it: ") and "Install it: " in stderr

    status, answer, _ = run("plugin", "install", project, "--json")
    assert (status, answer["ok"]) == (0, True)
    assert answer["result"]["lines"][0].startswith("Copied the plugin")
    status, answer, _ = run("plugin", "status", project, "--json")
    assert (status, answer["ok"], answer["result"]["form"]) == (0, True, "embedded")


def test_clients_are_listed_as_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    _, answer, _ = run("client", "list", "--json")
    assert {"client", "scope", "path", "state", "found", "entries"} == set(
        answer["result"]["clients"][0]
    )


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> Tuple[int, Dict[str, Any]]:
    """What the program prints on stdout, which must be one object, and its exit status."""
    status = cli_module.run(list(words), None)
    return status, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    "words", [words for name, _ in commands() for words in [name.split()] if words[0] != "serve"]
)
def test_wrong_usage_is_one_object_wherever_json_stands(
    words: List[str], capsys: pytest.CaptureFixture[str]
) -> None:
    for place in range(len(words) + 1):
        status, answer = printed(
            capsys, *words[:place], "--json", *words[place:], "--no-such-option"
        )
        assert (status, answer["ok"], answer["error"]["code"]) == (2, False, "ERR_INVALID_PARAMS")
        assert "--no-such-option" in answer["error"]["message"] or words == ["simulate"]
        assert answer["error"]["details"]["execution_guarantee"] == "not_executed"


def test_json_before_the_command_is_the_commands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = str(make_project(tmp_path / "Game"))
    for words in (["--json", "plugin", "status", project], ["plugin", "--json", "status", project]):
        status, answer = printed(capsys, *words)
        assert (status, answer["result"]["form"]) == (1, "absent")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["status", "--port", "abc"], "must be an integer"),
        (["doctor", "--port", "abc"], "must be an integer"),
        (["exec", "-f", "absent.cs"], "absent.cs cannot be read"),
        (["console", "--contains"], "requires an argument"),
        (["frobnicate"], "No such command"),
        ([], "--json needs a command"),
    ],
)
def test_what_ends_a_command_before_it_asks_is_in_the_object(
    words: List[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, answer = printed(capsys, *words, "--json")
    assert (
        status == 2
        and says in answer["error"]["message"]
        and "Usage:" not in answer["error"]["message"]
    )


def test_behind_two_hyphens_json_is_a_word_of_the_user(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli_module.run(["completion", "--", "--json"], None) == 2
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("result", "status", "answer"),
    [
        ({"entries": []}, 0, {"ok": True, "result": {"entries": []}}),
        ({"error": {"code": "ERR_X"}}, 1, {"ok": False, "error": {"code": "ERR_X"}}),
        (
            {"job_id": "j", "state": "succeeded", "result": {"ok": True}},
            0,
            {"ok": True, "result": {"ok": True}, "job_id": "j"},
        ),
        (
            {"job_id": "j", "state": "failed", "result": None, "error": {"code": "ERR_X"}},
            1,
            {"ok": False, "error": {"code": "ERR_X"}, "job_id": "j"},
        ),
        (
            {"job_id": "j", "state": "running", "result": None},
            0,
            {
                "ok": True,
                "result": {"job_id": "j", "state": "running", "result": None},
                "job_id": "j",
            },
        ),
    ],
)
def test_call_has_the_same_envelope(
    result: Dict[str, Any], status: int, answer: Dict[str, Any]
) -> None:
    assert _enveloped(result, status) == answer


def test_a_wait_that_was_interrupted_did_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    def interrupted() -> int:
        output.note(f"Interrupted while waiting for an editor. {output.NOTHING_RAN}")
        return 130

    assert with_one_object(interrupted) == 130
    assert (
        json.loads(capfd.readouterr().out)["error"]["details"]["execution_guarantee"]
        == "not_executed"
    )


def test_wrong_usage_is_an_error_also_of_a_command_that_prints_lines(tmp_path: Path) -> None:
    done = runner().invoke(cli, ["plugin", "status", str(tmp_path), "--json"])
    answer = json.loads(done.stdout)
    assert (done.exit_code, answer["ok"], "result" in answer) == (2, False, False)
    assert answer["error"]["code"] == "ERR_INVALID_PARAMS"
    assert "is not a Unity project" in answer["error"]["message"]
