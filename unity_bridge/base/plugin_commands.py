"""The commands that the plugin of this version brings (SPEC §16.5)."""

from __future__ import annotations

from typing import Any, FrozenSet, Mapping, Optional

# By name: the class and method of each. A file of a project may name anything, and so may a namespace that begins as
# the plugin's does: only a row with both a name and a source of this list is one of them.
COMMANDS_OF_THE_PLUGIN: Mapping[str, str] = {
    "add_component": "ComponentCommands.Add",
    "add_listener": "AddListener.Run",
    "apply_overrides": "PrefabCommands.Apply",
    "bake_lighting": "BakeLighting.Run",
    "bake_navmesh": "BakeNavMesh.Run",
    "batch": "Batch.Run",
    "build_player": "BuildPlayer.Run",
    "build_scenes": "SceneCommands.Build",
    "clear_console": "ClearConsole.Run",
    "close_prefab": "PrefabCommands.Close",
    "copy_asset": "AssetCommands.Copy",
    "create_asset": "CreateAsset.Create",
    "create_object": "CreateObject.Create",
    "create_scene": "SceneCommands.Create",
    "delete_asset": "AssetCommands.Delete",
    "delete_object": "ObjectCommands.Delete",
    "generate_code_project_wide": "GenerateCodeProjectWide.Run",
    "get_selection": "SelectionCommands.Get",
    "import_assets_bulk": "ImportAssetsBulk.Run",
    "list_assets": "ListAssets.Run",
    "list_scenes": "ListScenes.Run",
    "list_tests": "ListTests.Run",
    "menu": "Menu.Run",
    "move_asset": "AssetCommands.Move",
    "move_object": "ObjectCommands.Move",
    "open_prefab": "PrefabCommands.Open",
    "open_scene": "OpenScene.Run",
    "packages": "Packages.Run",
    "ping": "Ping.Run",
    "press": "Press.Run",
    "remove_component": "ComponentCommands.Remove",
    "revert_overrides": "PrefabCommands.Revert",
    "save_all": "SaveAll.Run",
    "save_scene": "SceneCommands.SaveOne",
    "select": "SelectionCommands.Select",
    "set_fields": "SetFields.Run",
    "ui_click": "UiCommands.Click",
    "ui_text": "UiCommands.Text",
    "wait_for": "WaitFor.Run",
}

# For how long a command runs that is asked to: the argument, its milliseconds, and its default.
_LASTING = {"press": ("for_ms", 1, 100), "wait_for": ("within_ms", 1, 10_000)}


def lasts_ms(name: object, arguments: Mapping[str, Any]) -> int:
    """Return how long a command of the plugin runs because its arguments say so; its limit grows with that."""
    argument, factor, default = _LASTING.get(name if isinstance(name, str) else "", ("", 0, 0))
    asked = arguments.get(argument, default)
    return int(asked * factor) if type(asked) in (int, float) and asked > 0 else 0


def may_be_joined(name: object, joins: Optional[FrozenSet[str]]) -> bool:
    """Whether equal calls of a command may be taken for one (SPEC §15.7). ``joins``: the plugin's ``hello.joins``.

    The plugin lists its own commands alone; those of projects may be joined, as may all of a plugin without a list.
    """
    return joins is None or name not in COMMANDS_OF_THE_PLUGIN or name in joins
