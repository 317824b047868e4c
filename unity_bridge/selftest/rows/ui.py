"""``inspect what: ui``, ``ui_click`` and ``ui_text``: what a player can use, and what comes of it."""

from __future__ import annotations

from unity_bridge.selftest.expected import AtLeast, Holds, With, Without
from unity_bridge.selftest.row import CallTool, Expected, Requirement, Row, done, refused, run, wrong

_CANVAS, _HUD = "Scratch/Canvas", "Scratch/Hud"
_NEEDS = (Requirement.SCRATCH, Requirement.SCRIPTS, Requirement.WINDOW)
_ENTER = CallTool("play_mode", {"action": "enter"}, done(playing=True), within_s=60)
_MAKE = run("scratch_ui", done(value="made"))
_PLAYING = (_ENTER, _MAKE)


def _ui(expect: Expected, **arguments: Expected) -> CallTool:
    return CallTool("inspect", {"what": "ui", **arguments}, expect, within_s=20)


def _used(*used: Expected) -> CallTool:
    return run("scratch_ui_used", done(value=list(used)))


ROWS = (
    Row(
        "the controls on the screen are listed, of both kinds",
        "ui",
        "§16.4",
        (
            *_PLAYING,
            _ui(
                done(
                    width=AtLeast(16),
                    height=AtLeast(16),
                    items=With({"path": f"{_CANVAS}/Start", "kind": "Button", "label": "Start", "interactable": True}),
                )
            ),
            _ui(done(items=With({"path": f"{_CANVAS}/Off", "interactable": False})), path=_CANVAS),
            _ui(done(items=With({"path": f"{_CANVAS}/Below", "covered_by": f"{_CANVAS}/Curtain"})), query="t:Button"),
            _ui(done(items=With({"path": f"{_HUD}#go", "label": "Go", "interactable": True})), path=_HUD),
            _ui(done(items=With({"path": f"{_HUD}#off", "interactable": False})), query="off"),
            _ui(done(items=Without({"path": f"{_CANVAS}/Start"})), query="t:TextField"),
        ),
        needs=_NEEDS,
    ),
    Row(
        "a click reaches the handler of a button, once",
        "ui",
        "§16.5",
        (
            *_PLAYING,
            run(
                "ui_click", done(value={"hit": {"path": f"{_CANVAS}/Start"}, "handled": True}), path=f"{_CANVAS}/Start"
            ),
            _used("Start"),
        ),
        needs=_NEEDS,
    ),
    Row(
        "a click reaches the handler of an element of UI Toolkit, once",
        "ui",
        "§16.5",
        (
            *_PLAYING,
            run("ui_click", done(value={"hit": {"path": f"{_HUD}#go"}, "handled": True}), path=f"{_HUD}#go"),
            _used("go"),
        ),
        needs=_NEEDS,
    ),
    Row(
        "a button that its own click destroys is answered",
        "ui",
        "§16.5",
        (
            *_PLAYING,
            run("ui_click", done(value={"handled": True, "gone": True}), path=f"{_CANVAS}/Leaves"),
            _used("Leaves"),
            run("ui_click", wrong("ERR_INVALID_PARAMS"), path=f"{_CANVAS}/Leaves"),
        ),
        needs=_NEEDS,
    ),
    Row(
        "what is covered or switched off is not clicked",
        "ui",
        "§16.5",
        (
            *_PLAYING,
            run("ui_click", refused("covered", covered_by=f"{_CANVAS}/Curtain"), path=f"{_CANVAS}/Below"),
            run("ui_click", refused("not_interactable"), path=f"{_CANVAS}/Off"),
            run("ui_click", refused("not_interactable"), path=f"{_HUD}#off"),
            run("ui_click", refused("view_changed"), x=1, y=1, width=10, height=900),
            _used(),
        ),
        needs=_NEEDS,
    ),
    Row(
        "a text goes into fields of both kinds, and its editing ends",
        "ui",
        "§16.5",
        (
            *_PLAYING,
            run("ui_text", done(value={"text": "Ann"}), path=f"{_CANVAS}/Name", text="Ann"),
            run("ui_text", done(value={"text": "Bo"}), path=f"{_HUD}#word", text="Bo"),
            run("ui_text", wrong("ERR_INVALID_PARAMS", message=Holds("no text")), path=f"{_CANVAS}/Start", text="x"),
            _used("name Ann", "word Bo"),
        ),
        needs=_NEEDS,
    ),
    Row(
        "a game that does not run is not used",
        "ui",
        "§16.5",
        (
            _ui({"state": "failed", "error": {"details": {"reason": "not_playing"}}}),
            run("ui_click", refused("not_playing"), path=f"{_CANVAS}/Start"),
            *_PLAYING,
            CallTool("play_mode", {"action": "pause"}, done(paused=True), within_s=60),
            run("ui_click", refused("paused"), path=f"{_CANVAS}/Start"),
            _used(),
        ),
        needs=_NEEDS,
    ),
)
