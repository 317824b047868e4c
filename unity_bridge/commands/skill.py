"""``unity-bridge skill``: Install instructions for agents that use the shell.

Exit status: 0 done, 1 a place could not be written.
"""

from __future__ import annotations

from pathlib import Path
from typing import List, Optional, Sequence, Tuple

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
from unity_bridge.scripting.output import note, put, stop
from unity_bridge.text.foreign_text import visible

_FAILED = 1
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
    help="Install instructions for agents that use the shell: one SKILL.md, which they read when they need it."
    f"\n\nCLIENT is one of {', '.join(_READERS)}. Without one: every client that this machine seems to have.",
    epilog="Example: unity-bridge skill install claude-code --project",
)


@command.command(epilog="Example: unity-bridge skill install claude-code codex --user")
@_clients
@_scope
def install(clients: Tuple[str, ...], for_project: Optional[bool]) -> None:
    """Write the skill to the folders where agents look for it. Run it again to update it."""
    scope, folder = _where(for_project)
    content = _content(scope, folder)
    succeeded = True
    for place in skills.skills(Machine(), scope, folder, _chosen(clients)):
        edit = place.writing(content)
        if isinstance(edit, Err):
            note(f"{place.path} {edit.error}. It was left as it is.")
            succeeded = False
        elif not edit.value.changes:
            put(f"{place.path} is of this version already.")
        else:
            outcome = edit.value.carried_out("Wrote")
            if isinstance(outcome, Err):
                note(f"{outcome.error}.")
                succeeded = False
                continue
            put(f"{outcome.value}, for {', '.join(client.title for client in place.clients)}.")
    if not succeeded:
        raise click.exceptions.Exit(_FAILED)


@command.command(epilog="Example: unity-bridge skill show --user")
@_clients
@_scope
def show(clients: Tuple[str, ...], for_project: Optional[bool]) -> None:
    """Print the skill, as "skill install" would write it. It is the same for every client."""
    scope, folder = _where(for_project)
    put(visible(_content(scope, folder)).rstrip("\n"))


@command.command(epilog="Example: unity-bridge skill remove --user")
@_clients
@_scope
def remove(clients: Tuple[str, ...], for_project: Optional[bool]) -> None:
    """Remove the skill."""
    scope, folder = _where(for_project)
    chosen = [CLIENTS[name] for name in clients or _READERS]
    succeeded, is_installed = True, False
    for place in skills.skills(Machine(), scope, folder, chosen):
        removed = place.remove()
        if isinstance(removed, Err):
            note(f"{place.path} {removed.error}.")
            succeeded = False
        elif removed.value:
            put(f"Removed {place.path}.")
            is_installed = True
    if not is_installed and succeeded:
        put("There is no skill.")
    if not succeeded:
        raise click.exceptions.Exit(_FAILED)


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


def _content(scope: Scope, folder: Path) -> str:
    is_on_path = environment.on_path("unity-bridge") is not None
    if scope is Scope.PROJECT and not is_on_path:
        put_there = quoted(this_installation().onto_path())
        note(
            f"unity-bridge is not on PATH here, where agents look for it. Install it: `{put_there}`; "
            "or use --user, whose skill names the path of this installation."
        )
    # What a team shares names the command; a path would be of this machine.
    program = ours_in_any_shell() if scope is Scope.USER else "`unity-bridge`"
    commands = []
    if scope is Scope.PROJECT:
        commands = skills.project_commands(folder)
    return skills.rendered(program, commands)
