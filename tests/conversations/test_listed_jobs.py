"""Jobs that one can see: of this client, of others, of servers that have ended or have no proof
(§15.9).
"""

from __future__ import annotations

from typing import Any, Dict, List

import pytest

from tests.fakes import InMemoryBridge

OF_BEFORE = {
    "job_id": "job-old-7",
    "tool": "run_command",
    "name": "bake_lighting",
    "state": "running",
    "step": "running",
    "age_ms": 90_000,
    "client": "client-gone",
}


@pytest.fixture
def bridge() -> InMemoryBridge:
    return InMemoryBridge()


def listed(bridge: InMemoryBridge, **asker: Any) -> List[Dict[str, Any]]:
    return list(bridge.agent.calls("get_editor_state", **asker).answer["running_jobs"])


def test_the_job_of_a_server_that_has_ended_is_listed_and_followed(bridge: InMemoryBridge) -> None:
    bridge.editor.connects(jobs=["job-done", OF_BEFORE])
    assert listed(bridge) == [{**OF_BEFORE, "client": "earlier"}]
    bridge.advance(1.1)
    bridge.editor.reports_job(
        "succeeded", tool_name="run_command", result={"value": None, "truncated": False}
    )
    assert listed(bridge) == []
    assert bridge.agent.asks("job-old-7").answer["state"] == "succeeded"


def test_each_client_sees_whose_job_it_is(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    bridge.agent.calls("run_command", as_client="another window", name="bake_lighting", wait_ms=0)
    mine = bridge.agent.runs_tests()
    (others, own) = listed(bridge)
    assert (others["name"], others["client"], own["job_id"], own["client"]) == (
        "bake_lighting",
        "other",
        mine,
        "this",
    )
    assert [job["client"] for job in listed(bridge, as_client="another window")] == [
        "this",
        "other",
    ]


def test_what_an_unproven_plugin_lists_is_not_followed(bridge: InMemoryBridge) -> None:
    bridge.editor.secret = None
    bridge.editor.connects(jobs=[OF_BEFORE])
    assert listed(bridge) == [] and bridge.editor.heard("get_job_status") == []


def test_a_job_of_a_server_without_proof_has_no_id(bridge: InMemoryBridge) -> None:
    bridge.editor.connects(jobs=[{"tool": "run_tests", "state": "running"}])
    assert listed(bridge) == [{"tool": "run_tests", "state": "running", "client": "untrusted"}]


def test_the_jobs_of_a_server_without_proof_are_listed_until_they_end_with_an_age_that_runs(
    bridge: InMemoryBridge,
) -> None:
    tools = ("run_tests", "compile")
    theirs = [
        {"tool": tool, "state": "running", "age_ms": 3000, "client": "untrusted"} for tool in tools
    ]
    bridge.editor.connects(jobs=[*theirs, {"tool": "play_mode", "client": "client-gone"}])
    bridge.editor.says("pong", editor_state="ready", untrusted_jobs=2)
    bridge.advance(1.5)
    assert listed(bridge) == [{**job, "age_ms": 4500} for job in theirs]
    bridge.editor.says("editor_status", state="ready", seq=1, untrusted_jobs=1)
    assert [job["tool"] for job in listed(bridge)] == ["compile"], "they end in their order"
    bridge.editor.says("editor_status", state="ready", seq=2, untrusted_jobs=0)
    assert listed(bridge) == []


def test_at_most_32_are_listed(bridge: InMemoryBridge) -> None:
    bridge.editor.connects(jobs=[{**OF_BEFORE, "job_id": f"job-{number}"} for number in range(50)])
    assert len(listed(bridge)) == 32


def test_a_server_that_has_just_started_says_that_it_waits(bridge: InMemoryBridge) -> None:
    state = bridge.agent.calls("get_editor_state").answer
    assert (state["reason"], state["listener"]["waited_ms"]) == ("connecting", 0)
    bridge.advance(2.6)
    assert "reason" not in bridge.agent.calls("get_editor_state").answer


def test_a_job_that_waits_says_for_which(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("run_command", name="bake_lighting", wait_ms=0)
    bridge.editor.accepts_job()
    asked = bridge.agent.asks(call.answer["job_id"])
    waits_for = {"job_id": "job-1", "tool": "run_tests"}
    bridge.editor.reports_job(
        "queued", progress={"step": "waiting", "for_ms": 5, "waits_for": {**waits_for, "x": 1}}
    )
    assert asked.answer["progress"]["waits_for"] == waits_for


def test_a_refusal_because_of_another_client_is_retryable(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    call = bridge.agent.compiles()
    bridge.editor.accepts_job()
    held_by = {"client": "claude-code", "tool": "play_mode", "since_ms": 5}
    details = {"reason": "playing", "execution_guarantee": "not_executed", "held_by": held_by}
    refused = {
        "code": "ERR_UNITY_EXECUTION",
        "message": "Another client plays.",
        "details": details,
    }
    bridge.editor.reports_job("failed", error=refused)
    error = call.answer["error"]
    assert (error["retryable"], error["details"]["recovery"]) == (True, "wait_and_retry")
    assert error["details"]["held_by"] == held_by
