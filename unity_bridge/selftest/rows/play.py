"""``play_mode``: what is entered is really running."""

from __future__ import annotations

from unity_bridge.selftest.expected import AtLeast, Holds, OneOf, Present, With
from unity_bridge.selftest.row import (
    EVENTS,
    SCRATCH,
    SCRIPTS,
    Begin,
    Events,
    Expected,
    Finish,
    Group,
    Requirement,
    Until,
    done,
    refused,
    run,
)
from unity_bridge.selftest.rows.short_forms import (
    BREAKS,
    ENTER,
    EXIT,
    OTHER_SCENE,
    does,
    gives,
    inspects,
    invalid,
    logs,
    plays,
    reads,
)

_row = Group("play", "§16.2", needs=SCRATCH).row
_PRESSED: Expected = {
    "pressed": ["space"],
    "updates": AtLeast(1),
    "held_game_ms": AtLeast(200),
    "released": True,
}

ROWS = (
    _row(
        "entering ends when a frame has run",
        plays("enter", done(playing=True, paused=False, changed=True, frame=AtLeast(1))),
        Until({"playing": True, "editor_state": "ready"}),
        Events(("exiting_edit_mode", "entered_play_mode")),
        plays("exit", done(playing=False, changed=True)),
        Events(("exiting_play_mode", "entered_edit_mode")),
        needs=(*SCRATCH, Requirement.EVENTS),
    ),
    _row(
        "a state that is reached already is no change",
        ENTER,
        plays("enter", done(playing=True, changed=False)),
        EXIT,
        plays("exit", done(playing=False, changed=False)),
        proves="§15.7",
    ),
    _row(
        "pausing, stepping and resuming",
        ENTER,
        plays("pause", done(playing=True, paused=True)),
        plays("step", done(playing=True, paused=True, frame=AtLeast(5)), frames=5),
        plays("resume", done(playing=True, paused=False)),
        EXIT,
    ),
    _row(
        "pausing and stepping in edit mode are refused",
        *(plays(action, refused("not_playing")) for action in ("pause", "resume")),
    ),
    _row(
        "broken scripts refuse play mode, with the errors",
        *BREAKS,
        plays("enter", refused("compile_errors")),
        Until({"playing": False}),
        needs=SCRIPTS,
    ),
    _row(
        "commands that need edit mode are refused while the game plays",
        ENTER,
        run("open_scene", refused("playing"), path=OTHER_SCENE),
        run("save_all", refused("playing")),
        proves="§16.5",
    ),
    _row(
        "keys are refused outside play mode",
        run("press", refused("not_playing"), keys=["space"]),
        proves="§16.5",
    ),
    _row(
        "keys go down and up, or the reason why none can",
        ENTER,
        run(
            "press",
            OneOf((done(value=_PRESSED), refused("input_manager"))),
            keys=["space"],
            for_ms=200,
        ),
        invalid("press", "1 to 8 keys", keys=[]),
        proves="§16.5",
    ),
    _row(
        "frames and seconds of the game pass without the focus",
        ENTER,
        gives("wait_for", {"met": True, "frame": AtLeast(20)}, frames=20),
        gives("wait_for", {"met": True, "game_time_s": AtLeast(1)}, seconds=1),
        plays("pause", done(paused=True)),
        gives("wait_for", {"met": False, "reason": "not_advancing"}, seconds=1),
        proves="§16.2, §16.5",
    ),
    _row(
        "a wait for what never comes ends with its time, and names it",
        gives(
            "wait_for", {"met": False, "reason": Holds("Nowhere")}, path="/Nowhere", within_ms=200
        ),
        run("wait_for", refused("not_playing"), frames=1),
        invalid("wait_for", "one condition"),
        proves="§16.5",
    ),
    _row(
        "a wait goes on next to other jobs, and sees what they log",
        Begin(
            "wait",
            "run_command",
            {"name": "wait_for", "arguments": {"log": "door", "within_ms": 60000}},
        ),
        Until({"running_jobs": With(Present())}),
        logs("warning", "the door opens"),
        Finish("wait", done(value={"met": True})),
        proves="§15.6",
        needs=SCRIPTS,
    ),
    _row(
        "a profile has the next frames of the game",
        run("profile", refused("not_playing")),
        ENTER,
        gives(
            "profile",
            {"frames": AtLeast(10), "frame_ms": Present(), "in_editor": True},
            seconds=1,
        ),
        proves="§16.5",
    ),
    _row(
        "a recording shows the game in motion",
        run("record", refused("not_playing")),
        ENTER,
        gives("record", {"frames": AtLeast(2), "missed": AtLeast(0)}, seconds=1, frames=4),
        proves="§16.12",
        needs=(*SCRATCH, Requirement.WINDOW),
    ),
    _row(
        "the console keeps its entries over play mode",
        logs("warning", "before the game"),
        ENTER,
        EXIT,
        reads(done(count=1), contains="before the game"),
        proves="§11.3",
        needs=SCRIPTS,
    ),
    _row(
        "a read works while the game plays",
        ENTER,
        gives("scratch_add", 5, a=3),
        inspects("scenes", done(total=AtLeast(1))),
        proves="§4.3",
        needs=SCRIPTS,
    ),
    _row(
        "an editor without focus calls delayed calls while a job runs",
        does("record_events", action="delay"),
        gives("scratch_steps", 50, count=50),
        does("record_events", action="read"),
        proves="§11.6",
        needs=EVENTS,
    ),
)
