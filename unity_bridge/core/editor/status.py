"""``StatusTracker``: what Unity last said of itself, and how fresh that is (ADR-0005, SPEC §7.6)."""

from __future__ import annotations

from typing import Mapping, Optional

from unity_bridge.base.loaded_code import code_and_reason
from unity_bridge.base.result import Ok
from unity_bridge.core.context import Core
from unity_bridge.core.ledger.machines import EditorEvent, EditorState
from unity_bridge.core.ledger.records import EDITOR_ID, EditorRecord, VersionRecord

_SAID: Mapping[str, EditorEvent] = {
    "ready": EditorEvent.SAID_READY,
    "compiling": EditorEvent.SAID_COMPILING,
    "reloading": EditorEvent.SAID_RELOADING,
}
_BUSY = (EditorState.COMPILING, EditorState.RELOADING)


class StatusTracker:
    """Writes the editor and version records. For the executor thread alone."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._ledger = core.ledger

    @property
    def editor(self) -> EditorRecord:
        return self._ledger.editor.known(EDITOR_ID)

    @property
    def is_busy(self) -> bool:
        """Compiling or reloading, as far as is known; also while the connection is gone for just that reason."""
        return self.editor.state in _BUSY

    @property
    def versions(self) -> VersionRecord:
        return self._ledger.version.value

    def session_opened(
        self,
        state: str,
        plugin_version: str,
        playing: Optional[bool] = None,
        paused: Optional[bool] = None,
        code: Optional[str] = None,
        pending_reason: Optional[str] = None,
    ) -> None:
        """``hello`` rules: the state is as it says, and ``seq`` starts again (SPEC §7.6)."""
        versions = self._ledger.version.put(VersionRecord(self.versions.server, plugin_version))
        if versions.plugin != versions.server:
            self._core.log.warning(
                "the plugin in Unity and this server have different versions; update the older one if calls fail",
                plugin_version=versions.plugin,
                server_version=versions.server,
            )
        code, pending_reason = code_and_reason(code, pending_reason)
        self._ledger.editor.amend(
            EDITOR_ID,
            seq=None,
            stalled_ms=None,
            compile_errors=None,
            playing=playing,
            paused=paused,
            code=code,
            pending_reason=pending_reason,
        )
        self._move(state)

    def heard(
        self,
        state: Optional[str],
        seq: Optional[int],
        stalled_ms: Optional[int] = None,
        compile_errors: Optional[int] = None,
        playing: Optional[bool] = None,
        paused: Optional[bool] = None,
        code: Optional[str] = None,
        pending_reason: Optional[str] = None,
    ) -> None:
        """An ``editor_status`` or a ``pong`` came. One that is older than what is known is dropped (SPEC §7.6).

        Of what it leaves out, a stall is over, while everything else is as it was.
        """
        known = self.editor
        if seq is not None and known.seq is not None and seq < known.seq:
            self._core.log.info("dropped: editor state older than the last one", seq=seq, last_seq=known.seq)
            return
        if code is None:
            code, pending_reason = known.code, known.pending_reason
        else:
            code, pending_reason = code_and_reason(code, pending_reason)
        self._ledger.editor.amend(
            EDITOR_ID,
            seq=known.seq if seq is None else seq,
            stalled_ms=stalled_ms,
            compile_errors=known.compile_errors if compile_errors is None else compile_errors,
            playing=known.playing if playing is None else playing,
            paused=known.paused if paused is None else paused,
            code=code,
            pending_reason=pending_reason,
        )
        if state is not None and (state != self.editor.state.value or self.is_busy):
            self._move(state)

    def session_lost(self) -> None:
        """The connection is gone: an editor that was busy is expected back, any other is unknown."""
        if self.is_busy:
            self._ledger.editor.amend(EDITOR_ID, busy_seen_at=self._core.now())
        self._ledger.editor.transition(
            EDITOR_ID, EditorEvent.LOST, stalled_ms=None, playing=None, paused=None, code=None, pending_reason=None
        )

    def seen_by_owner(self, state: str) -> None:
        """What the editor of the owner of the port does: should that go, we know what to wait for (SPEC §14.2)."""
        if state in _SAID:
            self._move(state)
        elif self.is_busy:
            self.forget()
        else:
            self._ledger.editor.transition(EDITOR_ID, EditorEvent.LOST)

    def forget(self) -> None:
        """The compile window is over and the editor did not come back."""
        self._ledger.editor.transition(EDITOR_ID, EditorEvent.FORGOTTEN, busy_seen_at=None)

    def _move(self, state: str) -> None:
        busy_seen_at = None if state == "ready" else self._core.now()
        if state == self.editor.state.value:
            self._ledger.editor.amend(EDITOR_ID, busy_seen_at=busy_seen_at)
            return
        since = self._core.now()
        moved = self._ledger.editor.transition(EDITOR_ID, _SAID[state], since=since, busy_seen_at=busy_seen_at)
        assert isinstance(moved, Ok)  # the table lets every state follow every other
