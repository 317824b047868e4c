"""``unity-bridge run``: Run a command of the project by its name, or list them."""

from __future__ import annotations

import re
import sys
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple

import click

from unity_bridge.base.result import Err, value_or
from unity_bridge.catalogue.plugin_commands import ALL, searched_texts
from unity_bridge.catalogue.run_command import nothing_found
from unity_bridge.commands.shared.envelope import envelope
from unity_bridge.commands.shared.job_end import is_unknown_command
from unity_bridge.commands.shared.option_values import completed_pair, json_object, key_values
from unity_bridge.commands.shared.options import (
    USAGE,
    ScriptCommand,
    ScriptSettings,
    flag,
    prints_json,
)
from unity_bridge.commands.shared.tool_command import JobView, job_command
from unity_bridge.projects.project_commands import KnownCommand, commands_of
from unity_bridge.scripting.output import NOTHING_RAN, note, put, put_json, put_value, stop
from unity_bridge.system.terminal import is_terminal
from unity_bridge.text import json_reader
from unity_bridge.text.foreign_text import quoted, visible, visible_line
from unity_bridge.text.json_types import JsonDict, JsonObject
from unity_bridge.text.search import has_words

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_TOOL = "run_command"
_SHOWN_CHARACTERS = 100
# Between the parameters of a signature, whose default values may have commas.
_NEXT_PARAMETER = re.compile(r", (?=\w+: )")
# A shell inserts a completed word as it is, so names from a project's files must not contain shell
# syntax. Letters of any script are safe.
_PLAIN_WORD = re.compile(r"[\w.:/=-]{1,200}")


def _known(context: click.Context) -> Tuple[KnownCommand, ...]:
    """Return the commands of the project that is meant, as far as known without an editor; never an
    error.
    """
    from unity_bridge.serve.settings import meant_project

    project = value_or(meant_project(context.params.get("project")), None)
    return value_or(commands_of(project), ())


def _complete_name(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> List[CompletionItem]:
    from click.shell_completion import CompletionItem

    matches = [
        command
        for command in _known(context)
        if command.name.startswith(incomplete) and _PLAIN_WORD.fullmatch(command.name)
    ]
    # Unity's own packages bring hundreds, which the list leaves out too: only for a word that
    # nothing else begins with.
    offered = [command for command in matches if not command.of_unity] or (
        matches if incomplete else []
    )
    return [
        CompletionItem(command.name, help=quoted(command.description, _SHOWN_CHARACTERS))
        for command in offered
    ]


def _complete_pair(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> List[str]:
    command = _named(_known(context), context.params.get("name"))
    types = {} if command is None else command.parameters
    words = completed_pair(incomplete, types, lambda key: _values(types.get(key, "")))
    return list(filter(_PLAIN_WORD.fullmatch, words))


def _values(kind: str) -> List[str]:
    if kind == "bool":
        return ["true", "false"]
    if "|" in kind:
        return [value for value in kind.split("|") if value != "..."]
    return []


class _Run(ScriptCommand):
    """Shows the help of the command NAME too, so its --help is read after NAME."""

    _help = click.Option(
        ["-h", "--help", "wants_help"],
        is_flag=True,
        help="Show this message, or the arguments of the command NAME.",
    )

    def get_help_option(self, ctx: click.Context) -> Optional[click.Option]:
        return self._help


@job_command(
    "run",
    _TOOL,
    "The command",
    "Example: unity-bridge run open_scene path=Assets/Scenes/Main.unity",
    cls=_Run,
    context_settings={"ignore_unknown_options": True},
)
@click.argument("name", required=False, shell_complete=_complete_name)
@click.argument("words", nargs=-1, metavar="[KEY=VALUE]...", shell_complete=_complete_pair)
@click.option("--json-args", metavar="JSON", help="Arguments as a JSON object; '-' reads stdin.")
@flag(
    "--list",
    "only_list",
    help="List or search the commands of the last load; needs no editor.",
)
def command(
    name: Optional[str], words: List[str], json_args: Optional[str], only_list: bool
) -> JobView:
    """Run a command in the open editor, and wait for its end. Without NAME: list the commands with
    their signatures.

    Commands are static methods that the project, or the plugin, marks with an attribute;
    docs/commands.md shows how. A command's return value is printed on stdout: text as it is,
    anything else as JSON.

    The list leaves out the commands of Unity's own packages. --list WORDS searches the names and
    descriptions of all.

    A VALUE is taken as the command's signature says: text, a number, true or false, a list or a
    vector as JSON or as a,b,c, an object as JSON or by members, as in values.Light.intensity=2.
    --key VALUE is the same as key=VALUE, unless it is an option below. Both go before --json-args.

    Exit status: 0 it ran; 1 it threw, was cancelled or could not be run;
    2 wrong usage; 3 no editor; 4 --timeout passed.
    """
    context = click.get_current_context()
    wants_help = bool(context.params["wants_help"])
    if wants_help and name is None:
        put(context.get_help())
        context.exit()
    if only_list:
        query = " ".join((name or "", *words))
        return JobView({}, _put_result, instead=lambda settings: _list_known(settings, query))
    if name is not None and name.startswith("-"):
        raise click.UsageError(
            f"The NAME of a command comes before {name}; `unity-bridge run --list WORDS` searches them"
        )
    declaration = _named(_known(context), name)
    if wants_help:
        return _help_of(str(name), declaration, context)
    arguments = {
        **json_object(json_args, "--json-args", '{"count": 3}'),
        **run_arguments(words, declaration),
    }
    if name is None and arguments:
        raise click.UsageError("arguments need the NAME of a command")
    params = {} if name is None else {"name": name, "arguments": arguments}
    return JobView(params, _put_result, advice=_advice)


def _advice(error: Optional[JsonObject]) -> List[str]:
    unknown = ["`unity-bridge run` lists the commands."] if is_unknown_command(error) else []
    return [*unknown, *(f"  at {line}" for line in _stack(error))]


def _help_of(name: str, declaration: Optional[KnownCommand], context: click.Context) -> JobView:
    """Show a command's arguments: by the last load's list, or the package's; else ask the editor."""
    if declaration is not None:
        return JobView({}, _put_result, instead=lambda _: _put_help(declaration._asdict(), context))

    def show(result: JsonObject) -> None:
        rows = [row for row in result.get("commands", ()) if row["name"] == name]
        for row in rows:
            _put_help(row, context)
        if not rows:
            note(
                f"There is no command {visible_line(name)}. `unity-bridge run` lists the commands."
            )

    return JobView({"query": name}, show)


def _put_help(row: JsonObject, context: click.Context) -> int:
    name, signature = visible_line(str(row["name"])), visible_line(str(row["signature"]))
    if prints_json():
        keys = ("name", "signature", "description")
        put_json(envelope(True, {member: row[member] for member in keys if row.get(member)}))
        return 0
    formatter = context.make_formatter()
    formatter.write_usage(f"{context.command_path} {name}", "[KEY=VALUE]...")
    formatter.write_paragraph()
    with formatter.indentation():
        formatter.write_text(visible_line(str(row.get("description") or "")))
    parameters = _NEXT_PARAMETER.split(signature.partition("(")[2].rpartition(")")[0])
    if parameters != [""]:
        with formatter.section("Arguments"):
            formatter.write_dl([_explained(parameter) for parameter in parameters])
    put(formatter.getvalue().rstrip("\n"))
    return 0


def _explained(parameter: str) -> Tuple[str, str]:
    """Return a parameter of a signature and what it takes, as in ``for_ms``, ``int; else 100``."""
    declared, has_default, default = parameter.partition(" = ")
    name, _, kind = declared.partition(": ")
    kind = kind.rstrip("?")
    if not has_default:
        return name, f"{kind}; required"
    return name, kind if default == "null" else f"{kind}; else {default}"


def _put_result(result: JsonObject) -> None:
    value = result.get("value")
    if "commands" in result:
        _put_list(result["commands"], result.get("unlisted"))
    elif isinstance(value, str):
        put(visible(value))
    elif value is not None and is_terminal(sys.stdout):
        from unity_bridge.commands.shared.value_view import value_lines

        put("\n".join(value_lines(value, _columns())))
    elif value is not None:
        put_value(value)
    if result.get("truncated"):
        note("The value was too long, and was cut.")


def _columns() -> int:
    import shutil  # only for a terminal

    return shutil.get_terminal_size().columns


def _put_list(rows: Iterable[JsonObject], unlisted: Any) -> None:
    """Print commands: to a person names with a sentence about each, else their signatures."""
    if not is_terminal(sys.stdout):
        for row in rows:
            put(_listed(row))
    else:
        formatter = click.get_current_context().make_formatter()
        formatter.write_dl([(visible_line(str(row["name"])), _first_sentence(row)) for row in rows])
        put(formatter.getvalue().rstrip("\n"))
        note("`unity-bridge run NAME --help` shows the arguments of one.")
    if unlisted:
        note(
            f"{unlisted} of Unity's own commands are not listed. Search them with `unity-bridge run --list WORDS`."
        )


def _first_sentence(row: JsonObject) -> str:
    text = visible_line(str(row.get("fault") or row.get("description") or ""))
    sentence, _, _ = text.partition(". ")
    return sentence.rstrip(".")


def _listed(row: JsonObject) -> str:
    """Return a command on two lines: its signature and, in quotation marks, the project's words
    about it.
    """
    lines = [visible_line(str(row["signature"]))]
    for text in (row.get("description"), row.get("fault")):
        if text:
            words = visible_line(str(text)).replace('"', "'")
            lines.append(f'    "{words}"')
    return "\n".join(lines)


def _stack(error: Optional[JsonObject]) -> List[str]:
    lines = error["details"].get("stack") if error is not None else None
    if isinstance(lines, list):
        return [visible_line(str(line)) for line in lines]
    return []


def _list_known(settings: ScriptSettings, query: str) -> int:
    commands = commands_of(settings.project)
    if isinstance(commands, Err):
        status = USAGE
        if settings.project:
            status = 1
        stop(f"{commands.error} {NOTHING_RAN}", status)
    words, every = query.split(), commands.value
    if words:
        matches = [
            entry
            for entry in every
            if has_words(query, *searched_texts(entry.name, entry.description))
        ]
    else:
        matches = [entry for entry in every if not entry.of_unity]
    unlisted = 0 if words else len(every) - len(matches)
    if prints_json():
        left_out = ("parameters", "of_unity")
        rows = [
            {
                name: value
                for name, value in entry._asdict().items()
                if value is not None and name not in left_out
            }
            for entry in matches
        ]
        hint = {} if rows or not words else {"hint": nothing_found(query)}
        put_json(
            envelope(
                True, {"commands": rows, **({"unlisted": unlisted} if unlisted else {}), **hint}
            )
        )
        return 0
    if words and not matches:
        note(nothing_found(query))
    else:
        _put_list([command._asdict() for command in matches], unlisted)
    return 0


def as_run(name: str, words: Sequence[str]) -> str:
    """Return how a command of the plugin is run, with ``words`` for its first parameters."""
    from unity_bridge.installation.command_line import quoted

    declaration = _named((), name)
    parameters: Iterator[str] = iter(())
    if declaration is not None:
        parameters = iter(declaration.parameters)
    values = list(takewhile(lambda word: not word.startswith("-"), words))
    pairs = [
        value if "=" in value else f"{parameter}={value}"
        for value, parameter in zip(values, parameters)
    ]
    return quoted(["unity-bridge", "run", name, *pairs, *words[len(values) :]])


def _named(commands: Sequence[KnownCommand], name: Optional[str]) -> Optional[KnownCommand]:
    """Return the command of this name: of the project's last load, or one that every plugin brings."""
    match = next((command for command in commands if command.name == name), None)
    if match is not None or name is None or name not in ALL:
        return match
    declaration = ALL[name]
    types = {key: kind for key, kind, _ in declaration.parameters}
    return KnownCommand(
        declaration.name, declaration.description, declaration.signature, "", types, None
    )


# Of text, numbers or names of an enum: such a value has no comma of its own that JSON needs.
_PLAIN_LIST = re.compile(r"(string|bool|int|long|float|double|\(.*\))\[\]")


def run_arguments(words: Sequence[str], command: Optional[KnownCommand]) -> JsonDict:
    """Return the arguments by name. A word that is none is wrong usage."""
    types: Mapping[str, str] = {}
    hint = ""
    if command is not None:
        types = command.parameters
        hint = f". The command is {visible_line(command.signature)}"
    arguments: JsonDict = {}
    for key, text in key_values(_pairs(words, types), hint).items():
        name, _, member = key.partition(".")
        if member and types.get(name, "object") == "object":
            _add(arguments, name, {member: _value(text, None)})
            continue
        value = _value(text, types.get(key))
        if types.get(key) == "object" and not isinstance(value, dict):
            example = f"'{key}={{\"Light.intensity\": 2}}' or {key}.Light.intensity=2"
            raise click.UsageError(f"{key} takes a JSON object, as in {example}")
        _add(arguments, key, value)
    return arguments


def _pairs(words: Sequence[str], types: Mapping[str, str]) -> List[str]:
    """Return KEY=VALUE for each argument that is given as an option. Without a value it is true."""
    pairs, remaining = [], list(words)
    while remaining:
        word = remaining.pop(0)
        if not word.startswith("--"):
            pairs.append(word)
            continue
        key, equals, value = word[2:].partition("=")
        name, dot, member = key.partition(".")
        if name not in types:
            name = name.replace("-", "_")
        if not equals:
            value = "true"
            if _takes_next(types.get(name), remaining):
                value = remaining.pop(0)
        pairs.append(f"{name}{dot}{member}={value}")
    return pairs


def _takes_next(kind: Optional[str], remaining: Sequence[str]) -> bool:
    if not remaining or remaining[0].startswith("--"):
        return False
    return kind is None or kind.rstrip("?") != "bool" or remaining[0] in ("true", "false")


def _add(arguments: JsonDict, name: str, value: Any) -> None:
    """Set an argument. Members of one object may be given in several words."""
    members = arguments.get(name)
    if not isinstance(members, dict) or not isinstance(value, dict):
        arguments[name] = value
        return
    for member in value:
        if member in members:
            raise click.UsageError(f"{name}.{member} is given twice")
    arguments[name] = {**members, **value}


def _value(text: str, kind: Optional[str]) -> Any:
    """Convert the shell's text. Text stays text; a list or a vector may be a,b,c.

    Without a known type, JSON is its value.
    """
    plain = (kind or "").rstrip("?")
    is_list = _PLAIN_LIST.fullmatch(plain) is not None or plain == "vector"
    if plain == "string" or ("|" in plain and not is_list):
        return text
    if is_list and text != "null" and not text.lstrip().startswith(("[", "{")):
        item = plain.replace("[]", "").replace("vector", "float").strip("()")
        return [_value(part.strip(), item) for part in text.split(",") if part.strip()]
    try:
        return json_reader.loads(text)
    except ValueError:
        return text
