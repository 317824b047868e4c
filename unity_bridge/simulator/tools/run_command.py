"""``run_command``: the commands of the package and of the pretend project, by name (SPEC §16.5)."""

from __future__ import annotations

from typing import Optional

from unity_bridge.base.result import Err
from unity_bridge.catalogue.plugin_commands import searched_texts
from unity_bridge.simulator import closing
from unity_bridge.simulator.commands import CANNOT_RUN, NOT_SIMULATED, Command
from unity_bridge.simulator.job import (
    Advance,
    End,
    Job,
    Parameters,
    Refusal,
    RunState,
    Step,
    Wait,
    failed,
    misfit,
    playing,
    reloaded,
)
from unity_bridge.simulator.jobs import JobTool
from unity_bridge.simulator.package_commands import all_commands
from unity_bridge.simulator.unity_api import UnityApi
from unity_bridge.text.search import has_words
from unity_bridge.text.spelling import is_slip


class RunCommand(JobTool):
    """The tool. Once the command has run it writes down ``value``, and how many ``reloads`` there
    were.
    """

    name = "run_command"
    is_cancellable = False
    parameters: Parameters = {"name": "", "query": "", "arguments": {}, "max_bytes": 300_000}

    def __init__(self, editor: UnityApi) -> None:
        self._editor = editor
        self._commands = all_commands()

    def may_run_during(self, job: Job, running_tool: str) -> bool:
        """Return whether the command may run while tests run: it only reads, and does not list the
        tests.
        """
        name = job.params["name"]
        command = self._commands.get(name)
        reads = not name or (
            command is not None and not command.declared.writes and name != "list_tests"
        )
        return reads and running_tool == "run_tests"

    def may_overtake(self, job: Job) -> bool:
        """Return whether the command closes the editor."""
        return bool(job.params["name"] == closing.NAME)

    def advance(self, job: Job) -> Advance:
        name = job.params["name"]
        if name == closing.NAME:
            return closing.close(self._editor, job)
        if not name:
            query = job.params["query"]
            listed = [
                known_command
                for known_command in self._commands.values()
                if not known_command.is_hidden
            ]
            matches = [
                known_command
                for known_command in listed
                if has_words(
                    query, *searched_texts(known_command.name, known_command.declared.description)
                )
            ]
            return End(RunState.SUCCEEDED, {"commands": [command.as_json() for command in matches]})
        if job.params["query"]:
            return failed(misfit("query goes without name: it searches the list."))
        command = self._commands.get(name)
        if command is None:
            near = [
                known_command.declared.signature
                for known_command in self._commands.values()
                if _may_be(name, known_command)
            ]
            hint = f" The nearest is {', '.join(near)}." if near else ""
            message = (
                f"There is no command {name[:60]}.{hint} "
                "Without a name the answer is the list; query searches it."
            )
            return failed(misfit(message, "unknown_command"))
        if "reloads" not in job.notes:
            refusal = self._begin(job, command)
            if refusal is not None:
                return failed(refusal)
        return self._continue(job, command)

    def _begin(self, job: Job, command: Command) -> Optional[Refusal]:
        page = {"max_bytes": job.params["max_bytes"]} if command.name == "list_tests" else {}
        arguments = command.arguments({**page, **job.params["arguments"]})
        if isinstance(arguments, Err):
            return misfit(f"{command.name}: {arguments.error}. It is {command.declared.signature}.")
        if command.does is NOT_SIMULATED:
            return CANNOT_RUN
        if command.does.needs_edit_mode and self._editor.player.is_playing:
            return playing("run the command again")
        job.notes["reloads"] = job.reloads
        job.enter(Step.RUNNING, self._editor.now())
        self._editor.emit("command_started", job_id=job.job_id, name=command.name)
        value = command.does.run(self._editor, **arguments.value)
        if isinstance(value, Err):
            return value.error
        job.notes["value"] = value.value
        return None

    def _continue(self, job: Job, command: Command) -> Advance:
        if command.does.loses_reload and job.reloads > job.notes["reloads"]:
            return failed(reloaded(command.name))
        if self._editor.assemblies.is_compiling:
            if job.is_out_of_time:
                return End(RunState.TIMEOUT)
            return Wait()
        return End(RunState.SUCCEEDED, {"value": job.notes["value"]})


def _may_be(name: str, command: Command) -> bool:
    return not command.is_hidden and is_slip(name, command.name)


TOOL = RunCommand
