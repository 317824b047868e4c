"""SPEC §11.7, §16.1: whether the editor runs the code that is on disk, from the plugin's message to
the answer.
"""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import pytest

from tests.fakes import InMemoryBridge
from tests.tool_results import COMPILED, CONSOLE, PASSED

LOCKED: Dict[str, Any] = {
    **COMPILED,
    "reloaded": False,
    "loaded": False,
    "pending_reason": "reload_locked",
}


pytestmark = pytest.mark.usefixtures("connected")


def code(bridge: InMemoryBridge) -> Tuple[Optional[str], Optional[str]]:
    answer = bridge.agent.calls("get_editor_state").answer
    assert (
        bridge.validator.check_result(bridge.validator.catalogue["get_editor_state"], answer)
        is None
    )
    return answer["code"], answer.get("pending_reason")


def ended(bridge: InMemoryBridge, tool: str, state: str, **fields: Any) -> Dict[str, Any]:
    """The answer to a call of ``tool`` whose job the plugin ends like this."""
    call = bridge.agent.calls(tool)
    bridge.editor.accepts_job()
    bridge.editor.reports_job(state, **fields)
    return call.answer


# get_editor_state


def test_a_plugin_that_reports_no_code_leaves_it_unknown(bridge: InMemoryBridge) -> None:
    assert code(bridge) == (None, None)


def test_hello_reports_pending_code(bridge: InMemoryBridge) -> None:
    bridge.editor.vanishes()
    bridge.editor.connects(code="pending", pending_reason="reload_locked")
    assert code(bridge) == ("pending", "reload_locked")


def test_a_status_or_a_pong_changes_it_and_their_silence_does_not(bridge: InMemoryBridge) -> None:
    bridge.editor.says(
        "editor_status", state="ready", seq=1, code="pending", pending_reason="playing"
    )
    assert code(bridge) == ("pending", "playing")
    bridge.editor.says("editor_status", state="ready", seq=2)
    bridge.editor.says("pong", pending_reason="requested")
    assert code(bridge) == ("pending", "playing"), "without code the reason is unchanged too"
    bridge.editor.says("pong", code="loaded", pending_reason="playing")
    assert code(bridge) == ("loaded", None), "loaded code waits for nothing"


def test_words_of_a_later_contract_claim_nothing(bridge: InMemoryBridge) -> None:
    bridge.editor.says("pong", code="pending", pending_reason="full_moon")
    assert code(bridge) == ("pending", "unknown")
    bridge.editor.says("pong", code="half_loaded")
    assert code(bridge) == ("pending", "unknown")
    bridge.editor.says("pong", code="pending")
    assert code(bridge) == ("pending", "unknown")


def test_it_is_not_known_once_the_connection_is_gone(bridge: InMemoryBridge) -> None:
    bridge.editor.says("pong", code="pending", pending_reason="playing")
    bridge.editor.vanishes()
    assert code(bridge) == (None, None)
    bridge.editor.connects()
    assert code(bridge) == (None, None)


# Parking


@pytest.mark.parametrize(
    "reason", ["compile_errors", "playing", "reload_locked", "requested", "unknown"]
)
def test_pending_code_parks_no_call(bridge: InMemoryBridge, reason: str) -> None:
    bridge.editor.says(
        "pong", editor_state="ready", code="pending", pending_reason=reason, playing=True
    )
    read = bridge.agent.calls("read_console")
    bridge.editor.answers(CONSOLE)
    assert read.answer == CONSOLE
    leaves = bridge.agent.calls("play_mode", action="exit")
    assert bridge.editor.last("submit_job")["params"]["action"] == "exit"
    bridge.editor.accepts_job()
    bridge.editor.reports_job(
        "succeeded", result={"playing": False, "paused": False, "frame": 9, "changed": True}
    )
    assert leaves.answer["state"] == "succeeded"


def test_a_compilation_that_runs_still_parks(bridge: InMemoryBridge) -> None:
    bridge.editor.says(
        "editor_status", state="compiling", seq=1, code="pending", pending_reason="requested"
    )
    bridge.agent.calls("read_console")
    assert bridge.editor.heard("execute") == []


# compile


def test_code_that_is_compiled_and_not_loaded_is_a_success_that_says_so(
    bridge: InMemoryBridge,
) -> None:
    answer = ended(
        bridge, "compile", "succeeded", result={**LOCKED, "reason": "A script locks the reload."}
    )
    assert answer["state"] == "succeeded" and "error" not in answer
    assert (answer["result"]["ok"], answer["result"]["loaded"]) == (True, False)
    assert answer["result"]["pending_reason"] == "reload_locked"
    assert answer["result"]["reason"] == "A script locks the reload."


@pytest.mark.parametrize("said", [{"pending_reason": "full_moon"}, {"pending_reason": None}])
def test_a_reason_that_the_contract_does_not_name_is_unknown(
    bridge: InMemoryBridge, said: Dict[str, Any]
) -> None:
    result = {name: value for name, value in {**LOCKED, **said}.items() if value is not None}
    assert (
        ended(bridge, "compile", "succeeded", result=result)["result"]["pending_reason"]
        == "unknown"
    )


def test_scripts_that_do_not_compile_are_not_loaded_whatever_is_said(
    bridge: InMemoryBridge,
) -> None:
    said = {**COMPILED, "ok": False, "error_count": 1, "loaded": True}
    result = ended(bridge, "compile", "failed", result=said)["result"]
    assert (result["ok"], result["loaded"], result["pending_reason"]) == (
        False,
        False,
        "compile_errors",
    )


def test_a_plugin_of_others_may_say_nothing_of_it(bridge: InMemoryBridge) -> None:
    assert ended(bridge, "compile", "succeeded", result=COMPILED)["result"] == COMPILED


def test_scenes_that_were_opened_again_are_named(bridge: InMemoryBridge) -> None:
    scenes = ["Assets/Courtyard.unity"]
    result = {**COMPILED, "loaded": True, "scenes_reloaded": scenes}
    assert (
        ended(bridge, "compile", "succeeded", result=result)["result"]["scenes_reloaded"] == scenes
    )


# run_tests


@pytest.mark.parametrize("fresh", [True, False, None])
def test_the_tests_say_whether_their_code_is_what_is_on_disk(
    bridge: InMemoryBridge, fresh: Optional[bool]
) -> None:
    assert ended(bridge, "run_tests", "succeeded", result={**PASSED, "code_fresh": fresh})[
        "result"
    ] == {
        **PASSED,
        "code_fresh": fresh,
    }


def test_a_plugin_that_says_nothing_of_it_leaves_it_unknown(bridge: InMemoryBridge) -> None:
    said = {name: value for name, value in PASSED.items() if name != "code_fresh"}
    assert ended(bridge, "run_tests", "succeeded", result=said)["result"] == {
        **PASSED,
        "code_fresh": None,
    }


@pytest.mark.parametrize("compiled", [LOCKED, {**COMPILED, "ok": False, "error_count": 1}])
def test_tests_are_not_fresh_if_the_compile_before_them_denies_it(
    bridge: InMemoryBridge, compiled: Dict[str, Any]
) -> None:
    said = {**PASSED, "code_fresh": True, "compile": compiled}
    assert ended(bridge, "run_tests", "succeeded", result=said)["result"]["code_fresh"] is False


def test_stale_code_is_refused_with_its_reason(bridge: InMemoryBridge) -> None:
    details = {
        "reason": "stale_code",
        "pending_reason": "playing",
        "execution_guarantee": "not_executed",
    }
    error = {
        "code": "ERR_UNITY_EXECUTION",
        "message": "Leave play mode, then run the tests.",
        "details": details,
    }
    answer = ended(bridge, "run_tests", "failed", error=error)["error"]
    assert (
        answer["details"]["reason"] == "stale_code"
        and answer["details"]["pending_reason"] == "playing"
    )
    assert answer["details"]["execution_guarantee"] == "not_executed"


@pytest.mark.parametrize("said", ["full_moon", None, 7])
def test_an_unknown_reason_of_stale_code_is_unknown(bridge: InMemoryBridge, said: Any) -> None:
    details = {
        "reason": "stale_code",
        "pending_reason": said,
        "execution_guarantee": "not_executed",
    }
    error = {"code": "ERR_UNITY_EXECUTION", "message": "The moon is full.", "details": details}
    assert (
        ended(bridge, "run_tests", "failed", error=error)["error"]["details"]["pending_reason"]
        == "unknown"
    )


@pytest.mark.parametrize("errors, is_shown", [(0, False), (2, True)])
def test_a_job_that_did_not_run_shows_a_console_only_if_something_was_logged(
    bridge: InMemoryBridge, errors: int, is_shown: bool
) -> None:
    console = {"errors": errors, "warnings": 0, "first": ["broken"] * errors}
    error = {
        "code": "ERR_UNITY_EXECUTION",
        "message": "Old.",
        "details": {"execution_guarantee": "not_executed"},
    }
    assert (
        "console" in ended(bridge, "run_tests", "failed", error=error, console=console)
    ) is is_shown


# A filter that matches nothing


def test_a_filter_that_matches_nothing_is_an_error_with_the_nearest_names(
    bridge: InMemoryBridge,
) -> None:
    details = {
        "reason": "no_tests_matched",
        "unmatched": ["Inventory"],
        "nearest": {"Inventory": ["Keep.Tests.InventoryTests"]},
        "execution_guarantee": "not_executed",
    }
    error = {
        "code": "ERR_UNITY_EXECUTION",
        "message": "No test matches 'Inventory'.",
        "details": details,
    }
    answer = ended(bridge, "run_tests", "failed", error=error)["error"]
    assert {name: answer["details"][name] for name in details} == details


def test_the_meaning_of_a_short_filter_is_in_the_result(bridge: InMemoryBridge) -> None:
    said = {**PASSED, "remarks": ["The filter 'A' was taken for 'B.A'."]}
    assert ended(bridge, "run_tests", "succeeded", result=said)["result"] == said


# Files that changed under an open scene


@pytest.mark.parametrize("tool", ["compile", "run_tests"])
@pytest.mark.parametrize("choice", ["refuse", "disk", "editor"])
def test_the_choice_between_disk_and_editor_reaches_the_plugin(
    bridge: InMemoryBridge, tool: str, choice: str
) -> None:
    bridge.agent.calls(tool, **({} if choice == "refuse" else {"changed_scenes": choice}))
    assert bridge.editor.last("submit_job")["params"]["changed_scenes"] == choice


def test_a_scene_that_changed_on_both_sides_is_named(bridge: InMemoryBridge) -> None:
    details = {
        "reason": "scene_changed_on_disk",
        "scenes": ["Assets/A.unity"],
        "execution_guarantee": "not_executed",
    }
    error = {
        "code": "ERR_UNITY_EXECUTION",
        "message": "Assets/A.unity changed.",
        "details": details,
    }
    answer = ended(bridge, "compile", "failed", error=error)["error"]
    assert (
        answer["details"]["scenes"] == ["Assets/A.unity"]
        and answer["details"]["reason"] == "scene_changed_on_disk"
    )
    assert answer["details"]["execution_guarantee"] == "not_executed"
