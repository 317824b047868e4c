"""The errors that the core decides on, as values. Every message says what happened and what to do
next (SPEC §8).

Pure functions. ``editor/no_editor_errors.py`` has those that say why no editor is connected,
``unity_errors.py`` those of Unity's.
"""

from __future__ import annotations

from typing import Optional, Sequence

from unity_bridge.base.errors import STOPPING, ErrorCode, Guarantee, ToolError
from unity_bridge.base.frozen import changed
from unity_bridge.core.ledger.records import JobRecord, LostWith
from unity_bridge.text.foreign_text import quoted

# Errors before anything was sent.


def queue_full(waiting: int, most: int) -> ToolError:
    """Not one more call may join the queue (SPEC §4.1)."""
    message = (
        f"{waiting} calls are already waiting for Unity, which is the limit. "
        "Nothing was run; wait for some of them to end, or cancel them, then retry."
    )
    return ToolError(ErrorCode.QUEUE_FULL, message, {"queue_max_size": most})


def not_reached(subject: str, waited_ms: int) -> ToolError:
    """Return the error for a read that calls before it kept from being sent within the client's own
    ``timeout_ms``.
    """
    message = f"Unity was busy with other calls for {waited_ms} ms, so {subject} was not sent. Nothing was run; retry."
    return ToolError(
        ErrorCode.REQUEST_TIMEOUT, message, {"timeout_ms": waited_ms}, Guarantee.NOT_EXECUTED
    )


def disconnected_before_send() -> ToolError:
    message = (
        "The connection to Unity was lost just before the call was sent. Nothing was run; retry."
    )
    return ToolError(ErrorCode.UNITY_DISCONNECTED, message)


def too_large(limit_bytes: int) -> ToolError:
    message = (
        f"The call's arguments are too large: a message to Unity may have at most {limit_bytes} bytes. "
        "Shorten them."
    )
    return ToolError(ErrorCode.INVALID_PARAMS, message, {"max_message_bytes": limit_bytes})


def lacking(tool: str, plugin_version: str) -> ToolError:
    """Return the error for a tool that the connected plugin does not have (SPEC §15.5)."""
    message = (
        f'The plugin in Unity (version "{quoted(plugin_version)}") does not have {tool}. Nothing was run; update the '
        "plugin with `unity-bridge plugin update`, then retry."
    )
    return ToolError(ErrorCode.UNKNOWN_COMMAND, message, {"plugin_version": quoted(plugin_version)})


def key_used_otherwise(key: str, job: JobRecord) -> ToolError:
    """Return the error for a key that belongs to another job of the client than this call's (SPEC
    §15.7).
    """
    message = (
        f"client_request_id '{key}' belongs to the job '{quoted(job.id)}' ({_tool(job.tool_name)}), which was started "
        "with another tool or other arguments. Nothing was run; use a new one, or leave it out."
    )
    return ToolError(ErrorCode.INVALID_REQUEST, message, {"job_id": job.id})


# Errors of calls that were sent.


def timed_out(subject: str, budget_ms: int, is_read: bool) -> ToolError:
    """No answer came in time; whether it ran is not known."""
    advice = "retry" if is_read else "check what ran before you start it again"
    message = f"Unity did not answer {subject} within {budget_ms} ms. It may or may not have run; {advice}."
    return ToolError(ErrorCode.REQUEST_TIMEOUT, message, {"timeout_ms": budget_ms})


def job_timed_out(tool: Optional[str], budget_ms: Optional[int], can_be_stopped: bool) -> ToolError:
    """``budget_ms`` is not known of a job that an earlier server started."""
    budget = "the time that it was given" if budget_ms is None else f"its timeout_ms of {budget_ms}"
    end = "Unity cannot stop it, so it may still run there"
    if can_be_stopped:
        end = "Unity was asked to stop it"
    message = (
        f"The job ({_tool(tool)}) did not end within {budget}. {end}; give a longer timeout_ms."
    )
    details = {} if budget_ms is None else {"timeout_ms": budget_ms}
    return ToolError(ErrorCode.REQUEST_TIMEOUT, message, details)


def ended_by_unity(tool: Optional[str], budget_ms: Optional[int]) -> ToolError:
    """Unity ended the job at its deadline. It may have left code running there, whatever the tool."""
    message = f"Unity ended the job ({_tool(tool)}) because it took longer than its timeout_ms. Part of it has run."
    details = {} if budget_ms is None else {"timeout_ms": budget_ms}
    return ToolError(
        ErrorCode.REQUEST_TIMEOUT, f"{message} Check what, and give a longer timeout_ms.", details
    )


def _tool(name: Optional[str]) -> str:
    """Return the tool of a job, which a plugin may have named, as a message shows it."""
    return "of another version" if name is None else f"'{quoted(name)}'"


FORGOTTEN_BY_UNITY = "Unity no longer knows it"


def job_lost(reason: str) -> ToolError:
    """Nobody can say any more how the job ended."""
    message = (
        f"The job was lost: {reason}. It may have run in part or completely; "
        "check Unity before you start it again."
    )
    return ToolError(ErrorCode.RECONNECT_TIMEOUT, message)


def editor_ended(last_lines: Sequence[str]) -> ToolError:
    """Return the error for a job whose editor's process is gone."""
    error = job_lost("Unity has ended")
    details = {"reason": "editor_ended", **({"log": list(last_lines)} if last_lines else {})}
    return changed(error, details=details)


def unreadable_end(state: str, fault: str, was_carried_out: bool) -> ToolError:
    """Return the error for a job that has ended, with a result that cannot be passed on."""
    message = f"The job has ended in Unity as '{state}', but its result cannot be read: {fault}."
    guarantee = Guarantee.COMPLETED_ERROR if was_carried_out else None
    return ToolError(ErrorCode.INVALID_RESPONSE, message, known_guarantee=guarantee)


def unreadable_status(fault: str, times: int) -> ToolError:
    """Unity's answers say nothing of a job, and would not the next time either (SPEC §20.5)."""
    again = "" if times == 1 else f" {times} times in a row"
    message = f"Unity's job status was unreadable{again}: {fault}. {_MAY_HAVE_RUN}"
    return ToolError(ErrorCode.INVALID_RESPONSE, message)


def refused_status(why: str, seconds: float) -> ToolError:
    """Unity has refused to say how a job is (SPEC §20.5)."""
    message = (
        f"Unity has refused for {seconds:.0f} s to report the job's status: {why} {_MAY_HAVE_RUN}"
    )
    return ToolError(ErrorCode.INVALID_RESPONSE, message)


_MAY_HAVE_RUN = "The job may or may not have run; check Unity before you start it again."


def not_reconnected(subject: str) -> ToolError:
    """Return the error for a read whose connection broke, and did not come back in time."""
    message = (
        f"The connection to Unity was lost during {subject} and did not come back in time; "
        "retry once get_editor_state says ready."
    )
    return ToolError(ErrorCode.RECONNECT_TIMEOUT, message)


def owner_lost(subject: str) -> ToolError:
    """Return the error for a call that must not be repeated, and that the lost owner of the port
    left unanswered.
    """
    message = (
        f"The server that owned the port was lost during {subject}. Whether it ran is not known; "
        "check what ran before you start it again."
    )
    return ToolError(ErrorCode.RECONNECT_TIMEOUT, message, {"reason": "owner_lost"})


def may_have_run(subject: str, lost_with: LostWith, error: ToolError) -> ToolError:
    """``error`` kept a lost read from being repeated. It says that nothing was run, which holds for
    the repeat only.
    """
    if lost_with is LostWith.CONNECTION:
        message = error.message.replace(
            "Nothing was run", "The read was lost with its connection and not repeated"
        )
        return changed(error, message=message, known_guarantee=Guarantee.UNKNOWN)
    message = (
        f"The server that owned the port was lost during {subject}, and it could not be repeated; "
        "retry once get_editor_state says ready."
    )
    return ToolError(
        ErrorCode.RECONNECT_TIMEOUT, message, {**error.details, "not_repeated": error.code.value}
    )


def stopped_while_running(subject: str) -> ToolError:
    message = f"unity-bridge was stopped while {subject} was under way in Unity; whether it finished is not known."
    return ToolError(ErrorCode.RECONNECT_TIMEOUT, message, {"reason": STOPPING})


def malformed(subject: str, fault: str) -> ToolError:
    message = f"Unity's answer to {subject} cannot be used: {fault}. The plugin may be older or newer than this server."
    return ToolError(ErrorCode.INVALID_RESPONSE, message)


def bug(stage: str, has_left: bool) -> ToolError:
    """Return the error for an exception of ours (SPEC §8, end)."""
    message = f"unity-bridge failed while {stage}; its log has the details. Please report this."
    if has_left:
        return ToolError(ErrorCode.INVALID_RESPONSE, message)
    return ToolError(ErrorCode.UNITY_EXECUTION, message, known_guarantee=Guarantee.NOT_EXECUTED)


# Errors of control calls.


def job_not_found(job_id: str) -> ToolError:
    message = f"There is no job '{job_id[:80]}', neither here nor in Unity. Use the job_id returned by an earlier call."
    return ToolError(ErrorCode.JOB_NOT_FOUND, message, {"job_id": job_id})


def job_cannot_be_asked_for(job_id: str) -> ToolError:
    message = (
        f"This server does not know the job '{job_id[:80]}', and Unity, which may, cannot be asked now. "
        "Retry once get_editor_state says ready."
    )
    return ToolError(ErrorCode.EDITOR_NOT_READY, message, {"job_id": job_id})


def not_a_job(id: str) -> ToolError:
    message = f"'{id[:80]}' is a request, not a job. cancel_job takes the job_id returned by an earlier call."
    return ToolError(ErrorCode.CANCEL_NOT_SUPPORTED, message)
