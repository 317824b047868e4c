"""The simulated editor as a program: its signals, its stdin and stdout, its exit status."""

from __future__ import annotations

import os
import signal
import sys
from functools import partial
from threading import Thread
from typing import Callable, Iterator, Optional

from unity_bridge.base.clock import SystemClock
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.projects.open_editors import SimulatorMark
from unity_bridge.projects.port_files import port_of_project
from unity_bridge.projects.unity_folder import is_project
from unity_bridge.simulator.controls import CONTROLS, Controls, execute, help_text
from unity_bridge.simulator.editor import EditorSetup, SimulatedEditor
from unity_bridge.simulator.editor_files import EditorFiles
from unity_bridge.simulator.event_log import Emit, json_lines, sentences
from unity_bridge.simulator.project import Project, default_project, opened
from unity_bridge.system.signals import MainThreadQueue
from unity_bridge.system.terminal import is_terminal

_DEFAULT_PORT = 8091


def simulate(
    port: Optional[int] = None,
    project: Optional[str] = None,
    speed: float = 1.0,
    events: bool = False,
    stdin_controls: Optional[bool] = None,
    log_file: Optional[str] = None,
) -> int:
    """Run an editor until it has to end. Returns the exit status (0, 2 for bad values, 130 SIGINT,
    143 SIGTERM).

    ``project``: the folder of a Unity project, which the editor then says it has open.
    ``port``: by default the one that the plugin would take (SPEC §18.1).
    ``events``: JSON lines on stdout (see ``event_log.SENTENCES`` for the kinds), else sentences on stderr.
    ``log_file``: the editor is started as Unity is, and holds the project's lock, and writes this log.
    ``stdin_controls``: orders are read from stdin and end of file ends the editor; None: if stdin is a terminal.
    Must be called on the process's main thread, which it keeps.
    """
    return run(setup_of(port, project, default_project(), speed), events, stdin_controls, log_file)


def setup_of(
    port: Optional[int], folder: Optional[str], project: Project, speed: float
) -> Result[EditorSetup, str]:
    port = _port(folder) if port is None else port
    if not 1 <= port <= 65535:
        return Err(f"port {port} is not from 1 to 65535")
    if not 0.001 <= speed <= 100_000:
        return Err(f"speed {speed} is not from 0.001 to 100000")
    if folder is not None and not is_project(folder):
        return Err(f"{folder} is no Unity project")
    if folder is None:
        opened_project = project
    else:
        opened_project = opened(project, folder)
    return Ok(EditorSetup(port, opened_project, speed))


def run(
    setup: Result[EditorSetup, str],
    events: bool,
    stdin_controls: Optional[bool],
    log_file: Optional[str] = None,
    open_editor: Callable[..., SimulatedEditor] = SimulatedEditor,
    controls: Controls = CONTROLS,
) -> int:
    if isinstance(setup, Err):
        sys.stderr.write(f"simulated editor: {setup.error}\n")
        return 2
    emit = json_lines(sys.stdout, SystemClock()) if events else sentences(sys.stderr)
    project = setup.value.project
    emit("started", project=project.name, tests=len(project.tests), port=setup.value.port)
    ends: MainThreadQueue[int] = MainThreadQueue()  # exit statuses, of which the first counts
    editor = open_editor(setup.value, emit, on_exit=lambda: ends.put(0))
    with_orders = is_terminal(sys.stdin) if stdin_controls is None else stdin_controls
    orders = None
    if with_orders:
        # Nobody joins it: a read from stdin cannot be interrupted, and it dies with the process.
        orders = Thread(
            target=_obey, args=(editor, emit, controls, ends), name="simulator orders", daemon=True
        )
    with SimulatorMark():
        if log_file is None:
            return _live(editor, ends, orders)
        with EditorFiles(project.path, log_file, project.unity_version, sys.argv) as files:
            files.loaded()
            if files.has_project:
                return _live(editor, ends, orders)
            return 1


def _port(project: Optional[str]) -> int:
    """Return the port from the environment, else from the project's own files."""
    variable = os.environ.get("UNITY_BRIDGE_PORT", "").strip()
    if variable.isdecimal():
        return int(variable)
    setting = (
        port_of_project(project).given if project is not None and is_project(project) else None
    )
    if setting is None:
        return _DEFAULT_PORT
    return int(setting.value or 0)


def _live(editor: SimulatedEditor, ends: MainThreadQueue[int], orders: Optional[Thread]) -> int:
    for name, status in (
        ("SIGINT", 130),
        ("SIGBREAK", 130),
        ("SIGTERM", 143),
    ):  # SIGBREAK: Ctrl-Break, on Windows
        if hasattr(signal, name):
            signal.signal(
                getattr(signal, name), partial(lambda status_, *_: ends.put(status_), status)
            )
    editor.start()
    if orders is not None:
        orders.start()
    status_ = ends.get()
    editor.stop()
    return status_


def _obey(
    editor: SimulatedEditor, emit: Emit, controls: Controls, ends: MainThreadQueue[int]
) -> None:
    """Carry out the orders that come from stdin, until it ends."""
    for line in _lines():
        if line == "quit":
            break
        if line == "help":
            emit("help", text=help_text(controls))
            continue
        executed = execute(editor, line, controls)
        answer = executed.error if isinstance(executed, Err) else "done"
        emit("order", line=line, understood=isinstance(executed, Ok), answer=answer)
    ends.put(0)


def _lines() -> Iterator[str]:
    """Yield the lines of stdin, read below Python's buffer, whose lock a blocked daemon thread
    would hold at exit.
    """
    buffer = b""
    while True:
        try:
            chunk = os.read(0, 4096)
        except OSError:
            chunk = b""
        if not chunk:
            return
        *lines, buffer = (buffer + chunk).split(b"\n")
        for line in lines:
            text = line.decode(errors="replace").strip()
            if text:
                yield text
