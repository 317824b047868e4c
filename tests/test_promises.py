"""docs/promises.md: ten situations, each with what others report and a test that is there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import List

import pytest

TESTS = Path(__file__).resolve().parent
PAGE = TESTS.parent / "docs" / "promises.md"
_THREAD = re.compile(r"\(https://github\.com/[\w.-]+/[\w.-]+/(?:issues|pull)/\d+\)")
_ROW = re.compile(r"^\| \d+ \|.*$", re.M)


def rows() -> List[str]:
    return _ROW.findall(PAGE.read_text(encoding="utf-8"))


def test_there_are_ten_situations() -> None:
    assert len(rows()) == 10


@pytest.mark.parametrize("row", rows(), ids=[row.split("|")[1].strip() for row in rows()])
def test_a_situation_has_a_thread_and_a_test_that_is_there(row: str) -> None:
    assert _THREAD.search(row), "each claim about others has its thread"
    path, name = re.findall(r"`([\w/]+\.py)::(\w+)`", row)[0]
    assert f"def {name}(" in (TESTS / path).read_text(encoding="utf-8")


def test_the_readme_links_to_it_on_its_first_screen() -> None:
    screen = (TESTS.parent / "README.md").read_text(encoding="utf-8").split("\n")[:20]
    assert any("(docs/promises.md)" in line for line in screen)
