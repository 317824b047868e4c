"""Starts the editor of a project's version, at most one for a project (SPEC §22.1 to §22.5).

``prepared`` checks and finds without writing or starting anything (but a program of unknown version, for its version).
``start`` starts, unless the project is open or an editor of ours is starting it already.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Dict, List, NamedTuple, Optional, Tuple

from unity_bridge.base.clock import Clock, rfc3339
from unity_bridge.base.frozen import changed, frozen, made_by
from unity_bridge.base.result import Err, Ok, Result, value_or
from unity_bridge.editor_life import processes, variables
from unity_bridge.editor_life.finding import (
    FoundProgram,
    NotOpened,
    find_program,
    version_in_output,
)
from unity_bridge.editor_life.machine_layout import MachineLayout
from unity_bridge.editor_life.records import ERRORS_ENDING, LOG_OPTION, EditorRecords, StartedEditor
from unity_bridge.launch import environment
from unity_bridge.projects.canonical_path import canonical_path
from unity_bridge.projects.editor_lock import is_open_in_unity
from unity_bridge.projects.project_version import project_version, written_version
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE

# As ``--unity``: the editor that this program simulates, for trying the whole path without Unity.
SIMULATED = "simulate"
_BATCH_MODE = "UNITY_BRIDGE_BATCHMODE"
_ALLOW = "UNITY_BRIDGE_ALLOW"
_ELSEWHERE = (
    "Run `unity-bridge open` in a terminal of your own, or with --headless if there is no display."
)
_TIED = (
    "Unity would end with this command: it runs in a Windows job that ends every process in it, as some agents and "
    "build tools use. Nothing was started. Run `unity-bridge open` in a terminal of your own."
)


@frozen
class OpenRequest:
    """``project``: its absolute path. ``unity``: what ``--unity`` names. ``port``: for the plugin, unless the project's
    own files name it. ``starts_for_version``: whether a program may be started to ask for its version."""

    project: str
    unity: Optional[str] = None
    headless: bool = False
    without_plugin: bool = False
    port: Optional[int] = None
    starts_for_version: bool = True
    layout: MachineLayout = made_by(MachineLayout)


@frozen
class Prepared:
    """What would be started. ``arguments`` has no log yet: its path is made at the start."""

    request: OpenRequest
    program: FoundProgram
    arguments: Tuple[str, ...]


class Opened(NamedTuple):
    """``editor``: None if somebody else's editor has the project open. ``was_started``: by this call. ``process``: of
    the editor that was started by this call."""

    editor: Optional[StartedEditor]
    was_started: bool
    process: Optional[subprocess.Popen[bytes]] = None


def prepared(request: OpenRequest) -> Result[Prepared, NotOpened]:
    """Return what to start for the request; or why nothing can be started."""
    version = project_version(request.project)
    if isinstance(version, Err) and (
        request.unity is None or isinstance(written_version(request.project), Err)
    ):
        return Err(
            NotOpened(
                "project_version", f"The project's Unity version is not known: {version.error}."
            )
        )
    program = _program(value_or(version, None), request)
    if isinstance(program, Err):
        return program
    is_simulated = program.value.found_by == SIMULATED
    lack = variables.lacking(
        _environment(request), needs_window=not (request.headless or is_simulated)
    )
    if lack is not None:
        return Err(NotOpened("environment", f"{lack}. Nothing was started. {_ELSEWHERE}"))
    command = [*environment.isolated(), SIMULATED] if is_simulated else [program.value.path]
    words = [*command, "-projectPath", request.project]
    if request.port is not None:
        words += ["-unityBridgePort", str(request.port)]
    if request.headless:
        words += ["-batchmode"]
        if not is_simulated and not variables.has_display(_environment(request)):
            words += ["-nographics"]
    return Ok(Prepared(request, program.value, tuple(words)))


def start(plan: Prepared, records: EditorRecords, clock: Clock) -> Result[Opened, NotOpened]:
    """Start the editor, unless one has the project open or is starting. The lock is held only while
    this checks.
    """
    project = plan.request.project
    try:
        with records.lock(project):
            opened = already_open(project, records)
            if isinstance(opened, Err):
                return opened
            if opened.value is not None:
                return Ok(opened.value)
            return _started(plan, records, clock)
    except OSError as error:
        where = f" at {error.filename}" if error.filename else ""
        message = (
            f"The state folder cannot be written{where}: {error.strerror or error}. Nothing was started. "
            f"Set {STATE_DIR_VARIABLE} to a folder of your own, for Unity and for this command."
        )
        return Err(NotOpened("state_folder", message))


def already_open(project: str, records: EditorRecords) -> Result[Optional[Opened], NotOpened]:
    """Return the editor that has the project open, or that ``open`` is starting for it; None if
    there is none.
    """
    living = records.living(project)
    if living is not None:
        return Ok(Opened(living, False))
    is_open = is_open_in_unity(project)
    if is_open is None:
        message = (
            f"It is unknown whether Unity has {project} open: Temp/UnityLockfile cannot be read, or Unity's own files "
            "contradict each other. Nothing was started. Open the project in Unity, or end the process that locks it."
        )
        return Err(NotOpened("open_unknown", message))
    opened = Opened(None, False) if is_open else None
    return Ok(opened)


def _program(version: Optional[str], request: OpenRequest) -> Result[FoundProgram, NotOpened]:
    if request.unity == SIMULATED:
        return Ok(FoundProgram(sys.executable, version, SIMULATED))
    ask = asked_version if request.starts_for_version else _unknown_version
    return find_program(version, request.project, request.unity, request.layout, ask)


def asked_version(program: str) -> Optional[str]:
    """Return the version that the program prints. Starts it."""
    return version_in_output(processes.printed_version(program) or "")


def _unknown_version(program: str) -> None:
    """For ``--dry-run``."""


def _started(plan: Prepared, records: EditorRecords, clock: Clock) -> Result[Opened, NotOpened]:
    at = rfc3339(clock.utc())
    request, program = plan.request, plan.program
    log = records.new_log(request.project, at)
    editor = StartedEditor(
        canonical_path(request.project),
        program.path,
        program.version or "",
        program.found_by,
        log,
        at,
        request.headless,
        request.port,
    )
    # First without a pid: if we are killed now, the next `open` finds the process by its log.
    records.write(request.project, editor)
    words = [*plan.arguments, LOG_OPTION, log]
    folder = os.path.dirname(program.path)
    try:
        child = processes.start_detached(
            words, _environment(request), folder, f"{log}{ERRORS_ENDING}"
        )
    except processes.TiedToThisProcess:
        return Err(NotOpened("tied_to_this_process", _TIED))
    except OSError as error:
        why = error.strerror or str(error)
        return Err(
            NotOpened(
                "program_not_usable",
                f"{program.path} cannot be started: {why}.",
                {"program": program.path},
            )
        )
    editor = changed(editor, pid=child.pid, process_start=processes.start_of(child.pid))
    records.write(request.project, editor)
    return Ok(Opened(editor, True, child))


def _environment(request: OpenRequest) -> Dict[str, str]:
    """Return the caller's environment, on Windows completed from the user's own.

    Consent to C# is for pipelines, whose editors have no window (SPEC §16.6).
    """
    own_names: List[str] = [_BATCH_MODE] if request.headless else [_BATCH_MODE, _ALLOW]
    inherited = {name: value for name, value in os.environ.items() if name.upper() not in own_names}
    if variables.missing_on_windows(inherited):
        inherited = variables.completed(inherited, variables.of_this_user())
    if request.headless:
        return {**inherited, _BATCH_MODE: "1"}
    return inherited
