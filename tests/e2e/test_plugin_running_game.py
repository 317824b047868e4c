"""The game runs while a client looks at it (SPEC §16.2): in an editor without focus, on stubs that
brake as Unity does.

The editor makes no update by itself here, a signal from the main thread has no effect, and without Run In Background
the game stands still. So every frame is one that the plugin's own thread has asked for.
"""

from __future__ import annotations

import itertools
import threading
from typing import Any, Iterator, List

import pytest

from tests.leaks import Here, left_since
from tests.scripted_server import Message, ScriptedServer, Session, ended
from tests.unity_headless.headless_editor import HeadlessEditor

ON, OFF = "run-in-background on", "run-in-background off"
LONG_AGO = "request-age 60001"
QUIRKS = ("no-before-reload",)


class Game:
    """One editor for the whole file. Each test begins in edit mode, without focus, with Run In
    Background off.
    """

    def __init__(self, server: ScriptedServer, editor: HeadlessEditor) -> None:
        self.server, self.editor = server, editor
        self._jobs = (f"job-{number}" for number in itertools.count(1))

    @property
    def session(self) -> Session:
        return self.server.open_session()

    @property
    def set(self) -> List[str]:
        """How Run In Background was set by code in this test."""
        return [line for line in self.editor.history if line in (ON, OFF)]

    def does(self, tool: str, **params: Any) -> Message:
        job = next(self._jobs)
        self.session.submit(job, tool=tool, **params)
        status = ended(self.server, self.session, job)
        assert status["state"] == "succeeded", status
        return dict(status["result"])

    def frame(self) -> int:
        self.editor.command("game")
        return int(self.editor.wait_for(r"game \S+ (\d+) ").group(1))

    def advances(self) -> bool:
        """Whether frames come, within two seconds."""
        first, pause = self.frame(), threading.Event()
        return any(self.frame() > first for _ in range(40) if not pause.wait(0.05))

    def stands(self) -> bool:
        """Whether no frame comes in half a second."""
        self.editor.wait_until_idle()
        first = self.frame()
        threading.Event().wait(0.5)
        return self.frame() == first

    def rests(self) -> None:
        self.editor.arrange("play off", "pause off", *(f"no-quirk {quirk}" for quirk in QUIRKS))
        self.does("play_mode", action="exit")
        self.editor.arrange("enter-play-without-reload", OFF)
        self.editor.forget_history()


@pytest.fixture(autouse=True)
def nothing_is_left() -> None:
    """Each reload leaves another connection to the next test. The file as a whole leaves nothing."""


@pytest.fixture(scope="module")
def arranged() -> Iterator[Game]:
    before = Here.now()
    with ScriptedServer() as server, HeadlessEditor(
        server.port, held=["focus off", "tick 60000"]
    ) as editor:
        server.ready_session()
        yield Game(server, editor)
        assert editor.violations() == []
    assert left_since(before) == []


@pytest.fixture
def game(arranged: Game) -> Game:
    arranged.rests()
    return arranged


def test_it_runs_after_the_reload_at_the_beginning_and_is_put_back_before_anything_is_saved(
    game: Game,
) -> None:
    game.editor.arrange("enter-play-with-reload")
    game.does("play_mode", action="enter")
    assert game.advances() and game.set == [ON]
    game.does("play_mode", action="exit")
    game.does("run_command", name="save_all")
    assert game.set == [ON, OFF]
    assert "wrote run-in-background" not in game.editor.history


def test_a_paused_game_costs_nothing_and_goes_on_afterwards(game: Game) -> None:
    game.does("play_mode", action="enter")
    game.does("play_mode", action="pause")
    assert game.stands() and game.set == [ON, OFF]
    game.editor.counts()
    threading.Event().wait(1)
    _, updates, player_loops = game.editor.counts()
    assert player_loops == 0 and updates <= 3
    game.does("play_mode", action="resume")
    assert game.advances() and game.set == [ON, OFF, ON]


def test_a_setting_that_is_on_is_left_alone(game: Game) -> None:
    game.editor.arrange(ON)
    game.does("play_mode", action="enter")
    assert game.advances()
    game.does("play_mode", action="exit")
    game.editor.command("game")
    game.editor.wait_for("game .* runs in background")
    assert game.set == []


def test_what_a_person_sets_meanwhile_stays(game: Game) -> None:
    game.does("play_mode", action="enter")
    game.editor.arrange(OFF)
    assert game.stands()
    game.editor.arrange(ON)
    assert game.advances()
    game.does("play_mode", action="exit")
    assert game.set == [ON]


@pytest.mark.parametrize("reload", ["", "no-before-reload"])
def test_it_is_put_back_after_a_reload_of_the_running_game(game: Game, reload: str) -> None:
    game.does("play_mode", action="enter")
    if reload:
        game.editor.arrange(f"quirk {reload}")
    game.editor.reload()
    game.editor.arrange("no-quirk no-before-reload")
    game.server.ready_session()
    assert game.advances()
    game.does("play_mode", action="exit")
    assert game.set == [ON, OFF]


def test_it_stops_a_minute_after_the_last_request_and_goes_on_with_the_next(game: Game) -> None:
    game.does("play_mode", action="enter")
    game.editor.arrange(LONG_AGO)
    assert game.stands() and game.set == [ON, OFF]
    game.session.read_console(max_entries=1)
    assert game.advances()


def test_it_runs_as_long_as_a_job_has_not_ended(game: Game) -> None:
    game.does("play_mode", action="enter")
    job = "steps"
    game.session.submit(job, tool="run_command", name="forever")
    game.editor.arrange(LONG_AGO)
    assert game.advances()
    game.session.ask("cancel", target_job_id=job)
    ended(game.server, game.session, job)
    game.editor.arrange(LONG_AGO)
    assert game.stands()


def test_the_focus_is_enough(game: Game) -> None:
    game.editor.arrange("focus on", "tick 10")
    game.does("play_mode", action="enter")
    assert game.advances() and game.set == []
    game.editor.arrange("focus off", "tick 60000")
    assert game.advances() and game.set == [ON]


def test_a_server_without_proof_does_not_count() -> None:
    with ScriptedServer(proves=False) as server:
        with HeadlessEditor(
            server.port, held=["focus off", "enter-play-without-reload", "play on"]
        ) as editor:
            game = Game(server, editor)
            session = server.ready_session()
            editor.wait_for("play on")
            session.read_console(max_entries=1)
            assert game.stands() and game.set == []


def test_a_game_that_plays_says_how_far_it_is(game: Game) -> None:
    entered = game.does("play_mode", action="enter")
    assert entered["frame"] >= 1 and entered["game_time_s"] >= 0 and "reason" not in entered
    game.editor.arrange("time-scale 0")
    assert "Time.timeScale is 0" in game.does("play_mode", action="resume")["reason"]
    game.editor.arrange("time-scale 1")
    assert game.advances()
    assert game.does("play_mode", action="pause")["game_time_s"] > entered["game_time_s"]
    assert "game_time_s" not in game.does("play_mode", action="exit")


def test_a_pong_says_how_far_the_game_is(game: Game) -> None:
    game.does("play_mode", action="enter")
    game.session.send("ping")
    pong = game.session.expect_that(
        lambda heard: heard["type"] == "pong" and "frame" in heard, "a pong of a game"
    )
    assert pong["frame"] >= 1 and pong["game_time_s"] >= 0
    game.does("play_mode", action="exit")
    game.session.forget()
    game.session.send("ping")
    assert "frame" not in game.session.expect("pong", playing=False)
