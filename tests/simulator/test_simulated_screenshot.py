"""``screenshot`` in the simulated editor: pictures of what its game does (SPEC §16.3)."""

from __future__ import annotations

import base64
import struct
from typing import Any, Dict, Tuple

import pytest

from tests.simulator.manual_editor import ManualEditor
from unity_bridge.base.result import Err, Ok
from unity_bridge.simulator.canvas import Canvas
from unity_bridge.simulator.parameters import checked
from unity_bridge.simulator.unity_api import Answer, Later
from unity_bridge.simulator.views import Views


@pytest.fixture
def editor() -> ManualEditor:
    return ManualEditor()


def asked(editor: ManualEditor, **params: Any) -> Answer:
    """What is answered at once."""
    tool = editor.process.tools.reads["screenshot"]
    values = checked(tool.parameters, params)
    return values if isinstance(values, Err) else tool.answer(values.value)


def shot(editor: ManualEditor, **params: Any) -> Dict[str, Any]:
    """What is answered; time moves from frame to frame."""
    answer = asked(editor, **params)
    while isinstance(answer, Later):
        editor.main.run(answer.seconds)
        answer = answer.then()
    assert isinstance(answer, Ok), answer
    return answer.value


def size(shot: Dict[str, Any]) -> Tuple[int, int]:
    """Width and height as the picture's own bytes have them."""
    picture = base64.b64decode(shot["image"])
    if shot["format"] == "png":
        assert picture.startswith(b"\x89PNG\r\n\x1a\n") and picture[12:16] == b"IHDR"
        return struct.unpack(">II", picture[16:24])
    assert picture.startswith(b"\xff\xd8\xff") and picture.endswith(b"\xff\xd9")
    place = 2
    while not 0xC0 <= picture[place + 1] <= 0xC2:
        place += 2 + struct.unpack(">H", picture[place + 2 : place + 4])[0]
    height, width = struct.unpack(">HH", picture[place + 5 : place + 9])
    return width, height


@pytest.mark.slow
def test_it_is_a_jpeg_unless_a_png_is_asked_for_and_says_what_it_shows(editor: ManualEditor) -> None:
    shown = shot(editor)
    assert size(shown) == (1024, 576)
    del shown["image"]
    assert shown == {
        "format": "jpg",
        "width": 1024,
        "height": 576,
        "view": "game",
        "playing": False,
        "frame": 0,
        "fresh": True,
        "uniform": False,
    }
    assert shot(editor, format="png")["format"] == "png"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["jpg", "png"])
@pytest.mark.parametrize("view", ["game", "scene"])
@pytest.mark.parametrize(("max_size", "width", "height"), [(64, 64, 36), (301, 301, 169), (2048, 1024, 576)])
def test_each_picture_is_of_the_size_that_it_says(
    editor: ManualEditor, view: str, kind: str, max_size: int, width: int, height: int
) -> None:
    shown = shot(editor, view=view, format=kind, max_size=max_size)
    assert size(shown) == (shown["width"], shown["height"]) == (width, height)


@pytest.mark.slow
def test_the_frame_is_that_of_the_game(editor: ManualEditor) -> None:
    editor.ends("play_mode", "enter", action="enter")
    editor.ends("play_mode", "pause", action="pause")
    first = shot(editor)
    editor.ends("play_mode", "step", action="step", frames=20)
    later = shot(editor)
    assert (later["playing"], later["frame"]) == (True, first["frame"] + 20)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["jpg", "png"])
@pytest.mark.parametrize(
    ("frames", "width", "height"), [(1, 1024, 576), (2, 910, 1024), (3, 606, 1023), (4, 1024, 576)]
)
def test_frames_are_a_grid_that_is_no_larger_than_asked_for(
    editor: ManualEditor, kind: str, frames: int, width: int, height: int
) -> None:
    shown = shot(editor, frames=frames, format=kind)
    assert size(shown) == (shown["width"], shown["height"]) == (width, height)
    assert len(shown.get("shots", "1")) == frames


def test_a_frame_says_how_much_changed_since_the_one_before(editor: ManualEditor) -> None:
    editor.ends("play_mode", "enter", action="enter")
    editor.main.post(lambda: move(editor, 3), 0.5)
    shown = shot(editor, frames=3, every_ms=400)
    first, second, third = shown["shots"]
    assert (first["changed"], second["changed"]) == (None, 0)
    assert 0.02 < third["changed"] < 0.05
    assert [first["frame"] + 24, second["frame"] + 24] == [second["frame"], third["frame"]]
    assert {name: third[name] for name in ("frame", "fresh", "uniform")} == {
        name: shown[name] for name in ("frame", "fresh", "uniform")
    }


def test_a_view_that_is_closed_between_two_frames_is_refused(editor: ManualEditor) -> None:
    answer = asked(editor, frames=2)
    assert isinstance(answer, Later)
    editor.process.views = Views.CLOSED
    refused = answer.then()
    assert isinstance(refused, Err) and refused.error.details["reason"] == "no_view"


def move(editor: ManualEditor, by: float) -> None:
    place = editor.process.content.nodes()["Main/Player"].thing.parts[0].value("m_LocalPosition")
    place["x"] += by


def test_a_player_that_was_deleted_is_not_drawn(editor: ManualEditor) -> None:
    before = Canvas.stored("game")
    editor.ends("run_command", name="delete_object", arguments={"path": "Main/Player"})
    shown = shot(editor, format="png")
    assert shown["image"] != base64.b64encode(before.as_png()).decode()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["jpg", "png"])
def test_a_picture_that_shows_nothing_says_so(editor: ManualEditor, kind: str) -> None:
    editor.process.views = Views.BLACK
    black = shot(editor, format=kind)
    assert black["uniform"] is True and size(black) == (1024, 576)
    editor.process.views = Views.HIDDEN
    assert shot(editor)["fresh"] is False and "hidden" in shot(editor)["reason"]


@pytest.mark.parametrize("view", ["game", "scene"])
def test_without_a_view_it_says_what_to_open(editor: ManualEditor, view: str) -> None:
    editor.process.views = Views.CLOSED
    answer = asked(editor, view=view)
    assert isinstance(answer, Err)
    assert answer.error.details == {"reason": "no_view", "execution_guarantee": "not_executed"}
    assert f"Window > General > {view.title()}" in answer.error.message


@pytest.mark.parametrize(
    "params",
    [{"view": "back"}, {"format": "gif"}, {"max_size": 63}, {"max_size": True}, {"frames": 5}, {"every_ms": 49}],
)
def test_wrong_parameters_are_refused(editor: ManualEditor, params: Dict[str, Any]) -> None:
    answer = asked(editor, **params)
    assert isinstance(answer, Err) and answer.error.code.value == "ERR_INVALID_PARAMS"
