"""The command line: finds the command, imports its module, and returns the exit status (SPEC §13).

Exit status: 0 done, 1 it failed, 2 usage or configuration, 3 no editor, 4 out of time, 130 interrupted. Only results
go to stdout, and while serving only MCP. A command's module is imported when the command runs or shows its help;
``--help``, ``--version`` and completion of the top level import none.
"""

from __future__ import annotations

import errno
import io
import itertools
import os
import re
import textwrap
from importlib import import_module
from typing import TYPE_CHECKING, Any, Iterable, List, Optional, Sequence, Tuple

import click

from unity_bridge.base.program_command import own_command
from unity_bridge.commands import ALIASES, COMMANDS, EXPLAINED, MODULES, known_as
from unity_bridge.commands.shared.options import (
    JSON,
    USAGE,
    serving_options,
    with_json,
    with_program_options,
)
from unity_bridge.system.collector import kept
from unity_bridge.version import __version__

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from unity_bridge.mcp.guarded_stdio import Stdio

_INTERRUPTED = 130
# The terminal's columns for which click writes its narrowest help.
_CLICKS_LEAST = 52
# Stands for a hyphen while lines are wrapped, which may break a word after a hyphen: a broken path
# or option cannot be pasted.
_JOINED = "\u2011"
_HYPHEN = re.compile(r"(?<=\S)-(?=\S)|-(?=-)")
# A command of this program in a help text, which is run as it is shown.
_EXAMPLE = r'(?:(?<=Example: )|(?<=&& )|(?<="\$\()|(?<=`))unity-bridge(?= )'


class _Help(click.HelpFormatter):
    """Help that fits a narrow terminal: click writes no line for fewer than 50 columns."""

    def __init__(
        self,
        indent_increment: int = 2,
        width: Optional[int] = None,
        max_width: Optional[int] = None,
    ) -> None:
        import shutil  # a fiftieth of a command, and only help needs it

        columns = shutil.get_terminal_size().columns
        self._is_narrow = columns < _CLICKS_LEAST
        usable_width = width
        if self._is_narrow:
            usable_width = columns - 2
        super().__init__(indent_increment, usable_width, max_width)

    def write(self, string: str) -> None:
        super().write(string.replace(_JOINED, "-"))

    def write_usage(self, prog: str, args: str = "", prefix: Optional[str] = None) -> None:
        """Break the line only between words, which are typed as they stand."""
        begin = f"{prefix or 'Usage: '}{prog} "
        wrapper = textwrap.TextWrapper(
            width=max(self.width, len(begin) + 1),
            initial_indent=begin,
            subsequent_indent=" " * len("Usage: "),
            break_long_words=False,
            break_on_hyphens=False,
        )
        self.write(wrapper.fill(args) + "\n")

    def write_text(self, text: str) -> None:
        super().write_text(_runnable(text))

    def write_dl(
        self, rows: Iterable[Tuple[str, str]], col_max: int = 30, col_spacing: int = 2
    ) -> None:
        if self._is_narrow:
            col_max = self.width // 3
            rows = [
                (_broken(term) if len(term) > self.width else term, text) for term, text in rows
            ]
        super().write_dl([(term, _runnable(text)) for term, text in rows], col_max, col_spacing)


def _broken(term: str) -> str:
    """Return a term that is a list, an item a line."""
    return term.replace(", ", ",\n  ")


class _Context(click.Context):
    formatter_class = _Help

    @property
    def command_path(self) -> str:
        """Include the program as a shell starts it: help and usage errors print lines to repeat."""
        path = super().command_path
        if self.parent is not None or self.info_name != "unity-bridge":
            return path
        return _program()


def _runnable(text: str) -> str:
    return _HYPHEN.sub(_JOINED, re.sub(_EXAMPLE, lambda _: _program(), text))


def _program() -> str:
    """Return the program as a shell starts it: a path below the working directory as a relative
    one.
    """
    program = own_command()
    try:
        here = os.path.join(os.getcwd(), "")
    except OSError:  # the folder was removed
        return program
    bare = program.strip("'\"")  # quoted for what comes before the relative path
    relative = bare[len(here) :]
    is_plain = re.fullmatch(r"[\w.-]+([/\\][\w.-]+)+", relative) is not None
    if bare.startswith(here) and is_plain:
        return relative
    return program


class CommandLine(click.Group):
    """A group that takes its commands from ``COMMANDS`` and imports one only to run it or to show
    its help.
    """

    context_class = _Context

    def parse_args(self, ctx: click.Context, args: List[str]) -> List[str]:
        # --json counts wherever it stands, so it is taken out here and given to the command below.
        if not ctx.resilient_parsing and wants_json(args):
            ctx.meta[JSON] = True
            end = args.index("--") if "--" in args else len(args)
            args = [*(word for word in args[:end] if word != JSON), *args[end:]]
            if not args:
                ctx.fail(f"{JSON} needs a command")
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> List[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> Optional[click.Command]:
        if cmd_name not in COMMANDS:
            return None
        with kept():
            command: click.Command = import_module(MODULES[cmd_name]).command
        command.context_class = _Context
        for inner in getattr(command, "commands", {}).values():
            inner.context_class = _Context
        return command

    def resolve_command(
        self, ctx: click.Context, args: List[str]
    ) -> Tuple[Optional[str], Optional[click.Command], List[str]]:
        if args == ["help"] and not ctx.resilient_parsing:
            from unity_bridge.scripting.output import put

            put(ctx.get_help())
            ctx.exit()
        args = _with_command_meant(args)
        if args[0] in EXPLAINED and not ctx.resilient_parsing:
            ctx.fail(f"There is no command '{args[0]}'. {EXPLAINED[args[0]]}")
        if args[0] not in COMMANDS and not ctx.resilient_parsing:
            import difflib  # only for the error message

            from unity_bridge.catalogue import synonyms
            from unity_bridge.catalogue.plugin_commands import COMMANDS_OF_THE_PLUGIN

            name = known_as(args[0]).replace("-", "_")
            matches = [
                match
                for match in map(synonyms.name_of, synonyms.meant(name))
                if match in COMMANDS_OF_THE_PLUGIN
            ]
            if matches:
                from unity_bridge.commands.run import as_run

                words = {name: args[1:]}
                lines = ", ".join(f"`{as_run(match, words.get(match, ()))}`" for match in matches)
                ctx.fail(f"There is no command '{args[0]}'. The plugin has {lines}.")
            near = difflib.get_close_matches(args[0], COMMANDS, n=1)
            if near:
                ctx.fail(f"No such command '{args[0]}'. Did you mean '{near[0]}'?")
        return with_program_options(ctx, with_json(ctx, super().resolve_command(ctx, args)))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> List[CompletionItem]:
        from click.shell_completion import CompletionItem

        items = [
            CompletionItem(name, help=does)
            for name, does in COMMANDS.items()
            if name.startswith(incomplete)
        ]
        return [*items, *click.Command.shell_complete(self, ctx, incomplete)]


def _with_command_meant(words: List[str]) -> List[str]:
    """Return the same words with the name of a command first, where a tool's name or another guess
    stands there.

    A tool's name with KEY=VALUE words, or of a tool without a command, is a ``call`` of it.
    """
    if words[0] == "help" and len(words) > 1:
        return [*_with_command_meant(words[1:]), "--help"]
    if words[0] == "list":
        is_search = any(not word.startswith("-") for word in words[1:])
        return ["run", *(["--list"] if is_search else []), *words[1:]]
    name = known_as(words[0])
    if ALIASES.get(name, name) == "console" and "--clear" in words:
        return ["run", "clear_console", *(word for word in words[1:] if word != "--clear")]
    tool = name.replace("-", "_")
    pairs = [word for word in words[1:] if "=" in word and not word.startswith("-")]
    has_other_words = any(
        "=" not in word and not word.startswith("-") and not before.startswith("-")
        for before, word in zip(words, words[1:])
    )
    if pairs and not has_other_words:
        from unity_bridge.catalogue import CATALOGUE  # only where it decides

        properties = CATALOGUE[tool].input_schema["properties"] if tool in CATALOGUE else {}
        if any(pair.partition("=")[0] in properties for pair in pairs):
            return ["call", tool, *words[1:]]
    if name in COMMANDS or name in EXPLAINED:
        return [name, *words[1:]]
    command = ALIASES.get(name)
    if command is None:
        return words
    return [command, *([tool] if command == "call" else []), *words[1:]]


@click.group(
    cls=CommandLine,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example, as an MCP client starts it: unity-bridge --port 8091",
)
@click.version_option(__version__, prog_name="unity-bridge", message="%(prog)s %(version)s")
@serving_options
@click.pass_context
def cli(context: click.Context, /, **options: Any) -> None:
    """Lets AI coding agents and scripts work with a running Unity Editor.

    Without a command it serves MCP over stdin and stdout: this is what an MCP client starts.
    """
    if context.invoked_subcommand is None:
        from unity_bridge.commands.serve import serve_with

        context.exit(serve_with(options))
    from unity_bridge.scripting.output import prepare_output

    prepare_output(context)


def run(arguments: Sequence[str], stdio: Optional[Stdio]) -> int:
    """Run ``arguments``. Returns the exit status. ``stdio`` carries MCP, if it was taken already."""
    if stdio is not None or not wants_json(arguments):
        return _status(arguments, stdio)
    from unity_bridge.commands.shared.envelope import with_one_object

    return with_one_object(lambda: _status(arguments, None))


def wants_json(arguments: Sequence[str]) -> bool:
    """Whether ``--json`` stands among the words; behind ``--`` it is no option."""
    return JSON in itertools.takewhile(lambda word: word != "--", arguments)


def _status(arguments: Sequence[str], stdio: Optional[Stdio]) -> int:
    try:
        status = cli.main(
            list(arguments), prog_name="unity-bridge", standalone_mode=False, obj=stdio
        )
        if isinstance(status, int):
            return status
        return 0
    except click.exceptions.Exit as end:
        return end.exit_code
    except (click.Abort, KeyboardInterrupt) as stop:
        # click makes an Abort of Ctrl-C; one without a cause is a question that was not answered.
        ctrl_c = stop if isinstance(stop, KeyboardInterrupt) else stop.__cause__
        if isinstance(ctrl_c, KeyboardInterrupt):
            _note(str(ctrl_c) or "Interrupted.")
        return _INTERRUPTED
    except click.ClickException as error:
        _show(error)
        return error.exit_code
    except SystemExit as end:
        if isinstance(end.code, int):
            return end.code
        return 1
    except OSError as error:
        if error.errno == errno.ENOSPC:  # click itself writes --help and --version
            from unity_bridge.scripting.output import unwritten

            _show(unwritten(error))
            return 1
        if _is_somewhere():
            raise
        from unity_bridge.serve.settings import FOLDER_IS_GONE

        _note(FOLDER_IS_GONE)
        return USAGE


def _is_somewhere() -> bool:
    try:
        os.getcwd()
    except FileNotFoundError:
        return False
    return True


def _show(error: click.ClickException) -> None:
    """Show an error that may quote a file's or another program's words; ``note`` makes those
    harmless.
    """
    stream = io.StringIO()
    error.show(file=stream)
    _note(stream.getvalue().rstrip("\n"))


def _note(text: str) -> None:
    from unity_bridge.scripting.output import note

    note(text)
