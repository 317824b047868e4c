"""Why no editor is connected: one table for the server, the commands and ``doctor`` (SPEC §3.2, §8,
§18.3, §22.6).

The reasons are those of ``details.reason`` and of ``get_editor_state``.
"""

from __future__ import annotations

from typing import Any, Mapping, NamedTuple, Optional


class Why(NamedTuple):
    """``sentence``: what happened. ``remedy``: what an agent does. ``by_hand``: what a person does,
    at a terminal.

    None of them has its full stop.
    """

    sentence: str
    remedy: str
    by_hand: str


# With these no editor comes unless a person does something, or it takes its time to start.
NOBODY_COMES = frozenset(
    ("unity_not_running", "editor_starting", "plugin_not_installed", "sandboxed", "other_port")
)

_ANOTHER_PORT = "with --port and in Unity's Project Settings > Unity Bridge"

WHY: Mapping[str, Why] = {
    "port_in_use": Why(
        "Port {port} is in use{holder}, so Unity cannot connect",
        "Ask the user to stop that program, or to choose another port, with --port and in Unity's Project Settings; "
        "this server takes the port once it is free",
        f"Stop that program, or use another port, {_ANOTHER_PORT}",
    ),
    "port_not_allowed": Why(
        "This machine does not let a program listen on port {port}",
        f"Ask the user to choose another port, {_ANOTHER_PORT}",
        f"Use another port, {_ANOTHER_PORT}",
    ),
    "sandboxed": Why(
        "This shell runs in a sandbox without access to local connections, from which Unity cannot be reached",
        "Ask the user to start this MCP server, or the command, outside the sandbox",
        "Run this command outside the sandbox",
    ),
    "unity_not_running": Why(
        "Unity does not run on {project}",
        "Ask the user to open that project in Unity; call again when the user says that it is done",
        "`{open}` opens it",
    ),
    "editor_starting": Why(
        "Unity is starting ({starting})",
        "Call again; the command in details.advice waits for it",
        "`{open}` waits until it is ready",
    ),
    "plugin_not_installed": Why(
        "Unity runs on the project, which has no plugin",
        # Not {project} between the marks: its folders may have names that a shell obeys.
        "Ask the user to run `unity-bridge plugin install .` in {project}; Unity imports the plugin when its window "
        "gets the focus. Call again when the user says that it is done",
        "`{install}` adds it",
    ),
    "safe_mode": Why(
        "Unity has {project} open without running any package, because its scripts do not compile (safe mode)",
        "compile lists the errors; fix them, and Unity compiles when its window gets the focus",
        "`{compile}` lists the errors",
    ),
    "other_port": Why(
        "{remark}",
        "Ask the user to run `unity-bridge plugin install . --port {port}` there, or to give this server that port",
        "`{install} --port {port}` gives the project this port; or leave --port out here",
    ),
    "connecting": Why(
        "No Unity Editor is connected yet",
        "Call again, or call get_editor_state until it says more",
        "Wait a moment",
    ),
    "editor_ended": Why(
        "Unity has ended",
        "Ask the user to open the project in Unity; call again when the user says that it is done",
        "Open the project in Unity",
    ),
    "refused": Why(
        "A Unity Editor connected and was refused: {refused}",
        "Ask the user to look at Project Settings > Unity Bridge in that editor; then call again",
        "See Project Settings > Unity Bridge in that editor",
    ),
    "disconnected": Why(
        "No Unity Editor has connected to port {port}",
        "Ask the user to open the project in Unity and to check in Project Settings > Unity Bridge that the plugin "
        "uses port {port}; then call again",
        "Open the project in Unity and check in Project Settings > Unity Bridge that the plugin uses port {port}; "
        "`{doctor}` checks more",
    ),
}


def first_reason(
    port: Optional[str], project: Optional[str], refused: Optional[str], otherwise: str
) -> str:
    """Return why no editor is connected. The same state has the same reason, whichever command or
    call asks.

    ``port``: why none can connect to the port; ``project``: what a probe of the project shows; ``refused``: why an
    editor that connected was not taken; ``otherwise``: what is said while nothing is known.
    """
    reason = port or project
    if reason is not None:
        return reason
    if refused is None:
        return otherwise
    return "refused"


def reason_of(state: Mapping[str, Any]) -> str:
    """Return the same by what ``get_editor_state`` says, for a command, which waits no longer."""
    listener, project = state["listener"], state.get("reason")
    of_project = None if project == "connecting" else project
    return first_reason(listener.get("reason"), of_project, listener.get("refused"), "disconnected")
