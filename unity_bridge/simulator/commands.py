"""The pretend project's commands, as data: one that is quick, long, cancelled, thrown, and so on (SPEC §16.5)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Tuple

_TYPES: Mapping[str, type] = {"int": int, "string": str, "bool": bool}


@dataclass(frozen=True)
class Argument:
    """``type``: ``int``, ``string``, ``bool``, or the names of an enum with ``|`` between. No default: it is needed."""

    name: str
    type: str
    default: Any = None
    is_needed: bool = False

    @property
    def signature(self) -> str:
        if self.is_needed:
            return f"{self.name}: {self.type}"
        shown = json.dumps(self.default) if self.type in _TYPES else self.default
        return f"{self.name}: {self.type} = {shown}"

    def fits(self, value: Any) -> bool:
        known = _TYPES.get(self.type)
        return value in self.type.split("|") if known is None else type(value) is known


@dataclass(frozen=True)
class PretendCommand:
    """A command that does nothing but take its time and end as it was told.

    ``counts``: it tells its progress. ``can_be_stopped``: its method takes a token. ``throws``: the exception's type,
    message and stack. ``reloads``: it makes Unity reload the scripts while it runs.
    """

    name: str
    description: str
    writes: bool = True
    arguments: Tuple[Argument, ...] = ()
    duration_s: float = 0.0
    counts: bool = False
    can_be_stopped: bool = False
    throws: Tuple[str, ...] = ()
    reloads: bool = False
    log: str = ""

    @property
    def signature(self) -> str:
        return f"{self.name}({', '.join(argument.signature for argument in self.arguments)})"

    def as_json(self) -> Dict[str, Any]:
        method = "".join(part.capitalize() for part in self.name.split("_"))
        return {
            "name": self.name,
            "description": self.description,
            "signature": self.signature,
            "write": self.writes,
            "source": f"Keep.Editor.Commands.{method} (Keep.Editor)",
        }

    def fault_in(self, given: Mapping[str, Any]) -> Optional[str]:
        """Why it cannot be run with these arguments; ``None`` if it can."""
        for name in given:
            if all(name != argument.name for argument in self.arguments):
                return f"it takes no argument {name}"
        for argument in self.arguments:
            if argument.name not in given:
                if argument.is_needed:
                    return f"{argument.name} is missing"
            elif not argument.fits(given[argument.name]):
                return f"{argument.name} must be {argument.type}, not {json.dumps(given[argument.name])[:60]}"
        return None

    def with_defaults(self, given: Mapping[str, Any]) -> Dict[str, Any]:
        return {argument.name: given.get(argument.name, argument.default) for argument in self.arguments}


_NO_REFERENCE = (
    "System.NullReferenceException",
    "Object reference not set to an instance of an object",
    "Keep.Editor.ReferenceCheck.Look (at Assets/Editor/ReferenceCheck.cs:31)",
    "Keep.Editor.Commands.CheckReferences (at Assets/Editor/Commands.cs:58)",
)

_ALL = (
    PretendCommand("ping", "Answers at once: commands can be run.", writes=False),
    PretendCommand(
        "spawn_wave",
        "Puts enemies into the open scene.",
        arguments=(Argument("enemy", "bat|slime|knight", is_needed=True), Argument("size", "int", 3)),
        log="A wave comes",
    ),
    PretendCommand(
        "bake_lightmaps",
        "Bakes the lightmaps of the open scene; can be cancelled.",
        duration_s=8.0,
        counts=True,
        can_be_stopped=True,
    ),
    PretendCommand(
        "build_player",
        "Builds the player; cannot be cancelled.",
        arguments=(Argument("target", "Android|StandaloneLinux64|WebGL", "StandaloneLinux64"),),
        duration_s=3.0,
    ),
    PretendCommand("check_references", "Looks for missing references; throws.", writes=False, throws=_NO_REFERENCE),
    PretendCommand("generate_items", "Generates code, which makes Unity reload the scripts.", reloads=True),
)

COMMANDS: Mapping[str, PretendCommand] = {command.name: command for command in _ALL}


def nearest_three(name: str) -> List[str]:
    """The signatures of the commands whose names are most like ``name``."""
    import difflib  # only when something is wrong

    def likeness(command: PretendCommand) -> float:
        return difflib.SequenceMatcher(None, name.lower()[:64], command.name).ratio()

    return [command.signature for command in sorted(_ALL, key=likeness, reverse=True)[:3]]
