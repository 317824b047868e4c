"""``AttachedServers``: what the owner of the port tells the servers that are attached to it, unasked (SPEC §14.2)."""

from __future__ import annotations

from typing import Any, Dict, Optional, Protocol, Tuple

from unity_bridge.core.editor.reconnect import ReconnectController
from unity_bridge.core.editor.status import EditorStateTracker
from unity_bridge.core.ledger.machines import EditorState
from unity_bridge.core.ledger.records import EditorIdentity

_Known = Tuple[EditorState, Optional[EditorIdentity], bool]


class Attached(Protocol):
    """The way to them, as the executor uses it. Nothing here blocks. Without ``peer_id`` all of them are told."""

    def tell(self, type: str, peer_id: Optional[int] = None, **fields: Any) -> None: ...


class AttachedServers:
    """For the executor thread alone. Whoever takes the port next waits for the editor by what it was told here."""

    def __init__(
        self, tracker: EditorStateTracker, reconnect: ReconnectController, attached: Optional[Attached]
    ) -> None:
        self._tracker = tracker
        self._reconnect = reconnect
        self._attached = attached
        # What they know. None until the first one has come: until then nobody need look.
        self._told: Optional[_Known] = None

    def joined(self, peer_id: int) -> None:
        """A server has attached."""
        if self._told is None:
            self._told = self._known()
        if self._attached is not None:
            self._attached.tell("editor", peer_id, **_as_json(*self._known()))

    def look(self) -> None:
        """Something happened: tell what the editor does and which one it is, if that is news."""
        if self._told is None or self._attached is None:
            return
        known = self._known()
        if known != self._told:
            self._told = known
            self._attached.tell("editor", **_as_json(*known))

    def _known(self) -> _Known:
        holder = self._reconnect.active or self._reconnect.place
        return self._tracker.editor.state, holder.identity, holder.is_trusted

    def stopping(self) -> None:
        """What they hear from now on of calls that wait for a job is no answer to these."""
        if self._attached is not None:
            self._attached.tell("stopping")


def _as_json(state: EditorState, identity: Optional[EditorIdentity], is_trusted: bool) -> Dict[str, Any]:
    if identity is None:
        return {"state": state.value}
    who = {"instance_id": identity.instance_id, "project_path": identity.project_path}
    return {"state": state.value, **who, "trusted": is_trusted}
