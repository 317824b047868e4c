"""Jobs of any kind in the plugin: accepted, started, ended; how job_status and hello report them
(SPEC §15).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict, Iterator, List

import pytest

from tests.e2e.shared_editor import SharedEditor
from tests.scripted_server import ScriptedServer, Session, ended, ids
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


@pytest.fixture
def own_server() -> Iterator[ScriptedServer]:
    """Of editors that a test starts itself."""
    with ScriptedServer() as started:
        yield started


@pytest.fixture
def own_editor(own_server: ScriptedServer) -> Iterator[HeadlessEditor]:
    with HeadlessEditor(own_server.port) as started:
        yield started
        assert started.violations() == []


CLIENT = {"id": "session-1", "name": "agent"}

# A reload ends the test that runs.
LONG = [f"edit|A.B.Long{number}|pass|60000" for number in range(9)]


def test_hello_has_the_tools_and_the_editors_state(
    own_server: ScriptedServer, own_editor: HeadlessEditor
) -> None:
    server = own_server
    session = server.ready_session()
    assert {"read_console", "compile", "run_tests", "play_mode"} <= set(session.hello["tools"])
    assert (session.hello["jobs"], session.hello["job_keys"]) == ([], {})
    assert (session.hello["playing"], session.hello["paused"]) == (False, False)


def test_each_change_of_play_mode_is_reported(
    own_server: ScriptedServer, own_editor: HeadlessEditor
) -> None:
    server, editor = own_server, own_editor
    session = server.ready_session()
    assert session.expect("editor_status", state="ready")["playing"] is False
    editor.command("enter-play-without-reload")
    editor.command("play on")
    session.expect("editor_status", playing=True, paused=False)
    editor.command("pause on")
    session.expect("editor_status", playing=True, paused=True)
    session.send("ping")
    pong = session.expect("pong")
    assert (pong["playing"], pong["paused"]) == (True, True)
    editor.command("reload")
    session = server.ready_session()
    assert (session.hello["playing"], session.hello["paused"]) == (True, True)


def test_a_job_is_accepted_while_the_main_thread_stands_still(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.command("stall 60000")
    editor.wait_for("stalling")
    assert session.submit(job, tool="compile")["status"] == "accepted"
    assert "stalled" not in editor.history
    editor.release()
    assert ended(server, session, job)["state"] == "succeeded"


def test_a_status_has_the_jobs_client_and_its_remaining_time(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.tests(*LONG)
    fields: Dict[str, Any] = {"client": CLIENT, "client_request_id": "key-1", "job_id": job}
    fields["params"] = {"mode": "edit"}
    session.ask("submit_job", tool_name="run_tests", timeout_ms=50_000, **fields)
    editor.wait_for("test A.B.Long0")
    status = session.job(job)
    assert status["tool_name"] == "run_tests"
    assert (status["client"], status["client_request_id"]) == ("session-1", "key-1")
    assert 0 < status["remaining_ms"] <= 50_000
    editor.reload()
    session = server.ready_session()
    assert session.hello["job_keys"] == {job: ["session-1", "key-1"]}
    assert session.job(job)["remaining_ms"] < status["remaining_ms"]
    session.ask("cancel", target_job_id=job)
    assert "remaining_ms" not in ended(server, session, job)


def test_a_queued_job_says_that_it_waits(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.tests("edit|A.B.C|pass|60000")
    session.submit(job, mode="edit")
    editor.wait_for("test A.B.C")
    session.submit(f"{job}-2", tool="compile")
    status = session.job(f"{job}-2")
    assert status["state"] == "queued" and status["progress"]["step"] == "waiting"
    assert status["progress"]["for_ms"] >= 0
    session.ask("cancel", target_job_id=job)
    ended(server, session, f"{job}-2")


def test_the_console_entries_of_a_job_are_summed_up(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.tests("edit|A.B.C|pass|60000")
    editor.arrange("log error before")
    session.submit(job, mode="edit")
    editor.wait_for("test A.B.C")
    editor.arrange(
        *(f"log warning w{n}" for n in range(2)), *(f"log error e{n} {'x' * 600}" for n in range(5))
    )
    editor.command("quirk tests-end")
    console = ended(server, session, job)["console"]
    assert (console["errors"], console["warnings"]) == (5, 2)
    assert [message[:2] for message in console["first"]] == ["e0", "e1", "e2"]
    assert max(len(message) for message in console["first"]) == 500
    editor.arrange("log error after")
    assert session.messages_in_console(since=console["next_cursor"]) == ["after"]


def test_the_console_of_a_job_goes_over_a_reload(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.arrange(f"edit Game|{job}", "compile-ms -1")
    session.submit(job, tool="compile")
    editor.wait_for("compiling")
    editor.arrange("log error during", "compile-ms 50")
    assert ended(server, session, job)["console"]["first"] == ["during"]


def test_the_progress_of_a_run_survives_a_reload(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.tests(*[f"edit|A.B.T{number}|pass" for number in range(5)], *LONG)
    session.submit(job, mode="edit")
    editor.wait_for("test A.B.Long0")
    editor.reload()
    session = server.ready_session()
    editor.wait_for("test A.B.Long1")
    status = session.job(job)
    assert status["progress"] == {"completed": 6, "total": 14, "current_test": "A.B.Long1"}
    session.ask("cancel", target_job_id=job)
    assert ended(server, session, job)["result"]["summary"]["passed"] == 6


def test_a_job_that_waits_when_the_domain_reloads_is_carried_out_after_it(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.tests("edit|A.B.C|pass")
    editor.command("stall 60000")
    editor.wait_for("stalling")
    editor.command("reload")
    session.submit(job, mode="edit")
    editor.release()
    session.wait_closed()
    assert ended(server, server.ready_session(), job)["state"] == "succeeded"


def test_jobs_go_over_a_reload_where_nothing_can_be_written(
    own_server: ScriptedServer, tmp_path: Path
) -> None:
    server = own_server
    project = tmp_path / "Game"
    (project / "Library").mkdir(parents=True)
    # A file where the folder would be: nobody can write there, root included.
    (project / "Library" / "UnityBridge").write_text("in the way", encoding="utf-8")
    with HeadlessEditor(server.port, project=project) as editor:
        editor.tests("edit|A.B.C|pass", *LONG)
        session = server.ready_session()
        session.submit("done", mode="edit", filter="A.B.C")
        ended(server, session, "done")
        session.submit("job-1", mode="edit")
        editor.wait_for("test A.B.Long0")
        editor.reload()
        editor.wait_for("test A.B.Long1")
        session = server.ready_session()
        assert ids(session.hello) == ["done", "job-1"]
        assert session.job("done")["result"]["summary"]["passed"] == 1
        assert session.job("job-1")["progress"]["completed"] == 2
        assert editor.violations() == []


def test_the_file_of_the_jobs_does_not_grow_for_ever(
    own_server: ScriptedServer, own_editor: HeadlessEditor
) -> None:
    server, editor = own_server, own_editor
    session = server.ready_session()
    for number in range(700):
        session.submit(f"job-{number}", mode="edit", filter="Nothing.Like.It")
        if number % 100 == 99:
            ended(server, session, f"job-{number}")
    file = editor.project / "Library" / "UnityBridge" / "jobs.jsonl"
    assert len(file.read_text(encoding="utf-8").splitlines()) < 2200
    editor.reload()
    assert len(server.ready_session().hello["jobs"]) == 64


def test_too_many_jobs_that_wait_are_refused(
    own_server: ScriptedServer, own_editor: HeadlessEditor
) -> None:
    server, editor = own_server, own_editor
    session = server.ready_session()
    editor.tests("edit|A.B.Long|pass|60000")
    session.submit("job", mode="edit")
    answers = [session.submit(f"job-{number}", mode="edit") for number in range(260)]
    assert {answer["type"] for answer in answers[:255]} == {"submit_job_result"}
    assert answers[-1]["error"]["code"] == "ERR_QUEUE_FULL"


MALFORMED: List[Dict[str, Any]] = [
    {"job_id": ""},
    {"job_id": 7},
    {"job_id": "a" * 201},
    {"job_id": "line\nbreak"},
    {"timeout_ms": 0},
    {"timeout_ms": "soon"},
    {"params": []},
    {"client": "session-1"},
    {"client": {"id": "", "name": "agent"}},
    {"client_request_id": 5},
    {"client_request_id": "k" * 129},
]


def test_a_malformed_submission_is_refused(session: Session, job: str) -> None:
    for fields in MALFORMED:
        asked = {"job_id": job, "tool_name": "compile", "params": {}, **fields}
        answer = session.ask("submit_job", **asked)
        assert answer["type"] == "error" and answer["error"]["code"] == "ERR_INVALID_PARAMS", fields


def test_an_empty_key_counts_as_absent(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    fields: Dict[str, Any] = {"client": CLIENT, "client_request_id": "", "job_id": job}
    assert (
        session.ask("submit_job", tool_name="compile", params={}, **fields)["type"]
        == "submit_job_result"
    )
    assert "client_request_id" not in ended(server, session, job)
    editor.reload()
    assert job not in server.ready_session().hello["job_keys"]


def test_a_time_beyond_every_range_does_not_overflow(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    session.submit(job, tool="compile", timeout_ms=2**63 - 1)
    assert ended(server, session, job)["state"] == "succeeded"


def test_a_server_that_sends_no_id_gets_one(
    server: ScriptedServer, editor: HeadlessEditor, session: Session
) -> None:
    job_id = session.ask("submit_job", tool_name="compile", params={})["job_id"]
    assert session.job(job_id)["job_id"] == job_id
    ended(server, session, job_id)


@pytest.mark.parametrize("argument", ["--virtual-project-clone", "--import-worker", "--batch-mode"])
def test_processes_that_are_no_editors_stay_away(own_server: ScriptedServer, argument: str) -> None:
    server = own_server
    with HeadlessEditor(server.port, options=[argument]) as editor:
        assert "bridge does not run here" in "\n".join(editor.draw_settings())


# What others wait for, and whose it is (SPEC §15.8, §15.9).

OTHER = {"id": "session-2", "name": "other agent"}


def test_a_job_that_waits_names_the_one_in_front_of_it(
    own_server: ScriptedServer, own_editor: HeadlessEditor
) -> None:
    session = own_server.ready_session()
    own_editor.tests(*LONG)
    session.submit("job-runs", mode="edit")
    own_editor.wait_for("test A.B.Long0")
    session.submit("job-waits", tool="compile")
    progress = session.job("job-waits")["progress"]
    assert (progress["step"], progress["waits_for"]) == (
        "waiting",
        {"job_id": "job-runs", "tool": "run_tests"},
    )
    session.close()
    runs, waits = own_server.ready_session().hello["jobs"]
    assert (runs["job_id"], runs["tool"], runs["state"]) == ("job-runs", "run_tests", "running")
    assert (waits["job_id"], waits["state"], waits["step"]) == ("job-waits", "queued", "waiting")
    assert runs["age_ms"] >= waits["age_ms"] >= 0


def test_another_clients_play_session_is_named(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    session.ask(
        "submit_job",
        job_id="plays",
        tool_name="play_mode",
        params={"action": "enter"},
        client=CLIENT,
    )
    assert ended(server, session, "plays")["state"] == "succeeded"
    session = server.ready_session()
    session.ask("submit_job", job_id=job, tool_name="compile", params={}, client=OTHER)
    error = ended(server, session, job)["error"]
    held = error["details"]["held_by"]
    assert (error["details"]["reason"], held["client"], held["tool"]) == (
        "playing",
        "agent",
        "play_mode",
    )
    assert "(agent) has the editor in play mode" in error["message"] and held["since_ms"] >= 0
    session.ask("submit_job", job_id="own", tool_name="compile", params={}, client=CLIENT)
    own = ended(server, session, "own")["error"]
    assert "held_by" not in own["details"] and "Leave play mode" in own["message"]
    session.ask(
        "submit_job",
        job_id="leaves",
        tool_name="play_mode",
        params={"action": "exit"},
        client=CLIENT,
    )
    assert ended(server, session, "leaves")["state"] == "succeeded"
