"""A test run as JUnit XML, in the form that both the Ant schema and the Jenkins xUnit schema allow.

Reporters count ``testcase`` elements, and some take a file without any for a broken build. So every test that ran has
an element: with its name and time where the plugin told them, else a placeholder that says it has none. A job that
could not be carried out, or not to its end, is one more element with an ``error``: whatever an earlier run left in the
file never passes for this one's result.
"""

from __future__ import annotations

import os
import re
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Dict, Mapping, Optional, Tuple
from xml.etree import ElementTree

from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.installation.safe_files import write_named
from unity_bridge.system.whole_file import patiently

# XML 1.0 has no way to write these, not even escaped.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_UNNAMED = "(not named by Unity)"
_THE_RUN = "(the run itself)"


def junit_xml(
    name: str,
    started: datetime,
    properties: Mapping[str, str],
    result: Optional[Mapping[str, Any]],
    error: Optional[str],
) -> bytes:
    """The report as a UTF-8 document.

    ``result``: what ``get_job_status`` told, if anything; ``error``: why that is not all, as a sentence.
    """
    counts = {"passed": 0, "failed": 0, "skipped": 0, "duration_ms": 0} if result is None else result["summary"]
    failed = [] if result is None else result["failed_tests"]
    passed = [] if result is None else result.get("passed_tests") or []
    root = ElementTree.Element("testsuites")
    suite = _add(
        root,
        "testsuite",
        name=name,
        package="",
        id="0",
        hostname="localhost",
        timestamp=started.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S"),
        tests=str(counts["passed"] + counts["failed"] + counts["skipped"] + (error is not None)),
        failures=str(counts["failed"]),
        errors=str(int(error is not None)),
        skipped=str(counts["skipped"]),
        time=f"{counts['duration_ms'] / 1000:.3f}",
    )
    told = _add(suite, "properties")
    for key, value in properties.items():
        _add(told, "property", name=key, value=value)
    if error is not None:
        _add(_case(suite, _THE_RUN, name), "error", error, type="error", message=error)
    for test in failed:
        _add_failure(suite, test)
    for number in range(len(failed), counts["failed"]):
        message = "Unity reported more failures than fit into one answer"
        _add(_unnamed(suite, "failed", number + 1), "failure", type="failed", message=message)
    for number in range(counts["skipped"]):
        _add(_unnamed(suite, "skipped", number + 1), "skipped")
    for test in passed:
        class_name, method = _split(test["name"])
        _case(suite, method, class_name, test.get("duration_ms"))
    for number in range(len(passed), counts["passed"]):
        _unnamed(suite, "passed", number + 1)
    _add(suite, "system-out")
    _add(suite, "system-err")
    document: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def write_report(path: Path, document: bytes) -> Result[None, str]:
    """Whole or not at all: a reporter never reads half a file. ``Err`` is a sentence."""
    try:
        write_named(path, document)
        return Ok(None)
    except OSError as error:
        return Err(f"{path} could not be written: {error.strerror or error}")


def make_way(path: Path) -> Result[None, str]:
    """Before the tests run: make the folder and remove an earlier report. ``Err``: a report could not be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_file():
            patiently(path.unlink)
    except OSError as error:
        return Err(f"{path} could not be written: {error.strerror or error}")
    if path.is_dir():
        return Err(f"{path} could not be written: it is a folder")
    if not os.access(str(path.parent), os.W_OK):
        return Err(f"{path} could not be written: its folder is closed to you")
    return Ok(None)


def _add_failure(suite: ElementTree.Element, test: Mapping[str, Any]) -> None:
    class_name, method = _split(test["name"])
    message, stack = (test.get("message") or "").strip(), (test.get("stack_trace") or "").strip()
    # Some reporters show the attribute, others the text: both tell the message.
    text = "\n\n".join(part for part in (message, stack) if part)
    first_line = next(iter(message.splitlines()), "")
    _add(_case(suite, method, class_name, test.get("duration_ms")), "failure", text, type="failed", message=first_line)


def _split(full_name: str) -> Tuple[str, str]:
    """``Keep.Tests.Stack.Splits("a.b")`` -> ``Keep.Tests.Stack``, ``Splits("a.b")``."""
    dot = full_name.rfind(".", 0, (full_name + "(").index("("))
    return ("", full_name) if dot < 0 else (full_name[:dot], full_name[dot + 1 :])


def _unnamed(suite: ElementTree.Element, outcome: str, number: int) -> ElementTree.Element:
    return _case(suite, f"{outcome} test {number}", _UNNAMED)


def _case(
    suite: ElementTree.Element, name: str, class_name: str, duration_ms: Optional[float] = None
) -> ElementTree.Element:
    time = "0" if duration_ms is None else f"{duration_ms / 1000:.3f}"
    return _add(suite, "testcase", name=name, classname=class_name, time=time)


def _add(parent: ElementTree.Element, tag: str, text: Optional[str] = None, **attributes: str) -> ElementTree.Element:
    clean: Dict[str, str] = {name: _NOT_XML.sub("\ufffd", value) for name, value in attributes.items()}
    child = ElementTree.SubElement(parent, tag, clean)
    child.text = None if text is None else _NOT_XML.sub("\ufffd", text)
    return child
