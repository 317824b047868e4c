"""`test --list` and `test --shard`: what is asked of the editor, and what the command says and
writes (SPEC §24).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

import pytest

from tests.commands.runner import runner
from unity_bridge.base.errors import ErrorCode, ToolError
from unity_bridge.base.result import Ok
from unity_bridge.catalogue.calls import Failure
from unity_bridge.cli import cli
from unity_bridge.commands.shared import job_follower
from unity_bridge.commands.shared.job_end import Followed, JobEnd
from unity_bridge.shards import junit_file
from unity_bridge.shards.junit_file import Case, Suite
from unity_bridge.shards.plan import plan_of
from unity_bridge.shards.test_list import Fixture, ListedTest, list_digest

TESTS = [
    ListedTest(
        f"Game.F{fixture}.T{number}",
        "play" if fixture == 3 else "edit",
        f"Game.F{fixture}",
        "Game.Tests",
        ("Fast",),
    )
    for fixture in range(5)
    for number in range(2)
]
LOADED = {
    "ok": True,
    "changed": False,
    "reloaded": False,
    "error_count": 0,
    "warning_count": 0,
    "errors": [],
    "loaded": True,
}
BROKEN = {
    "file": "Assets/A.cs",
    "line": 3,
    "column": 1,
    "code": "CS0103",
    "message": "no such name",
}


class Editor:
    """In place of an editor: answers each call with the next page, or what a test sets."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: List[Tuple[str, Mapping[str, Any]]] = []
        self.tests = TESTS
        self.page = 4
        self.compiled: JobEnd = JobEnd("succeeded", LOADED)
        self.missing: List[str] = []
        self.answer: Optional[JobEnd] = None
        self.spoil: Callable[[Dict[str, Any]], Any] = lambda value: value
        self.change: Callable[[List[Any]], List[Any]] = lambda ran: ran
        self.total: Optional[int] = None
        monkeypatch.setattr(job_follower, "run_job", self._run_job)

    def _run_job(self, *given: Any) -> Followed:
        *_, objection, steps = given
        refused = objection({"missing_tools": self.missing})
        if refused is not None:
            return Followed(JobEnd("not_run", error=Failure(refused).as_json()), {}, True)
        return Followed(steps(self._ask), {"project_name": "Game"}, True)

    def _ask(self, tool: str, params: Mapping[str, Any]) -> JobEnd:
        self.asked.append((tool, params))
        if tool == "compile":
            return self.compiled
        if self.answer is not None:
            return self.answer
        return self._list(params["arguments"]) if tool == "run_command" else self._run(params)

    def _list(self, arguments: Mapping[str, Any]) -> JobEnd:
        begin = int(arguments["cursor"] or 0)
        rows = [
            [*test[:2], test.fixture, test.assembly, list(test.categories)] for test in self.tests
        ]
        value: Dict[str, Any] = {
            "tests": rows[begin : begin + self.page],
            "list_digest": list_digest(self.tests),
        }
        if begin + self.page < len(rows):
            value["next_cursor"] = str(begin + self.page)
        return JobEnd("succeeded", {"value": self.spoil(value)})

    def _run(self, params: Mapping[str, Any]) -> JobEnd:
        fixtures = {Fixture(*fixture) for fixture in params["fixtures"]}
        rows = [
            {
                "name": test.name,
                "mode": test.mode,
                "assembly": test.assembly,
                "fixture": test.fixture,
                "duration_ms": 1.5,
            }
            for test in self.tests
            if test.key in fixtures
        ]
        rows = self.change(rows)
        total = len(rows) if self.total is None else self.total
        counts = {"total": total, "passed": total, "failed": 0, "skipped": 0}
        result = {
            "summary": {**counts, "duration_ms": 9},
            "failed_tests": [],
            "passed_tests": rows,
            "code_fresh": True,
        }
        return JobEnd("succeeded", result, job_id="job-1")


@pytest.fixture
def editor(monkeypatch: pytest.MonkeyPatch) -> Editor:
    return Editor(monkeypatch)


def run(*arguments: str) -> Tuple[int, str, str]:
    done = runner().invoke(cli, ["test", *arguments])
    return done.exit_code, done.stdout, done.stderr


def suites(path: Path) -> List[Suite]:
    read = junit_file.read(str(path))
    assert isinstance(read, Ok)
    return read.value


def test_the_tests_are_listed_on_the_code_on_disk_over_all_pages(editor: Editor) -> None:
    status, out, err = run(
        "--list", "--mode", "edit", "--filter", "Game", "--changed-scenes", "disk"
    )
    assert status == 0
    assert out.splitlines()[0] == "Game.F0.T0  (edit, Game.Tests)" and len(out.splitlines()) == 10
    assert err.endswith("10 tests in 5 fixtures.\n")
    assert [tool for tool, _ in editor.asked] == [
        "compile",
        "run_command",
        "run_command",
        "run_command",
    ]
    assert editor.asked[0][1] == {"force": False, "warnings": False, "changed_scenes": "disk"}
    arguments = {"mode": "edit", "filter": "Game", "cursor": ""}
    assert editor.asked[1][1] == {"name": "list_tests", "arguments": arguments}


def test_loaded_tests_are_listed_without_a_compile_on_request(editor: Editor) -> None:
    editor.missing = ["compile"]
    assert run("--list", "--no-refresh")[0] == 0
    assert {tool for tool, _ in editor.asked} == {"run_command"}


def test_the_list_as_json_is_in_the_form_of_the_command(editor: Editor) -> None:
    status, out, _ = run("--list", "--json", "--shard", "2/3")
    result = json.loads(out)["result"]
    plan = plan_of(TESTS, 3)
    assert (status, result["shard"], result["shards"]) == (0, 2, 3)
    assert (result["list_digest"], result["plan_digest"]) == (plan.list_digest, plan.plan_digest)
    assert {(row[1], row[3], row[2]) for row in result["tests"]} == set(plan.fixtures[1])
    assert result["tests"][0][4] == ["Fast"]


def test_a_shard_runs_its_fixtures_and_says_in_its_report_which_it_is(
    editor: Editor, tmp_path: Path
) -> None:
    plan = plan_of(TESTS, 2)
    status, _, _ = run("--shard", "1/2", "--mode", "all", "--junit", str(tmp_path / "1.xml"))
    tool, params = editor.asked[-1]
    assert (status, tool) == (0, "run_tests")
    assert [tuple(fixture) for fixture in params["fixtures"]] == list(plan.fixtures[0])
    assert (params["refresh"], params["include_passed"], params["mode"]) == (True, True, "all")
    mine = [test for test in TESTS if test.key in plan.fixtures[0]]
    for suite in suites(tmp_path / "1.xml"):
        assert suite.properties["shard"] == "1" and suite.properties["shards"] == "2"
        assert suite.properties["tests_in_list"] == "10" and suite.properties[
            "tests_in_shard"
        ] == str(len(mine))
        assert (suite.properties["list_digest"], suite.properties["plan_digest"]) == (
            plan.list_digest,
            plan.plan_digest,
        )
        assert suite.properties["assembly"] == "Game.Tests"
    found = [
        (suite.properties["mode"], case.class_name, case.name)
        for suite in suites(tmp_path / "1.xml")
        for case in suite.cases
    ]
    assert sorted(found) == sorted(
        (test.mode, test.fixture, test.name.rpartition(".")[2]) for test in mine
    )


def test_a_shard_without_tests_is_good_and_has_a_report(editor: Editor, tmp_path: Path) -> None:
    empty = next(n for n, part in enumerate(plan_of(TESTS, 50).fixtures, 1) if not part)
    status, _, _ = run("--shard", f"{empty}/50", "--junit", str(tmp_path / "x.xml"))
    (suite,) = suites(tmp_path / "x.xml")
    assert (status, list(suite.cases), suite.properties["tests_in_shard"]) == (0, [], "0")
    assert editor.asked[-1][1]["fixtures"] == []


@pytest.mark.parametrize("more, status", [((), 1), (("--allow-empty",), 0)])
def test_a_list_without_tests_is_good_only_where_that_is_allowed(
    editor: Editor, more: Tuple[str, ...], status: int
) -> None:
    editor.tests = []
    assert run("--shard", "1/2", *more)[0] == status


@pytest.mark.parametrize(
    "change, why",
    [
        (lambda ran: [*ran, {**ran[0], "name": "Game.F9.T0"}], "Game.F9.T0 ran"),
        (lambda ran: ran[1:], "Game.F0.T0 did not run"),
        # As many tests, and one of another name.
        (
            lambda ran: [{**ran[0], "name": "Game.F9.T0"}, *ran[1:]],
            "Game.F0.T0 did not run and Game.F9.T0 ran",
        ),
    ],
)
def test_a_run_of_other_tests_than_were_listed_is_not_good(
    editor: Editor, tmp_path: Path, change: Callable[[List[Any]], List[Any]], why: str
) -> None:
    editor.change = change
    status, _, err = run("--shard", "1/1", "--junit", str(tmp_path / "x.xml"))
    assert status == 1
    assert (
        f"The run was not of the shard's tests: {why}. They have changed since they were listed."
        in err
    )
    cases = [case for suite in suites(tmp_path / "x.xml") for case in suite.cases]
    assert [case.marks[0].kind for case in cases if case.marks] == ["error"]


@pytest.mark.parametrize("more, status", [(0, 0), (1, 1)])
def test_tests_that_are_only_counted_are_compared_by_their_number(
    editor: Editor, more: int, status: int
) -> None:
    editor.change = lambda ran: ran[:4]
    editor.total = len(TESTS) + more
    assert run("--shard", "1/1")[0] == status


def test_shards_are_divided_by_the_times_in_earlier_reports(editor: Editor, tmp_path: Path) -> None:
    slow = Case("Game.F0", "T0", 9_000_000)
    for name, time_us in (("a.xml", 9_000_000), ("b.xml", 1_000_000)):
        properties = {"mode": "edit", "assembly": "Game.Tests"}
        (tmp_path / name).write_bytes(
            junit_file.written([Suite("x", properties, [slow._replace(time_us=time_us)])])
        )
    durations = {Fixture("edit", "Game.Tests", "Game.F0"): 9_000_000}
    expected = plan_of(TESTS, 3, durations)
    # As a shell expands `--durations *.xml`; and the order of the files does not matter.
    for files in (["a.xml", "b.xml"], ["b.xml", "a.xml"]):
        first, *more = (str(tmp_path / name) for name in files)
        assert run("--shard", "1/3", "--durations", first, *more)[0] == 0
        assert [tuple(fixture) for fixture in editor.asked[-1][1]["fixtures"]] == list(
            expected.fixtures[0]
        )


def test_durations_of_another_suite_are_a_remark(editor: Editor, tmp_path: Path) -> None:
    properties = {"mode": "edit", "assembly": "Other.Tests"}
    cases = [Case("Other.F", "T", 9_000_000)]
    (tmp_path / "other.xml").write_bytes(junit_file.written([Suite("x", properties, cases)]))
    remark = "No file of --durations has a time for these tests"
    status, _, err = run("--shard", "1/3", "--durations", str(tmp_path / "other.xml"))
    assert status == 0 and remark in err
    assert remark not in run("--shard", "1/3")[2]


def test_a_usage_error_leaves_no_earlier_report_for_the_sum(editor: Editor, tmp_path: Path) -> None:
    report = tmp_path / "1.xml"
    assert run("--shard", "1/2", "--junit", str(report))[0] == 0
    # The report of the last run may have the durations for this one.
    assert run("--shard", "1/2", "--junit", str(report), "--durations", str(report))[0] == 0
    assert report.exists()
    assert run("--shard", "1/2", "--junit", str(report), "--durations", "absent.xml")[0] == 2
    assert not report.exists()


@pytest.mark.parametrize(
    "arguments, why",
    [
        (["--shard", "0/3"], "--shard is I/N"),
        (["--shard", "4/3"], "--shard is I/N"),
        (["--shard", "1/10001"], "N at most 10000"),
        (["--shard", "one"], "as in 2/8"),
        (["--shard", "1/2", "--failed"], "each editor knows only its own failures"),
        (["--durations", "a.xml"], "--durations needs --shard"),
        (["--shard", "1/2", "--durations", "absent.xml"], "absent.xml cannot be read"),
        (["--list", "--junit", "x.xml"], "--list and --junit exclude each other"),
    ],
)
def test_wrong_options_are_usage_errors_before_any_request(
    editor: Editor, arguments: List[str], why: str
) -> None:
    status, _, err = run(*arguments)
    assert (status, editor.asked) == (2, []) and why in err


@pytest.mark.parametrize(
    "compiled, why",
    [
        (
            JobEnd("failed", {**LOADED, "ok": False, "error_count": 1, "errors": [BROKEN]}),
            "do not compile",
        ),
        (
            JobEnd("succeeded", {**LOADED, "loaded": False, "pending_reason": "reload_locked"}),
            "does not run the code on disk",
        ),
        (
            JobEnd(
                "failed",
                error={
                    "code": "ERR_UNITY_EXECUTION",
                    "message": "Unity plays.",
                    "retryable": False,
                    "details": {},
                },
            ),
            "Unity plays.",
        ),
    ],
)
def test_code_that_is_not_loaded_ends_it_as_it_ends_a_run(
    editor: Editor, tmp_path: Path, compiled: JobEnd, why: str
) -> None:
    editor.compiled = compiled
    for arguments in (["--list"], ["--shard", "1/2", "--junit", str(tmp_path / "x.xml")]):
        status, _, err = run(*arguments)
        assert status == 1 and why in err
    assert [tool for tool, _ in editor.asked] == ["compile", "compile"]
    (suite,) = suites(tmp_path / "x.xml")
    assert suite.properties["shard"] == "1" and "list_digest" not in suite.properties
    assert why in suite.cases[0].marks[0].message


def test_compile_errors_are_printed_where_the_compiler_would(editor: Editor) -> None:
    editor.compiled = JobEnd(
        "failed", {**LOADED, "ok": False, "error_count": 1, "errors": [BROKEN]}
    )
    assert "Assets/A.cs(3,1): error CS0103: no such name" in run("--list")[1]


def test_a_plugin_without_the_command_is_to_be_updated(editor: Editor) -> None:
    editor.missing = ["run_command"]
    assert "plugin update" in run("--list")[2]
    editor.missing = []
    details = {"unity": {"reason": "unknown_command"}}
    editor.answer = JobEnd(
        "failed", error=Failure(ToolError(ErrorCode.INVALID_PARAMS, "?", details)).as_json()
    )
    status, _, err = run("--shard", "1/2")
    assert status == 1 and "plugin update" in err


@pytest.mark.parametrize(
    "spoil, why",
    [
        (lambda value: None, "is not in the form"),
        (lambda value: {**value, "tests": [["A.B"]]}, "is not in the form"),
        (lambda value: {**value, "tests": [["A.B", 1, "A", "G", []]]}, "is not in the form"),
        (lambda value: {**value, "next_cursor": 7}, "is not in the form"),
        (lambda value: {**value, "list_digest": "0" * 64}, "is not what its digest says"),
        (
            lambda value: {**value, "list_digest": value.get("next_cursor", "last")},
            "has changed while it was read",
        ),
        (lambda value: {**value, "tests": [], "next_cursor": "0"}, "has no end"),
    ],
)
def test_an_invalid_list_is_not_believed(
    editor: Editor, spoil: Callable[[Any], Any], why: str
) -> None:
    editor.spoil = spoil
    status, _, err = run("--shard", "1/2")
    assert status == 1 and f"The plugin's list of tests {why}" in err
    assert "run_tests" not in {tool for tool, _ in editor.asked}


# junit merge


def merge(*arguments: str) -> Tuple[int, str, str]:
    done = runner().invoke(cli, ["junit", "merge", *arguments])
    return done.exit_code, done.stdout, done.stderr


def test_the_reports_of_all_shards_become_one(editor: Editor, tmp_path: Path) -> None:
    files = [str(tmp_path / f"{number}.xml") for number in (1, 2, 3)]
    for number, file in enumerate(files, 1):
        run("--shard", f"{number}/3", "--junit", file)
    out = tmp_path / "sum.xml"
    assert merge(str(out), *files) == (0, f"{out}: 10 tests of 3 shards, 0 failed.\n", "")
    assert [suite.name for suite in suites(out)] == ["Game.Tests (edit)", "Game.Tests (play)"]

    status, _, err = merge(str(out), *files[1:], str(tmp_path / "absent.xml"))
    assert status == 1 and not out.exists()
    assert err.splitlines() == [
        f"{tmp_path / 'absent.xml'} cannot be read: No such file or directory.",
        "Shard 1 of 3 is missing.",
        f"The report is not complete, and {out} was not written.",
    ]


def test_the_sum_may_not_be_one_of_its_parts(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<testsuites/>")
    status, _, err = merge(str(tmp_path / "a.xml"), str(tmp_path / "a.xml"))
    assert status == 2 and "OUT is one of IN" in err
    assert (tmp_path / "a.xml").exists()
    assert merge(str(tmp_path / "a.xml"))[0] == 2


def test_a_sum_that_cannot_be_written_is_usage(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<testsuites/>")
    assert merge(str(tmp_path), str(tmp_path / "a.xml"))[0] == 2
