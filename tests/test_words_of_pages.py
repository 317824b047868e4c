"""All pages together have no more words than when version 1.4 began: a new page is paid for by the old
ones. Skills and generated tables do not count.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Dict

REPOSITORY = Path(__file__).resolve().parent.parent
FOLDERS = (".", "docs", "docs/adr", "docs/clients", "protocol", "plugins", "tests")
# It falls with the pages.
MOST_WORDS = 70_300
# From one mark to the other, and what a bench wrote.
_GENERATED = re.compile(
    r"^<!-- (generated|settings): .*? -->$.*?^<!-- /\1 -->$|^```text\n.*?^```$", re.M | re.S
)


def words() -> Dict[str, int]:
    """The words of each page."""
    pages = [path for folder in FOLDERS for path in (REPOSITORY / folder).glob("*.md")]
    pages.append(REPOSITORY / "unity_bridge" / "unity_package" / "README.md")
    return {
        path.relative_to(REPOSITORY).as_posix(): len(
            _GENERATED.sub("", path.read_text(encoding="utf-8")).split()
        )
        for path in pages
        if path.exists()
    }


def test_all_pages_together_do_not_grow() -> None:
    counted = words()
    assert sum(counted.values()) <= MOST_WORDS, sorted(counted.items(), key=lambda item: -item[1])


def test_a_generated_table_does_not_count() -> None:
    text = "Before.\n<!-- generated: tools -->\n\n| 1 | 2 |\n\n<!-- /generated -->\nAfter."
    assert _GENERATED.sub("", text).split() == ["Before.", "After."]
