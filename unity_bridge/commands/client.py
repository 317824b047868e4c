"""``unity-bridge client``: Configure an MCP client for this server.

``add`` and ``remove`` plan the change of each file, try what an entry starts, write, and print. Exit status: 0 done (or
nothing to do), 1 a file could not be read, parsed or written; then it is left as it is, and what belongs into it is on
stdout. 2: no such client, or no place for what was asked.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Tuple

import click

from unity_bridge.base.frozen import changed
from unity_bridge.base.result import Err
from unity_bridge.commands.shared.client_options import (
    add_options,
    list_options,
    remove_options,
    show_options,
)
from unity_bridge.commands.shared.client_request import Target, place_of, request_of, targets_of
from unity_bridge.commands.shared.consent_question import can_ask
from unity_bridge.commands.shared.envelope import LinesGroup
from unity_bridge.installation.client_configs import (
    ClientConfig,
    Content,
    all_configs,
    in_ascii,
    one_change_at_a_time,
)
from unity_bridge.installation.client_plan import (
    EntryPlan,
    plan_addition,
    plan_removal,
    snippet,
)
from unity_bridge.installation.client_switches import switched_off
from unity_bridge.installation.clients import CLIENTS
from unity_bridge.installation.clients.client import Client, Launch, Machine, Scope
from unity_bridge.installation.command_line import quoted
from unity_bridge.installation.entries import ClientEntry
from unity_bridge.installation.entry_environment import (
    MODULE_PATH,
    loading_variables,
    named_variables,
    without_placeholders,
)
from unity_bridge.installation.placed_entries import placed_entries, why_idle
from unity_bridge.installation.trial import serves
from unity_bridge.projects.canonical_path import real_path
from unity_bridge.scripting.output import note, put, put_result, stop
from unity_bridge.system.running import is_any_running
from unity_bridge.system.terminal import is_terminal
from unity_bridge.text.foreign_text import quoted as quoted_text
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
        plan = plan_addition(target.configs[0], request, Content())
        if plan.refusal is not None:
            stop(plan.refusal)
        for config in target.configs:
            note(f"{target.client.title} reads {config.path}")
        note(f"Documentation: {target.client.documentation}")
        _put_snippet(target.client, entry, plan.launch)
        _print_own_command(target, entry, plan.launch)
        note(f"{target.client.apply} {target.client.success}")


class _Outcome(NamedTuple):
    """What became of one client's files. ``idle``: why the client does not start what they have."""

    target: Target
    plans: List[EntryPlan]
    idle: List[str]

    @property
    def written(self) -> List[EntryPlan]:
        return [plan for plan in self.plans if plan.refusal is None]

    @property
    def sentences(self) -> List[str]:
        """Return what the user should know of the files."""
        changed_plans = [plan for plan in self.written if plan.edit.changes]
        return [*(line for plan in changed_plans for line in plan.sentences), *self.idle]


@command.command(epilog="Example: unity-bridge client add codex --dry-run")
@add_options
def add(
    clients: Tuple[str, ...], every: bool, entry: str, yes: bool, dry_run: bool, **options: Any
) -> int:
    """Add the server to the clients' files, after a backup. Your own changes to an entry are kept."""
    place, targets, request = request_of(clients, every, entry, options)
    if place.scope is Scope.PROJECT:
        note(
            "The file has paths of this machine. Other members of the project's team need their own."
        )
    trials = Trials(yes, dry_run)
    outcomes = []
    for target in targets:
        plans = [
            _carried_out(config, partial(plan_addition, config, request), dry_run, trials)
            for config in target.configs
        ]
        for plan in plans:
            _print_refusal(target, entry, plan)
        idle = why_idle(target.configs, entry, Machine(), place.folder)
        outcomes.append(_Outcome(target, plans, idle))
    if every and not dry_run:
        _print_together(outcomes)
    else:
        _print_each(outcomes, dry_run)
    for outcome in outcomes:
        if not dry_run:
            _note_that_it_may_be_overwritten(outcome, entry)
    return _status(plan for outcome in outcomes for plan in outcome.plans)


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
) -> int:
    """Remove the server from the clients' files, after a backup."""
    if options["project"] is not None and options["scope"] == Scope.USER:
        stop("Your own entries differ by their names: see --as, and `client list`.")
    place = place_of(**options)
    all_plans = []
    for target in targets_of(clients, every, file, key, place):
        plans = [
            _carried_out(config, partial(plan_removal, config, entry), dry_run)
            for config in target.configs
        ]
        for plan in plans:
            if plan.refusal is None:
                put(plan.line)
            for sentence in filter(None, (plan.refusal, *plan.sentences)):
                note(sentence)
        all_plans += plans
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
    return _status(all_plans)


def _carried_out(
    config: ClientConfig,
    planned: Callable[[Content], EntryPlan],
    dry_run: bool,
    trials: Optional[Trials] = None,
) -> EntryPlan:
    """Plan the change of a file, try what it starts, and write it."""
    plan = planned(config.read())
    if trials is not None and plan.refusal is None:
        plan = trials.tried(plan)
    if plan.refusal is not None:
        return plan
    with one_change_at_a_time(dry_run):
        content = config.read()
        if content.fault is not None or content.text != plan.edit.before:
            # A trial takes long enough for the client to write its file.
            plan = planned(content)
        return plan.written(dry_run)


def _status(plans: Iterable[EntryPlan]) -> int:
    return int(any(plan.refusal is not None for plan in plans))


def _print_refusal(target: Target, entry: str, plan: EntryPlan) -> None:
    if plan.is_file_at_fault:
        _print_own_command(target, entry, plan.launch)
        note("The entry is:")
        _put_snippet(target.client, entry, plan.launch)
    if plan.refusal is not None:
        note(plan.refusal)


def _print_each(outcomes: List[_Outcome], dry_run: bool) -> None:
    for outcome in outcomes:
        for plan in outcome.written:
            put(plan.line)
        for sentence in outcome.sentences:
            note(sentence)
        if outcome.written and not dry_run:
            client = outcome.target.client
            advice = client.apply
            if not outcome.idle:
                advice += f" {client.success}"
            note(advice)


def _print_together(outcomes: List[_Outcome]) -> None:
    """Print a line a client, then each other sentence once, with the clients that it is about."""
    about: Dict[str, List[str]] = {}
    titles = []
    for outcome in outcomes:
        client = outcome.target.client
        if outcome.written:
            titles.append(client.title)
            lines = " ".join(plan.line for plan in outcome.written)
            put(f"{client.title}: {lines} {client.apply}")
        for sentence in dict.fromkeys(outcome.sentences):
            about.setdefault(sentence, []).append(client.title)
    for sentence, clients in about.items():
        line = sentence
        if clients != titles:
            line = f"{', '.join(clients)}: {sentence}"
        note(line)
    if titles:
        note("Then open the project in Unity, and ask one of them: What is in the Unity console?")


def _note_that_it_may_be_overwritten(outcome: _Outcome, entry: str) -> None:
    """Remark that the client may overwrite its file.

    The user often runs this command inside the client, whose process writes its own copy of the file when a setting
    changes.
    """
    client, scope, _ = outcome.target
    command = client.own_command
    is_at_risk = outcome.written and client.writes_its_file_back and scope is Scope.USER
    if not is_at_risk or command is None:
        return
    runs = is_any_running(client.program or client.name)
    begin = f"{client.title} runs now, and" if runs else f"While {client.title} runs,"
    remedy = quoted(command(entry, outcome.written[0].launch, scope))
    note(
        f"{begin} it may write its own copy over this file. If the entry is gone afterwards: {remedy}"
    )


def _put_snippet(client: Client, entry: str, launch: Launch) -> None:
    """Print the snippet: readable on a terminal, else in ASCII, because a redirected stdout may
    have any encoding.
    """
    text = snippet(client, entry, launch).rstrip("\n")
    if not is_terminal(sys.stdout):
        text = in_ascii(text, client.form)
    put(text)


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


def state(config: ClientConfig) -> str:
    content = config.read()
    if content.fault is not None:
        return f"the file {content.fault}"
    if not os.path.exists(config.path):
        return "no file"
    entries = [entry for entry in config.entries_in(content) if entry.folder is None]
    return "; ".join(_described(config, entry) for entry in entries) or "no unity-bridge"


def is_found(config: ClientConfig, machine: Machine) -> bool:
    """Return whether the file exists, or the client is installed and would read it in any project."""
    if os.path.lexists(config.path):
        return True
    return config.scope is Scope.USER and config.client.is_found(machine)


def as_json(config: ClientConfig, machine: Machine) -> Dict[str, Any]:
    return {
        "client": config.client.name,
        "scope": config.scope.value,
        "path": str(config.path),
        "state": state(config),
        "found": is_found(config, machine),
        "entries": [
            {"name": entry.name, "port": entry.port, "folder": entry.folder, "via": entry.via}
            for entry in config.entries()
        ],
    }


def local_entries(config: ClientConfig) -> List[Tuple[str, str]]:
    """``(folder, what its entry says)`` for servers of single projects in a user's file."""
    return [
        (entry.folder, _described(config, entry))
        for entry in config.entries()
        if entry.folder is not None
    ]


def _described(config: ClientConfig, entry: ClientEntry) -> str:
    missing = entry.missing_path()
    if missing is not None:
        return f"{entry.name}, but {missing} does not exist"
    parts = (("via", entry.via), ("for", entry.project), ("on port", entry.port))
    words = [f" {word} {value}" for word, value in parts if value is not None]
    if switched_off(config, entry, Machine(), config.project):
        words.append(", switched off")
    return entry.name + "".join(words)


class Trials:
    """Tries plans before they are written; each entry across a border once, for all its files.

    ``yes``: the user keeps what an existing entry sets, whatever code that loads.
    """

    def __init__(self, yes: bool, dry_run: bool) -> None:
        self._yes = yes
        self._dry_run = dry_run
        self._failures: Dict[Tuple[Tuple[str, ...], ...], Optional[str]] = {}

    def tried(self, plan: EntryPlan) -> EntryPlan:
        """Return the plan, refused if no server answers; end the command if the user says no."""
        if plan.edit.changes:
            self._ask_to_keep(plan)
        if not plan.is_elsewhere or self._dry_run:
            return plan
        failure = self._failure(plan.launch)
        if failure is None:
            return plan
        refusal = f"{quoted(plan.launch.words)}: {failure}. {plan.edit.path} was left as it is."
        return changed(plan, refusal=refusal)

    def _ask_to_keep(self, plan: EntryPlan) -> None:
        """Name the kept variables that may load code, and end the command if they may not stay."""
        for name in named_variables(plan.kept):
            sets = f"sets {name} to '{quoted_text(plan.kept[name])}'"
            note(f"The entry in {plan.edit.path} {sets}, which may load code into its server.")
        loading = loading_variables(plan.kept)
        if self._dry_run or self._yes or not loading:
            return
        if not can_ask():
            names = ", ".join(loading)
            stop(f"{names} would stay in the entry. Add --yes to keep it, or take it out first.")
        if not click.confirm("Keep it?", default=False, err=True):
            stop(f"{plan.edit.path} was left as it is.")

    def _failure(self, launch: Launch) -> Optional[str]:
        """Return why no server answers at the other end; None if one does.

        Nothing of an existing entry is set.
        """
        variables = without_placeholders(dict(launch.environ))
        entry = (tuple(launch.words), *sorted(variables.items()))
        if entry not in self._failures:
            note(f"Trying {quoted(launch.words)} (a slow host may take a minute) ...")
            tried = serves(launch.words, variables, say=note)
            self._failures[entry] = None
            if isinstance(tried, Err):
                self._failures[entry] = tried.error
        return self._failures[entry]
