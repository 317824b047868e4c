"""The page of figures: a section is replaced by its bench, and nothing else on the page changes."""

from __future__ import annotations

from tests.bench.figures import OLDER, PAGE, section_of, written


def test_a_section_is_replaced_and_a_new_one_stands_before_the_older_runs() -> None:
    page = f"# Title\n\n## one_bench\n\nold\n\n{OLDER}\n\n### Soaks\n"
    section = section_of("one_bench", ["one_bench"], 0.25, ["a figure  ", "another"])
    once = written(page, "one_bench", section)
    assert (
        once == f"# Title\n\n{section}{OLDER}\n\n### Soaks\n"
        and "a figure\nanother\n```\n" in section
    )
    assert written(once, "one_bench", section) == once
    other = section_of("two_bench", ["python"], 0.0, ["1"])
    assert written(once, "two_bench", other) == f"# Title\n\n{section}{other}{OLDER}\n\n### Soaks\n"


def test_the_page_has_the_older_runs_once() -> None:
    assert PAGE.read_text(encoding="utf-8").count(OLDER) == 1
