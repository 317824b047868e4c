"""What a person reads when tests have failed: golden, as it stands on the screen without its
colours.
"""

from __future__ import annotations

from typing import Any, Dict

import click

from unity_bridge.commands.test import failures, summary

RESULT: Dict[str, Any] = {
    "summary": {"total": 16, "passed": 12, "failed": 3, "skipped": 1, "duration_ms": 4560},
    "failed_tests": [
        {
            "name": "Keep.Tests.InventoryTests.SplittingAStackKeepsTheTotal",
            "message": "  A stack of 5 was split in two, nothing may get lost\n  Expected: 5\n  But was:  4\n",
            "stack_trace": "at Keep.Tests.InventoryTests.SplittingAStackKeepsTheTotal () [0x0002e] "
            "in Assets/Tests/EditMode/InventoryTests.cs:58\n",
        },
        {"name": "Keep.Tests.Bare"},
    ],
}


def report_of(result: Dict[str, Any]) -> str:
    return click.unstyle("\n".join([*failures(result), summary(result)]))


def test_each_failure_has_its_name_its_message_and_its_place() -> None:
    assert report_of(RESULT) == (
        "FAILED  Keep.Tests.InventoryTests.SplittingAStackKeepsTheTotal\n"
        "    A stack of 5 was split in two, nothing may get lost\n"
        "    Expected: 5\n"
        "    But was:  4\n"
        "    at Assets/Tests/EditMode/InventoryTests.cs:58\n"
        "FAILED  Keep.Tests.Bare\n"
        "... and 1 more that failed: too many for one answer.\n"
        "16 tests: 12 passed, 3 failed, 1 skipped in 4.6 s"
    )


def test_a_message_as_long_as_a_book_is_cut_and_cannot_order_the_terminal_about() -> None:
    message = "\x1b[2Jgone\r\n" + "\n".join(f"line {number}" for number in range(100))
    lines = report_of({**RESULT, "failed_tests": [{"name": "A", "message": message}]}).split("\n")
    assert lines[1] == "    \\x1b[2Jgone"
    assert lines[20:22] == ["    line 18", "    ... (81 more lines)"]


def test_the_counts_read_like_a_sentence() -> None:
    one = {"total": 1, "passed": 1, "failed": 0, "skipped": 0, "duration_ms": 125_400}
    assert report_of({"summary": one, "failed_tests": []}) == "1 test: 1 passed in 2 min 5 s"
    cut_short = {"total": 9, "passed": 2, "failed": 0, "skipped": 1, "duration_ms": 30}
    assert (
        report_of({"summary": cut_short, "failed_tests": []})
        == "9 tests: 2 passed, 1 skipped, 6 not run in 0.0 s"
    )
