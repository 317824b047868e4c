"""Short soaks; ``python -m tests.soak --minutes 60`` is a long one."""

from __future__ import annotations

import pytest

pytest.importorskip("mcp_types", reason="mcp needs Python 3.10")

from tests.rounds import rounds
from tests.soak.soak import Soak
from tests.unity_headless.headless_editor import require_mono


@pytest.mark.parametrize(
    ("editor", "windows", "seconds"),
    [("simulated", 4, 8.0), ("minimal", 2, 4.0), ("versionless", 1, 4.0)],
)
def test_under_fire_nothing_is_lost_doubled_out_of_order_or_untrue(
    editor: str, windows: int, seconds: float
) -> None:
    _soak(editor, windows, seconds)


def test_the_plugin_under_fire() -> None:
    require_mono()
    _soak("mono", 2, 8.0)


def _soak(editor: str, windows: int, seconds: float) -> None:
    verdict = Soak(7, editor, windows).run(seconds * rounds(1, 2))
    assert verdict.is_good, verdict.table()
    assert verdict.answered.get("ok", 0) > 5, verdict.table()
