"""The package's commands that make and change things: each is a list of operations (SPEC §16.5,
§16.7).
"""

from __future__ import annotations

import copy
import json
import re
from typing import Any, Callable, Dict, List, Mapping, Optional, Set

from unity_bridge.base.errors import ErrorCode, Guarantee
from unity_bridge.base.result import Err, Ok
from unity_bridge.simulator.change import Change, NotDone, Operation, not_possible, wrong
from unity_bridge.simulator.commands import Behaviour, Command, Value
from unity_bridge.simulator.job import Refusal
from unity_bridge.simulator.unity_api import UnityApi
from unity_bridge.simulator.world import RECORDED, SCENE, Thing, World, game_object, made_of, short
from unity_bridge.text import json_reader
from unity_bridge.text.json_types import JsonObject

Json = Dict[str, Any]

_MOST_STEPS = 200
_PATHS = ("path", "parent", "from", "to", "prefab", "copy_of", "target")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
# In values as JSON, a reference to what a step has made.
_NAMED = re.compile(r'\{"\$": "([^"]*)"\}')
_NOTHING: Json = {"parts": (), "below": ()}
_EXTENSIONS: Mapping[str, str] = {
    "mat": "Material",
    "controller": "Animations.AnimatorController",
    "renderTexture": "RenderTexture",
    "physicMaterial": "PhysicMaterial",
    "physicsMaterial2D": "PhysicsMaterial2D",
}


def _create_object(
    change: Change,
    parent: Optional[str],
    name: Optional[str],
    kind: Optional[str],
    prefab: Optional[str],
    copy_of: Optional[str],
    components: Optional[List[str]],
    values: Optional[JsonObject],
    position: Any,
    rotation: Any,
    scale: Any,
    look_at: Any,
) -> List[Operation]:
    _require_no_direction(look_at)
    if sum(1 for source_word in (kind, prefab, copy_of) if source_word) > 1:
        raise wrong("kind, prefab and copy_of exclude each other.")
    recipe = RECORDED["kinds"].get((kind or "").lower(), {})
    if kind and not recipe:
        raise not_possible(
            "not_simulated", f"The simulated editor makes no {kind}. Use a real editor."
        )
    if prefab:
        source = change.prefab(prefab)
    elif copy_of:
        source = change.object(copy_of).thing
    else:
        source = None
    called = name or (source.name if source else recipe.get("name"))
    if not called:
        raise wrong("name is a text that is not empty, unless kind, prefab or copy_of give one.")
    thing = (
        copy.deepcopy(source) if source else game_object(**{**_NOTHING, **recipe, "name": called})
    )
    thing.path = ""
    thing.put("m_Name", called)
    thing.parts += [change.component(source_word) for source_word in components or ()]
    above = (
        change.object(copy_of).path.rpartition("/")[0] if copy_of and not parent else parent or "/"
    )
    return [
        (
            Change.add,
            above,
            thing,
            not name and not prefab,
            not change.is_batch or bool(components),
        ),
        (
            Change.place,
            thing,
            {"position": position, "rotation": rotation or recipe.get("turned"), "scale": scale},
        ),
        (Change.set, thing, values or {}),
    ]


def _create_asset(
    change: Change,
    path: str,
    type: Optional[str],
    from_: Optional[str],
    values: Optional[JsonObject],
) -> List[Operation]:
    _, dot, extension = path.rpartition("/")[2].rpartition(".")
    kind = "Folder" if not dot else _EXTENSIONS.get(extension, "")
    if extension == "asset":
        kind = next(
            (
                kind_name
                for kind_name in RECORDED["assets"]
                if type in (kind_name, short(kind_name))
            ),
            "",
        )
    if from_ or not kind:
        kinds = f"folders, .asset of a type of this project, .{', .'.join(_EXTENSIONS)}"
        raise not_possible(
            "not_simulated",
            f"The simulated editor makes {kinds}, and nothing out of something else.",
        )
    asset = made_of(kind, {}, path)
    return [(Change.file, asset), (Change.set, asset, values or {})]


def _create_scene(
    change: Change, path: str, template: str, additive: bool, unsaved: str
) -> List[Operation]:
    roots = (
        [] if template == "empty" else [game_object(**recipe) for recipe in RECORDED["new_scene"]]
    )
    return [
        (Change.leave, additive, unsaved),
        (Change.file, Thing("SceneAsset", path)),
        (Change.open, Thing(SCENE, path, below=roots), additive),
    ]


def _require_no_direction(look_at: Any) -> None:
    if look_at is not None:
        raise not_possible(
            "not_simulated", "The simulated editor turns no object. Use a real editor."
        )


def _add_component(
    change: Change, path: str, component: str, values: Optional[JsonObject]
) -> List[Operation]:
    operations: List[Operation] = [(Change.part, path, component)]
    if values:
        operations.append((Change.set, path, values))
    return operations


def _set_fields(
    change: Change, path: str, values: Optional[JsonObject], look_at: Any
) -> List[Operation]:
    _require_no_direction(look_at)
    if not values:
        raise wrong('values names at least one field, as in {"Light.intensity": 2}.')
    return [(Change.set, path, values)]


# By command, the operations that it consists of.
OPERATIONS: Mapping[str, Callable[..., List[Operation]]] = {
    "create_object": _create_object,
    "create_asset": _create_asset,
    "create_scene": _create_scene,
    "save_scene": lambda change, scene, path: [(Change.save, scene, path)],
    "set_fields": _set_fields,
    "delete_object": lambda change, path: [(Change.remove, path)],
    "move_object": lambda change, path, parent, index: [(Change.move, path, parent, index)],
    "add_component": _add_component,
    "remove_component": lambda change, path, component: [(Change.remove_part, path, component)],
}


def changes(name: str) -> Behaviour:
    """Return what one of them does, alone."""

    def run(editor: UnityApi, **arguments: Any) -> Value:
        return _in_one_undo_group(
            editor, lambda change: change.carry(OPERATIONS[name](change, **arguments))
        )

    return Behaviour(run, needs_edit_mode=name in ("create_scene", "save_scene"))


def batch(editor: UnityApi, steps: List[Json], commands: Mapping[str, Command]) -> Value:
    """Carries out several commands, all or nothing."""
    if not 1 <= len(steps or ()) <= _MOST_STEPS:
        return Err(
            wrong(f"steps has 1 to {_MOST_STEPS} steps, each with name, arguments and as.").refusal
        )
    names: Set[str] = set()
    for number, step in enumerate(steps):
        fault = _fault_in(step, commands, names)
        if fault:
            return Err(wrong(f"Step {number} {fault}").refusal)
    things: List[Optional[Thing]] = []

    def carry(change: Change) -> Json:
        change.is_batch = True
        for number, step in enumerate(steps):
            try:
                command = commands[step["name"]]
                step_arguments = command.arguments(_resolved(change, step.get("arguments", {})))
                if isinstance(step_arguments, Err):
                    raise wrong(f"{step_arguments.error}.")
                thing = _made_by(editor, change, command, step_arguments.value)
                if "as" in step:
                    if thing is None:
                        raise wrong(f"The step {step['as']} ({step['name']}) made nothing.")
                    change.named[step["as"]] = thing
            except NotDone as failed:
                refusal = failed.refusal
                stood = {"step": number, "name": step["name"], "taken_back": number, "stays": []}
                details = {"reason": "arguments", **refusal.details, "batch": stood}
                details["execution_guarantee"] = Guarantee.COMPLETED_ERROR.value
                message = f"Step {number} ({step['name']}) failed, and everything before it was taken back."
                message += f" {refusal.message}"
                raise NotDone(Refusal(ErrorCode.UNITY_EXECUTION, message, details)) from None
            things.append(thing)
        return {
            "steps": [
                _as_made(editor.content, step, made_thing)
                for step, made_thing in zip(steps, things)
            ]
        }

    return _in_one_undo_group(editor, carry)


def _in_one_undo_group(editor: UnityApi, carry: Callable[[Change], Optional[Json]]) -> Value:
    """All that ``carry`` does, or nothing. The answer begins with what it returns."""
    world, change = editor.content, Change(editor)
    saved = world.saved()
    try:
        answer = {**(carry(change) or {}), **change.as_json()}
    except NotDone as failed:
        world.restore(saved)
        return Err(failed.refusal)
    if answer["changed"] and answer["undo"]:
        world.undo.append(saved)
    return Ok(answer)


def _made_by(
    editor: UnityApi, change: Change, command: Command, arguments: Json
) -> Optional[Thing]:
    change.made = None
    if command.name in OPERATIONS:
        change.carry(OPERATIONS[command.name](change, **arguments))
    else:
        outcome = command.does.run(editor, **arguments)
        if isinstance(outcome, Err):
            raise NotDone(outcome.error)
    return change.made


def _fault_in(step: Any, commands: Mapping[str, Command], names: Set[str]) -> str:
    """Return what is wrong with a step whose forerunners have made ``names``, and add its own name
    to it.
    """
    if not isinstance(step.get("name"), str) or not set(step) <= {"name", "arguments", "as"}:
        return "must be an object with name (a command), arguments and as, and nothing else."
    command, arguments = commands.get(step["name"]), step.get("arguments", {})
    if command is None or not command.is_step:
        steps = ", ".join(name for name, step_command in commands.items() if step_command.is_step)
        return f"is {step['name']}. A step is one of {steps}."
    if isinstance(arguments, dict):
        fitting = command.arguments(arguments)
    else:
        fitting = Err("arguments is no object")
    if isinstance(fitting, Err):
        return f"does not fit. {command.name}: {fitting.error}."
    for name in _references(arguments):
        if name not in names:
            return f"({command.name}) refers to ${name}, and no earlier step has as: {name}."
    called = step.get("as")
    if called is not None and (
        not isinstance(called, str) or not _NAME.fullmatch(called) or called in names
    ):
        return "has an as that is no name of its own: letters, digits, _ and -, and no other step has it."
    if called:
        names.add(called)
    return ""


def _references(value: Json) -> List[str]:
    paths = [
        path
        for path in (*map(value.get, _PATHS), *(value.get("paths") or ()))
        if path and path.startswith("$")
    ]
    return [path[1:].partition("/")[0] for path in paths] + _NAMED.findall(
        json.dumps(value.get("values"))
    )


def _resolved(change: Change, value: Json) -> Json:
    """Return the arguments with the paths that things have by now."""
    paths: Json = {name: change.resolved(value[name]) for name in _PATHS if value.get(name)}
    if "paths" in value:
        paths["paths"] = [change.resolved(path) for path in value["paths"]]
    values = _NAMED.sub(
        lambda path: json.dumps({"path": change.resolved("$" + path.group(1))}),
        json.dumps(value.get("values")),
    )
    return {
        **value,
        **paths,
        **({"values": json_reader.loads(values)} if "values" in value else {}),
    }


def _as_made(world: World, step: Json, thing: Optional[Thing]) -> Json:
    path = None if thing is None else world.path_of(thing)
    return {**({"as": step["as"]} if "as" in step else {}), **({"path": path} if path else {})}


BEHAVIOURS: Mapping[str, Behaviour] = {name: changes(name) for name in OPERATIONS}
