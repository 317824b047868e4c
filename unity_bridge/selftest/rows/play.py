"""``play_mode``: what is entered is really running."""

from __future__ import annotations

from unity_bridge.selftest.expected import AtLeast, Holds, OneOf
from unity_bridge.selftest.row import (
    CallTool,
    Events,
    Expected,
    Requirement,
    Row,
    Until,
    Write,
    done,
    faulty,
    refused,
    run,
    wrong,
)
from unity_bridge.selftest.rows.state import BROKEN


def _play(action: str, expect: Expected, **arguments: Expected) -> CallTool:
    return CallTool("play_mode", {"action": action, **arguments}, expect, within_s=60)


_ENTER = _play("enter", done(playing=True))
_PRESSED: Expected = {"pressed": ["space"], "updates": AtLeast(1), "held_ms": AtLeast(200), "released": True}
_EXIT = _play("exit", done(playing=False))

ROWS = (
    Row(
        "entering ends when a frame has run",
        "play",
        "§16.2",
        (
            _play("enter", done(playing=True, paused=False, changed=True, frame=AtLeast(1))),
            Until({"playing": True, "editor_state": "ready"}),
            Events(("exiting_edit_mode", "entered_play_mode")),
            _play("exit", done(playing=False, changed=True)),
            Events(("exiting_play_mode", "entered_edit_mode")),
        ),
        needs=(Requirement.SCRATCH, Requirement.EVENTS),
    ),
    Row(
        "a state that is reached already is no change",
        "play",
        "§15.7",
        (
            _ENTER,
            _play("enter", done(playing=True, changed=False)),
            _EXIT,
            _play("exit", done(playing=False, changed=False)),
        ),
        needs=(Requirement.SCRATCH,),
    ),
    Row(
        "pausing, stepping and resuming",
        "play",
        "§16.2",
        (
            _ENTER,
            _play("pause", done(playing=True, paused=True)),
            _play("step", done(playing=True, paused=True, frame=AtLeast(5)), frames=5),
            _play("resume", done(playing=True, paused=False)),
            _EXIT,
        ),
        needs=(Requirement.SCRATCH,),
    ),
    Row(
        "pausing and stepping in edit mode are refused",
        "play",
        "§16.2",
        tuple(_play(action, refused("not_playing")) for action in ("pause", "resume", "step")),
        needs=(Requirement.SCRATCH,),
    ),
    Row(
        "broken scripts refuse play mode, with the errors",
        "play",
        "§16.2",
        (
            Write("Assets/Scratch/Broken.cs", BROKEN),
            CallTool("compile", {}, faulty(ok=False)),
            _play("enter", refused("compile_errors")),
            Until({"playing": False}),
        ),
    ),
    Row(
        "commands that need edit mode are refused while the game plays",
        "play",
        "§16.5",
        (_ENTER, run("open_scene", refused("playing"), path="Assets/Other.unity"), run("save_all", refused("playing"))),
        needs=(Requirement.SCRATCH,),
    ),
    Row(
        "keys are refused outside play mode",
        "play",
        "§16.5",
        (run("press", refused("not_playing"), keys=["space"]),),
        needs=(Requirement.SCRATCH,),
    ),
    Row(
        "keys go down and up, or the reason why none can",
        "play",
        "§16.5",
        (
            _ENTER,
            run("press", OneOf((done(value=_PRESSED), refused("input_manager"))), keys=["space"], for_ms=200),
            run("press", wrong("ERR_INVALID_PARAMS", message=Holds("1 to 8 keys")), keys=[]),
        ),
        needs=(Requirement.SCRATCH,),
    ),
    Row(
        "the console keeps its entries over play mode",
        "play",
        "§11.3",
        (
            run("scratch_log", done(), kind="warning", text="before the game"),
            _ENTER,
            _EXIT,
            CallTool("read_console", {"contains": "before the game"}, done(count=1)),
        ),
    ),
    Row(
        "a read works while the game plays",
        "play",
        "§4.3",
        (
            _ENTER,
            run("scratch_add", done(value=5), a=3),
            CallTool("inspect", {"what": "scenes"}, done(total=AtLeast(1))),
        ),
    ),
    Row(
        "an editor without focus calls delayed calls while a job runs",
        "play",
        "§11.6",
        (
            run("record_events", done(), action="delay"),
            run("scratch_steps", done(value=50), count=50),
            CallTool("run_command", {"name": "record_events", "arguments": {"action": "read"}}, done()),
        ),
        needs=(Requirement.SCRATCH, Requirement.SCRIPTS, Requirement.EVENTS),
    ),
)
