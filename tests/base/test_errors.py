"""SPEC §8: the table of the error codes, written out once more, and the object that is made of a
row.
"""

from __future__ import annotations

from typing import Any, Optional

import pytest

from unity_bridge.base.errors import ERRORS, ErrorCode, Guarantee, ToolError, error_object
from unity_bridge.base.reasons import REASONS
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.catalogue.calls import Failure

# code, retryable for: a read, a tool that runs something, a control tool; execution guarantee
TABLE = [
    ("ERR_INVALID_REQUEST", False, False, False, "not_executed"),
    ("ERR_INVALID_PARAMS", False, False, False, "not_executed"),
    ("ERR_UNKNOWN_COMMAND", False, False, False, "not_executed"),
    ("ERR_JOB_NOT_FOUND", False, False, False, "not_executed"),
    ("ERR_CANCEL_NOT_SUPPORTED", False, False, False, "not_executed"),
    ("ERR_EDITOR_NOT_READY", True, True, True, "not_executed"),
    ("ERR_UNITY_DISCONNECTED", True, True, True, "not_executed"),
    ("ERR_COMPILE_TIMEOUT", True, True, True, "not_executed"),
    ("ERR_QUEUE_FULL", True, True, True, "not_executed"),
    ("ERR_RECONFIG_IN_PROGRESS", True, True, True, "not_executed"),
    ("ERR_RECONNECT_TIMEOUT", True, False, False, "unknown"),
    ("ERR_REQUEST_TIMEOUT", True, False, False, "unknown"),
    ("ERR_INVALID_RESPONSE", True, False, False, "unknown"),
    ("ERR_CANCEL_REJECTED", False, False, False, "unknown"),
    ("ERR_UNITY_EXECUTION", False, False, False, "completed_error"),
]


def test_the_table_has_every_code_and_no_other() -> None:
    assert {row[0] for row in TABLE} == {code.value for code in ErrorCode}
    assert set(ERRORS) == set(ErrorCode)


@pytest.mark.parametrize(
    "code, read, run, control, guarantee", TABLE, ids=[row[0] for row in TABLE]
)
def test_each_code_has_its_row_of_the_table(
    code: str, read: bool, run: bool, control: bool, guarantee: str
) -> None:
    reads = ("read_console", "screenshot", "inspect", "get_editor_state")
    retryable = {**dict.fromkeys(reads, read), "run_tests": run}
    for tool in CATALOGUE.values():
        error = Failure(ToolError(ErrorCode(code), "what happened"), "req-1", tool).as_json()
        assert error["retryable"] is retryable.get(tool.name, control), tool.name
        assert error["details"]["execution_guarantee"] == guarantee
        assert error["details"]["request_id"] == "req-1"
        assert (error["code"], error["message"]) == (code, "what happened")


RETRYABLE = {"busy", "building", "baking"}


@pytest.mark.parametrize("reason", REASONS)
@pytest.mark.parametrize("tool", ["read_console", "run_command"])
def test_a_refusal_is_retryable_by_its_reason_for_all_tools(reason: str, tool: str) -> None:
    def is_retryable(**details: Any) -> bool:
        refused = ToolError(
            ErrorCode.UNITY_EXECUTION,
            "x",
            {"reason": reason, **details},
            known_guarantee=Guarantee.NOT_EXECUTED,
        )
        return bool(Failure(refused, tool=CATALOGUE[tool]).as_json()["retryable"])

    assert is_retryable() is (reason in RETRYABLE)
    # Another client is in the way, and will be done; its Undo step stays.
    if "held_by" in REASONS[reason].members:
        assert is_retryable(held_by={"client": "claude-code"}) is (reason != "not_ours")


@pytest.mark.parametrize(
    "reason", ["unity_not_running", "other_project", "disconnected", "several_editors"]
)
def test_a_refusal_that_only_a_person_can_end_asks_for_the_user(reason: str) -> None:
    error = error_object(ToolError(ErrorCode.EDITOR_NOT_READY, "x", {"reason": reason}))

    assert (error["retryable"], error["details"]["recovery"]) == (False, "ask_the_user")
    assert (
        error_object(ToolError(ErrorCode.EDITOR_NOT_READY, "x", {"reason": "stopping"}))[
            "retryable"
        ]
        is True
    )


@pytest.mark.parametrize("code", list(ErrorCode))
def test_every_code_says_how_to_recover_in_one_word(code: ErrorCode) -> None:
    recovery = error_object(ToolError(code, "x"))["details"]["recovery"]
    assert recovery and recovery.replace("_", "").isalpha()


def test_a_read_with_an_unknown_end_is_repeated_and_a_run_is_checked_first() -> None:
    for code in (
        ErrorCode.RECONNECT_TIMEOUT,
        ErrorCode.REQUEST_TIMEOUT,
        ErrorCode.INVALID_RESPONSE,
    ):
        of_a_read, of_a_run = (
            Failure(ToolError(code, "x"), tool=CATALOGUE[name]).as_json()["details"]["recovery"]
            for name in ("read_console", "run_tests")
        )
        assert (of_a_read, of_a_run) == ("wait_and_retry", "check_what_ran_before_retrying")


def test_without_a_tool_nothing_of_doubt_is_to_be_repeated() -> None:
    for code in (ErrorCode.REQUEST_TIMEOUT, ErrorCode.UNITY_EXECUTION):
        assert Failure(ToolError(code, "x")).as_json()["retryable"] is False


@pytest.mark.parametrize("request_id", [None, "req-1"])
def test_details_add_to_the_row_and_never_overrule_it(request_id: Optional[str]) -> None:
    details: Any = {
        "port": 8091,
        "execution_guarantee": "none",
        "recovery": "none",
        "request_id": "forged",
    }
    error = error_object(ToolError(ErrorCode.QUEUE_FULL, "x", details), request_id=request_id)[
        "details"
    ]
    assert (error["execution_guarantee"], error["recovery"]) == ("not_executed", "wait_and_retry")
    assert error["request_id"] == (request_id or "forged")
    assert error["port"] == 8091


def test_a_case_may_know_more_than_the_table_does() -> None:
    error = ToolError(ErrorCode.UNITY_EXECUTION, "refused", known_guarantee=Guarantee.NOT_EXECUTED)
    assert error.guarantee is Guarantee.NOT_EXECUTED
    assert error_object(error)["details"]["execution_guarantee"] == "not_executed"
