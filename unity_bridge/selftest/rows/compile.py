"""``compile``: errors with their places, pending code, and dialogs that must not come."""

from __future__ import annotations

from unity_bridge.selftest.expected import Absent, AtLeast, Holds, OneOf, With
from unity_bridge.selftest.row import (
    Begin,
    Events,
    Finish,
    Group,
    PutBack,
    Remove,
    Replace,
    Until,
    Write,
    done,
    faulty,
    refused,
)
from unity_bridge.selftest.rows.short_forms import (
    BREAK,
    BREAKS,
    BROKEN,
    BROKEN_FILE,
    DIRTY,
    DONE,
    ENTER,
    EXIT,
    LOCK,
    OTHER_SCENE,
    SCENE,
    calls,
    compiles,
    does,
    edit,
    finds,
    gives,
    inspects,
    reads,
    scene_is,
    value_is,
)

_row = Group("compile", "§16.1").row
_ERROR = {
    "file": BROKEN_FILE,
    "line": 3,
    "code": "CS0103",
    "message": Holds("nowhere"),
    "assembly": Holds("Scratch"),
}
_ALSO_BROKEN = "Assets/ScratchTests/AlsoBroken.cs"
# Not of the kinds that Unity suppresses by default: CS0169 and CS0649.
_WARNED = "class Warned\n{\n    void Run() { int unused = 1; }\n}\n"
_EXTRA = """namespace Scratch.Editor
{
    public static class Extra
    {
        [BridgeCommand("scratch_extra", "New.", Write = false)]
        private static int Run() { return 7; }
    }
}
"""
_CHANGED_ON_DISK = Replace(SCENE, "m_Name: Lantern", "m_Name: Lamp")
_NO_DIALOG = Events(never=("stall",))
_FINE = done(ok=True, loaded=True)
_PENDING = done(ok=True, loaded=False, pending_reason="reload_locked")
_KEPT = done(ok=True, scenes_reloaded=Absent())
_REOPENED = done(ok=True, scenes_reloaded=[SCENE])
_REFUSED = refused("scene_changed_on_disk", scenes=[SCENE])
_ONE_KEY = {"force": True, "client_request_id": "selftest-key"}

ROWS = (
    _row(
        "an error is reported with file, line, code and assembly",
        BREAK,
        compiles(faulty(ok=False, loaded=OneOf((False, None)), error_count=1, errors=[_ERROR])),
        value_is(1),
        Events(("compilation_started", "compilation_finished"), never=("reload_begins",)),
    ),
    _row(
        "an error is still known when nothing changes",
        *BREAKS,
        compiles(faulty(ok=False, errors=[_ERROR])),
    ),
    _row(
        "undoing a broken edit needs no reload, and its error is gone",
        *BREAKS,
        PutBack(),
        compiles(done(ok=True, error_count=0, errors=[])),
        reads(done(count=0), contains="CS0103", types=["error"]),
    ),
    _row(
        "of two broken assemblies the error of the one that is left stays",
        BREAK,
        Write(_ALSO_BROKEN, BROKEN.replace("Broken", "AlsoBroken")),
        compiles(faulty(ok=False, errors=With(_ERROR))),
        Write(BROKEN_FILE, "// empty\n"),
        compiles(faulty(ok=False, error_count=1, errors=[{"file": _ALSO_BROKEN, "line": 3}])),
    ),
    _row(
        "compile errors are entries of the console",
        *BREAKS,
        reads(done(count=AtLeast(1)), types=["error"], contains="CS0103"),
        proves="§16",
    ),
    _row(
        "warnings are listed if they are asked for",
        Write("Assets/Scratch/Warned.cs", _WARNED),
        compiles(
            done(ok=True, warning_count=AtLeast(1), warnings=With({"code": "CS0219", "line": 3})),
            warnings=True,
        ),
    ),
    _row(
        "a new file brings a new command",
        Write("Assets/ScratchEditor/Extra.cs", _EXTRA),
        compiles(_FINE),
        gives("scratch_extra", 7),
        proves="§16.1, §16.5",
    ),
    _row("compile is refused while the game plays", ENTER, compiles(refused("playing")), EXIT),
    _row(
        "an edit while the game plays parks nothing, and is loaded after it",
        ENTER,
        edit(4),
        gives("ping", {"pong": True}),
        reads(DONE, within_s=10, max_entries=1),
        EXIT,
        compiles(_FINE),
        value_is(4),
        proves="§3.2, §11.7",
    ),
    _row(
        "under a locked reload the code is compiled and not loaded, twice",
        LOCK,
        edit(5),
        compiles(_PENDING, within_s=30),
        compiles(_PENDING, within_s=30),
        Until({"editor_state": "ready", "code": "pending", "pending_reason": "reload_locked"}),
        value_is(1),
        does("scratch_lock", on=False),
        Until({"editor_state": "ready", "code": "loaded"}),
        value_is(5),
        proves="§11.7, §16.1",
    ),
    _row(
        "no call is parked under a locked reload",
        LOCK,
        edit(6),
        compiles(done(loaded=False), within_s=30),
        reads(DONE, within_s=5, max_entries=1),
        inspects("scenes", DONE, within_s=10),
        gives("ping", {"pong": True}),
        proves="§3.2",
    ),
    _row(
        "two calls with one key are one compilation",
        Begin("first", "compile", _ONE_KEY),
        Begin("second", "compile", _ONE_KEY),
        Finish("first", done(ok=True)),
        Finish("second", {"state": "succeeded", "joined": True}),
        proves="§15.7",
    ),
    _row(
        "a clean scene that changed on disk is opened again, without a dialog",
        _CHANGED_ON_DISK,
        compiles(_REOPENED, within_s=30),
        finds("hierarchy", {"path": "Scratch/Lamp"}),
        _NO_DIALOG,
    ),
    _row(
        "a changed scene that changed on disk is refused, without a dialog",
        DIRTY,
        _CHANGED_ON_DISK,
        compiles(_REFUSED, within_s=30),
        calls("run_tests", _REFUSED, within_s=30),
        _NO_DIALOG,
    ),
    _row(
        "changed_scenes: disk takes the file",
        DIRTY,
        _CHANGED_ON_DISK,
        compiles(_REOPENED, within_s=30, changed_scenes="disk"),
        scene_is(SCENE, dirty=False),
    ),
    _row(
        "changed_scenes: editor saves over the file",
        DIRTY,
        _CHANGED_ON_DISK,
        compiles(_KEPT, within_s=30, changed_scenes="editor"),
        scene_is(SCENE, dirty=False),
        compiles(_KEPT, within_s=30),
    ),
    _row(
        "an open scene that is deleted on disk is refused, without a dialog",
        does("open_scene", path=OTHER_SCENE),
        Remove(OTHER_SCENE),
        compiles(refused("scene_changed_on_disk", scenes=[OTHER_SCENE]), within_s=30),
        _NO_DIALOG,
    ),
)
