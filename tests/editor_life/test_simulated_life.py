"""The whole path without Unity, on every system: open, open again, close (SPEC §22.1)."""

from __future__ import annotations

import pytest

from tests.editor_life.desk import Desk

pytestmark = pytest.mark.slow


def test_open_use_and_close(desk: Desk) -> None:
    status, answer, stderr = desk.open("--unity", "simulate")
    assert (status, answer["result"]["found_by"], answer["result"]["version"]) == (
        0,
        "simulate",
        "2022.3.10f1",
    ), stderr
    assert (desk.project / "Library" / "EditorInstance.json").exists()
    try:
        again = desk.open("--unity", "simulate")[1]["result"]
        assert (again["state"], again["started"], again["pid"]) == (
            "ready",
            False,
            answer["result"]["pid"],
        )
        assert desk.run("compile", *desk.here)[0] == 0
    finally:
        status, answer, stderr = desk.close()
    assert (status, answer["result"]["was_open"]) == (0, True), stderr
    assert not (desk.project / "Temp" / "UnityLockfile").exists()
    assert desk.close()[1]["result"]["was_open"] is False
