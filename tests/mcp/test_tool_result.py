"""What becomes of a call's outcome: said twice and alike, an error only where there is one,
pictures as pictures.
"""

from __future__ import annotations

import json
from typing import Any, Dict

import pytest

from unity_bridge.base.errors import ErrorCode, ToolError
from unity_bridge.base.result import Err, Ok
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.catalogue.calls import Failure
from unity_bridge.catalogue.tool import Tool
from unity_bridge.mcp.client_calls import Ended
from unity_bridge.mcp.tool_result import tool_result

RUN_TESTS, STATUS = CATALOGUE["run_tests"], CATALOGUE["get_job_status"]
SCREENSHOT = CATALOGUE["screenshot"]
FAILED_RUN = {
    "job_id": "j",
    "state": "failed",
    "progress": None,
    "result": {"summary": {"failed": 1}},
}
NOT_CARRIED_OUT = {**FAILED_RUN, "result": None, "error": {"code": "ERR_UNITY_EXECUTION"}}


def said(*arguments: Any, **options: Any) -> Dict[str, Any]:
    text = b"".join(tool_result(Ended(*arguments), 24_000, **options)).decode("utf-8")
    assert "\n" not in text
    return dict(json.loads(text))


@pytest.mark.parametrize(
    "payload", [{}, {"a": [1, 2.5, None, True, '"\\\n\u2027日本語 😀']}, FAILED_RUN]
)
def test_a_result_is_structure_and_the_same_as_text(payload: Dict[str, Any]) -> None:
    result = said(Ok(payload), None)
    assert result["structuredContent"] == payload
    assert result["isError"] is False
    ((block),) = result["content"]
    assert (block["type"], json.loads(block["text"])) == ("text", payload)


def test_a_result_as_text_only_is_the_same_text_without_the_structure() -> None:
    both, text_only = (said(Ok(FAILED_RUN), RUN_TESTS, text_only=only) for only in (False, True))
    del both["structuredContent"]
    assert text_only == both


@pytest.mark.parametrize(
    "outcome", [Ok(NOT_CARRIED_OUT), Err(Failure(ToolError(ErrorCode.QUEUE_FULL, "Too many.")))]
)
def test_an_error_keeps_its_structure(outcome: Any) -> None:
    assert "structuredContent" in said(outcome, RUN_TESTS, text_only=True)


def test_a_failure_is_an_error_and_says_why() -> None:
    failure = Failure(ToolError(ErrorCode.QUEUE_FULL, "Too many."), "req-1", RUN_TESTS)
    result = said(Err(failure), RUN_TESTS)
    assert result["isError"] is True
    assert result["structuredContent"] == {"error": failure.as_json()}


def test_a_job_that_could_not_be_carried_out_is_an_error_and_one_that_found_faults_is_not() -> None:
    assert said(Ok(NOT_CARRIED_OUT), RUN_TESTS)["isError"] is True
    assert said(Ok(FAILED_RUN), RUN_TESTS)["isError"] is False


def test_a_question_that_was_answered_is_no_error_whatever_the_answer() -> None:
    assert said(Ok(NOT_CARRIED_OUT), STATUS)["isError"] is False


@pytest.mark.parametrize(("format", "mime_type"), [("jpg", "image/jpeg"), ("png", "image/png")])
def test_a_picture_is_shown_with_its_facts_and_nothing_else(format: str, mime_type: str) -> None:
    shot = {"image": "aGVsbG8=", "format": format, "width": 8, "height": 4, "fresh": True}
    result = said(Ok(shot), SCREENSHOT)
    picture, text = result["content"]
    assert picture == {"type": "image", "data": "aGVsbG8=", "mimeType": mime_type}
    assert json.loads(text["text"]) == {"width": 8, "height": 4, "fresh": True}
    assert "structuredContent" not in result
    assert result["isError"] is False


@pytest.mark.parametrize("tool", [CATALOGUE["run_command"], STATUS], ids=["call", "status"])
def test_the_picture_of_a_recording_is_shown_next_to_its_facts(tool: Tool) -> None:
    image = {"data": "aGVsbG8=", "mime_type": "image/jpeg", "width": 8, "height": 4}
    recording = {"value": {"frames": 9}, "image": image}
    status = {
        "job_id": "j",
        "tool": "run_command",
        "state": "succeeded",
        "progress": None,
        "result": recording,
    }
    result = said(Ok(status), tool)
    picture, text = result["content"]
    assert picture == {"type": "image", "data": "aGVsbG8=", "mimeType": "image/jpeg"}
    shown = json.loads(text["text"])["result"]
    assert shown == {"value": {"frames": 9}, "image": {"width": 8, "height": 4}}
    assert "structuredContent" not in result


def test_an_image_of_a_tool_that_was_never_checked_is_no_picture() -> None:
    status = {
        "job_id": "j",
        "tool": "film",
        "state": "succeeded",
        "progress": None,
        "result": {"image": {"data": "x"}},
    }
    assert "structuredContent" in said(Ok(status), STATUS)


def test_a_picture_that_could_not_be_taken_is_a_failure_like_any_other() -> None:
    failure = Failure(ToolError(ErrorCode.EDITOR_NOT_READY, "No."), "req-1", SCREENSHOT)
    assert said(Err(failure), SCREENSHOT)["structuredContent"] == {"error": failure.as_json()}


def test_the_clients_own_id_and_the_protocols_stamp_share_one_meta() -> None:
    stamp = {"resultType": "complete", "_meta": {"server": {"name": "x"}}}
    result = said(Ok({}), None, "mine", stamp=stamp)
    assert result["_meta"] == {"server": {"name": "x"}, "unity-bridge/client_request_id": "mine"}
    assert result["resultType"] == "complete"
    assert stamp["_meta"] == {"server": {"name": "x"}}


def test_half_a_character_is_replaced() -> None:
    assert said(Ok({"text": "half \ud83d of it"}), None)["structuredContent"] == {
        "text": "half \ufffd of it"
    }


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_invalid_json_is_never_written(number: float) -> None:
    with pytest.raises(ValueError):
        tool_result(Ended(Ok({"number": number})), 24_000)
