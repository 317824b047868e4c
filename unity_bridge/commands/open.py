"""``unity-bridge open``: Open the project in Unity and wait until the editor is ready."""

from __future__ import annotations

import os
from typing import Any, Optional, Set

import click

from unity_bridge.base.clock import SystemClock
from unity_bridge.base.errors import ErrorCode, ToolError, error_object
from unity_bridge.base.result import Err
from unity_bridge.commands.shared.envelope import TimedResult, put_failure
from unity_bridge.commands.shared.options import (
    ScriptSettings,
    flag,
    prints_json,
    project_options,
    script_command,
    settings_of_project,
    wait_option,
)
from unity_bridge.editor_life import opening, processes
from unity_bridge.editor_life.finding import NotOpened
from unity_bridge.editor_life.opening import Opened, OpenRequest, Prepared
from unity_bridge.editor_life.records import EditorRecords, editor_records
from unity_bridge.editor_life.waiting import (
    PORT_IN_USE,
    READY,
    UNTRUSTED,
    EditorSeen,
    Watch,
    members_of,
)
from unity_bridge.installation.command_line import ours
from unity_bridge.projects.open_editors import is_any_simulated
from unity_bridge.projects.port_files import port_of_project
from unity_bridge.projects.probing import has_plugin
from unity_bridge.projects.project_version import too_old, written_version
from unity_bridge.scripting.command_bridge import (
    COMES_WITHIN_S,
    Interrupted,
    nobody_comes,
    other_project,
)
from unity_bridge.scripting.output import note
from unity_bridge.text.json_types import JsonObject

_REFUSED, _NOT_YET = 1, 3
# What another try may find changed without a person.
_MAY_PASS = ("safe_mode", "ended", "port_in_use", "no_plugin")
_LOOK_AGAIN_S = 0.2
# The main thread's pulse comes with a pong.
_PING_MS = 500


@script_command("open", "Example: unity-bridge open && unity-bridge compile")
@wait_option(600.0, "How long to wait until the editor is ready ({}; 0: start it and return).")
@flag(
    "--headless",
    help="Without a window (-batchmode). Only `close` ends such an editor.",
)
@click.option(
    "--unity",
    metavar="PATH",
    help="The Unity program, if it is not where Unity Hub installs it. `simulate`: the simulated editor.",
)
@flag("--dry-run", help="Only say what would be started. Starts and writes nothing.")
@flag("--without-plugin", help="Start it without the Unity package too. Does not wait.")
@project_options
def command(
    project_argument: Optional[str],
    wait_s: float,
    headless: bool,
    unity: Optional[str],
    dry_run: bool,
    without_plugin: bool,
    **options: Any,
) -> int:
    """Open a project in the Unity version that it was made with, and wait until the editor is
    ready.

    If an editor has the project open, or another `open` is starting one, this command waits for it.
    It never starts a second editor, nor another version. Ctrl-C ends the waiting, not the editor.

    Exit status: 0 ready; 1 it says why not; 3 not within --wait (run it again to keep waiting).
    """
    settings, project = settings_of_project(project_argument, options)

    request = OpenRequest(
        project,
        unity,
        headless,
        without_plugin,
        _port_for_the_plugin(settings, project),
        starts_for_version=not dry_run,
    )
    return _Opening(settings, request).run(wait_s, dry_run)


def _port_for_the_plugin(settings: ScriptSettings, project: str) -> Optional[int]:
    """Return the port to give to the plugin; None if it reads it in the project's own files."""
    configured = port_of_project(project).given
    is_the_projects = configured is not None and configured.source == settings.port_source
    if is_the_projects:
        return None
    return settings.config.unity_ws_port


class _Opening:
    """One run of the command. Its methods return exit statuses."""

    def __init__(self, settings: ScriptSettings, request: OpenRequest) -> None:
        self._settings = settings
        self._request = request
        self._result = TimedResult()

    def run(self, wait_s: float, is_dry: bool) -> int:
        request = self._request
        if not request.without_plugin and not has_plugin(request.project):
            return self._not_opened(_no_plugin(request.project))
        records = editor_records()
        if isinstance(records, Err):
            return self._not_opened(NotOpened("state_folder", f"{records.error}."))
        open_editor = opening.already_open(request.project, records.value)
        if isinstance(open_editor, Err):
            return self._not_opened(open_editor.error)
        if open_editor.value is not None or self._is_simulated_here():
            return self._wait(open_editor.value or Opened(None, False), wait_s, is_dry=is_dry)
        plan = opening.prepared(request)
        if isinstance(plan, Err):
            return self._not_opened(plan.error)
        if is_dry:
            return self._would_start(plan.value)
        return self._start(plan.value, records.value, wait_s)

    def _is_simulated_here(self) -> bool:
        """Whether a simulated editor, which holds no lock on the project, is connected to its port."""
        if not is_any_simulated():
            return False
        with self._settings.bridge(heartbeat_interval_ms=_PING_MS) as life:
            state = life.editor_state()
            while not state["connected"] and not nobody_comes(state, self._result.waited_s()):
                life.pause(_LOOK_AGAIN_S)
                state = life.editor_state()
            return bool(state["connected"])

    def _start(self, plan: Prepared, records: EditorRecords, wait_s: float) -> int:
        opened = opening.start(plan, records, SystemClock())
        if isinstance(opened, Err):
            return self._not_opened(opened.error)
        process = opened.value.process
        if process is not None:
            program = plan.program
            note(
                f"Started Unity {program.version or ''} (pid {process.pid}, found by {program.found_by})."
            )
            if plan.request.headless:
                note("It has no window: it runs until `unity-bridge close`.")
        try:
            return self._wait(opened.value, wait_s, plan)
        finally:
            if process is not None:
                processes.let_go(process)

    def _wait(
        self, opened: Opened, wait_s: float, plan: Optional[Prepared] = None, is_dry: bool = False
    ) -> int:
        members = {
            **members_of(opened),
            **({} if plan is None else {"arguments": list(plan.arguments)}),
        }
        watch = Watch(self._request.project, opened, SystemClock())
        if is_dry or self._request.without_plugin or (opened.was_started and not wait_s):
            sight = watch.look(None)
            state = "already_open" if is_dry else sight.state
            is_done = is_dry or self._request.without_plugin
            self._result.put(is_done, {"state": state, **members, **sight.members}, state)
            if is_done:
                return 0
            return _NOT_YET

        try:
            return self._watched(watch, wait_s, members)
        except KeyboardInterrupt:
            raise Interrupted(
                "Interrupted. Unity keeps running; run the same command again to keep waiting."
            ) from None

    def _watched(self, watch: Watch, wait_s: float, members: JsonObject) -> int:
        with self._settings.bridge(heartbeat_interval_ms=_PING_MS) as life:
            sentences: Set[str] = set()
            wait_s = max(wait_s, COMES_WITHIN_S)
            while True:
                bridge = life.editor_state()
                another = other_project(bridge)
                if another is not None:
                    put_failure(error_object(another))
                    return _REFUSED
                sight = watch.look(bridge)
                if sight.is_final or self._result.waited_s() >= wait_s:
                    return self._end(sight, members)
                self._say(sight, sentences)
                life.pause(_LOOK_AGAIN_S)

    def _say(self, sight: EditorSeen, sentences: Set[str]) -> None:
        """Print each sentence once, so that a person sees what is waited for."""
        if sight.sentence not in sentences:
            sentences.add(sight.sentence)
            note(f"{sight.sentence} ...")

    def _end(self, sight: EditorSeen, members: JsonObject) -> int:
        answer = {"state": sight.state, **members, **sight.members}
        if sight.state == READY:
            self._result.put(True, answer, "ready")
            return 0
        if not sight.is_final:
            note(
                f"{sight.sentence}. It was not ready within --wait; run the same command again to keep waiting."
            )
            self._result.put(False, answer, sight.state)
            return _NOT_YET
        log = members.get("log")
        lines = [
            *sight.members.get("evidence", []),
            *map(_error_line, sight.members.get("errors", [])),
        ]
        for line in lines:
            note(f"  {line}")
        where = "" if log is None else f" Log: {log}"
        details = {**members, **sight.members}
        return self._not_opened(
            NotOpened(sight.state, f"{sight.sentence}. {self._advice(sight)}{where}", details)
        )

    def _advice(self, sight: EditorSeen) -> str:
        project = self._request.project
        if sight.state == PORT_IN_USE:
            return f"{sight.advice[:-1]}: `{ours('plugin', 'install', project, '--port', 'auto')}`."
        if sight.state == UNTRUSTED:
            return f"{sight.advice[:-1]}: `{ours('plugin', 'update', project)}`. `{ours('doctor')}` checks more."
        return sight.advice

    def _would_start(self, plan: Prepared) -> int:
        program = plan.program
        answer = {
            "state": "would_start",
            "program": program.path,
            "version": program.version,
            "found_by": program.found_by,
            "arguments": list(plan.arguments),
            "started": False,
        }
        self._result.put(True, answer, f"would start {program.path}")
        return 0

    def _not_opened(self, why: NotOpened) -> int:
        error = error_object(
            ToolError(ErrorCode.EDITOR_NOT_READY, why.message, {"reason": why.reason})
        )
        # No answer to a call, which has a limit of its size (SPEC §8.3): the message is printed
        # whole.
        error.update(message=why.message, details={**error["details"], **why.details})
        if why.reason not in _MAY_PASS:
            error.update(retryable=False, details={**error["details"], "recovery": "ask_the_user"})
        looked_in: Any = why.details.get("looked_in", ())
        put_failure(error)
        for line in looked_in if not prints_json() else ():
            note(f"  looked in {line}")
        return _REFUSED


def _no_plugin(project: str) -> NotOpened:
    """Say how to install the plugin, if it works with the project's version."""
    version = written_version(project)
    if isinstance(version, Err):
        return NotOpened(
            "project_version", f"The project's Unity version is not known: {version.error}."
        )
    fault = too_old(version.value)
    if fault is not None:
        message = f"{os.path.basename(project)} {fault}. Nothing was started. Open it in a newer Unity first."
        return NotOpened("project_version", message)
    message = (
        f"The project {os.path.basename(project)} does not have the Unity package, so an editor would never connect. "
        f"Nothing was started. Install it first: {ours('plugin', 'install', project)}"
    )
    return NotOpened("no_plugin", message)


def _error_line(error: JsonObject) -> str:
    place = "" if error["file"] is None else f"{error['file']}({error['line']},{error['column']}): "
    return f"{place}error {error['code']}: {error['message']}"
