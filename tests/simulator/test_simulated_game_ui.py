"""``inspect what: ui``, ``ui_click`` and ``ui_text`` in the simulated editor (SPEC §16.4)."""

from __future__ import annotations

import itertools
from typing import Any, Dict, List

import pytest

from tests.simulator.manual_editor import ManualEditor
from unity_bridge.base.result import Err, Ok
from unity_bridge.simulator.parameters import checked
from unity_bridge.simulator.project import default_project
from unity_bridge.simulator.tools.inspect import Inspect
from unity_bridge.simulator.views import Views

Json = Dict[str, Any]

CANVAS = "DontDestroyOnLoad/Canvas"
HUD = "DontDestroyOnLoad/Hud"

_ids = itertools.count(1)


class Game:
    """The pretend game."""

    def __init__(self, is_playing: bool = True) -> None:
        self.editor = ManualEditor(default_project())
        if is_playing:
            self.play()

    def play(self) -> None:
        self.editor.process.enter_play_mode()
        self.editor.main.run(5)

    def answer(self, **params: Any) -> Any:
        tool = Inspect(self.editor.process)
        given = checked(tool.parameters, {"what": "ui", **params})
        assert isinstance(given, Ok), given
        return tool.answer(given.value)

    def items(self, **params: Any) -> Dict[str, Json]:
        answer = self.answer(**params)
        assert isinstance(answer, Ok), answer
        assert (answer.value["width"], answer.value["height"]) == (1024, 576)
        return {item["path"]: item for item in answer.value["items"]}

    def run(self, command: str, **arguments: Any) -> Json:
        status = self.editor.ends("run_command", f"job-{next(_ids)}", name=command, arguments=arguments)
        assert status["state"] == "succeeded", status
        return dict(status["result"]["value"])

    def refused(self, command: str, **arguments: Any) -> Json:
        status = self.editor.ends("run_command", f"job-{next(_ids)}", name=command, arguments=arguments)
        assert status["state"] == "failed", status
        return {"code": status["error"]["code"], **status["error"]["details"]}


@pytest.fixture
def game() -> Game:
    return Game()


def test_there_is_what_a_player_can_use(game: Game) -> None:
    items = game.items()
    assert items[f"{CANVAS}/Start"] == {
        "path": f"{CANVAS}/Start",
        "kind": "Button",
        "label": "Start",
        "interactable": True,
        "rect": [448, 256, 128, 64],
    }
    assert items[f"{CANVAS}/Continue"]["interactable"] is False
    assert items[f"{CANVAS}/Shop"]["covered_by"] == f"{CANVAS}/Curtain"
    assert f"{HUD}#pause" in items and f"{CANVAS}/Curtain" not in items


def test_a_click_changes_the_game_and_the_next_game_begins_as_the_first(game: Game) -> None:
    answer = game.run("ui_click", path=f"{CANVAS}/Start")
    assert answer == {
        "hit": {"path": f"{CANVAS}/Start", "kind": "Button", "label": "Start"},
        "handled": True,
        "at": [512, 288],
        "gone": True,
    }
    items = game.items()
    assert f"{CANVAS}/Start" not in items and "covered_by" not in items[f"{CANVAS}/Shop"]
    assert items[f"{CANVAS}/Continue"]["interactable"] is True
    assert game.run("ui_click", path=f"{CANVAS}/Shop")["handled"] is True
    game.editor.process.leave_play_mode()
    game.editor.main.run(5)
    game.play()
    assert f"{CANVAS}/Start" in game.items()


def test_a_position_is_of_the_picture_of_the_given_size(game: Game) -> None:
    assert game.run("ui_click", x=950, y=40)["hit"]["path"] == f"{HUD}#pause"
    assert game.run("ui_click", x=475, y=20.5, width=512, height=288)["hit"]["path"] == f"{HUD}#pause"
    assert game.run("ui_click", x=650, y=400)["handled"] is False


def test_a_text_stays_in_its_field(game: Game) -> None:
    answer = game.run("ui_text", path=f"{CANVAS}/Name", text="Ann")
    assert (answer["text"], answer["hit"]["label"]) == ("Ann", "Your name")
    assert game.items(query="ann")[f"{CANVAS}/Name"]["label"] == "Ann"
    assert game.run("ui_text", path=f"{HUD}#seed", text="-7")["text"] == "-7"


@pytest.mark.parametrize(
    ("command", "arguments", "expected"),
    [
        ("ui_click", {"path": f"{CANVAS}/Shop"}, "covered"),
        ("ui_click", {"path": f"{CANVAS}/Continue"}, "not_interactable"),
        ("ui_click", {"x": 5, "y": 500}, "nothing_there"),
        ("ui_click", {"x": 5, "y": 5, "width": 100, "height": 100}, "view_changed"),
        ("ui_click", {}, "ERR_INVALID_PARAMS"),
        ("ui_click", {"path": f"{CANVAS}/Start", "x": 1, "y": 1}, "ERR_INVALID_PARAMS"),
        ("ui_click", {"x": 1024, "y": 1}, "ERR_INVALID_PARAMS"),
        ("ui_click", {"path": "Main/Nobody"}, "ERR_INVALID_PARAMS"),
        ("ui_click", {"path": "Main/Player"}, "ERR_INVALID_PARAMS"),
        ("ui_text", {"path": f"{CANVAS}/Start", "text": "x"}, "ERR_INVALID_PARAMS"),
        ("ui_text", {"path": f"{HUD}#seed", "text": "x"}, "ERR_INVALID_PARAMS"),
    ],
)
def test_what_would_not_react_is_refused(game: Game, command: str, arguments: Json, expected: str) -> None:
    before = game.items()
    details = game.refused(command, **arguments)
    assert expected in (details["code"], details.get("reason"))
    assert game.items() == before


@pytest.mark.parametrize("command", ["ui_click", "ui_text"])
def test_only_a_running_game_is_used(command: str) -> None:
    idle = Game(is_playing=False)
    arguments = {"path": f"{CANVAS}/Start", **({"text": "x"} if command == "ui_text" else {})}
    assert idle.refused(command, **arguments)["reason"] == "not_playing"
    answer = idle.answer()
    assert isinstance(answer, Err) and answer.error.details["reason"] == "not_playing"
    idle.play()
    idle.editor.process.player.pause(True)
    assert idle.refused(command, **arguments)["reason"] == "paused"
    assert idle.items()
    idle.editor.process.views = Views.CLOSED
    idle.editor.process.player.pause(False)
    assert idle.refused(command, **arguments)["reason"] == "no_view"


@pytest.mark.parametrize(
    ("params", "count"),
    [({"query": "t:Button"}, 4), ({"query": "t:Button st"}, 1), ({"path": HUD}, 2), ({"path": f"{HUD}#pause"}, 1)],
)
def test_a_path_and_words_narrow_it(game: Game, params: Json, count: int) -> None:
    assert len(game.items(**params)) == count


def test_pages_and_a_path_where_nothing_is(game: Game) -> None:
    first = game.answer(limit=2).value
    rest: List[Json] = game.answer(limit=100, cursor=first["next_cursor"]).value["items"]
    assert {item["path"] for item in first["items"] + rest} == set(game.items())
    assert isinstance(game.answer(path="Main/Nobody"), Err)
