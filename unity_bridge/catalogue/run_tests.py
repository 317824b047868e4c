"""``run_tests``: runs the project's tests, on what is on disk (SPEC §8, §16)."""

from __future__ import annotations

from typing import FrozenSet, Optional

from unity_bridge.base.errors import ErrorCode, Guarantee, ToolError
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.catalogue import compile
from unity_bridge.catalogue.answer_limits import LONG, SHORT, Fitting, count, rest, texts
from unity_bridge.catalogue.loaded_code import UNKNOWN
from unity_bridge.catalogue.readable_result import ReadingRules
from unity_bridge.catalogue.schema import (
    COUNT,
    FLAG_OR_NULL,
    TEXT,
    TEXT_OR_NULL,
    list_of,
    object_of,
    one_of,
    switch,
    text,
)
from unity_bridge.catalogue.tool import Cancellable, Effect, job_tool, named
from unity_bridge.text.json_types import JsonDict, JsonObject

# More tests than a project has. No list or file is made of a number from a plugin, and no sum of it
# overflows.
_MOST_TESTS = 1_000_000
_SUMMARY = {
    "total": {**COUNT, "maximum": _MOST_TESTS},
    "passed": COUNT,
    "failed": COUNT,
    "skipped": COUNT,
    "duration_ms": {"type": "number", "minimum": 0},
}
# What each list says of a test. Plugins of others may leave out all but the name.
_TEST = {
    "name": TEXT,
    "mode": TEXT,
    "assembly": TEXT,
    "fixture": TEXT,
    "duration_ms": {"type": "number"},
}
_SKIPPED = {**_TEST, "message": TEXT_OR_NULL}
_FAILED = {**_SKIPPED, "stack_trace": TEXT_OR_NULL}


def as_asked(params: JsonObject, result: JsonDict) -> Result[JsonDict, str]:
    """Return the result with passed and skipped tests only if asked for, and ``compile`` as that
    tool returns it.

    ``code_fresh`` is null if the plugin does not report it, and false if ``compile`` in the same result denies it.
    ``Err``: the counts contradict each other. Plugins of the first version may leave out ``failed_tests``.
    """
    summary = result["summary"]
    counted = sum(summary.get(outcome, 0) for outcome in ("passed", "failed", "skipped"))
    if counted > summary["total"]:
        return Err(f"summary counts {counted:g} tests of a total of {summary['total']:g}")
    reported = {"code_fresh": None, "failed_tests": [], **result}
    if not params.get("include_passed", True):
        reported.pop("passed_tests", None)
        reported.pop("skipped_tests", None)
    if "compile" in reported:
        compiled = compile.as_asked({"warnings": False}, reported["compile"])
        assert isinstance(compiled, Ok)  # a compile is always an answer to the question
        reported["compile"] = compiled.value
        if reported["code_fresh"] and not (
            compiled.value["ok"] and compiled.value.get("loaded", True)
        ):
            reported["code_fresh"] = False
    return Ok(reported)


# The name of a failure that belongs to no test.
THE_RUN = "(the run itself)"
_UNREAD_FAILURES = {
    "name": THE_RUN,
    "message": "Unity's list of failed tests could not be read as a whole.",
}


def _with_consequences(params: JsonObject, result: JsonDict, unread: FrozenSet[str]) -> JsonDict:
    """Count failures that cannot be read, and leave open whether code is fresh of which a compile
    says nothing.
    """
    if unread & {"failed_tests", "failed_tests[]"}:
        result["failed_tests"] = [*result["failed_tests"], _UNREAD_FAILURES]
    if unread & {"compile", "compile.ok"}:
        result["code_fresh"] = None
    if "compile.loaded" in unread:
        result["compile"]["pending_reason"] = UNKNOWN
    if unread & {"compile.errors", "compile.errors[]"}:
        result["compile"].update(ok=False, truncated=True)
    return result


def _found_nothing(params: JsonObject, result: JsonObject) -> Optional[ToolError]:
    if not params.get("filter") or result["summary"]["total"]:
        return None
    message = "No test matches the filter, so none was run. Check its names; without filter all tests are run."
    return ToolError(
        ErrorCode.UNITY_EXECUTION, message, {"reason": "no_tests_matched"}, Guarantee.NOT_EXECUTED
    )


# Failures after these are named only, in an answer that would be too long.
_FIRST_FAILURES = 25


def _only_names(fitting: Fitting) -> None:
    rows = fitting.rows("failed_tests")
    if len(rows) > _FIRST_FAILURES:
        names = [{"name": test["name"]} for test in rows[_FIRST_FAILURES:]]
        fitting.put(failed_tests=[*rows[:_FIRST_FAILURES], *names])
        advice = f"After the first {_FIRST_FAILURES} failures only names are here: run those again with filter."
        fitting.remarks["failed_tests"] = advice


_WITH_FILTER = "Run some of the tests again with filter to see them whole."
GIVES_WAY = (
    *(
        count(name, f"{name} are only counted: run fewer tests at once with filter to list them.")
        for name in ("passed_tests", "skipped_tests")
    ),
    texts(LONG, "failed_tests", advice=_WITH_FILTER),
    texts(SHORT, "failed_tests", advice=_WITH_FILTER),
    _only_names,
    rest(
        "failed_tests",
        "Not all failures are here: fix these first, or run fewer tests at once with filter.",
    ),
)

TOOL = job_tool(
    name="run_tests",
    rank=2,
    other_names=named(
        filter=("tests", "test", "test_name", "test_names", "test_filter", "name", "category"),
        mode=("platform", "test_mode", "test_platform"),
    ),
    other_words={"mode": {"editmode": "edit", "playmode": "play", "both": "all"}},
    title="Run Unity tests",
    description=(
        "Runs the project's tests on what is on disk: compiles first, then answers with the failures. filter: a test's "
        "full or bare name, a fixture, a namespace, category:NAME, several with ';' (any matches), or failed = those "
        "that failed last time; a part that matches nothing is an error with the nearest names. state failed with a "
        "result: tests failed; with error: not carried out, compile errors are in error.details. code_fresh true: the "
        "tests ran what is on disk. Still running after wait_ms: get_job_status."
    ),
    kind=Effect.READ_HEAVY,
    default_timeout_ms=300_000,
    max_timeout_ms=1_800_000,
    arguments={
        "mode": one_of(["all", "edit", "play"], "Which tests.", "all"),
        "filter": text("As in Keep.InventoryTests;category:Fast"),
        "refresh": switch("Compile first.", True),
        "unsaved": one_of(["refuse", "save"], "Unsaved scenes.", "refuse"),
        "changed_scenes": compile.CHANGED_SCENES,
        "fixtures": list_of({**list_of(TEXT), "minItems": 3, "maxItems": 3}),
        "include_passed": switch("List passed and skipped too."),
    },
    result_schema=object_of(
        {
            "summary": object_of(_SUMMARY, ("total", "passed", "failed")),
            "failed_tests": list_of(object_of(_FAILED, ("name",))),
            "skipped_tests": list_of(object_of(_SKIPPED, ("name",))),
            "passed_tests": list_of(object_of(_TEST, ("name",))),
            "code_fresh": FLAG_OR_NULL,
            "remarks": list_of(TEXT),
            # It decorates the tests' result, so nothing but its verdict is required.
            "compile": {**compile.RESULT, "required": ["ok"]},
        },
        ("summary",),
    ),
    cancel=Cancellable.WHILE_IT_RUNS,
    is_in_every_plugin=True,
    always_load=True,
    # Thousands of names, which a program chooses from list_tests (SPEC §24.2).
    unpublished=("fixtures",),
    as_asked=as_asked,
    reading=ReadingRules(
        verdicts={
            "code_fresh": None,
            "failed_tests": [],
            "compile": {"ok": None},
            "compile.ok": None,
            "compile.loaded": False,
            "compile.errors": [],
        },
        must_fit=("summary",),
        consequences=_with_consequences,
    ),
    gives_way=GIVES_WAY,
    found_nothing=_found_nothing,
    finds_faults=lambda result: bool(result["summary"]["failed"] or result["failed_tests"]),
)
