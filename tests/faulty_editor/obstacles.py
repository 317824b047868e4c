"""An editor process in which compiling, playing and jobs can be obstructed."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, cast

from unity_bridge.base.errors import ErrorCode
from unity_bridge.base.frozen import changed
from unity_bridge.base.result import Ok
from unity_bridge.simulator.assemblies import Assemblies
from unity_bridge.simulator.commands import Behaviour, Value
from unity_bridge.simulator.editor_process import EditorProcess
from unity_bridge.simulator.event_log import Emit
from unity_bridge.simulator.job import End, Refusal, RunState, Step
from unity_bridge.simulator.jobs import Jobs
from unity_bridge.simulator.package_commands import all_commands
from unity_bridge.simulator.player import Player
from unity_bridge.simulator.project import Entry
from unity_bridge.simulator.scripts import Disk, Script, Scripts

# The time after a reload at which code of the project requests one more pass.
_SECOND_PASS_AFTER_S = 0.3
_BUILD_S = 3.0


class UndoableDisk(Disk):
    """Scripts whose changes can be undone exactly."""

    def __init__(self, scripts: Scripts, emit: Emit) -> None:
        self._before: Dict[str, List[Optional[Script]]] = {}  # None: it was not there
        super().__init__(scripts, emit)

    def undo(self, path: str) -> bool:
        """Undo the last change of a script; False if there was none."""
        with self._lock:
            if not self._before.get(path):
                return False
            before = self._before[path].pop()
            if before is None:
                del self._scripts[path]
            else:
                self._scripts[path] = before
            self._report()
            return True

    def _write(self, path: str, script: Script) -> None:
        self._before.setdefault(path, []).append(self._scripts.get(path))
        super()._write(path, script)


class ObstructedAssemblies(Assemblies):
    """``dialog_s``, ``hangs`` and ``has_second_pass`` obstruct the next compilation; ``is_locked`` every reload, as
    under ``EditorApplication.LockReloadAssemblies``. ``waits_for_play_mode``: Recompile After Finished Playing."""

    dialog_s: Optional[float] = None
    hangs = False
    has_second_pass = False
    is_locked = False
    waits_for_play_mode = False
    _is_requested = False

    @property
    def _process(self) -> Any:
        return self._host

    def pending_reason(self, is_playing: bool) -> Optional[str]:
        reason = super().pending_reason(is_playing)
        if reason is None and self._is_requested:
            reason = "playing" if is_playing else "requested"
        return "reload_locked" if self.is_locked and reason in ("requested", "unknown") else reason

    def refresh(self, force: bool = False, seconds: Optional[float] = None) -> bool:
        if self.is_compiling or (not force and self._disk.scripts() == self._imported):
            return True
        if self.waits_for_play_mode and self._process.player.is_playing:
            self._is_requested = True
            self._host.code_changed()
            return True
        dialog_s, self.dialog_s = self.dialog_s, None
        if dialog_s is not None and not self._process.stall(dialog_s):
            return False
        return super().refresh(force, seconds)

    def unhang(self) -> None:
        was_hanging, self.hangs = self.hangs, False
        if was_hanging:
            self._finish()

    def lock(self, is_locked: bool) -> None:
        self.is_locked = is_locked
        self._load_or_rest()

    def play_mode_left(self) -> None:
        if self._is_requested:
            self._is_requested = False
            self.refresh()
            self._load_or_rest()

    def _finish(self) -> None:
        if self.is_compiling and not self.hangs:
            super()._finish()

    def _load_or_rest(self) -> None:
        if self.is_locked and not self.is_compiling:
            self._host.code_changed()
        else:
            super()._load_or_rest()

    def _load(self) -> None:
        if self.has_second_pass:
            self.has_second_pass = False
            self._host.later(
                self._project.compile_reload_s + _SECOND_PASS_AFTER_S,
                lambda: self.refresh(force=True),
            )
        super()._load()


class ObstructedPlayer(Player):
    """``why_not``: a script logs it at the next entry, and aborts that. ``reloads_domain``: Enter
    Play Mode Options.
    """

    why_not: Optional[str] = None
    reloads_domain = True

    def _enter(self) -> None:
        error, self.why_not = self.why_not, None
        if error is None and self.reloads_domain:
            return super()._enter()
        process: Any = self._host
        if error is None:
            self._begin(0.0)
        else:
            self.is_changing = False
            process.log(Entry("error", error, "Keep.Level:Check () (at Assets/Level.cs:12)"))
        process.jobs.resume()


class ObstructedJobs(Jobs):
    """Jobs that break off or are lost. Main thread."""

    def abort(self, message: str) -> bool:
        """Fail the job that runs, which cannot be carried out any further; return False if none
        runs.

        Whether it had begun with what it is for is known only of one that is past its preparations.
        """
        with self._lock:
            running = self._running()
        if not running:
            return False
        details = {} if running[0].step is Step.RUNNING else {"execution_guarantee": "unknown"}
        self._end(
            running[0],
            End(RunState.FAILED, error=Refusal(ErrorCode.UNITY_EXECUTION, message, details)),
        )
        return True

    def forget(self) -> None:
        """Every job is lost; the one that runs stops where it is."""
        with self._lock:
            for job in self._jobs.values():
                job.state = RunState.CANCELLED
            self._jobs.clear()


def _build(editor: Any, target: str, **_: Any) -> Value:
    """Hold the main thread, as a build in Unity does."""
    editor.block(_BUILD_S)
    return Ok({"target": target})


class ObstructedProcess(EditorProcess):
    """An editor process with these parts, and a command that takes its time."""

    assemblies_type = ObstructedAssemblies
    jobs_type = ObstructedJobs
    player_type = ObstructedPlayer

    assemblies: ObstructedAssemblies
    jobs: ObstructedJobs
    player: ObstructedPlayer

    def _load_domain(self) -> None:
        super()._load_domain()
        commands = all_commands()
        building = changed(commands["build_player"], does=Behaviour(_build))
        cast(Any, self.tools.jobs["run_command"])._commands = {**commands, "build_player": building}

    def leave_play_mode(self) -> None:
        super().leave_play_mode()
        self.post(self.assemblies.play_mode_left)

    def abort_job(self, message: str) -> None:
        """Fail the job that runs, as when a user stops the player."""
        if self.jobs.abort(message):
            self.leave_play_mode()

    def forget_jobs(self) -> None:
        self.jobs.forget()
        self.leave_play_mode()
