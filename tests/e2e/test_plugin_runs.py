"""run_tests, as the plugin carries it out: across reloads, refusals and cancels."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import Any, Dict, Iterator, List, Tuple

import pytest
from websockets.exceptions import ConnectionClosed

from tests.e2e.shared_editor import SharedEditor
from tests.rounds import rounds
from tests.scripted_server import Message, ScriptedServer, Session, ended, ids
from tests.unity_headless.headless_editor import HeadlessEditor

ROUNDS = rounds(4, 7)
MIXED = [
    "edit|Game.Maths.Adds|pass|5",
    "edit|Game.Maths.Divides|fail|5||Expected: 2 But was: 3",
    "edit|Game.Maths.Later|skip",
    "edit|Game.Maths.Perhaps|inconclusive",
    "play|Game.Player.Jumps|pass|20",
    "play|Game.Player.Falls|pass|20",
]


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


def test_all_runs_edit_then_play_and_survives_the_reload_between(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.tests(*MIXED)
    accepted = session.submit(job, mode="all")
    assert (accepted["type"], accepted["status"], accepted["job_id"]) == (
        "submit_job_result",
        "accepted",
        job,
    )
    status = ended(server, session, job)
    assert status["state"] == "failed" and "error" not in status
    assert counts(status) == [6, 3, 1, 2]
    assert status["result"]["summary"]["inconclusive"] == 1
    assert status["result"]["summary"]["duration_ms"] == pytest.approx(50)
    (failure,) = status["result"]["failed_tests"]
    assert failure["name"] == "Game.Maths.Divides"
    assert failure["message"] == "Expected: 2 But was: 3"
    assert "Assets/Tests.cs" in failure["stack_trace"]
    assert executions(editor) == ["execute EditMode all", "execute PlayMode all"]
    editor.wait_for("play off")


def test_progress_has_the_count_and_the_current_test(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.tests("edit|A.B.First|pass", "edit|A.B.Second|pass|60000")
    session.submit(job, mode="edit")
    editor.wait_for("test A.B.Second")
    status = session.job(job)
    assert status["state"] == "running" and status["result"] is None
    assert status["progress"] == {"completed": 1, "total": 2, "current_test": "A.B.Second"}
    session.ask("cancel", target_job_id=job)
    ended(server, session, job)


def test_progress_names_the_test_that_failed_last(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.tests("edit|A.B.First|fail", "edit|A.B.Second|fail", "edit|A.B.Third|pass|60000")
    session.submit(job, mode="edit")
    editor.wait_for("test A.B.Third")
    count = {
        "completed": 2,
        "total": 3,
        "current_test": "A.B.Third",
        "failed": 2,
        "failed_test": "A.B.Second",
    }
    assert session.job(job)["progress"] == count
    session.ask("cancel", target_job_id=job)
    ended(server, session, job)


def test_status_and_cancel_are_answered_while_a_test_holds_the_main_thread(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.tests("edit|A.B.Holds|block|60000", "edit|A.B.Next|pass|60000")
    session.submit(job, mode="edit")
    editor.wait_for("test A.B.Holds")
    assert session.job(job)["progress"]["current_test"] == "A.B.Holds"
    assert session.ask("cancel", target_job_id=job)["status"] == "cancel_requested"
    assert editor.history[-1] == "test A.B.Holds"
    editor.release()
    status = ended(server, session, job)
    assert status["state"] == "cancelled"
    assert counts(status)[:2] == [2, 1]


FILTERS: List[Tuple[str, List[str]]] = [
    ("Game.Maths.Adds", ["Game.Maths.Adds"]),
    ("Game.Maths", ["Game.Maths.Adds", "Game.Maths.Cases(1)", "Game.Maths.Cases(2)"]),
    ("Game.Maths.Cases", ["Game.Maths.Cases(1)", "Game.Maths.Cases(2)"]),
    ("Game.Maths.Cases(2)", ["Game.Maths.Cases(2)"]),
    ("category:Slow", ["Game.Maths.Cases(1)", "Game.MathsMore.Adds"]),
    (
        "Game.Maths.Adds ; category:Slow",
        ["Game.Maths.Adds", "Game.Maths.Cases(1)", "Game.MathsMore.Adds"],
    ),
    ("Game.Manual.Only", ["Game.Manual.Only"]),
    (
        "Game",
        ["Game.Maths.Adds", "Game.Maths.Cases(1)", "Game.Maths.Cases(2)", "Game.MathsMore.Adds"],
    ),
    ('Game.Text.Splits("a;b")', ['Game.Text.Splits("a;b")']),
    ('Game.Text.Splits("a;b"); Game.Maths.Adds', ["Game.Maths.Adds", 'Game.Text.Splits("a;b")']),
]
SELECTABLE = [
    "edit|Game.Maths.Adds|pass",
    "edit|Game.Maths.Cases(1)|pass|0|Slow",
    "edit|Game.Maths.Cases(2)|pass",
    "edit|Game.MathsMore.Adds|pass|0|Slow,Other",
    "edit|Game.Manual.Only|explicit",
    'edit|Game.Text.Splits("a;b")|pass',
]
# What is written, what it is taken for, and what runs.
SHORT: List[Tuple[str, str, List[str]]] = [
    ("Maths", "Game.Maths", ["Game.Maths.Adds", "Game.Maths.Cases(1)", "Game.Maths.Cases(2)"]),
    ("Cases", "Game.Maths.Cases", ["Game.Maths.Cases(1)", "Game.Maths.Cases(2)"]),
    ("Cases(2)", "Game.Maths.Cases(2)", ["Game.Maths.Cases(2)"]),
    ("game.maths.adds", "Game.Maths.Adds", ["Game.Maths.Adds"]),
    ("mathsmore", "Game.MathsMore", ["Game.MathsMore.Adds"]),
    ("category:slow", "category:Slow", ["Game.Maths.Cases(1)", "Game.MathsMore.Adds"]),
    ("Only", "Game.Manual.Only", ["Game.Manual.Only"]),
    ('Splits("a;b")', 'Game.Text.Splits("a;b")', ['Game.Text.Splits("a;b")']),
]
# What is written, and for each part that matches nothing the nearest names.
UNMATCHED: List[Tuple[str, Dict[str, List[str]]]] = [
    ("Nothing.Like.It", {"Nothing.Like.It": []}),
    ("Adds", {"Adds": ["Game.Maths.Adds", "Game.MathsMore.Adds"]}),
    (
        "Game.Maths; Game.Mathz.Adds",
        {"Game.Mathz.Adds": ["Game.Maths.Adds", "Game.MathsMore.Adds"]},
    ),
    ("category:Slowly", {"category:Slowly": ["category:Slow"]}),
    ("Game.Manual", {"Game.Manual": ["Game.Manual", "Game.Manual.Only"]}),
    ("Manual", {"Manual": ["Game.Manual", "Game.Manual.Only"]}),
    ("((((", {"((((": []}),
]


def test_a_filter_selects(server: ScriptedServer, editor: HeadlessEditor, session: Session) -> None:
    editor.tests(*SELECTABLE)
    for text, names in FILTERS:
        names = [*names, 'Game.Text.Splits("a;b")'] if text == "Game" else names
        begun = len(editor.history)
        session.submit(text, mode="all", filter=text)
        status = ended(server, session, text)
        assert status["state"] == "succeeded"
        assert counts(status) == [len(names), len(names), 0, 0]
        assert [
            line[len("test ") :] for line in editor.history[begun:] if line.startswith("test ")
        ] == names, text


def test_a_short_name_selects_if_only_one_thing_can_be_meant(
    server: ScriptedServer, editor: HeadlessEditor, session: Session
) -> None:
    editor.tests(*SELECTABLE)
    for text, meant, names in SHORT:
        begun = len(editor.history)
        session.submit(f"short {text}", mode="all", filter=text)
        status = ended(server, session, f"short {text}")
        assert status["state"] == "succeeded", (text, status)
        assert status["result"]["remarks"] == [f"The filter '{text}' was taken for '{meant}'."]
        assert [
            line[len("test ") :] for line in editor.history[begun:] if line.startswith("test ")
        ] == names, text


def test_a_part_that_matches_nothing_runs_nothing_and_names_the_nearest(
    server: ScriptedServer, editor: HeadlessEditor, session: Session
) -> None:
    editor.tests(*SELECTABLE)
    begun = len(editor.history)
    for text, nearest in UNMATCHED:
        session.submit(f"unmatched {text}", mode="all", filter=text)
        status = ended(server, session, f"unmatched {text}")
        error = status["error"]
        assert (status["state"], error["code"]) == ("failed", "ERR_UNITY_EXECUTION") and status[
            "result"
        ] is None
        assert error["details"]["execution_guarantee"] == "not_executed"
        assert error["details"]["reason"] == "no_tests_matched"
        assert (
            error["details"]["unmatched"] == list(nearest)
            and error["details"]["nearest"] == nearest
        )
        assert all(f"'{part}'" in error["message"] for part in nearest)
        assert all(name in error["message"] for names in nearest.values() for name in names)
    assert not [line for line in editor.history[begun:] if line.startswith(("execute", "test "))]


def test_a_part_may_find_its_tests_in_either_mode_also_after_the_reload_between(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.tests(
        "edit|Game.Maths.Adds|pass",
        "play|Game.Player.Jumps|pass|20",
        "play|Game.Player.Falls|pass|20",
    )
    session.submit(job, mode="all", filter="Adds;Jumps")
    status = ended(server, session, job)
    assert counts(status) == [2, 2, 0, 0]
    assert len(status["result"]["remarks"]) == 2


def test_megabytes_of_brackets_hold_the_editor_up_for_no_time(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.tests(*SELECTABLE)
    editor.command("longest-tick")
    session.submit(job, mode="edit", filter='("' * 200_000 + "<" * 200_000)
    error = ended(server, session, job)["error"]
    assert (
        error["details"]["reason"] == "no_tests_matched"
        and len(error["details"]["unmatched"][0]) < 300
    )
    editor.command("longest-tick")
    assert int(editor.wait_for(r"longest-tick (\d+)").group(1)) < 5_000


def test_a_fixture_that_fails_by_itself_fails_the_run(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.tests("edit|A.B.Passes|pass", "edit|A.B.Last|teardownfail")
    session.submit(job, mode="edit")
    status = ended(server, session, job)
    assert status["state"] == "failed"
    assert status["result"]["failed_tests"][0]["name"] == "A.B"
    assert "TearDown" in status["result"]["failed_tests"][0]["message"]


def test_a_fixture_that_fails_by_itself_is_reported_next_to_its_failed_tests(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.tests("edit|A.B.Red|fail", "edit|A.B.Last|teardownfail")
    session.submit(job, mode="edit")
    assert [failed["name"] for failed in ended(server, session, job)["result"]["failed_tests"]] == [
        "A.B.Red",
        "A.B",
    ]


def test_tests_that_failed_in_the_setup_of_a_namespace_are_run_again(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.tests("edit|A.B.C.Passes|namespacefail", "edit|A.Other.Passes|pass")
    session.submit(job, mode="edit")
    assert [failed["name"] for failed in ended(server, session, job)["result"]["failed_tests"]] == [
        "A.B.Setup"
    ]
    session.submit(f"{job}-2", mode="edit", filter="failed")
    status = ended(server, session, f"{job}-2")
    assert status["state"] == "failed"
    assert counts(status)[:3] == [2, 1, 1]


def test_the_newest_result_of_each_test_says_what_failed(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.tests("edit|A.B.Red|fail", "edit|A.B.Green|pass", "play|A.B.Other|pass")
    session.submit(job, mode="edit", filter="A.B.Green")
    ended(server, session, job)
    session.submit(f"{job}-2", mode="edit", filter="failed")
    nothing = ended(server, session, f"{job}-2")
    assert counts(nothing) == [0, 0, 0, 0] and nothing["state"] == "succeeded"
    (remark,) = nothing["result"]["remarks"]
    # The editor is shared, and tests of other tests here have results too.
    assert re.match(
        r"No test failed last time: the newest run ended at 20.*\b[1-9]\d* tests", remark
    ), remark

    session.submit(f"{job}-3", mode="edit")
    ended(server, session, f"{job}-3")
    # A run of something else does not make a failure forgotten.
    session.submit(f"{job}-4", mode="edit", filter="A.B.Green")
    ended(server, session, f"{job}-4")
    session.submit(f"{job}-5", mode="edit", filter="failed")
    assert counts(ended(server, session, f"{job}-5")) == [1, 0, 1, 0]


@pytest.mark.parametrize(
    "filter", ["Game.Manual.Fixture", "Game.Manual.Fixture.One;Game.Manual.Fixture.Two"]
)
def test_an_explicit_fixture_runs_where_nothing_else_is_above_it(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, filter: str, job: str
) -> None:
    editor.tests(
        "edit|Game.Manual.Fixture.One|explicitfixture",
        "edit|Game.Manual.Fixture.Two|explicitfixture",
        "edit|Other.Passes|pass",
    )
    session.submit(job, mode="edit", filter=filter)
    assert counts(ended(server, session, job)) == [2, 2, 0, 0]


def test_generated_cases_are_distinguished_in_a_result(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.tests("edit|A.B.Case(1)|pass", "edit|A.B.Case(1 GeneratedTestCase2)|fail")
    session.submit(job, mode="edit")
    assert [failed["name"] for failed in ended(server, session, job)["result"]["failed_tests"]] == [
        "A.B.Case(1 GeneratedTestCase2)"
    ]


@pytest.mark.parametrize(
    ("commands", "reason", "hint"),
    [
        (
            ["compile fail 10 Assets/Broken.cs(7,3): error CS1002: ; expected"],
            "compile_errors",
            "Fix the compile errors",
        ),
        (["enter-play-without-reload", "play on"], "playing", "Leave play mode"),
        (
            ["scene Assets/Level1.unity", "scene Untitled"],
            "unsaved_scenes",
            "Untitled, Assets/Level1.unity",
        ),
    ],
)
def test_a_run_that_cannot_start_is_refused_with_a_reason(
    server: ScriptedServer,
    editor: HeadlessEditor,
    session: Session,
    job: str,
    commands: List[str],
    reason: str,
    hint: str,
) -> None:
    editor.tests("edit|A.B.C|pass")
    for command in commands:
        editor.command(command)
    if reason == "compile_errors":
        editor.wait_for("compiled failed")
    if reason == "playing":
        editor.wait_for("play on")
    editor.wait_until_idle()
    session.submit(job)
    status = ended(server, session, job)
    assert status["state"] == "failed" and status["result"] is None
    assert status["error"]["code"] == "ERR_UNITY_EXECUTION"
    assert status["error"]["details"]["reason"] == reason
    assert status["error"]["details"]["execution_guarantee"] == "not_executed"
    assert hint in status["error"]["message"]
    assert executions(editor) == []
    if reason == "compile_errors":
        editor.command("compile ok 10")
        editor.wait_for("reloaded")


def test_jobs_run_one_after_the_other(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.tests("edit|A.B.C|pass|60000")
    for one in (job, f"{job}-2", f"{job}-3"):
        assert session.submit(one, mode="edit")["status"] == "accepted"
    assert session.job(f"{job}-3")["state"] == "queued"
    assert session.ask("cancel", target_job_id=f"{job}-2")["status"] == "cancelled"
    assert (
        session.job(f"{job}-2")["state"] == "cancelled"
        and session.job(f"{job}-2")["result"] is None
    )
    editor.command("quirk tests-end")
    assert ended(server, session, f"{job}-3")["state"] == "succeeded"
    assert session.job(job)["state"] == "succeeded"
    assert len(executions(editor)) == 2
    assert session.ask("cancel", target_job_id=job)["status"] == "rejected"


def test_the_same_submission_again_starts_nothing(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.tests("edit|A.B.C|pass|50")
    for _ in range(3):
        assert session.submit(job, mode="edit")["job_id"] == job
    ended(server, session, job)
    editor.reload()
    again = server.ready_session()
    assert ids(again.hello).count(job) == 1
    assert again.submit(job, mode="edit")["job_id"] == job
    editor.wait_until_idle()
    assert len(executions(editor)) == 1


def test_a_cancel_between_the_phases_keeps_the_first_one(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.tests("edit|A.B.Edit|pass|10", "play|A.B.Play|pass|60000")
    session.submit(job, mode="all")
    editor.wait_for("test A.B.Play")
    session = server.ready_session()
    session.ask("cancel", target_job_id=job)
    status = ended(server, session, job)
    assert status["state"] == "cancelled" and counts(status) == [2, 1, 0, 0]


def test_a_framework_that_fails_says_so(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.tests("edit|A.B.C|pass")
    editor.command("quirk on-error")
    session.submit(job, mode="edit")
    status = ended(server, session, job)
    assert status["state"] == "failed"
    assert status["error"]["code"] == "ERR_UNITY_EXECUTION"
    assert "Prebuild setup failed" in status["error"]["message"]


def test_a_run_that_is_dropped_in_silence_does_not_block_the_next(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.tests("edit|A.B.C|pass")
    editor.command("quirk drop")
    session.submit(job, mode="edit")
    editor.wait_for("execute EditMode")
    editor.command("no-quirk drop")
    session.submit(f"{job}-2", mode="edit")
    editor.arrange("clock 10000")
    status = ended(server, session, job)
    assert status["state"] == "failed" and "without a report" in status["error"]["message"]
    assert ended(server, session, f"{job}-2")["state"] == "succeeded"


def test_play_mode_that_a_person_ends_ends_the_run(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.tests("play|A.B.C|pass|60000")
    session.submit(job, mode="play")
    editor.wait_for("test A.B.C")
    editor.command("play off")
    status = ended(server, server.ready_session(), job)
    assert status["state"] == "failed" and "player was stopped" in status["error"]["message"]


def test_play_mode_without_domain_reload_works_the_same(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.tests("play|A.B.C|pass|10")
    editor.command("enter-play-without-reload")
    session.submit(job, mode="play")
    assert counts(ended(server, session, job)) == [1, 1, 0, 0]
    assert not session.is_closed


def test_a_job_that_its_server_forgot_ends_at_its_deadline(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.tests("edit|A.B.C|pass|60000")
    session.submit(job, mode="edit", timeout_ms=100)
    assert ended(server, session, job)["state"] == "timeout"
    assert "cancel EditMode" in editor.history


def test_a_submission_waits_for_the_compilation(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.tests("edit|A.B.C|pass|10")
    editor.command("compile ok -1")
    editor.wait_for("compiling")
    session.submit(job, mode="edit")
    editor.wait_until_idle()
    assert session.job(job)["state"] == "queued"
    editor.command("compile-ms 50")
    assert counts(ended(server, session, job)) == [1, 1, 0, 0]
    assert editor.history.index("compiled ok") < editor.history.index("execute EditMode all")


@pytest.fixture
def own_server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as started:
        yield started


def test_results_outlive_the_editor_and_a_crash_is_reported(
    own_server: ScriptedServer, tmp_path: Path
) -> None:
    server, project = own_server, tmp_path / "Game"
    with HeadlessEditor(server.port, project=project) as editor:
        editor.tests("edit|A.B.C|pass", "edit|A.B.Long|pass|60000")
        session = server.ready_session()
        session.submit("done", mode="edit", filter="A.B.C")
        ended(server, session, "done")
        session.submit("crashed", mode="edit")
        editor.wait_for("test A.B.Long")
        editor.kill()
    with HeadlessEditor(server.port, project=project):
        session = server.ready_session()
        assert ids(session.hello) == ["done", "crashed"]
        assert counts(session.job("done")) == [1, 1, 0, 0]
        status = session.job("crashed")
        assert status["state"] == "failed"
        assert status["error"]["details"]["reason"] == "editor_ended"


def test_many_failures_fit_into_one_answer(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.tests(*[f"edit|A.B.T{number}|fail|0||{'x' * 3900}" for number in range(300)])
    session.submit(job, mode="edit")
    status = ended(server, session, job)
    result: Dict[str, Any] = status["result"]
    assert result["summary"]["failed"] == 300
    assert len(result["failed_tests"]) + result["omitted"]["failed_tests"] == 300
    assert result["omitted"]["failed_tests"] > 0


BAD_SUBMISSIONS: List[Tuple[Dict[str, Any], str]] = [
    ({"tool_name": "read_console"}, "ERR_UNKNOWN_COMMAND"),
    ({"tool_name": "run_tests", "params": {"mode": "both"}}, "ERR_INVALID_PARAMS"),
    ({"tool_name": "run_tests", "params": {"mode": 3}}, "ERR_INVALID_PARAMS"),
    ({"tool_name": "run_tests", "params": {"filter": ["A"]}}, "ERR_INVALID_PARAMS"),
]


def test_bad_submissions_are_refused(session: Session, job: str) -> None:
    for fields, code in BAD_SUBMISSIONS:
        answer = session.ask("submit_job", job_id=job, **fields)
        assert answer["type"] == "error" and answer["error"]["code"] == code, fields


def test_a_run_that_is_cancelled_before_the_main_thread_takes_it_in_never_starts(
    editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.tests("edit|A.B.One|pass|5")
    editor.command("stall 60000")
    editor.wait_for("stalling")
    session.send(
        "submit_job",
        request_id="r-1",
        tool_name="run_tests",
        job_id=job,
        params={},
        timeout_ms=60_000,
    )
    assert session.ask("cancel", target_job_id=job)["status"] == "cancelled"
    session.expect("submit_job_result", job_id=job)
    editor.release()
    editor.wait_until_idle()
    assert session.job(job)["state"] == "cancelled"
    assert executions(editor) == []


def test_cancels_of_what_is_not_there(session: Session) -> None:
    assert session.ask("cancel", target_job_id="nobody")["error"]["code"] == "ERR_JOB_NOT_FOUND"
    assert session.ask("cancel", target_request_id="req-0")["status"] == "rejected"
    assert session.ask("cancel")["error"]["code"] == "ERR_INVALID_REQUEST"


def test_a_cancel_that_comes_while_the_domain_leaves_holds_or_is_not_answered(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    # One that holds the line for as many reloads as there are: each of them ends the test that
    # runs.
    editor.tests(
        *[f"edit|A.Long.T{number}|pass|60000" for number in range(20)], "edit|A.B.Next|pass"
    )
    session.submit(f"{job}-0", mode="edit", filter="A.Long")
    editor.wait_for("test A.Long.T0")
    for number in range(1, ROUNDS + 1):
        job_id = f"{job}-{number}"
        session.submit(job_id, mode="edit", filter="A.B.Next")
        editor.command("reload")
        session.expect("editor_status", state="reloading")
        with suppress(OSError, ConnectionClosed):
            session.send("cancel", request_id="late", target_job_id=job_id)
        session.wait_closed()
        answers = [
            answer for answer in session.heard("cancel_result") if answer["request_id"] == "late"
        ]
        session = server.ready_session()
        if not answers:  # the server sends it again, because it got no answer
            session.ask("cancel", target_job_id=job_id)
        assert session.job(job_id)["state"] == "cancelled"
    session.ask("cancel", target_job_id=f"{job}-0")
    assert ended(server, session, f"{job}-0")["state"] == "cancelled"
