"""``PluginAbsence``: why no plugin is there, as far as the project shows it from outside (SPEC §18.3).

The files are read on a thread of their own. Here is asked for a look, and what was seen comes as an event.
"""

from __future__ import annotations

from typing import Optional

from unity_bridge.core.context import ExecutionContext
from unity_bridge.core.editor.reconnect import ReconnectController
from unity_bridge.core.editor.status import EditorStateTracker
from unity_bridge.core.ledger.deadlines import Due
from unity_bridge.core.ledger.machines import EditorState, ListenerState
from unity_bridge.core.ledger.queue import RequestScheduler
from unity_bridge.core.ledger.records import EDITOR_ID
from unity_bridge.core.sharing.port import ServerLife
from unity_bridge.projects.project_look import Absence, ProjectLook, ProjectSeen

# How often to look while no plugin is there, and while a call waits for one.
_LOOK_S = 2.0
_LOOK_FOR_A_CALL_S = 0.5
# What was seen so long ago is not told any more, should nobody have been able to look since.
_OLD_S = 10.0


class PluginAbsence:
    """For the executor thread alone."""

    def __init__(
        self,
        context: ExecutionContext,
        life: ServerLife,
        reconnect: ReconnectController,
        scheduler: RequestScheduler,
        tracker: EditorStateTracker,
    ) -> None:
        self._watch = context.project_watch
        self._deadlines = context.deadlines
        self._clock = context.clock
        self._life = life
        self._reconnect = reconnect
        self._scheduler = scheduler
        self._tracker = tracker
        self._is_asked = False
        self._seen_at: Optional[float] = None
        self._look = ProjectLook()

    @property
    def reason(self) -> Optional[Absence]:
        """Why no plugin is there; ``None`` if one is, or nothing is known."""
        return self._known().absence

    @property
    def safe_mode(self) -> Optional[ProjectLook]:
        """What was seen, if it is an editor in which no package can run."""
        known = self._known()
        return known if known.absence is Absence.SAFE_MODE else None

    def look(self) -> None:
        """Something happened: have somebody look if it is time, or set the time for it."""
        if self._watch is None or self._is_asked:
            return
        if not self._is_absent():
            self._deadlines.clear(Due.LOOK, EDITOR_ID)
            self._seen_at = None
            return
        pause_s = _LOOK_FOR_A_CALL_S if self._scheduler.parked() else _LOOK_S
        due = None if self._seen_at is None else self._seen_at + pause_s
        if due is None or due <= self._clock.now():
            self._is_asked = True
            self._deadlines.clear(Due.LOOK, EDITOR_ID)
            self._watch.ask()
        else:
            self._deadlines.set(Due.LOOK, EDITOR_ID, due)

    def seen(self, event: ProjectSeen) -> None:
        self._is_asked = False
        self._seen_at = self._clock.now()
        self._look = event.look

    def _known(self) -> ProjectLook:
        is_old = self._seen_at is None or self._clock.now() - self._seen_at > _OLD_S
        return ProjectLook() if is_old or not self._is_absent() else self._look

    def _is_absent(self) -> bool:
        """Whether nobody is there, as far as we or the owner of the port see.

        What is wrong with a port that neither of us has is known already.
        """
        if self._life.is_attached:
            return self._tracker.editor.state is EditorState.UNKNOWN
        return self._reconnect.active is None and self._life.listener.state is ListenerState.LISTENING
