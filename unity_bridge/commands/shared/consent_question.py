"""Whether clients may run C# in a project: the question, on a terminal with a person at it."""

from __future__ import annotations

import sys

import click

from unity_bridge.scripting.output import note
from unity_bridge.system.terminal import is_terminal
from unity_bridge.text.foreign_text import visible_line

_QUESTION = (
    "Clients, such as coding agents, will run any C# in the Unity Editor of this project with your "
    "rights, without\nasking you each time. `unity-bridge allow csharp --off` withdraws this."
)


def can_ask() -> bool:
    """Return whether a person can be asked. A pipe is no person."""
    return is_terminal(sys.stdin) and is_terminal(sys.stderr)


def need_terminal() -> None:
    """End the command with a usage error if nobody can be asked."""
    if not can_ask():
        message = "This command asks a question, and there is no terminal"
        raise click.UsageError(f"{message}. Run it in a terminal yourself.")


def is_wanted(path: str) -> bool:
    """Ask on the terminal whether clients may run C# in the project with this canonical path."""
    note(f"Project: {visible_line(path)}\n{_QUESTION}")
    try:
        return click.confirm("Allow it?", default=False, err=True)
    except click.Abort:
        return False
