"""docs/walks.md is what the code does: each line is compared with a recorded run."""

from __future__ import annotations

from tests import walks


def test_each_line_is_walked_as_the_page_says() -> None:
    recorded = walks.recorded()
    absent = {
        line.words: functions
        for (_, lines), steps in zip(walks.WALKS, recorded)
        for line in lines
        for functions in [walks.missing(line, steps)]
        if functions
    }
    assert absent == {}


def test_the_page_has_ten_lines_a_walk() -> None:
    assert walks.PAGE.read_text(encoding="utf-8") == walks.page(), "run: python -m tests.walks"
    assert [len(lines) for _, lines in walks.WALKS] == [10, 10, 10]


def test_a_line_that_is_not_walked_is_detected() -> None:
    line = walks.Line(0, "executor", "", ("core/loop.py: submit", "core/wiring.py: handle"))
    steps = [{"executor": ["core/wiring.py: handle", "core/loop.py: submit"]}]
    assert walks.missing(line, steps) == ["core/wiring.py: handle"]
