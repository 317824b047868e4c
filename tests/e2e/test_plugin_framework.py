"""run_tests next to what the test framework and its users do: blocking steps, dialogs, large
filters.
"""

from __future__ import annotations

from typing import Iterator, List

import pytest

from tests.e2e.shared_editor import SharedEditor
from tests.scripted_server import Message, ScriptedServer, Session, ended
from tests.unity_headless.headless_editor import HeadlessEditor


@pytest.fixture(autouse=True)
def nothing_is_left(shared: SharedEditor) -> Iterator[None]:
    """The file as a whole leaves nothing, and no test does what Unity would not bear."""
    yield
    assert shared.editor.violations() == []


@pytest.fixture
def server(shared: SharedEditor) -> ScriptedServer:
    return shared.server


@pytest.fixture
def editor(shared: SharedEditor) -> HeadlessEditor:
    shared.reset()
    return shared.editor


@pytest.fixture
def session(shared: SharedEditor, editor: HeadlessEditor) -> Session:
    return shared.session()


def counts(status: Message) -> List[int]:
    summary = status["result"]["summary"]
    return [summary[name] for name in ("total", "passed", "failed", "skipped")]


def executions(editor: HeadlessEditor) -> List[str]:
    return [line for line in editor.history if line.startswith("execute")]


def test_a_person_s_run_that_is_cancelled_does_not_keep_ours_waiting(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.tests("play|A.B.Persons|pass|60000", "edit|A.B.Ours|pass|10")
    editor.command("person-runs play")
    editor.wait_for("test A.B.Persons")
    session = server.ready_session()
    session.submit(job, mode="edit")
    editor.command("play off")
    assert ended(server, session, job)["state"] == "succeeded"


def test_a_prefab_with_unsaved_changes_raises_no_dialog(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.tests("edit|A.B.C|pass")
    editor.arrange("prefab Assets/Door.prefab")
    session.submit(job, mode="edit")
    status = ended(server, session, job)
    assert status["error"]["details"]["reason"] == "unsaved_scenes"
    assert status["error"]["details"]["scenes"] == ["Assets/Door.prefab"]
    session.submit(f"{job}-2", mode="edit", unsaved="save")
    assert ended(server, session, f"{job}-2")["state"] == "succeeded"


def test_unsaved_scenes_are_saved_where_that_is_asked_for(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.tests("edit|A.B.C|pass")
    editor.arrange("scene Assets/Level1.unity", "scene Untitled")
    session.submit(job, mode="edit", unsaved="save")
    # A scene without a path needs a person.
    assert ended(server, session, job)["error"]["details"]["scenes"] == ["Untitled"]
    editor.arrange("save-scenes", "scene Assets/Level1.unity")
    session.submit(f"{job}-2", mode="edit", unsaved="save")
    assert ended(server, session, f"{job}-2")["state"] == "succeeded"


def test_unsaved_scenes_refuse_a_run_before_it_compiles(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.arrange("scene Assets/Level1.unity", f"edit Game|{job}")
    session.submit(job, mode="edit", refresh=True)
    error = ended(server, session, job)["error"]
    assert error["details"]["reason"] == "unsaved_scenes"
    assert error["details"]["execution_guarantee"] == "not_executed"
    assert not [line for line in editor.history if line.startswith("compiling")]


def test_nothing_of_the_plugin_is_left_in_the_editor_at_a_reload(
    server: ScriptedServer, editor: HeadlessEditor, session: Session
) -> None:
    editor.command("kept-objects")
    before = int(editor.wait_for(r"kept-objects (\d+)").group(1))
    for _ in range(3):
        editor.reload()
    editor.command("kept-objects")
    assert int(editor.wait_for(r"kept-objects (\d+)").group(1)) == before


@pytest.mark.parametrize("mode", ["edit", "play"])
def test_a_filter_of_thousands_of_names_does_not_freeze_the_editor(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, mode: str, job: str
) -> None:
    editor.command(f"many-tests {mode} 20000 100")
    editor.wait_for("tests-added")
    editor.command("longest-tick")
    # Every fourth test: no fixture has all of its own selected.
    names = [f"Game.Area{i // 100 % 10}.Fixture{i // 100}.Test{i}" for i in range(0, 20000, 4)]
    session.submit(job, mode=mode, filter=";".join(names))
    status = ended(server, session, job)
    assert status["state"] == "succeeded" and counts(status) == [5000, 5000, 0, 0]
    editor.command("longest-tick")
    longest_ms = int(editor.wait_for(r"longest-tick (\d+)").group(1))
    # Names one by one take the framework a minute; a busy machine is allowed for.
    assert longest_ms < 10_000


def test_whole_fixtures_go_to_the_framework_by_their_name(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.command("many-tests edit 3000 100")
    editor.wait_for("tests-added")
    session.submit(job, mode="edit", filter="Game.Area3;Game.Area4.Fixture4.Test400")
    assert counts(ended(server, session, job)) == [301, 301, 0, 0]
    assert executions(editor) == ["execute EditMode 2"]


@pytest.mark.parametrize(
    "filter", ["Game.Fixture.Case(1)", "Game.Fixture.Case(1 GeneratedTestCase1)", "Game.Fixture"]
)
def test_a_generated_case_is_found_by_either_of_its_names(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, filter: str, job: str
) -> None:
    editor.tests(
        "edit|Game.Fixture.Case(1 GeneratedTestCase1)|pass",
        "edit|Game.Other.Case(1 GeneratedTestCase1)|pass",
    )
    session.submit(job, mode="edit", filter=filter)
    assert counts(ended(server, session, job)) == [1, 1, 0, 0]


def test_failed_tests_of_the_last_run_are_run_again(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.tests(
        "edit|A.B.Good|pass", "edit|A.B.Bad|fail", "play|A.C.Bad|fail", "play|A.C.Good|pass"
    )
    session.submit(job)
    assert counts(ended(server, session, job)) == [4, 2, 2, 0]
    server.latest.submit(f"{job}-2", filter="failed")
    assert counts(ended(server, server.latest, f"{job}-2")) == [2, 0, 2, 0]
    server.latest.submit(f"{job}-3", filter="failed", mode="edit")
    assert counts(ended(server, server.latest, f"{job}-3")) == [1, 0, 1, 0]


def test_filter_failed_is_refused_before_the_first_run_and_empty_after_one_without_failures() -> (
    None
):
    with ScriptedServer() as server, HeadlessEditor(server.port) as editor:
        session = server.ready_session()
        editor.tests("edit|A.B.Good|pass")
        session.submit("refused", mode="edit", filter="failed")
        error = ended(server, session, "refused")["error"]
        assert error["code"] == "ERR_INVALID_PARAMS"
        assert error["details"]["execution_guarantee"] == "not_executed"
        assert "Run the tests without it" in error["message"]
        session.submit("between", mode="edit")
        assert ended(server, session, "between")["state"] == "succeeded"
        for number, mode in enumerate(["edit", "all", "edit"]):
            session.submit(f"empty-{number}", mode=mode, filter="failed", refresh=number == 2)
            status = ended(server, session, f"empty-{number}")
            assert status["state"] == "succeeded" and counts(status) == [0, 0, 0, 0]
        assert status["result"]["code_fresh"] is True
        assert editor.violations() == []


def test_passed_and_skipped_tests_are_listed_where_that_is_asked_for(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.tests(
        "edit|A.B.Good|pass|20",
        "edit|A.B.Bad|fail|3",
        "edit|A.B.Later|skip",
        "edit|A.B.Perhaps|inconclusive|5",
    )
    session.submit(job, mode="edit", include_passed=True)
    result = ended(server, session, job)["result"]
    place = {"mode": "edit", "assembly": "Game.Tests", "fixture": "A.B"}
    assert result["passed_tests"] == [{"name": "A.B.Good", **place, "duration_ms": 20}]
    assert result["skipped_tests"] == [
        {"name": "A.B.Later", "message": None, **place, "duration_ms": 0},
        {"name": "A.B.Perhaps", "message": None, **place, "duration_ms": 5},
    ]
    (failed,) = result["failed_tests"]
    assert {name: failed[name] for name in (*place, "duration_ms")} == {**place, "duration_ms": 3}
    session.submit(f"{job}-2", mode="edit")
    assert not {"passed_tests", "skipped_tests"} & set(ended(server, session, f"{job}-2")["result"])


# name, its fixture, the suite of its method, the assembly
PLACES = [
    ("A.B.Plain", "A.B", "", "Game.Tests"),
    ("A.B.Case(1 GeneratedTestCase2)", "A.B", "Case", "Game.Tests"),
    ("A.B.named. with (dots", "A.B", "Case", "Game.Tests"),
    ('A.F("x.y").T(2.5)', 'A.F("x.y")', "T", "Other.Tests"),
    ("A.Outer+Inner<System.Int32>.T", "A.Outer+Inner<System.Int32>", "", "Other.Tests"),
]


@pytest.mark.parametrize("mode", ["edit", "play"])
def test_every_outcome_says_where_its_test_belongs_also_after_a_reload(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, mode: str, job: str
) -> None:
    editor.tests(
        *(
            f"{mode}|{name}|pass|1|||{fixture}|{method}|{dll}"
            for name, fixture, method, dll in PLACES
        )
    )
    session.submit(job, mode=mode, include_passed=True)
    passed = ended(server, server.latest, job)["result"]["passed_tests"]
    assert [(one["name"], one["fixture"], one["assembly"], one["mode"]) for one in passed] == [
        (name, fixture, dll, mode) for name, fixture, _, dll in PLACES
    ]


def test_refresh_runs_the_tests_of_what_is_on_disk(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.tests("edit|A.B.C|pass")
    editor.arrange(f"edit Game|{job}")
    session.submit(job, mode="edit", refresh=True)
    status = ended(server, session, job)
    assert status["state"] == "succeeded"
    assert status["result"]["code_fresh"] is True
    assert status["result"]["compile"]["reloaded"] is True
    lines = [line.split()[0] for line in editor.history]
    assert lines.index("loaded") < lines.index("execute")
    server.latest.submit(f"{job}-2", mode="edit")
    without = ended(server, server.latest, f"{job}-2")["result"]
    assert without["code_fresh"] is None and "compile" not in without


def test_refresh_with_compile_errors_runs_no_old_code(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.tests("edit|A.B.C|pass")
    editor.arrange(f"edit Game|{job}|Assets/Broken.cs(7,3): error CS1002: ; expected")
    session.submit(job, mode="edit", refresh=True)
    status = ended(server, session, job)
    assert status["state"] == "failed" and status["result"] is None
    details = status["error"]["details"]
    assert (details["reason"], details["execution_guarantee"]) == ("compile_errors", "not_executed")
    assert [error["code"] for error in details["errors"]] == ["CS1002"]
    assert executions(editor) == []
    # Fixed on disk: the next refresh is not refused for the errors of the last one.
    editor.arrange(f"edit Game|{job} fixed")
    session.submit(f"{job}-2", mode="edit", refresh=True)
    assert ended(server, session, f"{job}-2")["state"] == "succeeded"
