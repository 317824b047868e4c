"""What can be made to go wrong with the answers of the simulated editor, on a real socket."""

from __future__ import annotations

import json
from typing import Any, Callable

import pytest

from tests.faulty_editor.faults import parse_fault
from tests.scripted_server import ids
from unity_bridge.base.result import Ok
from unity_bridge.simulator.project import PretendTest, Project

Open = Callable[..., Any]

QUICK = Project("Quick", "/Quick", (PretendTest("A.B.Pass"),))


def plan(editor: Any, rule: str) -> None:
    planned = parse_fault(rule)
    assert isinstance(planned, Ok)
    editor.plan_fault(planned.value)


def submit(session: Any) -> None:
    session.send(
        "submit_job", request_id="r1", job_id="J", tool_name="run_tests", params={"mode": "edit"}
    )


def read(session: Any, request_id: str = "r1") -> None:
    session.send("execute", request_id=request_id, tool_name="read_console", params={})


def test_fault_dropped_before_it_was_taken_in(server: Any, open_editor: Open) -> None:
    plan(open_editor(project=QUICK), "drop_before:submit_job")
    session = server.session()
    session.accept()
    submit(session)
    assert session.wait_closed() == 1006
    session = server.session()
    assert session.accept()["jobs"] == []


def test_fault_taken_in_but_dropped_before_the_answer(server: Any, open_editor: Open) -> None:
    plan(open_editor(project=QUICK), "drop_after:submit_job")
    session = server.session()
    session.accept()
    submit(session)
    assert session.wait_closed() == 1006
    session = server.session()
    assert ids(session.accept()) == ["J"]


def test_fault_lost_answer(server: Any, open_editor: Open) -> None:
    plan(open_editor(project=QUICK), "lose:submit_job")
    session = server.session()
    session.accept()
    submit(session)
    assert session.ask("get_job_status", answer="job_status", job_id="J")["job_id"] == "J"
    assert session.heard("submit_job_result") == []


@pytest.mark.slow
def test_fault_late_answer_on_the_next_session(server: Any, open_editor: Open) -> None:
    editor = open_editor(speed=1.0)
    plan(editor, "late:execute:1")
    first = server.session()
    first.accept()
    read(first)
    editor.events.wait_for("execute")
    editor.drop()
    second = server.session()
    second.accept()
    assert second.hear("result", request_id="r1")["status"] == "ok"


def test_fault_answer_twice(server: Any, open_editor: Open) -> None:
    plan(open_editor(), "twice:execute")
    session = server.session()
    session.accept()
    read(session)
    assert session.hear("result", request_id="r1") == session.hear("result", request_id="r1")


def test_fault_malformed_then_garbage_then_too_big_then_good_again(
    server: Any, open_editor: Open
) -> None:
    editor = open_editor()
    for rule in ("malformed:execute", "garbage:execute", "oversize:execute"):
        plan(editor, rule)
    server.messages.is_checked = False
    session = server.session()
    session.accept()
    read(session, "r1")
    malformed = json.loads(session.text(2))
    assert (malformed["request_id"], malformed["status"]) == ("r1", 17)
    read(session, "r2")
    with pytest.raises(ValueError):
        json.loads(session.text(3))
    read(session, "r3")
    assert len(session.text(4)) > 1_048_576
    read(session, "r4")
    assert session.hear("result", request_id="r4")["status"] == "ok"


def test_fault_refusal_with_a_code(server: Any, open_editor: Open) -> None:
    plan(open_editor(), "refuse:submit_job:ERR_SOMETHING_NEW")
    server.messages.is_checked = False
    session = server.session()
    session.accept()
    submit(session)
    assert session.hear("error", request_id="r1")["error"]["code"] == "ERR_SOMETHING_NEW"
    unknown = session.ask("get_job_status", answer="error", job_id="J")
    assert unknown["error"]["code"] == "ERR_JOB_NOT_FOUND"
