"""``StatusTracker``: what Unity last said of itself, and how fresh that is (ADR-0005, SPEC §7.6)."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Sequence, Union

from unity_bridge.catalogue.loaded_code import code_and_reason
from unity_bridge.core.context import Core
from unity_bridge.core.ledger.machines import EditorEvent
from unity_bridge.core.ledger.records import EDITOR_ID, EditorRecord, VersionRecord
from unity_bridge.unity.messages import EditorStatus, Hello, Pong

_SAID: Mapping[str, EditorEvent] = {
    "ready": EditorEvent.SAID_READY,
    "compiling": EditorEvent.SAID_COMPILING,
    "reloading": EditorEvent.SAID_RELOADING,
}
# What stays as it was if a report leaves it out. A stall, a game or copies that it leaves out are
# over.
_KEPT = ("seq", "compile_errors", "playing", "paused", "untrusted_jobs")

# What is not known of an editor until it says so.
_UNKNOWN = dict.fromkeys(
    (
        "stalled_ms",
        "playing",
        "paused",
        "game_time_s",
        "frame",
        "code",
        "pending_reason",
        "kept_copies",
    )
)

Report = Union[EditorStatus, Pong]


class StatusTracker:
    """Writes the editor and version records. For the executor thread alone."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._ledger = core.ledger

    @property
    def editor(self) -> EditorRecord:
        return self._ledger.editor_now

    def session_opened(self, state: str, hello: Hello) -> None:
        """``hello`` rules: the state is as it says, and ``seq`` starts again (SPEC §7.6)."""
        versions = self._ledger.version.put(
            VersionRecord(self._ledger.version.value.server, hello.plugin_version)
        )
        if versions.plugin != versions.server:
            self._core.log.warning(
                "the plugin in Unity and this server have different versions; update the older one if calls fail",
                plugin_version=versions.plugin,
                server_version=versions.server,
            )
        code, pending_reason = code_and_reason(hello.code, hello.pending_reason)
        self._ledger.editor.amend(
            EDITOR_ID,
            seq=None,
            compile_errors=None,
            untrusted_jobs=None,
            **{
                **_UNKNOWN,
                "playing": hello.playing,
                "paused": hello.paused,
                "code": code,
                "pending_reason": pending_reason,
            },
        )
        self._move(state)

    def heard(self, report: Report) -> None:
        """Record an ``editor_status`` or a ``pong``. One that is older than what is known is
        dropped (SPEC §7.6).
        """
        editor, state = self.editor, state_said(report)
        if report.seq is not None and editor.seq is not None and report.seq < editor.seq:
            self._core.log.info(
                "dropped: editor state older than the last one", seq=report.seq, last_seq=editor.seq
            )
            return
        news = said_of(report, _KEPT)
        if report.code is not None:
            news["code"], news["pending_reason"] = code_and_reason(
                report.code, report.pending_reason
            )
        news.update(stalled_ms=report.main_thread_stalled_ms, kept_copies=report.kept_copies)
        news.update(game_time_s=report.game_time_s, frame=report.frame)
        editor = self._ledger.editor.amend(EDITOR_ID, **news)
        if state is not None and (state != editor.state.value or editor.is_busy):
            self._move(state)

    def session_lost(self) -> None:
        """Record that the connection is lost: an editor that was busy is expected back, any other
        is unknown.
        """
        if self.editor.is_busy:
            self._ledger.editor.amend(EDITOR_ID, busy_seen_at=self._core.now())
        self._ledger.editor.transition(EDITOR_ID, EditorEvent.LOST, **_UNKNOWN)

    def seen_by_owner(self, state: str) -> None:
        """Record what the owner's editor does: if the owner is lost, we know what to wait for (SPEC
        §14.2).
        """
        if state in _SAID:
            self._move(state)
        elif self.editor.is_busy:
            self.forget()
        else:
            self._ledger.editor.transition(EDITOR_ID, EditorEvent.LOST)

    def forget(self) -> None:
        """Forget the editor's state, because the compile window is over and the editor did not come
        back.
        """
        self._ledger.editor.transition(EDITOR_ID, EditorEvent.FORGOTTEN, busy_seen_at=None)

    def _move(self, state: str) -> None:
        busy_seen_at = None if state == "ready" else self._core.now()
        if state == self.editor.state.value:
            self._ledger.editor.amend(EDITOR_ID, busy_seen_at=busy_seen_at)
            return
        since = self._core.now()
        moved = self._ledger.editor.transition(
            EDITOR_ID, _SAID[state], since=since, busy_seen_at=busy_seen_at
        )
        assert moved is not None  # the table lets every state follow every other


def said_of(report: Report, names: Sequence[str]) -> Dict[str, Any]:
    """Return those of the named members that the report does not leave out."""
    return {name: value for name in names if (value := getattr(report, name)) is not None}


def state_said(report: Report) -> Optional[str]:
    if isinstance(report, EditorStatus):
        return report.state
    return report.editor_state
