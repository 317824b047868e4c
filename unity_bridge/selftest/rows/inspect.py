"""``inspect``: what is in the scenes and in the project."""

from __future__ import annotations

from unity_bridge.selftest.expected import Absent, AtLeast, Holds, Present, With
from unity_bridge.selftest.row import ANYWHERE, Group, done, wrong
from unity_bridge.selftest.rows.short_forms import DONE, SCENE, finds, gives, inspects, scene_is

_row = Group("inspect", "§16.4").row
_LANTERN = "Scratch/Lantern"

ROWS = (
    _row(
        "the open scene is listed",
        inspects(
            "scenes",
            done(what="scenes", items=With({"file": SCENE, "kind": "scene", "loaded": True})),
        ),
    ),
    _row(
        "the hierarchy has the objects of the scene",
        finds("hierarchy", {"path": _LANTERN, "active": True, "components": With("Transform")}),
    ),
    _row(
        "an object has its components and fields",
        finds("object", {"path": _LANTERN, "name": "Lantern", "type": "GameObject"}, path=_LANTERN),
        finds("object", {"component": "Transform"}, path=_LANTERN),
    ),
    _row(
        "a query finds by name, and by component",
        *(
            finds("hierarchy", {"path": _LANTERN}, query=query)
            for query in ("lantern", "t:Transform")
        ),
        inspects("hierarchy", done(items=[]), query="no such object"),
    ),
    _row(
        "assets are found by their type",
        finds("assets", {"path": SCENE, "guid": Present()}, query="t:Scene"),
    ),
    _row(
        "what is not there is refused, and the answer says what is",
        inspects(
            "object", wrong("ERR_INVALID_PARAMS", message=Holds("Lantern")), path="Scratch/Lanten"
        ),
    ),
    _row(
        "a selection is shown as it is",
        gives("select", {"total": 1}, paths=[_LANTERN]),
        inspects("selection", done(total=1, items=[{"name": "Lantern", "path": _LANTERN}])),
        gives("get_selection", {"total": 1, "objects": [{"path": _LANTERN}]}),
        gives("select", {"total": 0}, paths=[]),
        inspects("selection", done(total=0, items=[])),
    ),
    _row(
        "reading leaves the scene without changes",
        inspects("hierarchy", DONE, depth=10),
        inspects("object", DONE, path=_LANTERN),
        scene_is(SCENE, dirty=False),
    ),
    _row(
        "a limit gives pages",
        inspects("hierarchy", done(next_cursor=Present()), limit=1),
        inspects("hierarchy", done(next_cursor=Absent()), limit=1000),
    ),
    _row(
        "scenes, hierarchy and selection of any project are answered",
        inspects("scenes", done(total=AtLeast(1))),
        inspects("hierarchy", done(what="hierarchy"), limit=5),
        inspects("selection", done(what="selection", next_cursor=Absent())),
        needs=ANYWHERE,
    ),
)
