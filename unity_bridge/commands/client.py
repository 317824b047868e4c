"""``unity-bridge client``: Configure an MCP client for this server.

Exit status: 0 done (or nothing to do), 1 a file could not be read, parsed or written; then it is left as it is, and
what belongs into it is on stdout. 2: no such client, or no place for what was asked.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, NoReturn, Optional, Sequence, Tuple

import click

from unity_bridge.base.result import Err
from unity_bridge.commands.client_options import (
    all_option,
    any_entry_option,
    dry_run_option,
    entry_option,
    file_option,
    folder_option,
    key_option,
    names_option,
    port_option,
    project_of_files_option,
    project_option,
    scope_option,
    via_option,
)
from unity_bridge.commands.envelope import LinesGroup
from unity_bridge.commands.options import USAGE
from unity_bridge.commands.output import note, prepare_output, put, put_result
from unity_bridge.installation.border import command_over, unsafe_option
from unity_bridge.installation.client_configs import ClientConfig, all_configs, config_of, in_ascii, snippet
from unity_bridge.installation.clients import CLIENTS
from unity_bridge.installation.clients.client import Client, Launch, Machine, Scope, other_client
from unity_bridge.installation.command_line import ours, quoted
from unity_bridge.installation.entries import ClientEntry
from unity_bridge.installation.entry_environment import MODULE_PATH, entry_environment
from unity_bridge.installation.file_edit import FileEdit
from unity_bridge.installation.this_installation import Kind, this_installation
from unity_bridge.installation.trial import answers_across, first_that_starts
from unity_bridge.launch import environment
from unity_bridge.projects.canonical_path import real_path
from unity_bridge.projects.unity_folder import enclosing, named_project
from unity_bridge.system.running import is_any_running
from unity_bridge.system.terminal import is_terminal
from unity_bridge.text.foreign_text import quoted as quoted_text
from unity_bridge.text.foreign_text import visible

_FAILED = 1


class Target(NamedTuple):
    """The arguments of one command."""

    client: Client
    scope: Scope
    configs: List[ClientConfig]


class EntryTarget(NamedTuple):
    """Which file is meant, and what a new entry in it names.

    ``folder``: the folder that is opened in the client. ``project``: the Unity project, if a server that is started in
    that folder would not find it.
    """

    scope: Scope
    folder: Path
    project: Optional[str]


@click.group(
    cls=LinesGroup,
    name="client",
    context_settings={"help_option_names": ["-h", "--help"]},
    help=f"Configure MCP clients for this server.\n\nNAME is one of {', '.join(CLIENTS)}.",
    epilog="Example: unity-bridge client add claude-code",
)
@click.pass_context
def command(context: click.Context) -> None:
    prepare_output(context)


@command.command(name="list", epilog="Example: unity-bridge client list")
@click.option("--all", "every", is_flag=True, help="List the clients that were not found here too.")
@folder_option
@project_of_files_option
def list_(every: bool, folder: Optional[str], project: Optional[str]) -> None:
    """List the clients found on this machine, their files, and the entries of unity-bridge in them."""
    machine = Machine()
    configs = list(all_configs(machine, Path(folder or project or ".").resolve()))
    put_result(clients=[_as_json(config) for config in configs])
    shown = [config for config in configs if every or _is_found(config, machine)]
    if len(shown) < len(configs):
        note(f"{len(configs) - len(shown)} places where no client was found are left out: --all lists them.")
    for config in shown:
        put(f"{config.client.name:<15}{config.scope.value:<9}{visible(_state(config))}")
        put(f"{'':<24}{config.path}")
        for folder, said in _local(config):
            put(f"{'':<15}{'local':<9}{visible(said)}")
            put(f"{'':<24}{visible(folder)}")


@command.command(epilog="Example: unity-bridge client show cursor --port 8092")
@names_option
@file_option
@key_option
@port_option
@entry_option
@scope_option
@folder_option
@project_option
def show(
    clients: Tuple[str, ...],
    file: Optional[str],
    key: str,
    port: Optional[int],
    entry: str,
    scope: str,
    folder: Optional[str],
    project: Optional[str],
) -> None:
    """Print the entry for a client, and the file that it belongs into."""
    place = _place(scope, folder, project)
    launch = Launch.of(_program(), port, place.project, entry_environment(Machine()))
    for target in _targets(clients, False, file, key, place):
        for config in target.configs:
            note(f"{target.client.title} reads {config.path}")
        note(f"Documentation: {target.client.documentation}")
        _put_snippet(target.client, entry, launch)
        _tell_own_command(target, entry, launch)
        note(f"{target.client.apply} {target.client.success}")


@command.command(epilog="Example: unity-bridge client add codex --dry-run")
@names_option
@all_option
@file_option
@key_option
@port_option
@entry_option
@scope_option
@folder_option
@project_option
@via_option
@dry_run_option
def add(
    clients: Tuple[str, ...],
    every: bool,
    file: Optional[str],
    key: str,
    port: Optional[int],
    entry: str,
    scope: str,
    folder: Optional[str],
    project: Optional[str],
    via: Optional[str],
    dry_run: bool,
) -> None:
    """Add the server to the clients' files, after a backup. Your own changes to an entry are kept."""
    place = _place(scope, folder, project if via is None else None)
    targets = _targets(clients, every, file, key, place)
    program = _program() if via is None else _program_over(via)
    if via is not None:
        place = place._replace(project=project)
    if place.scope is Scope.PROJECT:
        note("The file has paths of this machine. Other members of the project's team need their own.")
    crosses = via is not None
    succeeded = [_add_one(target, program, port, place.project, entry, dry_run, crosses) for target in targets]
    if not all(succeeded):
        raise click.exceptions.Exit(_FAILED)


def _add_one(
    target: Target,
    program: Sequence[str],
    port: Optional[int],
    project: Optional[str],
    entry: str,
    dry_run: bool,
    crosses: bool,
) -> bool:
    """``crosses``: the server runs elsewhere, so no variable of this machine is for it."""
    succeeded, environ = True, {} if crosses else entry_environment(Machine())
    for config in target.configs:
        addition = config.adding(entry, program, port, project, environ)
        if isinstance(addition, Err):
            launch = Launch.of(program, port, project, environ)
            _tell_own_command(target, entry, launch)
            note("The entry is:")
            _put_snippet(target.client, entry, launch)
            note(f"{config.path} {addition.error}. It was left as it is.")
            succeeded = False
            continue
        edit, sentences, launch = addition.value
        refused = _why_not_across(launch, len(program), dry_run) if crosses else None
        if refused is not None:
            note(f"{quoted(launch.words)}: {refused}. {config.path} was left as it is.")
            succeeded = False
            continue
        same = f"{entry} is configured in {config.path} already."
        if _change(config, edit, dry_run, same, f"Wrote {entry} to"):
            for sentence in sentences if edit.changes else ():
                note(sentence)
        else:
            succeeded = False
    if succeeded and not dry_run:
        note(f"{target.client.apply} {target.client.success}")
        if target.client.writes_its_file_back and target.scope is Scope.USER:
            _note_that_it_may_be_overwritten(target.client, entry, Launch.of(program, port, project, environ))
    return succeeded


def _note_that_it_may_be_overwritten(client: Client, entry: str, launch: Launch) -> None:
    """Remark that the client may overwrite its file.

    The user often runs this command inside the client, whose process writes its own copy of the file when a setting
    changes.
    """
    own = client.own_command
    if own is None:
        return
    runs = is_any_running(client.program or client.name)
    begin = f"{client.title} runs now, and" if runs else f"While {client.title} runs,"
    remedy = quoted(own(entry, launch, Scope.USER))
    note(f"{begin} it may write its own copy over this file. If the entry is gone afterwards: {remedy}")


@command.command(epilog="Example: unity-bridge client remove vscode --scope project")
@names_option
@all_option
@file_option
@key_option
@any_entry_option
@scope_option
@folder_option
@project_of_files_option
@dry_run_option
def remove(
    clients: Tuple[str, ...],
    every: bool,
    file: Optional[str],
    key: str,
    entry: str,
    scope: str,
    folder: Optional[str],
    project: Optional[str],
    dry_run: bool,
) -> None:
    """Remove the server from the clients' files, after a backup."""
    if project is not None and scope == Scope.USER.value:
        _stop("Your own entries differ by their names: see --as, and `client list`.")
    succeeded = True
    for target in _targets(clients, every, file, key, _place(scope, folder, project)):
        for config in target.configs:
            edit = config.removing(entry)
            none = f"There is no {entry} in {config.path}."
            if isinstance(edit, Err):
                note(f"{config.path} {edit.error}. It was left as it is.")
                succeeded = False
            elif not _change(config, edit.value, dry_run, none, f"Removed {entry} from"):
                succeeded = False
            elif every:
                _note_other_entries(config, entry)
    if not succeeded:
        raise click.exceptions.Exit(_FAILED)


def _note_other_entries(config: ClientConfig, removed: str) -> None:
    """Return our entries with other names: a user who removes all of them expects that none is left."""
    entries = config.entries()
    for one in [] if isinstance(entries, Err) else entries.value:
        if one.name != removed and one.folder is None:
            remedy = ours("client", "remove", config.client.name, "--as", one.name)
            note(f"{config.path} still has {one.name}, which starts unity-bridge too: {remedy}")


def _place(scope_name: str, folder: Optional[str], project: Optional[str]) -> EntryTarget:
    scope = Scope(scope_name)
    if scope is Scope.USER:
        if folder is not None:
            _stop("--folder is for --scope project only.")
        return EntryTarget(scope, Path(), None if project is None else _unity_project(project))
    opened = Path(folder or project or ".").resolve()
    if not opened.is_dir():
        _stop(f"{project} is not a folder.")
    if folder is None or project is None:
        return EntryTarget(scope, opened, None)
    named = _unity_project(project)
    return EntryTarget(scope, opened, None if enclosing(str(opened)) == named else named)


def _unity_project(named: str) -> str:
    found = named_project(named)
    if isinstance(found, Err):
        _stop(found.error)
    return real_path(found.value)


def _targets(names: Sequence[str], every: bool, file: Optional[str], key: str, place: EntryTarget) -> List[Target]:
    if sum((bool(names), every, file is not None)) != 1:
        _stop(f"Name a client ({', '.join(CLIENTS)}), or give --all, or --file PATH.")
    scope, machine = place.scope, Machine()
    if file is not None:
        client = other_client(Path(file).absolute(), tuple(key.split(".")))
        return [
            Target(client, Scope.USER, [ClientConfig(client, Scope.USER, path) for path in client.user_files(machine)])
        ]
    if scope is Scope.USER and not machine.has_home:
        variable = "USERPROFILE" if machine.platform == "win32" else "HOME"
        note(
            f"The user has no home folder, where clients keep their files: set {variable}, or name a file with --file."
        )
        raise click.exceptions.Exit(_FAILED)
    chosen = [CLIENTS[name] for name in names]
    if every:
        chosen = [client for client in CLIENTS.values() if client.is_found(machine, environment.on_path)]
        if not chosen:
            _stop("None of the clients was found on this machine. Name one that you are about to install.")
        note(f"Found: {', '.join(client.title for client in chosen)}.")
    targets = []
    for client in chosen:
        files = client.files(scope, machine, place.folder)
        if files:
            targets.append(Target(client, scope, [config_of(client, scope, path, place.folder) for path in files]))
        elif scope is Scope.PROJECT:
            _tell_no_place(f"{client.title} reads no file of a project; leave --scope out.", every)
        else:
            _tell_no_place(f"{client.title} does not run on this system.", every)
    return targets


def _tell_no_place(text: str, goes_on: bool) -> None:
    if not goes_on:
        _stop(text)
    note(text)


def _program() -> List[str]:
    """Return the words with which a client can start this installation permanently."""
    installation = this_installation()
    known = installation.lasting_commands()
    if isinstance(known, Err):
        note(f"{known.error}. Nothing was changed.")
        raise click.exceptions.Exit(_FAILED)
    if installation.kind is Kind.UVX:
        return known.value[0]  # a trial would ask the network, and this program was started in the same way
    found = first_that_starts(known.value, entry_environment(Machine()))
    if isinstance(found, Err):
        note(
            f"A client could not start this program: {found.error}. An entry sets {MODULE_PATH} to nothing; if "
            f"packages are found through it here, run `{quoted(installation.onto_path())}` first. Nothing was changed."
        )
        raise click.exceptions.Exit(_FAILED)
    return found.value


def _program_over(via: str) -> List[str]:
    found = command_over(via)
    if isinstance(found, Err):
        _stop(f"{found.error}.")
    return found.value


def _why_not_across(launch: Launch, length: int, dry_run: bool) -> Optional[str]:
    """Why the entry is not to be written: each is tried once. ``length``: of the words before our options."""
    unsafe = unsafe_option(launch.command, launch.words[length:])
    if unsafe is not None:
        return f"the far side's shell would read '{quoted_text(unsafe)}'; use letters, digits and _./:=@%+,- only"
    tried = None if dry_run else answers_across(launch.words)
    return tried.error if isinstance(tried, Err) else None


def _change(config: ClientConfig, edit: FileEdit, dry_run: bool, unchanged: str, changed: str) -> bool:
    """Make the edit, or show it. Return whether that succeeded."""
    if not edit.changes:
        put(unchanged)
    elif dry_run:
        put(edit.diff().rstrip("\n"))
    else:
        applied = edit.apply()
        if isinstance(applied, Err):
            note(f"{config.path} {applied.error}.")
            return False
        put(f"{changed} {config.path}" + (f" (backup: {applied.value})." if applied.value is not None else "."))
    return True


def _put_snippet(client: Client, entry: str, launch: Launch) -> None:
    """Return the snippet: readable on a terminal, else in ASCII, because a redirected stdout may have any encoding."""
    text = snippet(client, entry, launch).rstrip("\n")
    put(text if is_terminal(sys.stdout) else in_ascii(text, client.form))


def _tell_own_command(target: Target, entry: str, launch: Launch) -> None:
    own = target.client.own_command
    lost = set() if target.client.own_command_sets_variables else {name for name, _ in launch.environ}
    if not target.client.own_command_sets_empty_ones:
        lost |= {name for name, value in launch.environ if not value}
    if lost - {MODULE_PATH}:
        return  # its server would look for the secret in another folder
    # Where Python is started with -I, it reads no such variable.
    but_for = f", except that it does not set {MODULE_PATH}" if lost and "-I" not in launch.args[:1] else ""
    if own is not None and (target.scope is Scope.USER or target.client.own_command_knows_projects):
        note(f"Its own command for the same{but_for}: {quoted(own(entry, launch, target.scope))}")


def _state(config: ClientConfig) -> str:
    if not config.path.exists():
        return "no file"
    entries = config.entries()
    if isinstance(entries, Err):
        return f"the file {entries.error}"
    return "; ".join(_described(entry) for entry in entries.value if entry.folder is None) or "no unity-bridge"


def _is_found(config: ClientConfig, machine: Machine) -> bool:
    """Return whether the file exists, or the client is installed and would read it in any project."""
    if os.path.lexists(config.path):
        return True
    return config.scope is Scope.USER and config.client.is_found(machine, environment.on_path)


def _as_json(config: ClientConfig) -> Dict[str, Any]:
    entries = config.entries() if config.path.exists() else None
    listed = entries.value if entries is not None and not isinstance(entries, Err) else []
    return {
        "client": config.client.name,
        "scope": config.scope.value,
        "path": str(config.path),
        "state": _state(config),
        "entries": [{"name": entry.name, "port": entry.port, "folder": entry.folder} for entry in listed],
    }


def _local(config: ClientConfig) -> List[Tuple[str, str]]:
    """``(folder, what its entry says)`` for servers of single projects in a user's file."""
    entries = config.entries() if config.path.exists() else None
    found = entries.value if entries is not None and not isinstance(entries, Err) else []
    return [(entry.folder, _described(entry)) for entry in found if entry.folder is not None]


def _described(entry: ClientEntry) -> str:
    missing = entry.missing_path()
    if missing is not None:
        return f"{entry.name}, but {missing} does not exist"
    project = f" for {entry.project}" if entry.project is not None else ""
    return entry.name + project + (f" on port {entry.port}" if entry.port is not None else "")


def _stop(text: str) -> NoReturn:
    note(text)
    raise click.exceptions.Exit(USAGE)
