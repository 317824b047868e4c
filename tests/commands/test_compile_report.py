"""What ``compile`` prints: lines that terminals and editors link, and one line that says how it
went.
"""

from __future__ import annotations

from typing import Any, Dict

import pytest

from unity_bridge.commands.compile import faults, report
from unity_bridge.commands.shared.error_lines import compile_errors, message_line

MISSING = {
    "file": "Assets/Keep/Door.cs",
    "line": 12,
    "column": 9,
    "code": "CS0103",
    "message": "no 'Lamp' here",
}


def result(**more: Any) -> Dict[str, Any]:
    compiled = {
        "ok": True,
        "changed": True,
        "reloaded": True,
        "duration_ms": 3210,
        "error_count": 0,
        "warning_count": 1,
    }
    return {**compiled, "errors": [], "truncated": False, **more}


@pytest.mark.parametrize(
    "message, line",
    [
        (MISSING, "Assets/Keep/Door.cs(12,9): error CS0103: no 'Lamp' here"),
        ({**MISSING, "column": 0}, "Assets/Keep/Door.cs(12,1): error CS0103: no 'Lamp' here"),
        ({**MISSING, "line": 0}, "Assets/Keep/Door.cs: error CS0103: no 'Lamp' here"),
        (
            {"file": None, "line": 0, "code": "", "message": "a broken asmdef"},
            "error: a broken asmdef",
        ),
        ({"message": "two\nlines\x1b[2J"}, "error: two lines\\x1b[2J"),
    ],
)
def test_an_error_is_one_line_with_its_place(message: Dict[str, Any], line: str) -> None:
    assert message_line(message, "error") == line


@pytest.mark.parametrize(
    "compiled, summary",
    [
        (result(), "Compiled: 0 errors, 1 warning in 3.2 s."),
        (
            result(changed=False, reloaded=False),
            "Nothing had changed; the scripts compile (0 errors, 1 warning).",
        ),
        (
            result(reloaded=False, reason="reloading is locked"),
            "Compiled: 0 errors, 1 warning in 3.2 s. They are not loaded yet (reloading is locked).",
        ),
        (result(reloaded=False, loaded=True), "Compiled: 0 errors, 1 warning in 3.2 s."),
        (
            result(ok=False, error_count=1, errors=[MISSING]),
            "The scripts do not compile: 1 error, 1 warning in 3.2 s.",
        ),
    ],
)
def test_the_summary_goes_to_stderr(
    compiled: Dict[str, Any], summary: str, capsys: pytest.CaptureFixture[str]
) -> None:
    report(compiled)
    out, err = capsys.readouterr()
    assert err.splitlines()[-1] == summary
    assert out == "".join(message_line(error, "error") + "\n" for error in compiled["errors"])


@pytest.mark.parametrize(
    "more, fault",
    [
        ({"reason": "The game plays.\x1b"}, "compiled, not loaded: The game plays.\\x1b"),
        (
            {},
            "compiled, not loaded: the editor is in play mode. Leave play mode, then compile again",
        ),
    ],
)
def test_code_that_is_not_loaded_is_a_fault_and_no_summary(
    more: Dict[str, Any], fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    compiled = result(reloaded=False, loaded=False, pending_reason="playing", **more)
    report(compiled)
    assert (capsys.readouterr().err, faults(compiled)) == ("", [fault])


def test_scenes_that_were_opened_again_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    report(result(scenes_reloaded=["Assets/A.unity"]))
    assert "Opened again, because its file had changed: Assets/A.unity" in capsys.readouterr().err


def test_errors_that_did_not_fit_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    report(result(ok=False, error_count=70, errors=[MISSING] * 50))
    assert "... and 20 more errors." in capsys.readouterr().err


def test_a_run_that_did_not_compile_names_its_errors() -> None:
    error = {
        "message": "the scripts do not compile",
        "details": {"reason": "compile_errors", "errors": [MISSING, "?"]},
    }
    assert compile_errors(error) == ["Assets/Keep/Door.cs(12,9): error CS0103: no 'Lamp' here"]
    assert compile_errors({"message": "else", "details": {"reason": "playing"}}) == []
    assert compile_errors(None) == []
