"""ARCHITECTURE.md's state diagrams are the tables: drawn from them, and held equal to them."""

from __future__ import annotations

import re
import runpy
import sys
from enum import Enum
from pathlib import Path

import pytest

from tests.diagrams import MACHINES, diagram, redrawn
from unity_bridge.core.ledger.machines import Table

REPOSITORY = Path(__file__).resolve().parent.parent
PAGE = REPOSITORY / "ARCHITECTURE.md"

SAMPLE = """# Title

<!-- diagram: server -->
<!-- /diagram -->

Between them.

<!-- diagram: session -->
what stood here before
<!-- /diagram -->
"""

SERVER = """stateDiagram-v2
    [*] --> booting
    booting --> waiting_editor: started
    booting --> stopping: stop requested
    waiting_editor --> ready: hello completed
    waiting_editor --> stopping: stop requested
    ready --> waiting_editor: session lost
    ready --> stopping: stop requested
    stopping --> stopped: everything ended
    stopped --> [*]
"""


def test_a_table_as_a_diagram() -> None:
    name, table, first = MACHINES[0]
    assert (name, diagram(table, first)) == ("server", SERVER)


@pytest.mark.parametrize("name, table, first", MACHINES, ids=[name for name, _, _ in MACHINES])
def test_every_cell_is_drawn_once_and_every_line_can_be_read(
    name: str, table: Table, first: Enum
) -> None:
    drawn = set()
    for line in diagram(table, first).splitlines()[2:]:
        arrow = re.fullmatch(r"    (\w+) --> (?:(\w+): ([\w ,]+)|\[\*\])", line)
        assert arrow, f"Mermaid would stumble over {line!r}"
        for event in (arrow[3] or "").split(", "):
            cell = (arrow[1], event, arrow[2])
            assert cell not in drawn
            drawn.add(cell)
    cells = {
        (s.value, e.value.replace(":", ""), a.value)
        for s, row in table.items()
        for e, a in row.items()
    }
    assert drawn == cells | {(state.value, "", None) for state in table if not table[state]}


def test_the_marked_blocks_are_drawn_and_nothing_else_is_touched() -> None:
    text = redrawn(SAMPLE)
    assert text.startswith(
        f"# Title\n\n<!-- diagram: server -->\n```mermaid\n{SERVER}```\n<!-- /diagram -->\n"
    )
    assert "\n\nBetween them.\n\n<!-- diagram: session -->\n```mermaid\nstateDiagram-v2\n" in text
    assert "what stood here before" not in text
    assert redrawn(text) == text


def test_a_machine_that_does_not_exist_is_no_empty_block() -> None:
    with pytest.raises(KeyError):
        redrawn("<!-- diagram: perpetuum -->\n<!-- /diagram -->")


def test_the_command_rewrites_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "ARCHITECTURE.md"
    path.write_text(SAMPLE, encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["diagrams", str(path)])
    monkeypatch.delitem(sys.modules, "tests.diagrams")
    runpy.run_module("tests.diagrams", run_name="__main__")
    assert path.read_text(encoding="utf-8") == redrawn(SAMPLE)


def test_the_page_shows_the_tables_as_they_are() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert redrawn(text) == text, "run: python -m tests.diagrams ARCHITECTURE.md"
