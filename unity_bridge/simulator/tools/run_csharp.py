"""``run_csharp``: recorded answers for a few snippets; the simulated editor has no C# compiler
(SPEC §16.6).
"""

from __future__ import annotations

from typing import Any, Dict, Optional, Sequence

from unity_bridge.base.frozen import frozen
from unity_bridge.simulator.job import (
    Advance,
    End,
    Job,
    Parameters,
    RunState,
    Step,
    Wait,
    exception,
    failed,
    refused,
    reloaded,
)
from unity_bridge.simulator.jobs import JobTool
from unity_bridge.simulator.project import Entry
from unity_bridge.simulator.unity_api import UnityApi
from unity_bridge.simulator.world import RECORDED

# In the session state: the switch in the project's settings.
CSHARP_IS_ALLOWED = "allow_csharp"
_COMPILER_S = 0.5


@frozen
class Recording:
    """What a snippet does: it logs, then waits, then throws or ends with its value.

    ``logs``: kinds and texts. ``error``: it does not compile; line, column and name of what does not exist.
    """

    value: Any = None
    logs: Sequence[Sequence[str]] = ()
    waits_s: float = 0.0
    throws: str = ""
    error: Sequence[Any] = ()


RECORDINGS = {code: Recording(**recorded) for code, recorded in RECORDED["snippets"].items()}


class RunCSharp(JobTool):
    """The tool. It writes down ``until``, when the compiler or the wait is over, and ``reloads``
    once it runs.
    """

    name = "run_csharp"
    is_cancellable = False
    parameters: Parameters = {"code": "", "usings": ()}

    def __init__(self, editor: UnityApi) -> None:
        self._editor = editor

    def advance(self, job: Job) -> Advance:
        if job.is_out_of_time:
            return End(RunState.TIMEOUT)
        recording = RECORDINGS.get(job.params["code"].strip())
        if not job.notes:
            refusal = self._refusal(recording)
            if refusal is None:
                return self._wait(job, Step.COMPILING, _COMPILER_S)
            return refusal
        assert recording is not None  # else it was refused
        if "reloads" in job.notes and job.reloads > job.notes["reloads"]:
            return failed(reloaded(self.name))
        remaining_s: float = job.notes["until"] - self._editor.now()
        if remaining_s > 0:
            return Wait(remaining_s)
        if "reloads" in job.notes:
            return self._end(job, recording)
        return self._run(job, recording)

    def _refusal(self, recording: Optional[Recording]) -> Optional[End]:
        if self._editor.session_state.get(CSHARP_IS_ALLOWED) != "true":
            message = "run_csharp is switched off in this project. Type allow_csharp on a simulated editor's stdin; in "
            message += "Unity, Project Settings > Unity Bridge or `unity-bridge allow csharp` switches it on."
            return failed(refused("not_allowed", message))
        if recording is None:
            snippets = ", ".join(f"'{code}'" for code in RECORDINGS if "\n" not in code)
            message = (
                f"The simulated editor has no C# compiler. It has recorded answers for: {snippets}."
            )
            return failed(refused("compiler_missing", message, looked_at=[]))
        return None

    def _run(self, job: Job, recording: Recording) -> Advance:
        if recording.error:
            line, column, name = recording.error
            place = {"file": "snippet.cs", "line": line, "column": column, "code": "CS0103"}
            error = {**place, "message": f"The name '{name}' does not exist in the current context"}
            result = {
                "ok": False,
                "error_count": 1,
                "errors": [error],
                "truncated": False,
                "log_file": _log_file(job),
            }
            return End(RunState.FAILED, result)
        job.notes["reloads"] = job.reloads
        self._editor.emit("csharp_started", job_id=job.job_id)
        for kind, text in recording.logs:
            self._editor.log(Entry(kind, text, "UnityBridgeSnippet.__Snippet:__Run ()"))
        wait = self._wait(job, Step.RUNNING, recording.waits_s)
        if recording.waits_s:
            return wait
        return self._end(job, recording)

    def _wait(self, job: Job, step: Step, seconds: float) -> Wait:
        job.notes["until"] = self._editor.now() + self._editor.paced(seconds)
        job.enter(step, self._editor.now())
        return Wait(self._editor.paced(seconds))

    def _end(self, job: Job, recording: Recording) -> End:
        prefixes = {kind: f"{kind}: " for kind, _ in recording.logs if kind != "log"}
        output = "".join(f"{prefixes.get(kind, '')}{text}\n" for kind, text in recording.logs)
        result: Dict[str, Any] = {
            "ok": not recording.throws,
            "value": recording.value,
            "output": output,
        }
        result.update(scenes_dirtied=[], log_file=_log_file(job))
        if not recording.throws:
            return End(RunState.SUCCEEDED, result)
        stack = ["UnityBridgeSnippet.__Snippet.__Run"]
        return End(
            RunState.FAILED,
            result,
            exception(self.name, "System.Exception", recording.throws, stack),
        )


def _log_file(job: Job) -> str:
    return f"Library/UnityBridge/csharp/{job.job_id}.cs"


TOOL = RunCSharp
