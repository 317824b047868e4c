"""What the options of ``unity-bridge client`` ask for: the files, and what an entry in them is to start (SPEC §23)."""

from __future__ import annotations

from pathlib import Path
from typing import List, NamedTuple, Optional, Sequence, Tuple

from unity_bridge.commands.shared.client_trial import FAILED, lasting_program
from unity_bridge.installation.border import WSL, command_over
from unity_bridge.installation.client_configs import ClientConfig, config_of
from unity_bridge.installation.client_plan import Wanted
from unity_bridge.installation.clients import CLIENTS
from unity_bridge.installation.clients.client import Client, Machine, Scope, other_client
from unity_bridge.installation.entries import NewEntry
from unity_bridge.installation.entry_environment import entry_environment
from unity_bridge.installation.wsl import both_paths
from unity_bridge.projects.canonical_path import real_path
from unity_bridge.projects.unity_folder import enclosing, named_project, project_here
from unity_bridge.scripting.output import note, stop, value_or_stop


class Target(NamedTuple):
    """The arguments of one command."""

    client: Client
    scope: Scope
    configs: List[ClientConfig]


class Place(NamedTuple):
    """Which file is meant, and what a new entry in it names.

    ``folder``: the folder that is opened in the client, or may be. ``project``: the Unity project, if a server that is
    started in that folder would not find it.
    """

    scope: Scope
    folder: Path
    project: Optional[str]


class ClientRequest(NamedTuple):
    """Which files get which entry."""

    place: Place
    targets: List[Target]
    wanted: Wanted


def request_of(
    clients: Tuple[str, ...],
    every: bool,
    entry: str,
    *,
    file: Optional[str],
    key: str,
    scope: str,
    folder: Optional[str],
    project: Optional[str],
    port: Optional[int],
    via: Optional[str],
    client_project: Optional[str],
) -> ClientRequest:
    """Return what the options of ``add`` and ``show`` name, or end the command."""
    # Only a project of this side can be checked here.
    project_here_or_none = project
    if via is not None and project is not None:
        project_here_or_none = value_or_stop(both_paths(project), ".").here if via == WSL else None
    place = place_of(scope, folder, project_here_or_none)
    targets = targets_of(clients, every, file, key, place)
    here = project_here()
    new = _new_entry(place, port, project, via, client_project)
    return ClientRequest(place, targets, Wanted(entry, new, None if here is None else real_path(here)))


def _new_entry(
    place: Place, port: Optional[int], project: Optional[str], via: Optional[str], client_project: Optional[str]
) -> NewEntry:
    """``project``: as it was named, which is the far side's path unless ``via`` is None or wsl."""
    if via is None:
        if client_project is not None:
            stop("--client-project is for --via.")
        program = lasting_program()
        return NewEntry(program, port, place.project, entry_environment(Machine(), program))
    program = value_or_stop(command_over(via), ".")
    if via != WSL:
        return NewEntry(program, port, project, client_project=client_project, is_elsewhere=True)
    if client_project is None:
        client_project = place.project
        if client_project is None and place.scope is Scope.PROJECT:
            client_project = enclosing(str(place.folder))
    # In a folder of a project, the server finds the project as it does in Windows.
    named = None if place.project is None else value_or_stop(both_paths(place.project), ".").windows
    return NewEntry(program, port, named, client_project=client_project, is_elsewhere=True)


def place_of(scope: str, folder: Optional[str], project: Optional[str]) -> Place:
    named_scope = Scope(scope)
    if named_scope is Scope.USER:
        if folder is not None:
            stop("--folder is for --scope project only.")
        named = None if project is None else real_path(value_or_stop(named_project(project)))
        return Place(named_scope, Path(named or real_path(".")), named)
    opened = Path(real_path(folder or project or "."))
    if not opened.is_dir():
        stop(f"{project} is not a folder.")
    if folder is None or project is None:
        return Place(named_scope, opened, None)
    named = real_path(value_or_stop(named_project(project)))
    return Place(named_scope, opened, None if enclosing(str(opened)) == named else named)


def targets_of(names: Sequence[str], every: bool, file: Optional[str], key: str, place: Place) -> List[Target]:
    if sum((bool(names), every, file is not None)) != 1:
        stop(f"Name a client ({', '.join(CLIENTS)}), or give --all, or --file PATH.")
    scope, machine = place.scope, Machine()
    if file is not None:
        client = other_client(Path(file).absolute(), tuple(key.split(".")))
        return [
            Target(client, Scope.USER, [ClientConfig(client, Scope.USER, path) for path in client.user_files(machine)])
        ]
    if scope is Scope.USER and not machine.has_home:
        variable = "USERPROFILE" if machine.platform == "win32" else "HOME"
        message = "The user has no home folder, where clients keep their files"
        stop(f"{message}: set {variable}, or name a file with --file.", FAILED)
    chosen = [CLIENTS[name] for name in names]
    if every:
        chosen = [client for client in CLIENTS.values() if client.is_found(machine)]
        if not chosen:
            stop("None of the clients was found on this machine. Name one that you are about to install.")
        note(f"Found: {', '.join(client.title for client in chosen)}.")
    targets = []
    for client in chosen:
        files = client.files(scope, machine, place.folder)
        if files:
            targets.append(Target(client, scope, [config_of(client, scope, path, place.folder) for path in files]))
        elif scope is Scope.PROJECT:
            _report_no_place(f"{client.title} reads no file of a project; leave --scope out.", every)
        else:
            _report_no_place(f"{client.title} does not run on this system.", every)
    return targets


def _report_no_place(text: str, goes_on: bool) -> None:
    if not goes_on:
        stop(text)
    note(text)
