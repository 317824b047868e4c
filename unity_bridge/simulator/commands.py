"""The commands that ``run_command`` knows: what one takes, and whether it fits (SPEC §16.5)."""

from __future__ import annotations

import json
from keyword import iskeyword
from typing import Any, Callable, Mapping, Tuple

from unity_bridge.base.frozen import frozen
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.catalogue.plugin_commands import PluginCommand
from unity_bridge.simulator.job import Refusal, not_simulated
from unity_bridge.text import json_reader
from unity_bridge.text.json_types import JsonDict, JsonObject

_TYPES: Mapping[str, Tuple[type, ...]] = {
    "int": (int,),
    "float": (int, float),
    "double": (int, float),
    "string": (str,),
    "bool": (bool,),
    "object": (dict,),
    "vector": (list, dict),
}

# What a command returned, or why it was not carried out.
Value = Result[Any, Refusal]


@frozen
class Behaviour:
    """``run(editor, **arguments)`` on the main thread; it has ended when the editor compiles
    nothing that it began.

    An argument whose name Python does not allow has a ``_`` behind it.
    ``needs_edit_mode``: it is refused while the game plays.
    ``loses_reload``: a reload of the domain ends it; else it continues after one.
    """

    run: Callable[..., Value]
    needs_edit_mode: bool = False
    loses_reload: bool = False


CANNOT_RUN = not_simulated("The simulated editor cannot run this command.")
NOT_SIMULATED = Behaviour(lambda editor, **arguments: Err(CANNOT_RUN))


@frozen
class Command:
    """A declaration, where its method is, and what it does here."""

    declared: PluginCommand
    source: str
    does: Behaviour

    @property
    def name(self) -> str:
        return self.declared.name

    @property
    def is_hidden(self) -> bool:
        return "Hidden" in self.declared.flags

    @property
    def is_step(self) -> bool:
        return "Step" in self.declared.flags

    def as_json(self) -> JsonDict:
        listed = {
            name: getattr(self.declared, name) for name in ("name", "description", "signature")
        }
        return {**listed, "write": self.declared.writes, "source": self.source}

    def arguments(self, members: JsonObject) -> Result[JsonDict, str]:
        """Return the arguments with defaults filled in and enums as declared; ``Err`` says what
        does not fit.
        """
        for name in members:
            if all(name != parameter for parameter, _, _ in self.declared.parameters):
                return Err(f"it takes no argument {name}")
        values: JsonDict = {}
        for name, kind, default in self.declared.parameters:
            if name not in members and default is None:
                return Err(f"{name} is missing")
            if name in members:
                value = _converted(kind, members[name])
            else:
                value = _default(kind, default or "")
            if value is _UNFIT:
                return Err(f"{name} must be {kind}, not {json.dumps(members[name])[:60]}")
            values[f"{name}_" if iskeyword(name) else name] = value
        return Ok(values)


_UNFIT = object()


def _default(kind: str, text: str) -> Any:
    if "|" in kind and not kind.endswith("[]"):
        return text
    return json_reader.loads(text)


def _converted(kind: str, value: Any) -> Any:
    """Return the value as the type has it, or ``_UNFIT``. Nothing is rounded; an enum comes by name
    in any case.
    """
    if kind.endswith("[]"):
        if not isinstance(value, list):
            if value is None:
                return None
            return _UNFIT
        items = [_converted(kind[:-2].strip("()"), item) for item in value]
        if _UNFIT in items:
            return _UNFIT
        return items
    if kind.endswith("?"):
        if value is None:
            return None
        return _converted(kind[:-1], value)
    if kind == "any":
        return value
    if kind in _TYPES:
        if type(value) in _TYPES[kind]:
            return value
        return _UNFIT
    names = kind.split("|")
    fitting = [name for name in names if isinstance(value, str) and name.lower() == value.lower()]
    if fitting or "..." not in names or not isinstance(value, str):
        if fitting:
            return fitting[0]
        return _UNFIT
    return value  # one of the names that the signature leaves out
