"""``press`` in the simulated editor: its player walks while a key is held, as ``inspect`` and frames show."""

from __future__ import annotations

from typing import Any, Dict, List

import pytest

from tests.simulator.manual_editor import ManualEditor, answer_of
from unity_bridge.base.result import Ok
from unity_bridge.simulator.parameters import checked
from unity_bridge.simulator.unity_api import Answer, Later


@pytest.fixture
def editor() -> ManualEditor:
    editor = ManualEditor()
    editor.ends("play_mode", "enter", action="enter")
    return editor


def begin(editor: ManualEditor, *keys: str, job_id: str = "press", **more: Any) -> None:
    editor.begins("run_command", job_id, name="press", arguments={"keys": list(keys), **more})


def press(editor: ManualEditor, *keys: str, job_id: str = "press", **more: Any) -> Dict[str, Any]:
    begin(editor, *keys, job_id=job_id, **more)
    return editor.end(job_id)


def x_of_player(editor: ManualEditor) -> float:
    asked = {"what": "object", "path": "Main/Player", "query": "Transform.m_LocalPosition"}
    answer = answer_of(editor.process.tools.reads["inspect"], asked)
    assert isinstance(answer, Ok)
    return float(next(item["value"]["x"] for item in answer.value["items"] if item.get("field") == "m_LocalPosition"))


def test_a_key_moves_the_player_for_as_long_as_it_is_held(editor: ManualEditor) -> None:
    assert press(editor, "D", for_ms=500)["result"]["value"] == {
        "hit": {"device": "Keyboard", "keys": [{"key": "d"}]},
        "pressed": ["d"],
        "updates": 30,
        "held_ms": 500,
        "held_game_ms": 500,
        "game_time_s": 0.017,
        "frame": 1,
        "released": True,
        "actions": ["Player/Move"],
        "handled": True,
    }
    # 4.2 units in a second.
    assert x_of_player(editor) == pytest.approx(0.1 + 2.1, abs=0.1)
    editor.main.run(1.0)
    assert x_of_player(editor) == pytest.approx(0.1 + 2.1, abs=0.1)


def test_frames_show_the_player_walk(editor: ManualEditor) -> None:
    begin(editor, "rightArrow", for_ms=1000)
    tool = editor.process.tools.reads["screenshot"]
    values = checked(tool.parameters, {"frames": 4, "every_ms": 500, "max_size": 64})
    assert isinstance(values, Ok)
    answer: Answer = tool.answer(values.value)
    while isinstance(answer, Later):
        editor.main.run(answer.seconds)
        answer = answer.then()
    assert isinstance(answer, Ok)
    changed = [shot["changed"] for shot in answer.value["shots"]]
    assert changed[0] is None and changed[1] > 0.02 and changed[2] > 0.02 and changed[3] == 0


def test_a_key_that_the_game_does_not_use_is_not_claimed_to_be_handled(editor: ManualEditor) -> None:
    value = press(editor, "q")["result"]["value"]
    assert (value["pressed"], value["actions"], value["handled"]) == (["q"], [], None)
    assert x_of_player(editor) == 0.1


def test_a_cancel_stops_the_walk(editor: ManualEditor) -> None:
    begin(editor, "d", for_ms=10_000)
    editor.main.run(0.2)
    assert editor.process.jobs.cancel("press") == "cancel_requested"
    assert editor.end("press")["state"] == "cancelled"
    there = x_of_player(editor)
    editor.main.run(1.0)
    assert x_of_player(editor) == there < 2


@pytest.mark.parametrize(("action", "reason"), [("exit", "not_playing"), ("pause", "paused")])
def test_the_end_of_the_game_in_the_middle_ends_it(editor: ManualEditor, action: str, reason: str) -> None:
    begin(editor, "d", for_ms=10_000)
    editor.main.run(0.2)
    editor.process.leave_play_mode() if action == "exit" else editor.process.pause(True)
    status = editor.end("press")
    assert status["state"] == "failed"
    assert status["error"]["details"] == {"reason": reason, "execution_guarantee": "completed_error"}
    editor.process.pause(False)
    there = x_of_player(editor)
    editor.main.run(1.0)
    assert x_of_player(editor) == there


def test_a_reload_in_the_middle_ends_it(editor: ManualEditor) -> None:
    begin(editor, "d", for_ms=10_000)
    editor.main.run(0.2)
    assert editor.process.reload_domain(0.5)
    there = x_of_player(editor)
    assert editor.end("press")["error"]["details"]["reason"] == "reloaded_while_running"
    editor.main.run(1.0)
    assert x_of_player(editor) == there


def test_the_scene_is_as_before_when_play_mode_is_left(editor: ManualEditor) -> None:
    press(editor, "d")
    assert x_of_player(editor) > 0.1
    editor.ends("play_mode", "exit", action="exit")
    assert x_of_player(editor) == 0.1


@pytest.mark.parametrize(
    ("keys", "more", "complaint"),
    [
        ([], {}, "keys names 1 to 8 keys"),
        (["a"] * 9, {}, "keys names 1 to 8 keys"),
        (["lshift"], {}, "has no key lshift"),
        (["w"], {"for_ms": 0}, "for_ms is a whole number from 1 to 10000"),
        (["w"], {"for_ms": 10_001}, "for_ms is a whole number from 1 to 10000"),
        (["w"], {"for_ms": 1.5}, "for_ms must be int"),
        ([1], {}, "keys must be string[]"),
    ],
)
def test_wrong_arguments_are_refused(
    editor: ManualEditor, keys: List[Any], more: Dict[str, Any], complaint: str
) -> None:
    error = press(editor, *keys, **more)["error"]
    assert error["code"] == "ERR_INVALID_PARAMS" and complaint in error["message"]


@pytest.mark.parametrize(("action", "reason"), [("exit", "not_playing"), ("pause", "paused")])
def test_without_a_running_game_it_is_refused(editor: ManualEditor, action: str, reason: str) -> None:
    editor.ends("play_mode", action, action=action)
    assert press(editor, "w")["error"]["details"] == {"reason": reason, "execution_guarantee": "not_executed"}
