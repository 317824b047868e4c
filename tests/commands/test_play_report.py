"""What ``play`` prints."""

from __future__ import annotations

from typing import Any, Dict

import pytest

from unity_bridge.commands.play import state

PLAYING: Dict[str, Any] = {"playing": True, "paused": False, "frame": 12, "changed": True}


@pytest.mark.parametrize(
    "result, line",
    [
        (PLAYING, "playing, frame 12"),
        ({**PLAYING, "paused": True, "changed": False}, "paused, frame 12 (as before)"),
        ({**PLAYING, "playing": False}, "edit mode"),
        ({**PLAYING, "reason": "No frame\x1b[2J"}, "playing, frame 12: No frame\\x1b[2J"),
    ],
)
def test_play_mode_is_one_line(result: Dict[str, Any], line: str) -> None:
    assert state(result) == line
