"""What the package's commands do to the pretend project, and three commands of the pretend game."""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from typing import Any, Dict, List, Mapping, Optional, Sequence

from unity_bridge.base.errors import ErrorCode
from unity_bridge.base.result import Err, Ok
from unity_bridge.catalogue.plugin_commands import ALL, PluginCommand
from unity_bridge.simulator import scene_commands
from unity_bridge.simulator.change import Change, NotDone
from unity_bridge.simulator.chosen_tests import chosen_tests
from unity_bridge.simulator.commands import NOT_SIMULATED, Behaviour, Command, Value
from unity_bridge.simulator.job import Refusal, exception, not_simulated
from unity_bridge.simulator.paging import page_of
from unity_bridge.simulator.project import Entry
from unity_bridge.simulator.scripts import is_from_the_compiler
from unity_bridge.simulator.unity_api import UnityApi
from unity_bridge.simulator.world import RECORDED, Node
from unity_bridge.version import __version__

_TESTS_OF_A_PAGE = 2000
_SHIPPED = {"com.unitybridge.editor": __version__, "com.unity.test-framework": "1.4.6"}


def _invalid(message: str, **details: Any) -> Err[Refusal]:
    return Err(Refusal(ErrorCode.INVALID_PARAMS, message, details))


def _ping(editor: UnityApi) -> Value:
    return Ok({"pong": True, "unity_version": editor.project.unity_version})


def _list_scenes(editor: UnityApi) -> Value:
    unsaved = editor.content.unsaved
    opened = [
        {
            "name": scene.name,
            "path": scene.path,
            "loaded": True,
            "dirty": scene.path in unsaved,
            "active": number == 0,
        }
        for number, scene in enumerate(editor.content.open_scenes)
    ]
    return Ok(
        {
            "open": opened,
            "build": [{"path": path, "enabled": True} for path in editor.content.in_build],
        }
    )


def _build_scenes(
    editor: UnityApi, action: str, path: Optional[str], index: Optional[int]
) -> Value:
    scenes = editor.content.in_build
    if action == "list":
        return Ok(
            {
                "scenes": [
                    {"index": n, "path": scene, "enabled": True} for n, scene in enumerate(scenes)
                ]
            }
        )
    return Err(
        not_simulated("The simulated editor lists the scenes of the build, and changes none.")
    )


def _list_assets(editor: UnityApi, query: str, folder: str, limit: int) -> Value:
    assets = editor.content.search(folder, query)
    if assets is None:
        return _invalid(f"There is no folder {folder}. Give it as in Assets/Art.")
    return Ok({"assets": [asset.as_json() for asset in assets[:limit]], "total": len(assets)})


def _batch(editor: UnityApi, steps: List[Dict[str, Any]]) -> Value:
    return scene_commands.batch(editor, steps, all_commands())


def _get_selection(editor: UnityApi) -> Value:
    objects = [thing.reference() for thing in editor.content.selected()]
    return Ok({"objects": objects, "total": len(objects)})


def _select(editor: UnityApi, paths: Sequence[str]) -> Value:
    ids: List[str] = []
    for path in paths:
        node = editor.content.find(path)
        if isinstance(node, Err):
            return _invalid(f"{path}: {node.error} Nothing was selected.")
        if isinstance(node.value, Node) and node.value.is_scene:
            return _invalid(
                f"{path}: this is a scene, which cannot be selected. Nothing was selected."
            )
        ids.append(node.value.id)
    editor.content.selection[:] = ids
    return _get_selection(editor)


def _open_scene(editor: UnityApi, path: str, additive: bool, unsaved: str) -> Value:
    scene_to_open = next((scene for scene in editor.content.scenes if scene.path == path), None)
    if scene_to_open is None:
        return _invalid(
            f"There is no scene {path}. Give its path in the project, as in Assets/Scenes/Main.unity."
        )
    try:
        change = Change(editor)
        change.leave(additive, unsaved)
        change.open(scene_to_open, additive)
    except NotDone as why:
        return Err(why.refusal)
    return Ok({"path": path, "name": scene_to_open.name})


def _save_all(editor: UnityApi) -> Value:
    saved = list(editor.content.unsaved)
    editor.save_scenes()
    return Ok({"saved": saved, "unsaved": []})


def _menu(editor: UnityApi, path: str = "", query: str = "") -> Value:
    if not path:
        return Err(
            not_simulated(
                "The simulated editor has no list of its menus. There are Assets/Refresh and Edit/Undo."
            )
        )
    if path == "Assets/Refresh":
        editor.assemblies.refresh()
    elif path != "Edit/Undo" or not editor.content.undo_last():
        return _invalid(
            f"There is no menu entry {path}, or nothing to undo. There are Assets/Refresh and Edit/Undo."
        )
    return Ok({"executed": path})


def _packages(editor: UnityApi, action: str, packages: Optional[List[str]]) -> Value:
    if action != "list":
        return Err(not_simulated("The simulated editor lists its packages, and changes none."))
    rows = [
        {"name": name, "version": version, "source": "Registry", "direct": True}
        for name, version in _SHIPPED.items()
    ]
    return Ok({"packages": rows})


def _list_tests(editor: UnityApi, mode: str, filter: str, cursor: str, max_bytes: int) -> Value:
    chosen = chosen_tests(editor, mode, filter)
    if isinstance(chosen, Err):
        return chosen
    rows = sorted(
        {
            (test.mode, test.assembly_name, test.fixture, test.name): test for test in chosen.value
        }.items()
    )
    lines = ["\t".join(key) + "\n" for key, _ in rows]
    digest = sha256("".join(lines).encode("utf-8", "replace")).hexdigest()
    listed = [
        [test.name, test.mode, test.fixture, test.assembly_name, list(test.categories)]
        for _, test in rows
    ]
    page = page_of(listed, digest, cursor, _TESTS_OF_A_PAGE, max_bytes)
    if page is None:
        return _invalid(
            "cursor belongs to another list: tests, mode or filter have changed. List them again without it."
        )
    rows_of_page, members = page
    return Ok({"tests": rows_of_page, "total": len(rows), "list_digest": digest, **members})


def _clear_console(editor: UnityApi) -> Value:
    editor.console.clear(lambda entry: not is_from_the_compiler(entry.message))
    return Ok(None)


def _record_events(editor: UnityApi, action: str, first: int) -> Value:
    """Answer that the simulated editor records nothing, and what it is (SPEC §25)."""
    return Ok(
        {
            "recording": False,
            "simulated": True,
            "first": 0,
            "next": 0,
            "dropped": 0,
            "total": 0,
            "events": [],
        }
    )


def _spawn_wave(editor: UnityApi, enemy: str, size: int) -> Value:
    editor.log(Entry("log", f"A wave comes: {size} x {enemy}"))
    return Ok({"spawned": size, "enemy": enemy})


def _check_references(editor: UnityApi) -> Value:
    stack = [
        "Keep.Editor.ReferenceCheck.Look (at Assets/Editor/ReferenceCheck.cs:31)",
        "Keep.Editor.Commands.CheckReferences (at Assets/Editor/Commands.cs:58)",
    ]
    message = "Object reference not set to an instance of an object"
    return Err(exception("check_references", "System.NullReferenceException", message, stack))


def _generate_items(editor: UnityApi) -> Value:
    editor.assemblies.refresh(force=True)
    return Ok(None)


_DOES: Mapping[str, Behaviour] = {
    "ping": Behaviour(_ping),
    "list_scenes": Behaviour(_list_scenes),
    "list_assets": Behaviour(_list_assets),
    "get_selection": Behaviour(_get_selection),
    "select": Behaviour(_select),
    "open_scene": Behaviour(_open_scene, needs_edit_mode=True),
    "save_all": Behaviour(_save_all, needs_edit_mode=True),
    "menu": Behaviour(_menu),
    "packages": Behaviour(_packages),
    "build_scenes": Behaviour(_build_scenes),
    **scene_commands.BEHAVIOURS,
    "batch": Behaviour(_batch),
    "clear_console": Behaviour(_clear_console),
    "list_tests": Behaviour(_list_tests),
    "record_events": Behaviour(_record_events),
}


# By name, the commands of the pretend game.
_OF_THE_GAME: Mapping[str, Behaviour] = {
    "spawn_wave": Behaviour(_spawn_wave),
    "check_references": Behaviour(_check_references),
    "generate_items": Behaviour(_generate_items, loses_reload=True),
}


@lru_cache(maxsize=1)
def all_commands() -> Mapping[str, Command]:
    """By name, in the order in which the plugin lists them."""
    games = {row["name"]: PluginCommand(**{"keywords": "", **row}) for row in RECORDED["commands"]}
    of_package = {
        name: Command(
            command,
            f"UnityBridge.Commands.{command.source} (UnityBridge.Editor)",
            _DOES.get(name, NOT_SIMULATED),
        )
        for name, command in ALL.items()
    }
    of_game = {
        name: Command(
            command, f"Keep.Editor.Commands.{command.source} (Keep.Editor)", _OF_THE_GAME[name]
        )
        for name, command in games.items()
    }
    return dict(sorted({**of_package, **of_game}.items()))
