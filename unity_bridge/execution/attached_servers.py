"""``AttachedServers``: what the owner of the port tells the servers that are attached to it, unasked (SPEC §14.2)."""

from __future__ import annotations

from typing import Any, Optional, Protocol

from unity_bridge.execution.editor_state_tracker import EditorStateTracker


class Attached(Protocol):
    """The way to them, as the executor uses it. Nothing here blocks. Without ``peer_id`` all of them are told."""

    def tell(self, type: str, peer_id: Optional[int] = None, **fields: Any) -> None: ...


class AttachedServers:
    """For the executor thread alone. Whoever takes the port next waits for the editor by what it was told here."""

    def __init__(self, tracker: EditorStateTracker, attached: Optional[Attached]) -> None:
        self._tracker = tracker
        self._attached = attached
        self._told = tracker.editor.state

    def joined(self, peer_id: int) -> None:
        """A server has attached."""
        if self._attached is not None:
            self._attached.tell("editor", peer_id, state=self._tracker.editor.state.value)

    def look(self) -> None:
        """Something happened: tell what the editor does, if it is news."""
        state = self._tracker.editor.state
        if state is not self._told:
            self._told = state
            if self._attached is not None:
                self._attached.tell("editor", state=state.value)

    def stopping(self) -> None:
        """What they hear from now on of calls that wait for a job is no answer to these."""
        if self._attached is not None:
            self._attached.tell("stopping")
