"""The editor's life: opened once, and closed when it is asked."""

from __future__ import annotations

from unity_bridge.editor_life.closing import COMMAND
from unity_bridge.selftest.expected import Present, With
from unity_bridge.selftest.row import (
    EVENTS,
    SCRATCH,
    SCRIPTS,
    Begin,
    Close,
    Events,
    Finish,
    Group,
    Open,
    Until,
    done,
    refused,
    run,
)
from unity_bridge.selftest.rows.short_forms import ENTER, SCENE, does

_row = Group("life", "§22.8", needs=SCRATCH).row
_TRUSTED = {"connected": True, "trusted": True, "editor_state": "ready"}

ROWS = (
    _row(
        "an editor that is open is the answer, and no second one is started",
        Open({"state": "ready", "started": False}),
        Until({"connected": True}),
        proves="§22.2",
    ),
    _row(
        "an editor with unsaved changes refuses to close, and no dialog comes",
        does("scratch_change_scene"),
        run(COMMAND, refused("unsaved_scenes", scenes=[SCENE])),
        Until({"connected": True}),
        Events(never=("stall", "quits")),
        needs=EVENTS,
    ),
    _row(
        "an editor with a window that has unsaved changes refuses to close",
        does("scratch_window", on=True),
        run(COMMAND, refused("unsaved_scenes", windows=["Scratch window"])),
        Until({"connected": True}),
        does("scratch_window", on=False),
        needs=SCRIPTS,
    ),
    _row("an editor that plays refuses to close", ENTER, run(COMMAND, refused("playing"))),
    _row(
        "an editor with a job that runs refuses to close",
        Begin("wait", "run_command", {"name": "scratch_wait", "arguments": {"ms": 3000}}),
        Until({"running_jobs": With(Present())}),
        run(COMMAND, refused("busy", jobs=With(Present()))),
        Finish("wait", done(value="waited")),
        needs=SCRIPTS,
    ),
    _row(
        "the editor closes, and its connection ends",
        Close({"state": "closed"}),
        Until({"connected": False}),
    ),
    _row(
        "it opens again, connected and trusted",
        Open({"state": "ready", "started": True}),
        Until(_TRUSTED, within_s=120),
        proves="§22.1",
    ),
)
