"""``unity-bridge test``: Compile, then run the project's tests, with a report of failures and JUnit XML."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Tuple

import click

from unity_bridge.catalogue import CATALOGUE
from unity_bridge.commands.compile import changed_scenes_option
from unity_bridge.commands.options import USAGE, job_options, script_settings
from unity_bridge.commands.output import note, prepare_output, put, put_json
from unity_bridge.text.foreign_text import visible_line

if TYPE_CHECKING:
    from datetime import datetime

    from unity_bridge.base.errors import ToolError
    from unity_bridge.commands.job_follower import JobEnd
    from unity_bridge.commands.job_run import Followed
    from unity_bridge.commands.listed_tests import Listed, Shard
    from unity_bridge.commands.options import ScriptSettings

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
@click.option(
    "--save", is_flag=True, help="First save scenes that have unsaved changes. Without it, such scenes stop the run."
)
@changed_scenes_option
@click.option("--allow-empty", is_flag=True, help="Exit with 0 even if there is no test to run.")
@click.option("--list", "only_list", is_flag=True, help="List the tests that would be run, and run none.")
@click.option("--shard", "shard_text", metavar="I/N", default=None, help="Only the tests of shard I of N.")
@click.option(
    "--durations",
    "durations",
    metavar="FILE...",
    multiple=True,
    help="Divide the shards by the times in earlier JUnit files, not by name.",
)
@click.option(
    "--junit",
    "junit_file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    default=None,
    help="Also write JUnit XML to FILE.",
)
@click.argument("more_durations", metavar="", nargs=-1)
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
    only_list: bool,
    shard_text: Optional[str],
    durations: Tuple[str, ...],
    more_durations: Tuple[str, ...],
    junit_file: Optional[Path],
    as_json: bool,
    timeout_s: Optional[float],
    **options: Any,
) -> None:
    """Compile what is on disk, run the project's tests in the open editor, and report what failed.

    With --shard, N machines run the tests together, each a shard; `unity-bridge junit merge` makes one report of theirs
    and says whether it is complete. A fixture is never split. A shard without tests passes.

    Exit status: 0 all passed, and they ran the code that is on disk (--no-refresh: whatever code is loaded); 1 tests
    failed, none matched, the code was not the newest, or the run could not be carried out (compile errors are
    printed); 3 no editor; 4 --timeout passed. Ctrl-C cancels the run in Unity and waits for its end; a second one
    leaves at once.
    """
    prepare_output(context)
    settings = script_settings(context, options)
    if failed and filter_text:
        raise click.UsageError("--failed and --filter exclude each other")
    if failed and shard_text is not None:
        raise click.UsageError("--failed and --shard exclude each other: each editor knows only its own failures")
    if only_list and junit_file is not None:
        raise click.UsageError("--list and --junit exclude each other")
    # A shell makes several words of `--durations yesterday/*.xml`.
    if more_durations and not durations:
        raise click.UsageError(f"Got unexpected extra argument ({' '.join(more_durations)})")
    if durations and shard_text is None:
        raise click.UsageError("--durations needs --shard")
    from unity_bridge.base.clock import SystemClock
    from unity_bridge.base.result import Err
    from unity_bridge.commands.job_run import check_timeout, run_job
    from unity_bridge.commands.junit_report import make_way

    check_timeout(timeout_s, _TOOL)
    shard = None
    if shard_text is not None:
        from unity_bridge.commands.listed_tests import shard_of

        try:
            # Before the report is removed, which may be one of the files with durations.
            shard = shard_of(shard_text, (*durations, *more_durations))
        except click.UsageError:
            if junit_file is not None:
                make_way(junit_file)
            raise
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
    if only_list:
        context.exit(_list(settings, params, shard, timeout_s, as_json))
    started = SystemClock().utc()
    of_the_shard: Dict[str, str] = {}
    if shard is None:
        followed = run_job(settings, _TOOL, params, timeout_s, None if no_refresh else _cannot_compile)
        faults = _faults(followed.end, no_refresh, allow_empty)
    else:
        from unity_bridge.commands.listed_tests import fault_of_the_count, properties_of

        followed, found = _run_listed(settings, params, shard, timeout_s)
        faults = _faults(followed.end, no_refresh, allow_empty or (found is not None and bool(found.tests)))
        is_whole = followed.end.state in ("succeeded", "failed") and followed.end.error is None
        if found is not None and is_whole and followed.end.result is not None:
            faults += [fault for fault in [fault_of_the_count(followed.end.result, found)] if fault is not None]
        of_the_shard = properties_of(shard, found)
    status = _report(followed, as_json, faults)
    if no_refresh:
        _say_which_code_ran(followed.end)
    if junit_file is not None:
        status = _write_junit(junit_file, followed, {**_asked(params), **of_the_shard}, started, faults) or status
    context.exit(status)


def _run_listed(
    settings: ScriptSettings,
    params: Mapping[str, Any],
    shard: Optional[Shard],
    timeout_s: Optional[float],
    only_list: bool = False,
) -> Tuple[Followed, Optional[Listed]]:
    """Compile, list the tests, and run those of the shard; with ``only_list`` none. None: they were not listed."""
    from unity_bridge.base.result import Err
    from unity_bridge.commands.job_follower import JobEnd
    from unity_bridge.commands.job_run import Ask, run_jobs
    from unity_bridge.commands.listed_tests import compile_first, list_tests, listed

    found: List[Listed] = []

    def steps(ask: Ask) -> JobEnd:
        stopped = compile_first(ask, params["changed_scenes"]) if params["refresh"] else None
        if stopped is not None:
            return stopped
        tests = list_tests(ask, params["mode"], params.get("filter"))
        if isinstance(tests, Err):
            return tests.error
        found.append(listed(tests.value, shard))
        if only_list:
            return JobEnd("succeeded")
        return ask(_TOOL, {**params, "fixtures": [list(fixture) for fixture in found[0].fixtures]})

    limit_s = timeout_s or CATALOGUE[_TOOL].default_timeout_ms / 1000
    followed = run_jobs(settings, steps, limit_s, True, partial(_cannot_list, bool(params["refresh"])))
    return followed, found[0] if found else None


def _list(
    settings: ScriptSettings,
    params: Mapping[str, Any],
    shard: Optional[Shard],
    timeout_s: Optional[float],
    as_json: bool,
) -> int:
    """``--list``: print the tests that would be run. Returns the exit status."""
    from unity_bridge.commands.envelope import envelope
    from unity_bridge.commands.listed_tests import as_rows
    from unity_bridge.shards.test_list import list_digest

    followed, found = _run_listed(settings, params, shard, timeout_s, only_list=True)
    if found is None:
        return _report(followed, as_json, [])
    if as_json:
        listed: Dict[str, Any] = {"tests": as_rows(found.mine), "list_digest": list_digest(found.tests)}
        if shard is not None and found.plan is not None:
            listed.update(shard=shard.number, shards=shard.shards, plan_digest=found.plan.plan_digest)
        put_json(envelope(True, listed))
        return 0
    if found.mine:
        put("\n".join(visible_line(f"{test.name}  ({test.mode}, {test.assembly})") for test in found.mine))
    of_all = f" of {len(found.tests)}" if shard is not None else ""
    note(f"{len(found.mine)}{of_all} tests in {len({test.key for test in found.mine})} fixtures.")
    return 0


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


def _cannot_list(refreshes: bool, editor: Mapping[str, Any]) -> Optional[ToolError]:
    from unity_bridge.commands.listed_tests import cannot_list

    if "run_command" in editor.get("missing_tools", ()):
        return cannot_list().error
    return _cannot_compile(editor) if refreshes else None


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


def _write_junit(path: Path, followed: Followed, asked: Mapping[str, str], started: datetime, faults: List[str]) -> int:
    """1 if it could not be written, else 0."""
    from unity_bridge.base.result import Err
    from unity_bridge.commands.junit_report import junit_xml, write_report

    end, editor = followed.end, followed.editor
    project = editor.get("project_name") or "Unity"
    listed = {**asked, "code_fresh": _fresh(end), **_known(editor)}
    # A build server that reads nothing but this file must not take the run for a good one either.
    error = _trouble(end) or " ".join(faults) or None
    written = write_report(path, junit_xml(f"{project} tests", started, listed, end.result, error))
    if isinstance(written, Err):
        note(written.error)
        return 1
    return 0


def _asked(params: Mapping[str, Any]) -> Dict[str, str]:
    return {"mode": params["mode"], "filter": params.get("filter", "")}


def _fresh(end: JobEnd) -> str:
    fresh = None if end.result is None else end.result.get("code_fresh")
    return "unknown" if fresh is None else str(fresh).lower()


def _known(editor: Mapping[str, Any]) -> Dict[str, str]:
    names = ("unity_version", "project_name", "project_path")
    return {name: str(editor[name]) for name in names if editor.get(name)}
