"""``compile``: brings what is on disk into the editor, and answers when that is compiled and loaded
(SPEC §16.1).
"""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Union

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
    playing,
)
from unity_bridge.simulator.jobs import JobTool
from unity_bridge.simulator.unity_api import UnityApi

# A further pass that begins within this time after a reload belongs to the same compile.
_QUIET_S = 1.0
_MOST_MESSAGES = 50
_SAME = "The compiled assemblies are the same as before."
# What happened, and what to do (SPEC §11.7).
PENDING: Mapping[str, str] = {
    "compile_errors": "The scripts do not compile, so the editor runs older code. Fix the errors and compile again.",
    "playing": "The editor is in play mode and has not loaded the new code. Leave play mode, then compile again.",
    "reload_locked": "Something in the editor locks the reload of assemblies (EditorApplication.LockReloadAssemblies). "
    "End what holds the lock, or restart the editor.",
    "requested": "Unity was asked to compile and has not finished. Wait until it has, then compile again.",
    "unknown": "Unity did not reload the scripts after compiling them. Compile with force, or restart the editor.",
}

Result = Dict[str, Any]


class Compile(JobTool):
    """The tool. A compilation cannot be stopped."""

    name = "compile"
    is_cancellable = False
    parameters: Parameters = {"force": False, "warnings": False, "changed_scenes": "refuse"}

    def __init__(self, editor: UnityApi) -> None:
        self._refresh = Refresh(editor)
        self._editor = editor

    def advance(self, job: Job) -> Advance:
        if job.is_out_of_time:
            return End(RunState.TIMEOUT)
        refusal = None if job.notes else self._refresh.prepare(job, "compile")
        if refusal is not None:
            return failed(refusal)
        compiled = self._refresh.advance(job, force=job.params["force"])
        if isinstance(compiled, Wait):
            return compiled
        if job.params["warnings"]:
            warnings = self._editor.assemblies.warnings
            compiled["warnings"] = [message.as_json() for message in warnings[:_MOST_MESSAGES]]
            compiled["truncated"] = compiled["truncated"] or len(warnings) > _MOST_MESSAGES
        if compiled["ok"]:
            state = RunState.SUCCEEDED
        else:
            state = RunState.FAILED
        return End(state, compiled)


class Refresh:
    """Import, compilation and reload as part of a job; ``run_tests`` begins with it too.

    It writes down below ``refresh``: ``phase`` is ``compiling`` or ``settling`` (after a reload); ``reloads`` is how
    many the job had seen before the pass under way, ``until`` when the editor is quiet. No scene's file changes here,
    so ``changed_scenes`` decides nothing.
    """

    def __init__(self, editor: UnityApi) -> None:
        self._editor = editor
        self._assemblies = editor.assemblies

    def prepare(self, job: Job, purpose: str) -> Optional[Refusal]:
        """Why nothing can be imported now."""
        if self._editor.player.is_playing:
            return playing(purpose)
        job.notes["refresh"] = {}
        return None

    def advance(self, job: Job, force: bool) -> Union[Wait, Result]:
        """Whether to wait, or the result of ``compile``."""
        notes = job.notes["refresh"]
        if not notes:
            return self._begin(job, notes, force)
        if self._assemblies.is_compiling:
            notes.update(phase="compiling", reloads=job.reloads)
            job.enter(Step.COMPILING, self._editor.now())
            return Wait()
        if notes["phase"] == "settling":
            remaining_s: float = notes["until"] - self._editor.now()
            if remaining_s > 0:
                return Wait(remaining_s)
            return self._result(job, notes)
        if job.reloads > notes["reloads"]:
            seconds = self._editor.paced(_QUIET_S)
            notes.update(reloaded=True, phase="settling", until=self._editor.now() + seconds)
            job.enter(Step.RELOADING, self._editor.now())
            return Wait(seconds)
        return self._result(job, notes, _SAME)

    def _begin(self, job: Job, notes: Dict[str, Any], force: bool) -> Union[Wait, Result]:
        self._editor.emit("refresh_started", job_id=job.job_id)
        notes.update(
            phase="compiling", reloads=job.reloads, began=self._editor.now(), reloaded=False
        )
        job.enter(Step.IMPORTING, self._editor.now())
        if not self._assemblies.refresh(force):
            return Wait()
        notes["changed"] = self._assemblies.is_compiling
        if not notes["changed"]:
            return self._result(job, notes)
        job.enter(Step.COMPILING, self._editor.now())
        return Wait()

    def _result(self, job: Job, notes: Dict[str, Any], reason: str = "") -> Result:
        self._editor.emit("refresh_ended", job_id=job.job_id, loaded=self._assemblies.loaded())
        errors, warnings = self._assemblies.errors, self._assemblies.warnings
        pending = self._assemblies.pending_reason(self._editor.player.is_playing)
        result: Result = {
            "ok": not errors,
            "changed": notes["changed"],
            "reloaded": notes["reloaded"],
            "loaded": pending is None,
            "duration_ms": round((self._editor.now() - notes["began"]) * 1000),
            "error_count": len(errors),
            "warning_count": len(warnings),
            "errors": [message.as_json() for message in errors[:_MOST_MESSAGES]],
            "truncated": len(errors) > _MOST_MESSAGES,
        }
        if pending is not None:
            result.update(pending_reason=pending, reason=PENDING[pending])
        elif reason and not notes["reloaded"]:
            result["reason"] = reason
        return result


TOOL = Compile
