"""The project around the objects (SPEC §16.8): settings, tags, Undo, scenes, menus, references."""

from __future__ import annotations

from unity_bridge.selftest.expected import AtLeast, Holds, Present, With
from unity_bridge.selftest.row import Group, done, refused, run
from unity_bridge.selftest.rows.short_forms import (
    OTHER_SCENE,
    SCENE,
    changes,
    does,
    finds,
    gives,
    inspects,
    invalid,
    scene_is,
)

_row = Group("project", "§16.8").row
_TAGS, _PLAYER = "ProjectSettings/TagManager.asset", "ProjectSettings/ProjectSettings.asset"

ROWS = (
    _row(
        "a tag is added, used, kept while it is used, and removed",
        gives("tags", {"written": [_TAGS], "undo": False}, action="add", tag="Scratched"),
        changes("set_fields", {"after": "Scratched"}, path="/Lantern", values={"tag": "Scratched"}),
        run(
            "tags",
            refused("in_use", objects=["Scratch/Lantern"]),
            action="remove",
            tag="Scratched",
        ),
        does("set_fields", path="/Lantern", values={"tag": "Untagged"}),
        changes("tags", {"before": "Scratched", "after": None}, action="remove", tag="Scratched"),
    ),
    _row(
        "a layer and a sorting layer are added and removed",
        does("tags", action="add", layer="ScratchLayer"),
        does("tags", action="add", sorting_layer="ScratchFront"),
        gives(
            "tags",
            {"layers": With({"name": "ScratchLayer"}), "sorting_layers": With("ScratchFront")},
        ),
        does("tags", action="remove", layer="ScratchLayer"),
        does("tags", action="remove", sorting_layer="ScratchFront"),
    ),
    _row(
        "undo takes back what this client did, and no selection of another",
        does("create_object", name="Undone"),
        gives("undo", {"changed": [{"step": Holds("Undone")}]}),
        inspects("hierarchy", done(total=0), query="Undone"),
    ),
    _row(
        "the name of the company is set and its file written",
        gives(
            "set_fields",
            {"written": [_PLAYER]},
            path="ProjectSettings/Player",
            values={"companyName": "Scratch Inc"},
        ),
        finds(
            "object",
            {"field": "companyName", "value": "Scratch Inc"},
            path=_PLAYER,
            query="companyName",
        ),
        does("set_fields", path="PlayerSettings", values={"companyName": "DefaultCompany"}),
        run(
            "set_fields",
            refused("would_compile"),
            path=_PLAYER,
            values={"additionalCompilerArguments": []},
        ),
    ),
    _row(
        "gravity, a time step and the fog of the scene",
        changes(
            "set_fields",
            {"after": {"y": -20}},
            path="ProjectSettings/Physics",
            values={"gravity": [0, -20, 0]},
        ),
        does("set_fields", path="ProjectSettings/Physics", values={"gravity": [0, -9.81, 0]}),
        does("set_fields", path="ProjectSettings/Time", values={"fixedDeltaTime": 0.01}),
        finds("object", {"field": "fixedDeltaTime", "value": 0.01}, path="ProjectSettings/Time"),
        does("set_fields", path="ProjectSettings/Time", values={"fixedDeltaTime": 0.02}),
        changes(
            "set_fields",
            {"path": "RenderSettings", "after": True},
            path="RenderSettings",
            values={"fog": True},
        ),
        gives("undo", {"changed": [{"step": Present()}]}),
    ),
    _row(
        "a second scene is opened and closed, and the only one is not",
        does("open_scene", path=OTHER_SCENE, additive=True),
        gives("close_scene", {"closed": OTHER_SCENE, "active": SCENE}, scene=OTHER_SCENE),
        invalid("close_scene", "keeps one scene loaded", scene=SCENE),
        scene_is(SCENE, dirty=False),
    ),
    _row(
        "entries of a menu are listed",
        gives(
            "menu",
            {"entries": With({"path": "GameObject/Create Empty"})},
            path="GameObject",
            query="create empty",
        ),
    ),
    _row(
        "a platform that Unity does not know is refused",
        invalid("switch_platform", "no build target", target="Dreamcast"),
    ),
    _row(
        "who refers to an object, and what is missing",
        gives("find_references", {"items": [], "complete": True}, path="/Lantern"),
        gives(
            "find_references",
            {"total": AtLeast(0), "complete": False},
            path="Assets/Icon.png",
            **{"in": "project"},
        ),
        gives("find_missing", {"total": AtLeast(0), "sources": Present()}),
    ),
)
