"""Starts what ``client add`` is about to write, and asks about what stays (SPEC §23)."""

from __future__ import annotations

from typing import Dict, List, Optional, Tuple

import click

from unity_bridge.base.frozen import changed
from unity_bridge.base.result import Err
from unity_bridge.commands.shared.consent_question import can_ask
from unity_bridge.installation.client_plan import EntryPlan
from unity_bridge.installation.clients.client import Launch, Machine
from unity_bridge.installation.command_line import quoted
from unity_bridge.installation.entry_environment import (
    MODULE_PATH,
    entry_environment,
    loading_variables,
    named_variables,
    without_placeholders,
)
from unity_bridge.installation.this_installation import Kind, this_installation
from unity_bridge.installation.trial import first_that_starts, serves
from unity_bridge.scripting.output import note, stop, value_or_stop
from unity_bridge.text.foreign_text import quoted as quoted_text

FAILED = 1


def lasting_program() -> List[str]:
    """Return the words that start this installation for a client, always; or end the command."""
    installation = this_installation()
    programs = value_or_stop(installation.lasting_commands(), ". Nothing was changed.", FAILED)
    if installation.kind is Kind.UVX:
        # A trial would ask the network, and this program was started in the same way.
        return programs[0]
    program = first_that_starts(programs, entry_environment(Machine()))
    if isinstance(program, Err):
        stop(
            f"A client could not start this program: {program.error}. An entry sets {MODULE_PATH} "
            "to nothing; if packages are found through it here, run "
            f"`{quoted(installation.onto_path())}` first. Nothing was changed.",
            FAILED,
        )
    return program.value


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
