"""One job of a command: from its options to its result, with a progress display and an exit status."""

from __future__ import annotations

from typing import Callable, Optional, Sequence

from unity_bridge.base.clock import SystemClock
from unity_bridge.base.errors import error_object
from unity_bridge.base.frozen import changed
from unity_bridge.base.result import Err
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.commands.shared.editor_probe import wait_for_editor
from unity_bridge.commands.shared.job_display import display_for_stderr
from unity_bridge.commands.shared.job_end import Followed, JobEnd, Objection, Steps, TimedCall
from unity_bridge.commands.shared.job_follower import JobFollower
from unity_bridge.commands.shared.options import ScriptSettings
from unity_bridge.scripting.command_bridge import CommandBridge
from unity_bridge.text.json_types import JsonObject

# Next to a client that asks all the time, the job would wait; without one, the bar should move.
_POLL_MS = 250
# A job that begins when no time is left ends as one that took too long.
_LEAST_S = 0.1


def run_job(
    settings: ScriptSettings,
    tool: str,
    params: JsonObject,
    timeout_s: Optional[float] = None,
    objection: Optional[Objection] = None,
    steps: Optional[Steps] = None,
) -> Followed:
    """Wait for an editor, call the tool there, and follow its job to the end.

    ``timeout_s``: how long the job may take; by default as long as a call of the tool with these arguments may.
    ``steps`` runs several jobs in place of one, which may take as long together, and returns what they come to.
    """
    row = CATALOGUE[tool]
    limit_s = (
        timeout_s or min(row.default_timeout_ms + row.longer_ms(params), row.max_timeout_ms) / 1000
    )

    def follow(follower: Callable[[], JobFollower]) -> JobEnd:
        def ask(tool: str, params: JsonObject, meanwhile: Sequence[TimedCall] = ()) -> JobEnd:
            return follower().follow(tool, params, meanwhile)

        if steps is None:
            return ask(tool, params)
        return steps(ask)

    return _with_editor(settings, follow, limit_s, tool == "run_tests", objection)


def follow_job(settings: ScriptSettings, job_id: str, timeout_s: float) -> Followed:
    """Follow a job that another client submitted."""
    return _with_editor(settings, lambda follower: follower().follow_job(job_id), timeout_s)


def _with_editor(
    settings: ScriptSettings,
    follow: Callable[[Callable[[], JobFollower]], JobEnd],
    timeout_s: float,
    counts_tests: bool = True,
    objection: Optional[Objection] = None,
) -> Followed:
    config = changed(
        settings.config, job_poll_interval_ms=min(_POLL_MS, settings.config.job_poll_interval_ms)
    )
    clock = SystemClock()
    with CommandBridge(config, settings.project, settings.is_named) as life:
        editor = wait_for_editor(life, settings)
        if isinstance(editor, Err):
            return Followed(JobEnd("not_run", error=editor.error.as_json()), {}, has_editor=False)
        refused = None if objection is None else objection(editor.value["editor"] or {})
        if refused is not None:
            return Followed(
                JobEnd("not_run", error=error_object(refused)), editor.value["editor"], True
            )
        life.say_if_busy(editor.value)
        display = display_for_stderr(clock, counts_tests)
        until = clock.now() + timeout_s

        def follower() -> JobFollower:
            left_s = max(_LEAST_S, until - clock.now())
            return JobFollower(life, display, left_s, clock, config.compile_grace_timeout_ms / 1000)

        try:
            end = follow(follower)
        finally:
            display.close()
        return Followed(end, editor.value["editor"] or {}, has_editor=True)
