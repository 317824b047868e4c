"""The tests of the project as ``list_tests`` lists them, on the code that is on disk, and the run of one shard."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence

import click

from unity_bridge.base.calls import Failure
from unity_bridge.base.errors import ErrorCode, Guarantee, ToolError
from unity_bridge.base.loaded_code import why_not_loaded
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.commands.job_follower import JobEnd
from unity_bridge.commands.job_run import Ask
from unity_bridge.shards import junit_file
from unity_bridge.shards.plan import Durations, Plan, plan_of
from unity_bridge.shards.test_list import Fixture, ListedTest, list_digest

_SHARD = re.compile(r"([0-9]{1,5})/([0-9]{1,5})", re.ASCII)
_MOST_SHARDS = 10_000
_MOST_TESTS = 1_000_000


class Shard(NamedTuple):
    """``durations``: None divides by names alone."""

    number: int
    shards: int
    durations: Optional[Durations] = None


class Listed(NamedTuple):
    """``mine``: the tests of the shard, or all of them."""

    tests: Sequence[ListedTest]
    mine: Sequence[ListedTest]
    fixtures: Sequence[Fixture]
    plan: Optional[Plan]


def shard_of(text: str, files: Sequence[str]) -> Shard:
    """``"2/8"``, and the JUnit files that have durations. Raises ``click.UsageError``."""
    found = _SHARD.fullmatch(text)
    number, shards = (int(found[1]), int(found[2])) if found is not None else (0, 0)
    if not 1 <= number <= shards <= _MOST_SHARDS:
        raise click.UsageError(f"--shard is I/N, with I from 1 to N and N at most {_MOST_SHARDS}: as in 2/8")
    if not files:
        return Shard(number, shards)
    durations: Dict[Fixture, int] = {}
    for path in files:
        suites = junit_file.read(path)
        if isinstance(suites, Err):
            raise click.UsageError(f"--durations: {suites.error}")
        # A fixture in several files counts as long as it took the longest, in whatever order the files are named.
        for fixture, taken in junit_file.durations_of(suites.value).items():
            durations[fixture] = max(taken, durations.get(fixture, 0))
    return Shard(number, shards, durations)


def compile_first(ask: Ask, changed_scenes: str) -> Optional[JobEnd]:
    """Compile what is on disk. None if it is loaded then; else the end, with the error of ``run_tests`` for it."""
    end = ask("compile", {"force": False, "warnings": False, "changed_scenes": changed_scenes})
    result = end.result
    if result is None or end.error is not None:
        return end
    if not result["ok"]:
        message = "Unity's scripts do not compile, so no test was listed or run. Fix the errors, then run it again."
        return _failed(end, message, {"reason": "compile_errors", "errors": result["errors"]})
    if result.get("loaded") is False:
        why = why_not_loaded(result.get("pending_reason"), result.get("reason"))
        message = f"The editor does not run the code on disk, so no test was listed or run: {why}."
        return _failed(end, message, {"reason": "stale_code", "pending_reason": result.get("pending_reason")})
    return None if end.state == "succeeded" else end


def list_tests(ask: Ask, mode: str, filter_text: Optional[str]) -> Result[List[ListedTest], JobEnd]:
    """The tests that a run with this mode and filter runs, on the code that is loaded."""
    tests: List[ListedTest] = []
    cursor = ""
    digest: Optional[str] = None
    while True:
        arguments = {"mode": mode, "filter": filter_text or "", "cursor": cursor}
        end = ask("run_command", {"name": "list_tests", "arguments": arguments})
        if end.state != "succeeded" or end.result is None:
            return Err(_without_the_command(end))
        page = _page_of(end.result.get("value"))
        if page is None:
            return Err(_unusable(end, "is not in the form of a list of tests"))
        tests += page.tests
        if digest not in (None, page.list_digest):
            return Err(_unusable(end, "has changed while it was read"))
        digest = page.list_digest
        if page.next_cursor is None:
            break
        cursor = page.next_cursor
        if not page.tests or len(tests) > _MOST_TESTS:
            return Err(_unusable(end, "has no end"))
    if list_digest(tests) != digest:
        return Err(_unusable(end, "is not what its digest says"))
    return Ok(tests)


def listed(tests: Sequence[ListedTest], shard: Optional[Shard]) -> Listed:
    if shard is None:
        return Listed(tests, tests, (), None)
    plan = plan_of(tests, shard.shards, shard.durations)
    fixtures = plan.fixtures[shard.number - 1]
    of_the_shard = frozenset(fixtures)
    return Listed(tests, [test for test in tests if test.key in of_the_shard], fixtures, plan)


def properties_of(shard: Shard, found: Optional[Listed]) -> Dict[str, str]:
    """What a JUnit file says of its shard. ``found``: None if the tests were not listed."""
    properties = {"shard": str(shard.number), "shards": str(shard.shards)}
    if found is not None and found.plan is not None:
        properties["tests_in_list"] = str(len(found.tests))
        properties["tests_in_shard"] = str(len(found.mine))
        properties["list_digest"] = found.plan.list_digest
        properties["plan_digest"] = found.plan.plan_digest
    return properties


def fault_of_the_count(result: Mapping[str, Any], found: Listed) -> Optional[str]:
    """Why the run was not of the shard's tests, if it was not: somebody changed them after they were listed."""
    ran, listed_count = result["summary"]["total"], len(found.mine)
    # A fixture that fails by itself is counted, and is no test.
    fixtures = sum(1 for test in result["failed_tests"] if test.get("fixture") == test["name"])
    if listed_count <= ran <= listed_count + fixtures:
        return None
    changed = "they have changed since they were listed. Run it again"
    return f"The run had {ran} tests, and the shard has {listed_count}: {changed}."


def as_rows(tests: Sequence[ListedTest]) -> List[List[Any]]:
    """In the form in which ``list_tests`` lists them."""
    return [[one.name, one.mode, one.fixture, one.assembly, list(one.categories)] for one in tests]


class _Page(NamedTuple):
    tests: Sequence[ListedTest]
    list_digest: str
    next_cursor: Optional[str]


def _page_of(value: Any) -> Optional[_Page]:
    """None if it is no page. Plugins of others may have a command of this name."""
    page = value if isinstance(value, Mapping) else {}
    rows, digest, cursor = page.get("tests"), page.get("list_digest"), page.get("next_cursor")
    if not isinstance(rows, list) or not isinstance(digest, str) or not (cursor is None or isinstance(cursor, str)):
        return None
    tests = []
    for row in rows:
        if not isinstance(row, list) or len(row) != 5 or not isinstance(row[4], list):
            return None
        if not all(isinstance(text, str) for text in (*row[:4], *row[4])):
            return None
        tests.append(ListedTest(row[0], row[1], row[2], row[3], tuple(row[4])))
    return _Page(tests, digest, cursor)


def _without_the_command(end: JobEnd) -> JobEnd:
    """The end of a job of ``list_tests``, with what to do if the plugin does not have the command."""
    said = {} if end.error is None else end.error["details"].get("unity")
    if not isinstance(said, Mapping) or said.get("reason") != "unknown_command":
        return end
    return JobEnd("not_run", error=cannot_list().as_json())


def cannot_list() -> Failure:
    message = "The plugin in Unity cannot list tests. Nothing was run. Update it with `unity-bridge plugin update`."
    return Failure(ToolError(ErrorCode.UNKNOWN_COMMAND, message))


def _failed(end: JobEnd, message: str, details: Mapping[str, Any]) -> JobEnd:
    error = ToolError(ErrorCode.UNITY_EXECUTION, message, details, Guarantee.NOT_EXECUTED)
    return JobEnd("failed", error=Failure(error).as_json(), job_id=end.job_id, tool=end.tool, console=end.console)


def _unusable(end: JobEnd, why: str) -> JobEnd:
    message = f"The plugin's list of tests {why}. Nothing was run. Run it again."
    error = ToolError(ErrorCode.INVALID_RESPONSE, message, known_guarantee=Guarantee.NOT_EXECUTED)
    return JobEnd("failed", error=Failure(error).as_json(), job_id=end.job_id)
