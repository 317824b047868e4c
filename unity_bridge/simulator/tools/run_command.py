"""``run_command``: the pretend project's commands, by name (SPEC §16.5)."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Union

from unity_bridge.base.errors import ErrorCode, Guarantee
from unity_bridge.simulator.commands import COMMANDS, PretendCommand, nearest_three
from unity_bridge.simulator.job import Advance, End, Job, JobState, Refusal, Step, Wait
from unity_bridge.simulator.project import Entry
from unity_bridge.simulator.unity_api import UnityApi

# How often a command that counts tells how far it is.
_TELLS_EVERY_S = 0.1


class RunCommand:
    """The tool. It writes down ``ends_at`` and, before anything else, ``reloads``: how many the job had seen then."""

    name = "run_command"
    is_cancellable = True

    def __init__(self, editor: UnityApi) -> None:
        self._editor = editor

    def refusal(self, params: Mapping[str, Any]) -> Optional[Refusal]:
        if not isinstance(params.get("name", ""), str):
            return Refusal(ErrorCode.INVALID_PARAMS, "name is a text")
        if not isinstance(params.get("arguments", {}), dict):
            return Refusal(ErrorCode.INVALID_PARAMS, "arguments is an object")
        return None

    def may_run_beside(self, job: Job, running_tool: str) -> bool:
        """What only looks may, while tests run; so may the list."""
        command = _command_of(job)
        looks = not job.params.get("name") or isinstance(command, PretendCommand) and not command.writes
        return looks and running_tool == "run_tests"

    def advance(self, job: Job) -> Advance:
        if not job.params.get("name"):
            return End(JobState.SUCCEEDED, {"commands": [command.as_json() for command in COMMANDS.values()]})
        command = _command_of(job)
        if isinstance(command, Refusal):
            return End(JobState.FAILED, error=command)
        if "reloads" not in job.notes:
            return self._begin(job, command)
        if job.reloads > job.notes["reloads"]:
            return End(JobState.FAILED, error=_reloaded(command))
        return self._go_on(job, command)

    def _begin(self, job: Job, command: PretendCommand) -> Advance:
        job.refuses_cancel = not command.can_be_stopped
        job.notes.update(reloads=job.reloads, ends_at=self._editor.now() + self._editor.paced(command.duration_s))
        job.enter(Step.RUNNING, self._editor.now())
        self._editor.emit("command_ran", job_id=job.job_id, name=command.name)
        if command.log:
            self._editor.log(Entry("log", command.log))
        if command.throws:
            return End(JobState.FAILED, error=_threw(command))
        if command.reloads:
            self._editor.assemblies.refresh(True)
            return Wait()
        return self._go_on(job, command)

    def _go_on(self, job: Job, command: PretendCommand) -> Advance:
        left = job.notes["ends_at"] - self._editor.now()
        if left <= 0 and not command.reloads:
            job.counts = None
            return End(JobState.SUCCEEDED, {"value": _value(job, command)})
        if job.is_out_of_time or (job.is_cancelled and command.can_be_stopped):
            job.counts = None
            return End(job.must_stop or JobState.TIMEOUT)
        if not command.counts:
            return Wait(None if command.reloads else left)
        whole = self._editor.paced(command.duration_s)
        done = round(100 * (whole - left) / whole)
        job.counts = {"completed": done, "total": 100, "current_test": command.name}
        return Wait(min(left, self._editor.paced(_TELLS_EVERY_S)))


def _command_of(job: Job) -> Union[PretendCommand, Refusal]:
    name, given = job.params.get("name", ""), job.params.get("arguments", {})
    command = COMMANDS.get(name)
    if command is None:
        near = ", ".join(nearest_three(name))
        return _not_run(
            f"There is no command {name[:60]}. The nearest are {near}. Without a name the answer is the list."
        )
    fault = command.fault_in(given)
    return command if fault is None else _not_run(f"{name}: {fault}. It is {command.signature}.")


def _value(job: Job, command: PretendCommand) -> Dict[str, Any]:
    return {"done": command.name, **command.with_defaults(job.params.get("arguments", {}))}


def _not_run(message: str) -> Refusal:
    return Refusal(ErrorCode.INVALID_PARAMS, message, {"execution_guarantee": Guarantee.NOT_EXECUTED.value})


def _threw(command: PretendCommand) -> Refusal:
    kind, message, *stack = command.throws
    details = {
        "reason": "exception",
        "execution_guarantee": Guarantee.COMPLETED_ERROR.value,
        "exception": kind,
        "message": message,
        "stack": stack,
    }
    text = f"{command.name} threw {kind.rpartition('.')[2]}: {message}"
    return Refusal(ErrorCode.UNITY_EXECUTION, text, details)


def _reloaded(command: PretendCommand) -> Refusal:
    message = (
        f"Unity reloaded its scripts while {command.name} ran. What it did by then is done. "
        "Look before you run it again."
    )
    details = {"reason": "reloaded_while_running", "execution_guarantee": Guarantee.UNKNOWN.value}
    return Refusal(ErrorCode.UNITY_EXECUTION, message, details)
