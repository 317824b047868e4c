"""One job of a command: from its options to its result, with a progress display and an exit status."""

from __future__ import annotations

from typing import Any, Callable, Mapping, NamedTuple, Optional, Tuple

import click

from unity_bridge.base.calls import Failure
from unity_bridge.base.clock import SystemClock
from unity_bridge.base.errors import ToolError
from unity_bridge.base.frozen import changed
from unity_bridge.base.result import Err
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.commands.envelope import envelope
from unity_bridge.commands.job_display import display_for_stderr
from unity_bridge.commands.job_follower import CANCEL_GRACE_S, JobEnd, JobFollower, Stop
from unity_bridge.commands.options import ScriptSettings
from unity_bridge.commands.output import note, put_json
from unity_bridge.commands.short_life import NO_EDITOR, ShortLife
from unity_bridge.text.foreign_text import visible_line

# Next to a client that asks all the time, the job would wait; without one, the bar should move.
_POLL_MS = 250
# A job that begins when no time is left ends as one that took too long.
_LEAST_S = 0.1


class Followed(NamedTuple):
    """The result of a run.

    ``editor``: what ``get_editor_state`` reported of the editor; empty if there was none.
    """

    end: JobEnd
    editor: Mapping[str, Any]
    has_editor: bool


# Why nothing may be run in the editor that ``get_editor_state`` describes so; None if it may.
Objection = Callable[[Mapping[str, Any]], Optional[ToolError]]


def run_job(
    settings: ScriptSettings,
    tool: str,
    params: Mapping[str, Any],
    timeout_s: Optional[float] = None,
    objection: Optional[Objection] = None,
) -> Followed:
    """Wait for an editor, call the tool there, and follow its job to the end.

    ``timeout_s``: how long the job may take; by default as long as the tool's own default.
    """
    limit_s = timeout_s or CATALOGUE[tool].default_timeout_ms / 1000
    return run_jobs(settings, lambda ask: ask(tool, params), limit_s, tool == "run_tests", objection)


# Calls a tool, and follows its job to the end.
Ask = Callable[[str, Mapping[str, Any]], JobEnd]


def run_jobs(
    settings: ScriptSettings,
    steps: Callable[[Ask], JobEnd],
    timeout_s: float,
    counts_tests: bool,
    objection: Optional[Objection] = None,
) -> Followed:
    """Wait for an editor, and run jobs there one after the other: ``steps`` returns what the command comes to.

    ``timeout_s``: how long they may take together. ``counts_tests``: what a display shows as progress.
    """

    def follow(followers: Callable[[], Tuple[JobFollower, float]]) -> JobEnd:
        def ask(tool: str, params: Mapping[str, Any]) -> JobEnd:
            follower, left_s = followers()
            # Our deadline comes first, so that finished parts are reported; Unity's is for the case that this process
            # is gone.
            grace_s = CANCEL_GRACE_S if CATALOGUE[tool].supports_cancel else 0.0
            longest_ms = min(round((left_s + grace_s) * 1000), CATALOGUE[tool].max_timeout_ms)
            return follower.follow(tool, {**params, "timeout_ms": longest_ms})

        return steps(ask)

    return _with_editor(settings, follow, timeout_s, counts_tests, objection)


def follow_job(settings: ScriptSettings, job_id: str, timeout_s: float) -> Followed:
    """Follow a job that another client submitted."""
    return _with_editor(settings, lambda followers: followers()[0].follow_job(job_id), timeout_s)


def _with_editor(
    settings: ScriptSettings,
    follow: Callable[[Callable[[], Tuple[JobFollower, float]]], JobEnd],
    timeout_s: float,
    counts_tests: bool = True,
    objection: Optional[Objection] = None,
) -> Followed:
    config = changed(settings.config, job_poll_interval_ms=min(_POLL_MS, settings.config.job_poll_interval_ms))
    clock = SystemClock()
    with ShortLife(config, settings.project, settings.is_named) as life:
        editor = life.wait_for_editor(settings.wait_s)
        if isinstance(editor, Err):
            return Followed(JobEnd("not_run", error=editor.error.as_json()), {}, has_editor=False)
        refused = None if objection is None else objection(editor.value["editor"] or {})
        if refused is not None:
            return Followed(JobEnd("not_run", error=Failure(refused).as_json()), editor.value["editor"], True)
        life.say_if_busy(editor.value)
        display = display_for_stderr(clock, counts_tests)
        until = clock.now() + timeout_s

        def followers() -> Tuple[JobFollower, float]:
            left_s = max(_LEAST_S, until - clock.now())
            return JobFollower(life, display, left_s, clock, config.compile_grace_timeout_ms / 1000), left_s

        try:
            end = follow(followers)
        finally:
            display.close()
        return Followed(end, editor.value["editor"] or {}, has_editor=True)


def exit_status(followed: Followed) -> int:
    """SPEC §19.3: 0 done, 1 failed, 3 no editor, 4 out of time, 130 and 143 interrupted."""
    end = followed.end
    if not followed.has_editor:
        return NO_EDITOR
    if end.stopped_by is not None:
        return end.stopped_by.value
    if end.state == "timeout":
        return Stop.OUT_OF_TIME.value
    return 0 if end.state == "succeeded" and end.result is not None else 1


def trouble(end: JobEnd, what: str) -> Optional[str]:
    """Return why this is not the result of a whole job, as a sentence, or None. ``what``: "The test run"."""
    if end.error is not None:
        return str(end.error["message"])
    if end.state == "not_run":
        return "Interrupted before Unity was ready: nothing was run."
    if end.state == "left":
        again = f"; `unity-bridge jobs {end.job_id} --wait` waits for its end" if end.job_id else ""
        return f"{what} had not ended when this command stopped; it may still run in Unity{again}."
    if end.state == "cancelled":
        why = {
            None: f"{what} was cancelled in Unity or by another client.",
            Stop.OUT_OF_TIME: f"{what} took too long and was cancelled; a longer --timeout helps.",
        }
        return why.get(end.stopped_by, f"{what} was cancelled.")
    if end.state == "succeeded" and end.result is None:
        return f"{what} succeeded, but its result is no longer kept."
    return None


def note_console(end: JobEnd) -> None:
    """On stderr, the errors that were logged while the job ran. Errors of the compiler are in the result already."""
    console = end.console
    has_compile_errors = end.tool == "compile" and bool(end.result and end.result.get("error_count"))
    if console is None or not console["errors"] or has_compile_errors or end.error is not None:
        return
    errors = console["errors"]
    note(f"Logged since it began: {errors} {'error' if errors == 1 else 'errors'}.")
    for message in console["first"][:errors]:
        note(f"  error: {visible_line(message)}")


def put_envelope(followed: Followed, what: str, is_well: bool = True) -> None:
    """Print the job's result with ``--json``, and why it was not carried out on stderr too.

    ``is_well``: the command finds no fault with a job that succeeded.
    """
    end = followed.end
    problem = trouble(end, what)
    error = end.error
    if error is None and problem is not None and end.result is None:
        error = {"code": None, "message": problem, "retryable": False, "details": {"state": end.state}}
    put_json(envelope(is_well and exit_status(followed) == 0, end.result, error, end.job_id))
    if problem is not None:
        note(problem)


def check_timeout(timeout_s: Optional[float], tool: str) -> None:
    """Refuse a ``--timeout`` that no job of the tool may have."""
    longest_s = CATALOGUE[tool].max_timeout_ms / 1000
    if timeout_s is not None and timeout_s > longest_s:
        raise click.UsageError(f"--timeout can be at most {longest_s:g} seconds for this command")
