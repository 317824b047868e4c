"""How a job of a command ended, what is printed of that, and the exit status."""

from __future__ import annotations

from enum import Enum
from typing import Any, Callable, Mapping, NamedTuple, Optional, Protocol, Sequence

from unity_bridge.base.errors import ErrorCode, Guarantee, ToolError, error_object
from unity_bridge.base.frozen import frozen
from unity_bridge.commands.shared.envelope import envelope, status_of
from unity_bridge.commands.shared.options import NO_EDITOR
from unity_bridge.scripting.output import counted, note, put_json
from unity_bridge.text.foreign_text import visible_line
from unity_bridge.text.json_types import JsonObject

# By the state of a job that has neither result nor error.
_CODES = {
    "not_run": ErrorCode.EDITOR_NOT_READY,
    "cancelled": ErrorCode.UNITY_EXECUTION,
    "succeeded": ErrorCode.INVALID_RESPONSE,
}


class Stop(Enum):
    """Why a job is to be stopped before its end; the value is the exit status."""

    OUT_OF_TIME = 4
    SIGHUP = 129
    SIGINT = 130
    SIGTERM = 143


@frozen
class JobEnd:
    """How a job ended, as far as was learnt.

    ``state``: of the job, or ``not_run`` (nothing was started) or ``left`` (it may go on in Unity).
    ``result``: the tool's, also of a job that was cut short. ``error``: the error object of SPEC §8. ``console``: what
    was logged while it ran, ``{errors, warnings, first, next_cursor}``.
    """

    state: str
    result: Optional[JsonObject] = None
    error: Optional[JsonObject] = None
    stopped_by: Optional[Stop] = None
    job_id: Optional[str] = None
    tool: Optional[str] = None
    console: Optional[JsonObject] = None


class Followed(NamedTuple):
    """The result of a run.

    ``editor``: what ``get_editor_state`` reported of the editor; empty if there was none.
    """

    end: JobEnd
    editor: JsonObject
    has_editor: bool


# Why nothing may be run in the editor that ``get_editor_state`` describes so; None if it may.
Objection = Callable[[Mapping[str, Any]], Optional[ToolError]]


class TimedCall(NamedTuple):
    """A call that is made next to a job, ``after_s`` seconds after it has begun. ``words`` name it
    in a message.
    """

    after_s: float
    tool: str
    params: JsonObject
    words: str


class Ask(Protocol):
    """Calls a tool, and follows its job to the end."""

    def __call__(
        self, tool: str, params: JsonObject, meanwhile: Sequence[TimedCall] = ()
    ) -> JobEnd: ...


Steps = Callable[[Ask], JobEnd]


def exit_status(followed: Followed) -> int:
    """SPEC §19.3: 0 done, 1 failed, 3 no editor, 4 out of time, 130 and 143 interrupted."""
    end = followed.end
    if not followed.has_editor:
        return NO_EDITOR
    if end.stopped_by is not None:
        return end.stopped_by.value
    if end.state == "timeout":
        return Stop.OUT_OF_TIME.value
    if end.state == "succeeded" and end.result is not None:
        return 0
    return status_of(end.error)


def trouble(end: JobEnd, activity: str) -> Optional[str]:
    """Return why this is not the result of a whole job, as a sentence, or None. ``activity``: "The test
    run".
    """
    if end.error is not None:
        return str(end.error["message"])
    if end.state == "not_run":
        return "Interrupted before Unity was ready: nothing was run."
    if end.state == "left":
        again = f"; `unity-bridge jobs {end.job_id} --wait` waits for its end" if end.job_id else ""
        return (
            f"{activity} had not ended when this command stopped; it may still run in Unity{again}."
        )
    if end.state == "cancelled":
        why = {
            None: f"{activity} was cancelled in Unity or by another client.",
            Stop.OUT_OF_TIME: f"{activity} took too long and was cancelled; a longer --timeout helps.",
        }
        return why.get(end.stopped_by, f"{activity} was cancelled.")
    if end.state == "succeeded" and end.result is None:
        return f"{activity} succeeded, but its result is no longer kept."
    return None


def is_unknown_command(error: Optional[JsonObject]) -> bool:
    """Return whether Unity has no command of the name that was asked for."""
    report = {} if error is None else error["details"].get("unity")
    return isinstance(report, Mapping) and report.get("reason") == "unknown_command"


def note_console(end: JobEnd) -> None:
    """On stderr, the errors that were logged while the job ran. Errors of the compiler are in the
    result already.
    """
    console = end.console
    has_compile_errors = end.tool == "compile" and bool(
        end.result and end.result.get("error_count")
    )
    if console is None or not console["errors"] or has_compile_errors or end.error is not None:
        return
    errors = console["errors"]
    note(f"Logged since it began: {counted(errors, 'error')}.")
    for message in console["first"][:errors]:
        note(f"  error: {visible_line(message)}")


def put_envelope(followed: Followed, activity: str, is_well: bool = True) -> None:
    """Print the job's result with ``--json``. ``is_well``: the command finds no fault with a job
    that succeeded.
    """
    end = followed.end
    problem = trouble(end, activity)
    error = end.error
    if error is None and problem is not None and end.result is None:
        code = _CODES.get(end.state, ErrorCode.REQUEST_TIMEOUT)
        guarantee = Guarantee.NOT_EXECUTED if end.state == "not_run" else Guarantee.UNKNOWN
        error = error_object(ToolError(code, problem, {"state": end.state}, guarantee))
    put_json(envelope(is_well and exit_status(followed) == 0, end.result, error, end.job_id))


_WHOSE = {
    "other": "  (of another client)",
    "earlier": "  (of a client that has ended)",
    "untrusted": "  (of a server that proved nothing)",
}


def job_line(job: JsonObject) -> str:
    """Return one line about an entry of ``running_jobs``: id, tool, state, age and whose job it is
    (SPEC §15.9).
    """
    tool = " ".join(str(job[name]) for name in ("tool", "name") if job.get(name))
    step = job.get("step") or job.get("state")
    age = f", {job['age_ms'] // 1000} s" if "age_ms" in job else ""
    whose = _WHOSE.get(job.get("client", ""), "")
    return visible_line(f"{job.get('job_id', '(no id)')}  {tool}: {step}{age}{whose}")
