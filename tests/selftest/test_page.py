"""The report as a page: it is safe to open, and shows what failed with what was expected and seen
(SPEC §25.3).
"""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any, Dict, List, Optional, Tuple

from unity_bridge.selftest import page
from unity_bridge.selftest.report import FAIL, PASS, SKIPPED, Private, RowResult, SelftestReport
from unity_bridge.selftest.row import Row

PICTURE = "data:image/png;base64,iVBORw0KGgo="
ROWS = [
    RowResult(Row("it works", "install", "§3.1", ()), PASS, 1200, pictures=(PICTURE,)),
    RowResult(
        Row("it breaks", "compile", "§16.1", ()),
        FAIL,
        5,
        "step 1: <b>",
        {"ok": True},
        {"ok": "<script>alert(1)</script>"},
    ),
    RowResult(Row("it waits", "ui", "§16.5", ()), SKIPPED, reason="needs a window"),
]


class Elements(HTMLParser):
    """The elements of a page with their attributes, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: List[Tuple[str, Dict[str, Optional[str]]]] = []
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: List[Tuple[str, Optional[str]]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words += data + "\n"


def elements(unity_version: str = "6000.3.24f1") -> Elements:
    report: Any = SelftestReport("2026-11-24T12:00:00Z", unity_version, "0.1.0", 3.0, ROWS).as_json(
        Private({}, ())
    )
    return Elements(page.of(report, [row.pictures for row in ROWS]))


def test_the_page_runs_nothing_and_loads_nothing() -> None:
    tags = elements().found
    assert not {"script", "link", "iframe", "a", "form", "object"} & {tag for tag, _ in tags}
    loaded = [
        value or ""
        for _, given in tags
        for name, value in given.items()
        if name in ("src", "href", "srcset")
    ]
    assert loaded == [PICTURE]
    assert not any(name.startswith("on") for _, given in tags for name in given)


def test_a_failure_comes_first_with_what_was_expected_and_seen() -> None:
    words = elements().words
    assert words.index("it breaks") < words.index("it works") < words.index("it waits")
    for text in (
        "1 fail, 1 pass, 1 skipped",
        "6000.3.24f1",
        "step 1: <b>",
        '"ok": true',
        "<script>alert(1)</script>",
    ):
        assert text in words
    assert "needs a window" in words
