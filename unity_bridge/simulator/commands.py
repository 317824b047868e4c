"""The commands that ``run_command`` knows: what one takes, and whether it fits (SPEC §16.5)."""

from __future__ import annotations

import json
import re
from typing import Any, Callable, Dict, List, Mapping, Match, Optional, Set, Tuple

from unity_bridge.base.frozen import frozen
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.installation.package_copy import shipped_package
from unity_bridge.simulator.job import Refusal, refused
from unity_bridge.simulator.unity_api import UnityApi
from unity_bridge.text import json_reader

_PARAMETER = re.compile(r"(?P<name>\w+): (?P<type>.+?)(?: = (?P<default>.+))?")
_TYPES: Mapping[str, Tuple[type, ...]] = {
    "int": (int,),
    "float": (int, float),
    "string": (str,),
    "bool": (bool,),
    "object": (dict,),
    "Vector3": (list, dict),
}

_OPTIONS = "None|Development|AllowDebugging|..."
# An enum of Unity's own, which the package's sources do not have.
_UNITYS_ENUMS: Mapping[str, str] = {"BuildOptions": _OPTIONS}
# Types whose name in C# is another one than in a signature.
_OBJECT = "IDictionary<string, object>"
_ANYTHING = re.compile(r"\bobject (?=\w)")
# The bridge fills in parameters of these types by itself.
_FILLED_IN = ("ToolContext", "CancellationToken", "IProgress<float>")
_TEXT = r'"(?:[^"\\]|\\.)*"'
_DECLARED = re.compile(
    rf'\[BridgeCommand\("(?P<name>\w+)", (?P<description>{_TEXT}(?:\s*\+ {_TEXT})*)(?P<reads>,\s+Write = false)?'
    r"(?P<hidden>, Hidden = true)?(?:, Step = true)?(?:, NextToOthers = true)?\)\]"
    r"\s*private static \w+ (?P<method>\w+)\((?P<parameters>[^)]*)\)"
)

# How like a name must be to be one that may be meant, and the letters of a word that counts.
_ALIKE = 0.7
_LEAST_WORD = 3

# What a command returned, or why it was not carried out.
Value = Result[Any, Refusal]
# Why it cannot be run now, if it cannot.
Check = Callable[[UnityApi], Optional[Refusal]]


@frozen
class Behaviour:
    """``run(editor, **arguments)`` on the main thread; then the command takes ``duration_s`` of the project's time.

    ``needs``: what is checked before. ``lasts(**arguments)``: its duration, if the arguments say it.
    ``goes_on``: why it must end before that, checked while it runs. ``ends``: called at its end, whatever that is.
    ``loses_reload``: a reload of the domain ends it; else it continues after one.
    """

    run: Callable[..., Value]
    needs: Tuple[Check, ...] = ()
    duration_s: float = 0.0
    loses_reload: bool = False
    lasts: Optional[Callable[..., float]] = None
    goes_on: Check = lambda editor: None
    ends: Callable[[UnityApi], None] = lambda editor: None


def _not_simulated(editor: UnityApi, **arguments: Any) -> Value:
    return Err(refused("not_simulated", "The simulated editor cannot run this command. Use a real editor."))


NOT_SIMULATED = Behaviour(_not_simulated)


@frozen
class Command:
    """``signature``: as the plugin lists it. ``counts``: it reports progress. ``is_hidden``: no list shows it."""

    signature: str
    description: str
    source: str
    does: Behaviour
    writes: bool = True
    can_be_stopped: bool = False
    counts: bool = False
    is_hidden: bool = False

    @property
    def name(self) -> str:
        return self.signature.partition("(")[0]

    def as_json(self) -> Dict[str, Any]:
        listed = {"name": self.name, "description": self.description, "signature": self.signature}
        return {**listed, "write": self.writes, "source": self.source}

    def types(self) -> Dict[str, str]:
        """The type of each parameter, as in the signature."""
        return {parameter["name"]: parameter["type"] for parameter in self._parameters()}

    def arguments(self, given: Mapping[str, Any]) -> Result[Dict[str, Any], str]:
        """The arguments with defaults filled in and enums as they are declared; ``Err`` says what does not fit."""
        parameters = self._parameters()
        for name in given:
            if all(name != parameter["name"] for parameter in parameters):
                return Err(f"it takes no argument {name}")
        values: Dict[str, Any] = {}
        for parameter in parameters:
            name, kind, default = parameter["name"], parameter["type"], parameter["default"]
            if name not in given and default is None:
                return Err(f"{name} is missing")
            value = _converted(kind, given[name]) if name in given else _default(kind, default)
            if value is _UNFIT:
                return Err(f"{name} must be {kind}, not {json.dumps(given[name])[:60]}")
            values[name] = value
        return Ok(values)

    def _parameters(self) -> List[Match[str]]:
        parts = re.split(r", (?=\w+: )", self.signature.partition("(")[2][:-1])
        return [match for part in parts for match in [_PARAMETER.fullmatch(part)] if match is not None]


_UNFIT = object()


def _default(kind: str, text: str) -> Any:
    return text if "|" in kind and not kind.endswith("[]") else json_reader.loads(text)


def _converted(kind: str, value: Any) -> Any:
    """The value as the type has it, or ``_UNFIT``: nothing is rounded, and an enum comes by name in any case."""
    if kind.endswith("[]"):
        if not isinstance(value, list):
            return None if value is None else _UNFIT
        items = [_converted(kind[:-2].strip("()"), one) for one in value]
        return _UNFIT if _UNFIT in items else items
    if kind.endswith("?"):
        return None if value is None else _converted(kind[:-1], value)
    if kind in _TYPES:
        return value if type(value) in _TYPES[kind] else _UNFIT
    names = kind.split("|")
    fitting = [name for name in names if isinstance(value, str) and name.lower() == value.lower()]
    if fitting or "..." not in names or not isinstance(value, str):
        return fitting[0] if fitting else _UNFIT
    return value  # one of the names that the signature leaves out


def commands_of_the_package(behaviours: Mapping[str, Behaviour]) -> List[Command]:
    """The commands in the package's C# sources, so that they are listed exactly as the plugin lists them."""
    files = sorted((shipped_package() / "Editor" / "Commands").rglob("*.cs"))
    sources = "\n".join(file.read_text(encoding="utf-8") for file in files)
    enums = {name: "|".join(re.findall(r"\w+", body)) for name, body in re.findall(r"enum (\w+)\s*{([^}]*)}", sources)}
    enums.update(_UNITYS_ENUMS)
    found = []
    for declared in _DECLARED.finditer(sources):
        owner = re.findall(r"class (\w+)", sources[: declared.start()])[-1]
        parameters = _ANYTHING.sub("any ", declared["parameters"]).replace(_OBJECT, "object")
        given = [one for one in re.split(r",\s+", parameters) if one]
        shown = ", ".join(_in_signature(one, enums) for one in given if not one.startswith(_FILLED_IN))
        command = Command(
            f"{declared['name']}({shown})",
            "".join(text[1:-1] for text in re.findall(_TEXT, declared["description"])),
            f"UnityBridge.Commands.{owner}.{declared['method']} (UnityBridge.Editor)",
            behaviours.get(declared["name"], NOT_SIMULATED),
            writes=declared["reads"] is None,
            can_be_stopped="CancellationToken" in declared["parameters"],
            counts="IProgress" in declared["parameters"],
            is_hidden=declared["hidden"] is not None,
        )
        found.append(command)
    return found


def _in_signature(parameter: str, enums: Mapping[str, str]) -> str:
    """``Unsaved unsaved = Unsaved.refuse`` as ``unsaved: refuse|save|discard = refuse``."""
    declared, _, default = parameter.partition(" = ")
    kind, name = declared.split()
    item = kind.replace("[]", "")
    if item in enums:
        kind = f"({enums[item]})[]" if item != kind else enums[item]
    return f"{name}: {kind}" + (f" = {default.rpartition('.')[2]}" if default else "")


def nearest_three(name: str, commands: Mapping[str, Command]) -> List[str]:
    """The signatures of at most three commands whose names are like ``name``, or share a word with it."""
    import difflib  # only when something is wrong

    asked = name.lower()[:64]

    def likeness(command: Command) -> float:
        return difflib.SequenceMatcher(None, asked, command.name).ratio()

    def is_near(command: Command) -> bool:
        is_part = bool(asked) and (asked in command.name or command.name in asked)
        return is_part or likeness(command) >= _ALIKE or bool(_words(asked) & _words(command.name))

    near = [command for command in commands.values() if is_near(command)]
    return [command.signature for command in sorted(near, key=likeness, reverse=True)[:3]]


def _words(name: str) -> Set[str]:
    return {word for word in re.split(r"[_. -]", name) if len(word) >= _LEAST_WORD}
