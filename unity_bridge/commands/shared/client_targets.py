"""The files that a command of ``unity-bridge client`` is about, and the folder and project that its options name."""

from __future__ import annotations

from pathlib import Path
from typing import List, NamedTuple, Optional, Sequence

from unity_bridge.installation.client_configs import ClientConfig, config_of
from unity_bridge.installation.clients import CLIENTS
from unity_bridge.installation.clients.client import Client, Machine, Scope, other_client
from unity_bridge.projects.canonical_path import real_path
from unity_bridge.projects.unity_folder import enclosing, named_project
from unity_bridge.scripting.output import note, stop, value_or_stop

FAILED = 1


class Target(NamedTuple):
    """The arguments of one command."""

    client: Client
    scope: Scope
    configs: List[ClientConfig]


class Place(NamedTuple):
    """Which file is meant, and what a new entry in it names.

    ``folder``: the folder that is opened in the client. ``project``: the Unity project, if a server that is started in
    that folder would not find it.
    """

    scope: Scope
    folder: Path
    project: Optional[str]


def place_of(scope: str, folder: Optional[str], project: Optional[str]) -> Place:
    named_scope = Scope(scope)
    if named_scope is Scope.USER:
        if folder is not None:
            stop("--folder is for --scope project only.")
        return Place(named_scope, Path(), None if project is None else real_path(value_or_stop(named_project(project))))
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
