"""What the editor's state says while it works."""

from __future__ import annotations

from unity_bridge.selftest.expected import Absent, AtLeast, OneOf, Present, With
from unity_bridge.selftest.row import (
    Begin,
    CallTool,
    Events,
    Finish,
    KeptValue,
    PutBack,
    Requirement,
    Row,
    Until,
    Write,
    done,
    faulty,
)

BROKEN = "class Broken\n{\n    int Wrong() { return nowhere; }\n}\n"

# A job that is listed while it runs, and then cancelled; its id is kept.
RUNS_UNTIL_CANCELLED = (
    CallTool(
        "run_command",
        {"name": "scratch_wait", "arguments": {"ms": 60000}, "wait_ms": 0},
        {"state": OneOf(("queued", "running"))},
        keep="job_id",
        within_s=0,
    ),
    Until({"running_jobs": With(Present())}),
    CallTool("cancel_job", {"job_id": KeptValue("job_id")}, {"state": "succeeded"}),
)

ROWS = (
    Row(
        "the state of an idle editor",
        "state",
        "§16",
        (Until({"editor_state": "ready", "playing": False, "running_jobs": [], "code": "loaded"}),),
        needs=(Requirement.SCRATCH,),
    ),
    Row(
        "a main thread that stands still is reported, reads of the scene are refused, and the connection stays",
        "state",
        "§7.5, §16.4",
        (
            Begin("block", "run_command", {"name": "scratch_block", "arguments": {"ms": 9000}}),
            Until({"connected": True, "editor": {"main_thread_stalled_ms": AtLeast(3000)}}),
            CallTool("read_console", {"max_entries": 1}, {"state": "succeeded"}, within_s=5),
            CallTool("inspect", {"what": "scenes"}, {"state": "failed", "error": {"code": "ERR_EDITOR_NOT_READY"}}),
            Finish("block", done(value=9000)),
            Until({"connected": True, "editor": {"main_thread_stalled_ms": Absent()}}),
            Events(("stall",)),
        ),
        needs=(Requirement.SCRATCH, Requirement.SCRIPTS, Requirement.EVENTS),
    ),
    Row(
        "compile errors are counted until they are fixed",
        "state",
        "§11.4",
        (
            Write("Assets/Scratch/Broken.cs", BROKEN),
            CallTool("compile", {}, faulty(ok=False)),
            Until({"editor_state": "ready", "editor": {"compile_errors": AtLeast(1)}}),
            PutBack(),
            CallTool("compile", {}, done(ok=True, error_count=0)),
            Until({"editor_state": "ready", "editor": {"compile_errors": OneOf((0, None))}}),
        ),
    ),
    Row(
        "a job that runs is listed",
        "state",
        "§15.2",
        (
            *RUNS_UNTIL_CANCELLED,
            Until({"running_jobs": []}),
        ),
    ),
    Row(
        "play mode is part of the state",
        "state",
        "§16.2",
        (
            Until({"playing": False}),
            CallTool("play_mode", {"action": "enter"}, done(playing=True)),
            Until({"playing": True, "paused": False, "editor_state": "ready"}),
            CallTool("play_mode", {"action": "pause"}, done(paused=True)),
            Until({"paused": True}),
            CallTool("play_mode", {"action": "exit"}, done(playing=False)),
            Until({"playing": False, "paused": False}),
        ),
        needs=(Requirement.SCRATCH,),
    ),
)
