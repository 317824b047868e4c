"""The options that several commands share, and the ``Config`` built from them and the other
sources.

An option before the command (``unity-bridge --port 9000 status``) applies to the command too.
"""

from __future__ import annotations

import math
import os
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    List,
    Mapping,
    NamedTuple,
    NoReturn,
    Optional,
    Tuple,
    TypeVar,
)

import click
from click.core import ParameterSource

from unity_bridge.base.frozen import changed

if TYPE_CHECKING:
    from unity_bridge.config import Config
    from unity_bridge.scripting.command_bridge import CommandBridge

# Exit statuses (SPEC §19.3).
USAGE = 2
NO_EDITOR = 3
OUT_OF_TIME = 4

_DAY_S = 86_400
_MOST_NAMED = 8
_WAIT_S = 10.0
_LOOK_S = 1.5

_Command = TypeVar("_Command", bound=Callable[..., Any])


class ScriptCommand(click.Command):
    """A command whose function returns the exit status, or None for 0."""

    def invoke(self, ctx: click.Context) -> Any:
        ctx.exit(super().invoke(ctx) or 0)


def script_command(name: str, epilog: str) -> Callable[[Callable[..., int]], click.Command]:
    return click.command(name, cls=ScriptCommand, epilog=epilog)


def flag(*names: str, **settings: Any) -> Callable[[_Command], _Command]:
    return click.option(*names, is_flag=True, **settings)


class Seconds(click.FloatRange):
    """A length of time in seconds, by default of at most a day."""

    def __init__(self, least: float = 0, most: float = _DAY_S) -> None:
        super().__init__(least, most)
        self._least, self._most = least, most

    def convert(
        self, value: Any, param: Optional[click.Parameter], ctx: Optional[click.Context]
    ) -> float:
        try:
            seconds = float(value)
        except ValueError:
            seconds = math.nan
        if self._least <= seconds <= self._most:  # False for nan
            return seconds
        self.fail(
            f"{value!r} is not a number of seconds from {self._least:g} to {self._most:g}.",
            param,
            ctx,
        )


class ScriptSettings(NamedTuple):
    """The settings of a script command. ``port_source``: what decided on the port, in words. ``is_named``: the user
    knows which project is meant, because an option or the working directory names it.
    ``has_wait_option``: the user said how long to wait."""

    config: Config
    wait_s: float
    project: Optional[str] = None
    port_source: str = ""
    is_named: bool = False
    has_wait_option: bool = False

    def bridge(self, **settings: Any) -> CommandBridge:
        """Return a bridge for the command's own duration. ``settings`` replace those of ``config``."""
        from unity_bridge.scripting.command_bridge import CommandBridge

        return CommandBridge(changed(self.config, **settings), self.project, self.is_named)


def _choices(name: str) -> Callable[[click.Context, click.Parameter, str], List[str]]:
    """Completes the values of a setting. ``ConfigLoader`` checks what was given, so the options
    need no import.
    """

    def complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> List[str]:
        from unity_bridge.config import SETTINGS

        return [choice for choice in SETTINGS[name].choices if choice.startswith(incomplete)]

    return complete


class CommonOption(click.Option):
    """An option that nearly every command takes: ``unity-bridge --help`` explains it, a command
    only names it.
    """

    def get_help_record(self, ctx: click.Context) -> Optional[Tuple[str, str]]:
        if ctx.parent is None:
            return super().get_help_record(ctx)
        common = [option for option in ctx.command.params if isinstance(option, CommonOption)]
        if self is not common[0]:
            return None
        return ", ".join(
            f"{option.opts[0]} {option.metavar}" for option in common
        ), "As in `unity-bridge --help`."


_port = click.option(
    "--port",
    cls=CommonOption,
    metavar="N",
    help="Port on which the server waits for Unity (default: the project's port, else 8091; 0: any free port).",
)
_project = click.option(
    "--project",
    cls=CommonOption,
    metavar="PATH",
    help="The Unity project; its files may set the port (default: the project that contains the working directory).",
)
_config = click.option(
    "--config",
    "config_file",
    cls=CommonOption,
    metavar="FILE",
    help="Configuration file (default conf/unity-bridge.json).",
)
_log_level = click.option(
    "--log-level",
    cls=CommonOption,
    metavar="LEVEL",
    shell_complete=_choices("log_level"),
    help="debug, info, warning or error (default: info; script commands: error).",
)
_log_format = click.option(
    "--log-format",
    metavar="FORMAT",
    shell_complete=_choices("log_format"),
    help="text or json (default: text).",
)
_log_file = click.option("--log-file", metavar="FILE", help="Write the log to this file as well.")
_client_project = click.option(
    "--client-project",
    metavar="PATH",
    help="Where the client sees the project, if it runs on another machine, in a container or in WSL.",
)
JSON = "--json"


def json_option(help: str = "{ok, result | error, job_id?}.") -> Callable[[_Command], _Command]:
    """Return ``--json``, which no function takes: see ``prints_json``."""
    return click.option(
        JSON,
        is_flag=True,
        expose_value=False,
        callback=_take_json,
        help=f"Print one JSON object: {help}",
    )


def _take_json(context: click.Context, parameter: click.Parameter, is_given: bool) -> None:
    if is_given:
        context.meta[JSON] = True


def prints_json() -> bool:
    """Return whether the command prints one JSON object."""
    context = click.get_current_context(silent=True)
    return context is not None and JSON in context.meta


_project_argument = click.argument(
    "project_argument", metavar="[PROJECT]", required=False, type=click.Path()
)


def timeout_option(
    default_s: int, most_s: int = _DAY_S, is_always_set: bool = False
) -> Callable[[_Command], _Command]:
    """``--timeout`` of a command that waits for something. ``is_always_set``: else the command
    knows its default.
    """
    default = None
    if is_always_set:
        default = default_s
    return click.option(
        "--timeout",
        "timeout_s",
        type=Seconds(1, most_s),
        metavar="SECONDS",
        default=default,
        help=f"How long it may take before this command gives up with status 4 (default {default_s}).",
    )


_Resolved = Tuple[Optional[str], Optional[click.Command], List[str]]


def with_json(context: click.Context, resolved: _Resolved) -> _Resolved:
    """Give ``--json`` to the command that a group has found, if it stood anywhere among the words."""
    name, command, words = resolved
    if JSON in context.meta and not isinstance(command, click.Group):
        words = [JSON, *words]
    return name, command, words


def with_program_options(context: click.Context, resolved: _Resolved) -> _Resolved:
    """Give the program's options to the command that was found, or refuse one that it lacks.

    A command with ``CommonOption`` takes them all (``with_those_before``).
    """
    name, command, _ = resolved
    if name is None or command is None or isinstance(command, click.Group):
        return resolved
    if any(isinstance(parameter, CommonOption) for parameter in command.params):
        return resolved
    program_options = {
        parameter.name for parameter in command.params if _is_program_option(parameter)
    }
    root, defaults = context.find_root(), {}
    for option in root.command.params:
        if root.get_parameter_source(str(option.name)) is not ParameterSource.COMMANDLINE:
            continue
        if option.name not in program_options:
            context.fail(f"`{context.command_path} {name}` has no {option.opts[0]}. Leave it out.")
        defaults[option.name] = root.params[str(option.name)]
    context.default_map = {name: defaults}
    return resolved


def _is_program_option(parameter: click.Parameter) -> bool:
    """Return whether it means what the program's option of its name means."""
    if isinstance(parameter, click.Argument):
        return parameter.name == "project"
    return f"--{str(parameter.name).replace('_', '-')}" in parameter.opts


def wait_option(default_s: float, help: str) -> Callable[[_Command], _Command]:
    """Return ``--wait``; ``{}`` in its help stands for the default."""
    help_text = help.format(f"default {default_s:g}")
    return click.option(
        "--wait", "wait_s", type=Seconds(), metavar="SECONDS", default=default_s, help=help_text
    )


_COMES = "How long to wait for an editor before giving up with status 3 ({})."


def with_options(*options: Callable[[Any], Any]) -> Callable[[_Command], _Command]:
    """Return a decorator that adds these options to a command, whose help shows them in this order."""

    def decorate(command: _Command) -> _Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


serving_options = with_options(
    _port, _project, _config, _log_level, _log_format, _log_file, _client_project
)
_settings = with_options(_port, _project, _config, _log_level)
script_options = with_options(wait_option(_WAIT_S, _COMES), _settings)
# Of a command that shows state: it waits only as long as a plugin needs to reconnect (SPEC §9).
options_for_a_look = with_options(json_option(), wait_option(_LOOK_S, _COMES), _settings)
# Of a command whose --wait has another meaning: it waits for an editor as the others do.
options_but_wait = with_options(json_option(), _settings)
# Of such a command about one project, which is named as an argument or by --project.
project_options = with_options(_project_argument, options_but_wait)


def script_settings(
    options: Mapping[str, Any],
    has_project: bool = True,
    several: Optional[Callable[[List[str]], Any]] = None,
) -> ScriptSettings:
    """Return what a script command is to do. A wrong setting or project ends the command.

    ``log_level`` is error unless an option or a variable sets it: a command reports in its own
    sentences what the log would warn of. A wrong setting or project is reported in one line on
    stderr.

    The log settings of the configuration file are the server's, which may be writing to that log file now.
    ``has_project``: False for a command that is about no project, wherever it is started. ``several`` prints the
    projects below the working directory, if none of them is named.
    """
    from unity_bridge.config import SETTINGS, ConfigLoader
    from unity_bridge.scripting.output import note, value_or_stop
    from unity_bridge.serve.settings import load, meant_project

    all_options = with_those_before(options)
    if all_options["log_level"] is None and not any(
        map(os.environ.get, SETTINGS["log_level"].variables)
    ):
        all_options["log_level"] = "error"
    remark = ConfigLoader().remark()
    if remark is not None:
        note(f"unity-bridge: {remark}")
    # The project that is named, else the one around here, if there is one (SPEC §18.1).
    project_root = value_or_stop(meant_project(all_options["project"])) if has_project else None
    project = project_root or (project_below(all_options["port"], several) if has_project else None)
    loaded = value_or_stop(load(all_options, project))
    for sentence in loaded.broken:
        note(f"unity-bridge: {sentence}.")
    wait_s = options.get("wait_s", _WAIT_S)
    source = click.get_current_context().get_parameter_source("wait_s")
    has_wait_option = source is ParameterSource.COMMANDLINE
    return ScriptSettings(
        loaded.config,
        wait_s,
        project,
        loaded.port_source,
        project_root is not None,
        has_wait_option,
    )


def settings_of_project(
    project: Optional[str], options: Mapping[str, Any]
) -> Tuple[ScriptSettings, str]:
    """As ``script_settings``, for a command about one project, which the argument may name. Returns the
    project's path too. Without a project the command ends with a usage error."""
    if project is not None:
        options = {**options, "project": project}
    settings = script_settings(options)
    if settings.project is None:
        name = click.get_current_context().info_name
        _stop(f"There is no Unity project here: name one, as in `unity-bridge {name} PATH`.")
    return settings, settings.project


def project_below(
    port: Optional[str], several: Optional[Callable[[List[str]], Any]]
) -> Optional[str]:
    """Return the only project below the working directory, for a command that names no port or
    project (SPEC §18.1).

    With several the command ends, because one has to be named; ``several`` prints them before that.
    """
    from unity_bridge.config import SETTINGS
    from unity_bridge.projects.unity_folder import projects_below

    if port is not None or any(map(os.environ.get, SETTINGS["unity_ws_port"].variables)):
        return None
    try:
        projects = projects_below(os.getcwd())
    except OSError:  # the folder was removed
        return None
    if len(projects) < 2:
        if projects:
            return projects[0]
        return None
    if several is not None:
        several(projects)
    names = ", ".join(os.path.relpath(path) for path in projects[:_MOST_NAMED])
    suffix = f" and {len(projects) - _MOST_NAMED} more" if len(projects) > _MOST_NAMED else ""
    _stop(
        f"There is more than one Unity project below this folder: {names}{suffix}. Name one with --project PATH."
    )


def with_those_before(options: Mapping[str, Any]) -> Dict[str, Any]:
    """Return the options that a server takes, given after the command or else before it."""
    from unity_bridge.serve.plain_options import OPTIONS

    parent = click.get_current_context().parent
    before = parent.params if parent is not None else {}
    merged = {**before, **{name: value for name, value in options.items() if value is not None}}
    return {name: merged.get(name) for name in OPTIONS.values()}


def _stop(text: str) -> NoReturn:
    # Not at the top: --help needs it of no command.
    from unity_bridge.scripting.output import stop

    stop(text)
