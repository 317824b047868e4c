"""How the time that a server has for its end is spent (SPEC §3.4)."""

from __future__ import annotations

import pytest

from unity_bridge.serve.server import stop_budget_s

GONE_S = 2.0


@pytest.mark.parametrize("since_input_ended_s", [1.0, 1.2, 1.5, 1.7])
def test_the_process_is_gone_two_seconds_after_its_input_ended_whatever_of_them_its_calls_have_had(
    since_input_ended_s: float,
) -> None:
    assert since_input_ended_s + stop_budget_s(since_input_ended_s) <= GONE_S


def test_a_stop_always_has_time_to_end_its_calls_in_order() -> None:
    assert 0 < stop_budget_s(60.0) < stop_budget_s(0.0) < GONE_S
