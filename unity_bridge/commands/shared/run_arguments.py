"""The arguments of a command of the project by a shell's words: KEY=VALUE or --key VALUE."""

from __future__ import annotations

import re
from typing import Any, List, Mapping, Optional, Sequence

import click

from unity_bridge.commands.shared.option_values import key_values
from unity_bridge.projects.project_commands import KnownCommand
from unity_bridge.text import json_reader
from unity_bridge.text.foreign_text import visible_line
from unity_bridge.text.json_types import JsonDict

# Of text, numbers or names of an enum: such a value has no comma of its own that JSON needs.
_PLAIN_LIST = re.compile(r"(string|bool|int|long|float|double|\(.*\))\[\]")


def run_arguments(words: Sequence[str], command: Optional[KnownCommand]) -> JsonDict:
    """Return the arguments by name. A word that is none is wrong usage."""
    types: Mapping[str, str] = {}
    hint = ""
    if command is not None:
        types = command.parameters
        hint = f". The command is {visible_line(command.signature)}"
    arguments: JsonDict = {}
    for key, text in key_values(_pairs(words, types), hint).items():
        name, _, member = key.partition(".")
        if member and types.get(name, "object") == "object":
            _add(arguments, name, {member: _value(text, None)})
            continue
        value = _value(text, types.get(key))
        if types.get(key) == "object" and not isinstance(value, dict):
            example = f"'{key}={{\"Light.intensity\": 2}}' or {key}.Light.intensity=2"
            raise click.UsageError(f"{key} takes a JSON object, as in {example}")
        _add(arguments, key, value)
    return arguments


def _pairs(words: Sequence[str], types: Mapping[str, str]) -> List[str]:
    """Return KEY=VALUE for each argument that is given as an option. Without a value it is true."""
    pairs, remaining = [], list(words)
    while remaining:
        word = remaining.pop(0)
        if not word.startswith("--"):
            pairs.append(word)
            continue
        key, equals, value = word[2:].partition("=")
        name, dot, member = key.partition(".")
        if name not in types:
            name = name.replace("-", "_")
        if not equals:
            value = "true"
            if _takes_next(types.get(name), remaining):
                value = remaining.pop(0)
        pairs.append(f"{name}{dot}{member}={value}")
    return pairs


def _takes_next(kind: Optional[str], remaining: Sequence[str]) -> bool:
    if not remaining or remaining[0].startswith("--"):
        return False
    return kind is None or kind.rstrip("?") != "bool" or remaining[0] in ("true", "false")


def _add(arguments: JsonDict, name: str, value: Any) -> None:
    """Set an argument. Members of one object may be given in several words."""
    members = arguments.get(name)
    if not isinstance(members, dict) or not isinstance(value, dict):
        arguments[name] = value
        return
    for member in value:
        if member in members:
            raise click.UsageError(f"{name}.{member} is given twice")
    arguments[name] = {**members, **value}


def _value(text: str, kind: Optional[str]) -> Any:
    """Convert the shell's text. Text stays text; a list or a vector may be a,b,c.

    Without a known type, JSON is its value.
    """
    plain = (kind or "").rstrip("?")
    is_list = _PLAIN_LIST.fullmatch(plain) is not None or plain == "vector"
    if plain == "string" or ("|" in plain and not is_list):
        return text
    if is_list and text != "null" and not text.lstrip().startswith(("[", "{")):
        item = plain.replace("[]", "").replace("vector", "float").strip("()")
        return [_value(part.strip(), item) for part in text.split(",") if part.strip()]
    try:
        return json_reader.loads(text)
    except ValueError:
        return text
