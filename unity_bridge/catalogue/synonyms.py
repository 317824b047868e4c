"""What a name means here that other bridges, Unity's API or models have for a tool or a command
(SPEC §12.6). Pure.

The table names the source of each; ``tests/catalogue/test_synonyms.py`` holds it to the commands and tools there are.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache
from typing import Any, Dict, FrozenSet, Mapping, Sequence, Tuple

from unity_bridge.catalogue.plugin_commands import ALL, COMMANDS_OF_THE_PLUGIN, PluginCommand
from unity_bridge.text import json_reader
from unity_bridge.text.spelling import is_slip

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "synonyms.json")
# What was sent may be megabytes.
_LONGEST = 64
_LONGEST_SIGNATURE = 140
_JOINED = (
    ("game_object", "object"),
    ("gameobject", "object"),
    ("scriptableobject", "scriptable_object"),
    ("playmode", "play_mode"),
)
_SAME: Mapping[str, str] = {
    **dict.fromkeys(("destroy", "remove", "erase"), "delete"),
    **dict.fromkeys(("new", "make"), "create"),
    **dict.fromkeys(("clone", "duplicate"), "copy"),
    **dict.fromkeys(("list", "show", "read", "fetch"), "get"),
    **dict.fromkeys(("search", "query"), "find"),
    **dict.fromkeys(("exec", "execute", "invoke"), "run"),
    **dict.fromkeys(("modify", "update", "edit", "change", "assign", "configure"), "set"),
    **{"load": "open", "recompile": "compile"},
}
_IDLE = frozenset(("unity", "mcp", "tool", "manage", "the", "a", "an", "of"))


def meant(name: str, action: Any = None) -> Tuple[str, ...]:
    """Return the calls that do what ``name`` says, with ``action`` if that is known too; none if
    nothing does.

    A name that is one slip away from a tool, or from a command of the plugin, means that one.
    """
    if name in COMMANDS_OF_THE_PLUGIN:
        return (name,)
    names_by_words = _known()
    with_action = names_by_words.get(_key(f"{name} {action}")) if isinstance(action, str) else None
    tools = with_action or names_by_words.get(_key(name))
    return (
        tools
        or tuple(
            tool for tool in (*table()["tools"], *COMMANDS_OF_THE_PLUGIN) if is_slip(name, tool)
        )[:1]
    )


def listed(calls: Sequence[str], of_tools: str = "", of_commands: str = "") -> str:
    """Return the calls for a sentence, each kind after its words; of one command the signature too."""
    commands = [call for call in calls if name_of(call) in ALL]
    if len(calls) == len(commands) == 1:
        return f"{of_commands}{_shown(calls[0])}, which is {_signature(ALL[name_of(calls[0])])}"
    parts = ((of_commands, commands), (of_tools, [call for call in calls if call not in commands]))
    return " or ".join(words + ", ".join(map(_shown, group)) for words, group in parts if group)


def _signature(command: PluginCommand) -> str:
    """Return the signature; of many parameters the names alone, since a refusal is short (SPEC
    §8.3).
    """
    if len(command.signature) <= _LONGEST_SIGNATURE:
        return command.signature
    names = (name if default is None else f"{name}?" for name, _, default in command.parameters)
    return f"{command.name}({', '.join(names)})"


def _shown(call: str) -> str:
    """Return the call with a space after its name, which is all of its name."""
    return call.replace("(", " (")


def name_of(call: str) -> str:
    """Return ``create_object`` of ``create_object(kind=cube)``."""
    return re.split("[(:]", call)[0]


@lru_cache(maxsize=1)
def table() -> Mapping[str, Mapping[str, str]]:
    """Return by source the calls that each name means; by ``tools`` those that are called so
    themselves.
    """
    with open(FILE, encoding="utf-8") as file:
        rows: Mapping[str, Mapping[str, str]] = json_reader.loads(file.read())
    return rows


@lru_cache(maxsize=1)
def _known() -> Mapping[FrozenSet[str], Tuple[str, ...]]:
    names_by_words: Dict[FrozenSet[str], Tuple[str, ...]] = {
        _key(name): (name,) for name in COMMANDS_OF_THE_PLUGIN
    }
    for rows in table().values():
        names_by_words.update(
            {_key(name): tuple(calls.split(", ")) for name, calls in rows.items()}
        )
    return names_by_words


def _key(name: str) -> FrozenSet[str]:
    """Return the words of a name, in any order, case, number and separation; one word for those
    that mean the same.
    """
    text = "_".join(
        re.findall("[a-z0-9]+", re.sub("(?<=[a-z0-9])(?=[A-Z])", "_", name[:_LONGEST]).lower())
    )
    for spelt, word in _JOINED:
        text = text.replace(spelt, word)
    return frozenset(
        _SAME.get(word, word) for word in map(_singular, text.split("_")) if word not in _IDLE
    )


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s"):
        return word[:-1]
    return word
