"""``unity-bridge run``: Run a command of the project by its name, or list them."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple

import click

from unity_bridge.base.result import Err, Ok
from unity_bridge.catalogue.plugin_commands import ALL
from unity_bridge.catalogue.run_command import nothing_found
from unity_bridge.commands.shared.envelope import envelope
from unity_bridge.commands.shared.given_values import completed_pair, json_object, key_values
from unity_bridge.commands.shared.job_end import is_unknown_command
from unity_bridge.commands.shared.options import USAGE, ScriptSettings
from unity_bridge.commands.shared.tool_command import JobView, job_command
from unity_bridge.projects.project_commands import KnownCommand, commands_of
from unity_bridge.scripting.output import NOTHING_RAN, note, put, put_json, put_value, stop
from unity_bridge.text import json_reader
from unity_bridge.text.foreign_text import quoted, visible, visible_line
from unity_bridge.text.search import has_words

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_TOOL = "run_command"
_SHOWN_CHARACTERS = 100
# Of text, numbers or names of an enum: such a value has no comma of its own that JSON would need.
_PLAIN_LIST = re.compile(r"(string|bool|int|long|float|double|\(.*\))\[\]\??")
# A shell inserts a completed word as it is, so names from a project's files must not contain shell syntax. Letters of
# any script are safe.
_PLAIN_WORD = re.compile(r"[\w.:/=-]{1,200}")


def _known(context: click.Context) -> Tuple[KnownCommand, ...]:
    """Return the commands of the project that is meant, as far as known without an editor; never an error."""
    from unity_bridge.serve.settings import meant_project

    project = meant_project(context.params.get("project"))
    found = commands_of(project.value if isinstance(project, Ok) else None)
    return found.value if isinstance(found, Ok) else ()


def _complete_name(context: click.Context, parameter: click.Parameter, incomplete: str) -> List[CompletionItem]:
    from click.shell_completion import CompletionItem

    found = [one for one in _known(context) if one.name.startswith(incomplete) and _PLAIN_WORD.fullmatch(one.name)]
    # Unity's own packages bring hundreds, which the list leaves out too: only for a word that nothing else begins with.
    shown = [one for one in found if not one.of_unity] or (found if incomplete else [])
    return [CompletionItem(one.name, help=quoted(one.description, _SHOWN_CHARACTERS)) for one in shown]


def _complete_pair(context: click.Context, parameter: click.Parameter, incomplete: str) -> List[CompletionItem]:
    from click.shell_completion import CompletionItem

    known = _named(_known(context), context.params.get("name"))
    types = {} if known is None else known.parameters
    words = completed_pair(incomplete, types, lambda key: _values(types.get(key, "")))
    return [CompletionItem(word) for word in words if _PLAIN_WORD.fullmatch(word)]


def _values(kind: str) -> List[str]:
    if kind == "bool":
        return ["true", "false"]
    return [value for value in kind.split("|") if value != "..."] if "|" in kind else []


@job_command("run", _TOOL, "The command", "Example: unity-bridge run open_scene path=Assets/Scenes/Main.unity")
@click.argument("name", required=False, shell_complete=_complete_name)
@click.argument("pairs", nargs=-1, metavar="[KEY=VALUE]...", shell_complete=_complete_pair)
@click.option("--json-args", metavar="JSON", help="Arguments as a JSON object; '-' reads stdin.")
@click.option(
    "--list", "only_list", is_flag=True, help="List or search the commands of the last load; needs no editor."
)
def command(name: Optional[str], pairs: List[str], json_args: Optional[str], only_list: bool) -> JobView:
    """Run a command in the open editor, and wait for its end. Without NAME: list the commands with their signatures.

    Commands are static methods that the project, or the plugin, marks with an attribute; docs/commands.md shows how.
    A command's return value is printed on stdout: text as it is, anything else as JSON.

    The list leaves out the commands of Unity's own packages. --list WORDS searches the names and descriptions of all.

    A VALUE is taken as the command's signature says: text, a number, true or false, a list as JSON or as a,b,c, an
    object as JSON, such as 'values={"Light.intensity": 2}'. KEY=VALUE goes before --json-args.

    Exit status: 0 it ran; 1 it threw, was cancelled or could not be run; 3 no editor; 4 --timeout passed.
    """
    context = click.get_current_context()
    if only_list:
        words, as_json = " ".join((name or "", *pairs)), bool(context.params["as_json"])
        return JobView({}, _put_result, instead=lambda settings: _list_known(settings, words, as_json))
    arguments = {
        **json_object(json_args, "--json-args", '{"count": 3}'),
        **_from_pairs(pairs, _named(_known(context), name)),
    }
    if name is None and arguments:
        raise click.UsageError("arguments need the NAME of a command")
    params = {} if name is None else {"name": name, "arguments": arguments}
    return JobView(params, _put_result, advice=_advice)


def _advice(error: Optional[Mapping[str, Any]]) -> List[str]:
    unknown = ["`unity-bridge run` lists the commands."] if is_unknown_command(error) else []
    return [*unknown, *(f"  at {line}" for line in _stack(error))]


def _put_result(result: Mapping[str, Any]) -> None:
    if "commands" in result:
        put("\n".join(_listed(row) for row in result["commands"]))
        _note_unlisted(result.get("unlisted"))
    elif isinstance(result.get("value"), str):
        put(visible(result["value"]))
    elif result.get("value") is not None:
        put_value(result["value"])
    if result.get("truncated"):
        note("The value was too long, and was cut.")


def _listed(row: Mapping[str, Any]) -> str:
    """Return a command on two lines: its signature and, in quotation marks, the project's words about it."""
    lines = [visible_line(str(row["signature"]))]
    for text in (row.get("description"), row.get("fault")):
        if text:
            words = visible_line(str(text)).replace('"', "'")
            lines.append(f'    "{words}"')
    return "\n".join(lines)


def _stack(error: Optional[Mapping[str, Any]]) -> List[str]:
    lines = error["details"].get("stack") if error is not None else None
    return [visible_line(str(line)) for line in lines] if isinstance(lines, list) else []


def _list_known(settings: ScriptSettings, query: str, as_json: bool) -> int:
    known = commands_of(settings.project)
    if isinstance(known, Err):
        stop(f"{known.error} {NOTHING_RAN}", 1 if settings.project else USAGE)
    words, every = query.split(), known.value
    found = [one for one in every if (has_words(query, one.name, one.description) if words else not one.of_unity)]
    unlisted = 0 if words else len(every) - len(found)
    if as_json:
        left_out = ("parameters", "of_unity")
        rows = [
            {name: value for name, value in one._asdict().items() if value is not None and name not in left_out}
            for one in found
        ]
        hint = {} if rows or not words else {"hint": nothing_found(query)}
        put_json(envelope(True, {"commands": rows, **({"unlisted": unlisted} if unlisted else {}), **hint}))
        return 0
    if found:
        put("\n".join(_listed(one._asdict()) for one in found))
    elif words:
        note(nothing_found(query))
    _note_unlisted(unlisted)
    return 0


def _note_unlisted(count: Any) -> None:
    if count:
        note(f"{count} of Unity's own commands are not listed. Search them with `unity-bridge run --list WORDS`.")


def _from_pairs(pairs: List[str], known: Optional[KnownCommand]) -> Dict[str, Any]:
    types = {} if known is None else known.parameters
    arguments: Dict[str, Any] = {}
    takes = "" if known is None else f". The command is {visible_line(known.signature)}"
    for key, value in key_values(pairs, takes).items():
        arguments[key] = _meant(value, types.get(key))
        if types.get(key) == "object" and not isinstance(arguments[key], dict):
            raise click.UsageError(f"{key} takes a JSON object, as in '{key}={{\"Light.intensity\": 2}}'")
    return arguments


def as_run(name: str, words: Sequence[str]) -> str:
    """Return how a command of the plugin is run, with ``words`` for its first parameters."""
    from unity_bridge.installation.command_line import quoted

    known = _named((), name)
    left = iter([] if known is None else known.parameters)
    values = list(takewhile(lambda word: not word.startswith("-"), words))
    pairs = [value if "=" in value else f"{parameter}={value}" for value, parameter in zip(values, left)]
    return quoted(["unity-bridge", "run", name, *pairs, *words[len(values) :]])


def _named(known: Sequence[KnownCommand], name: Optional[str]) -> Optional[KnownCommand]:
    """Return the command of this name: of the project's last load, or one that every plugin brings."""
    found = next((command for command in known if command.name == name), None)
    if found is not None or name is None or name not in ALL:
        return found
    ours = ALL[name]
    types = {key: kind for key, kind, _ in ours.parameters}
    return KnownCommand(ours.name, ours.description, ours.signature, "", types, None)


def _meant(value: str, kind: Optional[str]) -> Any:
    """Convert the shell's text. Text stays text, a list may be a,b,c; without a known type, JSON is its value."""
    if kind is not None and (kind.rstrip("?") == "string" or ("|" in kind and not kind.endswith("[]"))):
        return value
    if kind is not None and _PLAIN_LIST.fullmatch(kind) and value != "null" and not value.lstrip().startswith("["):
        item = kind.rstrip("?")[: -len("[]")].strip("()")
        return [_meant(one.strip(), item) for one in value.split(",") if one.strip()]
    try:
        return json_reader.loads(value)
    except ValueError:
        return value
