"""``inspect what: ui``, ``ui_click`` and ``ui_text``: what a player can use, and what comes of it."""

from __future__ import annotations

from unity_bridge.selftest.expected import AtLeast, With, Without
from unity_bridge.selftest.row import (
    SCRIPTS,
    CallTool,
    Expected,
    Group,
    Requirement,
    done,
    refused,
    run,
)
from unity_bridge.selftest.rows.short_forms import ENTER, gives, inspects, invalid, plays

_row = Group("ui", "§16.5", needs=(*SCRIPTS, Requirement.WINDOW)).row
_CANVAS, _HUD = "Scratch/Canvas", "Scratch/Hud"
_START, _OFF, _BELOW, _LEAVES = (
    f"{_CANVAS}/{name}" for name in ("Start", "Off", "Below", "Leaves")
)
_CURTAIN = f"{_CANVAS}/Curtain"
_PLAYING = (ENTER, gives("scratch_ui", "made"))


def _ui(expect: Expected, **arguments: Expected) -> CallTool:
    return inspects("ui", expect, within_s=20, **arguments)


def _lists(item: Expected, **arguments: Expected) -> CallTool:
    return _ui(done(items=With(item)), **arguments)


def _clicks(path: str, **result: Expected) -> CallTool:
    return gives("ui_click", {"handled": True, **result}, path=path)


def _refuses(path: str, reason: str, **details: Expected) -> CallTool:
    return run("ui_click", refused(reason, **details), path=path)


def _types(path: str, text: str) -> CallTool:
    return gives("ui_text", {"text": text}, path=path, text=text)


def _used(*used: Expected) -> CallTool:
    return gives("scratch_ui_used", list(used))


ROWS = (
    _row(
        "the controls on the screen are listed, of both kinds",
        *_PLAYING,
        _ui(
            done(
                width=AtLeast(16),
                height=AtLeast(16),
                items=With(
                    {"path": _START, "kind": "Button", "label": "Start", "interactable": True}
                ),
            )
        ),
        _lists({"path": _OFF, "interactable": False}, path=_CANVAS),
        _lists({"path": _BELOW, "covered_by": _CURTAIN}, query="t:Button"),
        _lists({"path": f"{_HUD}#go", "label": "Go", "interactable": True}, path=_HUD),
        _lists({"path": f"{_HUD}#off", "interactable": False}, query="off"),
        _ui(done(items=Without({"path": _START})), query="t:TextField"),
        proves="§16.4",
    ),
    _row(
        "a click reaches the handler of a button, once",
        *_PLAYING,
        _clicks(_START, hit={"path": _START}),
        _used("Start"),
    ),
    _row(
        "a click reaches the handler of an element of UI Toolkit, once",
        *_PLAYING,
        _clicks(f"{_HUD}#go", hit={"path": f"{_HUD}#go"}),
        _used("go"),
    ),
    _row(
        "a button that its own click destroys is answered",
        *_PLAYING,
        _clicks(_LEAVES, gone=True),
        _used("Leaves"),
        invalid("ui_click", path=_LEAVES),
    ),
    _row(
        "what is covered or switched off is not clicked",
        *_PLAYING,
        _refuses(_BELOW, "covered", covered_by=_CURTAIN),
        _refuses(_OFF, "not_interactable"),
        _refuses(f"{_HUD}#off", "not_interactable"),
        run("ui_click", refused("view_changed"), x=1, y=1, width=10, height=900),
        _used(),
    ),
    _row(
        "a text goes into fields of both kinds, and its editing ends",
        *_PLAYING,
        _types(f"{_CANVAS}/Name", "Ann"),
        _types(f"{_HUD}#word", "Bo"),
        invalid("ui_text", "no text", path=_START, text="x"),
        _used("name Ann", "word Bo"),
    ),
    _row(
        "a game that does not run is not used",
        _ui(refused("not_playing")),
        _refuses(_START, "not_playing"),
        *_PLAYING,
        plays("pause", done(paused=True)),
        _refuses(_START, "paused"),
        _used(),
    ),
)
