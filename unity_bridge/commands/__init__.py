"""The commands, one module each, whose click command is its ``command``. Other modules here are what they share.

The docstring of a command's module begins with its name and summary, as in play.py: all that ``--help`` reads of it.
Imports no module of the package: the entry point asks it, before anything else, whether stdout belongs to MCP.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict

_FOLDER = os.path.dirname(__file__)
_MARK = '"""``unity-bridge '
# The order of --help, by how often a command is needed; a command that is not named here comes last.
_ORDER = (
    *("serve", "open", "close", "compile", "test", "play", "inspect", "shot", "run", "console", "exec", "status"),
    *("wait-ready", "jobs", "call", "doctor", "plugin", "client", "allow", "skill", "junit", "completion", "demo"),
    *("simulate", "selftest"),
)


def _commands() -> Dict[str, str]:
    """Name -> what the list of commands and the shell's completion say about it."""
    found = {}
    for file in sorted(os.listdir(_FOLDER)):
        if file.endswith(".py"):
            with open(os.path.join(_FOLDER, file), encoding="utf-8") as stream:
                line = stream.readline()
            name, _, summary = line[len(_MARK) :].partition("``: ")
            if line.startswith(_MARK) and name.replace("-", "_") == file[: -len(".py")]:
                found[name] = summary.strip().rstrip('"')
    first = {name: found.pop(name) for name in _ORDER if name in found}
    return {**first, **found}


COMMANDS = _commands()

# Names that are guessed, by users and agents; no list shows them (SPEC §13). A tool without a command is called.
ALIASES = {
    "run-tests": "test",
    "tests": "test",
    "read-console": "console",
    "log": "console",
    "logs": "console",
    "play-mode": "play",
    "screenshot": "shot",
    "run-command": "run",
    "run-csharp": "exec",
    "eval": "exec",
    "get-editor-state": "status",
    "state": "status",
    "launch": "open",
    "get-job-status": "call",
    "cancel-job": "call",
}
# Names that could mean several things.
EXPLAINED = {
    "start": "`unity-bridge serve` starts the server, which MCP clients do themselves; `unity-bridge play enter` "
    "starts the game; `unity-bridge open` starts the editor.",
    "build": "`unity-bridge run build_player` builds a player; `unity-bridge compile` compiles the scripts.",
}


def known_as(word: str) -> str:
    """Return the name under which ``word`` is in COMMANDS, ALIASES or EXPLAINED, if it is in one of them."""
    return word.replace("_", "-")
