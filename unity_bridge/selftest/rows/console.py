"""``read_console``: each entry once, with its kind."""

from __future__ import annotations

from unity_bridge.selftest.expected import Absent, AtLeast, Holds, Present, Size
from unity_bridge.selftest.row import CallTool, Expected, KeptValue, Requirement, Row, Write, done, faulty, run
from unity_bridge.selftest.rows.state import BROKEN


def _log(kind: str, text: str) -> CallTool:
    return run("scratch_log", done(value=text), kind=kind, text=text)


def _read(expect: Expected, **arguments: Expected) -> CallTool:
    return CallTool("read_console", arguments, expect)


_KINDS = {
    "log": "log",
    "warning": "warning",
    "error": "error",
    "assert": "assert",
    "exception": "exception",
    "thread": "log",
}

ROWS = (
    *(
        Row(
            f"what is logged as {kind} is there once, as {type_}",
            "console",
            "§11.3",
            (
                _log(kind, f"selftest entry of kind {kind}"),
                _read(
                    done(count=1, entries=[{"type": type_, "message": Holds(f"selftest entry of kind {kind}")}]),
                    contains=f"selftest entry of kind {kind}",
                ),
            ),
        )
        for kind, type_ in _KINDS.items()
    ),
    Row(
        "types choose entries",
        "console",
        "§16",
        (
            _log("log", "selftest chosen"),
            _log("warning", "selftest chosen"),
            _read(done(count=1, entries=[{"type": "warning"}]), contains="selftest chosen", types=["warning"]),
        ),
    ),
    Row(
        "equal entries that follow one another are one",
        "console",
        "§16",
        (
            *(_log("log", "selftest repeated") for _ in range(3)),
            _read(
                done(entries=[{"message": Holds("selftest repeated"), "repeated": AtLeast(3)}]),
                contains="selftest repeated",
            ),
        ),
    ),
    Row(
        "the newest entries come, and it is said that there are more",
        "console",
        "§16",
        (
            run("scratch_log_many", done(value=20), text="selftest number", count=20),
            _read(
                done(count=20, truncated=True, entries=[{"message": Holds("18")}, {"message": Holds("19")}]),
                contains="selftest number",
                max_entries=2,
            ),
        ),
    ),
    Row(
        "since brings what is newer, and nothing twice",
        "console",
        "§16",
        (
            _log("log", "selftest older"),
            CallTool("read_console", {}, done(next_cursor=Present()), keep="result.next_cursor"),
            _log("log", "selftest newer"),
            _read(
                done(count=1, truncated=False, entries=[{"message": Holds("selftest newer")}]),
                since=KeptValue("result.next_cursor"),
                contains="selftest",
            ),
        ),
    ),
    Row(
        "stack traces come if they are asked for",
        "console",
        "§16",
        (
            _log("error", "selftest with a stack"),
            _read(done(entries=[{"stack_trace": Absent()}]), contains="selftest with a stack"),
            _read(
                done(entries=[{"stack_trace": Present()}]), contains="selftest with a stack", include_stack_trace=True
            ),
        ),
    ),
    Row(
        "clearing leaves the errors of the compiler",
        "console",
        "§16.5",
        (
            Write("Assets/Scratch/Broken.cs", BROKEN),
            CallTool("compile", {}, faulty(ok=False)),
            _log("log", "selftest cleared"),
            run("clear_console", done()),
            _read(done(entries=Size(0)), contains="selftest cleared"),
            _read(done(count=AtLeast(1)), contains="CS0103"),
        ),
    ),
    Row(
        "the console can be read without an entry that fits",
        "console",
        "§16",
        (_read(done(entries=Size(0), count=0), contains="selftest: nobody logs this"),),
        needs=(),
    ),
    Row(
        "a job says what was logged while it ran",
        "console",
        "§15.3",
        (
            CallTool(
                "run_command",
                {"name": "scratch_log", "arguments": {"kind": "error", "text": "selftest logged by a job"}},
                {"state": "succeeded", "console": {"errors": 1, "first": [Holds("selftest logged by a job")]}},
            ),
        ),
        needs=(Requirement.SCRATCH, Requirement.SCRIPTS),
    ),
)
