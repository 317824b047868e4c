"""What the options of ``unity-bridge client`` ask for: files, and what an entry is to start."""

from __future__ import annotations

from pathlib import Path
from typing import Any, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from unity_bridge.base.result import Err
from unity_bridge.installation.client_configs import ClientConfig, config_of
from unity_bridge.installation.client_plan import Wanted
from unity_bridge.installation.clients import CLIENTS
from unity_bridge.installation.clients.client import Client, Machine, Scope, other_client
from unity_bridge.installation.command_line import quoted
from unity_bridge.installation.entries import NewEntry
from unity_bridge.installation.entry_environment import MODULE_PATH, entry_environment
from unity_bridge.installation.remote_command import WSL, command_over
from unity_bridge.installation.this_installation import Kind, this_installation
from unity_bridge.installation.trial import first_that_starts
from unity_bridge.installation.wsl import both_paths
from unity_bridge.projects.canonical_path import real_path
from unity_bridge.projects.unity_folder import enclosing, named_project, project_here
from unity_bridge.scripting.output import note, stop, value_or_stop

FAILED = 1


class Target(NamedTuple):
    """A client, and its files of one scope."""

    client: Client
    scope: Scope
    configs: List[ClientConfig]


class Place(NamedTuple):
    """Which file is meant, and what a new entry in it names.

    ``folder``: the folder that is opened in the client, or may be. ``project``: the Unity project,
    if a server that is started in that folder would not find it.
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
    clients: Tuple[str, ...], every: bool, entry: str, options: Mapping[str, Any]
) -> ClientRequest:
    """Return what the options of ``add`` and ``show`` name, or end the command."""
    project, via = options["project"], options["via"]
    # Only a project of this side can be checked here.
    project_of_this_side = project
    if via is not None and project is not None:
        project_of_this_side = None
        if via == WSL:
            project_of_this_side = value_or_stop(both_paths(project), ".").here
    place = place_of(options["scope"], options["folder"], project_of_this_side)
    targets = targets_of(clients, every, options["file"], options["key"], place)
    new = _new_entry(place, options)
    here = project_here()
    if here is not None:
        here = real_path(here)
    return ClientRequest(place, targets, Wanted(entry, new, here))


def _new_entry(place: Place, options: Mapping[str, Any]) -> NewEntry:
    port, via, client_project = options["port"], options["via"], options["client_project"]
    if via is None:
        if client_project is not None:
            stop("--client-project is for --via.")
        program = lasting_program()
        return NewEntry(program, port, place.project, entry_environment(Machine(), program))
    program = value_or_stop(command_over(via), ".")
    # A path of the far side, as it was named.
    project = options["project"]
    if via == WSL:
        client_project = client_project or place.project
        if client_project is None and place.scope is Scope.PROJECT:
            client_project = enclosing(str(place.folder))
        # In a folder of a project, the server finds the project as it does in Windows.
        project = place.project
        if project is not None:
            project = value_or_stop(both_paths(project), ".").windows
    return NewEntry(program, port, project, client_project=client_project, is_elsewhere=True)


def place_of(scope: str, folder: Optional[str], project: Optional[str]) -> Place:
    if scope == Scope.USER:
        if folder is not None:
            stop("--folder is for --scope project only.")
        named_project = _real_project(project)
        return Place(Scope.USER, Path(named_project or _folder_here()), named_project)
    opened = Path(real_path(folder or project or "."))
    if not opened.is_dir():
        stop(f"{project} is not a folder.")
    named_project = None
    if folder is not None:
        named_project = _real_project(project)
    if named_project == enclosing(str(opened)):
        named_project = None
    return Place(Scope.PROJECT, opened, named_project)


def _real_project(project: Optional[str]) -> Optional[str]:
    if project is None:
        return None
    return real_path(value_or_stop(named_project(project)))


def _folder_here() -> str:
    try:
        return real_path(".")
    except OSError:  # it was removed
        return "."


def targets_of(
    names: Sequence[str], every: bool, file: Optional[str], key: str, place: Place
) -> List[Target]:
    if sum((bool(names), every, file is not None)) != 1:
        stop(f"Name a client ({', '.join(CLIENTS)}), or give --all, or --file PATH.")
    if file is not None:
        path = Path(file).absolute()
        client = other_client(path, tuple(key.split(".")))
        return [Target(client, Scope.USER, [ClientConfig(client, Scope.USER, path)])]
    machine = Machine()
    if place.scope is Scope.USER and not machine.has_home:
        variable = {"win32": "USERPROFILE"}.get(machine.platform, "HOME")
        message = "The user has no home folder, where clients keep their files"
        stop(f"{message}: set {variable}, or name a file with --file.", FAILED)
    clients = [CLIENTS[name] for name in names]
    if every:
        clients = [client for client in CLIENTS.values() if client.is_found(machine)]
        if not clients:
            message = "None of the clients was found on this machine"
            stop(f"{message}. Name one that you are about to install.")
        note(f"Found: {', '.join(client.title for client in clients)}.")
    targets = []
    for client in clients:
        paths = client.files(place.scope, machine, place.folder)
        configs = [config_of(client, place.scope, path, place.folder) for path in paths]
        if configs:
            targets.append(Target(client, place.scope, configs))
        elif every:
            note(_why_no_place(client, place.scope))
        else:
            stop(_why_no_place(client, place.scope))
    return targets


def _why_no_place(client: Client, scope: Scope) -> str:
    if scope is Scope.PROJECT:
        return f"{client.title} reads no file of a project; leave --scope out."
    return f"{client.title} does not run on this system."


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
