"""``unity-bridge test``: the project's tests, for people and for build servers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional

import click

from unity_bridge.catalogue import CATALOGUE
from unity_bridge.commands.options import USAGE, Seconds, script_options, script_settings
from unity_bridge.commands.output import note, prepare_output, put

if TYPE_CHECKING:
    from datetime import datetime

    from unity_bridge.commands.options import ScriptSettings
    from unity_bridge.commands.run_follower import RunEnd

_MODES = CATALOGUE["run_tests"].input_schema["properties"]["mode"]["enum"]

# Beside a client that asks all the time, the tests would wait; alone, a bar should move.
_POLL_MS = 250


@click.command(
    "test",
    epilog="Example: unity-bridge test --mode edit --filter Keep.Tests.InventoryTests --junit results/unity.xml",
    short_help="Run the project's tests.",
)
@click.option(
    "--mode", type=click.Choice(_MODES), default="all", show_default=True, help="Edit-mode or play-mode tests."
)
@click.option(
    "--filter",
    "filter_text",
    metavar="F",
    default=None,
    help="A full test name, a namespace or fixture, or category:NAME; several separated by ';'.",
)
@click.option(
    "--junit", "junit_file", metavar="FILE", type=click.Path(path_type=Path), default=None, help="Write JUnit XML too."
)
@click.option(
    "--timeout",
    "timeout_s",
    type=Seconds(1),
    metavar="SECONDS",
    default=None,
    help="How long the run may take before it is stopped in Unity (default 300).",
)
@script_options
@click.pass_context
def command(
    context: click.Context,
    /,
    mode: str,
    filter_text: Optional[str],
    junit_file: Optional[Path],
    timeout_s: Optional[float],
    **options: Any,
) -> None:
    """Run the project's tests in the open editor and report what failed.

    Exit status: 0 all passed; 1 tests failed, or the run could not be carried out; 3 no editor. Ctrl-C cancels the
    run in Unity and waits for its end; a second one leaves at once.

    Unity tells the names of failed tests only: in the JUnit file the others are counted by unnamed placeholders.
    """
    prepare_output(context)
    settings = script_settings(context, options)
    longest_s = settings.config.job_max_timeout_ms / 1000
    if timeout_s is not None and timeout_s > longest_s:
        raise click.UsageError(f"--timeout can be at most {longest_s:g} (job_max_timeout_ms)")
    params: Dict[str, Any] = {"mode": mode}
    if filter_text:
        params["filter"] = filter_text
    from unity_bridge.commands.junit_report import make_way
    from unity_bridge.result import Err

    possible = make_way(junit_file) if junit_file is not None else None
    if isinstance(possible, Err):
        note(possible.error)
        context.exit(USAGE)
    context.exit(_run(settings, params, timeout_s or settings.config.job_default_timeout_ms / 1000, junit_file))


def _run(settings: ScriptSettings, params: Mapping[str, Any], timeout_s: float, junit_file: Optional[Path]) -> int:
    """The exit status."""
    from dataclasses import replace

    from unity_bridge.clock import SystemClock
    from unity_bridge.commands.run_display import display_for_stderr
    from unity_bridge.commands.run_follower import CANCEL_GRACE_S, RunEnd, RunFollower
    from unity_bridge.commands.short_life import NO_EDITOR, ShortLife
    from unity_bridge.result import Err

    config = replace(settings.config, job_poll_interval_ms=min(_POLL_MS, settings.config.job_poll_interval_ms))
    clock = SystemClock()
    started = clock.utc()
    # Ours comes first, so that what had ended by then is told; Unity's is for the case that we are gone.
    limit_ms = min(round((timeout_s + CANCEL_GRACE_S) * 1000), config.job_max_timeout_ms)
    with ShortLife(config) as life:
        editor = life.wait_for_editor(settings.wait_s)
        if isinstance(editor, Err):
            end = RunEnd("not_run", error=editor.error.as_json())
            _report(end, params, started, {}, junit_file)
            return NO_EDITOR
        life.say_if_busy(editor.value)
        display = display_for_stderr(clock)
        patience_s = config.compile_grace_timeout_ms / 1000
        try:
            follower = RunFollower(life, display, timeout_s, clock, patience_s)
            end = follower.follow({**params, "timeout_ms": limit_ms})
        finally:
            display.close()
    return _report(end, params, started, editor.value["editor"] or {}, junit_file)


def _report(
    end: RunEnd, params: Mapping[str, Any], started: datetime, editor: Mapping[str, Any], junit_file: Optional[Path]
) -> int:
    """Tell what came of the run, in words and as a file; the exit status."""
    from unity_bridge.commands.junit_report import junit_xml, write_report
    from unity_bridge.commands.run_report import failures, summary
    from unity_bridge.result import Err

    trouble = _trouble(end)
    status = _status(end)
    if end.result is not None:
        put("\n\n".join([*failures(end.result), summary(end.result)]))
        if end.state == "succeeded" and end.result["summary"]["total"] == 0:
            note("No test matches: check --mode and --filter.")
    if trouble is not None:
        note(trouble)
    if junit_file is not None:
        project = editor.get("project_name") or "Unity"
        told = {"mode": params["mode"], "filter": params.get("filter", ""), **_known(editor)}
        written = write_report(junit_file, junit_xml(f"{project} tests", started, told, end.result, trouble))
        if isinstance(written, Err):
            note(written.error)
            return status or 1
    return status


def _status(end: RunEnd) -> int:
    from unity_bridge.commands.run_follower import Stop

    if end.stopped_by is not None and end.stopped_by is not Stop.OUT_OF_TIME:
        status: int = end.stopped_by.value
        return status
    return 0 if end.state == "succeeded" else 1


def _trouble(end: RunEnd) -> Optional[str]:
    """Why this is not the result of a whole run, as a sentence; None if it is."""
    from unity_bridge.commands.run_follower import Stop

    if end.error is not None:
        return str(end.error["message"])
    if end.state == "not_run":
        return "Interrupted before Unity was ready: nothing was run."
    if end.state == "left":
        return "The run was told to stop, but Unity has not said that it did; it may still go on there."
    if end.state == "cancelled":
        why = {
            None: "The run was cancelled in Unity or by another client.",
            Stop.OUT_OF_TIME: "The run took too long and was cancelled; a longer --timeout or a --filter helps.",
        }
        return why.get(end.stopped_by, "The run was cancelled.")
    if end.state == "timeout":
        return "Unity ended the run because it took too long."
    return None


def _known(editor: Mapping[str, Any]) -> Dict[str, str]:
    names = ("unity_version", "project_name", "project_path")
    return {name: str(editor[name]) for name in names if editor.get(name)}
