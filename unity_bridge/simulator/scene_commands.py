"""The package's commands that change the pretend project, alone and as the steps of a batch (SPEC
§16.5, §16.7).
"""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, List, Mapping, Optional, Set

from unity_bridge.base.errors import ErrorCode, Guarantee
from unity_bridge.base.result import Err, Ok
from unity_bridge.simulator.change import COMMANDS, Change, NotDone, wrong
from unity_bridge.simulator.commands import CANNOT_RUN, Behaviour, Command, Value
from unity_bridge.simulator.job import Refusal
from unity_bridge.simulator.unity_api import UnityApi
from unity_bridge.simulator.world import Thing, World

Json = Dict[str, Any]

_MOST_STEPS = 200
# The arguments that can begin with the name of an earlier step.
_PATHS = ("path", "parent", "prefab")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")


def _alone(name: str) -> Behaviour:
    def run(editor: UnityApi, **arguments: Any) -> Value:
        def carry(change: Change) -> Json:
            change.carry_out(name, arguments)
            return {}

        return _in_one_undo_group(editor, carry)

    return Behaviour(run, needs_edit_mode=name == "save_scene")


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
                things.append(_made_by(change, commands[step["name"]], step))
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


def _made_by(change: Change, command: Command, step: Json) -> Optional[Thing]:
    given: Json = step.get("arguments", {})
    paths = {name: change.resolved(given[name]) for name in _PATHS if given.get(name)}
    arguments = command.arguments({**given, **paths})
    if isinstance(arguments, Err):
        raise wrong(f"{arguments.error}.")
    if command.name not in COMMANDS:
        raise NotDone(CANNOT_RUN)
    thing = change.carry_out(command.name, arguments.value)
    if "as" in step:
        if thing is None:
            raise wrong(f"The step {step['as']} ({command.name}) made nothing.")
        change.named[step["as"]] = thing
    return thing


def _taken_back(number: int, name: str, refusal: Refusal) -> Refusal:
    batch_details = {"step": number, "name": name, "taken_back": number, "stays": []}
    details = {"reason": "arguments", **refusal.details, "batch": batch_details}
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
    if not isinstance(arguments, dict):
        return "has arguments that are no object."
    fitting = command.arguments(arguments)
    if isinstance(fitting, Err):
        return f"does not fit. {command.name}: {fitting.error}."
    for path in filter(None, map(arguments.get, _PATHS)):
        name = path[1:].partition("/")[0]
        if path.startswith("$") and name not in names:
            return f"({command.name}) refers to ${name}, and no earlier step has as: {name}."
    called = step.get("as")
    if called is None:
        return ""
    if not isinstance(called, str) or not _NAME.fullmatch(called) or called in names:
        return "has an as that is no name of its own: letters, digits, _ and -, and no other step has it."
    names.add(called)
    return ""


def _as_made(world: World, step: Json, thing: Optional[Thing]) -> Json:
    row = {}
    if "as" in step:
        row["as"] = step["as"]
    path = None if thing is None else world.path_of(thing)
    if path:
        row["path"] = path
    return row
