"""JUnit files from other machines: read as written, and refused if they are hostile, huge or cut
(SPEC §24.4).
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import List

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unity_bridge.base.result import Err, Ok
from unity_bridge.shards import junit_file
from unity_bridge.shards.junit_file import (
    THE_FIXTURE,
    THE_RUN,
    Case,
    Mark,
    NotNamed,
    Suite,
    durations_of,
    read,
    written,
)
from unity_bridge.shards.test_list import Fixture

# XML has no way to write the rest; and a parser makes one line feed of every kind of line end.
TEXTS = st.text(
    st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters="\ufffe\uffff"),
    max_size=8,
)
# The file has milliseconds.
TIMES = st.integers(0, 10**6).map(lambda milliseconds: milliseconds * 1000)
MARKS = st.one_of(
    st.builds(Mark, st.sampled_from(["failure", "error"]), TEXTS, TEXTS),
    st.builds(Mark, st.just("skipped"), TEXTS, st.just("")),
)
CASES = st.builds(Case, TEXTS, TEXTS, TIMES, st.lists(MARKS, max_size=2).map(tuple))
NOT_NAMED = st.builds(NotNamed, *[st.integers(0, 300_000)] * 3)
PROPERTIES = st.dictionaries(TEXTS, TEXTS, max_size=3)
SUITES = st.builds(Suite, TEXTS, PROPERTIES, st.lists(CASES, max_size=4), TIMES, TEXTS, NOT_NAMED)

BOMB = b"""<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]><testsuites><testsuite name="&c;"/></testsuites>"""
WHOLE = written(
    [Suite("a", {"mode": "edit"}, [Case("A.F", "T", 1000, (Mark("failure", "no", "at X"),))])]
)


def refusal(path: Path) -> str:
    result = read(str(path))
    assert isinstance(result, Err)
    assert result.error.startswith(f"{path} ") and result.error.endswith(".")
    return result.error[len(str(path)) + 1 : -1]


def fault_of(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    return refusal(path)


@given(st.lists(SUITES, max_size=3))
def test_a_report_is_read_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, suites: List[Suite]
) -> None:
    path = tmp_path_factory.getbasetemp() / "junit.xml"
    path.write_bytes(written(suites))
    assert read(str(path)) == Ok(suites)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_doctype_is_refused_before_any_entity_is_read(tmp_path: Path, encoding: str) -> None:
    text = BOMB.decode().replace('"1.0"', f'"1.0" encoding="{encoding}"')
    assert (
        fault_of(tmp_path / "bomb.xml", text.encode(encoding))
        == "has a DOCTYPE, which no report of tests needs"
    )
    outside = b'<!DOCTYPE testsuites SYSTEM "file:///etc/passwd"><testsuites/>'
    assert "DOCTYPE" in fault_of(tmp_path / "outside.xml", outside)


def test_a_gigabyte_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "huge.xml"
    with path.open("wb") as stream:
        stream.write(b"<testsuites><testsuite><testcase name='")
        stream.truncate(1024**3)  # a hole, which takes no space on the disk
    assert "is not whole XML" in refusal(path)


SIZED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (900_000_000, 900_000_000))
from unity_bridge.shards import junit_file
print(junit_file.read(sys.argv[1]).error)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is bounded there for one process")
@pytest.mark.parametrize(
    "begin, again, megabytes, why",
    [
        # Comments are no fault, so this one ends by its size alone.
        (b"<testsuites>", b"<!-- and so on and so on -->", 257, "is larger than 256 MB."),
        (b"<testsuites>", b"<testsuite/>", 8, "has more than 500000 entries."),
        (b"<testsuites><testsuite>", b"<testcase/>", 8, "has more than 500000 entries."),
        (
            b"<testsuites><testsuite><properties>",
            b"<property/>",
            8,
            "has more than 500000 entries.",
        ),
    ],
)
def test_a_large_file_ends_in_bounded_memory(
    tmp_path: Path, begin: bytes, again: bytes, megabytes: int, why: str
) -> None:
    path = tmp_path / "large.xml"
    with path.open("wb") as stream:
        stream.write(begin)
        block = again * (1024 * 1024 // len(again) + 1)
        for _ in range(megabytes):
            stream.write(block)
    command = [sys.executable, "-c", SIZED, str(path)]
    done = subprocess.run(
        command, cwd=str(Path(__file__).parents[2]), check=True, stdout=subprocess.PIPE
    )
    assert done.stdout.decode().strip() == f"{path} {why}"
    path.unlink()


def test_a_size_just_within_the_bound_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.xml").write_bytes(WHOLE)
    monkeypatch.setattr(junit_file, "MOST_BYTES", len(WHOLE))
    assert isinstance(read(str(tmp_path / "a.xml")), Ok)
    monkeypatch.setattr(junit_file, "MOST_BYTES", len(WHOLE) - 1)
    assert isinstance(read(str(tmp_path / "a.xml")), Err)


@pytest.mark.slow
def test_a_file_that_is_cut_anywhere_is_not_whole(tmp_path: Path) -> None:
    for length in range(len(WHOLE.rstrip())):
        assert "is not whole XML" in fault_of(tmp_path / "cut.xml", WHOLE[:length])


@pytest.mark.parametrize(
    "content, why",
    [
        (b"<html/>", "is not a JUnit file"),
        (
            b"<test-run/>",
            "is an NUnit file, as Unity's -testResults writes: take that of `test --junit`",
        ),
        (
            b"<test-results/>",
            "is an NUnit file, as Unity's -testResults writes: take that of `test --junit`",
        ),
        (b"<testsuite>" * 3, "has a testsuite inside another element"),
        (b"<testsuites>" + b"<a>" * 100_000, "is nested too deeply"),
        (b"{}", "is not whole XML: not well-formed (invalid token) in line 1"),
        (b"<testsuites>&nbsp;</testsuites>", "is not whole XML: undefined entity in line 1"),
        (
            b'<?xml version="1.0" encoding="nonsense"?><testsuites/>',
            "cannot be read: unknown encoding: nonsense",
        ),
        (
            b"<testsuites>\xff</testsuites>",
            "is not whole XML: not well-formed (invalid token) in line 1",
        ),
    ],
)
def test_an_invalid_report_is_refused(tmp_path: Path, content: bytes, why: str) -> None:
    assert fault_of(tmp_path / "x.xml", content) == why


def test_a_folder_a_pipe_and_nothing_cannot_be_read(tmp_path: Path) -> None:
    for path in (str(tmp_path), str(tmp_path / "absent.xml"), "nul\0"):
        result = read(path)
        assert isinstance(result, Err) and result.error.startswith(f"{path} cannot be read: ")


def test_more_entries_than_fit_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(junit_file, "MOST_ENTRIES", 2)
    three = written([Suite("a", {}, [Case("A", str(n)) for n in range(3)])])
    assert fault_of(tmp_path / "x.xml", three) == "has more than 2 entries"


def test_a_report_with_one_suite_as_its_root_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.xml"
    path.write_bytes(
        b'<testsuite name="a"><unknown><testcase/></unknown><testcase classname="A" name="T"/></testsuite>'
    )
    assert read(str(path)) == Ok([Suite("a", {}, [Case("A", "T")])])


@pytest.mark.parametrize(
    "time, taken",
    [
        ("1.5", 1_500_000),
        ("0", 0),
        ("0.0000019", 1),
        ("", None),
        ("1,5", None),
        ("-1", None),
        ("1e9", None),
        ("nan", None),
    ],
)
def test_times_are_whole_microseconds_and_anything_else_is_not_known(
    tmp_path: Path, time: str, taken: object
) -> None:
    path = tmp_path / "x.xml"
    path.write_text(f'<testsuites><testsuite><testcase time="{time}"/></testsuite></testsuites>')
    result = read(str(path))
    assert isinstance(result, Ok)
    assert result.value[0].cases[0].time_us == taken


def test_a_fixture_took_what_its_tests_took_together() -> None:
    cases = [
        Case("F", "A", 3),
        Case("F", "B", 4),
        Case("G", "A", None),
        Case("F", THE_FIXTURE, 9),
    ]
    suites = [
        Suite("a", {"mode": "edit", "assembly": "Game"}, [*cases, Case("Game", THE_RUN, 9)]),
        Suite("b", {"mode": "play", "assembly": "Game"}, [Case("F", "A", 5)]),
        Suite("c", {"mode": "all"}, [Case("F", "A", 100)]),
    ]
    assert durations_of(suites) == {
        Fixture("edit", "Game", "F"): 7,
        Fixture("play", "Game", "F"): 5,
    }


def test_tests_without_a_name_are_counted_in_the_attributes_and_read_again(tmp_path: Path) -> None:
    suite = Suite(
        "a",
        {"mode": "edit"},
        [Case("A", "B", 1, (Mark("failure"),))],
        not_named=NotNamed(2, 3, 999_990),
    )
    path = tmp_path / "x.xml"
    path.write_bytes(written([suite]))
    assert len(path.read_bytes()) < 1000
    assert b'tests="999996" failures="3" errors="0" skipped="3"' in path.read_bytes()
    result = read(str(path))
    assert isinstance(result, Ok)
    assert (
        result.value[0].not_named == suite.not_named
        and result.value[0].properties == suite.properties
    )


@pytest.mark.parametrize("count", ["-1", "x", "9" * 5000, "1.5"])
def test_a_number_in_a_file_that_is_none_counts_nothing(tmp_path: Path, count: str) -> None:
    path = tmp_path / "x.xml"
    path.write_text(
        f'<testsuite failures="{count}"><properties><property name="not_named" value="{count}"/></properties>'
        "</testsuite>"
    )
    result = read(str(path))
    assert isinstance(result, Ok) and result.value[0].not_named == NotNamed()
