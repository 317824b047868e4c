"""``unity-bridge allow``: List, grant or withdraw what clients may do in a project.

Exit status: 0 done; 1 it could not be done, or the user said no; 2 usage, or no terminal to ask on.
"""

from __future__ import annotations

from typing import Any, Dict, Optional

import click

from unity_bridge.base.result import Err
from unity_bridge.commands.shared.consent_question import is_wanted, need_terminal
from unity_bridge.commands.shared.envelope import put_answer, put_failure
from unity_bridge.commands.shared.options import (
    flag,
    json_option,
    prints_json,
    script_command,
)
from unity_bridge.projects.canonical_path import canonical_path
from unity_bridge.scripting.output import note, stop, value_or_stop
from unity_bridge.serve.settings import meant_project
from unity_bridge.text.foreign_text import visible_line
from unity_bridge.trust import consent

_FAILED = 1


@script_command("allow", "Example: unity-bridge allow csharp --project ~/Game")
@click.argument("what", type=click.Choice([consent.CSHARP]), required=False)
@click.option(
    "--project",
    metavar="PATH",
    help="The Unity project; by default the one around the working directory.",
)
@flag("--off", help="Withdraw it.")
@json_option()
def command(what: Optional[str], project: Optional[str], off: bool) -> int:
    """List what clients may do in which projects, or allow it.

    allow csharp lets clients run C# in a project's editor
    (run_csharp). It asks on the terminal, and no option answers for you.
    """
    if what is None:
        if off:
            raise click.UsageError("Name what to withdraw: `unity-bridge allow csharp --off`.")
        return _list()
    root = value_or_stop(meant_project(project))
    if root is None:
        stop("This folder is not in a Unity project. Name one with --project PATH.")
    path = canonical_path(root)
    if not off:
        need_terminal()
        if not is_wanted(path):
            note("Nothing was changed.")
            return _FAILED
    outcome = consent.allow(path, not off)
    if isinstance(outcome, Err):
        return _fail(outcome.error)
    result: Dict[str, Any] = {"allowed": not off, "what": what, "project": path}
    state = "off" if off else "allowed"
    put_answer(True, result, [f"{what} is {state} in {visible_line(path)}"])
    return 0


def _list() -> int:
    allowed = consent.allowed_projects()
    if isinstance(allowed, Err):
        return _fail(allowed.error)
    lines = (f"{consent.CSHARP}  {visible_line(path)}" for path in allowed.value)
    put_answer(True, {consent.CSHARP: allowed.value}, lines)
    if not allowed.value and not prints_json():
        note("Nothing is allowed in any project.")
    return 0


def _fail(why: str) -> int:
    put_failure({"code": "ERR_INVALID_REQUEST", "message": f"{why}."})
    return _FAILED
