"""What is counted of calls, and how near the truth the figures are."""

from __future__ import annotations

import random

import pytest

from tests.fakes import InMemoryBridge
from tests.tool_results import CONSOLE
from unity_bridge.core.calls.figures import CallFigures


def test_before_the_first_call_there_are_no_figures() -> None:
    assert CallFigures().as_json() == {"ok": 0, "failed": 0, "p50_ms": None, "p99_ms": None}


@pytest.mark.parametrize("took_s", [1e-6, 5e-6, 0.00034, 0.001, 0.0123, 0.25, 1.0, 50.0, 3600.0])
def test_a_time_is_at_most_an_eighth_off(took_s: float) -> None:
    figures = CallFigures()
    figures.ended(True, took_s)
    assert figures.as_json()["p50_ms"] == pytest.approx(took_s * 1e3, rel=0.126, abs=0.005)


def test_half_and_nearly_all_of_the_calls_were_this_quick() -> None:
    figures, chance = CallFigures(), random.Random(1)
    times = [chance.expovariate(100) for _ in range(5000)]
    for took_s in times:
        figures.ended(True, took_s)
    shown = figures.as_json()
    assert shown["p50_ms"] == pytest.approx(sorted(times)[2500] * 1e3, rel=0.13)
    assert shown["p99_ms"] == pytest.approx(sorted(times)[4950] * 1e3, rel=0.13)


@pytest.mark.parametrize("took_s", [-1.0, 0.0, 1e12])
def test_no_time_is_too_odd_to_count(took_s: float) -> None:
    figures = CallFigures()
    figures.ended(False, took_s)
    assert figures.as_json()["failed"] == 1


def test_the_editors_state_counts_calls_and_failures_and_not_itself(bridge: InMemoryBridge) -> None:
    assert bridge.agent.calls("get_editor_state").answer["calls"]["ok"] == 0
    bridge.editor.connects()
    bridge.agent.calls("read_console")
    bridge.clock.advance(0.25)
    bridge.editor.answers(CONSOLE)
    bridge.agent.calls("cancel_job", job_id="nobody's")
    bridge.editor.refuses("get_job_status", "ERR_JOB_NOT_FOUND")
    bridge.call_service.refused()
    calls = bridge.agent.calls("get_editor_state").answer["calls"]
    assert (calls["ok"], calls["failed"]) == (1, 2)
    assert calls["p99_ms"] == pytest.approx(250, rel=0.13)


def test_a_call_that_its_client_gave_up_is_neither(bridge: InMemoryBridge) -> None:
    call = bridge.agent.calls("read_console")
    bridge.call_service.abandon(call.request_id)
    bridge.drain()
    calls = bridge.agent.calls("get_editor_state").answer["calls"]
    assert (calls["ok"], calls["failed"]) == (0, 0)
