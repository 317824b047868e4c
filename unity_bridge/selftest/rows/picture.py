"""``screenshot``: a picture, or why there is none."""

from __future__ import annotations

from unity_bridge.selftest.expected import AtLeast, AtMost, OneOf, Present
from unity_bridge.selftest.row import CallTool, Expected, Requirement, Row


def _shot(expect: Expected, **arguments: Expected) -> CallTool:
    return CallTool("screenshot", arguments, expect, within_s=20)


def _picture(**members: Expected) -> Expected:
    return {"state": "succeeded", "result": {"image": Present(), "width": AtLeast(1), "height": AtLeast(1), **members}}


# A view that was never drawn, or is not open, is refused in words.
_NO_VIEW: Expected = {"state": "failed", "error": {"details": {"reason": "no_view"}}}
_FRAME: Expected = {"frame": AtLeast(1), "fresh": Present(), "uniform": Present()}
_FRAMES: Expected = [{**_FRAME, "changed": None}, {**_FRAME, "changed": AtLeast(0)}, {**_FRAME, "changed": AtLeast(0)}]
_WINDOW = (Requirement.WINDOW,)

ROWS = (
    Row(
        "the Game view, or why there is none",
        "picture",
        "§16.3",
        (_shot(OneOf((_picture(view="game", format=OneOf(("jpg", "png"))), _NO_VIEW))),),
        needs=_WINDOW,
    ),
    Row(
        "the Scene view, or why there is none",
        "picture",
        "§16.3",
        (_shot(OneOf((_picture(view="scene"), _NO_VIEW)), view="scene"),),
        needs=_WINDOW,
    ),
    Row(
        "max_size bounds both sides",
        "picture",
        "§16.3",
        (_shot(OneOf((_picture(width=AtMost(100), height=AtMost(100)), _NO_VIEW)), max_size=100),),
        needs=_WINDOW,
    ),
    Row(
        "a picture as png",
        "picture",
        "§16.3",
        (_shot(OneOf((_picture(format="png"), _NO_VIEW)), format="png", max_size=128),),
        needs=_WINDOW,
    ),
    Row(
        "frames are one picture, each with what changed",
        "picture",
        "§16.3",
        (
            CallTool("play_mode", {"action": "enter"}, {"state": "succeeded"}),
            _shot(
                OneOf((_picture(playing=True, width=AtMost(512), height=AtMost(512), shots=_FRAMES), _NO_VIEW)),
                frames=3,
                every_ms=100,
                max_size=512,
            ),
        ),
        needs=(Requirement.SCRATCH, *_WINDOW),
    ),
    Row(
        "a picture of the game while it plays is of a frame",
        "picture",
        "§16.3",
        (
            CallTool("play_mode", {"action": "enter"}, {"state": "succeeded"}),
            _shot(OneOf((_picture(playing=True, frame=AtLeast(1)), _NO_VIEW))),
        ),
        needs=(Requirement.SCRATCH, *_WINDOW),
    ),
)
