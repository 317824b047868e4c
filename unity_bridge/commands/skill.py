"""``unity-bridge skill``: Install instructions for agents that use the shell.

Exit status: 0 done, 1 a skill could not be written.
"""

from __future__ import annotations

from pathlib import Path
from typing import Dict, List, Optional, Sequence, Tuple

import click

from unity_bridge.base.result import Err
from unity_bridge.commands.shared.envelope import LinesGroup
from unity_bridge.installation import skill as skills
from unity_bridge.installation.clients import CLIENTS
from unity_bridge.installation.clients.client import Client, Machine, Scope
from unity_bridge.installation.command_line import ours_in_any_shell, quoted
from unity_bridge.installation.this_installation import this_installation
from unity_bridge.installation.unity_project import enclosing_project
from unity_bridge.launch import environment
from unity_bridge.projects.project_commands import KnownCommand
from unity_bridge.scripting.output import note, put, stop
from unity_bridge.text.foreign_text import visible

_READERS = [name for name, client in CLIENTS.items() if client.skills is not None]

_clients = click.argument("clients", metavar="[CLIENT]...", nargs=-1, type=click.Choice(_READERS))
_scope = click.option(
    "--project/--user",
    "for_project",
    default=None,
    help="For this project, which its team shares, or for all your projects. Default: --project inside a project.",
)


command = LinesGroup(
    "skill",
    help="Install instructions for agents that use the shell: skills by subject, which they read when they need them."
    f"\n\nCLIENT is one of {', '.join(_READERS)}. Without one: every client that this machine seems to have.",
    epilog="Example: unity-bridge skill install claude-code --project",
)


@command.command(epilog="Example: unity-bridge skill install claude-code codex --user")
@_clients
@_scope
def install(clients: Tuple[str, ...], for_project: Optional[bool]) -> int:
    """Write the skills to the folders where agents look for them. Run it again to update them."""
    scope, folder = _where(for_project)
    program = _program(scope)
    commands = _commands(scope, folder)
    pages = {name: skills.rendered(name, program, commands) for name in skills.NAMES}
    failures = 0
    for place in skills.skill_folders(Machine(), scope, folder, _chosen(clients)):
        written, faults = _install(place, pages)
        for fault in faults:
            note(fault)
        failures += len(faults)
        readers = ", ".join(client.title for client in place.clients)
        if written:
            put(f"Wrote to {place.path}: {', '.join(written)}, for {readers}.")
        elif not faults:
            put(f"{place.path} is of this version already.")
    return int(failures > 0)


def _install(place: skills.SkillFolder, pages: Dict[str, str]) -> Tuple[List[str], List[str]]:
    """Return the names that were written, with their backups, and why others were not."""
    written: List[str] = []
    faults: List[str] = []
    for skill in place.skills:
        edit = skill.writing(pages[skill.name])
        if isinstance(edit, Err):
            faults.append(f"{skill.path} {edit.error}. It was left as it is.")
            continue
        if not edit.value.changes:
            continue
        backup = edit.value.apply()
        if isinstance(backup, Err):
            faults.append(f"{skill.path} {backup.error}.")
        elif backup.value is None:
            written.append(skill.name)
        else:
            written.append(f"{skill.name} (backup: {backup.value})")
    return written, faults


@command.command(epilog="Example: unity-bridge skill show --name unity-make")
@_clients
@_scope
@click.option(
    "--name",
    metavar="SKILL",
    type=click.Choice(skills.NAMES),
    default=skills.PROGRAM,
    help=f"Which of {', '.join(skills.NAMES)}.  [default: {skills.PROGRAM}]",
)
def show(clients: Tuple[str, ...], for_project: Optional[bool], name: str) -> None:
    """Print a skill, as "skill install" would write it. It is the same for every client."""
    scope, folder = _where(for_project)
    text = skills.rendered(name, _program(scope), _commands(scope, folder))
    put(visible(text).rstrip("\n"))


@command.command(epilog="Example: unity-bridge skill remove --user")
@_clients
@_scope
def remove(clients: Tuple[str, ...], for_project: Optional[bool]) -> int:
    """Remove the skills."""
    scope, folder = _where(for_project)
    chosen = [CLIENTS[name] for name in clients or _READERS]
    failures, removed = 0, 0
    for place in skills.skill_folders(Machine(), scope, folder, chosen):
        for skill in place.skills:
            result = skill.remove()
            if isinstance(result, Err):
                note(f"{skill.path} {result.error}.")
                failures += 1
            elif result.value:
                put(f"Removed {skill.path}.")
                removed += 1
    if not removed and not failures:
        put("There is no skill.")
    return int(failures > 0)


def _where(for_project: Optional[bool]) -> Tuple[Scope, Path]:
    """Return the scope, and the project's folder: Unity's, else the one around here."""
    project = enclosing_project()
    folder = Path.cwd() if project is None else project.root
    if for_project is None:
        for_project = project is not None
    return (Scope.PROJECT if for_project else Scope.USER), folder


def _chosen(names: Sequence[str]) -> List[Client]:
    if names:
        return [CLIENTS[name] for name in names]
    machine = Machine()
    clients = [CLIENTS[name] for name in _READERS if CLIENTS[name].is_found(machine)]
    if not clients:
        stop(f"None of the clients was found on this machine. Name one: {', '.join(_READERS)}.")
    return clients


def _commands(scope: Scope, folder: Path) -> Sequence[KnownCommand]:
    if scope is Scope.PROJECT:
        return skills.project_commands(folder)
    return ()


def _program(scope: Scope) -> str:
    """Return how the skills start this program: what a team shares names the command, since a path
    would be of this machine.
    """
    if scope is Scope.USER:
        return ours_in_any_shell()
    if environment.on_path("unity-bridge") is None:
        put_there = quoted(this_installation().onto_path())
        note(
            f"unity-bridge is not on PATH here, where agents look for it. Install it: `{put_there}`; "
            "or use --user, whose skills name the path of this installation."
        )
    return "`unity-bridge`"
