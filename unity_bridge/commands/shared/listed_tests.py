"""The tests of the project as ``list_tests`` lists them, on the code that is on disk, and the run
of one shard.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence

import click

from unity_bridge.base.errors import ErrorCode, Guarantee, ToolError, error_object
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.catalogue.loaded_code import why_not_loaded
from unity_bridge.commands.shared.job_end import Ask, Followed, JobEnd, is_unknown_command
from unity_bridge.scripting.output import note, put
from unity_bridge.shards.plan import Durations, Plan, plan_of
from unity_bridge.shards.test_list import Fixture, ListedTest, list_digest
from unity_bridge.text.foreign_text import visible_line
from unity_bridge.text.json_types import JsonDict, JsonObject

_SHARD = re.compile(r"([0-9]{1,5})/([0-9]{1,5})", re.ASCII)
_MOST_SHARDS = 10_000
_MOST_TESTS = 1_000_000
# Of the tests that a fault names.
_NAMED = 3


class Shard(NamedTuple):
    """``durations``: None divides by names alone."""

    number: int
    shards: int
    durations: Optional[Durations] = None


def shard_of(text: str, files: Sequence[str]) -> Shard:
    """``"2/8"``, and the JUnit files that have durations. Raises ``click.UsageError``."""
    match = _SHARD.fullmatch(text)
    number, shards = (int(match[1]), int(match[2])) if match is not None else (0, 0)
    if not 1 <= number <= shards <= _MOST_SHARDS:
        raise click.UsageError(
            f"--shard is I/N, with I from 1 to N and N at most {_MOST_SHARDS}: as in 2/8"
        )
    if not files:
        return Shard(number, shards)
    from unity_bridge.shards import junit_file  # it reads XML, which other runs need not load

    durations: Dict[Fixture, int] = {}
    for path in files:
        suites = junit_file.read(path)
        if isinstance(suites, Err):
            raise click.UsageError(f"--durations: {suites.error}")
        # A fixture in several files counts as long as it took the longest, in whatever order the
        # files are named.
        for fixture, duration_ms in junit_file.durations_of(suites.value).items():
            durations[fixture] = max(duration_ms, durations.get(fixture, 0))
    return Shard(number, shards, durations)


def compile_first(ask: Ask, changed_scenes: str) -> Optional[JobEnd]:
    """Compile what is on disk. Return None if it is loaded, else the end, with the error of
    ``run_tests``.
    """
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
        return _failed(
            end, message, {"reason": "stale_code", "pending_reason": result.get("pending_reason")}
        )
    if end.state == "succeeded":
        return None
    return end


def list_tests(ask: Ask, mode: str, filter_text: Optional[str]) -> Result[List[ListedTest], JobEnd]:
    """Return the tests that a run with this mode and filter runs, on the code that is loaded."""
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


class Listing:
    """The tests of one run of the command: all that its filter means, or those of a shard. Known
    once it has run.
    """

    def __init__(self, params: JsonObject, shard: Optional[Shard]) -> None:
        self._params = params
        self._shard = shard
        self._tests: Optional[Sequence[ListedTest]] = None
        self._mine: Sequence[ListedTest] = ()
        self._fixtures: Sequence[Fixture] = ()
        self._plan: Optional[Plan] = None

    @property
    def has_tests(self) -> bool:
        """Whether the whole list has a test, so that a shard without any is none the less right."""
        return bool(self._tests)

    def run(self, ask: Ask) -> JobEnd:
        """Compile, list the tests, and run those of the shard."""
        stopped = self._list(ask)
        fixtures = [list(fixture) for fixture in self._fixtures]
        return stopped or ask("run_tests", {**self._params, "fixtures": fixtures})

    def only_list(self, ask: Ask) -> JobEnd:
        """Compile and list the tests."""
        stopped = self._list(ask)
        if stopped is not None:
            return stopped
        rows = [
            [test.name, test.mode, test.fixture, test.assembly, list(test.categories)]
            for test in self._mine
        ]
        result: JsonDict = {"tests": rows, "list_digest": list_digest(self._tests or ())}
        if self._shard is not None and self._plan is not None:
            result.update(
                shard=self._shard.number,
                shards=self._shard.shards,
                plan_digest=self._plan.plan_digest,
            )
        return JobEnd("succeeded", result)

    def show(self, _: JsonObject) -> None:
        """Print the list."""
        if self._mine:
            put(
                "\n".join(
                    visible_line(f"{test.name}  ({test.mode}, {test.assembly})")
                    for test in self._mine
                )
            )
        of_all = f" of {len(self._tests or ())}" if self._shard is not None else ""
        note(
            f"{len(self._mine)}{of_all} tests in {len({test.key for test in self._mine})} fixtures."
        )

    def _list(self, ask: Ask) -> Optional[JobEnd]:
        stopped = (
            compile_first(ask, self._params["changed_scenes"]) if self._params["refresh"] else None
        )
        if stopped is not None:
            return stopped
        tests = list_tests(ask, self._params["mode"], self._params.get("filter"))
        if isinstance(tests, Err):
            return tests.error
        self._tests = self._mine = tests.value
        if self._shard is not None:
            self._plan = plan_of(tests.value, self._shard.shards, self._shard.durations)
            durations = self._shard.durations
            if durations is not None and not any(test.key in durations for test in tests.value):
                note(
                    "No file of --durations has a time for these tests: all fixtures count the same."
                )
            self._fixtures = self._plan.fixtures[self._shard.number - 1]
            of_the_shard = frozenset(self._fixtures)
            self._mine = [test for test in tests.value if test.key in of_the_shard]
        return None

    def properties(self) -> Dict[str, str]:
        """Return what a JUnit file says of what was asked, and of its shard."""
        properties = {"mode": self._params["mode"], "filter": self._params.get("filter", "")}
        if self._shard is not None:
            properties.update(shard=str(self._shard.number), shards=str(self._shard.shards))
        if self._plan is not None:
            properties["tests_in_list"] = str(len(self._tests or ()))
            properties["tests_in_shard"] = str(len(self._mine))
            properties["list_digest"] = self._plan.list_digest
            properties["plan_digest"] = self._plan.plan_digest
        return properties

    def faults(self, followed: Followed) -> List[str]:
        """Return why the run was not of the shard's tests, if somebody changed them after they were
        listed.
        """
        end = followed.end
        if self._plan is None or end.result is None or end.error is not None:
            return []
        if end.state not in ("succeeded", "failed"):
            return []
        return _difference(end.result, self._mine)


def _difference(result: JsonObject, listed: Sequence[ListedTest]) -> List[str]:
    reported = [
        test
        for kind in ("failed", "skipped", "passed")
        for test in result.get(f"{kind}_tests") or ()
    ]
    # A fixture that fails by itself is reported, and is no test.
    ran = Counter(test["name"] for test in reported if test.get("fixture") != test["name"])
    expected = Counter(test.name for test in listed)
    missing, extra = list((expected - ran).elements()), list((ran - expected).elements())
    # The plugin leaves names out of a long answer: so many tests are only counted, whether it
    # counts fixtures or not.
    total = result["summary"]["total"]
    least, most = total - len(reported), total - sum(ran.values())
    if not extra and least <= len(missing) <= most:
        return []
    clauses = [f"{_some(missing)} did not run"] if len(missing) > most else []
    clauses += [f"{_some(extra)} ran"] if extra else []
    sentence = " and ".join(clauses) or f"{least - len(missing)} more ran"
    return [
        f"The run was not of the shard's tests: {sentence}. They have changed since they were listed. Run it again."
    ]


def _some(names: Sequence[str]) -> str:
    suffix = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(map(visible_line, names[:_NAMED])) + suffix


class _Page(NamedTuple):
    tests: Sequence[ListedTest]
    list_digest: str
    next_cursor: Optional[str]


def _page_of(value: Any) -> Optional[_Page]:
    """None if it is no page. Plugins of others may have a command of this name."""
    page = value if isinstance(value, Mapping) else {}
    rows, digest, cursor = page.get("tests"), page.get("list_digest"), page.get("next_cursor")
    if (
        not isinstance(rows, list)
        or not isinstance(digest, str)
        or not (cursor is None or isinstance(cursor, str))
    ):
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
    """Return the end of a job of ``list_tests``, with what to do if the plugin does not have the
    command.
    """
    if is_unknown_command(end.error):
        return JobEnd("not_run", error=error_object(cannot_list()))
    return end


def cannot_list() -> ToolError:
    message = "The plugin in Unity cannot list tests. Nothing was run. Update it with `unity-bridge plugin update`."
    return ToolError(ErrorCode.UNKNOWN_COMMAND, message)


def _failed(
    end: JobEnd,
    message: str,
    details: JsonObject,
    code: ErrorCode = ErrorCode.UNITY_EXECUTION,
) -> JobEnd:
    error = ToolError(code, message, details, Guarantee.NOT_EXECUTED)
    return JobEnd(
        "failed", error=error_object(error), job_id=end.job_id, tool=end.tool, console=end.console
    )


def _unusable(end: JobEnd, why: str) -> JobEnd:
    message = f"The plugin's list of tests {why}. Nothing was run. Run it again."
    return _failed(end, message, {}, ErrorCode.INVALID_RESPONSE)
