"""The scene of the pretend game: a courtyard at night, a lantern, and somebody who walks through it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from unity_bridge.simulator.picture import Canvas, Colour

_SKY, _HORIZON, _GROUND, _WALL = (12, 16, 40), (52, 44, 84), (46, 52, 44), (70, 66, 78)
_LANTERN, _WALKER, _PAPER, _GRID = (255, 196, 92), (196, 84, 72), (232, 228, 214), (92, 100, 92)
# The bar along the upper edge: edit mode, playing, paused.
_EDITING, _PLAYING, _PAUSED = (110, 110, 116), (58, 130, 200), (206, 164, 50)
_FRAMES_ACROSS = 240


@dataclass(frozen=True)
class Moment:
    """What there is to see."""

    view: str = "game"
    playing: bool = False
    paused: bool = False
    frame: int = 0
    unsaved_scenes: int = 0


def drawn(moment: Moment, width: int, height: int) -> Canvas:
    """The frame decides where the walker is; the Scene view has a grid, and shows no time."""
    canvas = Canvas(width, height, _GROUND)
    canvas.fade(_SKY, _HORIZON, 0.6)
    canvas.box(0.0, 0.45, 0.22, 0.75, _WALL)
    canvas.box(0.78, 0.4, 1.0, 0.75, _WALL)
    glow = 0.06 + 0.006 * math.sin(moment.frame / 7)
    canvas.box(0.495, 0.35, 0.505, 0.78, _WALL)
    canvas.disc(0.5, 0.34, glow, _LANTERN)
    if moment.view == "scene":
        _grid(canvas)
    else:
        x = 0.08 + 0.84 * (moment.frame % _FRAMES_ACROSS) / _FRAMES_ACROSS
        canvas.box(x - 0.012, 0.66, x + 0.012, 0.82, _WALKER)
        canvas.disc(x, 0.63, 0.035, _PAPER)
        canvas.number(moment.frame, 0.02, 0.06, 0.06, _PAPER)
    canvas.box(0.0, 0.0, 1.0, 0.02, _bar(moment))
    for place in range(moment.unsaved_scenes):
        canvas.disc(0.98 - 0.03 * place, 0.06, 0.015, _PAPER)
    return canvas


def _grid(canvas: Canvas) -> None:
    for line in range(11):
        canvas.box(line / 10 - 0.001, 0.6, line / 10 + 0.001, 1.0, _GRID)
        depth = 0.6 + 0.4 * (line / 10) ** 2
        canvas.box(0.0, depth - 0.0015, 1.0, depth + 0.0015, _GRID)


def _bar(moment: Moment) -> Colour:
    if not moment.playing:
        return _EDITING
    return _PAUSED if moment.paused else _PLAYING
