"""``CommandBridge``: the bridge that a command runs for its own duration (SPEC §13).

It takes the port, or attaches to the server that has it. The plugin connects to it as to any other server.
"""

from __future__ import annotations

import sys
import threading
from functools import partial
from typing import TYPE_CHECKING, Callable, List, Optional

import click

from unity_bridge.base.clock import SystemClock
from unity_bridge.base.errors import ErrorCode, ToolError
from unity_bridge.base.program_command import with_own_command
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.catalogue.calls import Call, Failure, OnOutcome, OnProgress, Outcome
from unity_bridge.catalogue.tool import Mode
from unity_bridge.installation.error_advice import happened_and_remedy
from unity_bridge.projects.canonical_path import canonical
from unity_bridge.projects.no_editor import NOBODY_COMES, reason_of
from unity_bridge.projects.project_probe import NoPlugin
from unity_bridge.scripting.output import NOTHING_RAN, note
from unity_bridge.system.collector import kept
from unity_bridge.system.loopback import sandbox_of_codex
from unity_bridge.system.signals import MainThreadQueue
from unity_bridge.text.foreign_text import visible_line
from unity_bridge.text.json_types import JsonDict, JsonObject

if TYPE_CHECKING:
    from unity_bridge.config import Config

COMES_WITHIN_S = 1.5  # a plugin tries again after 1.2 s at most, give or take a tenth (SPEC §9)

_ASK_AGAIN_S = 0.1
_SAY_THAT_WE_WAIT_S = 2.0  # a plugin comes back within 1.2 s (SPEC §9)
# To learn who has the port, which the error message names. It takes milliseconds, and seconds on a
# busy machine.
_STARTING_S = 15.0
_LOG_FLUSH_S = 0.5


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, with the sentence that says whether anything was run."""


class CommandBridge:
    """A context manager around the bridge of one command. ``ask`` and ``wait_for_editor`` block the
    calling thread.
    """

    def __init__(
        self, config: Config, project: Optional[str] = None, is_named: bool = True
    ) -> None:
        """``project``: the path of the Unity project that the command is about, if it is about one. ``is_named``: the
        user named it; else the command says which project the editor has open (SPEC §18.1)."""
        self._project = project
        self._is_named = is_named
        self._clock = SystemClock()
        # Not at the top: they take longer to import than all else of a command, and --help needs
        # none of it.
        with kept():
            from unity_bridge.log import logger
            from unity_bridge.serve.app import Bridge
        self._bridge = Bridge(config, project)
        self._start_log = partial(logger.configure, config.log_level, config.log_format)
        context = click.get_current_context(silent=True)
        self._name = "unity-bridge" if context is None else f"unity-bridge {context.info_name}"
        self._busy_wait_s = config.compile_grace_timeout_ms / 1000

    def __enter__(self) -> CommandBridge:
        self._writer = self._start_log()
        self._bridge.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bridge.stop("command ended")
        self._writer.finish(_LOG_FLUSH_S)

    def validate(self, tool: str, arguments: JsonObject) -> Result[Call, Failure]:
        return self._bridge.validator.validate(tool, arguments, client_name=self._name)

    def submit(
        self, call: Call, on_outcome: OnOutcome, on_progress: Optional[OnProgress] = None
    ) -> str:
        """Submit a call. Returns its id at once; the callbacks run on a thread of the bridge."""
        return self._bridge.call_service.submit(call, on_outcome, on_progress)

    def abandon(self, request_id: str) -> None:
        self._bridge.call_service.abandon(request_id)

    def call(self, tool: str, arguments: JsonObject) -> Call:
        """Return a call. Its arguments may hold what the user typed: one that no tool takes is a
        usage error.
        """
        checked = self.validate(tool, arguments)
        if isinstance(checked, Err):
            raise click.UsageError(checked.error.error.message)
        return checked.value

    def ask(self, call: Call) -> Outcome:
        """Make the call and wait for its answer. Every call is answered (SPEC §5)."""
        answers: MainThreadQueue[Outcome] = MainThreadQueue()
        self.submit(call, answers.put)
        try:
            return answers.get()
        except KeyboardInterrupt:
            if call.tool.mode is not Mode.JOB:
                raise
            runs = with_own_command("`unity-bridge jobs` lists what runs.")
            raise Interrupted(
                f"Interrupted. {call.tool.name} may have run, and may still run in Unity: {runs}"
            ) from None

    def editor_state(self) -> JsonDict:
        outcome = self.ask(self.call("get_editor_state", {"detail": True}))
        assert isinstance(outcome, Ok), outcome  # answered by the server alone, always (SPEC §8)
        return outcome.value

    def wait_for_editor(
        self,
        wait_s: float,
        ends_early: Optional[Callable[[JsonObject], Optional[ToolError]]] = None,
    ) -> Result[JsonDict, Failure]:
        """Wait for an editor and return its state, ready or busy; ``Err`` if none connected within
        ``wait_s``.

        It is connected once it is known whether it is trusted, which takes its first message, or 2 s (SPEC §17.1).
        ``ends_early``: by the state so far, why to wait no longer. One in safe mode is there as well, and does not
        connect: the call says so, or is answered by the editor's log.
        """
        try:
            return self._wait_for_editor(wait_s, ends_early)
        except KeyboardInterrupt:
            raise Interrupted(f"Interrupted while waiting for an editor. {NOTHING_RAN}") from None

    def _wait_for_editor(
        self,
        wait_s: float,
        ends_early: Optional[Callable[[JsonObject], Optional[ToolError]]],
    ) -> Result[JsonDict, Failure]:
        began = self._clock.now()
        has_said = ""
        while True:
            records = self._records()
            state = self.editor_state()
            is_here = state["connected"] and state.get("trusted", False) is not None
            waited = self._clock.now() - began
            if is_here or state.get("reason") == NoPlugin.SAFE_MODE:
                several = _several_editors(state) if self._is_any_taken(state) else None
                if several is not None:
                    return Err(Failure(several))
                if not self._is_any_taken(state) or waited >= COMES_WITHIN_S:
                    self._say_project(state)
                    if state["connected"] and state.get("trusted") is False:
                        note(
                            "The plugin in Unity has not proved that it runs as your user: its results are untrusted."
                        )
                    return Ok(state)
            is_starting = state["server_state"] == "booting" and waited < wait_s + _STARTING_S
            if state.get("reason") == NoPlugin.SANDBOXED:
                return Err(Failure(no_editor(state, 0)))
            in_vain = None if ends_early is None else ends_early(state)
            if in_vain is not None:
                return Err(Failure(in_vain))
            if waited >= wait_s and not is_starting and not state["connected"]:
                return Err(Failure(no_editor(state, wait_s)))
            waits_for = _waits_for(state)
            # The holder of the port is known only some seconds after the start.
            if waits_for != has_said and _SAY_THAT_WE_WAIT_S <= waited < wait_s:
                has_said = waits_for
                note(f"Waiting up to {wait_s:g} s for {waits_for} ...")
            is_soon = is_starting or state["connected"]
            left_s = _ASK_AGAIN_S if is_soon else wait_s - waited
            self._await_news(records, min(_ASK_AGAIN_S, left_s))

    def _is_any_taken(self, state: JsonObject) -> bool:
        """Whether the first editor that came has been taken, whichever project it has open: this command has the port
        and names no project. A second editor would come within one back-off of the plugin (SPEC §9)."""
        if self._project is not None or self._is_named or state.get("role") != "owner":
            return False
        return not self._is_only_editor()

    def _is_only_editor(self) -> bool:
        """Whether no other editor can come: this one is proven, and it alone waited."""
        session = self._bridge.ledger.session
        if session is None or session.identity is None or not session.is_trusted:
            return False
        return self._bridge.waiting_editors == (session.identity.process_id,)

    def _say_project(self, state: JsonObject) -> None:
        editor = state["editor"] or {}
        if not self._is_named and (editor.get("project_name") or editor.get("project_path")):
            path = f" ({editor['project_path']})" if editor.get("project_path") else ""
            note(
                f"project: {visible_line(str(editor.get('project_name') or 'without a name'))}{visible_line(path)}"
            )

    def _records(self) -> List[object]:
        """Return what a change replaces: a hello and a proof change the session alone."""
        ledger = self._bridge.ledger
        return [ledger.server_now, ledger.listener_now, ledger.session]

    def _await_news(self, records: List[object], budget_s: float) -> None:
        """Wait for a change. Our own ledger notifies us; the owner of the port is asked again."""

        def has_changed() -> bool:
            return any(now is not then for now, then in zip(self._records(), records))

        self._bridge.ledger.wait_until(has_changed, budget_s)

    def say_if_busy(self, state: JsonObject) -> None:
        """Print a line if the next call has to wait for Unity (SPEC §3.2)."""
        if state["editor_state"] in ("compiling", "reloading"):
            note(
                f"Unity is {state['editor_state']}; waiting until it is ready, at most {self._busy_wait_s:g} s ..."
            )

    def pause(self, seconds: float) -> None:
        threading.Event().wait(seconds)


def nobody_comes(state: JsonObject, waited_s: float) -> bool:
    """Return whether an editor that tries this port would be connected already.

    ``waited_s``: since the command began.
    """
    listener = state["listener"]
    if state["connected"] or state["server_state"] == "booting":
        return False
    if state.get("role") == "owner":
        return bool(listener.get("waited_ms", 0) >= COMES_WITHIN_S * 1000)
    return waited_s >= COMES_WITHIN_S


def _waits_for(state: JsonObject) -> str:
    holder = state["listener"].get("holder") or "another program"
    is_taken = state["listener"].get("reason") == "port_in_use"
    holder_text = f", which is in use by {holder}" if is_taken else ""
    subject = "Unity, which is starting," if state.get("starting") else "a Unity Editor"
    return f"{subject} on port {state['port']}{holder_text}"


def _several_editors(state: JsonObject) -> Optional[ToolError]:
    """Report that a second editor was refused on this port, because the user named no project (SPEC
    §18.1).
    """
    refused = state["listener"].get("refused")
    if refused is None:
        return None
    connected = (state["editor"] or {}).get("project_path") or "a project without a path"
    second = str(refused).rpartition("this is ")[2]
    message = (
        f'Two Unity Editors use port {state["port"]}: "{connected}" and {second}. Nothing was run. Name the one that '
        "you mean with --project PATH; `unity-bridge plugin install PATH --port auto` gives each project its own port."
    )
    return ToolError(
        ErrorCode.EDITOR_NOT_READY, message, {"reason": "several_editors", "port": state["port"]}
    )


def other_project(state: JsonObject) -> Optional[ToolError]:
    """Report that the editor on this port has another project open, so every call would be refused."""
    project, actual = state.get("project"), (state["editor"] or {}).get("project_path")
    if (
        not project
        or not actual
        or canonical(str(actual), sys.platform) == canonical(str(project), sys.platform)
    ):
        return None
    from unity_bridge.installation.command_line import (
        ours,
    )  # with all that it imports a twentieth of a command

    message = (
        f"The editor on port {state['port']} has another project open: {visible_line(str(actual))}, not {project}. "
        f"Give this project a port of its own: {ours('plugin', 'install', str(project), '--port', 'auto')}"
    )
    return ToolError(
        ErrorCode.EDITOR_NOT_READY,
        message,
        {"reason": "other_project", "project": project, "has": actual},
    )


def no_editor(state: JsonObject, wait_s: float) -> ToolError:
    """Return why no editor is connected after this wait, and what to do."""
    reason = reason_of(state)
    details = {"reason": reason, "port": state["port"], "waited_ms": round(wait_s * 1000)}
    if reason == "port_in_use":
        details["holder"] = state["listener"].get("holder")
    details.update(
        (name, state[name])
        for name in ("starting", "advice")
        if reason in NOBODY_COMES and name in state
    )
    happened, remedy = happened_and_remedy(reason, state)
    waited = f" (waited {wait_s:.3g} s)" if wait_s else ""
    remark = sandbox_of_codex()
    also = "" if remark is None else f" {remark}."
    return ToolError(ErrorCode.EDITOR_NOT_READY, f"{happened}{waited}. {remedy}.{also}", details)
