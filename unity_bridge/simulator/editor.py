"""``SimulatedEditor``: an editor that takes orders, from its start to its end."""

from __future__ import annotations

from typing import Callable, Mapping, Optional

from unity_bridge.base.clock import Clock, SystemClock
from unity_bridge.base.frozen import frozen, made_by
from unity_bridge.log.logger import Logger
from unity_bridge.simulator.connection import BackOff, ServerLink
from unity_bridge.simulator.editor_process import EditorProcess
from unity_bridge.simulator.event_log import Emit
from unity_bridge.simulator.main_thread import MainThread
from unity_bridge.simulator.plugin import Plugin
from unity_bridge.simulator.project import Entry, Project, default_project
from unity_bridge.simulator.scripts import Disk
from unity_bridge.simulator.status import SimulatedStatus
from unity_bridge.simulator.tools.run_csharp import CSHARP_IS_ALLOWED
from unity_bridge.simulator.trust import ServerProof

# The script that is edited where none is named.
SCRIPT = "Assets/Player/PlayerMovement.cs"
UNKNOWN_NAME = "The name 'stamina{n}' does not exist in the current context"


@frozen
class EditorSetup:
    """The settings of an editor. With ``speed`` 10, ten seconds of the project's time take one
    second.
    """

    port: int = 8091
    project: Project = made_by(default_project)
    speed: float = 1.0
    back_off: BackOff = made_by(BackOff)


class SimulatedEditor:
    """An editor with a project open and the plugin in it.

    Every order returns at once, from any thread; its effects are reported as events. Seconds are the project's time.
    """

    disk_type = Disk
    process_type = EditorProcess

    def __init__(
        self,
        setup: EditorSetup,
        emit: Emit,
        clock: Optional[Clock] = None,
        on_exit: Callable[[], object] = lambda: None,
    ) -> None:
        """``on_exit``: on the main thread, when the editor has closed by itself (``close_editor``)."""
        self._on_exit = on_exit
        log = Logger("simulator")
        self._clock: Clock = clock or SystemClock()
        self._speed = setup.speed
        self._project = setup.project
        self._emit = emit
        self._disk = self.disk_type(self._project.scripts, emit)
        self._main = MainThread(self._clock, log)
        self._status = self._new_status()
        self._link = self._new_link(setup, self._new_plugin(), log)
        self._allows_csharp = False
        self._process = self._new_process()

    def start(self) -> None:
        self._main.start()
        self._link.start()

    def stop(self) -> None:
        """Close as an editor does when its user quits it; both threads are gone afterwards."""
        self._link.stop()
        self._main.stop()
        self._emit("ended")

    # The scripts on disk, which the editor does not watch.

    def edit(self, path: str = SCRIPT, outcomes: Optional[Mapping[str, str]] = None) -> None:
        """Change a script so that it compiles; once loaded, tests have these ``outcomes``."""
        self._disk.edit(path, outcomes or {})

    def break_script(
        self, path: str = SCRIPT, errors: int = 1, message: str = UNKNOWN_NAME
    ) -> None:
        """Change a script so that it does not compile."""
        self._disk.break_(path, errors, message)

    def focus(self) -> None:
        """Focus the editor as a user does; it then imports what changed on disk."""
        self._on_main(lambda process: process.assemblies.refresh())

    def compile(self, seconds: float = 2.0, errors: int = 0) -> None:
        """Edit a script and let the editor compile it; then the domain reloads, or so many errors
        are left.
        """
        self._on_main(lambda process: self._edit_and_compile(process, seconds, errors))

    # The editor.

    def reload(self, seconds: float = 1.0) -> None:
        """Reload the domain: disconnected for so long, then a new session of the same editor."""
        self._on_main(lambda process: process.reload_domain(seconds))

    def stall(self, seconds: float) -> None:
        """Keep the main thread busy for so long, as under a modal dialog; pings are still answered."""
        self._on_main(lambda process: process.stall(seconds))

    def allow_csharp(self) -> None:
        """Switch run_csharp on in the project's settings, as a user does; they outlive the editor's
        process.
        """
        self._allows_csharp = True
        self._on_main(lambda process: process.session_state.update({CSHARP_IS_ALLOWED: "true"}))

    def log(self, entry: Entry) -> None:
        """Write to the console."""
        self._process.console.log(entry)

    def drop(self) -> None:
        """Lose the connection; the plugin reconnects."""
        self._link.drop()

    def crash(self) -> None:
        """End the editor without closing the connection, until ``restart``; its jobs and its
        console are lost.
        """
        self._link.vanish()
        self._end_process()

    def restart(self, seconds: float = 1.0) -> None:
        """Close the editor, and open the project in another process after so long."""
        self._end_process()
        self._main.post(lambda: self._close_and_open_again(seconds))

    # What happens on the main thread.

    def _on_main(self, work: Callable[[EditorProcess], object]) -> None:
        self._main.post(lambda: work(self._process))

    def _edit_and_compile(self, process: EditorProcess, seconds: float, errors: int) -> None:
        if process.assemblies.is_compiling:
            return
        if errors:
            self._disk.break_(SCRIPT, errors, UNKNOWN_NAME)
        else:
            self._disk.fix()
            self._disk.edit(SCRIPT, {})
        process.assemblies.refresh(seconds=seconds)

    def _close_and_open_again(self, seconds: float) -> None:
        self._link.hold("editor closed")
        self._main.post(self._open_again, seconds / self._speed)

    def _open_again(self) -> None:
        self._process = self._new_process()
        self._link.release()

    # Its parts.

    def _new_status(self) -> SimulatedStatus:
        return SimulatedStatus(self._main.stalled_ms, self._emit)

    def _new_plugin(self) -> Plugin:
        return Plugin(
            self._project,
            lambda: self._process,
            self._status,
            self._main,
            ServerProof(),
            self._emit,
        )

    def _new_link(self, setup: EditorSetup, plugin: Plugin, log: Logger) -> ServerLink:
        return ServerLink(setup.port, plugin, self._emit, log, setup.back_off)

    def _new_process(self) -> EditorProcess:
        process = self.process_type(
            self._project,
            self._disk,
            self._speed,
            self._clock,
            self._main,
            self._link,
            self._status,
            self._emit,
            self._on_exit,
        )
        if self._allows_csharp:
            process.session_state[CSHARP_IS_ALLOWED] = "true"
        return process

    def _end_process(self) -> None:
        self._main.forget()
        self._process.jobs.leave()  # nothing is reported about them any more
