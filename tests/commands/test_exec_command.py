"""``exec``: where the code comes from, and what is printed of its result."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Dict

import click
import pytest
from click.testing import CliRunner

from unity_bridge.commands.exec import command, report
from unity_bridge.commands.shared.option_values import read_stdin


class Broken:
    """A terminal that has gone."""

    def __init__(self) -> None:
        self.buffer = self

    def read(self, most: int) -> bytes:
        raise OSError(5, "Input/output error")


MISSING = {"file": "snippet.cs", "line": 2, "column": 3, "code": "CS0103", "message": "no 'x'"}


@pytest.mark.parametrize(
    "result, out, err",
    [
        ({"ok": True, "value": None, "output": ""}, "", ""),
        ({"ok": True, "value": 3, "output": "a\nb\n"}, "a\nb\n3\n", ""),
        ({"ok": True, "value": {"ä": [1]}}, '{\n  "ä": [\n    1\n  ]\n}\n', ""),
        (
            {"ok": True, "value": None, "scenes_dirtied": ["Assets/A.unity"]},
            "",
            "Scenes with changes that are not saved: Assets/A.unity.\n",
        ),
        (
            {"ok": False, "error_count": 1, "errors": [MISSING]},
            "Fix.cs(2,3): error CS0103: no 'x'\n",
            "The code does not compile; nothing was run.\n",
        ),
        (
            {"ok": False, "error_count": 3, "errors": [{"message": "m"}]},
            "error: m\n",
            "... and 2 more errors.\n",
        ),
    ],
    ids=["nothing", "output, then the value", "a value is JSON", "scenes", "errors", "more errors"],
)
def test_the_value_and_the_output_are_printed(
    result: Dict[str, Any], out: str, err: str, capsys: pytest.CaptureFixture[str]
) -> None:
    report(result, "Fix.cs")
    assert capsys.readouterr() == (out, err)


@pytest.mark.parametrize(
    "arguments", [[], ["1", "-f", "a.cs"], ["-f", "nowhere.cs"], ["-f", "latin.cs"]]
)
def test_code_that_cannot_be_read_is_a_usage_error(
    arguments: Any, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "latin.cs").write_bytes(b"\xe4")
    done = CliRunner().invoke(command, arguments)
    assert done.exit_code == 2 and "Usage:" in done.output


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="Windows has no such file")
def test_no_more_is_read_than_a_call_can_carry() -> None:
    for arguments, stdin in ((["-f", "/dev/zero"], b""), (["-"], b"1" * 16_777_217)):
        done = CliRunner().invoke(command, arguments, input=stdin)
        assert done.exit_code == 2 and "is larger than 16777216 bytes" in done.output


@pytest.mark.parametrize("stdin", [None, Broken()])
def test_an_absent_stdin_is_a_usage_error(stdin: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", stdin)
    with pytest.raises(
        click.UsageError, match="stdin (is closed|cannot be read: Input/output error)"
    ):
        read_stdin()
