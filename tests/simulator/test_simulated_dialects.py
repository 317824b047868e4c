"""The plugins that the simulated editor can be like: our own, an older one, and those of others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Callable

from tests.faulty_editor.dialects import DIALECTS
from tests.faulty_editor.faults import FaultKind, PlannedFault
from unity_bridge.simulator import tools
from unity_bridge.simulator.project import Entry, PretendTest, Project

Open = Callable[..., Any]

QUICK = Project("Quick", "/Quick", (PretendTest("A.B.Pass"), PretendTest("A.B.Walk", mode="play")))


def test_a_plugin_that_knows_only_the_founding_records(server: Any, open_editor: Open) -> None:
    editor = open_editor(dialect=DIALECTS["minimal"], project=QUICK)
    server.messages.is_checked = False
    session = server.session()
    assert set(session.accept()) == {"type", "protocol_version", "plugin_version", "state"}
    refused = session.ask("submit_job", answer="error", job_id="C", tool_name="compile", params={})
    assert refused["error"]["code"] == "ERR_UNKNOWN_COMMAND"
    session.send("ping")
    assert session.hear("error")["error"]["code"] == "ERR_UNKNOWN_COMMAND"
    accepted = session.ask(
        "submit_job",
        answer="submit_job_result",
        job_id="J",
        tool_name="run_tests",
        params={"mode": "edit"},
    )
    assert accepted["job_id"] not in (None, "J")
    editor.events.wait_for("job_finished")
    status = session.ask("get_job_status", answer="job_status", job_id=accepted["job_id"])
    assert set(status) == {
        "type",
        "protocol_version",
        "request_id",
        "job_id",
        "state",
        "progress",
        "result",
    }
    assert set(status["result"]) == {"summary", "failed_tests"}
    unknown = session.ask("get_job_status", answer="error", job_id="J")
    assert unknown["error"]["code"] == "ERR_JOB_NOT_FOUND"
    editor.plan_fault(PlannedFault(FaultKind.FAIL, ("execute",)))
    failed = session.ask("execute", answer="result", tool_name="read_console", params={})
    assert (failed["status"], failed["result"]["code"], "error" in failed) == (
        "error",
        "ERR_UNITY_EXECUTION",
        False,
    )


def test_our_plugin_puts_the_error_next_to_the_result(server: Any, open_editor: Open) -> None:
    editor = open_editor()
    session = server.session()
    session.accept()
    editor.plan_fault(PlannedFault(FaultKind.FAIL, ("execute",)))
    failed = session.ask("execute", answer="result", tool_name="read_console", params={})
    assert (failed["status"], failed["error"]["code"], "result" in failed) == (
        "error",
        "ERR_UNITY_EXECUTION",
        False,
    )


def test_our_plugin_says_what_it_can_do_and_which_jobs_have_keys(
    server: Any, open_editor: Open
) -> None:
    open_editor()
    hello = server.session().accept()
    assert hello["tools"] == sorted((*tools.READS, *tools.JOBS))
    assert (hello["jobs"], hello["job_keys"], hello["playing"], hello["paused"]) == (
        [],
        {},
        False,
        False,
    )


def test_a_plugin_whose_hello_alone_has_a_version(server: Any, open_editor: Open) -> None:
    open_editor(dialect=DIALECTS["versionless"])
    server.messages.is_checked = False
    session = server.session()
    hello = session.accept()
    assert (
        hello["protocol_version"] == 1 and "editor_instance_id" not in hello and "jobs" not in hello
    )
    session.send("execute", request_id="r1", tool_name="read_console", params={})
    assert "protocol_version" not in json.loads(session.text(1))


def test_a_plugin_that_answers_errors_with_errors(server: Any, open_editor: Open) -> None:
    open_editor(dialect=DIALECTS["answers-errors"])
    server.messages.is_checked = False
    session = server.session()
    session.accept()
    session.send("error", error={"code": "ERR_INVALID_REQUEST", "message": "what?"})
    answer = json.loads(session.text(2))
    assert (answer["type"], "protocol_version" in answer) == ("error", False)


def test_a_plugin_that_takes_no_filters(server: Any, open_editor: Open) -> None:
    editor = open_editor(dialect=DIALECTS["unfiltered"], project=QUICK)
    session = server.session()
    session.accept()
    editor.log(Entry("log", "hello", "at A:1"))
    params = {
        "types": ["error"],
        "contains": "x",
        "since": "nonsense",
        "include_stack_trace": False,
    }
    status = session.ask("execute", answer="result", tool_name="read_console", params=params)[
        "result"
    ]
    assert [entry["stack_trace"] for entry in status["entries"]] == ["at A:1"]


def test_a_tool_is_a_file_of_its_name() -> None:
    folder = Path(tools.__file__).parent
    assert {path.stem for path in folder.glob("*.py")} - {"__init__"} == {*tools.READS, *tools.JOBS}
