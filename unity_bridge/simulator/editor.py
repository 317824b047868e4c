"""``SimulatedEditor``: the life of an editor, from start to quit."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any, Callable, Optional, Tuple

from unity_bridge.clock import Clock, SystemClock
from unity_bridge.logger import Logger
from unity_bridge.simulator.connection import GOING_AWAY, BackOffPolicy, Link
from unity_bridge.simulator.console import Console
from unity_bridge.simulator.events import Emit
from unity_bridge.simulator.faults import Faults, PlannedFault
from unity_bridge.simulator.main_thread import MainThread
from unity_bridge.simulator.plugin import Dialect, EditorProcess, Plugin
from unity_bridge.simulator.project import Entry, Project, default_project
from unity_bridge.simulator.runs import Runs
from unity_bridge.simulator.status import COMPILING, READY, RELOADING, EditorStatus

_COMPILER = "error CS"


@dataclass(frozen=True)
class EditorSetup:
    """How an editor is to be. ``speed`` 10 lets ten seconds of the project's time pass in one."""

    port: int = 8091
    project: Optional[Project] = None
    speed: float = 1.0
    dialect: Dialect = Dialect()
    faults: Tuple[PlannedFault, ...] = ()
    back_off: BackOffPolicy = BackOffPolicy()


class SimulatedEditor:
    """An editor with a project open and the plugin in it.

    Every order returns at once, from any thread; what it does is told as events. Seconds are the project's time.
    """

    def __init__(self, setup: EditorSetup, emit: Emit, clock: Optional[Clock] = None) -> None:
        log = Logger("simulator")
        self._clock: Clock = clock or SystemClock()
        self._speed = setup.speed
        self._project = setup.project or default_project()
        self._dialect = setup.dialect
        self._emit = emit
        self._compiling = False  # main thread only
        self._main = MainThread(self._clock, log)
        self._status = EditorStatus(self._main.stalled_ms, emit)
        self._faults = Faults(setup.faults)
        self._process = self._new_process()
        self._plugin = Plugin(
            self._project, setup.dialect, self._faults, lambda: self._process, self._status, self._main, emit
        )
        self._link = Link(setup.port, self._plugin, emit, log, setup.back_off)

    def start(self) -> None:
        self._main.start()
        self._link.start()
        self._repeat_status()

    def stop(self) -> None:
        """Close as an editor does when its user quits it; both threads are gone afterwards."""
        self._link.stop()
        self._main.stop()
        self._emit("ended")

    def compile(self, seconds: float = 2.0, errors: int = 0) -> None:
        """Scripts compile; then the domain reloads, or so many compile errors are left."""
        self._main.post(lambda: self._begin_compiling(seconds, errors))

    def reload(self, seconds: float = 1.0) -> None:
        """The domain reloads: off the line for so long, then a new session of the same editor."""
        self._main.post(lambda: self._reload(seconds))

    def stall(self, seconds: float) -> None:
        """The main thread does nothing for so long, as under a modal dialog; pings are still answered."""
        self._main.post(lambda: self._stall(seconds))

    def log(self, entry: Entry) -> None:
        """Write to the console."""
        self._process.console.log(entry)

    def clear_console(self) -> None:
        self._process.console.clear()

    def drop(self) -> None:
        """The connection is lost, and the plugin comes back by itself."""
        self._link.drop()

    def crash(self) -> None:
        """The editor is gone without a word, until ``restart``; its jobs and its console are lost."""
        self._link.vanish()
        self._main.forget()

    def restart(self, seconds: float = 1.0) -> None:
        """The editor is closed, and another process opens the project after so long."""
        self._main.forget()
        self._main.post(lambda: self._close_and_open_again(seconds))

    def set_deaf(self, deaf: bool) -> None:
        """Deaf: nothing that the server sends is read, so its pings go unanswered."""
        self._link.set_deaf(deaf)

    def plan_fault(self, planned: PlannedFault) -> None:
        self._faults.plan(planned)

    def abort_run(self, message: str) -> None:
        """The test run that runs cannot be carried out any further."""
        self._main.post(lambda: self._process.runs.abort(message))

    def forget_jobs(self) -> None:
        """The plugin loses its jobs, those that run included."""
        self._main.post(lambda: self._process.runs.forget())

    # What a run of tests needs of its editor (``RunHost``); on the main thread.

    def can_run_tests(self) -> bool:
        return self._status.state == READY

    def compile_errors(self) -> int:
        return self._status.compile_errors

    def later(self, seconds: float, work: Callable[[], object]) -> None:
        self._main.post(work, self._paced(seconds))

    def at_the_servers_pace(self, seconds: float, work: Callable[[], object]) -> None:
        self._main.post(work, seconds)

    def enter_play_mode(self) -> bool:
        return self._reload_domain(self._project.play_reload_s)

    def emit(self, kind: str, **values: Any) -> None:
        self._emit(kind, **values)

    # What happens on the main thread.

    def _begin_compiling(self, seconds: float, errors: int) -> None:
        if self._compiling:
            return
        self._compiling = True
        self._process.console.clear(lambda entry: _COMPILER in entry.message)
        self._status.change(COMPILING)
        self.later(seconds, lambda: self._end_compiling(errors))

    def _end_compiling(self, errors: int) -> None:
        self._compiling = False
        for number in range(errors):
            place = f"Assets/Player/PlayerMovement.cs({40 + number},17)"
            self.log(Entry("error", f"{place}: {_COMPILER}0103: The name 'stamina{number}' does not exist here"))
        self._status.change(READY if errors else RELOADING, compile_errors=errors)
        if not errors:
            self._reload_domain(self._project.compile_reload_s)
        self._process.runs.resume()

    def _reload(self, seconds: float) -> None:
        if self._reload_domain(seconds):
            self._process.runs.resume()

    def _reload_domain(self, seconds: float) -> bool:
        """Say so, leave, and come back (SPEC §11); False if the editor process ended meanwhile."""
        self._status.change(RELOADING)
        self._link.hold(GOING_AWAY, "domain reload")
        if not self._main.pause(self._paced(seconds)):
            return False
        self._status.change(COMPILING if self._compiling else READY)
        self._link.release()
        return True

    def _stall(self, seconds: float) -> None:
        self._emit("stalled")
        self._main.pause(self._paced(seconds))
        self._emit("stall_over")

    def _close_and_open_again(self, seconds: float) -> None:
        self._link.hold(GOING_AWAY, "editor closed")
        self._main.post(self._open_again, self._paced(seconds))

    def _open_again(self) -> None:
        self._compiling = False
        self._process = self._new_process()
        self._status.change(READY, compile_errors=0)
        self._link.release()
        self._repeat_status()

    def _repeat_status(self) -> None:
        every_s = self._dialect.repeats_status_every_s
        if every_s is not None:
            self._main.post(self._status.repeat, every_s)
            self._main.post(self._repeat_status, every_s)

    def _new_process(self) -> EditorProcess:
        console = Console(self._clock)
        for entry in self._project.console:
            console.log(entry)
        return EditorProcess(uuid.uuid4().hex, console, Runs(self._project.tests, self))

    def _paced(self, seconds: float) -> float:
        return seconds / self._speed
