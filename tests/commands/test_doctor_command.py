"""``doctor`` as its user meets it: what it says, in which form, and its exit status."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, List

import pytest
from click.testing import CliRunner, Result

from unity_bridge.commands import doctor
from unity_bridge.installation.findings import Finding, Verdict

WELL = Finding("python", Verdict.OK, "Python 3.13")
WORTH_KNOWING = Finding("client", Verdict.NOTE, "no client", "add one")
BROKEN = Finding("port", Verdict.BAD, "held by pid 7 (a\nb \x1b[2J)", "end it")


@pytest.fixture
def finds(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes the doctor find what the test says."""

    def find(*findings: Finding) -> None:
        monkeypatch.setattr(doctor, "_findings", lambda *_: list(findings))

    return find


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(doctor.command, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.mark.parametrize(
    "findings, status",
    [([WELL], 0), ([WELL, WORTH_KNOWING], 0), ([WELL, WORTH_KNOWING, BROKEN], 1)],
)
def test_only_what_is_broken_makes_it_fail(
    finds: Any, findings: List[Finding], status: int
) -> None:
    finds(*findings)

    assert run().exit_code == status
    asked_by_a_script = run("--json")
    assert asked_by_a_script.exit_code == status
    assert json.loads(asked_by_a_script.output)["ok"] is (status == 0)


def test_a_line_for_each_check_and_one_for_its_fix(finds: Any) -> None:
    finds(WELL, BROKEN)

    assert run().output.splitlines() == [
        "ok   python         Python 3.13",
        "bad  port           held by pid 7 (a\\nb \\x1b[2J)",
        "                    -> end it",
        "Something is broken; the arrows say how to fix it.",
    ]


def test_the_same_for_a_script(finds: Any) -> None:
    finds(BROKEN)

    assert json.loads(run("--json").output)["result"]["checks"] == [
        {"check": "port", "verdict": "bad", "message": BROKEN.message, "remedy": "end it"}
    ]


def test_a_folder_that_is_no_project_is_a_wrong_argument(finds: Any, tmp_path: Path) -> None:
    finds(WELL)

    refused = run("--project", str(tmp_path))

    assert refused.exit_code == 2
    assert "is not a Unity project" in refused.output
