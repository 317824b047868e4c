"""SPEC §16.4: ``inspect`` is a read like any other: parked, answered once, asked again after a lost
connection.
"""

from __future__ import annotations

from typing import Any, Dict

import pytest

from tests.fakes import InMemoryBridge

SCENES: Dict[str, Any] = {
    "what": "scenes",
    "items": [{"path": "Main", "file": "Assets/Main.unity"}],
    "total": 1,
}


pytestmark = pytest.mark.usefixtures("connected")


def test_a_question_goes_to_unity_with_its_defaults_and_its_answer_comes_back(
    bridge: InMemoryBridge,
) -> None:
    call = bridge.agent.calls("inspect", what="scenes")
    asked = bridge.editor.last("execute")
    assert (asked["tool_name"], asked["params"]) == (
        "inspect",
        {"what": "scenes", "depth": 2, "limit": 100},
    )
    bridge.editor.answers(SCENES)
    assert call.answer == SCENES


def test_it_waits_for_an_editor_that_compiles_and_is_asked_again_after_a_reload(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.becomes("compiling")
    call = bridge.agent.calls("inspect", what="scenes")
    assert bridge.editor.heard("execute") == []
    bridge.editor.becomes("ready")
    assert len(bridge.editor.heard("execute")) == 1
    bridge.editor.reloads()
    bridge.advance(1)
    bridge.editor.connects()
    assert not call.is_answered
    bridge.editor.answers(SCENES)
    assert call.answer == SCENES


def test_a_page_that_is_longer_than_asked_is_cut(bridge: InMemoryBridge) -> None:
    call = bridge.agent.calls("inspect", what="scenes", limit=1)
    bridge.editor.answers(
        {"what": "scenes", "items": [{"path": "A"}, {"path": "B"}], "total": 2, "next_cursor": "c"}
    )
    assert call.answer == {
        "what": "scenes",
        "items": [{"path": "A"}],
        "total": 2,
        "truncated": True,
    }


def test_an_answer_to_another_question_is_none(bridge: InMemoryBridge) -> None:
    call = bridge.agent.calls("inspect", what="scenes")
    bridge.editor.answers({**SCENES, "what": "assets"})
    assert call.code == "ERR_INVALID_RESPONSE"


def test_an_item_that_is_no_object_goes_and_is_counted(bridge: InMemoryBridge) -> None:
    call = bridge.agent.calls("inspect", what="scenes")
    bridge.editor.answers({"what": "scenes", "items": ["Main", {"path": "A"}]})
    assert (call.answer["items"], call.answer["total"]) == ([{"path": "A"}], 2)
    assert (call.answer["omitted"], call.answer["truncated"]) == ({"items": 1}, True)


def test_a_refusal_by_the_plugin_is_returned(bridge: InMemoryBridge) -> None:
    call = bridge.agent.calls("inspect", what="object", path="Main/Gone", cursor="old")
    bridge.editor.refuses(
        "execute", "ERR_INVALID_PARAMS", "The cursor is outdated. Ask again without cursor."
    )
    assert (call.code, call.guarantee) == ("ERR_INVALID_PARAMS", "not_executed")
    assert "without cursor" in call.error["message"]


def test_inspect_of_a_plugin_without_it_is_refused(bridge: InMemoryBridge) -> None:
    bridge.editor.vanishes()
    bridge.editor.connects(tools=["read_console", "run_tests"])
    call = bridge.agent.calls("inspect", what="scenes")
    assert call.code == "ERR_UNKNOWN_COMMAND"
    assert "plugin update" in call.error["message"]
