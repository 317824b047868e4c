"""``run_tests``: fresh code, filters, and what must not be run."""

from __future__ import annotations

from unity_bridge.selftest.expected import Absent, Holds, OneOf, Present, With
from unity_bridge.selftest.row import (
    Begin,
    CallTool,
    Events,
    Expected,
    Finish,
    KeptValue,
    Replace,
    Row,
    Until,
    Write,
    done,
    faulty,
    refused,
    run,
)
from unity_bridge.selftest.rows.reload import VALUE
from unity_bridge.selftest.rows.state import BROKEN

_EDIT_TESTS = "Scratch.Tests.EditTests"
_MANY_UPDATES = "Scratch.Tests.DelayTests.TakesManyUpdates"
_FAILS = Replace("Assets/ScratchTests/EditTests.cs", "AreEqual(1,", "AreEqual(9,")


def _test(filter_: str, expect: Expected, **arguments: Expected) -> CallTool:
    return CallTool("run_tests", {"filter": filter_, **arguments}, expect)


ROWS = (
    Row(
        "edit-mode tests run on the code on disk",
        "tests",
        "§16.1",
        (_test(_EDIT_TESTS, done(summary={"total": 2, "passed": 2, "failed": 0}, code_fresh=True)),),
    ),
    Row(
        "an edited test fails, with its message",
        "tests",
        "§16.1",
        (
            _FAILS,
            _test(
                _EDIT_TESTS,
                faulty(
                    summary={"total": 2, "passed": 1, "failed": 1},
                    failed_tests=[{"name": f"{_EDIT_TESTS}.Passes", "message": Holds("9")}],
                    code_fresh=True,
                ),
            ),
        ),
    ),
    Row(
        "an edit of the tested code fails the test",
        "tests",
        "§16.1",
        (
            Replace(VALUE, "Number = 1", "Number = 8"),
            _test(_EDIT_TESTS, faulty(summary={"failed": 1}, code_fresh=True, compile={"ok": True, "loaded": True})),
        ),
    ),
    Row(
        "a test that waits for delayCall passes, also without focus",
        "tests",
        "§11.6",
        (
            _test(
                "Scratch.Tests.DelayTests.ADelayedCallComes",
                done(summary={"total": 1, "passed": 1}),
            ),
        ),
    ),
    Row(
        "a filter that matches nothing is a failure, and names the nearest",
        "tests",
        "§16.1",
        (
            _test(
                "Scratch.Tests.EditTests.Passs",
                refused(
                    "no_tests_matched",
                    unmatched=["Scratch.Tests.EditTests.Passs"],
                    nearest={"Scratch.Tests.EditTests.Passs": With(f"{_EDIT_TESTS}.Passes")},
                ),
            ),
            _test(f"{_EDIT_TESTS};Nowhere", refused("no_tests_matched", unmatched=["Nowhere"])),
        ),
    ),
    Row(
        "a fixture's short name is taken for its full one, and said",
        "tests",
        "§16.1",
        (_test("EditTests", done(summary={"total": 2}, remarks=With(Holds(_EDIT_TESTS)))),),
    ),
    Row(
        "a category",
        "tests",
        "§16.1",
        (_test("category:ScratchCategory", done(summary={"total": 1, "passed": 1})),),
    ),
    Row(
        "failed runs what failed before",
        "tests",
        "§16.1",
        (
            _FAILS,
            _test(_EDIT_TESTS, faulty(summary={"failed": 1})),
            _test("failed", faulty(summary={"total": 1, "failed": 1})),
        ),
    ),
    Row(
        "failed after a green run succeeds with no test",
        "tests",
        "§16.1",
        (
            _test(_EDIT_TESTS, done(summary={"failed": 0})),
            _test("failed", done(summary={"total": 0})),
        ),
    ),
    Row(
        "passed tests are listed if they are asked for",
        "tests",
        "§16.1",
        (
            _test(
                _EDIT_TESTS,
                done(passed_tests=With({"name": f"{_EDIT_TESTS}.HasACategory"})),
                include_passed=True,
            ),
        ),
    ),
    Row(
        "without refresh nothing is claimed of the code",
        "tests",
        "§16.1",
        (_test(_EDIT_TESTS, done(summary={"total": 2}, code_fresh=Absent(), compile=Absent()), refresh=False),),
    ),
    Row(
        "no test runs while scripts are broken",
        "tests",
        "§16.1",
        (
            Write("Assets/Scratch/Broken.cs", BROKEN),
            _test(_EDIT_TESTS, refused("compile_errors", errors=With({"code": "CS0103"}))),
        ),
    ),
    Row(
        "no test runs on code that is not loaded",
        "tests",
        "§16.1",
        (
            run("scratch_lock", done(value=True), on=True),
            Replace(VALUE, "Number = 1", "Number = 5"),
            _test(_EDIT_TESTS, refused("stale_code", pending_reason="reload_locked")),
            _test(_EDIT_TESTS, refused("stale_code", pending_reason="reload_locked")),
            _test(_EDIT_TESTS, done(summary={"passed": 2}, code_fresh=False), refresh=False),
        ),
    ),
    Row(
        "unsaved changes refuse a run, and no dialog comes",
        "tests",
        "§16.1",
        (
            run("scratch_change_scene", done()),
            _test(_EDIT_TESTS, refused("unsaved_scenes", scenes=["Assets/Scratch.unity"])),
            Events(never=("stall",)),
        ),
    ),
    Row(
        "no test runs while the game plays",
        "tests",
        "§16.1",
        (
            CallTool("play_mode", {"action": "enter"}, done(playing=True)),
            _test(_EDIT_TESTS, refused("playing")),
        ),
    ),
    Row(
        "play-mode tests run, and play mode is left",
        "tests",
        "§16.1",
        (
            _test("Scratch.PlayTests", done(summary={"total": 1, "passed": 1}), mode="play"),
            Until({"playing": False, "editor_state": "ready"}),
            Events(("entered_play_mode", "entered_edit_mode")),
        ),
    ),
    Row(
        "a run is cancelled, and the next one works",
        "tests",
        "§6",
        (
            CallTool(
                "run_tests",
                {"filter": _MANY_UPDATES, "wait_ms": 0},
                {"state": OneOf(("queued", "running")), "job_id": Present()},
                keep="job_id",
                within_s=0,
            ),
            CallTool("cancel_job", {"job_id": KeptValue("job_id")}, {"state": "succeeded"}),
            CallTool("get_job_status", {"job_id": KeptValue("job_id")}, {"state": OneOf(("cancelled", "succeeded"))}),
            _test(_EDIT_TESTS, done(summary={"total": 2})),
        ),
    ),
    Row(
        "a command that only reads runs while tests run",
        "tests",
        "§15.6",
        (
            Begin("run", "run_tests", {"filter": _MANY_UPDATES, "refresh": False}),
            run("scratch_add", done(value=3), a=1),
            Finish("run", done(summary={"total": 1, "passed": 1})),
        ),
    ),
    Row(
        "a category that no test has is a failure",
        "tests",
        "§16.1",
        (_test("category:NoSuchCategory", refused("no_tests_matched", unmatched=["category:NoSuchCategory"])),),
    ),
)
