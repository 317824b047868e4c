"""``unity-bridge close``: Close the editor, unless something would be lost."""

from __future__ import annotations

import queue
from typing import Any, Optional

import click

from unity_bridge.base.errors import ErrorCode, ToolError, error_object
from unity_bridge.base.result import Err
from unity_bridge.catalogue.calls import Outcome
from unity_bridge.commands.shared.consent_question import can_ask
from unity_bridge.commands.shared.envelope import TimedResult, put_failure
from unity_bridge.commands.shared.options import (
    ScriptSettings,
    flag,
    project_options,
    script_command,
    settings_of_project,
    wait_option,
)
from unity_bridge.editor_life.closing import OpenEditor, command_arguments, open_editor
from unity_bridge.editor_life.records import editor_records
from unity_bridge.scripting.command_bridge import (
    COMES_WITHIN_S,
    CommandBridge,
    nobody_comes,
    other_project,
)
from unity_bridge.scripting.output import note
from unity_bridge.system.signals import MainThreadQueue
from unity_bridge.text.foreign_text import visible_line
from unity_bridge.text.json_types import JsonDict, JsonObject

_REFUSED, _NOT_YET = 1, 3
_LOOK_AGAIN_S = 0.1
# The plugin waits until its answer was read.
_POLL_MS = 100
# What a refusal names (SPEC §22.8).
_UNSAVED = ("scenes", "assets", "settings", "windows")


@script_command("close", "Example: unity-bridge close --save")
@flag(
    "--save",
    help=(
        "First save scenes, assets and settings that have a file. `run save_scene` saves an untitled one."
    ),
)
@flag(
    "--discard",
    help="Discard unsaved changes that --save does not save. Asks first, unless --yes is given.",
)
@wait_option(60.0, "How long to wait until the editor is gone ({}).")
@flag(
    "--yes",
    help="Do not ask about unsaved changes, nor about an editor that `open` did not start.",
)
@project_options
def command(
    project_argument: Optional[str],
    save: bool,
    discard: bool,
    wait_s: float,
    yes: bool,
    **options: Any,
) -> int:
    """Close the editor that has the project open, and wait until its process is gone.

    The editor stays open if something would be lost: unsaved scenes, assets, settings or windows
    (see --discard), play mode, jobs that have not ended, a build. This command ends no process by
    force.

    Exit status: 0 it is gone, or none was open; 1 refused; 3 not gone within --wait.
    """
    settings, project = settings_of_project(project_argument, options)
    return _Closing(settings, project, save, discard, yes).run(wait_s)


class _Closing:
    """One run of the command. Its methods return exit statuses."""

    def __init__(
        self,
        settings: ScriptSettings,
        project: str,
        saves: bool,
        may_discard: bool,
        is_agreed: bool,
    ) -> None:
        self._settings = settings
        self._project = project
        self._saves = saves
        self._may_discard = may_discard
        self._is_agreed = is_agreed
        self._result = TimedResult()

    def run(self, wait_s: float) -> int:
        records = editor_records()
        if isinstance(records, Err):
            return self._refused("state_folder", f"{records.error}.")
        editor = open_editor(self._project, records.value)
        with self._settings.bridge(job_poll_interval_ms=_POLL_MS) as life:
            refusal = self._connected(life, editor, wait_s)
            if refusal is not None:
                return refusal
            if editor.started is None and not self._is_agreed_to(
                f"`unity-bridge open` did not start the editor that has {self._project} open.",
                "Close it?",
            ):
                return _REFUSED
            return self._close(life, editor, wait_s, self._may_discard and self._is_agreed)

    def _connected(self, life: CommandBridge, editor: OpenEditor, wait_s: float) -> Optional[int]:
        """None once the plugin of this project is connected; else the exit status."""
        while True:
            state = life.editor_state()
            another = other_project(state)
            is_here = state["connected"] and state.get("trusted", False) is not None
            if is_here and another is None:
                return None
            if not editor.is_held and nobody_comes(state, self._result.waited_s()):
                self._result.put(True, {"was_open": False}, "No editor has the project open.")
                return 0
            if another is not None:
                return self._not_closed(error_object(another))
            if self._result.waited_s() >= max(wait_s, COMES_WITHIN_S):
                message = (
                    "An editor has the project open, but its plugin is not connected, so it cannot be asked to close. "
                    "Close it in its window, or run `unity-bridge open` for the reason."
                )
                return self._refused("not_connected", message)
            life.pause(_LOOK_AGAIN_S)

    def _is_agreed_to(self, happened: str, question: str) -> bool:
        """Ask on the terminal, unless ``--yes`` was given. A pipe is no person."""
        if self._is_agreed:
            return True
        if not can_ask():
            raise click.UsageError(
                f"{happened} `close` asks first, and there is no terminal to ask on. Add --yes."
            )
        note(happened)
        is_wanted = click.confirm(question, default=False, err=True)
        if not is_wanted:
            note("Nothing was closed.")
        return is_wanted

    def _close(self, life: CommandBridge, editor: OpenEditor, wait_s: float, discards: bool) -> int:
        answers: MainThreadQueue[Outcome] = MainThreadQueue()
        life.submit(life.call("run_command", command_arguments(self._saves, discards)), answers.put)
        result: JsonDict = {"was_open": True, "saved": []}
        has_answered = False
        while True:
            if not has_answered:
                try:
                    outcome = answers.get(timeout=_LOOK_AGAIN_S)
                except queue.Empty:
                    outcome = None
                if outcome is not None:
                    has_answered = True
                    if isinstance(outcome, Err):
                        return self._not_closed(outcome.error.as_json())
                    error = outcome.value.get("error")
                    if error is not None:
                        if (
                            self._may_discard
                            and not discards
                            and self._may_lose(error.get("details") or {})
                        ):
                            return self._close(life, editor, wait_s, True)
                        return self._not_closed(error)
                    value = (outcome.value.get("result") or {}).get("value") or {}
                    result.update(
                        (name, value[name]) for name in ("saved", "discarded") if name in value
                    )
                    note("The editor is closing ...")
            else:
                life.pause(_LOOK_AGAIN_S)
            if not editor.is_held and not life.editor_state()["connected"]:
                self._result.put(True, result, "closed")
                return 0
            if self._result.waited_s() >= wait_s:
                note(
                    "The editor was asked to close and still runs. Run the same command again to keep waiting."
                )
                self._result.put(False, result, "closing")
                return _NOT_YET

    def _may_lose(self, details: JsonObject) -> bool:
        """Ask about the changes that the refusal names, if that was why."""
        if details.get("reason") != "unsaved_scenes":
            return False
        unsaved = [name for member in _UNSAVED for name in details.get(member, [])]
        names = visible_line(", ".join(map(str, unsaved)))
        return self._is_agreed_to(
            f"There are unsaved changes in {names}.", "Close the editor and lose them?"
        )

    def _not_closed(self, error: JsonObject) -> int:
        put_failure(error)
        return _REFUSED

    def _refused(self, reason: str, message: str) -> int:
        error = error_object(ToolError(ErrorCode.EDITOR_NOT_READY, message, {"reason": reason}))
        return self._not_closed({**error, "message": message})
