"""An error for a person at a shell: its sentence with the shell's spelling, and what its lists name
(SPEC §19.3).
"""

from __future__ import annotations

import json
import re
from typing import Callable, Collection, Iterator, List, Mapping, Optional

from unity_bridge.catalogue import CATALOGUE
from unity_bridge.catalogue.plugin_commands import ALL
from unity_bridge.text.foreign_text import visible_line
from unity_bridge.text.json_types import JsonObject

# Scenes and assets with changes, windows and settings with changes, and errors, in this order.
_LISTS = ("scenes", "assets", "windows", "settings", "errors")
_COMMANDS = {"compile": "compile", "run_tests": "test"}
# A name before a value: a colon in a sentence is none.
_VALUE = r'(?=(?:save|discard|refuse|disk|editor|true|false)\b|[\d\["])'
_TOOL_CALLED = re.compile(r"\b([Cc]all) (compile|run_tests) with\b")


def spelled(text: str, tool: str, params: JsonObject) -> str:
    """Return the sentence with arguments as options of the tool's command, or as NAME=VALUE of one
    that is run.
    """
    if tool in _COMMANDS:
        called = _TOOL_CALLED.sub(
            lambda match: f"{match[1]} `unity-bridge {_COMMANDS[match[2]]}` with", text
        )
        names = CATALOGUE[tool].input_schema["properties"]
        saved = called
        if tool == "run_tests":
            saved = called.replace("unsaved: save", "--save")
        return _renamed(saved, names, lambda name: f"--{name.replace('_', '-')} ")
    command = ALL.get(str(params.get("name")))
    if tool != "run_command" or command is None:
        return text
    return _renamed(text, [name for name, *_ in command.parameters], lambda name: f"{name}=")


def _renamed(text: str, names: Collection[str], rename: Callable[[str], str]) -> str:
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, names))}): {_VALUE}")
    if names:
        return pattern.sub(lambda match: rename(match[1]), text)
    return text


def named_in(error: Optional[JsonObject]) -> List[str]:
    """Return an indented line for each entry of the lists in the error's details."""
    details: JsonObject = {}
    if error is not None:
        details = error.get("details") or {}
    own_words = details.get("unity")
    renamed: JsonObject = {}
    if isinstance(own_words, Mapping):
        renamed = own_words
    return [f"  {line}" for members in (details, renamed) for line in _entries(members)]


def _entries(members: JsonObject) -> Iterator[str]:
    for name in _LISTS:
        entries = members.get(name)
        for entry in entries if isinstance(entries, list) else ():
            if not isinstance(entry, str):
                entry = json.dumps(entry)
            yield visible_line(entry)
