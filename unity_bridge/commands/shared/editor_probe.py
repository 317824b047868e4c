"""Waits for an editor, and reads there.

A wait ends early once it is certain that no editor connects unless the user does something.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Callable, Optional

import click

from unity_bridge.base.errors import ErrorCode, ToolError
from unity_bridge.base.result import Err, Result
from unity_bridge.catalogue.calls import Failure
from unity_bridge.commands.shared.envelope import put_failure, status_of
from unity_bridge.commands.shared.options import NO_EDITOR, ScriptSettings
from unity_bridge.projects.open_editors import is_any_editor_open
from unity_bridge.projects.project_probe import NoPlugin
from unity_bridge.scripting.command_bridge import CommandBridge, no_editor
from unity_bridge.system.loopback import is_closed_to_us
from unity_bridge.text.json_types import JsonDict, JsonObject

# A plugin tries again after 1.2 s at most, give or take a tenth (SPEC §9): one of others, in an
# editor that nothing here shows, has connected after twice that.
_ANY_PLUGIN_WITHIN_MS = 3000

# Calls a tool in the connected editor. A call that fails ends the command, and its error is
# reported.
Ask = Callable[[JsonObject], JsonDict]
# Reads and shows; returns the exit status, or None for 0. The third argument is the editor's state.
Reading = Callable[[Ask, CommandBridge, JsonObject], Optional[int]]
_InVain = Callable[[JsonObject], Optional[ToolError]]


def wait_for_editor(
    life: CommandBridge, settings: ScriptSettings, patience_ms: int = _ANY_PLUGIN_WITHIN_MS
) -> Result[JsonDict, Failure]:
    """Wait for an editor: with ``--wait`` that long, else no longer than one can come."""
    ends_early = None if settings.has_wait_option else in_vain(patience_ms)
    return life.wait_for_editor(settings.wait_s, ends_early)


def read(
    settings: ScriptSettings,
    tool: str,
    reading: Reading,
    members: Optional[JsonObject] = None,
) -> int:
    """Wait for an editor, and read there. Returns the exit status. ``members``: arguments of every
    call.
    """
    with settings.bridge() as life:
        editor = wait_for_editor(life, settings)
        if isinstance(editor, Err):
            put_failure(editor.error.as_json())
            return NO_EDITOR
        life.say_if_busy(editor.value)

        def ask(params: JsonObject) -> JsonDict:
            outcome = life.ask(life.call(tool, {**params, **(members or {})}))
            if isinstance(outcome, Err):
                error = outcome.error.as_json()
                put_failure(error)
                raise click.exceptions.Exit(status_of(error, has_timeout=bool(members)))
            return outcome.value

        return reading(ask, life, editor.value) or 0


def in_vain(
    patience_ms: int = _ANY_PLUGIN_WITHIN_MS,
    is_any_editor_open: Callable[[], Optional[bool]] = is_any_editor_open,
) -> _InVain:
    """Return a function of the editor's state that returns what shows that no editor will come, or
    None.

    A free lock alone does not show it: Unity takes the lock some time after its process began, and a plugin of
    others may live in another program. ``patience_ms``: how long a server must have waited on the port; a command that
    only shows what is there has none. ``is_any_editor_open`` is called once, if nothing else shows it.
    """
    is_any_open = lru_cache(maxsize=None)(is_any_editor_open)
    is_closed = lru_cache(maxsize=None)(is_closed_to_us)

    def decide(state: JsonObject) -> Optional[ToolError]:
        if state["connected"] or state["server_state"] == "booting" or state.get("stale"):
            return None
        reason = state.get("reason")
        if reason == NoPlugin.OTHER_PORT:
            return no_editor(state, 0)
        # A plugin that was connected to this server before may be reloading.
        if (
            state["listener"].get("waited_ms", 0) < patience_ms
            or state["plugin_version"] is not None
        ):
            return None
        if reason == NoPlugin.PLUGIN_NOT_INSTALLED:
            return no_editor(state, 0)
        is_without_project = state.get("role") == "owner" and "project" not in state
        is_free = is_without_project or reason == NoPlugin.UNITY_NOT_RUNNING
        if not is_free:
            return None
        # Before processes are counted: from a sandbox an editor outside of it can neither be
        # reached nor, mostly, seen.
        if is_closed():
            return no_editor({**state, "reason": NoPlugin.SANDBOXED.value}, 0)
        if is_any_open() is not False:
            return None
        if is_without_project:
            return _none_is_open(state["port"])
        return no_editor(state, 0)

    return decide


def _none_is_open(port: int) -> ToolError:
    message = f"Unity does not run on this machine. Open your project in Unity; its plugin connects to port {port}."
    details = {"reason": NoPlugin.UNITY_NOT_RUNNING.value, "port": port, "waited_ms": 0}
    return ToolError(ErrorCode.EDITOR_NOT_READY, message, details)
