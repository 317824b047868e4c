"""``run_tests`` in the simulated editor: which tests, on which code, and how they ended (SPEC §8,
§11, §16.1).
"""

from __future__ import annotations

import json
from typing import Any, Dict, Sequence

import pytest

from tests.faulty_editor.project_file import generated_project
from tests.simulator.manual_editor import SCRIPT, ManualEditor
from unity_bridge.base.result import Err, Ok
from unity_bridge.simulator.chosen_tests import select
from unity_bridge.simulator.project import Entry, PretendTest, Project, default_project

MAIN = "Assets/Scenes/Main.unity"
ADD = PretendTest("Game.Edit.InventoryTests.Add", duration_s=0.5)
SPLIT = PretendTest(
    "Game.Edit.InventoryTests.Split",
    outcome="failed",
    message="lost one",
    stack_trace="at Split:58",
)
WALK = PretendTest("Game.Play.WalkTests.Walk", mode="play", categories=("Slow",))
LATER = PretendTest("Game.Edit.SaveTests.Cloud", outcome="skipped", categories=("Saving", "Slow"))
TESTS = (WALK, ADD, SPLIT, LATER)
GAME = Project("Game", "/Game", TESTS, compile_s=4.0)


@pytest.fixture
def editor() -> ManualEditor:
    return ManualEditor(GAME)


def summary(status: Dict[str, Any]) -> Dict[str, Any]:
    counts: Dict[str, Any] = status["result"]["summary"]
    return {name: count for name, count in counts.items() if name != "duration_ms"}


def test_a_whole_run_edit_first_then_play_across_one_reload(editor: ManualEditor) -> None:
    status = editor.ends("run_tests", mode="all")
    assert editor.heard("test_finished", "name") == [
        test.name for test in (ADD, SPLIT, LATER, WALK)
    ]
    assert editor.wire.log == ["left: domain reload", "back"]
    count = {
        "completed": 4,
        "total": 4,
        "current_test": None,
        "failed": 1,
        "failed_test": SPLIT.name,
    }
    assert (status["state"], status["progress"]) == ("failed", count)
    assert status["result"] == {
        "summary": {"total": 4, "passed": 2, "failed": 1, "skipped": 1, "duration_ms": 800},
        "failed_tests": [
            {
                "name": SPLIT.name,
                "message": "lost one",
                "stack_trace": "at Split:58",
                "mode": "edit",
                "assembly": "EditModeTests",
                "fixture": "Game.Edit.InventoryTests",
                "duration_ms": 100,
            }
        ],
        "code_fresh": None,
    }


def test_play_mode_lasts_as_long_as_the_tests_that_need_it(editor: ManualEditor) -> None:
    editor.ends("run_tests")
    assert editor.heard("play_mode", "playing") == [True, False]


def test_a_run_without_failures_succeeds(editor: ManualEditor) -> None:
    assert editor.ends("run_tests", filter=ADD.name)["state"] == "succeeded"
    assert editor.wire.log == []


def test_progress_names_the_test_that_runs(editor: ManualEditor) -> None:
    editor.begins("run_tests", mode="edit")
    assert editor.job_status()["progress"] == {"completed": 0, "total": 3, "current_test": ADD.name}
    editor.main.run(0.5)
    assert editor.job_status()["progress"] == {
        "completed": 1,
        "total": 3,
        "current_test": SPLIT.name,
    }


def test_progress_names_the_test_that_failed_last(editor: ManualEditor) -> None:
    editor.begins("run_tests")
    editor.main.run(0.9)
    progress = editor.job_status()["progress"]
    assert (progress["failed"], progress["failed_test"]) == (1, SPLIT.name)


def test_passed_and_skipped_tests_are_returned_with_their_times_on_request(
    editor: ManualEditor,
) -> None:
    assert not {"passed_tests", "skipped_tests"} & set(editor.ends("run_tests", "first")["result"])
    job_status = editor.ends("run_tests", "second", include_passed=True)["result"]
    edit = {"mode": "edit", "assembly": "EditModeTests"}
    play = {"mode": "play", "assembly": "PlayModeTests"}
    assert job_status["passed_tests"] == [
        {"name": ADD.name, **edit, "fixture": "Game.Edit.InventoryTests", "duration_ms": 500},
        {"name": WALK.name, **play, "fixture": "Game.Play.WalkTests", "duration_ms": 100},
    ]
    assert job_status["skipped_tests"] == [
        {
            "name": LATER.name,
            "message": None,
            **edit,
            "fixture": "Game.Edit.SaveTests",
            "duration_ms": 100,
        }
    ]


@pytest.mark.parametrize(
    ("name", "fixture"),
    [
        ("Keep.Stack.Splits", "Keep.Stack"),
        ('Keep.Stack.Splits(2.5, "c.d(")', "Keep.Stack"),
        ("Alone", ""),
    ],
)
def test_a_test_knows_its_fixture(name: str, fixture: str) -> None:
    assert PretendTest(name).fixture == fixture


def test_a_run_is_cancelled_after_the_test_that_runs(editor: ManualEditor) -> None:
    editor.begins("run_tests")
    assert editor.process.jobs.cancel("J") == "cancel_requested"
    editor.main.run(0.4)
    assert editor.job_status()["state"] == "running"
    status = editor.end()
    # As the plugin counts: those that were not reached are of the run too.
    assert (status["state"], summary(status)["total"], summary(status)["passed"]) == (
        "cancelled",
        4,
        1,
    )


def test_a_run_that_is_cancelled_on_the_way_into_play_mode_leaves_it_again(
    editor: ManualEditor,
) -> None:
    editor.begins("run_tests", mode="play")
    editor.process.jobs.cancel("J")
    assert editor.end()["state"] == "cancelled"
    assert editor.status.now.playing is False


def test_a_run_out_of_time_ends_after_the_test_that_runs(editor: ManualEditor) -> None:
    slow = ManualEditor(
        Project("Slow", "/Slow", (PretendTest("A", duration_s=1000.0), PretendTest("B")))
    )
    status = slow.ends("run_tests")
    assert (status["state"], summary(status)["total"]) == ("timeout", 2)


def test_an_editor_that_ends_in_the_reload_takes_the_run_with_it(editor: ManualEditor) -> None:
    editor.main.lives = False
    editor.begins("run_tests", mode="play")
    editor.main.run(99.0)
    assert editor.events.of("test_finished") == []


def test_a_run_that_is_broken_off_leaves_play_mode(editor: ManualEditor) -> None:
    editor.begins("run_tests", mode="play")
    editor.main.run(0.05)
    editor.process.abort_job("the player was stopped")
    assert (editor.job_status()["state"], editor.status.now.playing) == ("failed", False)


def test_a_run_that_is_broken_off_before_its_first_test_does_not_say_that_it_ran(
    editor: ManualEditor,
) -> None:
    editor.disk.edit(SCRIPT, {SPLIT.name: "passed"})
    editor.begins("run_tests", refresh=True)
    editor.main.run(0.05)
    editor.process.abort_job("the player was stopped")
    assert editor.heard("tests_started", "total") == []
    assert editor.job_status()["error"]["details"] == {"execution_guarantee": "unknown"}


# On which code


def test_without_refresh_the_loaded_code_is_tested_and_code_fresh_is_unknown(
    editor: ManualEditor,
) -> None:
    editor.disk.edit(SCRIPT, {SPLIT.name: "passed"})
    status = editor.ends("run_tests", filter=SPLIT.name)
    assert (status["state"], status["result"]["code_fresh"]) == ("failed", None)
    assert editor.heard("tests_started", "loaded") == editor.heard("disk", "digest")[:1]


def test_with_refresh_todays_code_is_compiled_first_and_tested(editor: ManualEditor) -> None:
    editor.disk.edit(SCRIPT, {SPLIT.name: "passed"})
    editor.begins("run_tests", filter=SPLIT.name, refresh=True)
    assert editor.step() == "compiling"
    status = editor.end()
    assert (status["state"], status["result"]["code_fresh"]) == ("succeeded", True)
    compiled = status["result"]["compile"]
    assert (compiled["ok"], compiled["changed"], compiled["reloaded"]) == (True, True, True)
    assert editor.heard("job_started", "tool_name") == ["run_tests"]
    assert editor.heard("tests_started", "loaded") == editor.heard("disk", "digest")[-1:]


def test_with_refresh_and_nothing_to_compile_the_code_is_fresh_too(editor: ManualEditor) -> None:
    result = editor.ends("run_tests", filter=ADD.name, refresh=True)["result"]
    assert (result["code_fresh"], result["compile"]["changed"]) == (True, False)


def test_code_that_is_known_to_be_old_is_not_tested_unless_that_is_asked_for(
    editor: ManualEditor,
) -> None:
    editor.process.assemblies.lock(True)
    editor.disk.edit(SCRIPT, {SPLIT.name: "passed"})
    for job in ("first", "again"):  # also when nothing changes any more
        error = editor.ends("run_tests", job, filter=SPLIT.name, refresh=True)["error"]
        assert error["details"] == {
            "reason": "stale_code",
            "execution_guarantee": "not_executed",
            "pending_reason": "reload_locked",
        }
        assert "refresh: false" in error["message"]
    assert editor.events.of("tests_started") == []
    status = editor.ends("run_tests", "old", filter=SPLIT.name)
    assert (status["state"], status["result"]["code_fresh"]) == ("failed", False)


def test_an_edit_that_was_undone_leaves_fresh_code(editor: ManualEditor) -> None:
    editor.disk.break_(SCRIPT, 1, "no")
    editor.ends("compile", "broken")
    editor.disk.undo(SCRIPT)
    assert editor.ends("run_tests", filter=ADD.name, refresh=True)["result"]["code_fresh"] is True


def test_compile_errors_end_the_run_before_its_first_test(editor: ManualEditor) -> None:
    editor.disk.break_(SCRIPT, 60, "no")
    status = editor.ends("run_tests", refresh=True)
    error = status["error"]
    assert (status["state"], "result" in status, error["code"]) == (
        "failed",
        False,
        "ERR_UNITY_EXECUTION",
    )
    details = error["details"]
    assert (details["reason"], details["execution_guarantee"]) == ("compile_errors", "not_executed")
    assert (len(details["errors"]), details["errors"][0]["file"]) == (50, SCRIPT)
    assert editor.events.of("tests_started") == []


def test_known_compile_errors_refuse_a_run_without_refresh(editor: ManualEditor) -> None:
    editor.disk.break_(SCRIPT, 1, "no")
    editor.ends("compile", "C")
    error = editor.ends("run_tests", filter=ADD.name)["error"]
    assert error["details"]["reason"] == "compile_errors"


def test_a_run_that_waited_for_a_compile_that_failed_is_not_carried_out(
    editor: ManualEditor,
) -> None:
    editor.disk.break_(SCRIPT, 1, "no")
    editor.main.post(editor.process.assemblies.refresh)
    editor.main.turn()
    editor.begins("run_tests")
    assert editor.job_status()["state"] == "queued"
    assert editor.end()["error"]["details"]["reason"] == "compile_errors"


def test_a_cancelled_refresh_runs_no_test(editor: ManualEditor) -> None:
    editor.disk.edit(SCRIPT, {})
    editor.begins("run_tests", refresh=True)
    assert editor.process.jobs.cancel("J") == "cancel_requested"
    status = editor.end()
    assert (status["state"], "result" in status, editor.events.of("tests_started")) == (
        "cancelled",
        False,
        [],
    )


# What stands in the way


def test_while_the_user_plays_it_is_refused(editor: ManualEditor) -> None:
    editor.process.player.enter()
    editor.main.run(9.0)
    error = editor.ends("run_tests", filter=ADD.name)["error"]
    assert error["details"] == {"reason": "playing", "execution_guarantee": "not_executed"}


def test_unsaved_scenes_refuse_the_run_or_are_saved(editor: ManualEditor) -> None:
    editor.process.content.unsaved.append("Assets/Courtyard.unity")
    error = editor.ends("run_tests", "refused")["error"]
    assert (error["details"]["reason"], error["details"]["scenes"]) == (
        "unsaved_scenes",
        ["Assets/Courtyard.unity"],
    )
    assert (
        editor.ends("run_tests", "saves", filter=ADD.name, unsaved="save")["state"] == "succeeded"
    )
    assert editor.ends("run_tests", "again", filter=ADD.name)["state"] == "succeeded"
    assert editor.heard("saved", "scenes") == [["Assets/Courtyard.unity"]]


# What failed before


def test_failed_chooses_what_failed_in_the_last_run_also_after_a_reload(
    editor: ManualEditor,
) -> None:
    editor.ends("run_tests", "all")
    editor.disk.edit(SCRIPT, {SPLIT.name: "passed"})
    status = editor.ends("run_tests", "again", filter="failed", refresh=True)
    assert (status["state"], summary(status)["total"]) == ("succeeded", 1)
    assert editor.heard("test_finished", "name")[-1] == SPLIT.name


def test_failed_is_refused_where_no_tests_were_run(editor: ManualEditor) -> None:
    error = editor.ends("run_tests", filter="failed")["error"]
    assert (error["code"], error["details"]["execution_guarantee"]) == (
        "ERR_INVALID_PARAMS",
        "not_executed",
    )


def test_failed_after_a_run_without_failures_is_an_empty_run(editor: ManualEditor) -> None:
    editor.ends("run_tests", "good", filter=ADD.name)
    status = editor.ends("run_tests", filter="failed")
    assert (status["state"], summary(status)["total"]) == ("succeeded", 0)


# Which tests


def test_a_filter_that_matches_nothing_is_a_failure_and_nothing_runs(editor: ManualEditor) -> None:
    error = editor.ends("run_tests", filter="Game.Edit.InventoryTests.Ad;Gone")["error"]
    details = error["details"]
    assert (details["reason"], details["execution_guarantee"]) == (
        "no_tests_matched",
        "not_executed",
    )
    assert details["unmatched"] == ["Game.Edit.InventoryTests.Ad", "Gone"]
    assert (
        ADD.name in details["nearest"]["Game.Edit.InventoryTests.Ad"]
        and ADD.name in error["message"]
    )
    assert editor.events.of("tests_started") == []


def test_the_mode_limits_what_a_filter_can_match(editor: ManualEditor) -> None:
    assert editor.ends("run_tests", mode="play", filter=ADD.name)["error"]["details"][
        "unmatched"
    ] == [ADD.name]
    assert summary(editor.ends("run_tests", "play", mode="play"))["total"] == 1


def test_no_test_of_the_mode_without_a_filter_is_an_empty_run() -> None:
    status = ManualEditor(Project("Game", "/Game", (ADD,))).ends("run_tests", mode="play")
    assert (status["state"], summary(status)["total"]) == ("succeeded", 0)


def test_lines_logged_by_tests_are_in_the_console(editor: ManualEditor) -> None:
    logging = Project("Game", "/Game", (PretendTest("T", logs=(Entry("error", "scene lost"),)),))
    console = ManualEditor(logging).ends("run_tests")["console"]
    assert (console["errors"], console["first"]) == (1, ["scene lost"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("count", "failing_every", "listed"), [(4000, 1, "failed_tests"), (14_000, 0, "passed_tests")]
)
def test_thousands_of_tests_fit_into_one_message_and_say_what_was_left_out(
    count: int, failing_every: int, listed: str
) -> None:
    crowd = ManualEditor(generated_project(count, failing_every=failing_every))
    result = crowd.ends("run_tests", include_passed=True)["result"]
    assert len(json.dumps(result)) < 1_000_000
    omitted = result["omitted"][listed]
    assert omitted > 0 and len(result[listed]) + omitted == count


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("", TESTS),
        (ADD.name, [ADD]),
        ("Game.Edit", [ADD, SPLIT, LATER]),
        ("category:Slow", [WALK, LATER]),
        ("Category: Slow", [WALK, LATER]),
        ("Game.Play.", [WALK]),
        (f" {WALK.name} ; category:Saving;", [WALK, LATER]),
    ],
)
def test_a_filter_chooses_in_the_order_of_the_tests(
    text: str, chosen: Sequence[PretendTest]
) -> None:
    selected = select(TESTS, text)
    assert selected == Ok(list(chosen))


@pytest.mark.parametrize(
    ("text", "unmatched", "near"),
    [
        ("Game.Edit.Inv", "Game.Edit.Inv", "Game.Edit.InventoryTests"),
        (f"{ADD.name};Game.Edit.InventoryTests.Ad", "Game.Edit.InventoryTests.Ad", ADD.name),
        ("category:Slowly", "category:Slowly", "category:Slow"),
        ("Same", "Same", "B.Same"),
    ],
)
def test_a_part_that_matches_nothing_has_the_nearest_names(
    text: str, unmatched: str, near: str
) -> None:
    several = (*TESTS, PretendTest("A.Same.First"), PretendTest("B.Same.Second"))
    found = select(several, text)
    assert isinstance(found, Err) and list(found.error) == [unmatched]
    assert near in found.error[unmatched] and len(found.error[unmatched]) <= 3


def test_a_semicolon_in_the_arguments_of_a_test_separates_nothing() -> None:
    odd = PretendTest('Game.Odd("a;b")')
    selected = select([odd, ADD], f"{odd.name};{ADD.name}")
    assert selected == Ok([odd, ADD])


def test_a_test_with_arguments_is_found_by_its_bare_name() -> None:
    bare = "Keep.Tests.InventoryTests.DroppedItemsKeepTheirDurability"
    selected = select(default_project().tests, bare)
    assert isinstance(selected, Ok) and len(selected.value) == 1
