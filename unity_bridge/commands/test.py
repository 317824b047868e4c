"""``unity-bridge test``: Compile, then run the project's tests, with a report of failures and JUnit
XML.
"""

from __future__ import annotations

import textwrap
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional

import click

from unity_bridge.base.clock import SystemClock
from unity_bridge.base.errors import ErrorCode, ToolError
from unity_bridge.base.result import Err
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.catalogue.argument_spellings import meant_word
from unity_bridge.catalogue.loaded_code import why_not_loaded
from unity_bridge.commands.shared.envelope import details_of
from unity_bridge.commands.shared.error_lines import compile_errors, first_useful_place
from unity_bridge.commands.shared.job_end import Followed, JobEnd, trouble
from unity_bridge.commands.shared.listed_tests import Listing, cannot_list, shard_of
from unity_bridge.commands.shared.options import flag
from unity_bridge.commands.shared.tool_command import JobView, job_command, option_of
from unity_bridge.scripting.output import counted, note, put, stop
from unity_bridge.text.foreign_text import visible, visible_line
from unity_bridge.text.json_types import JsonDict, JsonObject

_TOOL = "run_tests"
_THE_RUN = "The test run"
_MODES: List[str] = CATALOGUE[_TOOL].input_schema["properties"]["mode"]["enum"]
_EXAMPLE = "Example: unity-bridge test --mode edit --filter Keep.Tests.InventoryTests --junit results/unity.xml"


@job_command("test", _TOOL, _THE_RUN, _EXAMPLE)
@option_of(_TOOL, "mode", help="Edit-mode or play-mode tests.")
@option_of(
    _TOOL,
    "filter",
    metavar="F",
    help="A test's name, a fixture, a namespace, or category:NAME; several separated by ';'.",
)
@flag("--failed", help="Only the tests whose newest result is a failure.")
@flag(
    "--no-refresh",
    help="Run the assemblies that Unity has loaded, without a compile first.",
)
@flag(
    "--save",
    help="First save scenes that have unsaved changes. Without it, such scenes stop the run.",
)
@option_of(_TOOL, "changed_scenes")
@flag("--allow-empty", help="Exit with 0 even if there is no test to run.")
@flag("--list", "only_list", help="List the tests that would be run, and run none.")
@click.option("--shard", "shard_text", metavar="I/N", help="Only the tests of shard I of N.")
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
    help="Also write JUnit XML to FILE.",
)
@click.argument("words", metavar="[TEST]...", nargs=-1)
def command(
    failed: bool,
    only_list: bool,
    shard_text: Optional[str],
    junit_file: Optional[Path],
    **options: Any,
) -> JobView:
    """Compile what is on disk, run the project's tests in the open editor, and report what failed.

    With --shard, N machines run the tests together, each a shard; `unity-bridge junit merge` makes
    one report of theirs and says whether it is complete. A fixture is never split. A shard without
    tests passes.

    Exit status: 0 all passed, and they ran the code that is on disk (--no-refresh: whatever code is loaded); 1 tests
    failed, none matched, the code was not the newest, or the run could not be carried out (compile errors are
    printed); 2 wrong usage; 3 no editor; 4 --timeout passed. Ctrl-C cancels the run in Unity and waits for
    its end; a second one leaves at once.
    """
    # A shell makes several words of `--durations yesterday/*.xml`.
    durations, more_durations = options["durations"], options["words"]
    if more_durations and not durations:
        _take_names(options)
        more_durations = []
    mistakes = {
        "--failed and --filter exclude each other": failed and options["filter"],
        "--failed and --shard exclude each other: each editor knows only its own failures": (
            failed and shard_text is not None
        ),
        "--list and --junit exclude each other": only_list and junit_file is not None,
        "--durations needs --shard": durations and shard_text is None,
    }
    for mistake, is_made in mistakes.items():
        if is_made:
            raise click.UsageError(mistake)
    from unity_bridge.commands.shared.junit_report import (
        make_way,
    )  # it is slow to import, and --help needs none of it

    try:
        # Before the report is removed, which may be one of the files with durations.
        shard = None if shard_text is None else shard_of(shard_text, (*durations, *more_durations))
    finally:
        possible = make_way(junit_file) if junit_file is not None else None
    if isinstance(possible, Err):
        stop(possible.error)
    no_refresh = options["no_refresh"]
    params: JsonDict = {
        "mode": options["mode"],
        "refresh": not no_refresh,
        "unsaved": "save" if options["save"] else "refuse",
        "changed_scenes": options["changed_scenes"],
        "include_passed": junit_file is not None or shard is not None,
    }
    if failed or options["filter"]:
        params["filter"] = "failed" if failed else options["filter"]
    only_failed = params.get("filter") == "failed"
    listing = Listing(params, shard)
    objection = partial(_objection, only_list or shard is not None, not no_refresh)
    if only_list:
        return JobView(params, listing.show, objection=objection, steps=listing.only_list)

    def faults(followed: Followed) -> List[str]:
        return [
            *_faults(
                followed.end, no_refresh, options["allow_empty"] or listing.has_tests or only_failed
            ),
            *listing.faults(followed),
        ]

    def finish(followed: Followed, faults: List[str]) -> int:
        result = followed.end.result
        if only_failed and result is not None and result["summary"]["total"] == 0:
            note("No test failed last time.")
        if no_refresh:
            _say_which_code_ran(followed.end)
        if junit_file is None:
            return 0
        return _write_junit(junit_file, followed, listing.properties(), start, faults)

    steps = None if shard is None else listing.run
    start = SystemClock().utc()
    return JobView(
        params,
        _show,
        why=lambda error: " ".join(unmatched_parts(error)),
        advice=_advice,
        faults=faults,
        finish=finish,
        objection=objection,
        steps=steps,
    )


def _take_names(options: Dict[str, Any]) -> None:
    """Take the words as the filter, or as the mode."""
    mode = meant_word(CATALOGUE[_TOOL], "mode", _MODES, options["words"][0])
    if len(options["words"]) == 1 and mode in _MODES:
        options["mode"] = mode
    elif options["filter"]:
        raise click.UsageError("name tests either with words or with --filter")
    else:
        options["filter"] = ";".join(options["words"])


def _advice(error: Optional[JsonObject]) -> List[str]:
    if details_of(error, "unsaved_scenes"):
        return ["`unity-bridge test --save` saves them first."]
    return []


def _objection(lists: bool, refreshes: bool, editor: JsonObject) -> Optional[ToolError]:
    """Return the error with which nothing is run, if the plugin cannot list the tests, or could
    only run the code that happens to be loaded.
    """
    missing = editor.get("missing_tools", ())
    if lists and "run_command" in missing:
        return cannot_list()
    if not refreshes or "compile" not in missing:
        return None
    return ToolError(
        ErrorCode.UNKNOWN_COMMAND,
        "The plugin in Unity cannot compile, so the tests might run old code. Nothing was run. Update the plugin with "
        "`unity-bridge plugin update`, or run the code that is loaded with --no-refresh.",
    )


def _faults(end: JobEnd, no_refresh: bool, allow_empty: bool) -> List[str]:
    """Why a run that was carried out is not good whatever its tests say, a sentence each."""
    if end.result is None:
        return []
    faults = []
    if not no_refresh:
        faults += [fault for fault in [fault_of_the_code(end.result)] if fault is not None]
    if end.state == "succeeded" and end.result["summary"]["total"] == 0 and not allow_empty:
        faults.append(
            "There was no test to run: check --mode and --filter, or allow it with --allow-empty."
        )
    return faults


def _show(result: JsonObject) -> None:
    for remark in result.get("remarks") or ():
        note(visible_line(remark))
    put("\n\n".join([*failures(result), summary(result)]))


def _say_which_code_ran(end: JobEnd) -> None:
    """``--no-refresh`` accepts old code, and still says if it was old."""
    fresh = (end.result or {}).get("code_fresh")
    if end.result is not None and fresh is not True:
        value, means = "null", "perhaps older than what is on disk"
        if fresh is False:
            value, means = "false", "older than what is on disk"
        note(f"code_fresh is {value}: the tests ran code that is {means}.")


def _write_junit(
    path: Path, followed: Followed, options: Mapping[str, str], start: datetime, faults: List[str]
) -> int:
    """1 if it could not be written, else 0."""
    from unity_bridge.commands.shared.junit_report import junit_xml, write_report

    end, editor = followed.end, followed.editor
    project = editor.get("project_name") or "Unity"
    listed = {**options, "code_fresh": _fresh(end), **_known(editor)}
    # A build server that reads nothing but this file must not take the run for a good one either.
    error = (
        " ".join(unmatched_parts(end.error)) or trouble(end, _THE_RUN) or " ".join(faults) or None
    )
    if error is not None:
        error = "\n".join([error, *compile_errors(end.error)])
    written = write_report(path, junit_xml(f"{project} tests", start, listed, end.result, error))
    if isinstance(written, Err):
        note(written.error)
        return 1
    return 0


def _fresh(end: JobEnd) -> str:
    fresh = (end.result or {}).get("code_fresh")
    return {None: "unknown"}.get(fresh, str(fresh).lower())


def _known(editor: JsonObject) -> Dict[str, str]:
    return {
        name: str(editor[name])
        for name in ("unity_version", "project_name", "project_path")
        if editor.get(name)
    }


_MESSAGE_LINES = 20


def unmatched_parts(error: Optional[JsonObject]) -> List[str]:
    """Return a sentence for each part of the filter that matches no test, with the nearest names
    (SPEC §16).
    """
    details = details_of(error, "no_tests_matched")
    nearest = details.get("nearest")
    names = nearest if isinstance(nearest, Mapping) else {}
    parts = details.get("unmatched")
    return [_unmatched(part, names.get(part)) for part in parts or () if isinstance(part, str)]


def _unmatched(part: str, nearest: Any) -> str:
    names = []
    if isinstance(nearest, list):
        names = [visible_line(name) for name in nearest if isinstance(name, str)]
    return f"No test matches {visible_line(part)}." + (
        f" The nearest are: {', '.join(names)}." if names else ""
    )


def fault_of_the_code(result: JsonObject) -> Optional[str]:
    """Why the tests may have run other code than what is on disk, as a sentence. None: they ran
    that code.
    """
    fresh = result.get("code_fresh")
    if fresh is True:
        return None
    if fresh is None:
        return (
            "It is not known whether the tests ran the code that is on disk: the plugin does not report it. Update it "
            "with `unity-bridge plugin update`, or accept that with --no-refresh."
        )
    compiled = result.get("compile") or {}
    why = why_not_loaded(compiled.get("pending_reason"), compiled.get("reason"))
    return f"The tests ran code that is older than what is on disk: {visible_line(why)}."


def failures(result: JsonObject) -> Iterator[str]:
    """Return one block of lines for each failed test that Unity reported."""
    for test in result["failed_tests"]:
        lines = [click.style("FAILED", fg="red", bold=True) + "  " + visible_line(test["name"])]
        message = (
            textwrap.dedent(visible(test.get("message") or "")).strip("\n").rstrip().split("\n")
        )
        cut = message[:_MESSAGE_LINES]
        lines += [f"    {line}".rstrip() for line in cut if line or len(cut) > 1]
        if len(message) > len(cut):
            lines.append(f"    ... ({len(message) - len(cut)} more lines)")
        place = first_useful_place(test.get("stack_trace"), test.get("message") or "")
        if place is not None:
            lines.append(f"    at {visible_line(str(place))}")
        yield "\n".join(lines)
    untold = result["summary"]["failed"] - len(result["failed_tests"])
    if untold > 0:
        yield f"... and {untold} more that failed: too many for one answer."


def summary(result: JsonObject) -> str:
    """``16 tests: 14 passed, 1 failed, 1 skipped in 4.9 s``"""
    counts = result["summary"]
    colours = {"passed": "green", "failed": "red", "skipped": "yellow"}
    parts = [
        click.style(f"{counts[name]} {name}", fg=colour)
        for name, colour in colours.items()
        if counts.get(name) or name == "passed"
    ]
    not_run = counts["total"] - sum(counts.get(name, 0) for name in colours)
    if not_run > 0:  # cut short, and the plugin counts those that were to come
        parts.append(f"{not_run} not run")
    took = f" in {duration(counts['duration_ms'] / 1000)}" if "duration_ms" in counts else ""
    return f"{counted(counts['total'], 'test')}: {', '.join(parts)}{took}"


def duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, seconds_left = divmod(round(seconds), 60)
    return f"{minutes} min {seconds_left} s"
