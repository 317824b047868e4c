"""The part of ``doctor`` about a project's own commands: which exist, and which cannot be run."""

from __future__ import annotations

from pathlib import Path
from typing import List

from unity_bridge.base.result import Err
from unity_bridge.installation.findings import Finding, ok, worth_a_note
from unity_bridge.projects.project_commands import commands_of
from unity_bridge.text.foreign_text import quoted

_MOST_NAMED = 12


def command_findings(project: Path) -> List[Finding]:
    """Report the commands as of the last load of the scripts; nothing if the project has none, or none are known."""
    known = commands_of(str(project))
    if isinstance(known, Err):
        return []
    own = [command for command in known.value if command.is_the_projects]
    findings = [
        worth_a_note("commands", f'"{quoted(command.name, 60)}" cannot be run: "{quoted(command.fault)}"')
        for command in own
        if command.fault is not None
    ][:_MOST_NAMED]
    names = [quoted(command.name, 60) for command in own if command.fault is None]
    if names:
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        count = "1 of the project" if len(names) == 1 else f"{len(names)} of the project"
        findings.append(ok("commands", f"{count}: {', '.join(names[:_MOST_NAMED])}{more} (`unity-bridge run --list`)"))
    return findings
