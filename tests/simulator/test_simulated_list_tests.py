"""``list_tests`` and the fixtures of ``run_tests`` in the simulated editor, as in the plugin (SPEC
§24).
"""

from __future__ import annotations

from typing import Any, Dict

from tests.faulty_editor.project_file import generated_project
from tests.simulator.manual_editor import ManualEditor
from unity_bridge.shards.test_list import ListedTest, list_digest
from unity_bridge.simulator.project import PretendTest, Project

GAME = Project(
    "Game",
    "/Game",
    (
        PretendTest("Game.Walk.Far", mode="play", categories=("Slow",)),
        PretendTest('Game.Deck.Splits("a.b")', assembly="Other.Tests"),
        PretendTest("Game.Stack.Adds"),
    ),
)


def value(editor: ManualEditor, job: str = "J", **arguments: Any) -> Dict[str, Any]:
    status = editor.ends("run_command", job, name="list_tests", arguments=arguments)
    assert status["state"] == "succeeded", status
    listed: Dict[str, Any] = status["result"]["value"]
    return listed


def error(editor: ManualEditor, job: str = "J", **arguments: Any) -> Dict[str, Any]:
    failure: Dict[str, Any] = editor.ends(
        "run_command", job, name="list_tests", arguments=arguments
    )["error"]
    return failure


def test_the_tests_are_listed_sorted_with_their_places_and_digest() -> None:
    listed = value(ManualEditor(GAME))
    assert listed["tests"] == [
        ["Game.Stack.Adds", "edit", "Game.Stack", "EditModeTests", []],
        ['Game.Deck.Splits("a.b")', "edit", "Game.Deck", "Other.Tests", []],
        ["Game.Walk.Far", "play", "Game.Walk", "PlayModeTests", ["Slow"]],
    ]
    assert listed["list_digest"] == list_digest(ListedTest(*row[:4]) for row in listed["tests"])
    assert listed["total"] == 3 and "next_cursor" not in listed


def test_mode_and_filter_mean_what_they_mean_to_a_run() -> None:
    editor = ManualEditor(GAME)
    assert [row[0] for row in value(editor, "1", mode="play")["tests"]] == ["Game.Walk.Far"]
    assert [row[0] for row in value(editor, "2", filter="Game.Stack.Adds")["tests"]] == [
        "Game.Stack.Adds"
    ]
    assert error(editor, "3", filter="Absent")["details"]["reason"] == "no_tests_matched"
    assert error(editor, "4", filter="failed")["code"] == "ERR_INVALID_PARAMS"


def test_thousands_come_in_pages_and_a_cursor_of_another_list_is_refused() -> None:
    editor = ManualEditor(generated_project(4500))
    pages = [value(editor, "0")]
    while "next_cursor" in pages[-1]:
        pages.append(value(editor, str(len(pages)), cursor=pages[-1]["next_cursor"]))
    rows = [row for page in pages for row in page["tests"]]
    assert [len(page["tests"]) for page in pages] == [2000, 2000, 500]
    assert list_digest(ListedTest(*row[:4]) for row in rows) == pages[0]["list_digest"]
    for number, cursor in enumerate(("x", "0" * 16 + ".0", pages[0]["next_cursor"] + "999")):
        assert "another list" in error(editor, f"wrong-{number}", cursor=cursor)["message"]


def test_a_run_of_fixtures_runs_these_and_no_others() -> None:
    editor = ManualEditor(GAME)
    fixtures = [["edit", "Other.Tests", "Game.Deck"], ["play", "PlayModeTests", "Game.Walk"]]
    result = editor.ends("run_tests", "1", fixtures=fixtures, include_passed=True)["result"]
    assert [one["name"] for one in result["passed_tests"]] == [
        'Game.Deck.Splits("a.b")',
        "Game.Walk.Far",
    ]
    assert editor.ends("run_tests", "2", fixtures=[])["result"]["summary"]["total"] == 0
    assert editor.ends("run_tests", "3")["result"]["summary"]["passed"] == 3
    absent = editor.ends("run_tests", "4", fixtures=[*fixtures, ["edit", "Gone", "Gone"]])["error"]
    assert (absent["details"]["reason"], absent["details"]["unmatched"]) == (
        "no_tests_matched",
        ["Gone (edit, Gone)"],
    )


def test_the_list_waits_for_a_test_run() -> None:
    editor = ManualEditor(GAME)
    editor.begins("run_tests", "run")
    editor.begins("run_command", "list", name="list_tests", arguments={})
    editor.main.run(0.05)
    assert editor.job_status("list")["state"] == "queued"
    editor.end("run")
    assert len(editor.end("list")["result"]["value"]["tests"]) == 3
