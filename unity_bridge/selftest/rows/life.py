"""The editor's life: opened once, and closed when it is asked."""

from __future__ import annotations

from unity_bridge.editor_life.closing import COMMAND
from unity_bridge.selftest.expected import Present, With
from unity_bridge.selftest.row import (
    Begin,
    CallTool,
    Close,
    Events,
    Finish,
    Open,
    Requirement,
    Row,
    Until,
    done,
    refused,
    run,
)

ROWS = (
    Row(
        "an editor that is open is the answer, and no second one is started",
        "life",
        "§22.2",
        (Open({"state": "ready", "started": False}), Until({"connected": True})),
        needs=(Requirement.SCRATCH,),
    ),
    Row(
        "an editor with unsaved changes refuses to close, and no dialog comes",
        "life",
        "§22.8",
        (
            run("scratch_change_scene", done()),
            run(COMMAND, refused("unsaved_scenes", scenes=["Assets/Scratch.unity"])),
            Until({"connected": True}),
            Events(never=("stall", "quits")),
        ),
        needs=(Requirement.SCRATCH, Requirement.SCRIPTS, Requirement.EVENTS),
    ),
    Row(
        "an editor that plays refuses to close",
        "life",
        "§22.8",
        (CallTool("play_mode", {"action": "enter"}, done(playing=True)), run(COMMAND, refused("playing"))),
        needs=(Requirement.SCRATCH,),
    ),
    Row(
        "an editor with a job that runs refuses to close",
        "life",
        "§22.8",
        (
            Begin("wait", "run_command", {"name": "scratch_wait", "arguments": {"ms": 3000}}),
            Until({"running_jobs": With(Present())}),
            run(COMMAND, refused("busy", jobs=With(Present()))),
            Finish("wait", done(value="waited")),
        ),
    ),
    Row(
        "the editor closes, and its connection ends",
        "life",
        "§22.8",
        (Close({"state": "closed"}), Until({"connected": False})),
        needs=(Requirement.SCRATCH,),
    ),
    Row(
        "it opens again, connected and trusted",
        "life",
        "§22.1",
        (
            Open({"state": "ready", "started": True}),
            Until({"connected": True, "trusted": True, "editor_state": "ready"}, within_s=120),
        ),
        needs=(Requirement.SCRATCH,),
    ),
)
