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


class EditorProbe:
    """Decides whether to keep waiting.

    ``is_any_editor_open`` is called once, if nothing else shows whether this machine has an editor at all.
    ``is_any_simulated``: a simulated editor runs. It holds no Unity lock on its project, so a free lock does not mean
    that no editor comes. ``is_a_look``: it does not wait for an editor that reloads, or is busy, without a connection.
    """

    def __init__(
        self,
        is_any_editor_open: Callable[[], Optional[bool]],
        is_any_simulated: Callable[[], bool] = lambda: False,
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
        listener = state["listener"]
        if state["connected"] or state["server_state"] == "booting" or state.get("stale"):
            return None
        if listener.get("reason") == "port_in_use":
            return no_editor(state, 0)
        waited_ms = listener.get("waited_ms", 0)
        has_tried = waited_ms >= _TRIES_WITHIN_MS
        # A plugin of another kind of editor, which no process or lock shows, has connected by then.
        if not self._is_a_look and (not has_tried or state.get("reason") == NoPlugin.EDITOR_STARTING.value):
            return None
        if state.get("reason") in NOBODY_COMES and not self._is_any_simulated():
            return no_editor(state, 0)
        if self._is_a_look and has_tried:
            return no_editor(state, waited_ms / 1000)
        # With a known project, its lock file already answers this.
        if state.get("role") == "owner" and "project" not in state and not self._has_asked:
            self._has_asked, self._answer = True, self._is_any_editor_open()
        return _none_is_open(state["port"]) if self._answer is False else None


def _none_is_open(port: int) -> ToolError:
    message = f"Unity does not run on this machine. Open your project in Unity; its plugin connects to port {port}."
    details = {"reason": NoPlugin.UNITY_NOT_RUNNING.value, "port": port, "waited_ms": 0}
    return ToolError(ErrorCode.EDITOR_NOT_READY, message, details)


def wait_for_editor(life: ShortLife, settings: ScriptSettings) -> Result[Dict[str, Any], Failure]:
    """Wait for the editor of a command that needs one."""
    return EditorProbe(is_any_editor_open, is_any_simulated).wait(life, settings)
