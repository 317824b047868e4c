"""``run_command``: the package's commands and the project's."""

from __future__ import annotations

from unity_bridge.selftest.expected import AtLeast, Holds, Present, Size, With, Without
from unity_bridge.selftest.row import (
    ANYWHERE,
    SCRATCH,
    Begin,
    CallTool,
    Finish,
    Group,
    KeptValue,
    done,
    refused,
    run,
)
from unity_bridge.selftest.rows.short_forms import (
    DIRTY,
    EDIT_TESTS,
    OTHER_SCENE,
    RUNS_UNTIL_CANCELLED,
    SCENE,
    calls,
    changes,
    does,
    finds,
    gives,
    inspects,
    invalid,
    scene_is,
)

_row = Group("commands", "§16.5").row
_LANTERN = "Scratch/Lantern"
_ADD = {"name": "scratch_add", "signature": "scratch_add(a: int, b: int = 2)", "write": False}
_THROWN = refused(
    "exception", exception=Holds("InvalidOperationException"), stack=With(Holds("Commands"))
)
_WAIT = {"name": "scratch_wait", "arguments": {"ms": 1500}}
_TESTS = [
    [f"{EDIT_TESTS}.{name}", "edit", EDIT_TESTS, Present(), Present()]
    for name in ("HasACategory", "Passes")
]


def _scale_is(x: int) -> CallTool:
    item = {"field": "m_LocalScale", "value": {"x": x, "y": 1, "z": 1}}
    return finds("object", item, path=_LANTERN, query="Transform")


def _is_gone(path: str) -> CallTool:
    return inspects("hierarchy", done(items=Without({"path": path})))


ROWS = (
    _row("ping", gives("ping", {"pong": True, "unity_version": Present()}), needs=ANYWHERE),
    _row(
        "the project's commands are listed with their signatures",
        calls("run_command", done(commands=With(_ADD)), query="scratch"),
    ),
    _row(
        "a name that is not there is refused, with the nearest",
        invalid("pingg", "ping()"),
        needs=ANYWHERE,
    ),
    _row(
        "arguments: defaults, enums by name, lists",
        gives("scratch_add", 3, a=1),
        gives("scratch_add", 9, a=4, b=5),
        gives("scratch_size", ["small", "none"]),
        gives("scratch_size", ["large", "a+b"], size="large", names=["a", "b"]),
    ),
    _row(
        "arguments that do not fit run nothing",
        invalid("scratch_add", "a is missing. It is a: int"),
        invalid("scratch_add", a="one"),
        invalid("scratch_add", a=1.5),
        invalid("scratch_size", size="huge"),
    ),
    _row("a command that throws says what and where", run("scratch_throw", _THROWN)),
    _row("an iterator is followed until it finishes", gives("scratch_steps", 20, count=20)),
    _row(
        "a command with a token is cancelled",
        *RUNS_UNTIL_CANCELLED,
        CallTool(
            "get_job_status", {"job_id": KeptValue("job_id")}, {"state": "cancelled"}, within_s=20
        ),
        proves="§6, §16.5",
    ),
    _row(
        "a second equal call while the first runs is joined to it",
        Begin("first", "run_command", _WAIT),
        Begin("second", "run_command", _WAIT),
        Finish("first", done(value="waited")),
        Finish("second", {"state": "succeeded", "joined": True}),
        does("scratch_runs"),
        proves="§15.7",
    ),
    _row(
        "open_scene refuses to lose changes, without a dialog",
        DIRTY,
        run("open_scene", refused("unsaved_scenes", scenes=[SCENE]), path=OTHER_SCENE),
        does("open_scene", path=OTHER_SCENE, unsaved="discard"),
        scene_is(OTHER_SCENE, dirty=False),
    ),
    _row(
        "save_scene saves one open scene",
        DIRTY,
        gives("save_scene", {"written": With(SCENE)}),
        scene_is(SCENE, dirty=False),
    ),
    _row(
        "save_all saves the open scene, without a dialog",
        DIRTY,
        gives("save_all", {"saved": With(SCENE)}),
        scene_is(SCENE, dirty=False),
    ),
    _row(
        "set_fields sets what inspect shows, and says what was there",
        does(
            "set_fields",
            path="/Lantern",
            values={"Transform.m_LocalScale": {"x": 2, "y": 1, "z": 1}},
        ),
        changes(
            "set_fields",
            {
                "path": _LANTERN,
                "field": "Transform.m_LocalScale",
                "before": {"x": 2, "y": 1, "z": 1},
                "after": {"x": 3, "y": 1, "z": 1},
            },
            path=_LANTERN,
            values={"Transform.localScale": {"x": 3}},
        ),
        _scale_is(3),
        gives(
            "set_fields",
            {"changed": []},
            path="/Lantern",
            values={"Transform.localScale": {"x": 3}},
        ),
        scene_is(SCENE, dirty=True),
        does("set_fields", path="/Lantern", values={"Transform.m_LocalScale": {"x": 1}}),
    ),
    _row(
        "a value that does not fit changes nothing",
        invalid(
            "set_fields",
            "Nothing was changed",
            path="/Lantern",
            values={"Transform.localScale": {"x": 9}, "Transform.localPosition": {"x": "far"}},
        ),
        _scale_is(1),
    ),
    _row(
        "an object comes and goes, with a component",
        changes(
            "create_object",
            {"path": f"{_LANTERN}/Wick", "field": "path"},
            parent="/Lantern",
            name="Wick",
        ),
        changes(
            "add_component",
            {"field": "components", "after": ["Transform", "BoxCollider"]},
            path=f"{_LANTERN}/Wick",
            component="BoxCollider",
        ),
        changes(
            "remove_component",
            {"field": "components", "after": ["Transform"]},
            path=f"{_LANTERN}/Wick",
            component="BoxCollider",
        ),
        changes(
            "move_object",
            {"path": "Scratch/Wick", "field": "path"},
            path=f"{_LANTERN}/Wick",
            parent="Scratch",
        ),
        does("delete_object", path="/Wick"),
        _is_gone("Scratch/Wick"),
    ),
    _row(
        "a scene that is not there is refused",
        invalid("open_scene", "Nowhere", path="Assets/Nowhere.unity"),
        needs=SCRATCH,
    ),
    _row(
        "a menu entry that is not there is refused",
        invalid("menu", path="Selftest/Nothing"),
        needs=SCRATCH,
    ),
    _row(
        "list_assets finds by query, and refuses a folder that is not there",
        gives("list_assets", {"assets": With({"path": SCENE})}, query="t:Scene", folder="Assets"),
        invalid("list_assets", query="", folder="Assets/Nowhere"),
    ),
    _row(
        "import_assets_bulk refuses what is not there",
        invalid("import_assets_bulk", paths=["Assets/Nowhere.png"]),
        needs=SCRATCH,
    ),
    _row(
        "a build into the project itself is refused",
        invalid("build_player", path="Assets/Game"),
        needs=SCRATCH,
    ),
    _row(
        "the packages of the project are listed",
        gives("packages", {"packages": With({"name": "com.unity.test-framework"})}, action="list"),
        gives("packages", {"packages": Without({"name": "no.such.package"})}, action="list"),
        needs=SCRATCH,
    ),
    _row(
        "a type has its members, and a made-up name is answered with the real one",
        gives(
            "find_api",
            {"members": With({"kind": "method"}), "total": AtLeast(10)},
            query="GameObject",
        ),
        gives(
            "find_api",
            {"matches": With({"name": "UnityEditor.AssetDatabase.Refresh"}), "nearest": True},
            query="AssetDatabase.RefreshAssets",
        ),
    ),
    _row(
        "the tests of the loaded code are listed",
        gives(
            "list_tests",
            {"tests": _TESTS, "total": 2, "list_digest": Size(64)},
            mode="edit",
            filter=EDIT_TESTS,
        ),
        proves="§24.1",
    ),
    _row(
        "a field that is not there is refused, and nothing is changed",
        invalid("set_fields", path=_LANTERN, values={"Transform.noSuchField": 1}),
        scene_is(SCENE, dirty=False),
    ),
)
