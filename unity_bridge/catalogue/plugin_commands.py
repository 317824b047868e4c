"""The commands that the plugin of this version brings (SPEC §16.5), as a file of data that its
sources have written.

A file of a project may name anything, and so may a namespace that begins as the plugin's does: only a row with both a
name and a source of this list is one of them. ``tests.declared_commands`` writes the file.
"""

from __future__ import annotations

import os
from typing import Any, FrozenSet, Mapping, Optional, Sequence, Tuple

from unity_bridge.base.frozen import frozen
from unity_bridge.text import json_reader

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plugin_commands.json")


def _rows() -> Any:
    with open(FILE, encoding="utf-8") as file:
        return json_reader.loads(file.read())


@frozen
class PluginCommand:
    """One declaration. ``signature``: as the plugin lists it. ``parameters``: name, type, and
    default if there is one.

    ``keywords``: words that a search finds it by, and no list shows. ``source``: the class and method. ``flags``: those
    of its attribute that are set, such as ``Step`` (of a batch) and ``Hidden`` (no list shows it).
    ``is_joined``: equal calls may be taken for one (SPEC §15.7). ``counts``: it reports progress.
    """

    name: str
    signature: str
    parameters: Sequence[Tuple[str, str, Optional[str]]]
    description: str
    keywords: str
    source: str
    writes: bool
    flags: Tuple[str, ...]
    is_joined: bool
    can_be_stopped: bool
    counts: bool


ALL: Mapping[str, PluginCommand] = {row["name"]: PluginCommand(**row) for row in _rows()}
# By name, the class and method of those that are listed.
COMMANDS_OF_THE_PLUGIN: Mapping[str, str] = {
    name: command.source for name, command in ALL.items() if "Hidden" not in command.flags
}


def searched_texts(name: str, description: str) -> Tuple[str, str, str]:
    """Return what a search for a command looks at: its name, description and, of the plugin's own,
    keywords.
    """
    keywords = ALL[name].keywords if name in COMMANDS_OF_THE_PLUGIN else ""
    return name, description, keywords


# For how long a command runs that is asked to: the argument, its milliseconds, and its default.
_LASTING = {
    "press": ("for_ms", 1, 100),
    "profile": ("seconds", 1000, 3),
    "record": ("seconds", 1000, 3),
    "wait_for": ("within_ms", 1, 10_000),
}
# Longer than any job may run.
_MOST_MS = 24 * 3600 * 1000


def lasts_ms(name: object, arguments: Mapping[str, Any]) -> int:
    """Return how long a command of the plugin runs because its arguments say so; its limit grows
    with that.
    """
    command_name = ""
    if isinstance(name, str):
        command_name = name
    argument, factor, default = _LASTING.get(command_name, ("", 0, 0))
    duration = arguments.get(argument, default)
    if type(duration) not in (int, float) or not duration > 0:
        return 0
    # Bounded before it is multiplied and made whole: it may be a number that no integer can be made
    # of.
    return int(min(duration, _MOST_MS) * factor)


def may_be_joined(name: object, joins: Optional[FrozenSet[str]]) -> bool:
    """Whether equal calls of a command may be taken for one (SPEC §15.7). ``joins``: the plugin's
    ``hello.joins``.

    The plugin lists its own commands alone; those of projects may be joined, as may all of a plugin without a list.
    """
    return joins is None or name not in COMMANDS_OF_THE_PLUGIN or name in joins
