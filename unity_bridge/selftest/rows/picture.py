"""``screenshot``: a picture, or why there is none."""

from __future__ import annotations

from unity_bridge.selftest.expected import AtLeast, AtMost, OneOf, Present
from unity_bridge.selftest.row import SCRATCH, CallTool, Expected, Group, Requirement, done, refused
from unity_bridge.selftest.rows.short_forms import ENTER, calls

_WINDOW = (Requirement.WINDOW,)
_row = Group("picture", "§16.3", needs=_WINDOW).row
_FRAME: Expected = {"frame": AtLeast(1), "fresh": Present(), "uniform": Present()}
_FRAMES: Expected = [{**_FRAME, "changed": share} for share in (None, AtLeast(0), AtLeast(0))]


def _shot(picture: Expected, **arguments: Expected) -> CallTool:
    """Take a picture. A view that was never drawn, or is not open, is refused in words."""
    shot = done(**{"image": Present(), "width": AtLeast(1), "height": AtLeast(1), **picture})
    return calls("screenshot", OneOf((shot, refused("no_view"))), within_s=20, **arguments)


def _at_most(size: int) -> Expected:
    return {"width": AtMost(size), "height": AtMost(size)}


ROWS = (
    _row(
        "the Game view, or why there is none",
        _shot({"view": "game", "format": OneOf(("jpg", "png"))}),
    ),
    _row("the Scene view, or why there is none", _shot({"view": "scene"}, view="scene")),
    _row("max_size bounds both sides", _shot(_at_most(100), max_size=100)),
    _row("a picture as png", _shot({"format": "png"}, format="png", max_size=128)),
    _row(
        "frames are one picture, each with what changed",
        ENTER,
        _shot(
            {"playing": True, **_at_most(512), "shots": _FRAMES},
            frames=3,
            every_ms=100,
            max_size=512,
        ),
        needs=(*SCRATCH, *_WINDOW),
    ),
    _row(
        "a picture of the game while it plays is of a frame",
        ENTER,
        _shot({"playing": True, "frame": AtLeast(1)}),
        needs=(*SCRATCH, *_WINDOW),
    ),
)
