"""KEY=VALUE as a person types it, and what the tool is given; what is wrong costs no wait for an
editor.
"""

from __future__ import annotations

import json
from typing import Any, Dict, List

import pytest
from click.testing import CliRunner

from unity_bridge.base.result import Ok
from unity_bridge.cli import cli
from unity_bridge.commands.call import command
from unity_bridge.scripting.command_bridge import CommandBridge


class Asked(Exception):
    """The call that would have been made."""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs ``call`` with these words up to the call; its arguments."""

    def up_to_the_call(words: List[str], stdin: str = "") -> Dict[str, Any]:
        made: List[Any] = []
        validate = CommandBridge.validate

        def remembering(life: CommandBridge, tool: str, arguments: Any) -> Any:
            made.append(validate(life, tool, arguments))
            raise Asked

        monkeypatch.setattr(CommandBridge, "validate", remembering)
        done = CliRunner().invoke(cli, ["call", *words], input=stdin)
        assert isinstance(done.exception, Asked), done.output
        assert isinstance(made[0], Ok), made[0]
        return dict(made[0].value.params)

    return up_to_the_call


@pytest.mark.parametrize(
    "words, meant",
    [
        (["max_entries=5"], {"max_entries": 5}),
        (["contains=5"], {"contains": "5"}),
        (["contains=a=b"], {"contains": "a=b"}),
        (["contains="], {"contains": ""}),
        (["include_stack_trace=true"], {"include_stack_trace": True}),
        (["types=error"], {"types": ["error"]}),
        (["types=error, exception"], {"types": ["error", "exception"]}),
        (['types=["error"]'], {"types": ["error"]}),
        (["--args", '{"max_entries": 7, "contains": "x"}'], {"max_entries": 7, "contains": "x"}),
        (["--args", '{"max_entries": 7}', "max_entries=8"], {"max_entries": 8}),
    ],
)
def test_a_value_is_what_the_tool_means_by_it(
    asked: Any, words: List[str], meant: Dict[str, Any]
) -> None:
    defaults = {"max_entries": 50, "include_stack_trace": False}
    assert asked(["read_console", *words]) == {**defaults, **meant}


def test_arguments_may_come_from_stdin(asked: Any) -> None:
    assert asked(["get_job_status", "--args", "-"], json.dumps({"job_id": "job-1"})) == {
        "job_id": "job-1"
    }


@pytest.mark.parametrize(
    "words, said",
    [
        (["nope"], 'There is no tool "nope". The tools are: '),
        (["read_consol"], 'There is no tool "read_consol"; the nearest is read_console. '),
        (
            ["read_console", "max=5"],
            'read_console has no argument "max"; the nearest is max_entries',
        ),
        (
            ["read_console", "max_entries=lots"],
            "max_entries must be an integer from 1 to 2000, not",
        ),
        (["get_job_status"], "job_id is missing"),
        (["read_console", "max_entries"], "'max_entries' is not KEY=VALUE"),
        (["read_console", "=5"], "'=5' is not KEY=VALUE"),
        (["read_console", "contains=a", "contains=b"], "contains is given twice"),
        (["read_console", "--args", "{"], "--args is not JSON"),
        (["read_console", "--args", "[1]"], "--args must be a JSON object"),
    ],
)
def test_a_wrong_argument_is_a_usage_error_and_nothing_is_started(
    words: List[str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def started(life: CommandBridge) -> None:
        raise AssertionError("the bridge was started")

    monkeypatch.setattr(CommandBridge, "__enter__", started)
    done = CliRunner().invoke(command, words)
    assert (done.exit_code, said in done.output) == (2, True), done.output
