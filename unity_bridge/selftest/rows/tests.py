"""``run_tests``: fresh code, filters, and what must not be run."""

from __future__ import annotations

from unity_bridge.selftest.expected import Absent, Holds, OneOf, Present, With
from unity_bridge.selftest.row import (
    Begin,
    CallTool,
    Events,
    Finish,
    Group,
    KeptValue,
    Replace,
    Until,
    done,
    faulty,
    refused,
)
from unity_bridge.selftest.rows.short_forms import (
    BREAK,
    DIRTY,
    EDIT_TESTS,
    ENTER,
    LOCK,
    SCENE,
    edit,
    gives,
    tests,
)

_row = Group("tests", "§16.1").row
_PASSES = f"{EDIT_TESTS}.Passes"
_MANY_UPDATES = "Scratch.Tests.DelayTests.TakesManyUpdates"
_FAILS = Replace("Assets/ScratchTests/EditTests.cs", "AreEqual(1,", "AreEqual(9,")
_ONE_FAILED = {
    "summary": {"total": 2, "passed": 1, "failed": 1},
    "failed_tests": [{"name": _PASSES, "message": Holds("9")}],
    "code_fresh": True,
}
_ONE = done(summary={"total": 1, "passed": 1})
_STALE = tests(EDIT_TESTS, refused("stale_code", pending_reason="reload_locked"))
_THE_JOB = {"job_id": KeptValue("job_id")}

ROWS = (
    _row(
        "edit-mode tests run on the code on disk",
        tests(EDIT_TESTS, done(summary={"total": 2, "passed": 2, "failed": 0}, code_fresh=True)),
    ),
    _row(
        "an edited test fails, with its message", _FAILS, tests(EDIT_TESTS, faulty(**_ONE_FAILED))
    ),
    _row(
        "an edit of the tested code fails the test",
        edit(8),
        tests(
            EDIT_TESTS,
            faulty(summary={"failed": 1}, code_fresh=True, compile={"ok": True, "loaded": True}),
        ),
    ),
    _row(
        "a test that waits for delayCall passes, also without focus",
        tests("Scratch.Tests.DelayTests.ADelayedCallComes", _ONE),
        proves="§11.6",
    ),
    _row(
        "a filter that matches nothing is a failure, and names the nearest",
        tests(
            f"{EDIT_TESTS}.Passs",
            refused(
                "no_tests_matched",
                unmatched=[f"{EDIT_TESTS}.Passs"],
                nearest={f"{EDIT_TESTS}.Passs": With(_PASSES)},
            ),
        ),
        tests(f"{EDIT_TESTS};Nowhere", refused("no_tests_matched", unmatched=["Nowhere"])),
    ),
    _row(
        "a fixture's short name is taken for its full one, and said",
        tests("EditTests", done(summary={"total": 2}, remarks=With(Holds(EDIT_TESTS)))),
    ),
    _row("a category", tests("category:ScratchCategory", _ONE)),
    _row(
        "failed runs what failed before",
        _FAILS,
        tests(EDIT_TESTS, faulty(summary={"failed": 1})),
        tests("failed", faulty(summary={"total": 1, "failed": 1})),
    ),
    _row(
        "failed after a green run succeeds with no test",
        tests(EDIT_TESTS, done(summary={"failed": 0})),
        tests("failed", done(summary={"total": 0})),
    ),
    _row(
        "passed tests are listed if they are asked for",
        tests(
            EDIT_TESTS,
            done(passed_tests=With({"name": f"{EDIT_TESTS}.HasACategory"})),
            include_passed=True,
        ),
    ),
    _row(
        "without refresh nothing is claimed of the code",
        tests(
            EDIT_TESTS,
            done(summary={"total": 2}, code_fresh=Absent(), compile=Absent()),
            refresh=False,
        ),
    ),
    _row(
        "no test runs while scripts are broken",
        BREAK,
        tests(EDIT_TESTS, refused("compile_errors", errors=With({"code": "CS0103"}))),
    ),
    _row(
        "no test runs on code that is not loaded",
        LOCK,
        edit(5),
        _STALE,
        _STALE,
        tests(EDIT_TESTS, done(summary={"passed": 2}, code_fresh=False), refresh=False),
    ),
    _row(
        "unsaved changes refuse a run, and no dialog comes",
        DIRTY,
        tests(EDIT_TESTS, refused("unsaved_scenes", scenes=[SCENE])),
        Events(never=("stall",)),
    ),
    _row("no test runs while the game plays", ENTER, tests(EDIT_TESTS, refused("playing"))),
    _row(
        "play-mode tests run, and play mode is left",
        tests("Scratch.PlayTests", _ONE, mode="play"),
        Until({"playing": False, "editor_state": "ready"}),
        Events(("entered_play_mode", "entered_edit_mode")),
    ),
    _row(
        "a run is cancelled, and the next one works",
        CallTool(
            "run_tests",
            {"filter": _MANY_UPDATES, "wait_ms": 0},
            {"state": OneOf(("queued", "running")), "job_id": Present()},
            keep="job_id",
            within_s=0,
        ),
        CallTool("cancel_job", _THE_JOB, {"state": "succeeded"}),
        CallTool("get_job_status", _THE_JOB, {"state": OneOf(("cancelled", "succeeded"))}),
        tests(EDIT_TESTS, done(summary={"total": 2})),
        proves="§6",
    ),
    _row(
        "a command that only reads runs while tests run",
        Begin("run", "run_tests", {"filter": _MANY_UPDATES, "refresh": False}),
        gives("scratch_add", 3, a=1),
        Finish("run", _ONE),
        proves="§15.6",
    ),
    _row(
        "a category that no test has is a failure",
        tests(
            "category:NoSuchCategory",
            refused("no_tests_matched", unmatched=["category:NoSuchCategory"]),
        ),
    ),
)
