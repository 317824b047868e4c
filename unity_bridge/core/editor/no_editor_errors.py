"""The errors of calls that no editor serves. ``projects/no_editor.py`` has the reasons. Pure
functions.

The reasons are those of ``details.reason`` and of ``get_editor_state``; every message says what
happened and what to do (SPEC §3.2, §8, §18.3).
"""

from __future__ import annotations

import os
from typing import Any, Dict, Optional, Sequence

from unity_bridge.base.errors import ErrorCode, Guarantee, ToolError
from unity_bridge.core.ledger.machines import EditorState, JobState
from unity_bridge.core.ledger.records import ListenerRecord, Parked
from unity_bridge.projects.no_editor import WHY, Why, first_reason
from unity_bridge.projects.project_probe import NoPlugin, ProjectProbe
from unity_bridge.system.loopback import sandbox_of_codex
from unity_bridge.text.foreign_text import quoted, quoted_end

CONNECTING, DISCONNECTED = "connecting", "disconnected"

_MOST_NAMED = 3
_NOTHING_SEEN = ProjectProbe()


# Sentences for agents alone; the other reasons are in the table that the commands use too.
_COMPILING = Why(
    # Not "is": the editor may have gone since, or have been compiling long before this call came.
    "Unity was {reason} and did not become ready in the {waited_s:.0f} s that this call waited",
    "Ask get_editor_state until editor_state is ready, then retry",
    "",
)
_WITH_ADVICE = Why(
    "Unity does not run on this project",
    "Run the command in details.advice, which opens it, or ask the user to; then call again",
    "",
)
_OUTSIDE_A_PROJECT = Why(
    "No Unity Editor is connected, and this server was started above the projects {below}",
    "Ask the user to open the project in Unity and to start this client in its folder, or the server with "
    "--project PATH; then call again",
    "",
)
_IN_NO_PROJECT = Why(
    "No Unity Editor has connected to port {port}, and {remark}",
    "Ask the user to start this client in the project's folder, or the server with --project PATH, and to open the "
    "project in Unity; then call again",
    "",
)
_OTHER_PROJECT = Why(
    "The editor on this port has another project open: this call is for {wanted}, and the editor has {found}",
    "Ask the user to give each project a port with `unity-bridge plugin install PROJECT --port auto` and to "
    "restart both",
    "",
)


def _message(why: Why, waited_s: Optional[float] = None, **values: Any) -> str:
    """Return the whole message for one reason. Nothing was run in any of these cases."""
    waited = "" if waited_s is None else f" (waited {waited_s:.1f} s)"
    happened = why.sentence.format(**values)
    happened = happened[:1].upper() + happened[1:]
    return f"{happened}{waited}. Nothing was run. {why.remedy.format(**values)}."


def port_blocked(listener: ListenerRecord) -> ToolError:
    """No editor can connect: another program has the port, or the system does not give it (SPEC
    §2.5).
    """
    holder = f" by {listener.holder}" if listener.holder else ""
    holder += f" ({listener.remark})" if listener.remark else ""
    details = {"reason": listener.reason, "port": listener.port, "holder": listener.holder}
    why = WHY.get(listener.reason or "", WHY["port_not_allowed"])
    return ToolError(
        ErrorCode.EDITOR_NOT_READY, _message(why, port=listener.port, holder=holder), details
    )


def sandboxed(port: Optional[int]) -> ToolError:
    """No editor can be reached from here, whatever it does (SPEC §18.3)."""
    details = {"reason": NoPlugin.SANDBOXED.value, "port": port}
    return ToolError(ErrorCode.EDITOR_NOT_READY, _message(WHY[NoPlugin.SANDBOXED.value]), details)


def waited_in_vain(
    parked: Parked,
    waited_s: float,
    port: Optional[int],
    probe: ProjectProbe = _NOTHING_SEEN,
    project: Optional[str] = None,
    refused: Optional[str] = None,
) -> ToolError:
    """Return the error for a call that waited too long for the editor (SPEC §3.2).

    ``probe``: what a probe of ``project`` has shown. ``refused``: why an editor that connected was
    not taken.
    """
    details: Dict[str, Any] = {
        "reason": parked.reason,
        "waited_ms": round(waited_s * 1000),
        "port": port,
    }
    if parked.code is ErrorCode.COMPILE_TIMEOUT:
        doing = "reloading" if parked.reason == EditorState.RELOADING.value else "compiling"
        message = _COMPILING.sentence.format(reason=doing, waited_s=waited_s)
        return ToolError(parked.code, f"{message}. Nothing was run. {_COMPILING.remedy}.", details)
    probed = None if probe.reason is None else probe.reason.value
    reason = details["reason"] = first_reason(None, probed, refused, parked.reason)
    if probe.reason is not None:
        members = {"starting": probe.starting, "advice": probe.advice}
        details.update((name, value) for name, value in members.items() if value is not None)
        is_opened_by_command = (
            probe.reason is NoPlugin.UNITY_NOT_RUNNING and probe.advice is not None
        )
        why = _WITH_ADVICE if is_opened_by_command else WHY[reason]
    elif probe.below and reason == DISCONNECTED:
        why = _OUTSIDE_A_PROJECT
    elif probe.remark is not None and reason == DISCONNECTED:
        why = _IN_NO_PROJECT
    else:
        why = WHY[reason]
    text = _message(
        why,
        waited_s,
        project=project,
        refused=refused,
        port=port,
        below=_named(probe.below),
        starting=probe.starting,
        remark=probe.remark,
    )
    remark = sandbox_of_codex()
    all_details = details if remark is None else {**details, "remark": remark}
    return ToolError(parked.code, text, all_details)


def _named(projects: Sequence[str]) -> str:
    """Return the names of at most three projects. ``get_editor_state`` has more of them, with their
    paths.
    """
    names = ", ".join(quoted(os.path.basename(path)) for path in projects[:_MOST_NAMED])
    if len(projects) <= _MOST_NAMED:
        return names
    return f"{names} and others (get_editor_state lists them)"


def other_project(expected: str, actual: str) -> ToolError:
    """Return the error for an attached server's call that is for another project than this port's
    (SPEC §18.2).
    """
    text = _message(_OTHER_PROJECT, wanted=quoted_end(expected), found=quoted_end(actual))
    return ToolError(ErrorCode.EDITOR_NOT_READY, text, {"reason": "other_project"})


def in_safe_mode(probe: ProjectProbe, project: Optional[str]) -> ToolError:
    """Unity runs no packages, so only its log can answer, and it does not answer this (SPEC §18.3)."""
    details = {"reason": NoPlugin.SAFE_MODE.value, "errors": probe.errors(), **probe.log_members()}
    text = f"{_message(WHY[NoPlugin.SAFE_MODE.value], project=project)} {probe.log_time()}."
    return ToolError(
        ErrorCode.UNITY_EXECUTION, text, details, known_guarantee=Guarantee.NOT_EXECUTED
    )


def compile_of_the_log(tool: str, probe: ProjectProbe) -> Dict[str, Any]:
    """In safe mode: the editor's last compilation, in the shape of a job's status, and of no job
    (SPEC §18.3).
    """
    return {
        "tool": tool,
        "state": JobState.FAILED.value,
        "progress": None,
        "result": probe.compile_result(),
    }
