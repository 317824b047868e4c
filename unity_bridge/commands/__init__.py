"""The commands, one module each, whose click command is its ``command``. This table is all that ``--help`` reads.

Imports nothing: the entry point asks it, before anything else, whether stdout belongs to the user or to MCP.
"""

from __future__ import annotations

# Name, and what the list of commands and the shell's completion say about it.
COMMANDS = {
    "serve": "Serve MCP over stdin and stdout (the same as no command).",
    "compile": "Compile what is on disk, with errors as path(line,column).",
    "test": "Compile, then run the project's tests, with a report of failures and JUnit XML.",
    "play": "Enter, leave, pause or step play mode.",
    "inspect": "Show scenes, objects and their fields, assets.",
    "shot": "Take a picture of the Game view or the Scene view.",
    "run": "Run a command of the project by its name, or list them.",
    "console": "Show the Unity console, or follow it.",
    "exec": "Run C# in the editor, from a file or stdin, where its user allows it.",
    "status": "Show the editor's state on one screen.",
    "wait-ready": "Wait until the editor is ready.",
    "jobs": "List the jobs that run, or show or wait for one.",
    "call": "Call one tool; its result is JSON on stdout.",
    "doctor": "Check what usually goes wrong, each with what to do.",
    "plugin": "Put the Unity package into a project, or update or remove it.",
    "client": "Configure an MCP client for this server.",
    "skill": "Tell agents that use the shell how to work with Unity.",
    "demo": "Show the whole thing without Unity.",
    "simulate": "Be a simulated Unity Editor, to try a real client without Unity.",
}
