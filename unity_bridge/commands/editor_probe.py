"""``EditorProbe``: ends a wait early, once it is certain that no editor connects unless the user does something."""

from __future__ import annotations

from typing import Any, Callable, Dict, Mapping, Optional

from unity_bridge.base.calls import Failure
from unity_bridge.base.errors import ErrorCode, ToolError
from unity_bridge.base.result import Result
from unity_bridge.commands.options import ScriptSettings
from unity_bridge.commands.short_life import ShortLife, no_editor
from unity_bridge.projects.no_editor import NOBODY_COMES
from unity_bridge.projects.open_editors import is_any_editor_open, is_any_simulated
from unity_bridge.projects.project_probe import NoPlugin

# A plugin tries again after 1.2 s at most, give or take a tenth (SPEC §9): one that had this long does not try.
_TRIES_WITHIN_MS = 1500
# Twice that for a command that does something: a plugin of others, in an editor that nothing here shows, has connected.
_ANY_PLUGIN_WITHIN_MS = 3000


class EditorProbe:
    """Decides whether to keep waiting.

    ``is_any_editor_open`` is called once, if nothing else shows whether this machine has an editor at all.
    ``is_any_simulated``: a simulated editor runs. It holds no Unity lock on its project, so a free lock does not mean
    that no editor comes. ``is_a_look``: the command only shows what is there now.
    """

    def __init__(
        self,
        is_any_editor_open: Callable[[], Optional[bool]] = is_any_editor_open,
        is_any_simulated: Callable[[], bool] = is_any_simulated,
        is_a_look: bool = False,
    ) -> None:
        self._is_a_look = is_a_look
        self._is_any_editor_open = is_any_editor_open
        self._is_any_simulated = is_any_simulated
        self._has_asked = False
        self._answer: Optional[bool] = None

    @property
    def has_seen_that_none_is_open(self) -> bool:
        return self._answer is False

    def wait(self, life: ShortLife, settings: ScriptSettings) -> Result[Dict[str, Any], Failure]:
        """Wait for an editor: with ``--wait`` that long, else no longer than one can come."""
        return life.wait_for_editor(settings.wait_s, None if settings.has_wait_option else self.in_vain)

    def in_vain(self, state: Mapping[str, Any]) -> Optional[ToolError]:
        """Return why waiting longer is useless in this state, or None."""
        if state["connected"] or state["server_state"] == "booting" or state.get("stale"):
            return None
        return self._nothing_to_see(state) if self._is_a_look else self._nobody_can_come(state)

    def _nothing_to_see(self, state: Mapping[str, Any]) -> Optional[ToolError]:
        listener = state["listener"]
        if listener.get("reason") == "port_in_use":
            return no_editor(state, 0)
        if state.get("reason") in NOBODY_COMES and not self._is_any_simulated():
            return no_editor(state, 0)
        waited_ms = listener.get("waited_ms", 0)
        if waited_ms >= _TRIES_WITHIN_MS:
            return no_editor(state, waited_ms / 1000)
        return _none_is_open(state["port"]) if _knows_no_project(state) and self._is_none_open() else None

    def _nobody_can_come(self, state: Mapping[str, Any]) -> Optional[ToolError]:
        """Return what shows that no editor will come.

        A free lock alone does not show it: Unity takes the lock some time after its process began, and a plugin of
        others may live in another program.
        """
        reason = state.get("reason")
        if reason == NoPlugin.OTHER_PORT.value:
            return no_editor(state, 0)
        has_waited = state["listener"].get("waited_ms", 0) >= _ANY_PLUGIN_WITHIN_MS
        if not has_waited or state["plugin_version"] is not None:
            return None
        if reason == NoPlugin.PLUGIN_NOT_INSTALLED.value:
            return no_editor(state, 0)
        if reason == NoPlugin.UNITY_NOT_RUNNING.value and self._is_none_open():
            return no_editor(state, 0)
        return _none_is_open(state["port"]) if _knows_no_project(state) and self._is_none_open() else None

    def _is_none_open(self) -> bool:
        if not self._has_asked:
            self._has_asked, self._answer = True, self._is_any_editor_open()
        return self._answer is False


def _knows_no_project(state: Mapping[str, Any]) -> bool:
    """Return whether no lock file of a project answers."""
    return state.get("role") == "owner" and "project" not in state


def _none_is_open(port: int) -> ToolError:
    message = f"Unity does not run on this machine. Open your project in Unity; its plugin connects to port {port}."
    details = {"reason": NoPlugin.UNITY_NOT_RUNNING.value, "port": port, "waited_ms": 0}
    return ToolError(ErrorCode.EDITOR_NOT_READY, message, details)
