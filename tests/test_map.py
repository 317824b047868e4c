"""``tests/README.md`` is a map: every place on it exists, and nothing that it promises to cover is
missing.
"""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parent
MAP = (TESTS / "README.md").read_text(encoding="utf-8")
CONTRACT = (TESTS.parent / "docs" / "contract.md").read_text(encoding="utf-8")


def test_every_place_on_the_map_exists() -> None:
    named = set(re.findall(r"`([\w/]+(?:\.py|/))`", MAP))
    assert {path for path in named if not (TESTS / path).exists()} == set()
    assert len(named) > 80


def test_every_folder_of_tests_is_on_the_map() -> None:
    folders = {
        path.relative_to(TESTS).parts[0] for path in TESTS.rglob("*.py") if path.parent != TESTS
    }
    assert {folder for folder in folders if f"`{folder}/`" not in MAP} == set()


def test_every_section_of_the_contract_has_its_row() -> None:
    """The first one says what the parts are, and promises nothing."""
    sections = set(re.findall(r"^## (\d+)\.", CONTRACT, re.MULTILINE)) - {"1"}
    mapped = {number for row in MAP.splitlines() for number in re.findall(r"§(\d+)", row)}
    assert sections - mapped == set()
