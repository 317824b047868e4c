"""``wait_for`` in the simulated editor: each condition, and what ends a wait without it (SPEC §16.5)."""

from __future__ import annotations

from typing import Any, Dict

import pytest

from tests.simulator.manual_editor import ManualEditor
from unity_bridge.simulator.project import Entry, default_project

PLAYER = "Main/Player"
PLACE = {"path": PLAYER, "field": "Transform.localPosition.x"}


@pytest.fixture
def editor() -> ManualEditor:
    editor = ManualEditor(default_project())
    editor.process.player.reloads_domain = False
    editor.process.enter_play_mode()
    editor.main.run(5)
    return editor


def begin(editor: ManualEditor, **arguments: Any) -> None:
    editor.begins("run_command", "W", name="wait_for", arguments=arguments)


def value(editor: ManualEditor, **arguments: Any) -> Dict[str, Any]:
    begin(editor, **arguments)
    return dict(editor.end("W")["result"]["value"])


def test_frames_and_seconds_of_the_game_pass(editor: ManualEditor) -> None:
    before = editor.process.player.frame
    waited = value(editor, frames=30)
    assert waited["met"] and waited["frame"] >= before + 30 and 490 <= waited["waited_ms"] <= 530
    assert editor.job_status("W")["state"] == "succeeded"


def test_a_command_that_runs_meanwhile_moves_what_is_waited_for(editor: ManualEditor) -> None:
    begin(editor, **PLACE, op=">", value=1)
    moved = {"path": PLAYER, "values": {"Transform.localPosition.x": 2}}
    assert editor.ends("run_command", "P", name="set_fields", arguments=moved)["state"] == "succeeded"
    assert editor.end("W")["result"]["value"]["met"]


def test_a_message_counts_from_the_beginning_of_the_call(editor: ManualEditor) -> None:
    editor.process.log(Entry("log", "The level is there"))
    begin(editor, log="LEVEL", type="warning")
    editor.process.log(Entry("log", "another level"))
    editor.main.run(1)
    assert editor.job_status("W")["state"] == "running"
    editor.process.log(Entry("warning", "a level too high"))
    assert editor.end("W")["result"]["value"]["met"]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"path": "Main/Nobody"}, "There is no 'Nobody'"),
        ({"path": "Main/Lanterns/Lantern[1]"}, "is not active"),
        ({**PLACE, "op": "changed"}, ""),
        ({"path": PLAYER, "field": "Light.intensity"}, "No component fits"),
    ],
)
def test_what_does_not_come_is_named(editor: ManualEditor, arguments: Dict[str, Any], why: str) -> None:
    waited = value(editor, **arguments, within_ms=500)
    assert not waited["met"] and why in waited.get("reason", "") and waited["waited_ms"] >= 500


def test_the_end_of_play_mode_a_reload_and_a_pause_end_it(editor: ManualEditor) -> None:
    editor.process.pause(True)
    assert value(editor, seconds=1)["reason"] == "not_advancing"
    for job_id, ends, reason in (
        ("R", lambda: editor.process.reload_domain(1.0), "reloaded"),
        ("L", editor.process.leave_play_mode, "not_playing"),
    ):
        editor.begins("run_command", job_id, name="wait_for", arguments={"path": "Main/Nobody"})
        ends()
        assert editor.end(job_id)["result"]["value"]["reason"] == reason


def test_it_is_cancelled(editor: ManualEditor) -> None:
    begin(editor, path="Main/Nobody")
    assert editor.process.jobs.cancel("W") == "cancel_requested"
    assert editor.end("W")["state"] == "cancelled"
