"""``unity-bridge jobs``: List the jobs that run, or show or wait for one."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence, Tuple

import click

from unity_bridge.catalogue.loaded_code import fault_of_compile
from unity_bridge.commands.shared.envelope import put_answer, put_failure
from unity_bridge.commands.shared.job_end import exit_status, job_line, trouble
from unity_bridge.commands.shared.job_follower import follow_job
from unity_bridge.commands.shared.options import (
    NO_EDITOR,
    ScriptSettings,
    Seconds,
    flag,
    options_but_wait,
    script_command,
    script_settings,
    timeout_option,
)
from unity_bridge.scripting.command_bridge import CommandBridge
from unity_bridge.scripting.output import note
from unity_bridge.text.foreign_text import visible_line
from unity_bridge.text.json_types import JsonObject

_DEFAULT_S = 300


@script_command("jobs", "Example: unity-bridge jobs job-1f0c --wait")
@click.argument("words", nargs=-1, metavar="[ID]")
@flag("--wait", "wait_for_end", help="Wait for the job's end; --wait SECONDS: so long.")
@timeout_option(_DEFAULT_S)
@options_but_wait
def command(
    words: Tuple[str, ...],
    wait_for_end: bool,
    timeout_s: Optional[float],
    **options: Any,
) -> int:
    """List the jobs that have not ended. With an ID, show that job; with --wait too, wait for its
    end.

    Exit status: 0 listed, or the job succeeded or still runs; 1 it failed, was cancelled, is not known, or its code
    is compiled and not loaded; 2 wrong usage; 3 no editor; 4 --timeout passed while waiting.
    Ctrl-C stops waiting, not the job.
    """
    from unity_bridge.commands.shared.editor_probe import read  # --help does without it

    settings = script_settings(options)
    job_id, seconds = _id_and_seconds(words, wait_for_end)
    timeout_s = timeout_s or seconds
    if wait_for_end:
        if job_id is None:
            raise click.UsageError("--wait needs the ID of a job")
        return _follow(settings, job_id, timeout_s or _DEFAULT_S)

    def reading(
        ask: Callable[[JsonObject], JsonObject],
        _: CommandBridge,
        editor: JsonObject,
    ) -> int:
        if job_id is None:
            running = editor["running_jobs"]
            lines = [job_line(job) for job in running] or ["No job runs."]
            put_answer(True, {"running_jobs": running}, lines)
            return 0
        return _show(ask({"job_id": job_id}))

    return read(settings, "get_job_status", reading)


def _id_and_seconds(
    words: Sequence[str], wait_for_end: bool
) -> Tuple[Optional[str], Optional[float]]:
    """Return the job's id, and the seconds behind --wait: an id is no number, so their order is free."""
    numbers = [word for word in words if wait_for_end and word.isdecimal()]
    ids = [word for word in words if word not in numbers]
    if len(ids) > 1 or len(numbers) > 1:
        raise click.UsageError("jobs takes the ID of one job")
    job_id = ids[0] if ids else None
    if not numbers:
        return job_id, None
    return job_id, Seconds(1).convert(numbers[0], None, click.get_current_context())


def _follow(settings: ScriptSettings, job_id: str, timeout_s: float) -> int:
    """Follow a job and return the exit status."""
    followed = follow_job(settings, job_id, timeout_s)
    end = followed.end
    if not followed.has_editor:
        put_failure(end.error or {})
        return NO_EDITOR
    job = {"job_id": job_id, "tool": end.tool, "state": end.state, "result": end.result}
    fault = _fault(job)
    view = job if end.error is None else {**job, "error": end.error}
    return _print_job(
        view,
        trouble(end, "The job") or fault,
        exit_status(followed) or int(fault is not None),
    )


def _show(job: JsonObject) -> int:
    """Print a job and return the exit status."""
    fault = job["error"]["message"] if "error" in job else _fault(job)
    is_well = fault is None and job["state"] in ("queued", "running", "succeeded")
    return _print_job(job, fault, int(not is_well))


def _fault(job: JsonObject) -> Optional[str]:
    """Why a job that succeeded is no success (SPEC §16.1): the same answer as the command of its
    tool gives.
    """
    fault = fault_of_compile(job.get("result")) if job.get("tool") == "compile" else None
    if fault is None:
        return None
    return visible_line(fault)


def _print_job(job: JsonObject, problem: Optional[str], status: int) -> int:
    """Print the job's status (SPEC §15.3), the same whether it was waited for or not; on stderr its
    problem.
    """
    line = f"{visible_line(job['job_id'])} {visible_line(job.get('tool') or 'job')} {job['state']}"
    put_answer(not status, job, [line], job["job_id"])
    if problem is not None:
        note(str(problem))
    return status
