"""``FaultyEditor``: the simulated editor with the orders that only tests give."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence, Tuple, cast

from tests.faulty_editor.dialects import OWN, Dialect
from tests.faulty_editor.faults import Faults, PlannedFault, parse_fault
from tests.faulty_editor.obstacles import ObstructedProcess, UndoableDisk
from tests.faulty_editor.plugin import FaultyPlugin, FaultyProof, FaultyStatus
from unity_bridge.base.result import Err
from unity_bridge.log.logger import Logger
from unity_bridge.simulator.connection import ServerLink, Session
from unity_bridge.simulator.controls import CONTROLS, Control, Controls, WrongOrder, seconds_of
from unity_bridge.simulator.editor import SCRIPT, EditorSetup, SimulatedEditor
from unity_bridge.simulator.event_log import Emit
from unity_bridge.simulator.plugin import Plugin
from unity_bridge.simulator.status import SimulatedStatus

# How often a plugin that knows only the founding records repeats its status.
_STATUS_EVERY_S = 5.0
_SCENE = "Assets/Scenes/Main.unity"


class FaultyLink(ServerLink):
    """A connection that can stop to read; no ping is answered then."""

    _reads = True

    def set_reading(self, reads: bool) -> None:
        with self._changed:
            self._reads = reads
            self._changed.notify_all()

    def _connect(self) -> Optional[Session]:
        session = super()._connect()
        if session is not None:
            receive = session.receive
            session.receive = lambda: self._when_it_reads(session, receive)  # type: ignore[method-assign]
        return session

    def _when_it_reads(
        self, session: Session, receive: Callable[[], Tuple[int, bytes]]
    ) -> Tuple[int, bytes]:
        received = receive()
        with self._changed:
            self._changed.wait_for(
                lambda: self._reads or self._held or self._stopping or session.closing
            )
        return received


class FaultyEditor(SimulatedEditor):
    """``dialect``: how its plugin speaks. ``faults``: what goes wrong with its answers."""

    disk_type = UndoableDisk
    process_type = ObstructedProcess

    def __init__(
        self,
        setup: EditorSetup,
        emit: Emit,
        on_exit: Callable[[], object] = lambda: None,
        dialect: Dialect = OWN,
        faults: Sequence[PlannedFault] = (),
    ) -> None:
        self._dialect = dialect
        self._faults = Faults(tuple(faults))
        super().__init__(setup, emit, on_exit=on_exit)

    def start(self) -> None:
        super().start()
        self._repeat_status()

    def obstruct(self, work: Callable[[ObstructedProcess], object]) -> None:
        self._on_main(lambda process: work(cast(ObstructedProcess, process)))

    def set_reading(self, reads: bool) -> None:
        cast(FaultyLink, self._link).set_reading(reads)

    def change_scene(self, scene: str) -> None:
        """Add changes that are not saved to a scene."""
        self._on_main(lambda process: process.content.unsaved.append(scene))

    def undo(self, path: str) -> bool:
        return cast(UndoableDisk, self._disk).undo(path)

    def plan_fault(self, planned: PlannedFault) -> None:
        self._faults.plan(planned)

    def _new_status(self) -> SimulatedStatus:
        kind = FaultyStatus if self._dialect.is_minimal else SimulatedStatus
        return kind(self._main.stalled_ms, self._emit)

    def _new_plugin(self) -> Plugin:
        parts = (
            lambda: self._process,
            self._status,
            self._main,
            FaultyProof(self._dialect.proves),
            self._emit,
        )
        return FaultyPlugin(self._dialect, self._faults, self._project, *parts)

    def _new_link(self, setup: EditorSetup, plugin: Plugin, log: Logger) -> ServerLink:
        return FaultyLink(setup.port, plugin, self._emit, log, setup.back_off)

    def _open_again(self) -> None:
        super()._open_again()
        self._repeat_status()

    def _repeat_status(self) -> None:
        if isinstance(self._status, FaultyStatus):
            self._main.post(self._status.repeat, _STATUS_EVERY_S)
            self._main.post(self._repeat_status, _STATUS_EVERY_S)


def _fault(editor: FaultyEditor, rule: str = "") -> None:
    planned = parse_fault(rule)
    if isinstance(planned, Err):
        raise WrongOrder(planned.error)
    editor.plan_fault(planned.value)


def _undo(editor: FaultyEditor, path: str = SCRIPT) -> None:
    if not editor.undo(path):
        raise WrongOrder(f"{path} has no change that could be undone")


def _set(name: str, value: Any, of: str = "assemblies") -> Callable[..., object]:
    """An order that sets an attribute of a part of the process."""
    return lambda editor: editor.obstruct(
        lambda process: setattr(getattr(process, of), name, value)
    )


def _obstructs(work: Callable[..., object]) -> Callable[..., object]:
    return lambda editor: editor.obstruct(work)


def _play(process: ObstructedProcess) -> None:
    if not process.player.is_playing:
        process.player.enter()


_MORE = (
    Control(
        "dirty [SCENE]",
        "leave a scene unsaved",
        lambda editor, path=_SCENE: editor.change_scene(path),
    ),
    Control("play", "enter play mode", _obstructs(_play)),
    Control("stop_playing", "leave play mode", _obstructs(ObstructedProcess.leave_play_mode)),
    Control("undo [PATH]", "undo its last change exactly", _undo),
    Control("hang", "the next compile does not end, until unhang", _set("hangs", True)),
    Control("unhang", "it ends after all", _obstructs(lambda process: process.assemblies.unhang())),
    Control(
        "dialog [SECONDS]",
        "the next import opens a modal dialog",
        lambda editor, seconds="5": _set("dialog_s", seconds_of(seconds))(editor),
    ),
    Control("compile_twice", "the next compile has a second pass", _set("has_second_pass", True)),
    Control(
        "lock",
        "load no compiled script until unlock",
        _obstructs(lambda process: process.assemblies.lock(True)),
    ),
    Control(
        "unlock",
        "load what was compiled",
        _obstructs(lambda process: process.assemblies.lock(False)),
    ),
    Control(
        "abort_play [ERROR]",
        "a script aborts the next entry into play mode",
        lambda editor, error="The level has no player": _set("why_not", error, "player")(editor),
    ),
    Control(
        "play_without_reload",
        "enter play mode without a reload",
        _set("reloads_domain", False, "player"),
    ),
    Control(
        "recompile_after_play", "compile only after play mode", _set("waits_for_play_mode", True)
    ),
    Control(
        "abort_job [MESSAGE]",
        "abort the job that runs",
        lambda editor, message="Play mode was left while the tests ran": editor.obstruct(
            lambda process: process.abort_job(message)
        ),
    ),
    Control("forget_jobs", "lose every job", _obstructs(ObstructedProcess.forget_jobs)),
    Control(
        "stop_reading",
        "read nothing that the server sends",
        lambda editor: editor.set_reading(False),
    ),
    Control("resume_reading", "read again", lambda editor: editor.set_reading(True)),
    Control("fault KIND[:MESSAGE_TYPE[:ARGUMENT]][*TIMES]", "make answers go wrong", _fault),
)
ORDERS: Controls = {**CONTROLS, **{control.name: control for control in _MORE}}
