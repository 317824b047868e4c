"""The result of a test run for people: each failure with its file and line, and one line of counts."""

from __future__ import annotations

import textwrap
from typing import Any, Iterator, List, Mapping, Optional

import click

from unity_bridge.catalogue.loaded_code import why_not_loaded
from unity_bridge.commands.shared.envelope import details_of
from unity_bridge.commands.shared.stack_trace import first_useful_place
from unity_bridge.scripting.output import counted
from unity_bridge.text.foreign_text import visible, visible_line
from unity_bridge.text.json_types import JsonObject

_MESSAGE_LINES = 20


def unmatched_parts(error: Optional[JsonObject]) -> List[str]:
    """Return a sentence for each part of the filter that matches no test, with the nearest names
    (SPEC §16).
    """
    details = details_of(error, "no_tests_matched")
    nearest = details.get("nearest")
    names = nearest if isinstance(nearest, Mapping) else {}
    parts = details.get("unmatched")
    return [_unmatched(part, names.get(part)) for part in parts or () if isinstance(part, str)]


def _unmatched(part: str, nearest: Any) -> str:
    names = []
    if isinstance(nearest, list):
        names = [visible_line(name) for name in nearest if isinstance(name, str)]
    return f"No test matches {visible_line(part)}." + (
        f" The nearest are: {', '.join(names)}." if names else ""
    )


def fault_of_the_code(result: JsonObject) -> Optional[str]:
    """Why the tests may have run other code than what is on disk, as a sentence. None: they ran
    that code.
    """
    fresh = result.get("code_fresh")
    if fresh is True:
        return None
    if fresh is None:
        return (
            "It is not known whether the tests ran the code that is on disk: the plugin does not report it. Update it "
            "with `unity-bridge plugin update`, or accept that with --no-refresh."
        )
    compiled = result.get("compile") or {}
    why = why_not_loaded(compiled.get("pending_reason"), compiled.get("reason"))
    return f"The tests ran code that is older than what is on disk: {visible_line(why)}."


def failures(result: JsonObject) -> Iterator[str]:
    """Return one block of lines for each failed test that Unity reported."""
    for test in result["failed_tests"]:
        lines = [click.style("FAILED", fg="red", bold=True) + "  " + visible_line(test["name"])]
        message = (
            textwrap.dedent(visible(test.get("message") or "")).strip("\n").rstrip().split("\n")
        )
        cut = message[:_MESSAGE_LINES]
        lines += [f"    {line}".rstrip() for line in cut if line or len(cut) > 1]
        if len(message) > len(cut):
            lines.append(f"    ... ({len(message) - len(cut)} more lines)")
        place = first_useful_place(test.get("stack_trace"), test.get("message") or "")
        if place is not None:
            lines.append(f"    at {visible_line(str(place))}")
        yield "\n".join(lines)
    untold = result["summary"]["failed"] - len(result["failed_tests"])
    if untold > 0:
        yield f"... and {untold} more that failed: too many for one answer."


def summary(result: JsonObject) -> str:
    """``16 tests: 14 passed, 1 failed, 1 skipped in 4.9 s``"""
    counts = result["summary"]
    colours = {"passed": "green", "failed": "red", "skipped": "yellow"}
    parts = [
        click.style(f"{counts[name]} {name}", fg=colour)
        for name, colour in colours.items()
        if counts.get(name) or name == "passed"
    ]
    not_run = counts["total"] - sum(counts.get(name, 0) for name in colours)
    if not_run > 0:  # cut short, and the plugin counts those that were to come
        parts.append(f"{not_run} not run")
    took = f" in {duration(counts['duration_ms'] / 1000)}" if "duration_ms" in counts else ""
    return f"{counted(counts['total'], 'test')}: {', '.join(parts)}{took}"


def duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, seconds_left = divmod(round(seconds), 60)
    return f"{minutes} min {seconds_left} s"
