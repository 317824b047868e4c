"""SPEC §15.7 with real processes: a command runs once, even if agents repeat the call and processes
die.

Elsewhere one call of a menu entry ran six builds of six minutes each: the answer was late, so it was asked for again.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any, Dict, Iterator, List

import pytest

pytest.importorskip("mcp_types", reason="mcp needs Python 3.10")

from tests.e2e.bridge_process import GUARD_S, BridgeProcess
from tests.e2e.test_several_windows import editor_on, windows
from tests.faulty_editor.process import SimulatorProcess
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE

BUILD = {"name": "build_player", "arguments": {"target": "Android", "path": "Builds/Game"}}


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture(autouse=True)
def one_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(STATE_DIR_VARIABLE, str(tmp_path))
    # As long as a busy machine takes to connect again, so that no call is refused.
    monkeypatch.setenv("UNITY_BRIDGE_REQUEST_RECONNECT_WAIT_MS", "60000")


def builds(window: BridgeProcess, count: int, **key: str) -> List[Any]:
    """So many calls of the same client that ask for the same."""
    call = {"name": "run_command", "arguments": {**BUILD, **key}}
    return [window.ask("tools/call", call) for _ in range(count)]


def answers(calls: List[Any]) -> List[Dict[str, Any]]:
    return [call.result(GUARD_S)["result"]["structuredContent"] for call in calls]


def ran(editor: SimulatorProcess) -> List[str]:
    return [event["name"] for event in editor.events("command_started")]


def test_six_calls_a_cut_connection_and_a_killed_owner_are_one_build(
    stack: ExitStack, tmp_path: Path
) -> None:
    owner, attached = windows(stack, 2, tmp_path)
    editor = editor_on(stack, owner.wait_for_a_role())
    owner.wait_to_be_ready()
    # Unity has taken the job when the connection dies: nobody has its answer.
    editor.fault("drop_after:submit_job")
    key = {"client_request_id": "build-1"}
    calls = builds(attached, 3, **key)
    editor.wait_for("command_started", GUARD_S)
    owner.kill()
    attached.wait_to_own_the_port()
    calls += builds(attached, 3, **key)
    answered = answers(calls)
    # If the owner died before it reported the id, no server can know more; the key leads back to
    # the job.
    lost = [
        answer["error"]["details"]["execution_guarantee"]
        for answer in answered
        if "state" not in answer
    ]
    assert set(lost) <= {"unknown"}, answered
    answered = [answer for answer in answered if "state" in answer] + answers(
        builds(attached, 1, **key)
    )
    assert {(answer["state"], answer["job_id"]) for answer in answered} == {
        ("succeeded", answered[0]["job_id"])
    }, answered
    assert answered[0]["result"]["value"]["target"] == "Android"
    assert ran(editor) == ["build_player"]


def test_a_call_that_is_repeated_while_it_runs_needs_no_key(
    stack: ExitStack, tmp_path: Path
) -> None:
    (window,) = windows(stack, 1, tmp_path)
    editor = editor_on(stack, window.wait_for_a_role())
    window.wait_to_be_ready()
    calls = builds(window, 1)
    editor.wait_for("command_started", GUARD_S)
    editor.drop()
    calls += builds(window, 5)
    answered = answers(calls)
    assert len({answer["job_id"] for answer in answered}) == 1, answered
    assert [answer.get("joined", False) for answer in answered] == [False, *[True] * 5]
    assert ran(editor) == ["build_player"]
    # It has ended: a caller that asks now wants another run.
    again = window.call("run_command", wait_ms=0, **BUILD)
    assert again["job_id"] != answered[0]["job_id"] and "joined" not in again
