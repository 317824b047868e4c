"""What a person asks for first (SPEC §16.7): objects, assets, prefabs, scenes, batches."""

from __future__ import annotations

from typing import Any, Mapping

from unity_bridge.selftest.expected import OneOf, Present, With
from unity_bridge.selftest.row import CallTool, Expected, Group, done, refused, run
from unity_bridge.selftest.rows.short_forms import changes, does, finds, gives, invalid

_row = Group("make", "§16.7").row
_LAMP, _MENU = "Assets/Made/Lantern.prefab", "Assets/Made/Menu.unity"
_WAGON, _CART = "Assets/Made/Wagon.prefab", "Assets/Made/Cart.prefab"
_STAND, _PAINT = "Assets/Made/Stand.prefab", "Assets/Made/Paint.mat"
_PAINTS, _COPY = "Assets/Made/Paints", "Assets/Made/Copy.mat"
_SCALE = {"changed": With({"field": "Transform.m_LocalScale"})}
_SPRITE = {"importer.textureType": "Sprite"}
_SHEET = {**_SPRITE, "importer.spriteImportMode": "Multiple"}
_CLIP, _ANIMATOR = "Assets/Made/Bob.anim", "Assets/Made/Hero.controller"
_CURVE = {"field": "localPosition.y", "keys": [[0, 0], [1, 1]]}
_MAKE_ANIMATOR: Mapping[str, Any] = {
    "path": _ANIMATOR,
    "values": {
        "parameters": {"Speed": "Float"},
        "states": [{"name": "Idle"}, {"name": "Run", "motion": _CLIP}],
        "transitions": [{"from": "Idle", "to": "Run", "conditions": [["Speed", ">", 0.1]]}],
    },
}
_CIRCLE = ([3, 0, 0], [-1.5, 0, 2.6], [-1.5, 0, -2.6])
_RED = {"r": 1, "g": 0, "b": 0, "a": 1}


def _step(command: str, called: str = "", /, **arguments: Expected) -> Mapping[str, Any]:
    return {"name": command, "arguments": arguments, **({"as": called} if called else {})}


def _batch(*steps: Mapping[str, Any], **value: Expected) -> CallTool:
    return gives("batch", value, steps=list(steps))


def _shows(path: str, field: Expected, value: Expected) -> CallTool:
    return finds("object", {"field": field, "value": value}, path=path)


_MAKE_LAMP = gives(
    "create_asset", {"written": With(_LAMP), "undo": False}, path=_LAMP, **{"from": "/Lantern"}
)

ROWS = (
    _row(
        "a cube at the origin with a Rigidbody",
        changes(
            "create_object",
            {"field": "components", "after": With("Rigidbody")},
            kind="cube",
            components=["Rigidbody"],
        ),
        _shows("Scratch/Cube", "m_LocalPosition", {"x": 0, "y": 0, "z": 0}),
    ),
    _row(
        "three cubes in a circle",
        _batch(
            *(_step("create_object", kind="cube", position=place) for place in _CIRCLE),
            steps=[
                {"path": "Scratch/Cube"},
                {"path": "Scratch/Cube (1)"},
                {"path": "Scratch/Cube (2)"},
            ],
            undo=True,
        ),
    ),
    _row(
        "a red material on the player",
        does("create_object", kind="cube", name="Player"),
        _batch(
            _step("create_asset", "red", path="Assets/Made/Red.mat", values={"color": "#FF0000"}),
            _step("set_fields", path="/Player", values={"MeshRenderer.materials": [{"$": "red"}]}),
            written=With("Assets/Made/Red.mat"),
        ),
        _shows("Assets/Made/Red.mat", Present(), _RED),
    ),
    _row(
        "a prefab of an object, and a child added to it",
        _MAKE_LAMP,
        gives("create_object", {"written": [_LAMP]}, parent=_LAMP, name="Muzzle"),
        finds("hierarchy", {"path": f"{_LAMP}/Muzzle"}, path=_LAMP),
        run("create_asset", refused("exists"), path=_LAMP, **{"from": "/Lantern"}),
        does("create_object", prefab=_LAMP, name="Plain"),
        changes("unpack_prefab", {"field": "prefab", "before": _LAMP}, path="/Plain"),
    ),
    _row(
        "an instance's overrides are taken back, and applied to its prefab",
        does("create_asset", path=_STAND, **{"from": "/Lantern"}),
        does("create_object", prefab=_STAND, name="Other"),
        does("set_fields", path="/Other", values={"Transform.localScale": [2, 1, 1]}),
        gives("revert_overrides", _SCALE, path="/Other"),
        does("set_fields", path="/Other", values={"Transform.localScale": [3, 1, 1]}),
        gives("apply_overrides", {**_SCALE, "written": [_STAND]}, path="/Other"),
        _shows(_STAND, "m_LocalScale", {"x": 3, "y": 1, "z": 1}),
    ),
    _row(
        "a file is copied, moved and deleted",
        does("create_asset", path=_PAINT),
        changes("copy_asset", {"path": _COPY}, path=_PAINT, to=_COPY),
        changes("move_asset", {"after": _PAINTS + "/Copy.mat"}, path=_COPY, to=_PAINTS + "/"),
        changes("delete_asset", {"after": None}, path=_PAINTS + "/Copy.mat"),
    ),
    _row(
        "lighting and NavMesh are baked, or the reason is named",
        run("bake_lighting", OneOf((done(value={"completed": True}), refused("not_started")))),
        run("bake_navmesh", OneOf((done(value={"surfaces": 0}), refused("no_navigation")))),
        does("save_all"),
    ),
    _row(
        "project files are written, or a code editor is missing",
        run(
            "generate_code_project_wide",
            OneOf((done(value={"files": Present()}), refused("no_code_editor"))),
        ),
    ),
    _row(
        "a new scene with camera and light, saved and in the build list",
        changes("create_scene", {"path": "Menu/Main Camera"}, path=_MENU),
        changes("build_scenes", {"path": _MENU, "field": "build_index"}, action="add", path=_MENU),
        gives("list_scenes", {"open": With({"path": _MENU, "dirty": False})}),
        does("build_scenes", action="remove", path=_MENU),
    ),
    _row(
        "a ScriptableObject with values",
        changes(
            "create_asset",
            {"field": "Scratch.ItemData.price", "after": 15},
            path="Assets/Made/Sword.asset",
            type="Scratch.ItemData",
            values={"price": 15, "title": "Sword"},
        ),
        _shows("Assets/Made/Sword.asset", "price", 15),
        invalid("create_asset", "ItemData", path="Assets/Made/Axe.asset", type="ItemDate"),
    ),
    _row(
        "a main menu with two buttons",
        _batch(
            _step("create_object", "menu", kind="canvas", name="Menu"),
            _step(
                "create_object",
                "play",
                kind="button",
                parent="$menu",
                name="Play",
                values={"text": "Play"},
            ),
            _step(
                "create_object", kind="button", parent="$menu", name="Quit", values={"text": "Quit"}
            ),
            _step(
                "add_listener",
                path="$play",
                event="onClick",
                target="$menu",
                method="SetActive",
                argument=False,
            ),
            undo=True,
        ),
        finds("hierarchy", {"path": "Scratch/Menu/Quit"}),
    ),
    _row(
        "an animator with two states, a transition and a clip",
        does("create_asset", path=_CLIP, values={"loop": True, "curves": [_CURVE]}),
        gives("create_asset", {"written": With(_ANIMATOR), "undo": False}, **_MAKE_ANIMATOR),
        _shows(_ANIMATOR, "default_state", "Idle"),
        _shows(_ANIMATOR, "transitions", With({"from": "Idle", "to": "Run"})),
        _shows(_CLIP, "curves", With({"field": "m_LocalPosition.y"})),
        changes(
            "set_fields",
            {"field": "states Run", "after": None},
            path=_ANIMATOR,
            values={"states": {"Run": None}},
        ),
        invalid(
            "set_fields", "which is not there", path=_ANIMATOR, values={"default_state": "Run"}
        ),
    ),
    _row(
        "a texture as a sprite",
        changes(
            "set_fields",
            {"field": "importer.textureType", "after": "Sprite"},
            path="Assets/Icon.png",
            values={"importer.textureType": "Sprite"},
        ),
        _shows("Assets/Icon.png", "spriteImportMode", "Single"),
        does("set_fields", path="Assets/Icon.png", values={"importer.textureType": "Default"}),
    ),
    _row(
        "slices of a sheet name the package that they need",
        run(
            "set_fields",
            refused("package_missing", package="com.unity.2d.sprite"),
            path="Assets/Icon.png",
            values={"importer.slices": {"cell": [1, 1]}},
        ),
    ),
    _row(
        "a sprite sheet stays one when its type is set again",
        does("set_fields", path="Assets/Icon.png", values=_SHEET),
        does(
            "set_fields", path="Assets/Icon.png", values={**_SPRITE, "importer.maxTextureSize": 512}
        ),
        _shows("Assets/Icon.png", "spriteImportMode", "Multiple"),
        does("set_fields", path="Assets/Icon.png", values={"importer.textureType": "Default"}),
    ),
    _row(
        "a material's emission is drawn, since its keyword is set",
        does("create_asset", path="Assets/Made/Glow.mat"),
        changes(
            "set_fields",
            {"field": "Material.keywords", "after": With("_EMISSION")},
            path="Assets/Made/Glow.mat",
            values={"_EmissionColor": "#FF0000"},
        ),
        does("save_all"),
    ),
    _row(
        "particles have a material that the pipeline in use draws",
        does("create_object", kind="particle_system", name="Sparks"),
        _shows("Scratch/Sparks", "m_Materials", With({"name": "Default-ParticleSystem"})),
    ),
    _row(
        "a controller leaves no step in Undo",
        gives("create_asset", {"undo": False}, path="Assets/Made/Walk.controller"),
        does("create_object", name="Before"),
        does("delete_object", path="/Before"),
    ),
    _row(
        "the open prefab is renamed with its file, and changed afterwards",
        does("create_asset", path=_WAGON, **{"from": "/Lantern"}),
        does("open_prefab", path=_WAGON),
        changes("move_asset", {"field": "GameObject.m_Name"}, path=_WAGON, to=_CART),
        gives("set_fields", {"written": With(_CART)}, path="/Cart/Cart", values={"layer": "Water"}),
        does("close_prefab"),
    ),
    _row(
        "controls without a parent share the Canvas that is there",
        does("create_object", kind="canvas", name="Screen"),
        changes("create_object", {"path": "Scratch/Screen/Panel"}, kind="panel", name="Panel"),
    ),
    _row(
        "fifty objects in one batch",
        _batch(
            *(_step("create_object", kind="cube", position=[x, 0, 0]) for x in range(50)), undo=True
        ),
        finds("hierarchy", {"path": "Scratch/Cube (49)"}),
    ),
    _row(
        "a batch that fails in the middle leaves nothing",
        run(
            "batch",
            refused(
                "arguments",
                batch={"step": 2, "name": "delete_object", "taken_back": 2, "stays": []},
            ),
            steps=[
                _step("create_asset", path="Assets/Made/Half.mat"),
                _step("create_object", kind="cube", name="Half"),
                _step("delete_object", path="/Nobody"),
            ],
        ),
        invalid("set_fields", "There is no", path="/Half", values={"name": "Whole"}),
        invalid(
            "set_fields", "There is no", path="Assets/Made/Half.mat", values={"renderQueue": 1}
        ),
    ),
)
