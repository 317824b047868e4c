"""``screenshot`` in the simulated editor: stored pictures (SPEC §16.3)."""

from __future__ import annotations

import base64
import struct
from typing import Any, Dict, Tuple

import pytest

from tests.simulator.manual_editor import ManualEditor, answer_of
from unity_bridge.base.result import Err, Ok
from unity_bridge.simulator.views import Views


@pytest.fixture
def editor() -> ManualEditor:
    return ManualEditor()


def shot(editor: ManualEditor, **params: Any) -> Dict[str, Any]:
    answer = answer_of(editor.process.tools.reads["screenshot"], params)
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


@pytest.mark.parametrize("kind", ["jpg", "png"])
@pytest.mark.parametrize("view", ["game", "scene"])
@pytest.mark.parametrize(("max_size", "width"), [(64, 64), (300, 256), (1023, 512), (2048, 1024)])
def test_each_picture_is_of_the_size_that_it_says(
    editor: ManualEditor, view: str, kind: str, max_size: int, width: int
) -> None:
    shown = shot(editor, view=view, format=kind, max_size=max_size)
    assert size(shown) == (shown["width"], shown["height"]) == (width, width * 9 // 16)


def test_the_frame_is_that_of_the_game(editor: ManualEditor) -> None:
    editor.ends("play_mode", "enter", action="enter")
    editor.ends("play_mode", "pause", action="pause")
    first = shot(editor)
    editor.ends("play_mode", "step", action="step", frames=20)
    later = shot(editor)
    assert (later["playing"], later["frame"]) == (True, first["frame"] + 20)


@pytest.mark.parametrize("kind", ["jpg", "png"])
def test_a_picture_that_shows_nothing_says_so(editor: ManualEditor, kind: str) -> None:
    editor.process.views = Views.BLACK
    black = shot(editor, format=kind)
    assert black["uniform"] is True and size(black) == (64, 36)
    editor.process.views = Views.HIDDEN
    assert shot(editor)["fresh"] is False and "hidden" in shot(editor)["reason"]


@pytest.mark.parametrize("view", ["game", "scene"])
def test_without_a_view_it_says_what_to_open(editor: ManualEditor, view: str) -> None:
    editor.process.views = Views.CLOSED
    answer = answer_of(editor.process.tools.reads["screenshot"], {"view": view})
    assert isinstance(answer, Err)
    assert answer.error.details == {"reason": "no_view", "execution_guarantee": "not_executed"}
    assert f"Window > General > {view.title()}" in answer.error.message


@pytest.mark.parametrize("params", [{"view": "back"}, {"format": "gif"}, {"max_size": 63}, {"max_size": True}])
def test_wrong_parameters_are_refused(editor: ManualEditor, params: Dict[str, Any]) -> None:
    answer = answer_of(editor.process.tools.reads["screenshot"], params)
    assert isinstance(answer, Err) and answer.error.code.value == "ERR_INVALID_PARAMS"
