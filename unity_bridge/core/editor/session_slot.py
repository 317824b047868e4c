"""``SessionPlace``: who has the place of the session, and whether a newcomer gets it (SPEC §7.3)."""

from __future__ import annotations

import sys
from typing import Callable, Optional, Set

from unity_bridge.core.context import ExecutionContext
from unity_bridge.core.editor.slot_rules import (
    FREE,
    RULINGS,
    Holder,
    Need,
    Place,
    Ruling,
    need_of,
    project_of,
    refusal,
    says_who,
)
from unity_bridge.core.ledger.records import EditorIdentity, SessionRecord
from unity_bridge.log.limited_log import LimitedLog
from unity_bridge.projects.canonical_path import canonical

# Refusals that are each written to the log. A stranger can make as many as it likes, so more of them are told at a
# bounded rate.
_REFUSALS_TOLD = 16
# Who is refused comes back within seconds, as long as it is there.
_LATELY_S = 10.0


class SessionPlace:
    """Keeps the place of an editor that has left. For the executor thread alone."""

    def __init__(self, context: ExecutionContext, is_silent: Callable[[int], bool]) -> None:
        self._clock = context.clock
        self._is_silent = is_silent
        self._everybody_proves = context.config.require_trusted_plugin
        self._log = context.log
        self._limited_log = LimitedLog(context.log, context.clock)
        self._expected = None if context.project is None else canonical(context.project, sys.platform)
        self._left = FREE  # whose it was, between its end and the decision for how long it is expected back
        self._kept = FREE
        self._kept_until = 0.0
        self._told: Set[str] = set()
        self._refusal: Optional[str] = None
        self._refused_at = 0.0

    def judge(self, newcomer: SessionRecord, identity: EditorIdentity, active: Optional[SessionRecord]) -> Ruling:
        """Whether ``newcomer``, which says that it is ``identity``, gets the place."""
        return RULINGS[self._need(self.now(active), identity)][newcomer.trust]

    def refusal(self, identity: EditorIdentity, active: Optional[SessionRecord]) -> str:
        """Why a newcomer does not get the place, with both projects."""
        place = self.now(active)
        return refusal(place, identity, self._need(place, identity), self._expected)

    def _need(self, place: Place, identity: EditorIdentity) -> Need:
        need = need_of(place, identity, self._expected)
        return Need.A_PROOF if need is Need.NO_PROOF and self._everybody_proves else need

    def tell(self, newcomer: SessionRecord, why: str) -> None:
        """Log a refusal: of one that knocks for an hour once, until somebody else gets the place."""
        self._refusal, self._refused_at = why, self._clock.now()
        text = f"connection refused: {why}"
        if why in self._told:
            return
        if len(self._told) < _REFUSALS_TOLD:
            self._told.add(why)
            self._log.warning(text, session=newcomer.id)
        else:
            self._limited_log.warn("second editor", text, session=newcomer.id)

    def lately_refused(self) -> Optional[str]:
        """Why the last newcomer was refused, if somebody was of late and nobody has come in since."""
        return self._refusal if self._clock.now() - self._refused_at <= _LATELY_S else None

    def project(self, active: Optional[SessionRecord]) -> Optional[str]:
        """The canonical path of the project that calls reach here, or would; ``None`` where that is not known."""
        return self._expected if active is None else project_of(active.identity) or self._expected

    def taken(self) -> None:
        """A session has become the active one."""
        self._kept = FREE
        self._told.clear()
        self._refusal = None

    def left(self, session: SessionRecord) -> None:
        """The active session is gone, and not because it was sent away."""
        self._left = Place(Holder.EXPECTED_BACK, session.identity, session.is_trusted)

    def seen_by_owner(self, identity: EditorIdentity, is_trusted: bool) -> None:
        """Whose the place is at the owner of the port: should that go, the place is for us to keep."""
        self._left = Place(Holder.EXPECTED_BACK, identity, is_trusted)

    def keep(self, seconds: float) -> None:
        """The active session is gone or another one. The editor of one that ``left`` is expected back for so long.

        Where nobody left, as with an owner of the port that saw no editor, a place that is kept stays kept.
        """
        left, self._left = self._left, FREE
        if left is FREE:
            return
        self._kept = left if left.identity is not None and says_who(left.identity) else FREE
        self._kept_until = self._clock.now() + seconds

    def now(self, active: Optional[SessionRecord]) -> Place:
        if active is not None:
            holder = Holder.SILENT if self._is_silent(active.id) else Holder.CONNECTED
            return Place(holder, active.identity, active.is_trusted)
        return self._kept if self._clock.now() < self._kept_until else FREE
