"""What a domain reload keeps, and that an edit is loaded by it."""

from __future__ import annotations

from unity_bridge.selftest.expected import Absent, Size
from unity_bridge.selftest.row import CallTool, Events, KeptValue, PutBack, Replace, Row, Until, Write, done, run

VALUE = "Assets/Scratch/Value.cs"
_THROWS = """using UnityEditor;

namespace Scratch.Editor
{
    [InitializeOnLoad]
    public static class Throws
    {
        static Throws()
        {
            EditorApplication.update += () => { throw new System.Exception("selftest: in every update"); };
        }
    }
}
"""
_RELOADED = ("reload_begins", "loaded")

ROWS = (
    Row(
        "an edit on disk is compiled and loaded by one call",
        "reload",
        "§16.1",
        (
            Replace(VALUE, "Number = 1", "Number = 2"),
            CallTool("compile", {}, done(ok=True, changed=True, reloaded=True, loaded=True, pending_reason=Absent())),
            run("scratch_value", done(value=2)),
            Events(("compilation_started", "compilation_finished", *_RELOADED)),
        ),
    ),
    Row(
        "an edit that is undone is loaded again",
        "reload",
        "§16.1",
        (
            Replace(VALUE, "Number = 1", "Number = 3"),
            CallTool("compile", {}, done(loaded=True)),
            run("scratch_value", done(value=3)),
            PutBack(),
            CallTool("compile", {}, done(ok=True, loaded=True)),
            run("scratch_value", done(value=1)),
        ),
    ),
    Row(
        "force compiles and reloads without a change",
        "reload",
        "§16.1",
        (CallTool("compile", {"force": True}, done(ok=True, reloaded=True, loaded=True)), Events(_RELOADED)),
    ),
    Row(
        "compile without a change reloads nothing",
        "reload",
        "§16.1",
        (
            CallTool("compile", {}, done(ok=True, changed=False, reloaded=False, loaded=True)),
            Events(never=("reload_begins",)),
        ),
    ),
    Row(
        "console entries outlive a reload, each once",
        "reload",
        "§11.3",
        (
            run("scratch_log", done(), kind="warning", text="kept over a reload"),
            CallTool("compile", {"force": True}, done(reloaded=True)),
            CallTool("read_console", {"contains": "kept over a reload"}, done(count=1, entries=Size(1))),
        ),
    ),
    Row(
        "a console cursor outlives a reload",
        "reload",
        "§16",
        (
            CallTool("read_console", {"max_entries": 1}, done(), keep="result.next_cursor"),
            run("scratch_log", done(), kind="log", text="before the reload"),
            CallTool("compile", {"force": True}, done(reloaded=True)),
            run("scratch_log", done(), kind="log", text="after the reload"),
            CallTool(
                "read_console",
                {"since": KeptValue("result.next_cursor"), "contains": "the reload"},
                done(count=2, truncated=False),
            ),
        ),
    ),
    Row(
        "the connection comes back ready and trusted",
        "reload",
        "§7.4",
        (
            CallTool("compile", {"force": True}, done(reloaded=True)),
            Until({"connected": True, "editor_state": "ready", "trusted": True, "code": "loaded"}),
        ),
    ),
    Row(
        "statics are new after a reload",
        "reload",
        "§15.6",
        (
            run("scratch_log", done(), kind="log", text="one run"),
            CallTool("compile", {"force": True}, done(reloaded=True)),
            run("scratch_runs", done(value=0)),
        ),
    ),
    Row(
        "a script that throws in every update keeps nothing from working",
        "reload",
        "§11.7",
        (
            Write("Assets/ScratchEditor/Throws.cs", _THROWS),
            CallTool("compile", {}, done(ok=True, loaded=True)),
            run("scratch_value", done(value=1)),
            CallTool("compile", {"force": True}, done(ok=True, reloaded=True, loaded=True)),
        ),
    ),
    Row(
        "three edits in a row, each loaded",
        "reload",
        "§15",
        (
            *(
                step
                for before, after in ((1, 11), (11, 12), (12, 13))
                for step in (
                    Replace(VALUE, f"Number = {before}", f"Number = {after}"),
                    CallTool("compile", {}, done(loaded=True)),
                    run("scratch_value", done(value=after)),
                )
            ),
        ),
    ),
)
