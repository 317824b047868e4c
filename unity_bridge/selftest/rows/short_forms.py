"""Short forms of the steps that rows of several groups take. Each returns one step."""

from __future__ import annotations

from unity_bridge.selftest.expected import Holds, OneOf, Present, With
from unity_bridge.selftest.row import (
    CallTool,
    Expected,
    KeptValue,
    Replace,
    Until,
    Write,
    done,
    faulty,
    run,
    wrong,
)

SCENE, OTHER_SCENE = "Assets/Scratch.unity", "Assets/Other.unity"
VALUE = "Assets/Scratch/Value.cs"
BROKEN_FILE = "Assets/Scratch/Broken.cs"
BROKEN = "class Broken\n{\n    int Wrong() { return nowhere; }\n}\n"
EDIT_TESTS = "Scratch.Tests.EditTests"
DONE = done()


def calls(
    tool: str,
    expect: Expected = DONE,
    /,
    keep: str = "",
    within_s: float = 120.0,
    **arguments: Expected,
) -> CallTool:
    """Call a tool."""
    return CallTool(tool, arguments, expect, keep, within_s)


def does(command: str, /, **arguments: Expected) -> CallTool:
    """Run a command that succeeds."""
    return run(command, DONE, **arguments)


def gives(command: str, value: Expected, /, **arguments: Expected) -> CallTool:
    """Run a command that succeeds with this value."""
    return run(command, done(value=value), **arguments)


def invalid(command: str, words: str = "", /, **arguments: Expected) -> CallTool:
    """Run a command that refuses its arguments, with these words in its message."""
    return run(command, wrong("ERR_INVALID_PARAMS", message=Holds(words)), **arguments)


def changes(command: str, expected: Expected, /, **arguments: Expected) -> CallTool:
    """Run a command that lists a change like this one among its changes."""
    return gives(command, {"changed": With(expected)}, **arguments)


def compiles(expect: Expected, /, within_s: float = 120.0, **arguments: Expected) -> CallTool:
    """Call ``compile``."""
    return calls("compile", expect, within_s=within_s, **arguments)


def tests(filter_: str, expect: Expected, /, **arguments: Expected) -> CallTool:
    """Call ``run_tests`` with this filter."""
    return calls("run_tests", expect, filter=filter_, **arguments)


def reads(
    expect: Expected, /, keep: str = "", within_s: float = 120.0, **arguments: Expected
) -> CallTool:
    """Call ``read_console``."""
    return calls("read_console", expect, keep, within_s, **arguments)


def inspects(
    question: str, expect: Expected, /, within_s: float = 120.0, **arguments: Expected
) -> CallTool:
    """Call ``inspect``."""
    return calls("inspect", expect, within_s=within_s, what=question, **arguments)


def finds(question: str, item: Expected, /, **arguments: Expected) -> CallTool:
    """Call ``inspect``, which lists an item like this one."""
    return inspects(question, done(items=With(item)), **arguments)


def plays(action: str, expect: Expected, /, **arguments: Expected) -> CallTool:
    """Call ``play_mode``."""
    return calls("play_mode", expect, within_s=60.0, action=action, **arguments)


def value_is(number: int) -> CallTool:
    """Check which code is loaded."""
    return gives("scratch_value", number)


def edit(number: int, before: int = 1) -> Replace:
    """Change the number that ``value_is`` reads, on disk."""
    return Replace(VALUE, f"Number = {before}", f"Number = {number}")


def scene_is(path: str, dirty: bool) -> CallTool:
    """Check that a scene is open, and whether it has unsaved changes."""
    return gives("list_scenes", {"open": With({"path": path, "dirty": dirty})})


def logs(kind: str, text: str) -> CallTool:
    """Write to Unity's console."""
    return gives("scratch_log", text, kind=kind, text=text)


ENTER = plays("enter", done(playing=True))
EXIT = plays("exit", done(playing=False))
DIRTY = gives("scratch_change_scene", SCENE)
LOCK = gives("scratch_lock", True, on=True)
RELOAD = compiles(done(reloaded=True), force=True)
# Scripts that do not compile.
BREAK = Write(BROKEN_FILE, BROKEN)
BREAKS = (BREAK, compiles(faulty(ok=False)))


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
