"""What the editor's state says while it works."""

from __future__ import annotations

from unity_bridge.selftest.expected import Absent, AtLeast, OneOf
from unity_bridge.selftest.row import (
    EVENTS,
    SCRATCH,
    Begin,
    Events,
    Finish,
    Group,
    PutBack,
    Until,
    done,
    wrong,
)
from unity_bridge.selftest.rows.short_forms import (
    BREAKS,
    DONE,
    ENTER,
    EXIT,
    RUNS_UNTIL_CANCELLED,
    compiles,
    inspects,
    plays,
    reads,
)

_row = Group("state", "§16").row
_IDLE = {"editor_state": "ready", "playing": False, "running_jobs": [], "code": "loaded"}

ROWS = (
    _row("the state of an idle editor", Until(_IDLE), needs=SCRATCH),
    _row(
        "a main thread that stands still is reported, reads of the scene are refused, and the connection stays",
        Begin("block", "run_command", {"name": "scratch_block", "arguments": {"ms": 9000}}),
        Until({"connected": True, "editor": {"main_thread_stalled_ms": AtLeast(3000)}}),
        reads(DONE, within_s=5, max_entries=1),
        inspects("scenes", wrong("ERR_EDITOR_NOT_READY")),
        Finish("block", done(value=9000)),
        Until({"connected": True, "editor": {"main_thread_stalled_ms": Absent()}}),
        Events(("stall",)),
        proves="§7.5, §16.4",
        needs=EVENTS,
    ),
    _row(
        "compile errors are counted until they are fixed",
        *BREAKS,
        Until({"editor_state": "ready", "editor": {"compile_errors": AtLeast(1)}}),
        PutBack(),
        compiles(done(ok=True, error_count=0)),
        Until({"editor_state": "ready", "editor": {"compile_errors": OneOf((0, None))}}),
        proves="§11.4",
    ),
    _row(
        "a job that runs is listed",
        *RUNS_UNTIL_CANCELLED,
        Until({"running_jobs": []}),
        proves="§15.2",
    ),
    _row(
        "play mode is part of the state",
        Until({"playing": False}),
        ENTER,
        Until({"playing": True, "paused": False, "editor_state": "ready"}),
        plays("pause", done(paused=True)),
        Until({"paused": True}),
        EXIT,
        Until({"playing": False, "paused": False}),
        proves="§16.2",
        needs=SCRATCH,
    ),
)
