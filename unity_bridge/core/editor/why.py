"""Why no editor is connected, or none that serves: one table, reason -> sentence, remedy. Pure functions.

The reasons are those of ``details.reason`` and of ``get_editor_state``; every message says what happened and what to do
(SPEC §3.2, §8, §18.3).
"""

from __future__ import annotations

import os
from typing import Any, Dict, Mapping, NamedTuple, Optional, Sequence

from unity_bridge.base.errors import ErrorCode, Guarantee, ToolError
from unity_bridge.core.ledger.machines import EditorState, JobState
from unity_bridge.core.ledger.records import ListenerRecord, Parked
from unity_bridge.projects.project_probe import NoPlugin, ProjectProbe
from unity_bridge.text.foreign_text import quoted

_MOST_NAMED = 3
_NOTHING_SEEN = ProjectProbe()
_PATH_CHARACTERS = 72


class Why(NamedTuple):
    """``sentence``: what happened. ``remedy``: what to do."""

    sentence: str
    remedy: str


_ANOTHER_PORT = "choose another port with --port and in Unity's Project Settings > Unity Bridge"

REASONS: Mapping[str, Why] = {
    "port_in_use": Why(
        "Port {port} is in use{holder}, so Unity cannot connect to this server",
        f"Stop the program that has the port, or {_ANOTHER_PORT}; this server takes the port by itself once it is free",
    ),
    "port_not_permitted": Why(
        "This machine does not let the server listen on port {port}",
        _ANOTHER_PORT[0].upper() + _ANOTHER_PORT[1:],
    ),
    "compiling": Why(
        # Not "is": the editor may have gone since, or have been compiling long before this call came.
        "Unity was {reason} and did not become ready in the {waited_s:.0f} s that this call waited",
        "Ask get_editor_state until editor_state is ready, then retry",
    ),
    NoPlugin.UNITY_NOT_RUNNING.value: Why(
        "Unity does not run on {project} (waited {waited_s:.1f} s)",
        "Ask the user to open that project in Unity; call again when the user says that it is done",
    ),
    f"{NoPlugin.UNITY_NOT_RUNNING.value}_with_advice": Why(
        "Unity does not run on this project (waited {waited_s:.1f} s)",
        "Run the command in details.advice, which opens it, or ask the user to; then call again",
    ),
    NoPlugin.EDITOR_STARTING.value: Why(
        "Unity is starting ({starting}), and was not ready in {waited_s:.0f} s",
        "Call again; the command in details.advice waits for it",
    ),
    NoPlugin.PLUGIN_NOT_INSTALLED.value: Why(
        "Unity runs on the project, which has no plugin (waited {waited_s:.1f} s)",
        # Not {project} between the marks: its folders may have names that a shell obeys.
        "Ask the user to run `unity-bridge plugin install .` in {project}; Unity imports the plugin when its window "
        "gets the focus. Call again when the user says that it is done",
    ),
    NoPlugin.SAFE_MODE.value: Why(
        "Unity has {project} open without running any package, because its scripts do not compile (safe mode)",
        "compile lists the errors; fix them, and Unity compiles when its window gets the focus",
    ),
    "refused": Why(
        "A Unity Editor connected and was refused: {refused} (waited {waited_s:.1f} s)",
        "Ask the user to look at Project Settings > Unity Bridge in that editor; then call again",
    ),
    "disconnected": Why(
        "No Unity Editor is connected (waited {waited_s:.1f} s)",
        "Ask the user to open the project in Unity and to check in Project Settings > Unity Bridge that the plugin "
        "uses port {port}; then call again",
    ),
    "outside_a_project": Why(
        "No Unity Editor is connected (waited {waited_s:.1f} s), and this server was started above the projects "
        "{below}",
        "Ask the user to open the project in Unity and to start this client in its folder, or the server with "
        "--project PATH; then call again",
    ),
    "other_project": Why(
        "The editor on this port has another project open: this call is for {wanted}, and the editor has {found}",
        "Ask the user to give each project a port with `unity-bridge plugin install PROJECT --port auto` and to "
        "restart both",
    ),
}


def message(kind: str, **values: Any) -> str:
    """The whole message for one reason. Nothing was run in any of these cases."""
    why = REASONS[kind]
    return f"{why.sentence.format(**values)}. Nothing was run. {why.remedy.format(**values)}."


def port_blocked(listener: ListenerRecord) -> ToolError:
    """Another program has the port, so no editor can connect (SPEC §2.5)."""
    holder = f" by {listener.holder}" if listener.holder else ""
    holder += f" ({listener.remark})" if listener.remark else ""
    kind = "port_in_use" if listener.reason == "port_in_use" else "port_not_permitted"
    details = {"reason": listener.reason, "port": listener.port, "holder": listener.holder}
    return ToolError(ErrorCode.EDITOR_NOT_READY, message(kind, port=listener.port, holder=holder), details)


def waited_in_vain(
    parked: Parked,
    waited_s: float,
    port: Optional[int],
    seen: ProjectProbe = _NOTHING_SEEN,
    project: Optional[str] = None,
    refused: Optional[str] = None,
) -> ToolError:
    """A call waited too long for the editor (SPEC §3.2). ``seen``: what a probe of ``project`` has shown.
    ``refused``: why an editor that connected was not taken."""
    reason, below = seen.reason, seen.below
    details: Dict[str, Any] = {"reason": parked.reason, "waited_ms": round(waited_s * 1000), "port": port}
    if parked.code is ErrorCode.COMPILE_TIMEOUT:
        doing = "reloading" if parked.reason == EditorState.RELOADING.value else "compiling"
        return ToolError(parked.code, message("compiling", reason=doing, waited_s=waited_s), details)
    if reason in (NoPlugin.UNITY_NOT_RUNNING, NoPlugin.PLUGIN_NOT_INSTALLED, NoPlugin.EDITOR_STARTING):
        details["reason"] = kind = reason.value
        known = {"starting": seen.starting, "advice": seen.advice}
        details.update((name, value) for name, value in known.items() if value is not None)
        kind = f"{kind}_with_advice" if reason is NoPlugin.UNITY_NOT_RUNNING and seen.advice is not None else kind
    elif refused is not None:
        kind = "refused"
    else:
        kind = "outside_a_project" if below else "disconnected"
    names = _named(below)
    text = message(
        kind, project=project, refused=refused, port=port, waited_s=waited_s, below=names, starting=seen.starting
    )
    return ToolError(parked.code, text, details)


def _named(projects: Sequence[str]) -> str:
    """The names of at most three projects. ``get_editor_state`` has more of them, with their paths."""
    names = ", ".join(quoted(os.path.basename(path)) for path in projects[:_MOST_NAMED])
    return names if len(projects) <= _MOST_NAMED else f"{names} and others (get_editor_state lists them)"


def other_project(wanted: str, found: str) -> ToolError:
    """A call of an attached server is for another project than the one that this port leads to (SPEC §18.2)."""
    text = message("other_project", wanted=_path(wanted), found=_path(found))
    return ToolError(ErrorCode.EDITOR_NOT_READY, text, {"reason": "other_project"})


def _path(project: str) -> str:
    """As much of a path as leaves room for the sentence; its end distinguishes one project from another."""
    return quoted(project if len(project) <= _PATH_CHARACTERS else "..." + project[3 - _PATH_CHARACTERS :])


def in_safe_mode(probe: ProjectProbe, project: Optional[str]) -> ToolError:
    """Unity runs no packages, so only its log can answer, and it does not answer this (SPEC §18.3)."""
    details = {"reason": NoPlugin.SAFE_MODE.value, "errors": probe.errors()}
    text = message(NoPlugin.SAFE_MODE.value, project=project)
    return ToolError(ErrorCode.UNITY_EXECUTION, text, details, known_guarantee=Guarantee.NOT_EXECUTED)


def compile_of_the_log(tool: str, probe: ProjectProbe) -> Dict[str, Any]:
    """In safe mode: the editor's last compilation, in the shape of a job's status, and of no job (SPEC §18.3)."""
    return {"tool": tool, "state": JobState.FAILED.value, "progress": None, "result": probe.compile_result()}
