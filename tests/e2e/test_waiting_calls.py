"""SPEC §15 with real processes: a call that waits for its job, whatever happens to the server that
it waits at.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Iterator

import psutil
import pytest

pytest.importorskip("mcp_types", reason="mcp needs Python 3.10")

from tests.e2e.bridge_process import GUARD_S, BridgeProcess
from tests.e2e.test_several_windows import editor_on, windows
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE

posix_only = pytest.mark.skipif(
    sys.platform == "win32", reason="there is no SIGTERM and no SIGSTOP"
)


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture(autouse=True)
def one_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The editors have the secret of the windows."""
    monkeypatch.setenv(STATE_DIR_VARIABLE, str(tmp_path))


def test_one_call_compiles_and_one_call_tests_what_was_compiled(
    stack: ExitStack, tmp_path: Path
) -> None:
    window = stack.enter_context(BridgeProcess(0, tmp_path))
    editor_on(stack, window.wait_for_a_role(), speed=20)
    window.wait_to_be_ready()
    compiled = window.call("compile", force=True)
    assert (compiled["state"], compiled["tool"], compiled["result"]["ok"]) == (
        "succeeded",
        "compile",
        True,
    )
    tested = window.call("run_tests", mode="edit")
    assert tested["state"] in ("succeeded", "failed") and tested["result"]["code_fresh"] is True


def test_a_call_that_waits_at_an_attached_server_is_answered_by_the_next_owner(
    stack: ExitStack, tmp_path: Path
) -> None:
    owner, attached = windows(stack, 2, tmp_path)
    editor = editor_on(stack, owner.wait_for_a_role(), tests=40, test_seconds=0.1)
    waiting = attached.ask("tools/call", {"name": "run_tests", "arguments": {"mode": "edit"}})
    editor.wait_for("test_finished", GUARD_S)
    owner.kill()
    answer = waiting.result(GUARD_S)["result"]["structuredContent"]
    assert answer["result"]["summary"]["total"] == 40, answer
    assert len(editor.events("job_started")) == 1


@posix_only
def test_an_owner_that_is_stopped_keeps_its_word_on_forwarded_calls(
    stack: ExitStack, tmp_path: Path
) -> None:
    """Parked calls have not run. They continue to wait in their own server, and then get that
    answer.
    """
    for attempt in range(3):
        with ExitStack() as own:
            owner, attached = windows(own, 2, tmp_path / str(attempt))
            parked = [
                attached.ask("tools/call", {"name": "compile", "arguments": {}}) for _ in range(4)
            ]
            assert attached.state()["role"] == "attached"
            os.kill(owner.process.pid, signal.SIGTERM)
            answers = [call.result(GUARD_S)["result"]["structuredContent"] for call in parked]
            refusals = [
                (answer["error"]["code"], answer["error"]["details"]["execution_guarantee"])
                for answer in answers
            ]
            assert refusals == [("ERR_EDITOR_NOT_READY", "not_executed")] * 4, attempt


@posix_only
def test_a_job_that_ended_while_the_server_was_frozen_is_reported_as_it_ended(
    stack: ExitStack, tmp_path: Path
) -> None:
    window = stack.enter_context(BridgeProcess(0, tmp_path))
    editor = editor_on(stack, window.wait_for_a_role(), tests=10, test_seconds=0.02)
    waiting = window.ask(
        "tools/call", {"name": "run_tests", "arguments": {"mode": "edit", "timeout_ms": 3000}}
    )
    editor.wait_for("job_started", GUARD_S)
    process = psutil.Process(window.process.pid)
    process.suspend()
    editor.wait_for("job_finished", GUARD_S)
    try:
        psutil.wait_procs([process], timeout=5)  # longer than the run may take
    finally:
        process.resume()
    answer = waiting.result(GUARD_S)["result"]["structuredContent"]
    assert (
        answer["state"] in ("succeeded", "failed") and answer["result"]["summary"]["total"] == 10
    ), answer
