"""The simulated editor on a real socket, opposite a server that says what the story needs (SPEC §7,
§11).
"""

from __future__ import annotations

import os
from typing import Any, Callable, Dict

import pytest

from tests.scripted_server import ids
from unity_bridge.simulator.project import Entry, PretendTest, Project

Open = Callable[..., Any]

QUICK = Project("Quick", "/Quick", (PretendTest("A.B.Pass"), PretendTest("A.B.Walk", mode="play")))
ENDLESS = Project(
    "Endless",
    "/Endless",
    (PretendTest("A.B.Endless", duration_s=900_000.0), PretendTest("A.B.After")),
)

AGENT = {"id": "agent 1", "name": ""}


def ended(session: Any, job_id: str) -> Dict[str, Any]:
    """The status of a job that the editor has finished."""
    status: Dict[str, Any] = session.ask("get_job_status", answer="job_status", job_id=job_id)
    return status


def test_it_greets_as_a_plugin_does(server: Any, open_editor: Open) -> None:
    open_editor()
    session = server.session()
    assert session.path == "/unity"
    assert "Origin" not in session.headers and "Sec-WebSocket-Extensions" not in session.headers
    hello = session.accept()
    assert (hello["state"], hello["project_name"], hello["jobs"]) == ("ready", "LanternKeep", [])
    assert hello["editor_instance_id"] and hello["plugin_version"] and hello["unity_version"]


def test_proxies_of_the_environment_are_nothing_to_it(
    server: Any, open_editor: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("no_proxy", "example.org")
    open_editor()
    server.session().accept()


def test_it_takes_the_capability_in_and_answers_what_it_does_not_know(
    server: Any, open_editor: Open
) -> None:
    editor = open_editor()
    session = server.session()
    session.accept()
    assert editor.events.wait_for("capability")["tools"] == ["read_console", "run_tests"]
    session.send("dance", request_id="r1")
    assert session.hear("error", request_id="r1")["error"]["code"] == "ERR_UNKNOWN_COMMAND"
    assert (
        session.ask("execute", answer="error", tool_name="paint", params={})["error"]["code"]
        == "ERR_UNKNOWN_COMMAND"
    )
    assert (
        session.ask("submit_job", answer="error", tool_name="x", params={})["error"]["code"]
        == "ERR_UNKNOWN_COMMAND"
    )
    refused = session.ask(
        "execute", answer="error", tool_name="read_console", params={"since": "a:b"}
    )
    assert refused["error"]["code"] == "ERR_INVALID_PARAMS"


def test_it_reads_its_console(server: Any, open_editor: Open) -> None:
    editor = open_editor()
    session = server.session()
    session.accept()
    editor.log(Entry("error", "The torch went out"))
    answer = session.ask(
        "execute", answer="result", tool_name="read_console", params={"max_entries": 1}
    )
    assert answer["status"] == "ok"
    assert answer["result"]["entries"][0]["message"] == "The torch went out"


def test_a_stalled_main_thread_still_answers_pings_status_and_cancel_but_no_reads(
    server: Any, open_editor: Open
) -> None:
    editor = open_editor(speed=1.0, project=ENDLESS)
    session = server.session()
    session.accept()
    session.ask(
        "submit_job", answer="submit_job_result", job_id="J", tool_name="run_tests", params={}
    )
    editor.stall(3600.0)
    editor.events.wait_for("stalled")
    session.send("execute", request_id="r2", tool_name="read_console", params={})
    session.send("ping")
    assert session.hear("pong")["editor_state"] == "ready"
    assert ended(session, "J")["state"] == "running"
    assert (
        session.ask("cancel", answer="cancel_result", target_job_id="J")["status"]
        == "cancel_requested"
    )
    assert session.heard("result") == []


def test_a_compile_reports_its_states_disconnects_and_comes_back_as_the_same_editor(
    server: Any, open_editor: Open
) -> None:
    editor = open_editor()
    first = server.session()
    instance = first.accept()["editor_instance_id"]
    editor.events.wait_for("connected")
    editor.compile(1.0)
    assert first.hear("editor_status", seq=2)["state"] == "compiling"
    assert first.hear("editor_status", seq=3)["state"] == "reloading"
    assert first.wait_closed() == 1001
    second = server.session()
    hello = second.accept()
    assert (hello["editor_instance_id"], hello["state"]) == (instance, "ready")
    editor.events.wait_for("connected", session=2)
    editor.reload(1.0)
    assert second.hear("editor_status")["seq"] == 2


def test_a_change_before_the_greeting_is_answered_is_reported_after_it(
    server: Any, open_editor: Open
) -> None:
    editor = open_editor(speed=1.0)
    session = server.session()
    assert session.hear("hello")["state"] == "ready"
    editor.compile(3600.0)
    editor.events.wait_for("state", state="compiling")
    session.send("hello", server_version="1")
    assert session.hear("editor_status") == {
        "type": "editor_status",
        "protocol_version": 1,
        "state": "compiling",
        "seq": 1,
        "main_thread_stalled_ms": 0,
        "compile_errors": 0,
        "playing": False,
        "paused": False,
        "code": "pending",
        "untrusted_jobs": 0,
        "pending_reason": "requested",
    }


def test_a_run_that_the_stalled_main_thread_has_not_seen_yet_is_known_and_can_be_cancelled(
    server: Any, open_editor: Open
) -> None:
    editor = open_editor()
    session = server.session()
    session.accept()
    # Time for two answers: a tenth of a second, where processes are fast.
    editor.stall(100.0 if os.name == "posix" else 1000.0)
    editor.events.wait_for("stalled")
    session.send(
        "submit_job", request_id="r1", job_id="J", tool_name="run_tests", params={"mode": "edit"}
    )
    assert ended(session, "J")["state"] == "queued"
    assert session.ask("cancel", answer="cancel_result", target_job_id="J")["status"] == "cancelled"
    assert session.hear("submit_job_result")["job_id"] == "J"
    assert editor.events.of("job_started") == []


def test_compile_errors_are_counted_shown_and_stop_test_runs_until_they_are_fixed(
    server: Any, open_editor: Open
) -> None:
    editor = open_editor()
    session = server.session()
    session.accept()
    editor.events.wait_for("connected")
    editor.compile(1.0, errors=2)
    assert session.hear("editor_status", state="ready")["compile_errors"] == 2
    console = session.ask(
        "execute", answer="result", tool_name="read_console", params={"contains": "error CS"}
    )
    assert console["result"]["count"] == 2
    session.ask(
        "submit_job", answer="submit_job_result", job_id="J", tool_name="run_tests", params={}
    )
    editor.events.wait_for("job_finished", job_id="J")
    assert ended(session, "J")["error"]["details"]["reason"] == "compile_errors"
    editor.compile(1.0)
    assert session.wait_closed() == 1001
    session = server.session()
    session.accept()
    console = session.ask(
        "execute", answer="result", tool_name="read_console", params={"contains": "error CS"}
    )
    assert console["result"]["count"] == 0
    session.ask(
        "submit_job", answer="submit_job_result", job_id="K", tool_name="run_tests", params={}
    )


def ended_error(session: Any, job_id: str) -> Any:
    return session.ask("get_job_status", answer="error", job_id=job_id)["error"]["code"]


def test_a_run_survives_the_reload_of_play_mode_and_is_never_run_twice(
    server: Any, open_editor: Open
) -> None:
    editor = open_editor(project=QUICK)
    first = server.session()
    first.accept()
    accepted = first.ask(
        "submit_job", answer="submit_job_result", job_id="J", tool_name="run_tests", params={}
    )
    assert (accepted["job_id"], accepted["status"]) == ("J", "accepted")
    assert first.wait_closed() == 1001
    second = server.session()
    assert ids(second.accept()) == ["J"]
    again = second.ask(
        "submit_job", answer="submit_job_result", job_id="J", tool_name="run_tests", params={}
    )
    assert again["job_id"] == "J"
    editor.events.wait_for("job_finished")
    status = ended(second, "J")
    assert (status["state"], status["result"]["summary"]["passed"]) == ("succeeded", 2)
    assert [event["known"] for event in editor.events.of("submit")] == [False, True]
    assert len(editor.events.of("job_started")) == 1


def test_a_run_asked_for_while_compiling_starts_after_the_reload(
    server: Any, open_editor: Open
) -> None:
    editor = open_editor(
        speed=1.0, project=Project("Quick", "/Quick", (PretendTest("A"),), compile_reload_s=0.0)
    )
    first = server.session()
    first.accept()
    editor.events.wait_for("connected")
    editor.compile(0.1)
    first.hear("editor_status", state="compiling")
    first.ask(
        "submit_job", answer="submit_job_result", job_id="J", tool_name="run_tests", params={}
    )
    assert editor.events.of("job_started") == []
    server.session().accept()
    editor.events.wait_for("job_finished", state="succeeded")


def test_runs_are_cancelled_by_job_or_by_the_request_that_began_them(
    server: Any, open_editor: Open
) -> None:
    editor = open_editor(speed=1.0, project=ENDLESS)
    session = server.session()
    session.accept()
    for number in (1, 2, 3):
        asked = {"request_id": f"r{number}", "job_id": f"J{number}", "tool_name": "run_tests"}
        session.ask("submit_job", answer="submit_job_result", **asked)
    assert (
        session.ask("cancel", answer="cancel_result", target_job_id="J3")["status"] == "cancelled"
    )
    assert (
        session.ask("cancel", answer="cancel_result", target_request_id="r2")["status"]
        == "cancelled"
    )
    assert (
        session.ask("cancel", answer="cancel_result", target_job_id="J1")["status"]
        == "cancel_requested"
    )
    assert session.ask("cancel", answer="cancel_result", target_job_id="J3")["status"] == "rejected"
    assert (
        session.ask("cancel", answer="error", target_job_id="J9")["error"]["code"]
        == "ERR_JOB_NOT_FOUND"
    )
    assert session.ask("cancel", answer="error")["error"]["code"] == "ERR_INVALID_REQUEST"
    assert [event["job_id"] for event in editor.events.of("job_started")] == ["J1"]


def test_a_run_that_breaks_off_and_jobs_that_are_lost(server: Any, open_editor: Open) -> None:
    editor = open_editor(speed=1.0, project=ENDLESS)
    session = server.session()
    session.accept()
    session.ask(
        "submit_job", answer="submit_job_result", job_id="J", tool_name="run_tests", params={}
    )
    editor.events.wait_for("job_started")
    editor.obstruct(lambda process: process.abort_job("the player was stopped"))
    editor.events.wait_for("job_finished", state="failed")
    assert ended(session, "J")["error"]["message"] == "the player was stopped"
    editor.obstruct(lambda process: process.forget_jobs())
    session.ask(
        "execute", answer="result", tool_name="read_console", params={}
    )  # the main thread has got there
    assert ended_error(session, "J") == "ERR_JOB_NOT_FOUND"


def test_refused_as_the_second_editor_it_says_so_once_and_goes_on_trying(
    server: Any, open_editor: Open
) -> None:
    editor = open_editor()
    for _ in range(3):
        session = server.session()
        session.hear("hello")
        session.send(
            "error",
            error={"code": "ERR_INVALID_REQUEST", "message": "another session is already active"},
        )
        session.close()
    server.session().accept()
    editor.events.wait_for("connected")
    assert [event["reason"] for event in editor.events.of("refused")] == [
        "another session is already active"
    ]


def test_a_lost_connection_is_made_again_and_a_server_is_waited_for(
    server: Any, open_editor: Open
) -> None:
    editor = open_editor()
    first = server.session()
    first.accept()
    editor.events.wait_for("connected")
    editor.drop()
    assert first.wait_closed() == 1006
    server.session().accept()
    assert editor.events.wait_for("disconnected")["session"] == 1
    server.stop()
    assert editor.events.wait_for("waiting")["port"] == server.port


def test_a_crash_is_the_end_of_jobs_and_console_and_another_process_comes_back(
    server: Any, open_editor: Open
) -> None:
    editor = open_editor(speed=1.0, project=ENDLESS)
    first = server.session()
    instance = first.accept()["editor_instance_id"]
    first.ask(
        "submit_job", answer="submit_job_result", job_id="J", tool_name="run_tests", params={}
    )
    editor.log(Entry("log", "before the crash"))
    editor.crash()
    assert first.wait_closed() == 1006
    assert server.no_session()
    editor.restart(0.0)
    second = server.session()
    hello = second.accept()
    assert hello["editor_instance_id"] != instance and hello["jobs"] == []
    console = second.ask(
        "execute", answer="result", tool_name="read_console", params={"contains": "crash"}
    )
    assert console["result"]["count"] == 0


def test_a_restart_ends_a_stall_and_a_reload_that_is_under_way(
    server: Any, open_editor: Open
) -> None:
    editor = open_editor(speed=1.0)
    first = server.session()
    instance = first.accept()["editor_instance_id"]
    editor.reload(3600.0)
    assert first.wait_closed() == 1001
    editor.restart(0.0)
    assert server.session().accept()["editor_instance_id"] != instance


def test_a_deaf_editor_answers_no_ping_until_it_hears_again(server: Any, open_editor: Open) -> None:
    editor = open_editor()
    session = server.session()
    session.accept()
    editor.events.wait_for("capability")
    editor.set_reading(False)
    session.send("ping")
    editor.reload(1.0)
    assert session.wait_closed() == 1001
    assert session.heard("pong") == []
    editor.set_reading(True)
    server.session().accept()


def test_a_compile_is_followed_through_its_reload_to_todays_tests(
    server: Any, open_editor: Open
) -> None:
    """The loop: edit, compile error, fix, tests of the new code (SPEC §16.1)."""
    tests = (PretendTest("A.B.Fails", outcome="failed"),)
    editor = open_editor(project=Project("Loop", "/Loop", tests))
    session = server.session()
    session.accept()
    editor.break_script("Assets/A.cs", 1, "It is broken")
    session.ask(
        "submit_job", answer="submit_job_result", job_id="C", tool_name="compile", params={}
    )
    editor.events.wait_for("job_finished", job_id="C")
    status = ended(session, "C")
    assert (status["tool_name"], status["state"], status["result"]["errors"][0]["message"]) == (
        "compile",
        "failed",
        "It is broken",
    )
    editor.edit("Assets/A.cs", {"A.B.Fails": "passed"})
    asked = {"tool_name": "run_tests", "params": {"refresh": True}, "timeout_ms": 60_000}
    session.ask(
        "submit_job",
        answer="submit_job_result",
        job_id="T",
        **asked,
        client={"id": "agent 1", "name": ""},
        client_request_id="e2",
    )
    assert session.wait_closed() == 1001
    session = server.session()
    hello = session.accept()
    assert (ids(hello), hello["job_keys"]) == (["C", "T"], {"T": ["agent 1", "e2"]})
    editor.events.wait_for("job_finished", job_id="T")
    status = ended(session, "T")
    assert (status["state"], status["result"]["code_fresh"], status["client"]) == (
        "succeeded",
        True,
        "agent 1",
    )
    assert [event["job_id"] for event in editor.events.of("job_started")] == ["C", "T"]


def test_play_mode_is_reported_in_status_pong_and_hello(server: Any, open_editor: Open) -> None:
    editor = open_editor()
    session = server.session()
    assert session.accept()["playing"] is False
    editor.events.wait_for("connected")
    editor.obstruct(lambda process: process.player.enter())
    assert session.hear("editor_status", playing=True)["paused"] is False
    assert session.wait_closed() == 1001
    session = server.session()
    assert session.accept()["playing"] is True
    editor.events.wait_for("connected", session=2)
    editor.obstruct(lambda process: process.player.pause(True))
    assert session.hear("editor_status")["paused"] is True
    session.send("ping")
    assert session.hear("pong")["paused"] is True
    editor.obstruct(lambda process: process.leave_play_mode())
    assert session.hear("editor_status", playing=False)["paused"] is False


def test_a_dialog_is_reported_in_pong_and_in_the_progress_of_the_waiting_compile(
    server: Any, open_editor: Open
) -> None:
    editor = open_editor(speed=1.0)
    session = server.session()
    session.accept()
    editor.obstruct(lambda process: setattr(process.assemblies, "dialog_s", 3600.0))
    editor.edit("Assets/A.cs")
    session.ask(
        "submit_job", answer="submit_job_result", job_id="C", tool_name="compile", params={}
    )
    editor.events.wait_for("stalled")
    step = "importing"
    while step == "importing":  # for a moment it is ordinary work
        step = ended(session, "C")["progress"]["step"]
    assert step == "stalled"
    session.send("ping")
    assert session.hear("pong")["main_thread_stalled_ms"] > 0
