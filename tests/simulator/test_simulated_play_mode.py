"""``play_mode`` in the simulated editor (SPEC §16.2)."""

from __future__ import annotations

from typing import Any, Dict, List

import pytest

from tests.simulator.manual_editor import SCRIPT, ManualEditor
from unity_bridge.simulator.project import Project

PROJECT = Project("Game", "/Game", (), play_reload_s=2.0)


@pytest.fixture
def editor() -> ManualEditor:
    return ManualEditor(PROJECT)


def does(editor: ManualEditor, action: str, **params: Any) -> Dict[str, Any]:
    """The result of one job that ends well."""
    status = editor.ends(
        "play_mode",
        f"{action}-{editor.clock.now()}-{len(editor.events.all())}",
        action=action,
        **params,
    )
    assert status["state"] == "succeeded", status
    result: Dict[str, Any] = status["result"]
    return result


def asked(editor: ManualEditor) -> List[Any]:
    return editor.heard("play_mode_requested", "action")


def test_it_enters_with_a_reload_and_ends_when_a_frame_has_run(editor: ManualEditor) -> None:
    entered = {"playing": True, "paused": False, "frame": 1, "game_time_s": 0.017, "changed": True}
    assert does(editor, "enter") == entered
    assert editor.wire.log == ["left: domain reload", "back"]
    assert does(editor, "enter")["changed"] is False
    assert asked(editor) == ["enter"]


def test_it_enters_without_a_reload_where_that_is_switched_off(editor: ManualEditor) -> None:
    editor.process.player.reloads_domain = False
    assert does(editor, "enter")["changed"] is True
    assert editor.wire.log == []


def test_the_reload_of_an_entry_is_its_progress(editor: ManualEditor) -> None:
    editor.begins("play_mode", action="enter")
    assert editor.step() == "reloading"


def test_frames_run_until_the_game_is_paused(editor: ManualEditor) -> None:
    does(editor, "enter")
    editor.main.run(1.0)
    paused = does(editor, "pause")
    assert (paused["paused"], paused["frame"], paused["changed"]) == (True, 61, True)
    editor.main.run(1.0)
    assert does(editor, "pause") == {**paused, "changed": False}
    assert does(editor, "step", frames=10)["frame"] == 71
    assert does(editor, "resume")["paused"] is False


def test_it_leaves(editor: ManualEditor) -> None:
    assert does(editor, "exit")["changed"] is False
    does(editor, "enter")
    assert does(editor, "exit")["playing"] is False
    assert asked(editor) == ["enter", "exit"]


def test_an_aborted_entry_is_reported_with_the_errors(editor: ManualEditor) -> None:
    editor.process.player.why_not = "no player"
    status = editor.ends("play_mode", action="enter")
    assert (status["state"], "result" in status) == ("failed", False)
    details = status["error"]["details"]
    assert details == {
        "reason": "cancelled_by_unity",
        "execution_guarantee": "completed_error",
        "errors": ["no player"],
    }
    assert does(editor, "enter")["playing"] is True


def test_compile_errors_refuse_it(editor: ManualEditor) -> None:
    editor.disk.break_(SCRIPT, 2, "no 'x'")
    editor.ends("compile", "compile")
    details = editor.ends("play_mode", action="enter")["error"]["details"]
    assert (details["reason"], details["execution_guarantee"], len(details["errors"])) == (
        "compile_errors",
        "not_executed",
        2,
    )
    assert asked(editor) == []


def test_a_step_in_edit_mode_enters_paused(editor: ManualEditor) -> None:
    entered = does(editor, "step", frames=5)
    assert (entered["playing"], entered["paused"], entered["changed"]) == (True, True, True)
    assert does(editor, "step")["frame"] == entered["frame"] + 1


@pytest.mark.parametrize("action", ["pause", "resume"])
def test_in_edit_mode_there_is_nothing_to_pause(editor: ManualEditor, action: str) -> None:
    details = editor.ends("play_mode", action=action)["error"]["details"]
    assert details == {"reason": "not_playing", "execution_guarantee": "not_executed"}


def test_a_game_that_is_left_while_it_is_stepped_says_so(editor: ManualEditor) -> None:
    does(editor, "enter")
    editor.begins("play_mode", "S", action="step", frames=1000)
    editor.process.leave_play_mode()
    assert "play mode was left" in editor.end("S")["error"]["message"]


def test_a_cancel_does_not_stop_a_step(editor: ManualEditor) -> None:
    does(editor, "enter")
    editor.begins("play_mode", "S", action="step", frames=1000)
    editor.main.run(5.0)
    editor.process.jobs.cancel("S")
    assert editor.end("S")["state"] == "succeeded"
