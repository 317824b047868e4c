"""docs/walks.md shows what the code does: the executor's part is recorded again, and every function
is there.
"""

from __future__ import annotations

import re
from typing import Dict, List

from tests import walks

_FUNCTIONS = re.compile(r"  - `([\w/.]+)`: ([\w, ]+)")


def test_the_executor_walks_as_the_page_says() -> None:
    written = walks.PAGE.read_text(encoding="utf-8")
    assert parts(walks.drawn(), "executor") == parts(written, "executor"), (
        "run: python -m tests.walks"
    )


def test_every_function_on_the_page_exists() -> None:
    found = _FUNCTIONS.findall(walks.PAGE.read_text(encoding="utf-8"))
    assert len(found) > 100
    missing = [
        (file, function)
        for file, functions in found
        for function in functions.split(", ")
        if f"def {function}("
        not in (walks.REPOSITORY / "unity_bridge" / file).read_text(encoding="utf-8")
    ]
    assert missing == []


def parts(page: str, thread: str) -> Dict[str, List[str]]:
    """What the threads of this name do, by step."""
    steps: Dict[str, List[str]] = {}
    for step in page.split("\n**")[1:]:
        title, _, text = step.partition("**")
        steps[title] = [
            part.strip()
            for part in text.split("- thread ")[1:]
            if part.split("`")[1].endswith(thread)
        ]
    assert steps
    return steps
