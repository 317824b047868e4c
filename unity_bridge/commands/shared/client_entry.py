"""What ``client add`` and ``client show`` write into an entry, and the trial of it before that (SPEC §23)."""

from __future__ import annotations

from pathlib import Path
from typing import Dict, List, Mapping, Optional, Tuple

import click

from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.commands.shared.client_list import entries_of
from unity_bridge.commands.shared.client_targets import FAILED, Place
from unity_bridge.commands.shared.consent_question import can_ask
from unity_bridge.installation.border import WSL, command_over, unsafe_option
from unity_bridge.installation.client_configs import ClientConfig
from unity_bridge.installation.clients.client import Launch, Machine, Scope, StartsIn
from unity_bridge.installation.command_line import quoted
from unity_bridge.installation.entries import ANY_PORT, NewEntry
from unity_bridge.installation.entry_environment import (
    MODULE_PATH,
    entry_environment,
    loading_variables,
    named_variables,
    without_placeholders,
)
from unity_bridge.installation.this_installation import Kind, this_installation
from unity_bridge.installation.trial import first_that_starts, serves
from unity_bridge.installation.wsl import both_paths
from unity_bridge.projects.canonical_path import real_path
from unity_bridge.projects.unity_folder import enclosing, project_here
from unity_bridge.scripting.output import note, stop, value_or_stop
from unity_bridge.text.foreign_text import quoted as quoted_text


def checked_here(via: Optional[str], project: Optional[str]) -> Optional[str]:
    """Return the project as this side sees it, if it can be checked on this side."""
    if via is None or project is None:
        return project
    return value_or_stop(both_paths(project), ".").here if via == WSL else None


def new_entry(
    place: Place, port: Optional[int], project: Optional[str], via: Optional[str], client_project: Optional[str]
) -> NewEntry:
    """``project``: as it was named, which is the far side's path unless ``via`` is None or wsl."""
    if via is None:
        if client_project is not None:
            stop("--client-project is for --via.")
        program = _program()
        return NewEntry(program, port, place.project, entry_environment(Machine(), program))
    program = value_or_stop(command_over(via), ".")
    if via != WSL:
        return NewEntry(program, port, project, client_project=client_project, is_elsewhere=True)
    here = place.project or (enclosing(str(place.folder)) if place.scope is Scope.PROJECT else None)
    if client_project is None:
        client_project = here
    # In a folder of a project, the server finds the project as it does in Windows.
    named = None if place.project is None else value_or_stop(both_paths(place.project), ".").windows
    return NewEntry(program, port, named, client_project=client_project, is_elsewhere=True)


def with_project(config: ClientConfig, entry: str, new: NewEntry) -> Result[NewEntry, str]:
    """Return ``new`` with the working directory's project, if the client would start the server elsewhere (SPEC §19.4).

    A project or a port that the entry in the file has already stays.
    """
    if config.starts_in is StartsIn.PROJECT or new.is_elsewhere or new.project is not None:
        return Ok(new)
    for old in entries_of(config):
        if old.name == entry and (old.project is not None or (old.port is not None and new.port != ANY_PORT)):
            return Ok(new)
    here = project_here()
    if here is None and not new.port:
        return Err(
            f"{config.client.title} starts servers {config.starts_in.value}, so the entry has to name the project: add "
            "--project PATH, or run this in the project's folder."
        )
    return Ok(new if here is None else new._replace(project=real_path(here)))


def _program() -> List[str]:
    """Return the words with which a client can start this installation permanently."""
    installation = this_installation()
    known = value_or_stop(installation.lasting_commands(), ". Nothing was changed.", FAILED)
    if installation.kind is Kind.UVX:
        return known[0]  # a trial would ask the network, and this program was started in the same way
    found = first_that_starts(known, entry_environment(Machine()))
    if isinstance(found, Err):
        stop(
            f"A client could not start this program: {found.error}. An entry sets {MODULE_PATH} to nothing; if "
            f"packages are found through it here, run `{quoted(installation.onto_path())}` first. Nothing was changed.",
            FAILED,
        )
    return found.value


def why_unsafe(launch: Launch, new: NewEntry) -> Optional[str]:
    """Why a shell on the way would change the entry's options; None if it does not."""
    if not new.is_elsewhere:
        return None
    unsafe = unsafe_option(new.program, launch.words[len(new.program) :])
    if unsafe is None:
        return None
    slashes = ", and slashes in a path of Windows" if "\\" in unsafe else ""
    return f"the far side's shell would read '{quoted_text(unsafe)}'; use letters, digits and _./:=@+- only{slashes}"


class Trials:
    """Starts each entry across a border once, for all the files that get it (SPEC §23.2).

    ``yes``: the user keeps what an existing entry sets, whatever code that loads."""

    def __init__(self, yes: bool) -> None:
        self._yes = yes
        self._refusals: Dict[Tuple[Tuple[str, ...], ...], Optional[str]] = {}

    def ask_to_keep(self, path: Path, kept: Mapping[str, str], dry_run: bool) -> None:
        """Name the kept variables that may decide which code is loaded, and end the command if they may not stay."""
        for name in named_variables(kept):
            value = quoted_text(kept[name])
            note(f"The entry in {path} sets {name} to '{value}', which may load code into its server.")
        if dry_run or self._yes or not loading_variables(kept):
            return
        if not can_ask():
            names = ", ".join(loading_variables(kept))
            stop(f"{names} would stay in the entry. Add --yes to keep it, or take it out first.")
        if not click.confirm("Keep it?", default=False, err=True):
            stop(f"{path} was left as it is.")

    def refusal(self, launch: Launch) -> Optional[str]:
        """Return why no server answers at the other end; None if one does. Nothing of an existing entry is set."""
        variables = without_placeholders(dict(launch.environ))
        entry = (tuple(launch.words), *sorted(variables.items()))
        if entry not in self._refusals:
            note(f"Trying {quoted(launch.words)} (a slow host may take a minute) ...")
            tried = serves(launch.words, variables, say=note)
            self._refusals[entry] = tried.error if isinstance(tried, Err) else None
        return self._refusals[entry]
