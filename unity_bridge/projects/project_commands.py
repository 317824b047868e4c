"""The commands of a Unity project, as its plugin wrote them down when the scripts were loaded last
(SPEC §16.5).

``Library/UnityBridge/commands.json`` is for commands that run without an editor. Its words are the project's, not ours.
"""

from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple

from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.catalogue.plugin_commands import COMMANDS_OF_THE_PLUGIN
from unity_bridge.system.shared_file import read_json

_FILE = ("Library", "UnityBridge", "commands.json")

# A project has dozens of commands; a larger file is none of the plugin's, and is not read into
# memory.
_FILE_BYTES_MAX = 4 * 1024 * 1024


class KnownCommand(NamedTuple):
    """``parameters``: name -> type, as in the signature. ``fault``: why it cannot be run.

    ``of_unity``: it is in one of Unity's own assemblies.
    """

    name: str
    description: str
    signature: str
    source: str
    parameters: Mapping[str, str]
    fault: Optional[str]
    of_unity: bool = False

    @property
    def is_ours(self) -> bool:
        """Whether it is one of the plugin's own, of the version that comes with this server."""
        method = COMMANDS_OF_THE_PLUGIN.get(self.name)
        return (
            method is not None
            and self.source == f"UnityBridge.Commands.{method} (UnityBridge.Editor)"
        )

    @property
    def is_the_projects(self) -> bool:
        """Whether it came neither with the plugin nor with Unity."""
        return not self.of_unity and not self.is_ours


def commands_of(project: Optional[str]) -> Result[Tuple[KnownCommand, ...], str]:
    """By name; or in one sentence why nothing is known."""
    if project is None:
        return Err(
            "There is no Unity project around the working directory: name one with --project PATH."
        )
    path = os.path.join(project, *_FILE)
    written = read_json(path, _FILE_BYTES_MAX)
    if isinstance(written, Err):
        return Err(f"{path} {written.error}.")
    if written.value is None:
        return Err(
            f"{path} is not there yet: the plugin writes it when Unity loads the project's scripts."
        )
    rows = written.value.get("commands") if isinstance(written.value, dict) else None
    if not isinstance(rows, list):
        return Err(f"{path} has no list of commands.")
    commands = [command for command in map(_command, rows) if command is not None]
    return Ok(tuple(sorted(commands, key=lambda command: command.name)))


def _command(row: Any) -> Optional[KnownCommand]:
    """Return the command in a row; None if the row is not as the plugin writes it."""
    if not isinstance(row, dict):
        return None
    texts: List[Any] = [
        row.get(name, "") for name in ("name", "description", "signature", "source")
    ]
    if not all(isinstance(text, str) for text in texts) or not texts[0]:
        return None
    name, description, signature, source = texts
    rows = row.get("parameters")
    parameters: Dict[str, str] = {}
    if isinstance(rows, dict):
        parameters = {name: kind for name, kind in rows.items() if isinstance(kind, str)}
    fault = row.get("fault")
    known_fault = fault if isinstance(fault, str) else None
    return KnownCommand(
        name, description, signature, source, parameters, known_fault, row.get("of_unity") is True
    )
