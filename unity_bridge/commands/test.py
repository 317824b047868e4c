"""``unity-bridge test``: Compile, then run the project's tests, with a report of failures and JUnit XML."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional

import click

from unity_bridge.catalogue import CATALOGUE
from unity_bridge.commands.compile import changed_scenes_option
from unity_bridge.commands.options import USAGE, job_options, script_settings
from unity_bridge.commands.output import note, prepare_output, put
from unity_bridge.text.foreign_text import visible_line

if TYPE_CHECKING:
    from datetime import datetime

    from unity_bridge.base.errors import ToolError
    from unity_bridge.commands.job_follower import JobEnd
    from unity_bridge.commands.job_run import Followed

_TOOL = "run_tests"
_THE_RUN = "The test run"
_MODES = CATALOGUE[_TOOL].input_schema["properties"]["mode"]["enum"]


@click.command(
    "test", epilog="Example: unity-bridge test --mode edit --filter Keep.Tests.InventoryTests --junit results/unity.xml"
)
@click.option(
    "--mode", type=click.Choice(_MODES), default="all", show_default=True, help="Edit-mode or play-mode tests."
)
@click.option(
    "--filter",
    "filter_text",
    metavar="F",
    default=None,
    help="A test's name, a fixture, a namespace, or category:NAME; several separated by ';'.",
)
@click.option("--failed", is_flag=True, help="Only the tests that failed in the last run.")
@click.option("--no-refresh", is_flag=True, help="Run the assemblies that Unity has loaded, without a compile first.")
@click.option("--save", is_flag=True, help="Save scenes with unsaved changes first; without it they refuse the run.")
@changed_scenes_option
@click.option("--allow-empty", is_flag=True, help="Exit with 0 also if there is no test to run.")
@click.option(
    "--junit", "junit_file", metavar="FILE", type=click.Path(path_type=Path), default=None, help="Write JUnit XML too."
)
@job_options(300)
@click.pass_context
def command(
    context: click.Context,
    /,
    mode: str,
    filter_text: Optional[str],
    failed: bool,
    no_refresh: bool,
    save: bool,
    changed_scenes: str,
    allow_empty: bool,
    junit_file: Optional[Path],
    as_json: bool,
    timeout_s: Optional[float],
    **options: Any,
) -> None:
    """Compile what is on disk, run the project's tests in the open editor, and report what failed.

    Exit status: 0 all passed, and they ran the code that is on disk (--no-refresh: whatever code is loaded); 1 tests
    failed, none matched, the code was not the newest, or the run could not be carried out (compile errors are
    printed); 3 no editor; 4 --timeout passed. Ctrl-C cancels the run in Unity and waits for its end; a second one
    leaves at once.
    """
    prepare_output(context)
    settings = script_settings(context, options)
    if failed and filter_text:
        raise click.UsageError("--failed and --filter exclude each other")
    from unity_bridge.base.clock import SystemClock
    from unity_bridge.base.result import Err
    from unity_bridge.commands.job_run import check_timeout, run_job
    from unity_bridge.commands.junit_report import make_way

    check_timeout(timeout_s, _TOOL)
    possible = make_way(junit_file) if junit_file is not None else None
    if isinstance(possible, Err):
        note(possible.error)
        context.exit(USAGE)
    params: Dict[str, Any] = {
        "mode": mode,
        "refresh": not no_refresh,
        "unsaved": "save" if save else "refuse",
        "changed_scenes": changed_scenes,
        "include_passed": junit_file is not None,
    }
    if failed or filter_text:
        params["filter"] = "failed" if failed else filter_text
    started = SystemClock().utc()
    followed = run_job(settings, _TOOL, params, timeout_s, None if no_refresh else _cannot_compile)
    faults = _faults(followed.end, no_refresh, allow_empty)
    status = _report(followed, as_json, faults)
    if no_refresh:
        _say_which_code_ran(followed.end)
    if junit_file is not None:
        status = _write_junit(junit_file, followed, params, started, faults) or status
    context.exit(status)


def _cannot_compile(editor: Mapping[str, Any]) -> Optional[ToolError]:
    """The error with which nothing is run, if the plugin could only run the code that happens to be loaded."""
    from unity_bridge.base.errors import ErrorCode, ToolError

    if "compile" not in editor.get("missing_tools", ()):
        return None
    return ToolError(
        ErrorCode.UNKNOWN_COMMAND,
        "The plugin in Unity cannot compile, so the tests might run old code. Nothing was run. Update the plugin with "
        "`unity-bridge plugin update`, or run the code that is loaded with --no-refresh.",
    )


def _faults(end: JobEnd, no_refresh: bool, allow_empty: bool) -> List[str]:
    """Why a run that was carried out is not good whatever its tests say, a sentence each."""
    from unity_bridge.commands.run_report import fault_of_the_code

    if end.result is None:
        return []
    faults = []
    if not no_refresh:
        faults += [fault for fault in [fault_of_the_code(end.result)] if fault is not None]
    if end.state == "succeeded" and end.result["summary"]["total"] == 0 and not allow_empty:
        faults.append("There was no test to run: check --mode and --filter, or allow it with --allow-empty.")
    return faults


def _report(followed: Followed, as_json: bool, faults: List[str]) -> int:
    """Print what came of the run. Returns the exit status."""
    from unity_bridge.commands.job_run import exit_status, note_console, put_envelope
    from unity_bridge.commands.run_report import compile_errors, failures, summary

    end = followed.end
    status = exit_status(followed) or int(bool(faults))
    if as_json:
        put_envelope(followed, _THE_RUN, is_well=not faults)
    else:
        errors = compile_errors(end.error)
        if errors:
            put("\n".join(errors))
        if end.result is not None:
            for remark in end.result.get("remarks") or ():
                note(visible_line(remark))
            put("\n\n".join([*failures(end.result), summary(end.result)]))
        problem = _trouble(end)
        if problem is not None:
            note(problem)
    note_console(end)
    for fault in faults:
        note(fault)
    return status


def _trouble(end: JobEnd) -> Optional[str]:
    """Why this is not the result of a whole run; None if it is."""
    from unity_bridge.commands.job_run import trouble
    from unity_bridge.commands.run_report import unmatched_parts

    return " ".join(unmatched_parts(end.error)) or trouble(end, _THE_RUN)


def _say_which_code_ran(end: JobEnd) -> None:
    """``--no-refresh`` accepts old code, and still says if it was old."""
    fresh = None if end.result is None else end.result.get("code_fresh")
    if end.result is not None and fresh is not True:
        means = "older than what is on disk" if fresh is False else "perhaps older than what is on disk"
        note(f"code_fresh is {'null' if fresh is None else 'false'}: the tests ran code that is {means}.")


def _write_junit(
    path: Path, followed: Followed, params: Mapping[str, Any], started: datetime, faults: List[str]
) -> int:
    """1 if it could not be written, else 0."""
    from unity_bridge.base.result import Err
    from unity_bridge.commands.junit_report import junit_xml, write_report

    end, editor = followed.end, followed.editor
    project = editor.get("project_name") or "Unity"
    told = {"mode": params["mode"], "filter": params.get("filter", ""), "code_fresh": _fresh(end), **_known(editor)}
    # A build server that reads nothing but this file must not take the run for a good one either.
    error = _trouble(end) or " ".join(faults) or None
    written = write_report(path, junit_xml(f"{project} tests", started, told, end.result, error))
    if isinstance(written, Err):
        note(written.error)
        return 1
    return 0


def _fresh(end: JobEnd) -> str:
    fresh = None if end.result is None else end.result.get("code_fresh")
    return "unknown" if fresh is None else str(fresh).lower()


def _known(editor: Mapping[str, Any]) -> Dict[str, str]:
    names = ("unity_version", "project_name", "project_path")
    return {name: str(editor[name]) for name in names if editor.get(name)}
