"""``bin/test``: counts what ran, fails if no test ran, and more arguments drop none of its checks."""

from __future__ import annotations

import errno
import importlib.machinery
import importlib.util
import os
import sys
import tempfile
from pathlib import Path
from typing import Any, List

import pytest

from tests import checks
from tests.checks import Count
from tests.layers import LAYERS

PATH = Path(__file__).parent.parent / "bin" / "test"
NO_TEST_RUNS = {"static", "platforms", "ruff", "soak", "audit"}


def loaded() -> Any:
    loader = importlib.machinery.SourceFileLoader("bin_test", str(PATH))
    spec = importlib.util.spec_from_loader("bin_test", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> Any:
    """bin/test on a machine that has every Python."""
    module = loaded()
    monkeypatch.setattr(module, "python", lambda version: "/usr/bin/python")
    monkeypatch.setattr(
        checks, "alongside", lambda others, steps: steps().plus(module.run(others[-1], None, []))
    )
    return module


class Pytest:
    """Stands in for pytest: writes this report and returns this status."""

    def __init__(self, status: int, report: str) -> None:
        self.status, self.report = status, report
        self.words: List[str] = []

    def __call__(self, words: List[str], **variables: str) -> int:
        self.words = words
        if self.report:
            Path(words[words.index("--junitxml") + 1]).write_text(self.report)
        return self.status


def report(tests: int, failures: int = 0, errors: int = 0, skipped: int = 0) -> str:
    counts = f'tests="{tests}" failures="{failures}" errors="{errors}" skipped="{skipped}"'
    return f"<testsuites><testsuite {counts}/></testsuites>"


@pytest.mark.parametrize(
    ("status", "written", "counted"),
    [
        (0, report(5, skipped=2), Count(3, 0, 2)),
        (1, report(5, failures=1, errors=1), Count(3, 2, 0)),
        # pytest crashed, was killed, or could not write
        (3, report(5), Count(5, 1)),
        (-9, "", Count(0, 1)),
        (1, "<testsuites><tests", Count(0, 1)),
        (0, "", Count(0, 1)),
        (5, report(0), Count(0, 1)),
        (0, report(0), Count(0, 1)),
    ],
)
def test_a_run_is_counted_and_one_without_a_result_has_failed(
    status: int, written: str, counted: Count
) -> None:
    assert checks.tested(Pytest(status, written), "quick", []) == counted


def test_a_folder_that_cannot_be_removed_costs_no_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: str, **_: object) -> None:
        raise OSError(errno.ENOTEMPTY, "Directory not empty", path)

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with monkeypatch.context() as patched:
        patched.setattr(os, "rmdir", refused)
        assert checks.tested(Pytest(0, report(5)), "quick", []) == Count(5)


def test_arguments_narrow_a_layer_and_change_nothing_else(program: Any) -> None:
    run = Pytest(0, report(1))
    checks.tested(run, "quick", ["-k", "reload"])
    assert run.words[-2:] == ["-k", "reload"] and set(LAYERS["quick"]) <= set(run.words)
    checks.tested(run, "decisions", ["tests/conversations/test_jobs.py"])
    assert [word for word in run.words if word.startswith("tests/")] == [
        "tests/conversations/test_jobs.py"
    ]

    ran: List[Any] = []

    def done(step: str, version: Any, executable: str, kind: str, arguments: List[str]) -> Count:
        ran.append((step, arguments))
        return Count(1)

    program.done = done
    assert program.main(["quick", "tests/unity"]) == 0
    assert ran == [("static", ["tests/unity"]), ("quick", ["tests/unity"])]


@pytest.mark.parametrize(
    "arguments", [[], ["quick"], ["quick", "-k", "nothing"], ["-k", "nothing"], ["save"]]
)
def test_a_run_without_a_test_fails(
    program: Any, capsys: pytest.CaptureFixture[str], arguments: List[str]
) -> None:
    program.done = lambda *_: Count(checks=1)
    assert program.main(arguments) == 1
    assert "no test ran" in capsys.readouterr().out


def test_a_failure_of_any_step_fails_the_run(program: Any) -> None:
    program.done = lambda step, *_: Count(failed=1) if step == "static" else Count(5)
    assert program.main(["quick"]) == 1


@pytest.mark.parametrize(
    ("printed", "status", "counted"),
    [
        ("a line\n2 passed, 0 failed, 1 skipped; 3 other checks", 0, Count(3, 0, 1, 3)),
        ("2 passed, 1 failed, 0 skipped; 0 other checks", 1, Count(3, 1)),
        # It crashed, before or behind its last line.
        ("2 passed, 0 failed, 0 skipped; 0 other checks", -9, Count(3, 1)),
        ("Traceback", 1, Count(1, 1)),
        ("", 0, Count(1, 1)),
    ],
)
def test_tests_that_run_next_to_the_steps_are_counted_too(
    capsys: pytest.CaptureFixture[str], printed: str, status: int, counted: Count
) -> None:
    ends = f"import os, sys; print({printed!r}, flush=True); " + (
        "os.abort()" if status < 0 else f"sys.exit({status})"
    )
    assert checks.alongside([sys.executable, "-c", ends], lambda: Count(1)) == counted
    assert printed in capsys.readouterr().out


def test_everything_runs_on_three_pythons_and_a_named_one_alone(program: Any) -> None:
    ran: List[Any] = []

    def done(step: str, version: Any, *_: Any) -> Count:
        ran.append((step, version))
        return Count(1)

    program.done = done
    assert program.main([]) == 0
    assert {version for _, version in ran} == {
        program.newest(None)[0],
        program.environment.WITH_SDK,
        program.OLDEST,
    }
    assert {"static", "slow", "windows", "sdk", "marked"} <= {step for step, _ in ran}
    assert {version for _, version, *_ in program.steps("everything", (3, 9))} == {(3, 9)}
    assert program.main(["--python", "new"]) == 2


def test_each_layer_is_described_and_each_step_is_known() -> None:
    program = loaded()
    for plan, steps in program.PLANS.items():
        assert plan in ("alone", "everything") or f"bin/test {plan}" in program.__doc__
        assert all(step in LAYERS or step in NO_TEST_RUNS for _, step in steps), plan


def test_each_path_of_a_layer_is_there() -> None:
    for layer, words in LAYERS.items():
        for word in words:
            path = word.split("::")[0].split("=")[-1]
            assert not path.startswith("tests/") or os.path.exists(PATH.parent.parent / path), (
                layer,
                word,
            )
