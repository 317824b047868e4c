"""The commands: a table of their names, modules and summaries. What they share is in
``commands/shared``.

A command's module has the click command of the row as its ``command``; ``tests/commands/test_command_table.py`` holds
the modules equal to the table. Imports no module of the package: the entry point asks it, before anything else,
whether stdout belongs to MCP.
"""

from __future__ import annotations

# Name, module, and what the list of commands and the shell's completion say about it. The order is
# that of --help, by how often a command is needed.
TABLE = (
    ("serve", "serve", "Serve MCP over stdin and stdout (the same as no command)."),
    ("open", "open", "Open the project in Unity and wait until the editor is ready."),
    ("close", "close", "Close the editor, unless something would be lost."),
    ("compile", "compile", "Compile what is on disk, with errors as path(line,column)."),
    (
        "test",
        "test",
        "Compile, then run the project's tests, with a report of failures and JUnit XML.",
    ),
    ("play", "play", "Enter, leave, pause or step play mode."),
    ("inspect", "inspect", "Show scenes, objects and their fields, assets."),
    ("shot", "shot", "Take a picture of the Game view or the Scene view."),
    ("record", "record", "Show the running game in motion, as one sheet of pictures."),
    ("run", "run", "Run a command of the project by its name, or list them."),
    ("console", "console", "Show the Unity console, or follow it."),
    ("exec", "exec", "Run C# from a file or stdin in the editor, if its user allows it."),
    ("status", "status", "Show the editor's state on one screen."),
    ("wait-ready", "wait_ready", "Wait until the editor is ready."),
    ("jobs", "jobs", "List the jobs that run, or show or wait for one."),
    ("call", "call", "Call one tool and print its result as JSON."),
    ("doctor", "doctor", "Check for common problems, and say how to fix each one."),
    ("plugin", "plugin", "Put the Unity package into a project, or update or remove it."),
    ("client", "client", "Configure an MCP client for this server."),
    ("allow", "allow", "List, grant or withdraw what clients may do in a project."),
    ("skill", "skill", "Install instructions for agents that use the shell."),
    ("junit", "junit", "Make one JUnit report of the reports of all shards."),
    (
        "completion",
        "completion",
        "Print a script with which the shell completes commands, options and arguments.",
    ),
    ("demo", "demo", "Show a whole session without Unity."),
    ("simulate", "simulate", "Run a simulated Unity Editor, to try a real client without Unity."),
    ("selftest", "selftest", "Try this program in a real Unity, and write a report."),
)
COMMANDS = {name: summary for name, _, summary in TABLE}
MODULES = {name: f"unity_bridge.commands.{module}" for name, module, _ in TABLE}

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
