"""``unity-bridge junit``: Make one JUnit report of the reports of all shards.

Exit status: 0 the report is complete, 1 it is not, or it could not be written.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Tuple

import click

from unity_bridge.base.result import Err
from unity_bridge.commands.shared.envelope import LinesGroup
from unity_bridge.scripting.output import note, put, put_result, value_or_stop

_NOT_WHOLE = 1


command = LinesGroup(
    "junit",
    help="Make one JUnit report of the reports that `unity-bridge test --shard` has written.",
    epilog="Example: unity-bridge junit merge unity.xml shard-*.xml",
)


@command.command(epilog="Example: unity-bridge junit merge unity.xml shard-*.xml")
@click.argument("out", metavar="OUT", type=click.Path(path_type=Path))
@click.argument("files", metavar="IN...", nargs=-1, required=True)
def merge(out: Path, files: Tuple[str, ...]) -> int:
    """Write the sum of the shards' reports to OUT, if it is complete.

    It is complete if each shard of one list has one report, and the reports have each test of the
    list once. Whether the tests passed does not matter here.

    Exit status: 0 it is complete; 1 it is not: what is missing or wrong is named, and OUT is removed; 2 OUT is one of
    IN.
    """
    from unity_bridge.commands.shared.junit_report import make_way, write_report
    from unity_bridge.shards import junit_file
    from unity_bridge.shards.merge import merged

    if any(_is_same(str(out), path) for path in files):
        raise click.UsageError(f"OUT is one of IN: {out}. It would be removed before it is read.")
    value_or_stop(make_way(out))
    faults, suites_of_files = [], []
    for path in files:
        suites = junit_file.read(path)
        if isinstance(suites, Err):
            faults.append(suites.error)
        else:
            suites_of_files.append((path, suites.value))
    result = merged(suites_of_files)
    if isinstance(result, Err):
        faults += result.error
    if isinstance(result, Err) or faults:
        for fault in faults:
            note(fault)
        note(f"The report is not complete, and {out} was not written.")
        put_result(faults=faults)
        return _NOT_WHOLE
    value_or_stop(write_report(out, junit_file.written(result.value)), status=_NOT_WHOLE)
    cases = [case for suite in result.value for case in suite.cases]
    tests = len(cases) + sum(sum(suite.not_named) for suite in result.value)
    failed = sum(1 for case in cases if case.marks and case.marks[0].kind != "skipped")
    failed += sum(suite.not_named.failed for suite in result.value)
    put(f"{out}: {tests} tests of {len(suites_of_files)} shards, {failed} failed.")
    put_result(tests=tests, shards=len(suites_of_files), failed=failed)
    return 0


def _is_same(path: str, output: str) -> bool:
    try:
        return os.path.realpath(path) == os.path.realpath(output) or os.path.samefile(path, output)
    except (OSError, ValueError):
        return False
