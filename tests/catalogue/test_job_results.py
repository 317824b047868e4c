"""What of a job's result was asked for, whatever the plugin sent (SPEC §16, §20.3)."""

from __future__ import annotations

from typing import Any, Dict, List

import pytest

from unity_bridge.base.result import Err, Ok
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.catalogue.request_validator import RequestValidator

VALIDATOR = RequestValidator()
INHERITED: Dict[str, Any] = {}  # of a job that another server submitted nobody knows what was asked


def asked(tool: str, result: Any, **arguments: Any) -> Any:
    call = VALIDATOR.validate(tool, arguments)
    assert isinstance(call, Ok)
    checked = VALIDATOR.checked_result(CATALOGUE[tool], call.value.params, result)
    assert isinstance(checked, Ok), checked
    assert VALIDATOR.check_result(CATALOGUE[tool], checked.value) is None
    return checked.value


def messages(count: int) -> List[Dict[str, Any]]:
    return [{"file": "Assets/A.cs", "line": n, "message": f"CS{n}"} for n in range(count)]


def compiled(**fields: Any) -> Dict[str, Any]:
    return {
        "ok": False,
        "changed": True,
        "reloaded": False,
        "error_count": 0,
        "warning_count": 0,
        "errors": [],
        "truncated": False,
        **fields,
    }


def test_at_most_fifty_errors_are_returned() -> None:
    fifty = compiled(errors=messages(50), error_count=50)
    assert asked("compile", fifty) == fifty
    result = asked("compile", compiled(errors=messages(3000), error_count=3000))
    assert (result["errors"], result["truncated"], result["error_count"]) == (
        messages(50),
        True,
        3000,
    )


@pytest.mark.parametrize(
    "arguments, sent, kept, is_cut",
    [({}, 60, None, False), ({"warnings": True}, 60, 50, True), ({"warnings": True}, 3, 3, False)],
)
def test_warnings_are_returned_on_request(
    arguments: Any, sent: int, kept: Any, is_cut: bool
) -> None:
    result = asked("compile", compiled(warnings=messages(sent), warning_count=sent), **arguments)
    assert result.get("warnings") == (None if kept is None else messages(kept))
    assert (result["truncated"], result["warning_count"]) == (is_cut, sent)


def run(**fields: Any) -> Dict[str, Any]:
    summary = {"total": 1, "passed": 1, "failed": 0, "skipped": 0, "duration_ms": 5}
    return {"summary": summary, "failed_tests": [], "code_fresh": True, **fields}


def test_passed_tests_are_returned_on_request() -> None:
    passed = [
        {"name": "A.T", "mode": "edit", "assembly": "Game", "fixture": "A", "duration_ms": 1.5}
    ]
    both = run(passed_tests=passed, skipped_tests=[{**passed[0], "message": None}])
    assert asked("run_tests", both) == run()
    assert asked("run_tests", both, include_passed=True) == both
    assert asked("run_tests", run()) == run()


def test_the_fields_of_a_test_have_their_types() -> None:
    misfits: List[Any] = [{"mode": 7}, {"assembly": None}, {"fixture": []}, {"duration_ms": "1"}]
    for wrong in misfits:
        sent = run(failed_tests=[{"name": "A.T", **wrong}])
        assert isinstance(VALIDATOR.checked_result(CATALOGUE["run_tests"], INHERITED, sent), Err), (
            wrong
        )


def test_fixtures_are_taken_and_in_no_list() -> None:
    fixtures = [["edit", "Game.Tests", "Game.A"], ["play", "", ""]]
    call = VALIDATOR.validate("run_tests", {"fixtures": fixtures})
    assert isinstance(call, Ok) and call.value.params["fixtures"] == fixtures
    without = VALIDATOR.validate("run_tests", {})
    assert isinstance(without, Ok) and "fixtures" not in without.value.params
    assert "fixtures" not in CATALOGUE["run_tests"].published_schema["properties"]
    unknown = VALIDATOR.validate("run_tests", {"colour": 1})
    assert isinstance(unknown, Err) and "fixtures" not in unknown.error.error.message
    misfits: List[Any] = ["Game.A", [["edit", "Game"]], [["edit", "Game", 1]], [{}]]
    for wrong in misfits:
        assert isinstance(VALIDATOR.validate("run_tests", {"fixtures": wrong}), Err), wrong


def test_the_compile_part_of_a_run_is_cut_as_for_compile() -> None:
    result = asked("run_tests", run(compile=compiled(errors=messages(60), warnings=messages(60))))
    assert result["compile"]["errors"] == messages(50) and result["compile"]["truncated"] is True
    assert "warnings" not in result["compile"]


def test_the_compile_part_of_a_run_needs_only_a_verdict() -> None:
    assert asked("run_tests", run(compile={"ok": True})) == run(compile={"ok": True})
    assert asked("run_tests", run(compile={"ok": False}))["code_fresh"] is False
    checked = VALIDATOR.checked_result(
        CATALOGUE["run_tests"], INHERITED, run(compile={"changed": True})
    )
    assert isinstance(checked, Err)


def test_an_inherited_job_loses_only_what_exceeds_the_limit() -> None:
    passed = run(passed_tests=[{"name": "A", "duration_ms": 1}])
    assert VALIDATOR.checked_result(CATALOGUE["run_tests"], INHERITED, passed) == Ok(passed)
    few = compiled(warnings=messages(3))
    assert VALIDATOR.checked_result(CATALOGUE["compile"], INHERITED, few) == Ok(few)


@pytest.mark.parametrize("result", [None, [], "text", 7, {"ok": "yes"}])
def test_an_invalid_result_is_refused(result: Any) -> None:
    assert isinstance(VALIDATOR.checked_result(CATALOGUE["compile"], INHERITED, result), Err)


def test_a_list_of_all_commands_is_filtered_by_the_search() -> None:
    rows = [
        {"name": name, "signature": f"{name}()", "description": f"About {name}."}
        for name in ("ping", "save_all")
    ]
    assert asked("run_command", {"commands": rows}, query="SAVE about") == {"commands": rows[1:]}
    assert asked("run_command", {"commands": rows, "unlisted": 3}) == {
        "commands": rows,
        "unlisted": 3,
    }
