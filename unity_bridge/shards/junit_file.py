"""JUnit XML, in the form that both the Ant schema and the Jenkins xUnit schema allow: read with
care, and written.

A file that is read comes from another machine. Without a DOCTYPE there are no entities, so no small file becomes a
large one; and the parser is fed few large pieces, because older versions of expat begin a long token again with each.
"""

from __future__ import annotations

import re
from typing import Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple
from xml.etree import ElementTree
from xml.parsers import expat

from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.shards.test_list import Fixture
from unity_bridge.system.shared_file import open_ordinary

MOST_BYTES = 256 * 1024 * 1024
MOST_ENTRIES = 500_000
_DEEPEST = 50
_PIECE_BYTES = 16 * 1024 * 1024
_OUTCOMES = ("failure", "error", "skipped")
# Each takes memory many times its length in the file.
_KEPT = ("testsuite", "property", "testcase", *_OUTCOMES)
# Of NUnit 3 and NUnit 2.
_NUNIT_ROOTS = ("test-run", "test-results")
_SECONDS = re.compile(r"[0-9]{1,9}(\.[0-9]{1,12})?", re.ASCII)

# Names of test cases that are no test, in brackets as no method's name is.
THE_RUN = "(the run itself)"
THE_FIXTURE = "(the fixture itself)"

# The property with how many tests of a suite are only counted, in the attributes of its element.
_NOT_NAMED = "not_named"
_COUNT = re.compile(r"[0-9]{1,7}", re.ASCII)

# XML 1.0 has no way to write these, not even escaped.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Mark(NamedTuple):
    """Why a case did not pass. ``kind``: failure, error or skipped, an element's name."""

    kind: str
    message: str = ""
    text: str = ""


class Case(NamedTuple):
    """A test, or what stands for one. Without a mark it passed. ``time_us``: whole microseconds,
    None: not known.
    """

    class_name: str
    name: str
    time_us: Optional[int] = None
    marks: Tuple[Mark, ...] = ()


class NotNamed(NamedTuple):
    """How many tests are known by their number alone."""

    failed: int = 0
    skipped: int = 0
    passed: int = 0


class Suite(NamedTuple):
    """``time_us``: of the whole suite, with what lies between its cases. ``not_named``: tests that
    have no case.
    """

    name: str
    properties: Mapping[str, str]
    cases: Sequence[Case]
    time_us: int = 0
    timestamp: str = ""
    not_named: NotNamed = NotNamed()


def written(suites: Sequence[Suite]) -> bytes:
    """Return the document, in UTF-8."""
    root = ElementTree.Element("testsuites")
    for number, suite in enumerate(suites):
        _add_suite(root, suite, number)
    document: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def read(path: str) -> Result[List[Suite], str]:
    """Return the test suites of a file; ``Err`` is a sentence that begins with its path."""
    reader = _Reader()
    try:
        with open_ordinary(path) as stream:
            room = MOST_BYTES + 1
            while room > 0:
                piece = stream.read(min(_PIECE_BYTES, room))
                room -= len(piece)
                if not piece:
                    reader.feed(b"", True)
                    return Ok(reader.suites)
                if room > 0:
                    reader.feed(piece, False)
        return Err(f"{path} is larger than {MOST_BYTES // 1024 // 1024} MB.")
    except _Refused as refused:
        return Err(f"{path} {refused}.")
    except expat.ExpatError as error:
        return Err(
            f"{path} is not whole XML: {expat.ErrorString(error.code)} in line {error.lineno}."
        )
    except LookupError as error:
        return Err(f"{path} cannot be read: {error}.")
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        return Err(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.")


def durations_of(suites: Sequence[Suite]) -> Dict[Fixture, int]:
    """How long the tests of each fixture took, as far as the file says so."""
    durations: Dict[Fixture, int] = {}
    for suite in suites:
        mode, assembly = suite.properties.get("mode"), suite.properties.get("assembly")
        if mode is None or assembly is None:
            continue
        for case in suite.cases:
            if case.time_us is not None and is_a_test(case):
                fixture = Fixture(mode, assembly, case.class_name)
                durations[fixture] = durations.get(fixture, 0) + case.time_us
    return durations


def is_a_test(case: Case) -> bool:
    """Return whether the case is one test."""
    return case.name not in (THE_RUN, THE_FIXTURE)


class _Refused(Exception):
    """Why a file is not read on; completes a sentence that begins with its path. Never leaves this
    module.
    """


class _Reader:
    """Takes the suites out of a document as it comes. What it does not know it leaves out."""

    def __init__(self) -> None:
        self.suites: List[Suite] = []
        self._open: List[str] = []
        self._suite: Dict[str, str] = {}
        self._properties: Dict[str, str] = {}
        self._cases: List[Case] = []
        self._case: Dict[str, str] = {}
        self._marks: List[Mark] = []
        self._message = ""
        self._text: List[str] = []
        self._count = 0
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.StartElementHandler = self._begin
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters

    def feed(self, piece: bytes, is_last: bool) -> None:
        self._parser.Parse(piece, is_last)

    def _doctype(self, *_: object) -> None:
        raise _Refused("has a DOCTYPE, which no report of tests needs")

    def _begin(self, name: str, attributes: Dict[str, str]) -> None:
        above = self._open[-1] if self._open else None
        if above is None and name in _NUNIT_ROOTS:
            raise _Refused(
                "is an NUnit file, as Unity's -testResults writes: take that of `test --junit`"
            )
        if above is None and name not in ("testsuites", "testsuite"):
            raise _Refused("is not a JUnit file")
        self._open.append(name)
        if len(self._open) > _DEEPEST:
            raise _Refused("is nested too deeply")
        if name in _KEPT:
            self._count += 1
            if self._count > MOST_ENTRIES:
                raise _Refused(f"has more than {MOST_ENTRIES} entries")
        if name == "testsuite":
            if above not in (None, "testsuites"):
                raise _Refused("has a testsuite inside another element")
            self._suite, self._properties, self._cases = attributes, {}, []
        elif name == "property" and self._open[-3:-1] == ["testsuite", "properties"]:
            self._properties[attributes.get("name", "")] = attributes.get("value", "")
        elif name == "testcase" and above == "testsuite":
            self._case, self._marks = attributes, []
        elif name in _OUTCOMES and above == "testcase":
            self._message, self._text = attributes.get("message", ""), []

    def _characters(self, text: str) -> None:
        if len(self._open) > 1 and self._open[-1] in _OUTCOMES and self._open[-2] == "testcase":
            self._text.append(text)

    def _end(self, name: str) -> None:
        self._open.pop()
        above = self._open[-1] if self._open else None
        if name in _OUTCOMES and above == "testcase":
            self._marks.append(Mark(name, self._message, "".join(self._text)))
        elif name == "testcase" and above == "testsuite":
            case = self._case
            time_us = _microseconds(case.get("time", ""))
            self._cases.append(
                Case(case.get("classname", ""), case.get("name", ""), time_us, tuple(self._marks))
            )
        elif name == "testsuite":
            suite = self._suite
            time_us = _microseconds(suite.get("time", "")) or 0
            timestamp = suite.get("timestamp", "")
            not_named = _not_named(suite, _whole(self._properties.pop(_NOT_NAMED, "")), self._cases)
            self.suites.append(
                Suite(
                    suite.get("name", ""),
                    self._properties,
                    self._cases,
                    time_us,
                    timestamp,
                    not_named,
                )
            )


def _not_named(attributes: Mapping[str, str], count: int, cases: Sequence[Case]) -> NotNamed:
    """Return what the attributes count beyond the cases, which is ``count`` tests together."""
    kinds = _kinds(cases)
    failed = min(count, max(0, _whole(attributes.get("failures", "")) - kinds.count("failure")))
    skipped = min(
        count - failed, max(0, _whole(attributes.get("skipped", "")) - kinds.count("skipped"))
    )
    return NotNamed(failed, skipped, count - failed - skipped)


def _kinds(cases: Sequence[Case]) -> List[str]:
    return [mark.kind for case in cases for mark in case.marks]


def _whole(digits: str) -> int:
    if _COUNT.fullmatch(digits) is not None:
        return int(digits)
    return 0


def _microseconds(seconds: str) -> Optional[int]:
    """``"1.234"`` -> 1234000, without the rounding of floats; None for what is no such number."""
    if _SECONDS.fullmatch(seconds) is None:
        return None
    whole, _, fraction = seconds.partition(".")
    return int(whole) * 1_000_000 + int((fraction + "000000")[:6])


def _seconds(time_us: int) -> str:
    # More than three decimals are against the schema of Jenkins.
    milliseconds = (time_us + 500) // 1000
    return f"{milliseconds // 1000}.{milliseconds % 1000:03d}"


def _add_suite(root: ElementTree.Element, suite: Suite, number: int) -> None:
    kinds, not_named = _kinds(suite.cases), suite.not_named
    element = _add(
        root,
        "testsuite",
        name=suite.name,
        package="",
        id=str(number),
        hostname="localhost",
        timestamp=suite.timestamp,
        tests=str(len(suite.cases) + sum(not_named)),
        failures=str(kinds.count("failure") + not_named.failed),
        errors=str(kinds.count("error")),
        skipped=str(kinds.count("skipped") + not_named.skipped),
        time=_seconds(suite.time_us),
    )
    properties = _add(element, "properties")
    counted = {_NOT_NAMED: str(sum(not_named))} if any(not_named) else {}
    for name, value in {**suite.properties, **counted}.items():
        _add(properties, "property", name=name, value=value)
    for case in suite.cases:
        time = "0" if case.time_us is None else _seconds(case.time_us)
        child = _add(element, "testcase", name=case.name, classname=case.class_name, time=time)
        for mark in case.marks:
            _add_mark(child, mark)
    _add(element, "system-out")
    _add(element, "system-err")


def _add_mark(case: ElementTree.Element, mark: Mark) -> None:
    if mark.kind != "skipped":
        outcome = "error" if mark.kind == "error" else "failed"
        _add(case, mark.kind, mark.text, type=outcome, message=mark.message)
    elif mark.message:
        _add(case, "skipped", message=mark.message)
    else:
        _add(case, "skipped")


def _add(
    parent: ElementTree.Element, tag: str, text: Optional[str] = None, **attributes: str
) -> ElementTree.Element:
    clean: Dict[str, str] = {
        name: _NOT_XML.sub("\ufffd", value) for name, value in attributes.items()
    }
    child = ElementTree.SubElement(parent, tag, clean)
    child.text = None if text is None else _NOT_XML.sub("\ufffd", text)
    return child
