"""``run_command``: the package's commands and the project's."""

from __future__ import annotations

from unity_bridge.selftest.expected import Holds, Present, Size, With, Without
from unity_bridge.selftest.row import (
    Begin,
    CallTool,
    Finish,
    KeptValue,
    Requirement,
    Row,
    done,
    refused,
    run,
    wrong,
)
from unity_bridge.selftest.rows.state import RUNS_UNTIL_CANCELLED

_SCENE = "Assets/Scratch.unity"
_EDIT_TESTS = "Scratch.Tests.EditTests"

ROWS = (
    Row("ping", "commands", "§16.5", (run("ping", done(value={"pong": True, "unity_version": Present()})),), needs=()),
    Row(
        "the project's commands are listed with their signatures",
        "commands",
        "§16.5",
        (
            CallTool(
                "run_command",
                {"query": "scratch"},
                done(
                    commands=With(
                        {"name": "scratch_add", "signature": "scratch_add(a: int, b: int = 2)", "write": False}
                    )
                ),
            ),
        ),
    ),
    Row(
        "a name that is not there is refused, with the nearest",
        "commands",
        "§16.5",
        (run("pingg", wrong("ERR_INVALID_PARAMS", message=Holds("ping()"))),),
        needs=(),
    ),
    Row(
        "arguments: defaults, enums by name, lists",
        "commands",
        "§16.5",
        (
            run("scratch_add", done(value=3), a=1),
            run("scratch_add", done(value=9), a=4, b=5),
            run("scratch_size", done(value=["small", "none"])),
            run("scratch_size", done(value=["large", "a+b"]), size="large", names=["a", "b"]),
        ),
    ),
    Row(
        "arguments that do not fit run nothing",
        "commands",
        "§16.5",
        (
            run("scratch_add", wrong("ERR_INVALID_PARAMS", message=Holds("scratch_add(a: int"))),
            run("scratch_add", wrong("ERR_INVALID_PARAMS"), a="1"),
            run("scratch_add", wrong("ERR_INVALID_PARAMS"), a=1.5),
            run("scratch_size", wrong("ERR_INVALID_PARAMS"), size="huge"),
        ),
    ),
    Row(
        "a command that throws says what and where",
        "commands",
        "§16.5",
        (
            run(
                "scratch_throw",
                refused("exception", exception=Holds("InvalidOperationException"), stack=With(Holds("Commands"))),
            ),
        ),
    ),
    Row(
        "an iterator is followed until it finishes",
        "commands",
        "§16.5",
        (run("scratch_steps", done(value=20), count=20),),
    ),
    Row(
        "a command with a token is cancelled",
        "commands",
        "§6, §16.5",
        (
            *RUNS_UNTIL_CANCELLED,
            CallTool("get_job_status", {"job_id": KeptValue("job_id")}, {"state": "cancelled"}, within_s=20),
        ),
    ),
    Row(
        "a second equal call while the first runs is joined to it",
        "commands",
        "§15.7",
        (
            Begin("first", "run_command", {"name": "scratch_wait", "arguments": {"ms": 1500}}),
            Begin("second", "run_command", {"name": "scratch_wait", "arguments": {"ms": 1500}}),
            Finish("first", done(value="waited")),
            Finish("second", {"state": "succeeded", "joined": True}),
            run("scratch_runs", {"state": "succeeded"}),
        ),
    ),
    Row(
        "open_scene refuses to lose changes, without a dialog",
        "commands",
        "§16.5",
        (
            run("scratch_change_scene", done(value=_SCENE)),
            run("open_scene", refused("unsaved_scenes", scenes=[_SCENE]), path="Assets/Other.unity"),
            run("open_scene", done(), path="Assets/Other.unity", unsaved="discard"),
            run("list_scenes", done(value={"open": With({"path": "Assets/Other.unity", "dirty": False})})),
        ),
    ),
    Row(
        "save_all saves the open scene, without a dialog",
        "commands",
        "§16.5",
        (
            run("scratch_change_scene", done(value=_SCENE)),
            run("save_all", done(value={"saved": With(_SCENE)})),
            run("list_scenes", done(value={"open": With({"path": _SCENE, "dirty": False})})),
        ),
    ),
    Row(
        "set_fields sets what inspect shows, and says what was there",
        "commands",
        "§16.5",
        (
            run("set_fields", done(), path="/Lantern", values={"Transform.m_LocalScale": {"x": 2, "y": 1, "z": 1}}),
            run(
                "set_fields",
                done(
                    value={
                        "changed": With(
                            {
                                "path": "Scratch/Lantern",
                                "field": "Transform.m_LocalScale",
                                "before": {"x": 2, "y": 1, "z": 1},
                                "after": {"x": 3, "y": 1, "z": 1},
                            }
                        )
                    }
                ),
                path="Scratch/Lantern",
                values={"Transform.localScale": {"x": 3}},
            ),
            CallTool(
                "inspect",
                {"what": "object", "path": "Scratch/Lantern", "query": "Transform"},
                done(items=With({"field": "m_LocalScale", "value": {"x": 3, "y": 1, "z": 1}})),
            ),
            run("set_fields", done(value={"changed": []}), path="/Lantern", values={"Transform.localScale": {"x": 3}}),
            run("list_scenes", done(value={"open": With({"path": _SCENE, "dirty": True})})),
            run("set_fields", done(), path="/Lantern", values={"Transform.m_LocalScale": {"x": 1}}),
        ),
    ),
    Row(
        "a value that does not fit changes nothing",
        "commands",
        "§16.5",
        (
            run(
                "set_fields",
                wrong("ERR_INVALID_PARAMS", message=Holds("Nothing was changed")),
                path="/Lantern",
                values={"Transform.localScale": {"x": 9}, "Transform.localPosition": {"x": "far"}},
            ),
            CallTool(
                "inspect",
                {"what": "object", "path": "Scratch/Lantern", "query": "Transform"},
                done(items=With({"field": "m_LocalScale", "value": {"x": 1, "y": 1, "z": 1}})),
            ),
        ),
    ),
    Row(
        "an object comes and goes, with a component",
        "commands",
        "§16.5",
        (
            CallTool(
                "run_command",
                {"name": "create_object", "arguments": {"parent": "/Lantern", "name": "Wick"}},
                done(value={"changed": With({"path": "Scratch/Lantern/Wick", "field": "path"})}),
            ),
            run(
                "add_component",
                done(value={"changed": With({"field": "components", "after": ["Transform", "BoxCollider"]})}),
                path="Scratch/Lantern/Wick",
                component="BoxCollider",
            ),
            run(
                "move_object",
                done(value={"changed": With({"path": "Scratch/Wick", "field": "path"})}),
                path="Scratch/Lantern/Wick",
                parent="Scratch",
            ),
            run("delete_object", done(), path="/Wick"),
            CallTool("inspect", {"what": "hierarchy"}, done(items=Without({"path": "Scratch/Wick"}))),
        ),
    ),
    Row(
        "a scene that is not there is refused",
        "commands",
        "§16.5",
        (run("open_scene", wrong("ERR_INVALID_PARAMS", message=Holds("Nowhere")), path="Assets/Nowhere.unity"),),
        needs=(Requirement.SCRATCH,),
    ),
    Row(
        "a menu entry that is not there is refused",
        "commands",
        "§16.5",
        (run("menu", wrong("ERR_INVALID_PARAMS"), path="Selftest/Nothing"),),
        needs=(Requirement.SCRATCH,),
    ),
    Row(
        "list_assets finds by query, and refuses a folder that is not there",
        "commands",
        "§16.5",
        (
            run("list_assets", done(value={"assets": With({"path": _SCENE})}), query="t:Scene", folder="Assets"),
            run("list_assets", wrong("ERR_INVALID_PARAMS"), query="", folder="Assets/Nowhere"),
        ),
        needs=(Requirement.SCRATCH, Requirement.SCRIPTS),
    ),
    Row(
        "import_assets_bulk refuses what is not there",
        "commands",
        "§16.5",
        (run("import_assets_bulk", wrong("ERR_INVALID_PARAMS"), paths=["Assets/Nowhere.png"]),),
        needs=(Requirement.SCRATCH,),
    ),
    Row(
        "a build into the project itself is refused",
        "commands",
        "§16.5",
        (run("build_player", wrong("ERR_INVALID_PARAMS"), path="Assets/Game"),),
        needs=(Requirement.SCRATCH,),
    ),
    Row(
        "the packages of the project are listed",
        "commands",
        "§16.5",
        (
            run("packages", done(value={"packages": With({"name": "com.unity.test-framework"})}), action="list"),
            run("packages", done(value={"packages": Without({"name": "no.such.package"})}), action="list"),
        ),
        needs=(Requirement.SCRATCH,),
    ),
    Row(
        "the tests of the loaded code are listed",
        "commands",
        "§24.1",
        (
            run(
                "list_tests",
                done(
                    value={
                        "tests": [
                            [f"{_EDIT_TESTS}.HasACategory", "edit", _EDIT_TESTS, Present(), Present()],
                            [f"{_EDIT_TESTS}.Passes", "edit", _EDIT_TESTS, Present(), Present()],
                        ],
                        "total": 2,
                        "list_digest": Size(64),
                    }
                ),
                mode="edit",
                filter=_EDIT_TESTS,
            ),
        ),
    ),
    Row(
        "an object is created, found and deleted",
        "commands",
        "§16.5",
        (
            run("create_object", done(), parent="/", name="Selftest"),
            CallTool("inspect", {"what": "hierarchy"}, done(items=With({"path": "Scratch/Selftest"}))),
            run("list_scenes", done(value={"open": With({"path": _SCENE, "dirty": True})})),
            run("delete_object", done(), path="Scratch/Selftest"),
            CallTool("inspect", {"what": "hierarchy"}, done(items=Without({"path": "Scratch/Selftest"}))),
        ),
    ),
    Row(
        "an object is moved below another",
        "commands",
        "§16.5",
        (
            run("create_object", done(), parent="/", name="Selftest"),
            run("move_object", done(), path="Scratch/Selftest", parent="Scratch/Lantern"),
            CallTool("inspect", {"what": "hierarchy"}, done(items=With({"path": "Scratch/Lantern/Selftest"}))),
            run("delete_object", done(), path="Scratch/Lantern/Selftest"),
        ),
    ),
    Row(
        "a field that is not there is refused, and nothing is changed",
        "commands",
        "§16.5",
        (
            run("set_fields", wrong("ERR_INVALID_PARAMS"), path="Scratch/Lantern", values={"Transform.noSuchField": 1}),
            run("list_scenes", done(value={"open": With({"path": _SCENE, "dirty": False})})),
        ),
    ),
)
