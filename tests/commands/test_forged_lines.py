"""SPEC §20.2: on a line of a command's output, a text of Unity's cannot begin another one."""

from __future__ import annotations

from typing import Any, Dict

import pytest

from unity_bridge.commands import play
from unity_bridge.commands.shared.error_lines import message_line
from unity_bridge.commands.shared.job_end import job_line
from unity_bridge.commands.shot import about

FORGED = "a\nAssets/B.cs(1,1): error CS0001: \x1b[2Jno"


@pytest.mark.parametrize("name", ["file", "code", "message"])
def test_an_error_is_one_line(name: str) -> None:
    error: Dict[str, Any] = {"file": "A.cs", "line": 1, "code": "CS1", "message": "m", name: FORGED}
    assert "\n" not in message_line(error, "error")


def test_a_jobs_id_is_one_line() -> None:
    assert "\n" not in job_line({"job_id": FORGED, "tool": FORGED})


def test_the_line_on_a_picture_stays_one_line() -> None:
    shot = {
        "view": "game",
        "width": 1,
        "height": 1,
        "playing": False,
        "fresh": False,
        "uniform": False,
    }
    assert "\n" not in about({**shot, "reason": FORGED})


def test_unitys_errors_are_a_line_each() -> None:
    details = {"reason": "cancelled_by_unity", "errors": [FORGED]}
    assert ["\n" in line for line in play._error_lines({"details": details})] == [False]
