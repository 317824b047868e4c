"""``compile``: brings what is on disk into the editor, and answers when that is compiled and loaded (SPEC §16.1)."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Union

from unity_bridge.base.errors import ErrorCode
from unity_bridge.simulator.job import Advance, End, Job, Refusal, RunState, Step, Wait, refused
from unity_bridge.simulator.unity_api import UnityApi

# A further pass that begins within this time after a reload belongs to the same compile.
_QUIET_S = 1.0
# A reload that has not begun after this time is told as none.
_NO_RELOAD_S = 10.0
_MESSAGES_TOLD = 50
_SAME = "The compiled assemblies are the same as before."
_LOCKED = "Something in the editor locks the reload of assemblies (EditorApplication.LockReloadAssemblies)."

Result = Dict[str, Any]


class Compile:
    """The tool. A compilation cannot be stopped."""

    name = "compile"
    is_cancellable = False

    def __init__(self, editor: UnityApi) -> None:
        self._refresh = Refresh(editor)
        self._editor = editor

    def refusal(self, params: Mapping[str, Any]) -> Optional[Refusal]:
        for name in ("force", "warnings"):
            if not isinstance(params.get(name, False), bool):
                return Refusal(ErrorCode.INVALID_PARAMS, f"{name} must be true or false")
        return None

    def advance(self, job: Job) -> Advance:
        if job.is_out_of_time:
            return End(RunState.TIMEOUT)
        if not job.notes and self._editor.is_playing:
            return End(RunState.FAILED, error=refused("playing", "The editor is in play mode. Leave it, then compile."))
        compiled = self._refresh.advance(job, force=job.params.get("force", False))
        if isinstance(compiled, Wait):
            return compiled
        if job.params.get("warnings", False):
            warnings = self._editor.assemblies.warnings
            compiled["warnings"] = [message.as_json() for message in warnings[:_MESSAGES_TOLD]]
            compiled["truncated"] = compiled["truncated"] or len(warnings) > _MESSAGES_TOLD
        return End(RunState.SUCCEEDED if compiled["ok"] else RunState.FAILED, compiled)


def is_loaded(compiled: Result) -> bool:
    """Whether the code that is loaded is the code on disk, by the result of a compile."""
    return bool(compiled["ok"]) and compiled.get("reason", _SAME) == _SAME


class Refresh:
    """Import, compilation and reload as part of a job; ``run_tests`` begins with it too.

    It writes down below ``refresh``: ``phase`` is ``compiling``, ``settling`` (after a reload) or ``locked`` (a reload
    is due and does not come); ``reloads`` is how many the job had seen before the pass under way, ``until`` when the
    phase is over.
    """

    def __init__(self, editor: UnityApi) -> None:
        self._editor = editor
        self._assemblies = editor.assemblies

    def advance(self, job: Job, force: bool) -> Union[Wait, Result]:
        """Whether to wait, or the result of ``compile``."""
        notes = job.notes.setdefault("refresh", {})
        if not notes:
            return self._begin(job, notes, force)
        if self._assemblies.is_compiling:
            notes.update(phase="compiling", reloads=job.reloads)
            job.enter(Step.COMPILING, self._editor.now())
            return Wait()
        if notes["phase"] == "settling":
            return self._wait_or_end(notes)
        if job.reloads > notes["reloads"]:
            notes["reloaded"] = True
            return self._enter(job, "settling", _QUIET_S)
        if self._assemblies.errors:
            return self._result(notes)
        if notes["phase"] == "locked":
            return self._wait_or_end(notes, _LOCKED)
        if self._assemblies.is_reload_pending:
            return self._enter(job, "locked", _NO_RELOAD_S)
        return self._result(notes, _SAME)

    def _begin(self, job: Job, notes: Dict[str, Any], force: bool) -> Union[Wait, Result]:
        self._editor.emit("refresh_started", job_id=job.job_id)
        notes.update(phase="compiling", reloads=job.reloads, began=self._editor.now(), reloaded=False)
        job.enter(Step.IMPORTING, self._editor.now())
        if not self._assemblies.refresh(force):
            return Wait()
        notes["changed"] = self._assemblies.is_compiling
        if not notes["changed"]:
            return self._result(notes)
        job.enter(Step.COMPILING, self._editor.now())
        return Wait()

    def _enter(self, job: Job, phase: str, seconds: float) -> Wait:
        job.notes["refresh"].update(phase=phase, until=self._editor.now() + self._editor.paced(seconds))
        job.enter(Step.RELOADING, self._editor.now())
        return Wait(self._editor.paced(seconds))

    def _wait_or_end(self, notes: Dict[str, Any], reason: str = "") -> Union[Wait, Result]:
        left = notes["until"] - self._editor.now()
        return Wait(left) if left > 0 else self._result(notes, reason)

    def _result(self, notes: Dict[str, Any], reason: str = "") -> Result:
        errors, warnings = self._assemblies.errors, self._assemblies.warnings
        result: Result = {
            "ok": not errors,
            "changed": notes["changed"],
            "reloaded": notes["reloaded"],
            "duration_ms": round((self._editor.now() - notes["began"]) * 1000),
            "error_count": len(errors),
            "warning_count": len(warnings),
            "errors": [message.as_json() for message in errors[:_MESSAGES_TOLD]],
            "truncated": len(errors) > _MESSAGES_TOLD,
        }
        return {**result, "reason": reason} if reason else result


TOOL = Compile
