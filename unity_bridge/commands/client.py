"""``unity-bridge client``: Configure an MCP client for this server.

Exit status: 0 done (or nothing to do), 1 a file could not be read, parsed or written; then it is left as it is, and
what belongs into it is on stdout. 2: no such client, or no place for what was asked.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple

import click

from unity_bridge.base.result import Err
from unity_bridge.commands.shared.client_entry import Trials, checked_here, new_entry, why_unsafe, with_project
from unity_bridge.commands.shared.client_list import as_json, entries_of, is_found, local_entries, state
from unity_bridge.commands.shared.client_options import add_options, list_options, remove_options, show_options
from unity_bridge.commands.shared.client_targets import FAILED, Place, Target, place_of, targets_of
from unity_bridge.commands.shared.envelope import LinesGroup
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
from unity_bridge.projects.canonical_path import real_path
from unity_bridge.scripting.output import note, put, put_result, stop, value_or_stop
from unity_bridge.system.running import is_any_running
from unity_bridge.system.terminal import is_terminal
from unity_bridge.text.foreign_text import visible

command = LinesGroup(
    "client",
    help=f"Configure MCP clients for this server.\n\nNAME is one of {', '.join(CLIENTS)}.",
    epilog="Example: unity-bridge client add claude-code",
)


@command.command(name="list", epilog="Example: unity-bridge client list")
@list_options
def list_(every: bool, folder: Optional[str], project: Optional[str]) -> None:
    """List the clients found on this machine, their files and entries."""
    machine = Machine()
    configs = list(all_configs(machine, Path(real_path(folder or project or "."))))
    put_result(clients=[as_json(config, machine) for config in configs])
    shown = [config for config in configs if every or is_found(config, machine)]
    known, found = ({config.client.name for config in some} for some in (configs, shown))
    if not every and found != known:
        note(f"{len(known) - len(found)} of {len(known)} clients were not found on this machine: --all lists them too.")
    for config in shown:
        put(f"{config.client.name:<15}{config.scope.value:<9}{visible(state(config))}")
        put(f"{'':<24}{config.path}")
        for folder, said in local_entries(config):
            put(f"{'':<15}{'local':<9}{visible(said)}")
            put(f"{'':<24}{visible(folder)}")


@command.command(epilog="Example: unity-bridge client show cursor --port 8092")
@show_options
def show(clients: Tuple[str, ...], entry: str, **options: Any) -> None:
    """Print the entry for a client, and the file that it belongs in."""
    _, targets, plain = _asked(clients, False, options)
    for target in targets:
        new = value_or_stop(with_project(target.configs[0], entry, plain))
        launch = new.launch
        unsafe = why_unsafe(launch, new)
        if unsafe is not None:
            stop(f"{quoted(launch.words)}: {unsafe}.")
        for config in target.configs:
            note(f"{target.client.title} reads {config.path}")
        note(f"Documentation: {target.client.documentation}")
        _put_snippet(target.client, entry, launch)
        _print_own_command(target, entry, launch)
        note(f"{target.client.apply} {target.client.success}")


class _Added(NamedTuple):
    """``said``: what was written where. ``sentences``: what changed in an entry that was there."""

    launch: Launch
    said: str
    sentences: List[str]


_Done = List[Tuple[Target, List[_Added]]]


@command.command(epilog="Example: unity-bridge client add codex --dry-run")
@add_options
def add(clients: Tuple[str, ...], every: bool, entry: str, yes: bool, dry_run: bool, **options: Any) -> None:
    """Add the server to the clients' files, after a backup. Your own changes to an entry are kept."""
    place, targets, new = _asked(clients, every, options)
    if place.scope is Scope.PROJECT:
        note("The file has paths of this machine. Other members of the project's team need their own.")
    trials = Trials(yes)
    added = [[_add_to(config, target, new, entry, dry_run, trials) for config in target.configs] for target in targets]
    done = [(target, [one for one in some if one is not None]) for target, some in zip(targets, added)]
    _say_of_all(done) if every and not dry_run else _say_of_each(done, dry_run)
    for target, some in done:
        if some and not dry_run and target.client.writes_its_file_back and target.scope is Scope.USER:
            _note_that_it_may_be_overwritten(target.client, entry, some[0].launch)
    if any(one is None for some in added for one in some):
        raise click.exceptions.Exit(FAILED)


def _say_of_each(done: _Done, dry_run: bool) -> None:
    for target, some in done:
        for one in some:
            put(one.said)
            for sentence in one.sentences:
                note(sentence)
        if some and not dry_run:
            note(f"{target.client.apply} {target.client.success}")


def _say_of_all(done: _Done) -> None:
    """Print a line a client, then each other sentence once, with the clients that it is about."""
    about: Dict[str, List[str]] = {}
    titles = [target.client.title for target, some in done if some]
    for target, some in done:
        if some:
            put(f"{target.client.title}: {' '.join(one.said for one in some)} {target.client.apply}")
        for sentence in dict.fromkeys(sentence for one in some for sentence in one.sentences):
            about.setdefault(sentence, []).append(target.client.title)
    for sentence, of in about.items():
        note(sentence if of == titles else f"{', '.join(of)}: {sentence}")
    if titles:
        note("Then open the project in Unity, and ask one of them: What is in the Unity console?")


def _asked(clients: Tuple[str, ...], every: bool, given: Mapping[str, Any]) -> Tuple[Place, List[Target], NewEntry]:
    """Return what ``entry_options`` name: the place, the files there, and what an entry in them starts."""
    project, via = given["project"], given["via"]
    place = place_of(given["scope"], given["folder"], checked_here(via, project))
    targets = targets_of(clients, every, given["file"], given["key"], place)
    return place, targets, new_entry(place, given["port"], project, via, given["client_project"])


def _add_to(
    config: ClientConfig, target: Target, plain: NewEntry, entry: str, dry_run: bool, trials: Trials
) -> Optional[_Added]:
    """Add the entry to one file; None if the file was left as it is."""
    placed = with_project(config, entry, plain)
    if isinstance(placed, Err):
        note(placed.error)
        return None
    new = placed.value
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
        said = _change(addition.value.edit, dry_run, same, f"Wrote {entry} to")
    changes = addition.value.sentences if addition.value.edit.changes else []
    return None if said is None else _Added(addition.value.launch, said, changes)


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
@remove_options
def remove(
    clients: Tuple[str, ...], every: bool, file: Optional[str], key: str, entry: str, dry_run: bool, **place: Any
) -> None:
    """Remove the server from the clients' files, after a backup."""
    if place["project"] is not None and place["scope"] == Scope.USER.value:
        stop("Your own entries differ by their names: see --as, and `client list`.")
    succeeded = True
    for target in targets_of(clients, every, file, key, place_of(**place)):
        for config in target.configs:
            with one_change_at_a_time(dry_run):
                edit = config.removing(entry)
                none = f"There is no {entry} in {config.path}."
                if isinstance(edit, Err):
                    note(f"{config.path} {edit.error}. It was left as it is.")
                    succeeded = False
                    continue
                said = _change(edit.value, dry_run, none, f"Removed {entry} from")
            if said is None:
                succeeded = False
                continue
            put(said)
            if every:
                _note_other_entries(config, entry)
    if not succeeded:
        raise click.exceptions.Exit(FAILED)


def _note_other_entries(config: ClientConfig, removed: str) -> None:
    """Name our entries with other names: a user who removes all of them expects that none is left."""
    for one in entries_of(config):
        if one.name != removed and one.folder is None:
            remedy = ours("client", "remove", config.client.name, "--as", one.name)
            note(f"{config.path} still has {one.name}, which starts unity-bridge too: {remedy}")


def _change(edit: FileEdit, dry_run: bool, unchanged: str, changed: str) -> Optional[str]:
    """Make the edit, and return what was done, or what would be; None if it failed."""
    if not edit.changes:
        return unchanged
    if dry_run:
        return edit.diff().rstrip("\n")
    done = edit.carried_out(changed)
    if isinstance(done, Err):
        note(f"{done.error}.")
        return None
    return f"{done.value}."


def _put_snippet(client: Client, entry: str, launch: Launch) -> None:
    """Print the snippet: readable on a terminal, else in ASCII, because a redirected stdout may have any encoding."""
    text = snippet(client, entry, launch).rstrip("\n")
    put(text if is_terminal(sys.stdout) else in_ascii(text, client.form))


def _print_own_command(target: Target, entry: str, launch: Launch) -> None:
    own = target.client.own_command
    lost = set() if target.client.own_command_sets_variables else set(launch.environ)
    if not target.client.own_command_sets_empty_ones:
        lost |= {name for name, value in launch.environ.items() if not value}
    if lost - {MODULE_PATH}:
        return  # its server would look for the secret in another folder
    but_for = f", except that it does not set {MODULE_PATH}" if lost else ""
    if own is not None and (target.scope is Scope.USER or target.client.own_command_knows_projects):
        note(f"Its own command for the same{but_for}: {quoted(own(entry, launch, target.scope))}")
