"""One process of the editor, with the project open: what its jobs, its tools and its compiler need
of it.
"""

from __future__ import annotations

import uuid
from typing import Callable, Dict, List

from unity_bridge.base.clock import Clock
from unity_bridge.simulator.assemblies import Assemblies
from unity_bridge.simulator.connection import ServerLink
from unity_bridge.simulator.console import Console
from unity_bridge.simulator.event_log import Emit
from unity_bridge.simulator.job import Job
from unity_bridge.simulator.jobs import Jobs
from unity_bridge.simulator.main_thread import MainThread
from unity_bridge.simulator.player import Player
from unity_bridge.simulator.project import Entry, Project
from unity_bridge.simulator.scripts import Disk, is_from_the_compiler
from unity_bridge.simulator.status import COMPILING, READY, RELOADING, SimulatedStatus
from unity_bridge.simulator.tools import Tools, tools_of

# Where the jobs wait for the next domain, in the session state.
_JOBS = "jobs"
# The editor's end waits this long: a server asks for a job once a second, and the answer needs a
# moment to arrive.
_REPORTED_WITHIN_S = 3.0
_SENT_WITHIN_S = 0.1
_LOOK_AGAIN_S = 0.02


class EditorProcess:
    """``UnityApi`` for the tools, ``JobHost`` for the jobs, ``AssembliesHost`` for the compiler.
    Main thread, unless those say otherwise.

    ``jobs`` and ``tools`` are those of the present domain; everything else outlives domain reloads.
    """

    assemblies_type = Assemblies
    jobs_type = Jobs
    player_type = Player

    def __init__(
        self,
        project: Project,
        disk: Disk,
        speed: float,
        clock: Clock,
        main: MainThread,
        wire: ServerLink,
        status: SimulatedStatus,
        emit: Emit,
        exits: Callable[[], object] = lambda: None,
    ) -> None:
        self._exits = exits
        self.project = project
        self.instance_id = uuid.uuid4().hex
        self.console = Console()
        self.session_state: Dict[str, str] = {}
        self.content = project.content.copy()
        self.player = self.player_type(project, status, self)
        self.emit = emit
        self._speed = speed
        self._clock = clock
        self._main = main
        self._wire = wire
        self._status = status
        for entry in project.console:
            self.console.log(entry)
        self.assemblies = self.assemblies_type(project, disk, self)
        for error in self.assemblies.errors:
            self.log(Entry(error.type, error.as_text()))
        status.pending = self.assemblies.pending_reason
        status.change(
            state=READY, compile_errors=len(self.assemblies.errors), playing=False, paused=False
        )
        self._load_domain()

    def _load_domain(self) -> None:
        self.tools: Tools = tools_of(self)
        self.jobs = self.jobs_type(self.tools.jobs, self, self.session_state.get(_JOBS, "[]"))
        self._status.disowned = self.jobs.disowned

    # Time and work.

    def now(self) -> float:
        return self._clock.now()

    def paced(self, seconds: float) -> float:
        return seconds / self._speed

    def post(self, work: Callable[[], object], seconds: float = 0.0) -> None:
        self._main.post(work, seconds)

    def later(self, seconds: float, work: Callable[[], object]) -> None:
        self._main.post(work, self.paced(seconds))

    def block(self, seconds: float) -> bool:
        return self._main.pause(self.paced(seconds))

    def stall(self, seconds: float) -> bool:
        """Block the main thread as a modal dialog does."""
        self.emit("stalled")
        has_lived = self.block(seconds)
        self.emit("stall_ended")
        return has_lived

    def stalled_ms(self) -> int:
        return self._main.stalled_ms()

    def is_idle(self) -> bool:
        return self._status.now.state == READY

    # The console.

    def log(self, entry: Entry) -> None:
        self.console.log(entry)

    # Scenes and play mode.

    def save_scenes(self) -> None:
        if self.content.unsaved:
            self.emit("saved", scenes=list(self.content.unsaved))
            self.content.unsaved.clear()

    def leave_play_mode(self) -> None:
        self.player.leave()
        self.content.end_play()

    def game_began(self) -> None:
        self.content.begin_play()

    # Scripts.

    def compilation_began(self) -> None:
        self.console.clear(lambda entry: is_from_the_compiler(entry.message))
        self._status.change(state=COMPILING)

    def code_changed(self) -> None:
        self._status.change(state=READY, compile_errors=len(self.assemblies.errors))
        self.jobs.resume()

    def reload_domain(self, seconds: float) -> bool:
        """Report it, disconnect, and reconnect with the saved jobs (SPEC §11); False if the process
        ended before.
        """
        is_compiling = self.assemblies.is_compiling
        self._status.change(state=RELOADING, compile_errors=len(self.assemblies.errors))
        self._wire.hold("domain reload")
        self.session_state[_JOBS] = self.jobs.leave()
        if not self.block(seconds):
            return False
        self.assemblies.domain_loaded()
        self._load_domain()
        state = READY
        if is_compiling:
            state = COMPILING
        self._status.change(state=state)
        self._wire.release()
        self.jobs.resume()
        return True

    # The end of the editor.

    def unended_jobs(self) -> List[str]:
        return self.jobs.unended()

    def exit(self, job: Job) -> None:
        """Exit next on the main thread, which waits until a server knows; the connection's thread
        still answers.
        """
        self._main.post(lambda: self._exit(job))

    def _exit(self, job: Job) -> None:
        waited_s = 0.0
        while (
            not job.is_end_reported
            and waited_s < _REPORTED_WITHIN_S
            and self._main.pause(_LOOK_AGAIN_S)
        ):
            waited_s += _LOOK_AGAIN_S
        self._main.pause(_SENT_WITHIN_S)
        self.emit("exiting")
        self._wire.hold("the editor is closing")
        self._exits()
