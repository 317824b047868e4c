"""What the package's commands do to the pretend project, and three commands of the pretend game."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from hashlib import sha256
from typing import Any, Dict, List, Mapping, Optional, Sequence

from unity_bridge.base.errors import ErrorCode
from unity_bridge.base.plugin_commands import ALL, PluginCommand
from unity_bridge.base.result import Err, Ok
from unity_bridge.simulator import scene_commands, wait_for
from unity_bridge.simulator.change import Change, NotDone
from unity_bridge.simulator.chosen_tests import chosen_tests
from unity_bridge.simulator.commands import NOT_SIMULATED, Behaviour, Command, Value, in_edit_mode
from unity_bridge.simulator.job import Refusal, exception, refused
from unity_bridge.simulator.paging import rows_that_fit
from unity_bridge.simulator.project import Entry
from unity_bridge.simulator.scripts import is_from_the_compiler
from unity_bridge.simulator.unity_api import UnityApi
from unity_bridge.simulator.world import RECORDED, Node, game_object
from unity_bridge.text import json_reader
from unity_bridge.version import __version__

_TESTS_OF_A_PAGE = 2000
_CURSOR = re.compile(r"([0-9a-f]{16})\.([0-9]{1,9})", re.ASCII)
_PACKAGES = "packages"  # in the session state, as JSON: name -> version
_SHIPPED = {"com.unitybridge.editor": __version__, "com.unity.test-framework": "1.4.6"}


def _invalid(message: str, **details: Any) -> Err[Refusal]:
    return Err(Refusal(ErrorCode.INVALID_PARAMS, message, details))


def _compiles(editor: UnityApi) -> Optional[Refusal]:
    message = "The project's scripts do not compile. Fix them, call compile, then build."
    return refused("compile_errors", message) if editor.assemblies.errors else None


def _saved(editor: UnityApi) -> Optional[Refusal]:
    scenes = list(editor.unsaved_scenes)
    message = f"There are unsaved changes ({', '.join(scenes)}). Save them with save_all."
    return refused("unsaved_scenes", message, scenes=scenes) if scenes else None


def _as_on_disk(editor: UnityApi) -> Optional[Refusal]:
    scenes = editor.scene_files.changed
    message = f"Open scenes were changed or deleted on disk: {', '.join(scenes)}. Call compile first."
    return refused("scene_changed_on_disk", message, scenes=scenes) if scenes else None


def _ping(editor: UnityApi) -> Value:
    return Ok({"pong": True, "unity_version": editor.project.unity_version})


def _list_scenes(editor: UnityApi) -> Value:
    unsaved = editor.unsaved_scenes
    opened = [
        {"name": one.name, "path": one.path, "loaded": True, "dirty": one.path in unsaved, "active": number == 0}
        for number, one in enumerate(editor.content.open_scenes)
    ]
    return Ok({"open": opened, "build": [{"path": path, "enabled": True} for path in editor.content.in_build]})


def _build_scenes(editor: UnityApi, action: str, path: Optional[str], index: Optional[int]) -> Value:
    scenes = editor.content.in_build
    if action == "list":
        return Ok({"scenes": [{"index": n, "path": one, "enabled": True} for n, one in enumerate(scenes)]})
    refusal = in_edit_mode(editor)
    if refusal is not None:
        return Err(refusal)
    before = scenes.index(path) if path in scenes else None
    if action == "add" and before is not None:
        return Err(refused("exists", f"{path} is in the list already, at {before}."))
    if (before is None) if action == "remove" else (editor.content.asset(path or "") is None):
        return _invalid(f"There is no scene {path} that can be added or removed. Nothing was changed.")
    after = None
    if action == "add":
        after = len(scenes) if index is None else index
        if not 0 <= after <= len(scenes):
            return _invalid(f"index {index} is past the end: it goes from 0 to {len(scenes)}. Nothing was changed.")
        scenes.insert(after, str(path))
    else:
        scenes.remove(str(path))
    row = {"path": path, "field": "build_index", "before": before, "after": after}
    remark = "Undo does not reach the list of scenes in the build. Unity writes it to disk with the project (save_all)."
    return Ok({"changed": [row], "undo": False, "remarks": [remark]})


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
            return _invalid(f"{path}: this is a scene, which cannot be selected. Nothing was selected.")
        ids.append(found.value.id)
    editor.content.selection[:] = ids
    return _get_selection(editor)


def _open_scene(editor: UnityApi, path: str, additive: bool, unsaved: str) -> Value:
    wanted = next((scene for scene in editor.content.scenes if scene.path == path), None)
    if wanted is None:
        return _invalid(f"There is no scene {path}. Give its path in the project, as in Assets/Scenes/Main.unity.")
    try:
        Change(editor).carry([(Change.leave, additive, unsaved), (Change.open, wanted, additive)])
    except NotDone as why:
        return Err(why.refusal)
    return Ok({"path": path, "name": wanted.name})


def _save_all(editor: UnityApi) -> Value:
    saved = list(editor.unsaved_scenes)
    editor.save_scenes()
    return Ok({"saved": saved, "unsaved": []})


def _menu(editor: UnityApi, path: str) -> Value:
    if path == "GameObject/Create Empty":
        Change(editor).carry([(Change.add, "/", game_object("GameObject"), True)])
    elif path == "Assets/Refresh":  # it asks in a dialog, as when the user focuses the editor
        editor.focus()
    elif path != "Edit/Undo" or not editor.content.undo_last():
        message = (
            f"Unity has no menu entry {path}, or it cannot be used now. Give the whole path, as in Assets/Refresh."
        )
        return _invalid(message)
    return Ok({"executed": path})


def _build_player(
    editor: UnityApi, path: str, target: str, options: Optional[List[str]], scenes: Optional[List[str]]
) -> Value:
    there = [scene.path for scene in editor.content.scenes]
    missing = [scene for scene in scenes or [] if scene not in there]
    if missing or scenes == []:
        return _invalid(f"These scenes are not there: {', '.join(missing)}.", missing=missing)
    if not path or path.split("/")[0] in ("Assets", "Packages", "Library", "ProjectSettings", "UserSettings"):
        message = "path is where the player goes, as in Builds/Game.exe: not the project itself, nor its own folders."
        return _invalid(message)
    summary = {"result": "Succeeded", "target": target or "StandaloneLinux64"}
    summary["output_path"] = f"{editor.project.path}/{path}"
    return Ok({**summary, "total_size": 48_113_664, "duration_ms": 3000, "errors": 0, "warnings": 0})


def _import_assets_bulk(editor: UnityApi, paths: Sequence[str], force: bool) -> Value:
    known = [asset.path for asset in editor.content.assets] + list(editor.project.scripts)
    missing = [path for path in paths if not any((one + "/").startswith(path.rstrip("/") + "/") for one in known)]
    if missing or not paths:
        message = f"Not below Assets or Packages, or not there: {', '.join(missing[:5])}. Nothing was imported."
        return _invalid(message if paths else "Name at least one path, as in Assets/Textures.", missing=missing)
    return Ok({"imported": len(paths), "compiling": False})


def _generate_code(editor: UnityApi) -> Value:
    return Ok({"files": ["Assembly-CSharp.csproj", f"{editor.project.name}.sln"], "editor": "VisualStudioEditor"})


def _packages(editor: UnityApi, action: str, packages: Optional[List[str]]) -> Value:
    known: Dict[str, str] = json_reader.loads(editor.session_state.get(_PACKAGES, json.dumps(_SHIPPED)))
    if action != "list":
        refusal = in_edit_mode(editor)
        if refusal is not None:
            return Err(refusal)
        if not packages or not all(one.strip() for one in packages):
            return _invalid("packages names at least one, as in com.unity.ai.navigation.")
        for name, _, version in (one.partition("@") for one in packages):
            if action == "add":
                known[name] = version or "1.0.0"
            else:
                known.pop(name, None)
        editor.session_state[_PACKAGES] = json.dumps(known)
        editor.assemblies.refresh(force=True)
    rows = [{"name": name, "version": version, "source": "Registry", "direct": True} for name, version in known.items()]
    return Ok({"packages": rows})


def _list_tests(editor: UnityApi, mode: str, filter: str, cursor: str, max_bytes: int) -> Value:
    chosen = chosen_tests(editor, mode, filter)
    if isinstance(chosen, Err):
        return chosen
    rows = sorted(
        {(test.mode, test.assembly_name, test.fixture, test.name): test for test in chosen.value.tests}.items()
    )
    lines = ["\t".join(key) + "\n" for key, _ in rows]
    digest = sha256("".join(lines).encode("utf-8", "replace")).hexdigest()
    begin = 0
    if cursor:
        found = _CURSOR.fullmatch(cursor)
        if found is None or found[1] != digest[:16] or int(found[2]) > len(rows):
            return _invalid(
                "cursor belongs to another list: the tests, mode or filter have changed. List them again without it."
            )
        begin = int(found[2])
    shown = [
        [test.name, test.mode, test.fixture, test.assembly_name, list(test.categories)]
        for _, test in rows[begin : begin + _TESTS_OF_A_PAGE]
    ]
    shown = shown[: rows_that_fit(shown, max_bytes)]
    end = begin + len(shown)
    more = {"next_cursor": f"{digest[:16]}.{end}"} if end < len(rows) else {}
    return Ok({"tests": shown, "total": len(rows), "list_digest": digest, **more})


def _clear_console(editor: UnityApi) -> Value:
    editor.console.clear(lambda entry: not is_from_the_compiler(entry.message))
    return Ok(None)


def _record_events(editor: UnityApi, action: str, first: int) -> Value:
    """Answer that the simulated editor records nothing, and what it is (SPEC §25)."""
    return Ok({"recording": False, "simulated": True, "first": 0, "next": 0, "dropped": 0, "total": 0, "events": []})


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


_EDIT = (in_edit_mode,)

_DOES: Mapping[str, Behaviour] = {
    "ping": Behaviour(_ping),
    "list_scenes": Behaviour(_list_scenes),
    "list_assets": Behaviour(_list_assets),
    "get_selection": Behaviour(_get_selection),
    "select": Behaviour(_select),
    "open_scene": Behaviour(_open_scene, needs=_EDIT),
    "save_all": Behaviour(_save_all, needs=_EDIT),
    "menu": Behaviour(_menu),
    "build_player": Behaviour(_build_player, (*_EDIT, _compiles, _saved), duration_s=3.0),
    "import_assets_bulk": Behaviour(_import_assets_bulk, needs=(*_EDIT, _as_on_disk)),
    "generate_code_project_wide": Behaviour(_generate_code, needs=(*_EDIT, _as_on_disk)),
    "bake_lighting": Behaviour(lambda editor: Ok({"completed": True, "duration_ms": 8000}), _EDIT, duration_s=8.0),
    "bake_navmesh": Behaviour(lambda editor: Ok({"surfaces": 0, "duration_ms": 1000}), _EDIT, duration_s=1.0),
    "packages": Behaviour(_packages),
    "build_scenes": Behaviour(_build_scenes),
    **scene_commands.BEHAVIOURS,
    "batch": Behaviour(_batch),
    "wait_for": Behaviour(wait_for.begin, until=wait_for.ended),
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
    games = {row["name"]: PluginCommand(**row) for row in RECORDED["commands"]}
    ours = {
        name: Command(one, f"UnityBridge.Commands.{one.source} (UnityBridge.Editor)", _DOES.get(name, NOT_SIMULATED))
        for name, one in ALL.items()
    }
    theirs = {
        name: Command(one, f"Keep.Editor.Commands.{one.source} (Keep.Editor)", _OF_THE_GAME[name])
        for name, one in games.items()
    }
    return dict(sorted({**ours, **theirs}.items()))
