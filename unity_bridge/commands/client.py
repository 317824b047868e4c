"""``unity-bridge client``: Configure an MCP client for this server.

Exit status: 0 done (or nothing to do), 1 a file could not be read, parsed or written; then it is left as it is, and
what belongs into it is on stdout. 2: no such client, or no place for what was asked.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, List, Optional, Tuple

import click

from unity_bridge.base.result import Err
from unity_bridge.commands.client_entry import Trials, checked_here, new_entry, why_unsafe
from unity_bridge.commands.client_list import as_json, is_found, local_entries, state
from unity_bridge.commands.client_options import (
    all_option,
    any_entry_option,
    dry_run_option,
    entry_options,
    file_option,
    folder_option,
    key_option,
    names_option,
    project_of_files_option,
    scope_option,
    yes_option,
)
from unity_bridge.commands.client_targets import FAILED, Place, Target, place_of, stop, targets_of
from unity_bridge.commands.envelope import LinesGroup
from unity_bridge.commands.output import note, prepare_output, put, put_result
from unity_bridge.installation.client_configs import (
    ClientConfig,
    all_configs,
    in_ascii,
    one_change_at_a_time,
    snippet,
)
from unity_bridge.installation.clients import CLIENTS
from unity_bridge.installation.clients.client import Client, Launch, Machine, Scope
from unity_bridge.installation.command_line import ours, quoted
from unity_bridge.installation.entries import NewEntry
from unity_bridge.installation.entry_environment import MODULE_PATH
from unity_bridge.installation.file_edit import FileEdit
from unity_bridge.system.running import is_any_running
from unity_bridge.system.terminal import is_terminal
from unity_bridge.text.foreign_text import visible


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
    put_result(clients=[as_json(config) for config in configs])
    shown = [config for config in configs if every or is_found(config, machine)]
    if len(shown) < len(configs):
        note(f"{len(configs) - len(shown)} places where no client was found are left out: --all lists them.")
    for config in shown:
        put(f"{config.client.name:<15}{config.scope.value:<9}{visible(state(config))}")
        put(f"{'':<24}{config.path}")
        for folder, said in local_entries(config):
            put(f"{'':<15}{'local':<9}{visible(said)}")
            put(f"{'':<24}{visible(folder)}")


@command.command(epilog="Example: unity-bridge client show cursor --port 8092")
@names_option
@entry_options
def show(clients: Tuple[str, ...], entry: str, **options: Any) -> None:
    """Print the entry for a client, and the file that it belongs into."""
    _, targets, new = _asked(clients, False, **options)
    launch = new.launch
    unsafe = why_unsafe(launch, new)
    if unsafe is not None:
        stop(f"{quoted(launch.words)}: {unsafe}.")
    for target in targets:
        for config in target.configs:
            note(f"{target.client.title} reads {config.path}")
        note(f"Documentation: {target.client.documentation}")
        _put_snippet(target.client, entry, launch)
        _print_own_command(target, entry, launch)
        note(f"{target.client.apply} {target.client.success}")


@command.command(epilog="Example: unity-bridge client add codex --dry-run")
@names_option
@all_option
@entry_options
@yes_option
@dry_run_option
def add(clients: Tuple[str, ...], every: bool, entry: str, yes: bool, dry_run: bool, **options: Any) -> None:
    """Add the server to the clients' files, after a backup. Your own changes to an entry are kept."""
    place, targets, new = _asked(clients, every, **options)
    if place.scope is Scope.PROJECT:
        note("The file has paths of this machine. Other members of the project's team need their own.")
    trials = Trials(yes)
    succeeded = [_add_one(target, new, entry, dry_run, trials) for target in targets]
    if not all(succeeded):
        raise click.exceptions.Exit(FAILED)


def _asked(
    clients: Tuple[str, ...],
    every: bool,
    file: Optional[str],
    key: str,
    port: Optional[int],
    scope: str,
    folder: Optional[str],
    project: Optional[str],
    via: Optional[str],
    client_project: Optional[str],
) -> Tuple[Place, List[Target], NewEntry]:
    """Return what ``entry_options`` name: the place, the files there, and what an entry in them starts."""
    place = place_of(scope, folder, checked_here(via, project))
    targets = targets_of(clients, every, file, key, place)
    return place, targets, new_entry(place, port, project, via, client_project)


def _add_one(target: Target, new: NewEntry, entry: str, dry_run: bool, trials: Trials) -> bool:
    added = [_add_to(config, target, new, entry, dry_run, trials) for config in target.configs]
    started = [launch for launch in added if launch is not None]
    if len(started) < len(added):
        return False
    if not dry_run:
        note(f"{target.client.apply} {target.client.success}")
        if target.client.writes_its_file_back and target.scope is Scope.USER:
            _note_that_it_may_be_overwritten(target.client, entry, started[0])
    return True


def _add_to(
    config: ClientConfig, target: Target, new: NewEntry, entry: str, dry_run: bool, trials: Trials
) -> Optional[Launch]:
    """Add the entry to one file. Return what it starts; None if the file was left as it is."""
    addition = config.adding(entry, new)
    if not isinstance(addition, Err) and addition.value.edit.changes:
        trials.ask_to_keep(config.path, addition.value.kept, dry_run)
    if not isinstance(addition, Err) and new.is_elsewhere:
        launch = addition.value.launch
        refused = why_unsafe(launch, new)
        if refused is None and not dry_run:
            refused = trials.refusal(launch)
        if refused is not None:
            note(f"{quoted(launch.words)}: {refused}. {config.path} was left as it is.")
            return None
    with one_change_at_a_time(dry_run):
        # Read again: a trial takes long enough for the client to write its file.
        addition = config.adding(entry, new)
        if isinstance(addition, Err):
            _print_own_command(target, entry, new.launch)
            note("The entry is:")
            _put_snippet(target.client, entry, new.launch)
            note(f"{config.path} {addition.error}. It was left as it is.")
            return None
        same = f"{entry} is configured in {config.path} already."
        if not _change(config, addition.value.edit, dry_run, same, f"Wrote {entry} to"):
            return None
    for sentence in addition.value.sentences if addition.value.edit.changes else ():
        note(sentence)
    return addition.value.launch


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
        stop("Your own entries differ by their names: see --as, and `client list`.")
    succeeded = True
    for target in targets_of(clients, every, file, key, place_of(scope, folder, project)):
        for config in target.configs:
            with one_change_at_a_time(dry_run):
                edit = config.removing(entry)
                none = f"There is no {entry} in {config.path}."
                if isinstance(edit, Err):
                    note(f"{config.path} {edit.error}. It was left as it is.")
                    succeeded = False
                    continue
                is_done = _change(config, edit.value, dry_run, none, f"Removed {entry} from")
            if not is_done:
                succeeded = False
            elif every:
                _note_other_entries(config, entry)
    if not succeeded:
        raise click.exceptions.Exit(FAILED)


def _note_other_entries(config: ClientConfig, removed: str) -> None:
    """Return our entries with other names: a user who removes all of them expects that none is left."""
    entries = config.entries()
    for one in [] if isinstance(entries, Err) else entries.value:
        if one.name != removed and one.folder is None:
            remedy = ours("client", "remove", config.client.name, "--as", one.name)
            note(f"{config.path} still has {one.name}, which starts unity-bridge too: {remedy}")


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


def _print_own_command(target: Target, entry: str, launch: Launch) -> None:
    own = target.client.own_command
    lost = set() if target.client.own_command_sets_variables else {name for name, _ in launch.environ}
    if not target.client.own_command_sets_empty_ones:
        lost |= {name for name, value in launch.environ if not value}
    if lost - {MODULE_PATH}:
        return  # its server would look for the secret in another folder
    but_for = f", except that it does not set {MODULE_PATH}" if lost else ""
    if own is not None and (target.scope is Scope.USER or target.client.own_command_knows_projects):
        note(f"Its own command for the same{but_for}: {quoted(own(entry, launch, target.scope))}")
