"""``unity-bridge test``: the project's tests on today's code, for people and for build servers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional

import click

from unity_bridge.catalogue import CATALOGUE
from unity_bridge.commands.options import USAGE, json_option, script_options, script_settings, timeout_option
from unity_bridge.commands.output import note, prepare_output, put

if TYPE_CHECKING:
    from datetime import datetime

    from unity_bridge.commands.job_run import Followed

_TOOL = "run_tests"
_THE_RUN = "The test run"
_MODES = CATALOGUE[_TOOL].input_schema["properties"]["mode"]["enum"]


@click.command(
    "test",
    epilog="Example: unity-bridge test --mode edit --filter Keep.Tests.InventoryTests --junit results/unity.xml",
    short_help="Compile, then run the project's tests.",
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
@click.option("--failed", is_flag=True, help="Only the tests that failed in the last run.")
@click.option("--no-refresh", is_flag=True, help="Run the assemblies that Unity has loaded, without a compile first.")
@click.option("--save", is_flag=True, help="Save scenes with unsaved changes first; without it they refuse the run.")
@click.option("--allow-empty", is_flag=True, help="Exit with 0 also where no test matches.")
@click.option(
    "--junit", "junit_file", metavar="FILE", type=click.Path(path_type=Path), default=None, help="Write JUnit XML too."
)
@json_option
@timeout_option(300)
@script_options
@click.pass_context
def command(
    context: click.Context,
    /,
    mode: str,
    filter_text: Optional[str],
    failed: bool,
    no_refresh: bool,
    save: bool,
    allow_empty: bool,
    junit_file: Optional[Path],
    as_json: bool,
    timeout_s: Optional[float],
    **options: Any,
) -> None:
    """Compile what is on disk, run the project's tests in the open editor, and report what failed.

    Exit status: 0 all passed; 1 tests failed, none matched, or the run could not be carried out (compile errors are
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
        "include_passed": junit_file is not None,
    }
    if failed or filter_text:
        params["filter"] = "failed" if failed else filter_text
    started = SystemClock().utc()
    followed = run_job(settings, _TOOL, params, timeout_s)
    status = _report(followed, as_json, allow_empty)
    if junit_file is not None:
        status = _write_junit(junit_file, followed, params, started) or status
    context.exit(status)


def _report(followed: Followed, as_json: bool, allow_empty: bool) -> int:
    """Tell what came of the run; the exit status."""
    from unity_bridge.commands.job_run import exit_status, put_envelope, trouble
    from unity_bridge.commands.run_report import compile_errors, failures, summary

    end = followed.end
    is_empty = end.state == "succeeded" and end.result is not None and end.result["summary"]["total"] == 0
    status = exit_status(followed) or int(is_empty and not allow_empty)
    if as_json:
        put_envelope(followed, _THE_RUN, is_well=status == 0)
    else:
        errors = compile_errors(end.error)
        if errors:
            put("\n".join(errors))
        if end.result is not None:
            put("\n\n".join([*failures(end.result), summary(end.result)]))
        problem = trouble(end, _THE_RUN)
        if problem is not None:
            note(problem)
    if is_empty:
        note("No test matches: check --mode and --filter.")
    return status


def _write_junit(path: Path, followed: Followed, params: Mapping[str, Any], started: datetime) -> int:
    """1 if it could not be written, else 0."""
    from unity_bridge.base.result import Err
    from unity_bridge.commands.job_run import trouble
    from unity_bridge.commands.junit_report import junit_xml, write_report

    end, editor = followed.end, followed.editor
    project = editor.get("project_name") or "Unity"
    told = {"mode": params["mode"], "filter": params.get("filter", ""), **_known(editor)}
    written = write_report(path, junit_xml(f"{project} tests", started, told, end.result, trouble(end, _THE_RUN)))
    if isinstance(written, Err):
        note(written.error)
        return 1
    return 0


def _known(editor: Mapping[str, Any]) -> Dict[str, str]:
    names = ("unity_version", "project_name", "project_path")
    return {name: str(editor[name]) for name in names if editor.get(name)}
