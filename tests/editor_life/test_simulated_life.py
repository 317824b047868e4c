"""The whole path without Unity, on every system: open, open again, close (SPEC §22.1)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict, Iterator, Tuple

import pytest

from tests.editor_life.desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.clean()


def close(desk: Desk) -> Tuple[int, Dict[str, Any], str]:
    return desk.run("close", str(desk.project), "--port", str(desk.port))


def test_open_use_and_close(desk: Desk) -> None:
    status, told, stderr = desk.open("--unity", "simulate")
    assert (status, told["result"]["found_by"], told["result"]["version"]) == (0, "simulate", "2022.3.10f1"), stderr
    assert (desk.project / "Library" / "EditorInstance.json").exists()
    try:
        again = desk.open("--unity", "simulate")[1]["result"]
        assert (again["state"], again["started"], again["pid"]) == ("ready", False, told["result"]["pid"])
        names = ("--project", str(desk.project), "--port", str(desk.port))
        assert desk.run("compile", *names)[0] == 0
    finally:
        status, told, stderr = close(desk)
    assert (status, told["result"]["was_open"]) == (0, True), stderr
    assert not (desk.project / "Temp" / "UnityLockfile").exists()
    assert close(desk)[1]["result"]["was_open"] is False
