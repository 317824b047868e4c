"""The package's commands that make and change things, alone and as the steps of a batch (SPEC
§16.5, §16.7).
"""

from __future__ import annotations

import json
import re
from typing import Any, Callable, Dict, List, Mapping, Optional, Set

from unity_bridge.base.errors import ErrorCode, Guarantee
from unity_bridge.base.result import Err, Ok
from unity_bridge.simulator.change import COMMANDS, Change, NotDone, wrong
from unity_bridge.simulator.commands import Behaviour, Command, Value
from unity_bridge.simulator.job import Refusal
from unity_bridge.simulator.unity_api import UnityApi
from unity_bridge.simulator.world import Thing, World
from unity_bridge.text import json_reader

Json = Dict[str, Any]

_MOST_STEPS = 200
_PATHS = ("path", "parent", "from", "to", "prefab", "copy_of", "target")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
# In values as JSON, a reference to what a step has made.
_NAMED = re.compile(r'\{"\$": "([^"]*)"\}')


def _alone(name: str) -> Behaviour:
    def run(editor: UnityApi, **arguments: Any) -> Value:
        def carry(change: Change) -> Json:
            change.carry_out(name, arguments)
            return {}

        return _in_one_undo_group(editor, carry)

    return Behaviour(run, needs_edit_mode=name in ("create_scene", "save_scene"))


BEHAVIOURS: Mapping[str, Behaviour] = {name: _alone(name) for name in COMMANDS}


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

    def carry(change: Change) -> Json:
        change.is_batch = True
        things: List[Optional[Thing]] = []
        for number, step in enumerate(steps):
            try:
                things.append(_made_by(editor, change, commands[step["name"]], step))
            except NotDone as failed:
                raise NotDone(_taken_back(number, step["name"], failed.refusal)) from None
        return {"steps": [_as_made(editor.content, *made) for made in zip(steps, things)]}

    return _in_one_undo_group(editor, carry)


def _in_one_undo_group(editor: UnityApi, carry: Callable[[Change], Json]) -> Value:
    """All that ``carry`` does, or nothing. The answer begins with what it returns."""
    world, change = editor.content, Change(editor)
    saved = world.saved()
    try:
        answer = {**carry(change), **change.as_json()}
    except NotDone as failed:
        world.restore(saved)
        return Err(failed.refusal)
    if answer["changed"] and answer["undo"]:
        world.undo.append(saved)
    return Ok(answer)


def _made_by(editor: UnityApi, change: Change, command: Command, step: Json) -> Optional[Thing]:
    arguments = command.arguments(_resolved(change, step.get("arguments", {})))
    if isinstance(arguments, Err):
        raise wrong(f"{arguments.error}.")
    thing = None
    if command.name in COMMANDS:
        thing = change.carry_out(command.name, arguments.value)
    else:
        outcome = command.does.run(editor, **arguments.value)
        if isinstance(outcome, Err):
            raise NotDone(outcome.error)
    if "as" in step:
        if thing is None:
            raise wrong(f"The step {step['as']} ({command.name}) made nothing.")
        change.named[step["as"]] = thing
    return thing


def _taken_back(number: int, name: str, refusal: Refusal) -> Refusal:
    stood = {"step": number, "name": name, "taken_back": number, "stays": []}
    details = {"reason": "arguments", **refusal.details, "batch": stood}
    details["execution_guarantee"] = Guarantee.COMPLETED_ERROR.value
    message = f"Step {number} ({name}) failed, and everything before it was taken back."
    return Refusal(ErrorCode.UNITY_EXECUTION, f"{message} {refusal.message}", details)


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
