"""A short soak; ``python -m tests.soak --minutes 60`` is a long one."""

from __future__ import annotations

import pytest

from tests.soak.soak import Soak


@pytest.mark.parametrize("seed", [7])
def test_under_fire_nothing_is_lost_doubled_or_a_lie(seed: int) -> None:
    verdict = Soak(seed).run(20.0)
    assert verdict.is_good, verdict.table()
    assert verdict.answered.get("ok", 0) > 20, verdict.table()
