"""How ``unity-bridge inspect`` shows items, also items with unknown fields from other plugins."""

from __future__ import annotations

from typing import Any, List

import click
import pytest

from unity_bridge.commands.shared.inspect_view import shown
from unity_bridge.scripting.output import put


def lines(what: str, *items: Any, **question: Any) -> List[str]:
    printed = shown({"items": list(items)}, {"what": what, **question})
    return [click.unstyle(line) for line in printed]


def test_a_hierarchy_is_a_tree() -> None:
    assert lines(
        "hierarchy",
        {"path": "Main", "depth": 0, "scene": "Assets/Main.unity", "loaded": True},
        {
            "path": "Main/Root",
            "depth": 1,
            "active": True,
            "components": ["Transform", "Light", "Game.Enemy"],
        },
        {"path": "Main/Root/Kid[1]", "depth": 2, "active": False, "components": ["Transform"]},
        {
            "path": "Main/Off",
            "depth": 1,
            "active": False,
            "active_self": True,
            "children_not_shown": 3,
        },
        {"path": "Other", "depth": 0, "scene": "", "loaded": False},
    ) == [
        "Main",
        "  Root  Light, Game.Enemy",
        "    Kid[1]  (inactive)",
        "  Off  (3 below)",
        "Other  (not loaded)",
    ]


def test_the_matches_of_a_search_show_their_whole_paths() -> None:
    found = {
        "path": "Main/Root/Lamp",
        "depth": 2,
        "active": True,
        "components": ["Transform", "Light"],
    }
    assert lines("hierarchy", found, query="t:Light") == ["Main/Root/Lamp  Light"]


def test_an_object_looks_like_the_inspector_window() -> None:
    assert lines(
        "object",
        {
            "path": "Main/Hero",
            "type": "GameObject",
            "tag": "Player",
            "components": ["Transform"],
            "children": 0,
        },
        {"component": "Transform"},
        {
            "component": "Transform",
            "field": "m_LocalPosition",
            "type": "Vector3",
            "value": {"x": 0.1, "y": 0, "z": 2},
        },
        {"component": "Game.Hero", "enabled": False},
        {"component": "Game.Hero", "field": "m_Script", "type": "MonoScript", "value": None},
        {"component": "Game.Hero", "field": "name", "type": "String", "value": "a\nb\x1b[2J"},
        {
            "component": "Game.Hero",
            "field": "sword",
            "type": "Item",
            "value": {"type": "Game.Item", "name": "Sword", "path": "Assets/Sword.asset"},
        },
        {"component": "Game.Hero", "field": "gone", "type": "Item", "value": {"missing": True}},
        {
            "component": "Game.Hero",
            "field": "list",
            "type": "int[]",
            "value": {"size": 99, "first": [0, 1]},
        },
        {"component": "(missing script)", "missing": True},
    ) == [
        "Main/Hero",
        "  type: GameObject",
        "  tag: Player",
        "  children: 0",
        "Transform",
        "  m_LocalPosition: (0.1, 0, 2)  Vector3",
        "Game.Hero  (off)",
        "  m_Script: null  MonoScript",
        "  name: a\\nb\\x1b[2J  String",
        "  sword: Assets/Sword.asset  Item",
        "  gone: (missing)  Item",
        '  list: {"size": 99, "first": [0, 1]}  int[]',
        "(missing script)  (missing)",
    ]


def test_scenes_assets_and_the_selection_take_a_line_each() -> None:
    assert lines(
        "scenes",
        {
            "path": "Main",
            "file": "Assets/Main.unity",
            "kind": "scene",
            "active": True,
            "dirty": True,
            "build_index": 0,
        },
        {"path": "Tank", "file": "Assets/Tank.prefab", "kind": "prefab", "loaded": True},
        {"path": "Big", "file": "Assets/Big.unity", "kind": "scene", "loaded": False},
        {"file": "Assets/Off.unity", "kind": "build", "in_build": False},
    ) == [
        "Main  Assets/Main.unity  (active, unsaved, build index 0)",
        "Tank  Assets/Tank.prefab  (open prefab)",
        "Big  Assets/Big.unity  (not loaded)",
        "Assets/Off.unity  (not open, switched off in the build)",
    ]
    assert lines("assets", {"path": "Assets/A.mat", "type": "Material", "guid": "ab"}) == [
        "Assets/A.mat  Material  ab"
    ]
    assert lines("selection", {"path": "Main/Hero", "type": "GameObject", "active": True}) == [
        "Main/Hero  GameObject  (active)"
    ]


def test_only_styles_are_used_that_the_output_lets_through(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for what in ("scenes", "hierarchy", "object"):
        for item in (
            {"path": "A", "active": True},
            {"path": "A", "active": False},
            {"component": "A"},
        ):
            for line in shown({"items": [item]}, {"what": what}):
                put(line)
    assert "\\x1b" not in capsys.readouterr().out


@pytest.mark.parametrize("what", ["scenes", "hierarchy", "object", "assets", "selection"])
@pytest.mark.parametrize(
    "item",
    [
        {},
        {
            "path": 7,
            "depth": "x",
            "components": 3,
            "type": None,
            "field": [],
            "children_not_shown": "\x1b[2J",
        },
        {"path": "\x1b[2J\u202e", "depth": 10**12, "scene": {}, "kind": 1, "build_index": "\x1b"},
        {"component": {"a": 1}, "value": {"x": "\x1b[2J", "y": 1}},
    ],
)
def test_nothing_in_a_plugins_items_is_obeyed_or_breaks_the_view(what: str, item: Any) -> None:
    printed = "".join(lines(what, item))
    assert "\x1b[2J" not in printed and "\u202e" not in printed and len(printed) < 1000
