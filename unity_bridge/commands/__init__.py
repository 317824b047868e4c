"""The commands: a table of their names and summaries. What they share is in
``commands/shared``.

A command's module has the click command of the row as its ``command``; ``tests/commands/test_command_table.py`` holds
the modules equal to the table. Imports no module of the package: the entry point asks it, before anything else,
whether stdout belongs to MCP.
"""

from __future__ import annotations

# What the list of commands and the shell's completion say about each. The order is that of --help,
# by how often a command is needed.
COMMANDS = {
    "serve": "Serve MCP over stdin and stdout (the same as no command).",
    "open": "Open the project in Unity and wait until the editor is ready.",
    "close": "Close the editor, unless something would be lost.",
    "compile": "Compile what is on disk, with errors as path(line,column).",
    "test": "Compile, then run the project's tests, with a report of failures and JUnit XML.",
    "play": "Enter, leave, pause or step play mode.",
    "inspect": "Show scenes, objects and their fields, assets.",
    "shot": "Take a picture of the Game view or the Scene view.",
    "record": "Show the running game in motion, as one sheet of pictures.",
    "run": "Run a command of the project by its name, or list them.",
    "console": "Show the Unity console, or follow it.",
    "exec": "Run C# from a file or stdin in the editor, if its user allows it.",
    "status": "Show the editor's state on one screen.",
    "wait-ready": "Wait until the editor is ready.",
    "jobs": "List the jobs that run, or show or wait for one.",
    "call": "Call one tool and print its result as JSON.",
    "doctor": "Check for common problems, and say how to fix each one.",
    "plugin": "Put the Unity package into a project, or update or remove it.",
    "client": "Configure an MCP client for this server.",
    "allow": "List, grant or withdraw what clients may do in a project.",
    "skill": "Install instructions for agents that use the shell.",
    "junit": "Make one JUnit report of the reports of all shards.",
    "completion": "Print a script with which the shell completes commands, options and arguments.",
    "demo": "Show a whole session without Unity.",
    "simulate": "Run a simulated Unity Editor, to try a real client without Unity.",
    "selftest": "Try this program in a real Unity, and write a report.",
}
MODULES = {name: f"unity_bridge.commands.{name.replace('-', '_')}" for name in COMMANDS}

# Names that are guessed, by users and agents; no list shows them (SPEC §13). A tool without a
# command is called.
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
# First words that stand for `run` and for --help.
REWORDED = ("help", "list")


def known_as(word: str) -> str:
    """Return the name under which ``word`` is in COMMANDS, ALIASES or EXPLAINED, if it is in one of
    them.
    """
    return word.replace("_", "-")
