"""A test run as JUnit XML: one ``testsuite`` for each mode and assembly.

Each test that the plugin named has a ``testcase``. Tests that it only counted are in the attributes of a suite and in
its property ``not_named``, because a number from the network sizes nothing. A job that could not be carried out, or not
to its end, is one more element with an ``error``: whatever an earlier run left in the file never passes for this one's
result.
"""

from __future__ import annotations

import os
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Tuple

from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.installation.safe_files import write_named
from unity_bridge.shards.junit_file import (
    THE_FIXTURE,
    THE_RUN,
    Case,
    Mark,
    NotNamed,
    Suite,
    written,
)
from unity_bridge.system.whole_file import patiently
from unity_bridge.text.json_types import JsonObject

# The mode and assembly of a test; None for a test of a plugin that does not report both.
_Place = Optional[Tuple[str, str]]
# Longer times than 30 years are no time of a test.
_LONGEST_MS = 1e12


def junit_xml(
    name: str,
    start: datetime,
    properties: Mapping[str, str],
    result: Optional[JsonObject],
    error: Optional[str],
) -> bytes:
    """Return the report as a UTF-8 document.

    ``properties`` stand in each suite, whose own mode replaces the one that was asked for. ``result``: what
    ``get_job_status`` returned, if anything; ``error``: why that is not all, a sentence and perhaps more lines.
    """
    cases: Dict[_Place, List[Case]] = {}
    if error is not None:
        cases[None] = [Case(name, THE_RUN, None, (Mark("error", error.split("\n")[0], error),))]
    not_named = NotNamed()
    if result is not None:
        not_named = NotNamed(*(_add_cases(cases, outcome, result) for outcome in NotNamed._fields))
        if any(not_named):
            cases.setdefault(None, [])
    at = start.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")
    whole_us = 0 if result is None else _microseconds(result["summary"].get("duration_ms")) or 0
    suites = []
    # A file without a suite would say nothing of the run.
    for place in sorted(cases or {None: []}, key=lambda pair: pair or ("", "")):
        of_the_suite = cases.get(place, [])
        labels = {} if place is None else {"mode": place[0], "assembly": place[1]}
        title = name if place is None else f"{place[1]} ({place[0]})"
        # With one suite, what lies between its tests is its time too.
        time_us = whole_us if len(cases) < 2 else sum(case.time_us or 0 for case in of_the_suite)
        unnamed = not_named if place is None else NotNamed()
        suites.append(Suite(title, {**properties, **labels}, of_the_suite, time_us, at, unnamed))
    return written(suites)


def write_report(path: Path, document: bytes) -> Result[None, str]:
    """Write the whole file or nothing, so that a reporter never reads a partial file. ``Err`` is a
    sentence.
    """
    try:
        write_named(path, document)
        return Ok(None)
    except OSError as error:
        return Err(f"{path} could not be written: {error.strerror or error}")


def make_way(path: Path) -> Result[None, str]:
    """Before the tests run: make the folder and remove an earlier report. ``Err``: a report could
    not be written.
    """
    why = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_file():
            patiently(path.unlink)
        if path.is_dir():
            why = "it is a folder"
        elif not os.access(str(path.parent), os.W_OK):
            why = "you may not write to its folder"
    except OSError as error:
        why = error.strerror or str(error)
    if why is None:
        return Ok(None)
    return Err(f"{path} could not be written: {why}")


def _add_cases(cases: Dict[_Place, List[Case]], outcome: str, result: JsonObject) -> int:
    """Add the tests that are named. Returns how many are only counted."""
    rows = result.get(f"{outcome}_tests") or []
    for test in rows:
        mode, assembly = test.get("mode"), test.get("assembly")
        place = (mode, assembly) if mode and assembly else None
        cases.setdefault(place, []).append(_case(test, _marks(outcome, test)))
    return max(0, int(result["summary"].get(outcome) or 0) - len(rows))


def _case(test: JsonObject, marks: Tuple[Mark, ...]) -> Case:
    time_us = _microseconds(test.get("duration_ms"))
    fixture, name = test.get("fixture"), test["name"]
    if fixture and fixture == name:
        return Case(fixture, THE_FIXTURE, time_us, marks)
    if fixture and name.startswith(f"{fixture}."):
        return Case(fixture, name[len(fixture) + 1 :], time_us, marks)
    class_name, method = _split(name)
    return Case(fixture or class_name, method, time_us, marks)


def _microseconds(duration_ms: Any) -> Optional[int]:
    """None if there is no time, or what is there cannot be one."""
    if duration_ms is None or not 0 <= duration_ms < _LONGEST_MS:
        return None
    return int(round(duration_ms * 1000))


def _marks(outcome: str, test: JsonObject) -> Tuple[Mark, ...]:
    if outcome == "passed":
        return ()
    message, stack = (test.get("message") or "").strip(), (test.get("stack_trace") or "").strip()
    if outcome == "skipped":
        return (Mark("skipped", message),)
    # Some reporters show the attribute, others the text: both show the message.
    text = "\n\n".join(part for part in (message, stack) if part)
    return (Mark("failure", next(iter(message.splitlines()), ""), text),)


def _split(full_name: str) -> Tuple[str, str]:
    """``Keep.Tests.Stack.Splits("a.b")`` -> ``Keep.Tests.Stack``, ``Splits("a.b")``."""
    dot = full_name.rfind(".", 0, (full_name + "(").index("("))
    if dot < 0:
        return ("", full_name)
    return (full_name[:dot], full_name[dot + 1 :])
