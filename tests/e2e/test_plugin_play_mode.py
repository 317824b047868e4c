"""play_mode, as the plugin carries it out (SPEC §16.2): with and without a reload, called off,
paused, stepped.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any, Iterator, List

import pytest

from tests.leaks import Here, left_since
from tests.scripted_server import Message, ScriptedServer, Session, ended
from tests.unity_headless.headless_editor import HeadlessEditor

BROKEN = "Assets/Broken.cs(7,3): error CS1002: ; expected"
QUIRKS = (
    "entry-called-off",
    "entry-fails",
    "script-stops",
    "no-frames",
    "play-mode-stuck",
    "no-before-reload",
)


class Play:
    """One editor and its server for the whole file; each test begins in edit mode."""

    def __init__(self, server: ScriptedServer, editor: HeadlessEditor) -> None:
        self.server, self.editor = server, editor
        self._jobs = (f"job-{number}" for number in itertools.count(1))
        self._mark = 0

    @property
    def session(self) -> Session:
        """The one that is open."""
        return self.server.open_session()

    @property
    def history(self) -> List[str]:
        """What the editor said in this test."""
        return self.editor.history[self._mark :]

    def begins(self, action: str, timeout_ms: int = 300_000, **params: Any) -> str:
        job = next(self._jobs)
        answer = self.session.submit(job, timeout_ms, tool="play_mode", action=action, **params)
        assert answer["status"] == "accepted"
        return job

    def ends(self, job: str) -> Message:
        return ended(self.server, self.server.latest, job)

    def does(self, action: str, **params: Any) -> Message:
        return self.ends(self.begins(action, **params))

    def rests(self) -> None:
        """Back to edit mode, as if nothing had been."""
        self.editor.arrange(*(f"no-quirk {quirk}" for quirk in QUIRKS), "building off", "play off")
        self.does("exit")
        self._mark = len(self.editor.history)


@pytest.fixture(autouse=True)
def nothing_is_left() -> None:
    """Each reload leaves another connection to the next test. The file as a whole leaves nothing."""


@pytest.fixture(scope="module")
def arranged() -> Iterator[Play]:
    before = Here.now()
    with ScriptedServer() as server, HeadlessEditor(server.port) as editor:
        server.ready_session()
        yield Play(server, editor)
        assert editor.violations() == []
    assert left_since(before) == []


@pytest.fixture
def play(arranged: Play) -> Play:
    arranged.rests()
    return arranged


def test_it_enters_over_the_reload_and_answers_when_a_frame_has_run(play: Play) -> None:
    status = play.does("enter")
    assert (status["state"], status["tool_name"]) == ("succeeded", "play_mode")
    result = status["result"]
    assert (result["playing"], result["paused"], result["changed"]) == (True, False, True)
    assert result["frame"] >= 1 and "reason" not in result
    assert [line for line in play.history if line.startswith(("asked", "play"))] == [
        "asked to play",
        "play on",
    ]
    assert any(line.startswith("reloaded") for line in play.history)
    assert play.session.expect("editor_status", playing=True)


def test_a_change_to_the_present_state_changes_nothing(play: Play) -> None:
    assert play.does("exit")["result"]["changed"] is False
    play.does("enter")
    again = play.does("enter")["result"]
    assert (again["playing"], again["changed"]) == (True, False)
    assert play.does("resume")["result"]["changed"] is False
    assert play.history.count("asked to play") == 1


def test_it_leaves(play: Play) -> None:
    play.does("enter")
    result = play.does("exit")["result"]
    assert (result["playing"], result["paused"], result["changed"]) == (False, False, True)
    play.editor.wait_for("play off$")


def test_pause_and_resume(play: Play) -> None:
    play.does("enter")
    paused = play.does("pause")["result"]
    assert (paused["playing"], paused["paused"], paused["changed"]) == (True, True, True)
    assert play.does("pause")["result"]["changed"] is False
    play.session.expect("editor_status", paused=True)
    resumed = play.does("resume")["result"]
    assert (resumed["paused"], resumed["changed"]) == (False, True)


def test_a_step_is_a_frame_and_ends_on_the_last_one(play: Play) -> None:
    play.does("enter")
    before = play.does("pause")["result"]["frame"]
    result = play.does("step", frames=5)["result"]
    assert (result["frame"], result["paused"], result["changed"]) == (before + 5, True, True)
    assert len([line for line in play.history if line.startswith("stepped")]) == 5
    assert play.does("step")["result"]["frame"] == before + 6


def test_a_step_of_a_running_game_pauses_it(play: Play) -> None:
    play.does("enter")
    result = play.does("step")["result"]
    assert result["paused"] is True
    assert play.does("pause")["result"]["frame"] == result["frame"]


def test_an_entry_that_a_script_aborts_is_reported_with_the_errors(play: Play) -> None:
    play.editor.arrange("quirk entry-called-off")
    status = play.does("enter")
    details = status["error"]["details"]
    assert (status["state"], status["result"], status["error"]["code"]) == (
        "failed",
        None,
        "ERR_UNITY_EXECUTION",
    )
    assert (details["reason"], details["execution_guarantee"]) == (
        "cancelled_by_unity",
        "completed_error",
    )
    assert details["errors"] == ["The level has no player"]
    assert status["console"]["errors"] == 1
    assert play.does("exit")["result"]["changed"] is False


@pytest.mark.parametrize("quirk", ["entry-fails", "script-stops"])
def test_an_entry_that_ends_after_the_reload_is_reported(play: Play, quirk: str) -> None:
    play.editor.arrange(f"quirk {quirk}")
    status = play.does("enter")
    assert (status["state"], status["error"]["details"]["reason"]) == (
        "failed",
        "cancelled_by_unity",
    )
    assert "back to edit mode" in status["error"]["message"]
    assert play.history.count("asked to play") == 1


def test_compile_errors_refuse_it_beforehand(play: Play) -> None:
    play.editor.arrange(f"edit Game|second|{BROKEN}")
    play.session.submit("broken", tool="compile")
    play.ends("broken")
    status = play.does("enter")
    details = status["error"]["details"]
    assert (details["reason"], details["execution_guarantee"]) == ("compile_errors", "not_executed")
    assert details["errors"][0]["code"] == "CS1002"
    assert "asked to play" not in play.history
    play.editor.arrange("edit Game|first")
    play.session.submit("fixed", tool="compile")
    assert play.ends("fixed")["state"] == "succeeded"


def test_a_step_in_edit_mode_enters_paused(play: Play) -> None:
    result = play.does("step")["result"]
    assert result["playing"] and result["paused"]


@pytest.mark.parametrize("action", ["pause", "resume"])
def test_actions_for_play_mode_are_refused_in_edit_mode(play: Play, action: str) -> None:
    details = play.does(action)["error"]["details"]
    assert details == {"reason": "not_playing", "execution_guarantee": "not_executed"}


def test_while_a_player_is_built_it_is_refused(play: Play) -> None:
    play.editor.arrange("building on")
    assert play.does("enter")["error"]["details"] == {
        "reason": "building",
        "execution_guarantee": "not_executed",
    }


@pytest.mark.parametrize(
    "params",
    [{}, {"action": "dance"}, {"action": "step", "frames": 0}, {"action": "step", "frames": "2"}],
)
def test_bad_arguments_are_refused(play: Play, params: Any) -> None:
    answer = play.session.ask("submit_job", job_id="bad", tool_name="play_mode", params=params)
    assert answer["type"] == "error" and answer["error"]["code"] == "ERR_INVALID_PARAMS"


def test_an_unannounced_reload_enters_once(play: Play) -> None:
    play.editor.arrange("quirk no-before-reload")
    status = play.does("enter")
    assert (status["state"], status["result"]["playing"]) == ("succeeded", True)
    assert play.history.count("asked to play") == 1


def test_a_slow_entry_is_reported_as_a_step(play: Play) -> None:
    play.editor.arrange("quirk play-mode-stuck")
    job = play.begins("enter")
    play.editor.wait_for("asked to play")
    play.editor.wait_until_idle()
    assert play.session.job(job)["progress"]["step"] == "entering_play_mode"
    play.editor.arrange("no-quirk play-mode-stuck")
    assert play.ends(job)["state"] == "succeeded"


def test_a_connection_that_is_lost_in_the_middle_asks_nothing_twice(play: Play) -> None:
    play.editor.arrange("quirk play-mode-stuck")
    job = play.begins("enter")
    play.editor.wait_for("asked to play")
    play.session.drop()
    play.editor.arrange("no-quirk play-mode-stuck")
    assert play.ends(job)["result"]["changed"] is True
    assert play.history.count("asked to play") == 1


def test_an_editor_that_crashes_while_it_enters_does_not_enter_again(tmp_path: Path) -> None:
    project = tmp_path / "Game"
    with ScriptedServer() as server:
        with HeadlessEditor(server.port, project=project) as editor:
            editor.arrange("quirk play-mode-stuck")
            server.ready_session().submit("job-1", tool="play_mode", action="enter")
            editor.wait_for("asked to play")
            editor.kill()
        with HeadlessEditor(server.port, project=project) as editor:
            status = server.ready_session().job("job-1")
            editor.wait_until_idle()
            assert (status["state"], status["result"]) == ("failed", None)
            assert status["error"]["details"] == {
                "reason": "editor_ended",
                "execution_guarantee": "unknown",
            }
            assert "asked to play" not in editor.history


# Last, since the editor goes on without the reload from here.
def test_without_a_domain_reload_it_is_the_same(play: Play) -> None:
    play.editor.arrange("enter-play-without-reload")
    assert play.does("enter")["result"]["changed"] is True
    assert not any(line.startswith("reloaded") for line in play.history)
    assert play.does("exit")["result"]["playing"] is False
    play.editor.arrange("quirk entry-called-off")
    assert play.does("enter")["error"]["details"]["reason"] == "cancelled_by_unity"
