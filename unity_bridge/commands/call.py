"""``unity-bridge call``: Call one tool and print its result as JSON.

stdout gets one JSON value: the tool's result, or ``{"error": {code, message, retryable, details}}`` as in SPEC §8,
with status 1, or 3 if there was no editor. The error's message goes to stderr too. A tool or an argument that does
not exist is a usage error (status 2), and stdout stays empty.
"""

from __future__ import annotations

from inspect import cleandoc
from typing import TYPE_CHECKING, Any, List, Optional, Tuple

import click

from unity_bridge.base.result import Err, Ok
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.catalogue.calls import Call
from unity_bridge.catalogue.tool import Mode
from unity_bridge.commands.shared.editor_probe import wait_for_editor
from unity_bridge.commands.shared.envelope import envelope, status_of
from unity_bridge.commands.shared.option_values import completed_pair, json_object, key_values
from unity_bridge.commands.shared.options import (
    NO_EDITOR,
    USAGE,
    ScriptCommand,
    json_option,
    prints_json,
    script_options,
    script_settings,
)
from unity_bridge.scripting.command_bridge import CommandBridge
from unity_bridge.scripting.output import note, put_json
from unity_bridge.text.json_types import JsonDict, JsonObject

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


_ASK_AGAIN_S = 0.05


def _complete_tool(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> List[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [
        CompletionItem(name, help=tool.title)
        for name, tool in CATALOGUE.items()
        if name.startswith(incomplete)
    ]


def _complete_key(context: click.Context, parameter: click.Parameter, incomplete: str) -> List[str]:
    tool = CATALOGUE.get(context.params.get("tool") or "")
    properties = {} if tool is None else tool.input_schema["properties"]
    return completed_pair(incomplete, properties, lambda key: _values(properties.get(key, {})))


def _values(schema: JsonObject) -> List[str]:
    """Return what may stand for an argument, where that is a choice."""
    if schema.get("type") == "boolean":
        return ["true", "false"]
    return list(schema.get("enum") or schema.get("items", {}).get("enum") or ())


@click.command(
    "call",
    cls=ScriptCommand,
    epilog="Example: unity-bridge call read_console types=error,exception max_entries=20",
)
@click.argument("tool", shell_complete=_complete_tool)
@click.argument("pairs", nargs=-1, metavar="[KEY=VALUE]...", shell_complete=_complete_key)
@click.option(
    "--args", "arguments_text", metavar="JSON", help="Arguments as a JSON object; '-' reads stdin."
)
@json_option()
@script_options
def command(
    tool: str,
    pairs: Tuple[str, ...],
    arguments_text: Optional[str],
    **options: Any,
) -> int:
    """Call one tool and print its result as JSON.

    A VALUE is taken as the tool means it: a number, true or false, a list as JSON or as a,b,c, else
    text. KEY=VALUE goes before --args. A failed call prints {"error": {...}}, and its message on
    stderr.

    A job (compile, run_tests) is waited for as long as its wait_ms says, 50 s by default. With wait_ms=0 the command
    returns when Unity has accepted the job; `unity-bridge jobs ID --wait` follows it.
    """
    settings = script_settings(options)
    arguments = {
        **json_object(arguments_text, "--args", '{"max_entries": 20}'),
        **_from_pairs(tool, pairs),
    }

    life = settings.bridge()
    checked = life.validate(tool, arguments)
    if isinstance(checked, Err):
        error = checked.error.error
        for sentence in (error.message, *error.details.get("problems", ())):
            note(sentence)
        return _put({"error": checked.error.as_json()}, USAGE)
    with life:
        editor = wait_for_editor(life, settings)
        if isinstance(editor, Err) and tool != "get_editor_state":
            result, status = {"error": editor.error.as_json()}, NO_EDITOR
        else:
            if isinstance(editor, Ok) and checked.value.tool.needs_editor:
                life.say_if_busy(editor.value)
            result = _asked(life, checked.value)
            if isinstance(editor, Ok) and not result.get("connected", True):
                # The server that had the editor has ended since, and this one has it in a moment.
                editor = wait_for_editor(life, settings)
                result = _asked(life, checked.value)
            if checked.value.tool.mode is Mode.JOB and "job_id" in result:
                result = _accepted(life, result)
            status = _status(checked.value, result)
        if isinstance(editor, Err):
            note(editor.error.error.message)
            status = NO_EDITOR
        elif "error" in result:
            note(result["error"]["message"])
        as_shown = checked.value.tool.as_shown
        if as_shown is not None and "error" not in result:
            result = as_shown(checked.value.params, result)
        return _put(result, status)


command.help = f"{cleandoc(command.help or '')}\n\nTools: {', '.join(CATALOGUE)}."


def _put(result: JsonObject, status: int) -> int:
    """Print the result, and return the status."""
    answer = result
    if prints_json():
        answer = _enveloped(result, status)
    put_json(answer)
    return status


def _enveloped(result: JsonObject, status: int) -> JsonDict:
    """Build the envelope: a job's status supplies its result, error and id. A running job is itself
    the result.
    """
    if "job_id" not in result or "state" not in result:
        error = None
        if set(result) == {"error"}:
            error = result["error"]
        return envelope(status == 0, result, error)
    member = result if result["state"] in ("queued", "running") else result["result"]
    return envelope(status == 0, member, result.get("error"), result["job_id"])


def _from_pairs(tool: str, pairs: Tuple[str, ...]) -> JsonDict:
    """Return the values as text, which the validator converts by the schema; only a list has a
    shorter form here.
    """
    properties = CATALOGUE[tool].input_schema["properties"] if tool in CATALOGUE else {}
    arguments: JsonDict = {}
    for key, value in key_values(pairs).items():
        is_plain_list = properties.get(key, {}).get(
            "type"
        ) == "array" and not value.lstrip().startswith("[")
        arguments[key] = (
            [item.strip() for item in value.split(",") if item.strip()] if is_plain_list else value
        )
    return arguments


def _status(call: Call, result: JsonObject) -> int:
    """Return 1 for a failed call, and for our own job that did not succeed.

    A status query about a failed job is itself no failure.
    """
    if set(result) == {"error"}:
        return status_of(result["error"])
    return int(call.tool.mode is Mode.JOB and result["state"] in ("failed", "cancelled", "timeout"))


def _accepted(life: CommandBridge, status: JsonDict) -> JsonDict:
    """Wait until Unity has the job.

    A call that is still held by this command's own bridge would end with the command.
    """
    while status["state"] in ("queued", "running") and (
        status["state"] == "queued" or status.get("stale")
    ):
        life.pause(_ASK_AGAIN_S)
        latest = _asked(life, life.call("get_job_status", {"job_id": status["job_id"]}))
        if "job_id" not in latest:
            return latest
        status = latest
    return status


def _asked(life: CommandBridge, call: Call) -> JsonDict:
    """Make the call and return the tool's result, or ``{"error": ...}``."""
    outcome = life.ask(call)
    if isinstance(outcome, Ok):
        return outcome.value
    return {"error": outcome.error.as_json()}
