"""The simulated editor as a program: its signals, its stdin and stdout, its exit status."""

from __future__ import annotations

import os
import signal
import sys
from threading import Event, Thread
from types import FrameType
from typing import Any, Callable, Iterator, List, Optional, Sequence

from unity_bridge.base.clock import SystemClock
from unity_bridge.base.frozen import changed
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.projects.open_editors import SimulatorMark
from unity_bridge.projects.port_files import port_of_project
from unity_bridge.projects.unity_folder import is_project
from unity_bridge.simulator.controls import execute, help_text
from unity_bridge.simulator.dialects import DIALECTS
from unity_bridge.simulator.editor import EditorSetup, SimulatedEditor
from unity_bridge.simulator.editor_files import EditorFiles
from unity_bridge.simulator.event_log import Emit, JsonLines, Sentences
from unity_bridge.simulator.faults import parse_fault
from unity_bridge.simulator.project import Project, default_project, generated_project
from unity_bridge.simulator.project_file import load_project, opened
from unity_bridge.system.terminal import is_terminal

# How often the main thread checks for signals, which do not interrupt its wait on every system.
_LOOK_UP_S = 0.1
_MOST_GENERATED = 1_000_000
_DEFAULT_PORT = 8091


def simulate(
    port: Optional[int] = None,
    project_file: Optional[str] = None,
    tests: Optional[int] = None,
    console_entries: int = 0,
    test_seconds: float = 0.0,
    speed: float = 1.0,
    dialect: str = "own",
    faults: Sequence[str] = (),
    events: bool = False,
    stdin_controls: Optional[bool] = None,
    log_file: Optional[str] = None,
) -> int:
    """Run an editor until it has to end. Returns the exit status (0, 2 for bad values, 130 SIGINT, 143 SIGTERM).

    ``project_file``: a JSON file, or the folder of a Unity project, which the editor then says it has open.
    ``tests`` and ``console_entries`` make a generated project of that size instead of the built-in game.
    ``port``: by default the one that the plugin would take (SPEC §18.1).
    ``events``: JSON lines on stdout (see ``events.SENTENCES`` for the kinds), else sentences on stderr.
    ``log_file``: the editor is started as Unity is, and holds the project's lock, and writes this log.
    ``stdin_controls``: orders are read from stdin and end of file ends the editor; None: if stdin is a terminal.
    Must be called on the process's main thread, which it keeps.
    """
    port = _port(project_file) if port is None else port
    setup = _setup(port, project_file, tests, console_entries, test_seconds, speed, dialect, faults)
    if isinstance(setup, Err):
        sys.stderr.write(f"simulated editor: {setup.error}\n")
        return 2
    emit: Emit = JsonLines(sys.stdout, SystemClock()) if events else Sentences(sys.stderr)
    project = setup.value.project or default_project()
    emit("started", project=project.name, tests=len(project.tests), port=port)
    with_orders = is_terminal(sys.stdin) if stdin_controls is None else stdin_controls
    with SimulatorMark():
        if log_file is None:
            return _live(setup.value, emit, with_orders)
        with EditorFiles(project.path, log_file, project.unity_version, sys.argv) as files:
            files.loaded()
            return _live(setup.value, emit, with_orders) if files.has_project else 1


def _setup(
    port: int,
    project_file: Optional[str],
    tests: Optional[int],
    console_entries: int,
    test_seconds: float,
    speed: float,
    dialect: str,
    faults: Sequence[str],
) -> Result[EditorSetup, str]:
    if not 1 <= port <= 65535:
        return Err(f"port {port} is not from 1 to 65535")
    if not 0.001 <= speed <= 100_000:
        return Err(f"speed {speed} is not from 0.001 to 100000")
    for name, count in (("tests", tests or 0), ("console entries", console_entries)):
        if not 0 <= count <= _MOST_GENERATED:
            return Err(f"{count} {name}: it can be from 0 to {_MOST_GENERATED}")
    if not 0 <= test_seconds < 1e6:
        return Err(f"a test cannot take {test_seconds} seconds")
    if dialect not in DIALECTS:
        return Err(f"dialect '{dialect}' is not one of {', '.join(DIALECTS)}")
    project = project_of(project_file, tests, console_entries, test_seconds)
    if isinstance(project, Err):
        return project
    setup = EditorSetup(port=port, project=project.value, speed=speed, dialect=DIALECTS[dialect])
    for text in faults:
        planned = parse_fault(text)
        if isinstance(planned, Err):
            return planned
        setup = changed(setup, faults=(*setup.faults, planned.value))
    return Ok(setup)


def _port(project: Optional[str]) -> int:
    """Return the port from the environment, else from the project's own files."""
    named = os.environ.get("UNITY_BRIDGE_PORT", "").strip()
    if named.isdigit():
        return int(named)
    given = port_of_project(project).given if project is not None and is_project(project) else None
    return _DEFAULT_PORT if given is None else int(given.value or 0)


def project_of(
    path: Optional[str], tests: Optional[int], console_entries: int, test_seconds: float
) -> Result[Project, str]:
    is_generated = tests is not None or console_entries > 0
    if path is not None and not is_project(path):
        return Err(f"{path} has tests and entries of its own") if is_generated else load_project(path)
    project = generated_project(tests or 0, console_entries, test_seconds) if is_generated else default_project()
    return Ok(project if path is None else opened(project, path))


def _live(setup: EditorSetup, emit: Emit, with_orders: bool) -> int:
    quitting = Event()
    editor = SimulatedEditor(setup, emit, on_exit=quitting.set)
    # A list, not the event: a handler that sets an event can lock up the wait that it interrupts.
    signals: List[int] = []
    _on_signals(lambda number, frame: signals.append(number))
    editor.start()
    if with_orders:
        # Nobody joins it: a read from stdin cannot be interrupted, and it dies with the process.
        Thread(target=_read_orders, args=(editor, emit, quitting), name="simulator orders", daemon=True).start()
    while not signals and not quitting.wait(_LOOK_UP_S):
        pass
    editor.stop()
    if not signals:
        return 0
    return 143 if signals[0] == signal.SIGTERM else 130


def _on_signals(handler: Callable[[int, Optional[FrameType]], Any]) -> None:
    for name in ("SIGINT", "SIGTERM", "SIGBREAK"):  # SIGBREAK: Ctrl-Break, on Windows
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), handler)


def _read_orders(editor: SimulatedEditor, emit: Emit, quitting: Event) -> None:
    for line in _lines():
        if line == "quit":
            break
        if line == "help":
            emit("help", text=help_text())
            continue
        executed = execute(editor, line)
        if isinstance(executed, Err):
            emit("order", line=line, understood=False, answer=executed.error)
        else:
            emit("order", line=line, understood=True, answer="done")
    quitting.set()


def _lines() -> Iterator[str]:
    """Yield the lines of stdin, read below Python's buffer, whose lock a blocked daemon thread would hold at exit."""
    rest = b""
    while True:
        try:
            chunk = os.read(0, 4096)
        except OSError:
            chunk = b""
        if not chunk:
            return
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            text = line.decode(errors="replace").strip()
            if text:
                yield text
