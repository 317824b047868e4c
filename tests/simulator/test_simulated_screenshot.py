"""``screenshot`` in the simulated editor: real pictures of its state (SPEC §16.3)."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Any, Dict, Tuple

import pytest

from tests.simulator.manual_editor import ManualEditor
from unity_bridge.base.result import Err, Ok
from unity_bridge.simulator.picture import Canvas
from unity_bridge.simulator.views import Views


@pytest.fixture
def editor() -> ManualEditor:
    return ManualEditor()


def shot(editor: ManualEditor, **params: Any) -> Dict[str, Any]:
    answer = editor.process.tools.reads["screenshot"].answer(params)
    assert isinstance(answer, Ok), answer
    return answer.value


def decoded(png: bytes) -> Tuple[int, int, bytes]:
    """Width, height and rows of RGB, by the format's own rules; every checksum must be right."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, place = {}, 8
    while place < len(png):
        (length,) = struct.unpack(">I", png[place : place + 4])
        kind, data = png[place + 4 : place + 8], png[place + 8 : place + 8 + length]
        assert struct.unpack(">I", png[place + 8 + length : place + 12 + length]) == (zlib.crc32(kind + data),)
        chunks[kind] = data
        place += 12 + length
    assert list(chunks) == [b"IHDR", b"IDAT", b"IEND"]
    width, height, depth, colours, *rest = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert (depth, colours, rest) == (8, 2, [0, 0, 0])
    lines = zlib.decompress(chunks[b"IDAT"])
    assert len(lines) == height * (1 + width * 3)
    rows = [lines[row * (1 + width * 3) :][: 1 + width * 3] for row in range(height)]
    assert {row[0] for row in rows} == {0}
    return width, height, b"".join(row[1:] for row in rows)


def pixels(told: Dict[str, Any]) -> bytes:
    width, height, rows = decoded(base64.b64decode(told["image"]))
    assert (width, height) == (told["width"], told["height"])
    return rows


def test_it_is_a_real_picture_and_says_what_it_shows(editor: ManualEditor) -> None:
    told = shot(editor)
    assert len(pixels(told)) == 1024 * 576 * 3
    del told["image"]
    assert told == {
        "format": "png",
        "width": 1024,
        "height": 576,
        "view": "game",
        "playing": False,
        "frame": 0,
        "fresh": True,
        "uniform": False,
    }


def test_another_frame_is_another_picture(editor: ManualEditor) -> None:
    editor.ends("play_mode", "enter", action="enter")
    editor.ends("play_mode", "pause", action="pause")
    first, again = shot(editor), shot(editor)
    editor.ends("play_mode", "step", action="step", frames=20)
    later = shot(editor)
    assert first == again
    assert pixels(later) != pixels(first)
    assert (later["playing"], later["frame"]) == (True, first["frame"] + 20)


def test_the_views_differ_and_are_never_larger_than_they_are(editor: ManualEditor) -> None:
    scene = shot(editor, view="scene", max_size=2048)
    assert (scene["view"], scene["width"], scene["height"]) == ("scene", 960, 640)
    assert (shot(editor, max_size=64)["width"], shot(editor, max_size=2048)["width"]) == (64, 1280)


def test_what_is_not_to_be_believed_says_so(editor: ManualEditor) -> None:
    editor.process.views = Views.BLACK
    black = shot(editor)
    assert black["uniform"] is True and set(pixels(black)) == {0}
    editor.process.views = Views.HIDDEN
    assert shot(editor)["fresh"] is False and "hidden" in shot(editor)["reason"]


@pytest.mark.parametrize("view", ["game", "scene"])
def test_without_a_view_it_says_what_to_open(editor: ManualEditor, view: str) -> None:
    editor.process.views = Views.CLOSED
    answer = editor.process.tools.reads["screenshot"].answer({"view": view})
    assert isinstance(answer, Err)
    assert answer.error.details == {"reason": "no_view", "execution_guarantee": "not_executed"}
    assert f"Window > General > {view.title()}" in answer.error.message


@pytest.mark.parametrize("params", [{"view": "back"}, {"format": "gif"}, {"max_size": 63}, {"max_size": True}])
def test_wrong_parameters_are_refused(editor: ManualEditor, params: Dict[str, Any]) -> None:
    answer = editor.process.tools.reads["screenshot"].answer(params)
    assert isinstance(answer, Err) and answer.error.code.value == "ERR_INVALID_PARAMS"


def test_a_canvas_clips_what_lies_outside() -> None:
    canvas = Canvas(4, 2)
    canvas.box(-1.0, -1.0, 0.5, 2.0, (1, 2, 3))
    canvas.disc(5.0, 5.0, 0.1, (9, 9, 9))
    assert decoded(canvas.png()) == (4, 2, (bytes((1, 2, 3)) * 2 + bytes(6)) * 2)
