"""``EditorProbe``: ends a wait early, once it is certain that no editor connects unless the user does something."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Optional

from unity_bridge.base.errors import ErrorCode, ToolError
from unity_bridge.commands.short_life import no_editor
from unity_bridge.projects.no_editor import NOBODY_COMES
from unity_bridge.projects.project_probe import NoPlugin

# A plugin tries again after 1.2 s at most, give or take a tenth (SPEC §9): one that had this long does not try.
_TRIES_WITHIN_MS = 1500


class EditorProbe:
    """Decides whether to keep waiting.

    ``is_any_editor_open`` is called once, if nothing else shows whether this machine has an editor at all.
    ``is_any_simulated``: a simulated editor runs. It holds no Unity lock on its project, so a free lock does not mean
    that no editor comes.
    """

    def __init__(
        self, is_any_editor_open: Callable[[], Optional[bool]], is_any_simulated: Callable[[], bool] = lambda: False
    ) -> None:
        self._is_any_editor_open = is_any_editor_open
        self._is_any_simulated = is_any_simulated
        self._has_asked = False
        self._answer: Optional[bool] = None

    @property
    def has_seen_that_none_is_open(self) -> bool:
        return self._answer is False

    def in_vain(self, state: Mapping[str, Any]) -> Optional[ToolError]:
        """Return why waiting longer is useless in this state, or None."""
        listener = state["listener"]
        if state["connected"] or state["server_state"] == "booting" or state.get("stale"):
            return None
        if listener.get("reason") == "port_in_use":
            return no_editor(state, 0)
        if state.get("reason") in NOBODY_COMES and not self._is_any_simulated():
            return no_editor(state, 0)
        waited_ms = listener.get("waited_ms", 0)
        if waited_ms >= _TRIES_WITHIN_MS:
            return no_editor(state, waited_ms / 1000)
        # With a known project, its lock file already answers this.
        if state.get("role") == "owner" and "project" not in state and not self._has_asked:
            self._has_asked, self._answer = True, self._is_any_editor_open()
        return _none_is_open(state["port"]) if self._answer is False else None


def _none_is_open(port: int) -> ToolError:
    message = f"Unity does not run on this machine. Open your project in Unity; its plugin connects to port {port}."
    details = {"reason": NoPlugin.UNITY_NOT_RUNNING.value, "port": port, "waited_ms": 0}
    return ToolError(ErrorCode.EDITOR_NOT_READY, message, details)
