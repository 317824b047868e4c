"""What a domain reload keeps, and that an edit is loaded by it."""

from __future__ import annotations

from unity_bridge.selftest.expected import Absent, Size
from unity_bridge.selftest.row import Events, Group, KeptValue, PutBack, Until, Write, done
from unity_bridge.selftest.rows.short_forms import (
    DONE,
    RELOAD,
    compiles,
    edit,
    gives,
    logs,
    reads,
    value_is,
)

_row = Group("reload", "§16.1").row
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
_LOADED = compiles(done(loaded=True))

ROWS = (
    _row(
        "an edit on disk is compiled and loaded by one call",
        edit(2),
        compiles(done(ok=True, changed=True, reloaded=True, loaded=True, pending_reason=Absent())),
        value_is(2),
        Events(("compilation_started", "compilation_finished", *_RELOADED)),
    ),
    _row(
        "an edit that is undone is loaded again",
        edit(3),
        _LOADED,
        value_is(3),
        PutBack(),
        compiles(done(ok=True, loaded=True)),
        value_is(1),
    ),
    _row(
        "force compiles and reloads without a change",
        compiles(done(ok=True, reloaded=True, loaded=True), force=True),
        Events(_RELOADED),
    ),
    _row(
        "compile without a change reloads nothing",
        compiles(done(ok=True, changed=False, reloaded=False, loaded=True)),
        Events(never=("reload_begins",)),
    ),
    _row(
        "console entries outlive a reload, each once",
        logs("warning", "kept over a reload"),
        RELOAD,
        reads(done(count=1, entries=Size(1)), contains="kept over a reload"),
        proves="§11.3",
    ),
    _row(
        "a console cursor outlives a reload",
        reads(DONE, keep="result.next_cursor", max_entries=1),
        logs("log", "before the reload"),
        RELOAD,
        logs("log", "after the reload"),
        reads(
            done(count=2, truncated=False),
            since=KeptValue("result.next_cursor"),
            contains="the reload",
        ),
        proves="§16",
    ),
    _row(
        "the connection comes back ready and trusted",
        RELOAD,
        Until({"connected": True, "editor_state": "ready", "trusted": True, "code": "loaded"}),
        proves="§7.4",
    ),
    _row(
        "statics are new after a reload",
        logs("log", "one run"),
        RELOAD,
        gives("scratch_runs", 0),
        proves="§15.6",
    ),
    _row(
        "a script that throws in every update keeps nothing from working",
        Write("Assets/ScratchEditor/Throws.cs", _THROWS),
        compiles(done(ok=True, loaded=True)),
        value_is(1),
        compiles(done(ok=True, reloaded=True, loaded=True), force=True),
        proves="§11.7",
    ),
    _row(
        "three edits in a row, each loaded",
        edit(11),
        _LOADED,
        value_is(11),
        edit(12, before=11),
        _LOADED,
        value_is(12),
        edit(13, before=12),
        _LOADED,
        value_is(13),
        proves="§15",
    ),
)
