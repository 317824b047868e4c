"""``screenshot``: pictures of the pretend game, as JPEG or PNG, alone or as a grid (SPEC §16.3)."""

from __future__ import annotations

import base64
from typing import Any, Dict, List, Mapping, NamedTuple, Optional

from unity_bridge.base.result import Err, Ok
from unity_bridge.simulator.canvas import Canvas
from unity_bridge.simulator.job import refused
from unity_bridge.simulator.parameters import Parameters, choice, whole
from unity_bridge.simulator.unity_api import Answer, Later, UnityApi
from unity_bridge.simulator.views import Views

# Of the stored pictures, and of the Game view.
_WIDTH, _HEIGHT = 1024, 576
_SAMPLE = (160, 90)
_HIDDEN = "No camera rendered: the view is hidden. This is the last picture of it."

_PLAYER = "Main/Player"
# Where the player is drawn in the stored picture, and where it stands in the scene then.
_LEFT, _TOP, _RIGHT, _BOTTOM = 286, 266, 348, 456
_HOME_X, _HOME_Z = 0.1, 2.5
_PIXELS_A_UNIT, _PIXELS_A_UNIT_AWAY = 48, 10
# A column of the stored picture with nothing but sky and ground in it.
_EMPTY_COLUMN = 266


class _Shot(NamedTuple):
    canvas: Canvas
    values: Dict[str, Any]


class Screenshot:
    """The tool."""

    name = "screenshot"
    parameters: Parameters = {
        "view": choice("game", "scene"),
        "max_size": whole(1024, 64, 2048),
        "format": choice("jpg", "png"),
        "frames": whole(1, 1, 4),
        "every_ms": whole(250, 50, 1000),
    }

    def __init__(self, editor: UnityApi) -> None:
        self._editor = editor

    def answer(self, params: Mapping[str, Any]) -> Answer:
        return self._next(params, [])

    def _next(self, params: Mapping[str, Any], shots: List[_Shot]) -> Answer:
        """Take the next picture; then return the answer, or the time of the one after it."""
        view, views = params["view"], self._editor.views
        if views is Views.CLOSED:
            return Err(refused("no_view", f"No {view} view is open. Open one with Window > General > {view.title()}."))
        canvas = Canvas.black(_WIDTH, _HEIGHT) if views is Views.BLACK else self._drawn(view)
        last = shots[-1].canvas if shots else None
        values = {
            "frame": self._editor.player.frame,
            "fresh": views is not Views.HIDDEN,
            "uniform": canvas.is_uniform,
            "changed": None if last is None else canvas.scaled(*_SAMPLE).changed_from(last.scaled(*_SAMPLE)),
        }
        shots.append(_Shot(canvas, values))
        self._editor.emit("screenshot", view=view, frame=values["frame"])
        if len(shots) < params["frames"]:
            return Later(self._editor.paced(params["every_ms"] / 1000), lambda: self._next(params, shots))
        return Ok(self._answered(params, shots))

    def _answered(self, params: Mapping[str, Any], shots: List[_Shot]) -> Dict[str, Any]:
        """Return the answer; its members are those of the last picture."""
        picture = _grid([shot.canvas for shot in shots], params["max_size"])
        data = picture.as_png() if params["format"] == "png" else picture.as_jpg()
        last = shots[-1].values
        answer: Dict[str, Any] = {
            "image": base64.b64encode(data).decode("ascii"),
            "format": params["format"],
            "width": picture.width,
            "height": picture.height,
            "view": params["view"],
            "playing": self._editor.player.is_playing,
            "frame": last["frame"],
            "fresh": last["fresh"],
            "uniform": last["uniform"],
        }
        if not last["fresh"]:
            answer["reason"] = _HIDDEN
        if len(shots) > 1:
            answer["shots"] = [shot.values for shot in shots]
        return answer

    def _drawn(self, view: str) -> Canvas:
        """Return the view as it is now: in the game's the player stands where the scene has it."""
        canvas = Canvas.stored(view)
        if view == "game":
            background = [row[3 * _EMPTY_COLUMN : 3 * _EMPTY_COLUMN + 3] for row in canvas.rows]
            figure = [bytes(row[3 * _LEFT : 3 * _RIGHT]) for row in canvas.rows[_TOP:_BOTTOM]]
            for row, colour in zip(canvas.rows, background):
                row[3 * _LEFT : 3 * _RIGHT] = colour * (_RIGHT - _LEFT)
            self._draw_player(canvas, figure, background)
        return canvas

    def _draw_player(self, canvas: Canvas, figure: List[bytes], background: List[bytearray]) -> None:
        place = self._place_of_player()
        if place is None:
            return
        left = _LEFT + round((place["x"] - _HOME_X) * _PIXELS_A_UNIT)
        top = _TOP - round((place["z"] - _HOME_Z) * _PIXELS_A_UNIT_AWAY)
        left = max(0, min(left, _WIDTH - (_RIGHT - _LEFT)))
        top = max(0, min(top, _HEIGHT - (_BOTTOM - _TOP)))
        for y, line in enumerate(figure):
            row, empty = canvas.rows[top + y], background[_TOP + y]
            for x in range(_RIGHT - _LEFT):
                if line[3 * x : 3 * x + 3] != empty:
                    row[3 * (left + x) : 3 * (left + x) + 3] = line[3 * x : 3 * x + 3]

    def _place_of_player(self) -> Optional[Mapping[str, float]]:
        """None if the object was deleted."""
        node = self._editor.content.nodes().get(_PLAYER)
        return None if node is None else node.thing.parts[0].value("m_LocalPosition")


def _grid(frames: List[Canvas], max_size: int) -> Canvas:
    """From left to right and from top to bottom, in the number of columns that leaves the frames largest."""
    ways = [(columns, -(-len(frames) // columns)) for columns in range(1, len(frames) + 1)]
    scales = [min(1.0, max_size / (columns * _WIDTH), max_size / (rows * _HEIGHT)) for columns, rows in ways]
    scale = max(scales)
    columns, rows = ways[scales.index(scale)]
    width, height = max(1, int(_WIDTH * scale)), max(1, int(_HEIGHT * scale))
    whole = Canvas.black(columns * width, rows * height)
    for place, frame in enumerate(frames):
        whole.put(frame.scaled(width, height), place % columns * width, place // columns * height)
    return whole


TOOL = Screenshot
