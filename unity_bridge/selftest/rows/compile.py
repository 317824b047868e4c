"""``compile``: errors with their places, pending code, and dialogs that must not come."""

from __future__ import annotations

from unity_bridge.selftest.expected import Absent, AtLeast, Holds, OneOf, With
from unity_bridge.selftest.row import (
    Begin,
    CallTool,
    Events,
    Finish,
    PutBack,
    Remove,
    Replace,
    Row,
    Until,
    Write,
    done,
    faulty,
    refused,
    run,
)
from unity_bridge.selftest.rows.reload import VALUE
from unity_bridge.selftest.rows.state import BROKEN

_BROKEN = "Assets/Scratch/Broken.cs"
_ERROR = {"file": _BROKEN, "line": 3, "code": "CS0103", "message": Holds("nowhere"), "assembly": Holds("Scratch")}
_SCENE = "Assets/Scratch.unity"
_CHANGED_ON_DISK = Replace(_SCENE, "m_Name: Lantern", "m_Name: Lamp")

ROWS = (
    Row(
        "an error is reported with file, line, code and assembly",
        "compile",
        "§16.1",
        (
            Write(_BROKEN, BROKEN),
            CallTool("compile", {}, faulty(ok=False, loaded=OneOf((False, None)), error_count=1, errors=[_ERROR])),
            run("scratch_value", done(value=1)),
            Events(("compilation_started", "compilation_finished"), never=("reload_begins",)),
        ),
    ),
    Row(
        "an error is still known when nothing changes",
        "compile",
        "§16.1",
        (
            Write(_BROKEN, BROKEN),
            CallTool("compile", {}, faulty(ok=False)),
            CallTool("compile", {}, faulty(ok=False, errors=[_ERROR])),
        ),
    ),
    Row(
        "undoing a broken edit needs no reload, and its error is gone",
        "compile",
        "§16.1",
        (
            Write(_BROKEN, BROKEN),
            CallTool("compile", {}, faulty(ok=False)),
            PutBack(),
            CallTool("compile", {}, done(ok=True, error_count=0, errors=[])),
            CallTool("read_console", {"contains": "CS0103", "types": ["error"]}, done(count=0)),
        ),
    ),
    Row(
        "of two broken assemblies the error of the one that is left stays",
        "compile",
        "§16.1",
        (
            Write(_BROKEN, BROKEN),
            Write("Assets/ScratchTests/AlsoBroken.cs", BROKEN.replace("Broken", "AlsoBroken")),
            CallTool("compile", {}, faulty(ok=False, errors=With(_ERROR))),
            Write(_BROKEN, "// empty\n"),
            CallTool(
                "compile",
                {},
                faulty(ok=False, error_count=1, errors=[{"file": "Assets/ScratchTests/AlsoBroken.cs", "line": 3}]),
            ),
        ),
    ),
    Row(
        "compile errors are entries of the console",
        "compile",
        "§16",
        (
            Write(_BROKEN, BROKEN),
            CallTool("compile", {}, faulty(ok=False)),
            CallTool("read_console", {"types": ["error"], "contains": "CS0103"}, done(count=AtLeast(1))),
        ),
    ),
    Row(
        "warnings are listed if they are asked for",
        "compile",
        "§16.1",
        (
            Write("Assets/Scratch/Warned.cs", "class Warned\n{\n    private int unused;\n}\n"),
            CallTool(
                "compile",
                {"warnings": True},
                done(ok=True, warning_count=AtLeast(1), warnings=With({"code": "CS0169", "line": 3})),
            ),
        ),
    ),
    Row(
        "a new file brings a new command",
        "compile",
        "§16.1, §16.5",
        (
            Write(
                "Assets/ScratchEditor/Extra.cs",
                "namespace Scratch.Editor\n{\n    public static class Extra\n    {\n"
                '        [BridgeCommand("scratch_extra", "New.", Write = false)]\n'
                "        private static int Run() { return 7; }\n    }\n}\n",
            ),
            CallTool("compile", {}, done(ok=True, loaded=True)),
            run("scratch_extra", done(value=7)),
        ),
    ),
    Row(
        "compile is refused while the game plays",
        "compile",
        "§16.1",
        (
            CallTool("play_mode", {"action": "enter"}, done(playing=True)),
            CallTool("compile", {}, refused("playing")),
            CallTool("play_mode", {"action": "exit"}, done(playing=False)),
        ),
    ),
    Row(
        "an edit while the game plays parks nothing, and is loaded after it",
        "compile",
        "§3.2, §11.7",
        (
            CallTool("play_mode", {"action": "enter"}, done(playing=True)),
            Replace(VALUE, "Number = 1", "Number = 4"),
            run("ping", done(value={"pong": True})),
            CallTool("read_console", {"max_entries": 1}, done(), within_s=10),
            CallTool("play_mode", {"action": "exit"}, done(playing=False), within_s=30),
            CallTool("compile", {}, done(ok=True, loaded=True)),
            run("scratch_value", done(value=4)),
        ),
    ),
    Row(
        "under a locked reload the code is compiled and not loaded, twice",
        "compile",
        "§11.7, §16.1",
        (
            run("scratch_lock", done(value=True), on=True),
            Replace(VALUE, "Number = 1", "Number = 5"),
            CallTool("compile", {}, done(ok=True, loaded=False, pending_reason="reload_locked"), within_s=30),
            CallTool("compile", {}, done(ok=True, loaded=False, pending_reason="reload_locked"), within_s=30),
            Until({"editor_state": "ready", "code": "pending", "pending_reason": "reload_locked"}),
            run("scratch_value", done(value=1)),
            run("scratch_lock", done(), on=False),
            Until({"editor_state": "ready", "code": "loaded"}),
            run("scratch_value", done(value=5)),
        ),
    ),
    Row(
        "no call is parked under a locked reload",
        "compile",
        "§3.2",
        (
            run("scratch_lock", done(value=True), on=True),
            Replace(VALUE, "Number = 1", "Number = 6"),
            CallTool("compile", {}, done(loaded=False), within_s=30),
            CallTool("read_console", {"max_entries": 1}, done(), within_s=5),
            CallTool("inspect", {"what": "scenes"}, done(), within_s=10),
            run("ping", done(value={"pong": True})),
        ),
    ),
    Row(
        "two calls with one key are one compilation",
        "compile",
        "§15.7",
        (
            Begin("first", "compile", {"force": True, "client_request_id": "selftest-key"}),
            Begin("second", "compile", {"force": True, "client_request_id": "selftest-key"}),
            Finish("first", done(ok=True)),
            Finish("second", {"state": "succeeded", "joined": True}),
        ),
    ),
    Row(
        "a clean scene that changed on disk is opened again, without a dialog",
        "compile",
        "§16.1",
        (
            _CHANGED_ON_DISK,
            CallTool("compile", {}, done(ok=True, scenes_reloaded=[_SCENE]), within_s=30),
            CallTool("inspect", {"what": "hierarchy"}, done(items=With({"path": "Scratch/Lamp"}))),
            Events(never=("stall",)),
        ),
    ),
    Row(
        "a changed scene that changed on disk is refused, without a dialog",
        "compile",
        "§16.1",
        (
            run("scratch_change_scene", done(value=_SCENE)),
            _CHANGED_ON_DISK,
            CallTool("compile", {}, refused("scene_changed_on_disk", scenes=[_SCENE]), within_s=30),
            CallTool("run_tests", {}, refused("scene_changed_on_disk", scenes=[_SCENE]), within_s=30),
            Events(never=("stall",)),
        ),
    ),
    Row(
        "changed_scenes: disk takes the file",
        "compile",
        "§16.1",
        (
            run("scratch_change_scene", done(value=_SCENE)),
            _CHANGED_ON_DISK,
            CallTool("compile", {"changed_scenes": "disk"}, done(ok=True, scenes_reloaded=[_SCENE]), within_s=30),
            run("list_scenes", done(value={"open": With({"path": _SCENE, "dirty": False})})),
        ),
    ),
    Row(
        "changed_scenes: editor saves over the file",
        "compile",
        "§16.1",
        (
            run("scratch_change_scene", done(value=_SCENE)),
            _CHANGED_ON_DISK,
            CallTool("compile", {"changed_scenes": "editor"}, done(ok=True, scenes_reloaded=Absent()), within_s=30),
            run("list_scenes", done(value={"open": With({"path": _SCENE, "dirty": False})})),
            CallTool("compile", {}, done(ok=True, scenes_reloaded=Absent()), within_s=30),
        ),
    ),
    Row(
        "an open scene that is deleted on disk is refused, without a dialog",
        "compile",
        "§16.1",
        (
            run("open_scene", done(), path="Assets/Other.unity"),
            Remove("Assets/Other.unity"),
            CallTool("compile", {}, refused("scene_changed_on_disk", scenes=["Assets/Other.unity"]), within_s=30),
            Events(never=("stall",)),
        ),
    ),
)
