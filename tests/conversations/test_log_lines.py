"""SPEC §10: the log lines of a conversation, and the ids by which they are found."""

from __future__ import annotations

import logging
from typing import Any, Dict, List

import pytest

from tests.fakes import InMemoryBridge
from tests.tool_results import CONSOLE


class Log:
    """The queues of a conversation: level, text and named values."""

    def __init__(self, caplog: pytest.LogCaptureFixture) -> None:
        self._caplog = caplog

    def lines(self, part: str, **values: Any) -> List[Dict[str, Any]]:
        """The queues whose text has ``part`` in it and which carry ``values``."""
        found = [
            {
                "level": record.levelname.lower(),
                "text": record.getMessage(),
                **getattr(record, "values", {}),
            }
            for record in self._caplog.records
        ]
        return [line for line in found if part in line["text"] and values.items() <= line.items()]

    def line(self, part: str, **values: Any) -> Dict[str, Any]:
        (only,) = self.lines(part, **values)
        return only


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> Log:
    caplog.set_level(logging.DEBUG, "unity_bridge")
    return Log(caplog)


def test_a_calls_lines_carry_its_ids(bridge: InMemoryBridge, log: Log) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console", client_request_id="me-1")
    bridge.editor.answers(CONSOLE)
    lines = log.lines("request ", request_id=call.request_id)
    assert [(line["level"], line["text"]) for line in lines] == [
        ("debug", "request running -> succeeded")
    ]
    assert all(
        line["client_request_id"] == "me-1" and line["tool"] == "read_console" for line in lines
    )


def test_a_call_that_goes_well_costs_one_line_and_the_bodies(
    bridge: InMemoryBridge, log: Log
) -> None:
    bridge.editor.connects()
    before = len(log.lines(""))
    bridge.agent.calls("read_console")
    bridge.editor.answers(CONSOLE)
    found = [str(line["text"]) for line in log.lines("")[before:]]
    assert [line for line in found if not line.startswith(("> {", "< {"))] == [
        "request running -> succeeded"
    ]


def test_the_clients_own_id_is_accepted_twice(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    calls = [bridge.agent.calls("read_console", client_request_id="same") for _ in range(2)]
    for call in calls:
        assert bridge.editor.last("execute")["client_request_id"] == "same"
        assert bridge.editor.last("execute")["request_id"] == call.request_id, (
            "it never makes two calls one"
        )
        bridge.editor.answers(CONSOLE)
    assert all(call.is_answered for call in calls)


def test_a_jobs_lines_carry_all_three_ids(bridge: InMemoryBridge, log: Log) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("run_tests", wait_ms=0, client_request_id="me-2")
    job = call.answer["job_id"]
    assert log.line("job issued")["request_id"] == call.request_id
    line = log.line("job queued -> running")
    assert (line["job_id"], line["client_request_id"]) == (job, "me-2")
    assert line["request_id"] == bridge.editor.last("submit_job")["request_id"]


def test_an_unknown_end_of_a_call_is_a_warning(bridge: InMemoryBridge, log: Log) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console", timeout_ms=1000, client_request_id="me-3")
    bridge.advance(1)
    line = log.line("call failed", request_id=call.request_id)
    assert (line["level"], line["code"], line["execution_guarantee"]) == (
        "warning",
        "ERR_REQUEST_TIMEOUT",
        "unknown",
    )
    assert line["client_request_id"] == "me-3"
    assert log.line("no answer from Unity in time")["level"] == "warning"


def test_an_end_that_is_known_is_no_warning(bridge: InMemoryBridge, log: Log) -> None:
    call = bridge.agent.calls("read_console")
    bridge.advance(2.5)
    assert log.line("call failed", request_id=call.request_id)["level"] == "info"


def test_an_unknown_end_of_a_job_is_a_warning(bridge: InMemoryBridge, log: Log) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests(client_request_id="me-4")
    bridge.editor.accepts_job()
    bridge.editor.vanishes()
    bridge.advance(60)
    line = log.line("job failed", job_id=job)
    assert (line["level"], line["code"], line["execution_guarantee"]) == (
        "warning",
        "ERR_RECONNECT_TIMEOUT",
        "unknown",
    )
    assert line["client_request_id"] == "me-4" and line["request_id"]


def test_a_question_about_a_job_is_found_by_the_jobs_id(bridge: InMemoryBridge, log: Log) -> None:
    bridge.agent.calls("get_job_status", job_id="job-of-an-earlier-server")
    assert (
        log.line("call failed", job_id="job-of-an-earlier-server")["code"] == "ERR_EDITOR_NOT_READY"
    )


def test_a_job_that_unity_refused_is_no_warning(bridge: InMemoryBridge, log: Log) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    bridge.editor.refuses("submit_job", "ERR_UNITY_EXECUTION")
    assert log.line("job failed", job_id=job)["level"] == "info"


def test_a_session_is_logged_when_it_opens_and_when_it_is_lost(
    bridge: InMemoryBridge, log: Log
) -> None:
    bridge.editor.connects(project_name="Game", unity_version="2022.3.1f1")
    opened = log.line("session opened")
    assert (opened["session"], opened["project"], opened["unity"]) == (1, "Game", "2022.3.1f1")
    assert log.line("session pending -> active")["session"] == 1
    bridge.editor.vanishes(1006)
    assert log.line("session lost")["code"] == 1006
    assert log.line("session active -> ended", event="lost")["session"] == 1
    assert [line["text"] for line in log.lines("server ")] == [
        "server waiting_editor -> ready",
        "server ready -> waiting_editor",
    ]


def test_only_a_different_version_is_a_warning(bridge: InMemoryBridge, log: Log) -> None:
    bridge.editor.connects()
    assert log.lines("different versions") == []
    bridge.editor.connects(plugin_version="0.0.9")
    line = log.line("different versions")
    assert (line["level"], line["plugin_version"], line["server_version"]) == (
        "warning",
        "0.0.9",
        "0.1.0",
    )
    assert bridge.agent.calls("get_editor_state").answer["connected"] is True, (
        "it is no reason to refuse"
    )


def test_a_refused_connection_is_a_warning(bridge: InMemoryBridge, log: Log) -> None:
    bridge.editor.connects()
    bridge.another_editor().connects()
    assert "already active" in log.line("connection refused")["text"]
    assert log.line("connection refused")["level"] == "warning"


def test_a_dropped_message_is_logged(bridge: InMemoryBridge, log: Log) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    bridge.editor.answers(CONSOLE).answers(CONSOLE)
    assert log.line("dropped: result")["request_id"] == call.request_id
    bridge.editor.says("editor_status", state="ready", seq=5).says(
        "editor_status", state="ready", seq=4
    )
    assert log.line("dropped: editor state")["last_seq"] == 5
    job = bridge.agent.runs_tests(timeout_ms=1500)
    bridge.editor.accepts_job()
    bridge.advance(1.5)  # it was asked for after a second, and has not answered yet
    bridge.editor.reports_job("succeeded")
    assert "is timeout" in log.line("dropped: job")["text"]
    assert log.line("dropped: job")["job_id"] == job


def test_a_cancel_is_logged_from_the_request_to_unitys_answer(
    bridge: InMemoryBridge, log: Log
) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    bridge.editor.accepts_job()
    wish = bridge.agent.calls("cancel_job", job_id=job)
    assert log.line("cancel asked for", job_id=job)["status"] == "cancel_requested"
    assert log.line("request received -> succeeded", request_id=wish.request_id)["job_id"] == job
    bridge.editor.answers_cancel("rejected")
    assert log.line("rejected the cancel")["level"] == "warning"
    bridge.editor.reports_job("running")
    call = bridge.agent.calls("read_console")
    bridge.agent.gives_up(call)
    assert (
        log.line("cancelled by its client", request_id=call.request_id)["status"]
        == "cancel_requested"
    )


def test_bodies_of_messages_are_for_debug_only(bridge: InMemoryBridge, log: Log) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console", contains="needle")
    bridge.editor.answers(
        {**CONSOLE, "entries": [{"type": "log", "message": "needle"}], "count": 1}
    )
    assert call.is_answered
    assert {line["level"] for line in log.lines("needle")} == {"debug"}
    assert len(log.lines("> {")) == 3 and len(log.lines("< {")) == 3


def test_bodies_are_not_even_built_if_no_handler_reads_them(
    bridge: InMemoryBridge, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "unity_bridge")
    bridge.editor.connects()
    assert Log(caplog).lines("> {") == [] and Log(caplog).lines("session opened")


def test_the_port_is_one_line_that_a_script_can_parse(log: Log) -> None:
    bridge = InMemoryBridge(listening=False)
    bridge.port_is_taken()
    bridge.port_is_taken()
    assert len(log.lines("cannot listen")) == 1, "the same news is logged once"
    bridge.port_is_taken(holder="pid 7 (another)")
    assert len(log.lines("cannot listen")) == 2
    bridge.port_is_free_again()
    assert log.line("listening for Unity")["port"] == 8091


# What others can provoke is a few lines, however often they do it (SPEC §20.1).


def read_by_people(log: Log) -> List[Dict[str, Any]]:
    return [line for line in log.lines("") if line["level"] != "debug"]


def test_an_editor_that_connects_again_and_again_is_logged_once(
    bridge: InMemoryBridge, log: Log
) -> None:
    bridge.editor.connects()
    before = len(read_by_people(log))
    other = bridge.another_editor(project="/home/me/Other")
    for _ in range(400):
        other.connects().vanishes()
        bridge.editor.says("pong")
        bridge.advance(0.25)
    (found,) = read_by_people(log)[before:]
    assert found["text"] == (
        'connection refused: another Unity editor session is already active: "/home/me/Game" has this port; this is '
        '"/home/me/Other"'
    )
    # It gets in, and the next time it is news again.
    bridge.editor.vanishes()
    bridge.advance(2.5)
    other.connects()
    bridge.editor.connects()
    assert log.lines("connection refused")[-1]["text"].endswith('this is "/home/me/Game"')


@pytest.mark.slow
def test_editors_of_ever_new_projects_are_logged_now_and_then(
    bridge: InMemoryBridge, log: Log
) -> None:
    bridge.editor.connects()
    before = len(read_by_people(log))
    for n in range(300):
        bridge.another_editor(f"e-{n}", f"/tmp/{n}").connects().vanishes()
    assert len(read_by_people(log)) - before == 17
    bridge.advance(4)
    bridge.advance(4)
    bridge.advance(4)
    bridge.another_editor("e", "/tmp/last").connects()
    assert log.lines("connection refused")[-1]["unsaid"] == 283


def test_peers_without_a_hello_are_logged_now_and_then(bridge: InMemoryBridge, log: Log) -> None:
    before = len(read_by_people(log))
    for n in range(300):
        visitor = bridge.another_editor().opens()
        visitor.says_text(f"GET /{n} HTTP/1.1")
        visitor.vanishes()
    assert len(read_by_people(log)) - before == 1


def test_a_session_with_unreadable_messages_is_logged_now_and_then(
    bridge: InMemoryBridge, log: Log
) -> None:
    bridge.editor.connects()
    before = len(read_by_people(log))
    for n in range(100):
        bridge.editor.says_text(f"nonsense {n}")
        bridge.editor.says(
            "error", error={"code": "ERR_UNKNOWN_COMMAND", "message": "unknown type 'ping'"}
        )
    assert [line["text"][:20] for line in read_by_people(log)[before:]] == [
        "Unity sent an invali",
        "dropped: error witho",
    ]
