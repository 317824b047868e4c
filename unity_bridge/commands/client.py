"""``unity-bridge client``: Configure an MCP client for this server.

``add`` and ``remove`` plan the change of each file, try what an entry starts, write, and print. Exit status: 0 done (or
nothing to do), 1 a file could not be read, parsed or written; then it is left as it is, and what belongs into it is on
stdout. 2: no such client, or no place for what was asked.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

import click

from unity_bridge.base.frozen import changed
from unity_bridge.base.result import Err
from unity_bridge.commands.shared.client_list import as_json, is_found, local_entries, state
from unity_bridge.commands.shared.client_options import (
    add_options,
    list_options,
    remove_options,
    show_options,
)
from unity_bridge.commands.shared.client_request import Target, place_of, request_of, targets_of
from unity_bridge.commands.shared.client_trial import FAILED, Trials
from unity_bridge.commands.shared.envelope import LinesGroup
from unity_bridge.installation.client_configs import (
    ClientConfig,
    all_configs,
    in_ascii,
    one_change_at_a_time,
)
from unity_bridge.installation.client_plan import (
    EntryPlan,
    Wanted,
    plan_addition,
    plan_removal,
    snippet,
    why_unsafe,
    with_project,
)
from unity_bridge.installation.clients import CLIENTS
from unity_bridge.installation.clients.client import Client, Launch, Machine, Scope
from unity_bridge.installation.command_line import quoted
from unity_bridge.installation.entry_environment import MODULE_PATH
from unity_bridge.installation.placed_entries import placed_entries, why_idle
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
    shown_configs = [config for config in configs if every or is_found(config, machine)]
    names, shown_names = (
        {config.client.name for config in group} for group in (configs, shown_configs)
    )
    if not every and shown_names != names:
        count = len(names) - len(shown_names)
        note(
            f"{count} of {len(names)} clients were not found on this machine: --all lists them too."
        )
    for config in shown_configs:
        put(f"{config.client.name:<15}{config.scope.value:<9}{visible(state(config))}")
        put(f"{'':<24}{config.path}")
        for folder, description in local_entries(config):
            put(f"{'':<15}{'local':<9}{visible(description)}")
            put(f"{'':<24}{visible(folder)}")


@command.command(epilog="Example: unity-bridge client show cursor --port 8092")
@show_options
def show(clients: Tuple[str, ...], entry: str, **options: Any) -> None:
    """Print the entry for a client, and the file that it belongs in."""
    _, targets, request = request_of(clients, False, entry, options)
    for target in targets:
        new = value_or_stop(with_project(target.configs[0], None, request))
        unsafe = why_unsafe(new.launch, new)
        if unsafe is not None:
            stop(f"{unsafe}.")
        for config in target.configs:
            note(f"{target.client.title} reads {config.path}")
        note(f"Documentation: {target.client.documentation}")
        _put_snippet(target.client, entry, new.launch)
        _print_own_command(target, entry, new.launch)
        note(f"{target.client.apply} {target.client.success}")


class _Done(NamedTuple):
    """What became of one client's files. ``sentences``: what the user should know of them."""

    target: Target
    plans: List[EntryPlan]
    sentences: List[str]
    is_started: bool

    @property
    def lines(self) -> List[str]:
        return [plan.line for plan in self.plans if plan.refusal is None]


@command.command(epilog="Example: unity-bridge client add codex --dry-run")
@add_options
def add(
    clients: Tuple[str, ...], every: bool, entry: str, yes: bool, dry_run: bool, **options: Any
) -> None:
    """Add the server to the clients' files, after a backup. Your own changes to an entry are kept."""
    place, targets, request = request_of(clients, every, entry, options)
    if place.scope is Scope.PROJECT:
        note(
            "The file has paths of this machine. Other members of the project's team need their own."
        )
    trials = Trials(yes, dry_run)
    outcomes = []
    for target in targets:
        plans = [_added(target, config, request, trials, dry_run) for config in target.configs]
        changes = [
            line
            for plan in plans
            if plan.edit.changes and plan.refusal is None
            for line in plan.sentences
        ]
        idle = why_idle(target.configs, entry, Machine(), place.folder)
        outcomes.append(_Done(target, plans, [*changes, *idle], not idle))
    _print_together(outcomes) if every and not dry_run else _print_each(outcomes, dry_run)
    for target, plans, _, _ in outcomes:
        written = [plan for plan in plans if plan.refusal is None]
        if (
            written
            and not dry_run
            and target.client.writes_its_file_back
            and target.scope is Scope.USER
        ):
            _note_that_it_may_be_overwritten(target.client, entry, written[0].launch)
    if any(plan.refusal is not None for result in outcomes for plan in result.plans):
        raise click.exceptions.Exit(FAILED)


def _added(
    target: Target, config: ClientConfig, request: Wanted, trials: Trials, dry_run: bool
) -> EntryPlan:
    def planned() -> EntryPlan:
        return plan_addition(config, config.read(), request)

    plan = planned()
    if plan.refusal is None:
        plan = trials.tried(plan)
    if plan.refusal is None:
        same = f"{request.name} is configured in {config.path} already."
        plan = _written(plan, planned, dry_run, same, f"Wrote {request.name} to")
    if plan.refusal is not None:
        _print_refusal(target, request.name, plan)
    return plan


@command.command(epilog="Example: unity-bridge client remove vscode --scope project")
@remove_options
def remove(
    clients: Tuple[str, ...],
    every: bool,
    file: Optional[str],
    key: str,
    entry: str,
    dry_run: bool,
    **options: Any,
) -> None:
    """Remove the server from the clients' files, after a backup."""
    if options["project"] is not None and options["scope"] == Scope.USER.value:
        stop("Your own entries differ by their names: see --as, and `client list`.")
    place = place_of(**options)
    has_failed = False
    for target in targets_of(clients, every, file, key, place):
        plans = [_removed(config, entry, dry_run) for config in target.configs]
        for plan in plans:
            if plan.refusal is None:
                put(plan.line)
            for sentence in plan.sentences:
                note(sentence)
        has_failed = has_failed or any(plan.refusal is not None for plan in plans)
        for placed in placed_entries(target.configs, Machine(), place.folder):
            is_left = (
                placed.config not in target.configs
                or placed.entry.folder is not None
                or placed.entry.name != entry
            )
            if is_left and (every or placed.entry.name == entry):
                note(
                    f"{placed.place} still has {placed.entry.name}, which starts unity-bridge too: {placed.removal()}"
                )
    if has_failed:
        raise click.exceptions.Exit(FAILED)


def _removed(config: ClientConfig, entry: str, dry_run: bool) -> EntryPlan:
    def planned() -> EntryPlan:
        return plan_removal(config, config.read(), entry)

    nothing = f"There is no {entry} in {config.path}."
    plan = _written(planned(), planned, dry_run, nothing, f"Removed {entry} from")
    if plan.refusal is not None:
        note(plan.refusal)
    return plan


def _written(
    plan: EntryPlan, planned: Callable[[], EntryPlan], dry_run: bool, unchanged: str, begin: str
) -> EntryPlan:
    """Write the plan; the ``line`` of the plan returned says what was done. ``unchanged``,
    ``begin``: words for it.
    """
    with one_change_at_a_time(dry_run):
        content = plan.config.read()
        if isinstance(content, Err) or content.value.text != plan.edit.before:
            # A trial takes long enough for the client to write its file.
            plan = planned()
        if plan.refusal is not None:
            return plan
        if not plan.edit.changes:
            return changed(plan, line=unchanged)
        if dry_run:
            return changed(plan, line=plan.edit.diff().rstrip("\n"))
        message = plan.edit.carried_out(begin)
    if isinstance(message, Err):
        return changed(plan, refusal=f"{message.error}.")
    return changed(plan, line=f"{message.value}.")


def _print_refusal(target: Target, entry: str, plan: EntryPlan) -> None:
    if plan.is_file_at_fault:
        _print_own_command(target, entry, plan.launch)
        note("The entry is:")
        _put_snippet(target.client, entry, plan.launch)
    note(plan.refusal or "")


def _print_each(outcomes: List[_Done], dry_run: bool) -> None:
    for result in outcomes:
        for line in result.lines:
            put(line)
        for sentence in result.sentences:
            note(sentence)
        if result.lines and not dry_run:
            client = result.target.client
            if result.is_started:
                advice = f"{client.apply} {client.success}"
            else:
                advice = client.apply
            note(advice)


def _print_together(outcomes: List[_Done]) -> None:
    """Print a line a client, then each other sentence once, with the clients that it is about."""
    about: Dict[str, List[str]] = {}
    written = [result for result in outcomes if result.lines]
    titles = [result.target.client.title for result in written]
    for result in outcomes:
        client = result.target.client
        if result.lines:
            put(f"{client.title}: {' '.join(result.lines)} {client.apply}")
        for sentence in dict.fromkeys(result.sentences):
            about.setdefault(sentence, []).append(client.title)
    for sentence, clients in about.items():
        if clients == titles:
            line = sentence
        else:
            line = f"{', '.join(clients)}: {sentence}"
        note(line)
    if titles:
        note("Then open the project in Unity, and ask one of them: What is in the Unity console?")


def _note_that_it_may_be_overwritten(client: Client, entry: str, launch: Launch) -> None:
    """Remark that the client may overwrite its file.

    The user often runs this command inside the client, whose process writes its own copy of the file when a setting
    changes.
    """
    command = client.own_command
    if command is None:
        return
    runs = is_any_running(client.program or client.name)
    begin = f"{client.title} runs now, and" if runs else f"While {client.title} runs,"
    remedy = quoted(command(entry, launch, Scope.USER))
    note(
        f"{begin} it may write its own copy over this file. If the entry is gone afterwards: {remedy}"
    )


def _put_snippet(client: Client, entry: str, launch: Launch) -> None:
    """Print the snippet: readable on a terminal, else in ASCII, because a redirected stdout may
    have any encoding.
    """
    text = snippet(client, entry, launch).rstrip("\n")
    if is_terminal(sys.stdout):
        shown_text = text
    else:
        shown_text = in_ascii(text, client.form)
    put(shown_text)


def _print_own_command(target: Target, entry: str, launch: Launch) -> None:
    own_command = target.client.own_command
    unset = set() if target.client.own_command_sets_variables else set(launch.environ)
    if not target.client.own_command_sets_empty_ones:
        unset |= {name for name, value in launch.environ.items() if not value}
    if unset - {MODULE_PATH}:
        return  # its server would look for the secret in another folder
    but_for = f", except that it does not set {MODULE_PATH}" if unset else ""
    if own_command is not None and (
        target.scope is Scope.USER or target.client.own_command_knows_projects
    ):
        note(
            f"Its own command for the same{but_for}: {quoted(own_command(entry, launch, target.scope))}"
        )
