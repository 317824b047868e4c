"""``SessionSlot``: which editor has the session slot, and whether a newcomer gets it (SPEC §7.3)."""

from __future__ import annotations

import sys
from typing import Callable, Optional, Set

from unity_bridge.core.context import Core
from unity_bridge.core.editor.slot_rules import (
    FREE,
    RULINGS,
    Holder,
    Need,
    Ruling,
    Slot,
    is_identifiable,
    need_of,
    project_of,
    refusal,
)
from unity_bridge.core.ledger.records import EditorIdentity, SessionRecord
from unity_bridge.projects.canonical_path import canonical

# Different refusals that are each logged once. An unknown peer can cause any number of them, so
# further ones are logged at a bounded rate.
_REFUSALS_LOGGED = 16
# A refused plugin comes back within seconds, as long as its editor runs.
_LATELY_S = 10.0


class SessionSlot:
    """Keeps the slot of an editor that has left, for as long as it is expected back. For the
    executor thread alone.

    Takeover: a newcomer gets the slot only through ``decide``, at the moment of its hello or of its
    proof. Between an editor's end and its return the slot is kept, so that during a domain reload
    another project's editor on the same port cannot take the session and be sent the calls that are
    waiting.
    """

    def __init__(self, core: Core, is_silent: Callable[[int], bool]) -> None:
        self._core = core
        self._is_silent = is_silent
        self._expected = None if core.project is None else canonical(core.project, sys.platform)
        self._left = FREE  # the former holder, between its end and the decision for how long it is expected back
        self._kept = FREE
        self._kept_until = 0.0
        self._logged: Set[str] = set()
        self._refusal: Optional[str] = None
        self._refused_at = 0.0

    def decide(self, newcomer: SessionRecord, identity: EditorIdentity) -> Ruling:
        """Whether ``newcomer``, which says that it is ``identity``, gets the slot."""
        return RULINGS[self._need(self.now(), identity)][newcomer.trust]

    def refusal(self, identity: EditorIdentity) -> str:
        """Why a newcomer does not get the slot, with both projects."""
        slot = self.now()
        return refusal(slot, identity, self._need(slot, identity), self._expected)

    def _need(self, slot: Slot, identity: EditorIdentity) -> Need:
        need = need_of(slot, identity, self._expected)
        if need is Need.NO_PROOF and self._core.config.require_trusted_plugin:
            return Need.A_PROOF
        return need

    def log_refusal(self, newcomer: SessionRecord, why: str) -> None:
        """Log a refusal. An editor that tries for an hour is logged once, until another one gets
        the slot.
        """
        self._refusal, self._refused_at = why, self._core.now()
        text = f"connection refused: {why}"
        if why in self._logged:
            return
        if len(self._logged) < _REFUSALS_LOGGED:
            self._logged.add(why)
            self._core.log.warning(text, session=newcomer.id)
        else:
            self._core.limited_log.warn("second editor", text, session=newcomer.id)

    @property
    def lately_refused(self) -> Optional[str]:
        """Why the last newcomer was refused, if that was lately; also while an editor is connected
        (SPEC §3.2).
        """
        if self._core.now() - self._refused_at <= _LATELY_S:
            return self._refusal
        return None

    @property
    def project(self) -> Optional[str]:
        """The canonical path of the project that calls reach here, or would; None if that is not
        known.
        """
        session = self._core.ledger.session
        if session is None:
            return self._expected
        return project_of(session.identity) or self._expected

    def taken(self) -> None:
        """Clear what was kept for others, because a session has become the active one."""
        self._kept = FREE
        self._logged.clear()
        self._refusal = None

    def left(self, session: SessionRecord) -> None:
        """Remember the active session that is gone, and that the server has not ended for what it
        said.
        """
        self._left = Slot(Holder.EXPECTED_BACK, session.identity, session.is_trusted)

    def seen_by_owner(self, identity: EditorIdentity, is_trusted: bool) -> None:
        """Remember the editor in the slot at the owner of the port: if the owner is lost, the slot
        is ours to keep.
        """
        self._left = Slot(Holder.EXPECTED_BACK, identity, is_trusted)

    def keep(self, seconds: float) -> None:
        """Keep the slot for so many seconds for the editor that ``left``: the active session is
        gone or another one.

        If none left, as with an owner of the port that saw no editor, a slot that is kept stays
        kept.
        """
        previous, self._left = self._left, FREE
        if previous is FREE:
            return
        if previous.identity is not None and is_identifiable(previous.identity):
            self._kept = previous
        else:
            self._kept = FREE
        self._kept_until = self._core.now() + seconds

    def free(self) -> None:
        """Free the slot, because the editor that it is kept for has ended."""
        self._kept = FREE

    def now(self) -> Slot:
        """Return the slot as it is at this moment."""
        active = self._core.ledger.session
        if active is not None:
            holder = Holder.SILENT if self._is_silent(active.id) else Holder.CONNECTED
            return Slot(holder, active.identity, active.is_trusted)
        if self._core.now() < self._kept_until:
            return self._kept
        return FREE
