"""Each command of the Unity package has a row of the self-test and a line in docs/commands.md."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.declared_commands import declared
from unity_bridge.selftest.rows import rows_of

COMMANDS_PAGE = Path(__file__).resolve().parent.parent / "docs" / "commands.md"
_ROWS = repr(rows_of([]))
NAMES = sorted(row["name"] for row in declared())

# The self-test's own, which is hidden.
WITHOUT_A_LINE = {"record_events"}


def has_row(name: str) -> bool:
    return f"'{name}'" in _ROWS


def has_line(name: str) -> bool:
    page = COMMANDS_PAGE.read_text(encoding="utf-8")
    return f"`{name}`" in page or f"`{name}(" in page


@pytest.mark.parametrize("name", NAMES)
def test_a_command_has_a_row_of_the_selftest(name: str) -> None:
    assert has_row(name), "add a row"


@pytest.mark.parametrize("name", NAMES)
def test_a_command_has_a_line_in_the_commands_page(name: str) -> None:
    assert has_line(name) is (name not in WITHOUT_A_LINE), "add a line"


def test_a_command_without_row_and_line_is_detected() -> None:
    assert not has_row("make_everything")
    assert not has_line("make_everything")
