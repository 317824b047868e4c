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
            "name": one.name,
            "path": one.path,
            "loaded": True,
            "dirty": one.path in unsaved,
            "active": number == 0,
        }
        for number, one in enumerate(editor.content.open_scenes)
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
            {"scenes": [{"index": n, "path": one, "enabled": True} for n, one in enumerate(scenes)]}
        )
    return Err(
        not_simulated("The simulated editor lists the scenes of the build, and changes none.")
    )


def _list_assets(editor: UnityApi, query: str, folder: str, limit: int) -> Value:
    found = editor.content.search(folder, query)
    if found is None:
        return _invalid(f"There is no folder {folder}. Give it as in Assets/Art.")
    return Ok({"assets": [asset.as_json() for asset in found[:limit]], "total": len(found)})


def _batch(editor: UnityApi, steps: List[Dict[str, Any]]) -> Value:
    return scene_commands.batch(editor, steps, all_commands())


def _get_selection(editor: UnityApi) -> Value:
    objects = [one.reference() for one in editor.content.selected()]
    return Ok({"objects": objects, "total": len(objects)})


def _select(editor: UnityApi, paths: Sequence[str]) -> Value:
    ids: List[str] = []
    for path in paths:
        found = editor.content.find(path)
        if isinstance(found, Err):
            return _invalid(f"{path}: {found.error} Nothing was selected.")
        if isinstance(found.value, Node) and found.value.is_scene:
            return _invalid(
                f"{path}: this is a scene, which cannot be selected. Nothing was selected."
            )
        ids.append(found.value.id)
    editor.content.selection[:] = ids
    return _get_selection(editor)


def _open_scene(editor: UnityApi, path: str, additive: bool, unsaved: str) -> Value:
    wanted = next((scene for scene in editor.content.scenes if scene.path == path), None)
    if wanted is None:
        return _invalid(
            f"There is no scene {path}. Give its path in the project, as in Assets/Scenes/Main.unity."
        )
    try:
        Change(editor).carry([(Change.leave, additive, unsaved), (Change.open, wanted, additive)])
    except NotDone as why:
        return Err(why.refusal)
    return Ok({"path": path, "name": wanted.name})


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
        {"name": name, "version": one, "source": "Registry", "direct": True}
        for name, one in _SHIPPED.items()
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
    shown, more = page
    return Ok({"tests": shown, "total": len(rows), "list_digest": digest, **more})


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
    ours = {
        name: Command(
            one,
            f"UnityBridge.Commands.{one.source} (UnityBridge.Editor)",
            _DOES.get(name, NOT_SIMULATED),
        )
        for name, one in ALL.items()
    }
    theirs = {
        name: Command(one, f"Keep.Editor.Commands.{one.source} (Keep.Editor)", _OF_THE_GAME[name])
        for name, one in games.items()
    }
    return dict(sorted({**ours, **theirs}.items()))
