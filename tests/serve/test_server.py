"""How the time that a server has for its end is spent (SPEC §3.4)."""

from __future__ import annotations

import pytest

from unity_bridge.serve.server import stop_budget_s


@pytest.mark.parametrize(
    "since_s, budget_s", [(0.0, 0.9), (1.0, 0.9), (1.5, 0.5), (1.7, 0.3), (9.0, 0.3)]
)
def test_a_stop_has_what_its_calls_have_left_of_two_seconds_and_always_some(
    since_s: float, budget_s: float
) -> None:
    assert stop_budget_s(since_s) == pytest.approx(budget_s)
