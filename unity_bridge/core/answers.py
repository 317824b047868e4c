"""What clients are told: results built from the ledger, and the words of the errors that the executor decides on.

Pure functions. Every message says what happened and what to do next (SPEC §8).
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from typing import Any, Dict, List, Mapping, Optional, Tuple

from unity_bridge.base.errors import ErrorCode, Guarantee, ToolError, error_object
from unity_bridge.core.editor.trust import untrusted_remark
from unity_bridge.core.ledger.machines import EditorState, JobState, ListenerState, ServerState
from unity_bridge.core.ledger.records import (
    EditorRecord,
    JobRecord,
    ListenerRecord,
    LostWith,
    Parked,
    SessionRecord,
    Trust,
    VersionRecord,
)
from unity_bridge.projects.canonical_path import canonical
from unity_bridge.projects.project_look import Absence, ProjectLook
from unity_bridge.text.foreign_text import quoted

# The ``reason`` of calls that ended because the bridge did.
STOPPING = "stopping"

# Results.


def editor_state(
    server_state: ServerState,
    listener: ListenerRecord,
    session: Optional[SessionRecord],
    editor: EditorRecord,
    versions: VersionRecord,
    waiting_and_queued: Tuple[int, int],
    running_jobs: List[JobRecord],
    calls: Dict[str, Any],
    project: Optional[str],
    absence: Optional[Absence],
    waited_s: Optional[float],
    refused: Optional[str],
    missing_tools: List[str],
    takeover: Optional[str],
) -> Dict[str, Any]:
    """The result of ``get_editor_state``. ``project``: the path of the one that is expected, if one is. ``waited_s``:
    for how long the port has been open and no editor there. ``refused``: why one that came is not taken.
    ``missing_tools``: those that the plugin does not carry out. ``takeover``: that this editor took over from one
    without proof."""
    waiting, queued = waiting_and_queued
    state = {
        "server_state": server_state.value,
        "editor_state": editor.state.value,
        "connected": session is not None,
        "trusted": _is_trusted(session),
        "playing": editor.playing,
        "paused": editor.paused,
        "code": editor.code,
        "last_editor_status_seq": editor.seq,
        "port": listener.port,
        "server_version": versions.server,
        "plugin_version": versions.plugin,
        "editor": _editor(session, editor, missing_tools),
        "waiting": waiting,
        "queued": queued,
        "running_jobs": [job.id for job in running_jobs],
        "listener": _known(
            {
                "state": listener.state.value,
                "reason": listener.reason,
                "holder": listener.holder,
                "remark": listener.remark,
                "refused": refused,
                "waited_ms": None if waited_s is None else round(waited_s * 1000),
            }
        ),
        "role": _ROLES.get(listener.state, "none"),
        "clients": 1 + listener.clients,
        "calls": calls,
    }
    told = {
        "pending_reason": editor.pending_reason,
        "project": project,
        "project_remark": takeover,
        "reason": None if absence is None else absence.value,
    }
    return with_project_remark({**state, **_known(told)})


def for_project(told: Mapping[str, Any], project: str, absence: Optional[Absence]) -> Dict[str, Any]:
    """What the owner of the port told, for a server that is for ``project``: the owner may be for another one.

    ``absence``: what this server has seen itself.
    """
    is_same = told.get("project") == project
    state = {name: value for name, value in told.items() if is_same or name not in ("reason", "project_remark")}
    if absence is not None and not state["connected"]:
        state.setdefault("reason", absence.value)
    return with_project_remark({**state, "project": project})


def with_project_remark(state: Dict[str, Any]) -> Dict[str, Any]:
    """Whether the editor that is connected has the project open that is expected, where it is not known to (§18.2)."""
    project, editor = state.get("project"), state["editor"]
    if project is None or not isinstance(editor, dict):
        return state
    path = editor.get("project_path")
    if not isinstance(path, str):
        return {**state, "project_remark": "the plugin does not say which project it has open"}
    if canonical(path, sys.platform) != canonical(project, sys.platform):
        return {**state, "project_remark": "the editor on this port has another project open; calls are refused"}
    return state


_ROLES = {ListenerState.LISTENING: "owner", ListenerState.ATTACHED: "attached"}


def _is_trusted(session: Optional[SessionRecord]) -> Optional[bool]:
    """``None``: it is not known, or not yet."""
    return None if session is None or session.trust is Trust.AWAITED else session.is_trusted


def _editor(
    session: Optional[SessionRecord], editor: EditorRecord, missing_tools: List[str]
) -> Optional[Dict[str, Any]]:
    if session is None or session.identity is None:
        return None
    return _known(
        {
            "unity_version": session.identity.unity_version,
            "project_name": session.identity.project_name,
            "project_path": session.identity.project_path,
            "editor_instance_id": session.identity.instance_id,
            "missing_tools": missing_tools or None,
            "untrusted": untrusted_remark(session.trust),
            "main_thread_stalled_ms": editor.stalled_ms,
            "compile_errors": editor.compile_errors,
            "faulted_messages": session.faults or None,
        }
    )


def job_status(
    job: JobRecord, progress: Optional[Mapping[str, Any]], is_stale: bool, is_joined: bool = False
) -> Dict[str, Any]:
    """A job's status, for whoever asks and for the call that started it (SPEC §15.3).

    ``is_stale``: Unity could not be asked just now. ``is_joined``: another call had started it before.
    """
    status: Dict[str, Any] = {
        "job_id": job.id,
        "tool": job.tool_name,
        "state": job.state.value,
        "progress": progress,
        "result": None if job.result is None else json.loads(job.result),
    }
    if job.error is not None:
        status["error"] = error_object(job.error, request_id=job.request_id)
    if job.console is not None:
        status["console"] = job.console
    marks = {"joined": is_joined, "stale": is_stale, "result_dropped": job.result_dropped}
    status.update({name: True for name, is_set in marks.items() if is_set})
    return status


def console_told(told: Any) -> Optional[Dict[str, Any]]:
    """What was logged while a job ran, as far as it can be passed on (SPEC §15.3)."""
    if not isinstance(told, dict):
        return None
    counts = {name: told.get(name) for name in ("errors", "warnings")}
    if not all(type(count) is int for count in counts.values()):
        return None
    first, cursor = told.get("first"), told.get("next_cursor")
    messages = [text for text in first if isinstance(text, str)] if isinstance(first, list) else []
    console: Dict[str, Any] = {**counts, "first": messages}
    return {**console, "next_cursor": cursor} if isinstance(cursor, str) else console


def _known(values: Mapping[str, Any]) -> Dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


# Errors before anything was sent.


def stopping() -> ToolError:
    message = "unity-bridge is shutting down. Nothing was run; start it again, then retry."
    return ToolError(ErrorCode.EDITOR_NOT_READY, message, {"reason": STOPPING})


def parked_too_long(
    parked: Parked,
    waited_s: float,
    port: Optional[int],
    absence: Optional[Absence] = None,
    project: Optional[str] = None,
    refused: Optional[str] = None,
) -> ToolError:
    """A call waited in vain for the editor (SPEC §3.2), which is absent from ``project`` for a reason or not.
    ``refused``: why one that came was not taken."""
    details = {"reason": parked.reason, "waited_ms": round(waited_s * 1000), "port": port}
    if parked.code is ErrorCode.COMPILE_TIMEOUT:
        doing = "reloading" if parked.reason == EditorState.RELOADING.value else "compiling"
        message = (
            # Not "is": it may have gone meanwhile, or have been at it long before this call came.
            f"Unity was {doing} and did not become ready in the {waited_s:.0f} s that this call waited. "
            "Nothing was run; ask get_editor_state until editor_state is ready, then retry."
        )
    elif absence in _WHY_ABSENT:
        details["reason"] = absence.value
        message = (
            f"{_WHY_ABSENT[absence].format(project=project)} (waited {waited_s:.1f} s). Nothing was run. Call again "
            "when the user says that it is done."
        )
    elif refused is not None:
        message = (
            f"A Unity Editor came and was refused: {refused} (waited {waited_s:.1f} s). Nothing was run. Ask the user "
            "to look at Project Settings > Unity Bridge in that editor; then call again."
        )
    else:
        message = (
            f"No Unity Editor is connected (waited {waited_s:.1f} s). Nothing was run. Ask the user to open the "
            f"project in Unity and to check in Project Settings > Unity Bridge that the plugin uses port {port}; then "
            "call again."
        )
    return ToolError(parked.code, message, details)


_WHY_ABSENT = {
    Absence.UNITY_NOT_RUNNING: "Unity does not run on {project}: ask the user to open that project in Unity",
    Absence.PLUGIN_NOT_INSTALLED: (
        "Unity runs on {project}, which has no plugin. Ask the user: `unity-bridge plugin install {project}` adds it, "
        "and Unity imports it when its window gets the focus"
    ),
}


def other_project(wanted: str, found: str) -> ToolError:
    """A call of an attached server that is for another project than the one that this port leads to (SPEC §18.2)."""
    message = (
        f"The editor on this port has another project open: this call is for {quoted(wanted)}, and the editor has "
        f"{quoted(found)}. Nothing was run. Ask the user to give each project its own port with `unity-bridge "
        "plugin install PROJECT --port auto` and to restart server and editor."
    )
    return ToolError(ErrorCode.EDITOR_NOT_READY, message, {"reason": "other_project", "project": wanted, "has": found})


def in_safe_mode(look: ProjectLook, project: Optional[str]) -> ToolError:
    """What only the plugin can do, and Unity runs no packages (SPEC §18.3)."""
    message = (
        f"Unity has {project} open without running any package, because its scripts do not compile (safe mode). "
        "Nothing was run. compile lists the errors; mend them, and Unity compiles when its window gets the focus."
    )
    details = {"reason": Absence.SAFE_MODE.value, "errors": look.errors()}
    return ToolError(ErrorCode.UNITY_EXECUTION, message, details, known_guarantee=Guarantee.NOT_EXECUTED)


def compile_of_the_log(tool: str, look: ProjectLook) -> Dict[str, Any]:
    """In safe mode: the editor's last compilation, in the shape of a job's status, and of no job (SPEC §18.3)."""
    return {"tool": tool, "state": JobState.FAILED.value, "progress": None, "result": look.compile_result()}


def disconnected_before_send() -> ToolError:
    message = "The connection to Unity was lost just before the call was sent. Nothing was run; retry."
    return ToolError(ErrorCode.UNITY_DISCONNECTED, message)


def too_large(limit_bytes: int) -> ToolError:
    message = (
        f"The call's arguments are too large: a message to Unity may have at most {limit_bytes} bytes. Shorten them."
    )
    return ToolError(ErrorCode.INVALID_PARAMS, message, {"max_message_bytes": limit_bytes})


def lacking(tool: str, plugin_version: str) -> ToolError:
    """The plugin that is connected does not have the tool (SPEC §15.5)."""
    message = (
        f'The plugin in Unity (version "{quoted(plugin_version)}") does not have {tool}. Nothing was run; update the '
        "plugin with `unity-bridge plugin update`, then retry."
    )
    return ToolError(ErrorCode.UNKNOWN_COMMAND, message, {"plugin_version": quoted(plugin_version)})


def key_used_otherwise(key: str, job: JobRecord) -> ToolError:
    """A key means one job of its client, and this call is another one (SPEC §15.7)."""
    message = (
        f"client_request_id '{key}' belongs to the job '{quoted(job.id)}' ({_tool(job.tool_name)}), which was started "
        "with another tool or other arguments. Nothing was run; use a new one, or leave it out."
    )
    return ToolError(ErrorCode.INVALID_REQUEST, message, {"job_id": job.id})


# Errors of calls that were sent.


def timed_out(what: str, budget_ms: int, is_read: bool) -> ToolError:
    """No answer came in time; whether it ran is not known."""
    advice = "retry" if is_read else "look at what ran before you start it again"
    message = f"Unity did not answer {what} within {budget_ms} ms. It may have run or not; {advice}."
    return ToolError(ErrorCode.REQUEST_TIMEOUT, message, {"timeout_ms": budget_ms})


def job_timed_out(tool: Optional[str], budget_ms: Optional[int], can_be_stopped: bool) -> ToolError:
    """``budget_ms`` is not known of a job that an earlier server started."""
    budget = "the time that it was given" if budget_ms is None else f"its timeout_ms of {budget_ms}"
    end = "Unity was asked to stop it" if can_be_stopped else "Unity cannot stop it, so it may still go on there"
    message = f"The job ({_tool(tool)}) did not end within {budget}. {end}; give a longer timeout_ms."
    details = {} if budget_ms is None else {"timeout_ms": budget_ms}
    return ToolError(ErrorCode.REQUEST_TIMEOUT, message, details)


def _tool(name: Optional[str]) -> str:
    """The tool of a job, which a plugin may have named."""
    return "of another version" if name is None else f"'{quoted(name)}'"


FORGOTTEN_BY_UNITY = "Unity no longer knows it"


def job_lost(reason: str) -> ToolError:
    """A job that nobody can tell the end of."""
    message = (
        f"The job was lost: {reason}. It may have run in part or to its end; look at Unity before you start it again."
    )
    return ToolError(ErrorCode.RECONNECT_TIMEOUT, message)


def unreadable_end(state: str, fault: str) -> ToolError:
    """A job has ended, and what came of it cannot be passed on."""
    message = f"The job has ended in Unity as '{state}', but its result cannot be read: {fault}."
    return ToolError(ErrorCode.INVALID_RESPONSE, message)


def unreadable_status(fault: str, times: int) -> ToolError:
    """Unity's answers say nothing of a job, and would not the next time either (SPEC §20.5)."""
    again = "" if times == 1 else f" {times} times in a row"
    message = f"Unity's job status was unreadable{again}: {fault}. {_MAY_HAVE_RUN}"
    return ToolError(ErrorCode.INVALID_RESPONSE, message)


def refused_status(why: str, seconds: float) -> ToolError:
    """Unity has refused to say how a job is (SPEC §20.5)."""
    message = f"Unity has refused for {seconds:.0f} s to report the job's status: {why} {_MAY_HAVE_RUN}"
    return ToolError(ErrorCode.INVALID_RESPONSE, message)


_MAY_HAVE_RUN = "The job may have run or not; check Unity before you start it again."


def not_reconnected(what: str) -> ToolError:
    """The connection broke while a read was under way and did not come back in time."""
    message = (
        f"The connection to Unity was lost during {what} and did not come back in time; "
        "retry once get_editor_state says ready."
    )
    return ToolError(ErrorCode.RECONNECT_TIMEOUT, message)


def owner_lost(what: str) -> ToolError:
    """The owner of the port is gone without a word on a call that it had, and that must not be repeated."""
    message = (
        f"The server that owned the port was lost during {what}. Whether it ran is not known; "
        "look at what ran before you start it again."
    )
    return ToolError(ErrorCode.RECONNECT_TIMEOUT, message, {"reason": "owner_lost"})


def may_have_run(what: str, lost_with: LostWith, error: ToolError) -> ToolError:
    """``error`` kept a read from being repeated that was lost: it says of itself that nothing was run."""
    if lost_with is LostWith.CONNECTION:
        return replace(error, known_guarantee=Guarantee.UNKNOWN)
    message = (
        f"The server that owned the port was lost during {what}, and it could not be repeated; "
        "retry once get_editor_state says ready."
    )
    return ToolError(ErrorCode.RECONNECT_TIMEOUT, message, {**error.details, "not_repeated": error.code.value})


def stopped_while_running(what: str) -> ToolError:
    message = f"unity-bridge was stopped while {what} was under way in Unity; whether it ran to its end is not known."
    return ToolError(ErrorCode.RECONNECT_TIMEOUT, message, {"reason": STOPPING})


def malformed(what: str, fault: str) -> ToolError:
    message = f"Unity's answer to {what} cannot be used: {fault}. The plugin may be older or newer than this server."
    return ToolError(ErrorCode.INVALID_RESPONSE, message)


def bug(stage: str, has_left: bool) -> ToolError:
    """An exception of ours (SPEC §8, end)."""
    message = f"unity-bridge failed while {stage}; its log has the details. Please report this."
    if has_left:
        return ToolError(ErrorCode.INVALID_RESPONSE, message)
    return ToolError(ErrorCode.UNITY_EXECUTION, message, known_guarantee=Guarantee.NOT_EXECUTED)


# Errors of control calls.


def job_not_found(job_id: str) -> ToolError:
    message = f"There is no job '{job_id[:80]}', neither here nor in Unity. Take the job_id that a call has answered."
    return ToolError(ErrorCode.JOB_NOT_FOUND, message, {"job_id": job_id})


def job_cannot_be_asked_for(job_id: str) -> ToolError:
    message = (
        f"This server does not know the job '{job_id[:80]}', and Unity, which may, cannot be asked now. "
        "Retry once get_editor_state says ready."
    )
    return ToolError(ErrorCode.EDITOR_NOT_READY, message, {"job_id": job_id})


def not_a_job(id: str) -> ToolError:
    message = f"'{id[:80]}' is a request, not a job. cancel_job takes the job_id that a call has answered."
    return ToolError(ErrorCode.CANCEL_NOT_SUPPORTED, message)
