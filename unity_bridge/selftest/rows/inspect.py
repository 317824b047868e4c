"""``inspect``: what is in the scenes and in the project."""

from __future__ import annotations

from unity_bridge.selftest.expected import Absent, AtLeast, Holds, Present, With
from unity_bridge.selftest.row import CallTool, Expected, Requirement, Row, done, run, wrong

_IN_SCRATCH = (Requirement.SCRATCH, Requirement.SCRIPTS)


def _look(expect: Expected, **arguments: Expected) -> CallTool:
    return CallTool("inspect", arguments, expect)


ROWS = (
    Row(
        "the open scene is listed",
        "inspect",
        "§16.4",
        (
            _look(
                done(what="scenes", items=With({"file": "Assets/Scratch.unity", "kind": "scene", "loaded": True})),
                what="scenes",
            ),
        ),
        needs=_IN_SCRATCH,
    ),
    Row(
        "the hierarchy has the objects of the scene",
        "inspect",
        "§16.4",
        (
            _look(
                done(items=With({"path": "Scratch/Lantern", "active": True, "components": With("Transform")})),
                what="hierarchy",
            ),
        ),
        needs=_IN_SCRATCH,
    ),
    Row(
        "an object has its components and fields",
        "inspect",
        "§16.4",
        (
            _look(
                done(items=With({"path": "Scratch/Lantern", "name": "Lantern", "type": "GameObject"})),
                what="object",
                path="Scratch/Lantern",
            ),
            _look(done(items=With({"component": "Transform"})), what="object", path="Scratch/Lantern"),
        ),
        needs=_IN_SCRATCH,
    ),
    Row(
        "a query finds by name, and by component",
        "inspect",
        "§16.4",
        (
            _look(done(items=With({"path": "Scratch/Lantern"})), what="hierarchy", query="lantern"),
            _look(done(items=With({"path": "Scratch/Lantern"})), what="hierarchy", query="t:Transform"),
            _look(done(items=[]), what="hierarchy", query="no such object"),
        ),
        needs=_IN_SCRATCH,
    ),
    Row(
        "assets are found by their type",
        "inspect",
        "§16.4",
        (_look(done(items=With({"path": "Assets/Scratch.unity", "guid": Present()})), what="assets", query="t:Scene"),),
        needs=_IN_SCRATCH,
    ),
    Row(
        "what is not there is refused, and the answer says what is",
        "inspect",
        "§16.4",
        (_look(wrong("ERR_INVALID_PARAMS", message=Holds("Lantern")), what="object", path="Scratch/Lanten"),),
        needs=_IN_SCRATCH,
    ),
    Row(
        "a selection is shown as it is",
        "inspect",
        "§16.4",
        (
            run("select", done(value={"total": 1}), paths=["Scratch/Lantern"]),
            _look(done(total=1, items=[{"name": "Lantern", "path": "Scratch/Lantern"}]), what="selection"),
            run("select", done(value={"total": 0}), paths=[]),
            _look(done(total=0, items=[]), what="selection"),
        ),
        needs=_IN_SCRATCH,
    ),
    Row(
        "reading leaves the scene without changes",
        "inspect",
        "§16.4",
        (
            _look(done(), what="hierarchy", depth=10),
            _look(done(), what="object", path="Scratch/Lantern"),
            run("list_scenes", done(value={"open": With({"path": "Assets/Scratch.unity", "dirty": False})})),
        ),
        needs=_IN_SCRATCH,
    ),
    Row(
        "a limit gives pages",
        "inspect",
        "§16.4",
        (
            _look(done(next_cursor=Present()), what="hierarchy", limit=1),
            _look(done(next_cursor=Absent()), what="hierarchy", limit=1000),
        ),
        needs=_IN_SCRATCH,
    ),
    Row(
        "scenes, hierarchy and selection of any project are answered",
        "inspect",
        "§16.4",
        (
            _look(done(total=AtLeast(1)), what="scenes"),
            _look(done(what="hierarchy"), what="hierarchy", limit=5),
            _look(done(what="selection", next_cursor=Absent()), what="selection"),
        ),
        needs=(),
    ),
)
