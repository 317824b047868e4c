"""``AttachedServers``: what the owner of the port reports to the servers that are attached to it
(SPEC §14.2).
"""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

from unity_bridge.attach.owner_events import ClientAttached
from unity_bridge.core.context import Core
from unity_bridge.core.editor.session_slot import SessionSlot
from unity_bridge.core.ledger.machines import EditorState
from unity_bridge.core.ledger.records import EditorIdentity

_Known = Tuple[EditorState, Optional[EditorIdentity], bool]


class AttachedServers:
    """For the executor thread alone. The server that takes the port next waits for the editor by
    what it heard here.
    """

    def __init__(self, core: Core, slot: SessionSlot) -> None:
        self._core = core
        self._slot = slot
        self._attached = core.outside.attached
        # What they know. None until the first one has attached: until then there is nothing to
        # compare.
        self._reported: Optional[_Known] = None

    def client_attached(self, event: ClientAttached) -> None:
        """Report the editor to a server that has attached."""
        if self._reported is None:
            self._reported = self._known()
        if self._attached is not None:
            self._attached.notify("editor", event.peer_id, **_as_json(*self._known()))

    def after_event(self) -> None:
        """Report what the editor does and which one it is, if that is news."""
        if self._reported is None or self._attached is None:
            return
        facts = self._known()
        if facts != self._reported:
            self._reported = facts
            self._attached.notify("editor", **_as_json(*facts))

    def stopping(self) -> None:
        """After this, what they hear of a call that waits for a job is no answer to it: the job
        goes on.
        """
        if self._attached is not None:
            self._attached.notify("stopping")

    def _known(self) -> _Known:
        session = self._core.ledger.session
        editor = self._core.ledger.editor_now.state
        if session is not None:
            return editor, session.identity, session.is_trusted
        slot = self._slot.now()
        return editor, slot.identity, slot.is_trusted


def _as_json(
    state: EditorState, identity: Optional[EditorIdentity], is_trusted: bool
) -> Dict[str, Any]:
    if identity is None:
        return {"state": state.value}
    who = {"instance_id": identity.instance_id, "project_path": identity.project_path}
    return {"state": state.value, **who, "trusted": is_trusted}
