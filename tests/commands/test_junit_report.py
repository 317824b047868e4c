"""The JUnit file: what a build server counts, what it shows, and that it is never half a file or an
old one.
"""

from __future__ import annotations

import os
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Dict, List, Optional
from xml.etree import ElementTree

import pytest

from unity_bridge.base.result import Err, Ok
from unity_bridge.commands.shared.junit_report import junit_xml, make_way, write_report

STARTED = datetime(2026, 2, 24, 23, 59, 59, 123456, timezone.utc)


def suite_of(result: Optional[Dict[str, Any]], error: Optional[str] = None) -> ElementTree.Element:
    document = junit_xml("Keep tests", STARTED, {"mode": "all"}, result, error)
    suite = ElementTree.fromstring(document).find("testsuite")
    assert suite is not None
    return suite


def result_of(
    failed_tests: List[Dict[str, Any]], passed: int = 0, skipped: int = 0, failed: int = -1
) -> Dict[str, Any]:
    failed = len(failed_tests) if failed < 0 else failed
    total = passed + failed + skipped
    counts = {
        "total": total,
        "passed": passed,
        "failed": failed,
        "skipped": skipped,
        "duration_ms": 4560,
    }
    return {"summary": counts, "failed_tests": failed_tests}


def counts_of(suite: ElementTree.Element) -> List[Optional[str]]:
    return [suite.get(name) for name in ("tests", "failures", "errors", "skipped")]


def test_a_test_that_is_only_counted_is_in_the_attributes_and_has_no_element() -> None:
    suite = suite_of(result_of([{"name": "A.B.C"}], passed=12, skipped=2, failed=3))
    assert counts_of(suite) == ["17", "3", "0", "2"]
    assert [
        len(suite.findall(f"testcase{inner}")) for inner in ("", "/failure", "/error", "/skipped")
    ] == [1, 1, 0, 0]
    assert (suite.get("time"), suite.get("timestamp")) == ("4.560", "2026-02-24T23:59:59")
    assert {one.get("name"): one.get("value") for one in suite.iter("property")} == {
        "mode": "all",
        "not_named": "16",
    }


@pytest.mark.parametrize(
    "summary, failed, counts",
    [
        ({"total": 10**6, "passed": 10**6, "failed": 0}, [], ["1000000", "0", "0", "0"]),
        ({"total": 5, "passed": 3, "failed": 0}, [{"name": "A.B"}], ["4", "1", "0", "0"]),
        ({"total": 3.0, "passed": 2.0, "failed": 1.0}, [], ["3", "1", "0", "0"]),
        (
            {"total": 1, "passed": 0, "failed": 1, "duration_ms": 1e308},
            [{"name": "A", "duration_ms": -1}],
            None,
        ),
        (
            {"total": 1, "passed": 0, "failed": 1},
            [{"name": "A", "duration_ms": 1e300}],
            ["1", "1", "0", "0"],
        ),
    ],
)
def test_a_result_that_contradicts_itself_makes_a_small_file_with_what_is_known(
    summary: Dict[str, Any], failed: List[Dict[str, Any]], counts: Optional[List[str]]
) -> None:
    suite = suite_of({"summary": summary, "failed_tests": failed})
    assert counts_of(suite) == (counts or ["1", "1", "0", "0"])
    assert len(suite.findall("testcase")) == len(failed)
    assert float(suite.get("time") or "x") == 0


def test_a_failure_carries_its_message_and_its_stack_under_the_name_of_its_fixture() -> None:
    failed = {
        "name": 'Keep.Tests.Stack.Splits("a.b")',
        "message": " lost one\n Expected: 5\n",
        "stack_trace": "at X:3\n",
    }
    case = suite_of(result_of([failed])).find("testcase")
    assert case is not None
    assert (case.get("classname"), case.get("name")) == ("Keep.Tests.Stack", 'Splits("a.b")')
    failure = case.find("failure")
    assert failure is not None
    assert (failure.get("message"), failure.text) == (
        "lost one",
        "lost one\n Expected: 5\n\nat X:3",
    )


def test_a_failed_test_has_the_time_that_it_took() -> None:
    case = suite_of(result_of([{"name": "A.B.C", "message": "no", "duration_ms": 1234}])).find(
        "testcase"
    )
    assert case is not None and case.get("time") == "1.234"


def test_characters_that_xml_forbids_are_replaced_and_the_rest_is_kept() -> None:
    failed = {
        "name": "Läuft<T>\x00",
        "message": "\x1b[31m<&\"'>\ud800 \U0001f600 漢字\uffff",
        "stack_trace": None,
    }
    suite = suite_of(result_of([failed]))
    failure = suite.find("testcase/failure")
    assert failure is not None
    assert failure.text == "\ufffd[31m<&\"'>\ufffd \U0001f600 漢字\ufffd"


@pytest.mark.parametrize("result", [None, result_of([{"name": "A.B"}], passed=3)])
def test_an_unfinished_run_has_its_own_error(result: Optional[Dict[str, Any]]) -> None:
    suite = suite_of(result, "Unity has gone.")
    errors = suite.findall("testcase/error")
    assert [error.get("message") for error in errors] == ["Unity has gone."]
    assert suite.get("errors") == "1"
    assert suite.get("tests") == ("1" if result is None else "5")


def test_a_report_is_whole_or_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = tmp_path / "results" / "unity.xml"
    assert make_way(report) == Ok(None)
    assert write_report(report, b"<old/>") == Ok(None)
    assert report.read_bytes() == b"<old/>"

    def full(source: str, target: str) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", full)
        failed = write_report(report, b"<new/>")
    assert (
        isinstance(failed, Err)
        and failed.error == f"{report} could not be written: No space left on device"
    )
    assert [path.name for path in report.parent.iterdir()] == ["unity.xml"]
    assert report.read_bytes() == b"<old/>"

    assert make_way(report) == Ok(None)
    assert not report.exists(), "an earlier report would pass for that of a run that never ended"


def test_a_place_where_no_report_can_be_is_known_before_the_tests_run(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for hopeless in (tmp_path, tmp_path / "file" / "unity.xml"):
        assert isinstance(make_way(hopeless), Err)
    assert (tmp_path / "file").exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no devices in folders")
def test_a_device_is_written_to_and_stays_what_it_is(tmp_path: Path) -> None:
    link = tmp_path / "unity.xml"
    link.symlink_to("/dev/null")
    assert (make_way(link), write_report(link, b"<new/>")) == (Ok(None), Ok(None))
    assert link.is_symlink() and Path("/dev/null").is_char_device()


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_a_link_that_waits_under_a_drafts_name_is_not_followed(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.write_text("theirs")
    (tmp_path / f".unity.xml.{os.getpid()}").symlink_to(theirs)

    assert write_report(tmp_path / "unity.xml", b"<new/>") == Ok(None)
    assert theirs.read_text() == "theirs"


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_a_link_is_replaced_and_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "unity.xml").symlink_to(tmp_path / "theirs")

    assert (make_way(tmp_path / "unity.xml"), write_report(tmp_path / "unity.xml", b"<new/>")) == (
        Ok(None),
        Ok(None),
    )
    assert not (tmp_path / "theirs").exists()


def row(name: str, mode: str = "edit", assembly: str = "Game.Tests", **more: Any) -> Dict[str, Any]:
    return {
        "name": name,
        "mode": mode,
        "assembly": assembly,
        "fixture": name.rpartition(".")[0],
        **more,
    }


def test_each_mode_and_assembly_has_a_suite_with_both_as_properties() -> None:
    result = result_of([row("A.F.Bad", duration_ms=5)], passed=3, skipped=1)
    result["passed_tests"] = [
        row("A.F.T", duration_ms=1500.5),
        row("A.F.T", "play"),
        row("B.F.T", assembly="Other"),
    ]
    result["skipped_tests"] = [row("A.F.Later", message="needs a network")]
    suites = ElementTree.fromstring(
        junit_xml("Keep tests", STARTED, {"mode": "all"}, result, None)
    ).findall("testsuite")
    found = [
        [suite.get(name) for name in ("name", "tests", "failures", "skipped", "time")]
        + [{one.get("name"): one.get("value") for one in suite.iter("property")}]
        for suite in suites
    ]
    assert found == [
        ["Game.Tests (edit)", "3", "1", "1", "1.506", {"mode": "edit", "assembly": "Game.Tests"}],
        ["Other (edit)", "1", "0", "0", "0.000", {"mode": "edit", "assembly": "Other"}],
        ["Game.Tests (play)", "1", "0", "0", "0.000", {"mode": "play", "assembly": "Game.Tests"}],
    ]
    skipped = suites[0].find("testcase/skipped")
    assert skipped is not None and skipped.get("message") == "needs a network"


def test_tests_without_an_assembly_have_their_own_suite() -> None:
    result = result_of([], passed=2)
    result["passed_tests"] = [row("A.F.T")]
    document = junit_xml("Keep tests", STARTED, {"mode": "all"}, result, "Unity has gone.")
    first, second = ElementTree.fromstring(document).findall("testsuite")
    assert [case.get("name") for case in first.iter("testcase")] == ["(the run itself)"]
    assert (first.get("tests"), second.get("tests")) == ("2", "1")
    assert {one.get("name"): one.get("value") for one in first.iter("property")} == {
        "mode": "all",
        "not_named": "1",
    }
    assert [case.get("name") for case in second.iter("testcase")] == ["T"]


def test_the_class_is_the_fixture_whatever_the_name_of_the_test() -> None:
    names = [
        ("A.F.named. with (dots", "A.F"),
        ('A.F("x.y").T(2.5)', 'A.F("x.y")'),
        ("A.F", "A.F"),
        ("T", ""),
    ]
    failed = [{**row(name), "fixture": fixture} for name, fixture in names]
    found = [
        (case.get("classname"), case.get("name"))
        for case in suite_of(result_of(failed)).findall("testcase")
    ]
    assert found == [
        ("A.F", "named. with (dots"),
        ('A.F("x.y")', "T(2.5)"),
        ("A.F", "(the fixture itself)"),
        ("", "T"),
    ]
