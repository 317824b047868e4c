"""``unity-bridge client``: the configuration of MCP clients for this server (SPEC §13).

Exit status: 0 done (or nothing to do), 1 a file could not be read, parsed or written; then it is left as it is, and
what belongs into it is on stdout.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, Callable, List, NamedTuple, Optional, TypeVar

import click

from unity_bridge import environment
from unity_bridge.commands.options import USAGE
from unity_bridge.commands.output import note, prepare_output, put, visible
from unity_bridge.installation.client_configs import ClientConfig, Entry, all_configs, snippet
from unity_bridge.installation.clients import CLIENTS, ENTRY, Client, Launch, Machine, Scope
from unity_bridge.installation.command_line import quoted
from unity_bridge.installation.file_edit import FileEdit
from unity_bridge.result import Err, Result

_FAILED = 1

_Command = TypeVar("_Command", bound=Callable[..., Any])

_name = click.argument("client", metavar="NAME", type=click.Choice(list(CLIENTS)))
_port = click.option(
    "--port", type=click.IntRange(1, 65535), metavar="N", default=None, help="The port that the server shall use."
)
_entry = click.option(
    "--as", "entry", metavar="ENTRY", default=ENTRY, show_default=True, help="The entry's name, for a second editor."
)
_scope = click.option(
    "--scope",
    type=click.Choice([scope.value for scope in Scope]),
    default=Scope.USER.value,
    show_default=True,
    help="For all of your projects, or in a file of one project that its team shares.",
)
_project = click.option(
    "--project",
    type=click.Path(exists=True, file_okay=False),
    default=".",
    help="The folder of the project, for what is in the scope project (default: this one).",
)
_dry_run = click.option("--dry-run", is_flag=True, help="Show the change as a unified diff, and make none.")


class Target(NamedTuple):
    """What a command is about."""

    client: Client
    scope: Scope
    configs: List[ClientConfig]


@click.group(
    name="client",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: unity-bridge client add claude-code",
)
@click.pass_context
def command(context: click.Context) -> None:
    """Configure an MCP client for this server.

    \b
    NAME is one of claude-code, claude-desktop, cursor, vscode, codex, gemini, windsurf.
    """
    prepare_output(context)


@command.command(name="list", epilog="Example: unity-bridge client list")
@_project
def list_(project: str) -> None:
    """List the clients, their files, and what these say of unity-bridge."""
    for config in all_configs(Machine(), Path(project).resolve()):
        put(f"{config.client.name:<15}{config.scope.value:<9}{visible(_state(config))}")
        put(f"{'':<24}{config.path}")


@command.command(epilog="Example: unity-bridge client show cursor --port 8092")
@_name
@_port
@_entry
@_scope
@_project
def show(client: str, port: Optional[int], entry: str, scope: str, project: str) -> None:
    """Print what belongs into a client's file, and where that is."""
    target = _target(client, scope, project)
    launch = _launch(port)
    for config in target.configs:
        note(f"{target.client.title} reads {config.path}")
    note(f"Documentation: {target.client.documentation}")
    put(snippet(target.client, entry, launch).rstrip("\n"))
    _tell_own_command(target, entry, launch)
    note(f"{target.client.apply} {target.client.success}")


@command.command(epilog="Example: unity-bridge client add codex --dry-run")
@_name
@_port
@_entry
@_scope
@_project
@_dry_run
def add(client: str, port: Optional[int], entry: str, scope: str, project: str, dry_run: bool) -> None:
    """Merge the server into a client's file, after a backup. Doing it again changes nothing."""
    target = _target(client, scope, project)
    launch = _launch(port)
    if scope == Scope.PROJECT.value:
        note("The paths in it are of this machine: others of the project's team need their own.")
    for config in target.configs:
        edit = config.adding(entry, launch)
        if isinstance(edit, Err):
            _tell_own_command(target, entry, launch)
            note("What belongs into it:")
            put(snippet(target.client, entry, launch).rstrip("\n"))
        _change(config, edit, dry_run, f"{entry} is configured in {config.path} already.", f"Wrote {entry} to")
    if not dry_run:
        note(f"{target.client.apply} {target.client.success}")


@command.command(epilog="Example: unity-bridge client remove vscode --scope project")
@_name
@_entry
@_scope
@_project
@_dry_run
def remove(client: str, entry: str, scope: str, project: str, dry_run: bool) -> None:
    """Take the server out of a client's file, after a backup."""
    target = _target(client, scope, project)
    for config in target.configs:
        _change(
            config, config.removing(entry), dry_run, f"There is no {entry} in {config.path}.", f"Removed {entry} from"
        )


def _target(name: str, scope_name: str, project: str) -> Target:
    client, scope = CLIENTS[name], Scope(scope_name)
    files = client.files(scope, Machine(), Path(project).resolve())
    if not files:
        note(f"{client.title} reads no file of a project; leave --scope out.")
        raise click.exceptions.Exit(USAGE)
    return Target(client, scope, [ClientConfig(client, scope, path) for path in files])


def _launch(port: Optional[int]) -> Launch:
    if sys.version_info[:2] < environment.SERVING and not os.path.isfile(environment.command()[1]):
        oldest = ".".join(str(number) for number in environment.SERVING)
        note(f"This Python ({sys.executable}) cannot serve MCP: install unity-bridge with Python {oldest} or newer.")
    return Launch.of(environment.command(), port)


def _change(config: ClientConfig, edit: Result[FileEdit, str], dry_run: bool, unchanged: str, changed: str) -> None:
    if isinstance(edit, Err):
        note(f"{config.path} {edit.error}. It was left as it is.")
        raise click.exceptions.Exit(_FAILED)
    if not edit.value.changes:
        put(unchanged)
    elif dry_run:
        put(edit.value.diff().rstrip("\n"))
    else:
        applied = edit.value.apply()
        if isinstance(applied, Err):
            note(f"{config.path} {applied.error}.")
            raise click.exceptions.Exit(_FAILED)
        put(f"{changed} {config.path}" + (f" (backup: {applied.value})." if applied.value is not None else "."))


def _tell_own_command(target: Target, entry: str, launch: Launch) -> None:
    own = target.client.own_command
    if own is not None and not (target.client.name in ("codex", "vscode") and target.scope is Scope.PROJECT):
        note(f"Its own command for the same: {quoted(own(entry, launch, target.scope))}")


def _state(config: ClientConfig) -> str:
    if not config.path.exists():
        return "no file"
    entries = config.entries()
    if isinstance(entries, Err):
        return f"the file {entries.error}"
    return "; ".join(_described(entry) for entry in entries.value) or "no unity-bridge"


def _described(entry: Entry) -> str:
    missing = entry.missing_path()
    if missing is not None:
        return f"{entry.name}, but {missing} does not exist"
    return entry.name + (f" on port {entry.port}" if entry.port is not None else "")
