"""``play_mode``: enters and leaves play mode, pauses it, steps through it (SPEC §16.2)."""

from __future__ import annotations

from unity_bridge.base.errors import ErrorCode
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
    refused,
)
from unity_bridge.simulator.jobs import JobTool
from unity_bridge.simulator.player import FRAMES_PER_SECOND
from unity_bridge.simulator.unity_api import UnityApi

_NOTHING_S = 10.0
_FRAME_S = 1 / FRAMES_PER_SECOND


class PlayMode(JobTool):
    """The tool. It writes down ``until``, when an entry is given up, and ``left``, the frames still
    to come.
    """

    name = "play_mode"
    is_cancellable = False
    parameters: Parameters = {"action": "", "frames": 1}

    def __init__(self, editor: UnityApi) -> None:
        self._editor = editor
        self._player = editor.player

    def advance(self, job: Job) -> Advance:
        if job.is_out_of_time:
            return End(RunState.TIMEOUT)
        action = job.params["action"]
        if job.notes:
            if "until" in job.notes:
                return self._await_entry(job)
            return self._step(job)
        if action == "enter" or (action == "step" and not self._player.is_playing):
            return self._enter(job)
        if action == "exit":
            return self._exit(job)
        if not self._player.is_playing:
            message = f"The editor is not in play mode, so there is nothing to {action}."
            return failed(refused("not_playing", message))
        if action == "step":
            self._asked(job)
            job.notes["left"] = job.params["frames"]
            self._player.pause(True)
            return self._step(job)
        return self._pause(job, action == "pause")

    def _enter(self, job: Job) -> Advance:
        if self._player.is_playing:
            return self._end(has_changed=False)
        errors = self._editor.assemblies.errors
        if errors:
            message = "The scripts do not compile, so play mode cannot be entered. Fix them, compile, and enter again."
            rows = [error.as_json() for error in errors[:50]]
            return failed(refused("compile_errors", message, errors=rows))
        self._asked(job)
        job.notes["until"] = self._editor.now() + self._editor.paced(_NOTHING_S)
        job.enter(Step.ENTERING_PLAY_MODE, self._editor.now())
        self._player.enter(is_paused=job.params["action"] == "step")
        return Wait(self._editor.paced(_NOTHING_S))

    def _await_entry(self, job: Job) -> Advance:
        if self._player.is_changing:
            remaining_s = job.notes["until"] - self._editor.now()
            if remaining_s > 0:
                return Wait(remaining_s)
            return self._failed(job, "nothing happened for 10 s")
        if not self._player.is_playing:
            return self._failed(
                job, "Unity went back to edit mode: a script or a dialog aborted the change"
            )
        if self._player.frame == 0 and not self._player.is_paused:
            return Wait(self._editor.paced(_FRAME_S))
        return self._end(has_changed=True)

    def _exit(self, job: Job) -> Advance:
        if not self._player.is_playing:
            return self._end(has_changed=False)
        self._asked(job)
        job.enter(Step.LEAVING_PLAY_MODE, self._editor.now())
        self._editor.leave_play_mode()
        return self._end(has_changed=True)

    def _pause(self, job: Job, is_paused: bool) -> Advance:
        if self._player.is_paused == is_paused:
            return self._end(has_changed=False)
        self._asked(job)
        self._player.pause(is_paused)
        return self._end(has_changed=True)

    def _step(self, job: Job) -> Advance:
        if not self._player.is_playing:
            return self._failed(job, "play mode was left")
        if not job.notes["left"]:
            return self._end(has_changed=True)
        job.notes["left"] -= 1
        self._player.step()
        return Wait(self._editor.paced(_FRAME_S))

    def _asked(self, job: Job) -> None:
        """Once in the life of a job: what it asks Unity for is asked now."""
        self._editor.emit("play_mode_requested", job_id=job.job_id, action=job.params["action"])

    def _end(self, has_changed: bool) -> End:
        player = self._player
        state = {
            "playing": player.is_playing,
            "paused": player.is_paused,
            "frame": player.frame,
            "changed": has_changed,
        }
        return End(RunState.SUCCEEDED, {**state, **(player.moment() if player.is_playing else {})})

    def _failed(self, job: Job, why: str) -> End:
        rows = self._editor.console.read(job.console_cursor).kept
        errors = [
            row.entry.message for row in rows if row.entry.type in ("error", "assert", "exception")
        ][:10]
        details = {
            "reason": "cancelled_by_unity",
            "execution_guarantee": "completed_error",
            "errors": errors,
        }
        message = f"Unity was asked to {job.params['action']}, and {why}."
        return failed(Refusal(ErrorCode.UNITY_EXECUTION, message, details))


TOOL = PlayMode
