"""``read_console``: each entry once, with its kind."""

from __future__ import annotations

from unity_bridge.selftest.expected import Absent, AtLeast, Holds, Present, Size
from unity_bridge.selftest.row import ANYWHERE, Group, KeptValue, done, run
from unity_bridge.selftest.rows.short_forms import BREAKS, does, gives, logs, reads

_row = Group("console", "§16").row
_KINDS = {name: name for name in ("log", "warning", "error", "assert", "exception")}
_LOGGED = {"errors": 1, "first": [Holds("selftest logged by a job")]}

ROWS = (
    *(
        _row(
            f"what is logged as {kind} is there once, as {type_}",
            logs(kind, f"selftest entry of kind {kind}"),
            reads(
                done(
                    count=1,
                    entries=[{"type": type_, "message": Holds(f"selftest entry of kind {kind}")}],
                ),
                contains=f"selftest entry of kind {kind}",
            ),
            proves="§11.3",
        )
        for kind, type_ in {**_KINDS, "thread": "log"}.items()
    ),
    _row(
        "types choose entries",
        logs("log", "selftest chosen"),
        logs("warning", "selftest chosen"),
        reads(
            done(count=1, entries=[{"type": "warning"}]),
            contains="selftest chosen",
            types=["warning"],
        ),
    ),
    _row(
        "equal entries that follow one another are one",
        *(logs("log", "selftest repeated") for _ in range(3)),
        reads(
            done(entries=[{"message": Holds("selftest repeated"), "repeated": AtLeast(3)}]),
            contains="selftest repeated",
        ),
    ),
    _row(
        "the newest entries come, and it is said that there are more",
        gives("scratch_log_many", 20, text="selftest number", count=20),
        reads(
            done(
                count=20,
                truncated=True,
                entries=[{"message": Holds("18")}, {"message": Holds("19")}],
            ),
            contains="selftest number",
            max_entries=2,
        ),
    ),
    _row(
        "since brings what is newer, and nothing twice",
        logs("log", "selftest older"),
        reads(done(next_cursor=Present()), keep="result.next_cursor"),
        logs("log", "selftest newer"),
        reads(
            done(count=1, truncated=False, entries=[{"message": Holds("selftest newer")}]),
            since=KeptValue("result.next_cursor"),
            contains="selftest",
        ),
    ),
    _row(
        "stack traces come if they are asked for",
        logs("error", "selftest with a stack"),
        reads(done(entries=[{"stack_trace": Absent()}]), contains="selftest with a stack"),
        reads(
            done(entries=[{"stack_trace": Present()}]),
            contains="selftest with a stack",
            include_stack_trace=True,
        ),
    ),
    _row(
        "clearing leaves the errors of the compiler",
        *BREAKS,
        logs("log", "selftest cleared"),
        does("clear_console"),
        reads(done(entries=Size(0)), contains="selftest cleared"),
        reads(done(count=AtLeast(1)), contains="CS0103"),
        proves="§16.5",
    ),
    _row(
        "the console can be read without an entry that fits",
        reads(done(entries=Size(0), count=0), contains="selftest: nobody logs this"),
        needs=ANYWHERE,
    ),
    _row(
        "a job says what was logged while it ran",
        run(
            "scratch_log",
            {"state": "succeeded", "console": _LOGGED},
            kind="error",
            text="selftest logged by a job",
        ),
        proves="§15.3",
    ),
)
