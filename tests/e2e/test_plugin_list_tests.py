"""list_tests and the fixtures of run_tests, as the plugin carries them out (SPEC §24.1, §24.2)."""

from __future__ import annotations

import json
from itertools import count
from typing import Any, Iterator, List

import pytest

from tests.e2e.shared_editor import SharedEditor
from tests.scripted_server import Message, ended
from unity_bridge.shards.test_list import ListedTest, list_digest
from unity_bridge.text.foreign_text import escaped

LINES = [
    "edit|Game.Maths.Adds|pass|5|Fast",
    "edit|Game.Maths.Case(1 GeneratedTestCase2)|pass|5|||Game.Maths|Case",
    "edit|Game.Text.Longer|pass|5",
    "edit|Game.Manual.Only|explicit|5",
    "play|Game.Maths.Adds|pass|5",
    'edit|Game.F("x.y").T|pass|5|||Game.F("x.y")||Other.Tests',
    "edit|Game.Uni\ufffdcode.T|pass|5",
    "edit|Game.Uni\U0001f600code.T|pass|5",
]
ROWS = [
    ["Game.Maths.Adds", "edit", "Game.Maths", "Game.Tests", ["Fast"]],
    ["Game.Maths.Case(1 GeneratedTestCase2)", "edit", "Game.Maths", "Game.Tests", []],
    ["Game.Text.Longer", "edit", "Game.Text", "Game.Tests", []],
    ["Game.Uni\ufffdcode.T", "edit", "Game.Uni\ufffdcode", "Game.Tests", []],
    ["Game.Uni\U0001f600code.T", "edit", "Game.Uni\U0001f600code", "Game.Tests", []],
    ['Game.F("x.y").T', "edit", 'Game.F("x.y")', "Other.Tests", []],
    ["Game.Maths.Adds", "play", "Game.Maths", "Game.Tests", []],
]


@pytest.fixture(autouse=True)
def nothing_is_left(shared: SharedEditor) -> Iterator[None]:
    """The file as a whole leaves nothing, and no test does what Unity would not bear."""
    yield
    assert shared.editor.violations() == []


class Listing:
    def __init__(self, shared: SharedEditor, job: str) -> None:
        shared.reset()
        shared.session()
        self.server, self.editor = shared.server, shared.editor
        self._jobs = (f"{job}-{number}" for number in count())

    def begin(self, **arguments: Any) -> str:
        job = next(self._jobs)
        accepted = self.server.latest.submit(
            job, 60_000, tool="run_command", name="list_tests", arguments=arguments
        )
        assert accepted["status"] == "accepted"
        return job

    def end(self, job: str) -> Message:
        return ended(self.server, self.server.latest, job)

    def value(self, **arguments: Any) -> Any:
        status = self.end(self.begin(**arguments))
        assert status["state"] == "succeeded", status
        return status["result"]["value"]

    def error(self, **arguments: Any) -> Any:
        status = self.end(self.begin(**arguments))
        assert status["state"] == "failed" and status["result"] is None, status
        return status["error"]

    def run(self, **params: Any) -> Message:
        job = next(self._jobs)
        self.server.latest.submit(job, **params)
        return self.end(job)


@pytest.fixture
def listing(shared: SharedEditor, job: str) -> Listing:
    return Listing(shared, job)


def names(rows: List[Any]) -> List[str]:
    return [row[0] for row in rows]


def test_the_tests_that_a_run_would_run_are_listed_sorted_and_digested(listing: Listing) -> None:
    listing.editor.tests(*LINES)
    value = listing.value()
    assert value["tests"] == ROWS and value["total"] == 7 and "next_cursor" not in value
    assert value["list_digest"] == list_digest(ListedTest(*row[:4]) for row in value["tests"])
    ran = listing.run(mode="all", include_passed=True)["result"]["passed_tests"]
    assert sorted(
        (one["name"], one["mode"], one["fixture"], one["assembly"]) for one in ran
    ) == sorted(tuple(row[:4]) for row in ROWS)


@pytest.mark.parametrize(
    "arguments, found",
    [
        ({"mode": "play"}, ["Game.Maths.Adds"]),
        ({"mode": "edit", "filter": "category:Fast"}, ["Game.Maths.Adds"]),
        ({"filter": "Game.Manual.Only"}, ["Game.Manual.Only"]),
        ({"mode": "edit", "filter": "Longer"}, ["Game.Text.Longer"]),
        ({"mode": "edit", "filter": "Game.Maths.Case"}, ["Game.Maths.Case(1 GeneratedTestCase2)"]),
    ],
)
def test_mode_and_filter_mean_what_they_mean_to_a_run(
    listing: Listing, arguments: Any, found: List[str]
) -> None:
    listing.editor.tests(*LINES)
    assert names(listing.value(**arguments)["tests"]) == found


def test_a_filter_that_a_run_would_refuse_is_refused(listing: Listing) -> None:
    listing.editor.tests(*LINES)
    error = listing.error(filter="Game.Math")
    assert (error["details"]["reason"], error["details"]["unmatched"]) == (
        "no_tests_matched",
        ["Game.Math"],
    )
    assert listing.error(mode="both")["code"] == "ERR_INVALID_PARAMS"


def test_thousands_of_tests_come_in_pages_and_a_cursor_of_another_list_is_refused(
    listing: Listing,
) -> None:
    listing.editor.command("many-tests edit 5000 100")
    listing.editor.wait_for("tests-added")
    pages = [listing.value(mode="edit")]
    while "next_cursor" in pages[-1]:
        pages.append(listing.value(mode="edit", cursor=pages[-1]["next_cursor"]))
    rows = [row for page in pages for row in page["tests"]]
    assert len(rows) == len({row[0] for row in rows}) == 5000 and len(pages) == 3
    assert {page["list_digest"] for page in pages} == {
        list_digest(ListedTest(*row[:4]) for row in rows)
    }

    for cursor in ("nonsense", "0123456789abcdef.0", f"{pages[0]['list_digest'][:16]}.5001"):
        assert "belongs to another list" in listing.error(mode="edit", cursor=cursor)["message"]
    assert (
        "another list"
        in listing.error(mode="edit", filter="category:Uncategorized;Game.Area3", cursor="x")[
            "message"
        ]
    )


def test_a_project_without_tests_has_an_empty_list(listing: Listing) -> None:
    listing.editor.tests()
    value = listing.value()
    assert (value["tests"], value["total"], value["list_digest"]) == ([], 0, list_digest([]))


def test_a_list_that_a_reload_interrupts_begins_again(listing: Listing) -> None:
    listing.editor.tests("edit|A.B.T|pass")
    listing.editor.command("quirk no-list")
    job = listing.begin()
    listing.editor.reload()
    listing.server.ready_session()
    listing.editor.command("no-quirk no-list")
    listing.editor.reload()
    listing.server.ready_session()
    assert names(listing.end(job)["result"]["value"]["tests"]) == ["A.B.T"]


def test_the_list_waits_for_a_test_run(listing: Listing) -> None:
    listing.editor.tests("edit|A.B.Long|pass|60000")
    listing.server.latest.submit("long-run", mode="edit")
    listing.editor.wait_for("test A.B.Long")
    # A command that only reads runs next to it, so ours is held up by the run alone.
    listing.server.latest.submit("second", 60_000, tool="run_command", name="ping")
    assert listing.end("second")["state"] == "succeeded"
    job = listing.begin()
    listing.editor.wait_until_idle()
    assert listing.server.latest.job(job)["state"] in ("queued", "running")
    listing.server.latest.ask("cancel", target_job_id="long-run")
    listing.end("long-run")
    assert names(listing.end(job)["result"]["value"]["tests"]) == ["A.B.Long"]


def test_a_run_of_fixtures_runs_these_and_no_others(listing: Listing) -> None:
    listing.editor.tests(*LINES)
    fixtures = [["edit", "Game.Tests", "Game.Maths"], ["edit", "Other.Tests", 'Game.F("x.y")']]
    result = listing.run(mode="all", fixtures=fixtures, include_passed=True)["result"]
    assert sorted(one["name"] for one in result["passed_tests"]) == [
        'Game.F("x.y").T',
        "Game.Maths.Adds",
        "Game.Maths.Case(1 GeneratedTestCase2)",
    ]
    assert {one["mode"] for one in result["passed_tests"]} == {"edit"}
    both = listing.run(mode="all", fixtures=fixtures[:1], filter="category:Fast")["result"]
    assert both["summary"]["total"] == 1


def test_a_fixture_of_the_same_name_in_another_assembly_is_not_counted(listing: Listing) -> None:
    listing.editor.tests("edit|A.B.T|pass|5|||A.B||One.Tests", "edit|A.B.T|fail|5|||A.B||Two.Tests")
    status = listing.run(mode="edit", fixtures=[["edit", "One.Tests", "A.B"]], include_passed=True)
    assert (status["state"], status["result"]["summary"]["total"]) == ("succeeded", 1)
    assert [one["assembly"] for one in status["result"]["passed_tests"]] == ["One.Tests"]


def test_a_run_of_no_fixture_runs_nothing_and_succeeds(listing: Listing) -> None:
    listing.editor.tests(*LINES)
    status = listing.run(mode="all", fixtures=[])
    assert (status["state"], status["result"]["summary"]["total"]) == ("succeeded", 0)


def test_a_fixture_that_is_not_there_refuses_the_run(listing: Listing) -> None:
    listing.editor.tests(*LINES)
    fixtures = [["edit", "Game.Tests", "Game.Maths"], ["edit", "Game.Tests", "Game.Gone"]]
    details = listing.run(mode="all", fixtures=fixtures)["error"]["details"]
    assert (details["reason"], details["unmatched"]) == (
        "no_tests_matched",
        ["Game.Gone (edit, Game.Tests)"],
    )
    # In another mode it is not there either.
    assert (
        listing.run(mode="play", fixtures=fixtures[:1])["error"]["details"]["reason"]
        == "no_tests_matched"
    )


@pytest.mark.parametrize("fixtures", ["Game", [["edit", "Game"]], [["edit", "Game", 1]], [{}]])
def test_an_invalid_list_of_fixtures_is_refused(listing: Listing, fixtures: Any, job: str) -> None:
    answer = listing.server.latest.submit(f"{job}-bad", mode="edit", fixtures=fixtures)
    assert "fixtures is a list of [mode, assembly, fixture]" in str(answer)


def test_a_play_run_of_fixtures_goes_on_after_the_reload(
    listing: Listing, editor_lines: List[str]
) -> None:
    listing.editor.tests(*editor_lines)
    fixtures = [["edit", "Game.Tests", "A.B"], ["play", "Game.Tests", "A.C"]]
    result = listing.run(mode="all", fixtures=fixtures, include_passed=True)["result"]
    assert [one["name"] for one in result["passed_tests"]] == ["A.B.T", "A.C.T"]
    assert result["summary"]["total"] == 2


@pytest.fixture
def editor_lines() -> List[str]:
    return ["edit|A.B.T|pass|5", "edit|A.C.T|pass|5", "play|A.B.T|pass|5", "play|A.C.T|pass|5"]


def test_a_page_fits_with_the_characters_that_nobody_sees_as_a_client_gets_them(
    listing: Listing,
) -> None:
    listing.editor.tests(
        *(f"edit|Game.Case{number}.T\u202e\u202e\u202e\u202e|pass|0" for number in range(300))
    )
    page = listing.value(max_bytes=8000)
    assert (
        len(json.dumps(escaped(page), ensure_ascii=False, separators=(",", ":")).encode()) <= 8000
    )
    assert names(page["tests"])[0].endswith("\u202e") and "next_cursor" in page
