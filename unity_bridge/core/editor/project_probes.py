"""``ProjectProbes``: probes of the project while no editor is connected, and what the last one
showed (§18.3). For a server without a project: the projects below its folder (§18.1).

Files are read on the thread ``project-probe``. Here a probe is asked for; its result comes as an
event.
"""

from __future__ import annotations

from typing import Optional

from unity_bridge.core.context import Core
from unity_bridge.core.ledger.deadlines import Due
from unity_bridge.core.ledger.machines import EditorState, ListenerState
from unity_bridge.core.ledger.records import EDITOR_ID
from unity_bridge.projects.project_probe import (
    NoPlugin,
    ProcessIdentity,
    ProcessSeen,
    ProjectProbe,
    ProjectProbed,
)

# When to probe first: a plugin that waits for the port, or its owner, is mostly there before.
_FIRST_PROBE_S = 0.15
# How often to probe while no plugin is connected, and while a call waits for one.
_PROBE_S = 2.0
_PROBE_FOR_A_CALL_S = 0.5
# A result that is older is not passed on any more.
_OLD_S = 10.0
_SURELY_CLOSED = 2
# A server for no project searches the folders below it: late, because an editor mostly comes within
# a second, and rarely, because it reads up to 2000 folders.
_FIRST_SEARCH_S = 1.0
_SEARCH_S = 30.0


class ProjectProbes:
    """For the executor thread alone."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._watch = core.outside.project_watch
        self._is_asked = False
        self._disconnected_since: Optional[float] = None
        self._has_had_editor = False
        self._seen_at: Optional[float] = None
        self._seen = ProjectProbe()
        # The process of the editor that is connected, or was last; its session was the last to be
        # asked about.
        self._process: Optional[ProcessIdentity] = None
        self._identified: Optional[int] = None
        self._closed_probes = 0  # in a row, with no process known

    @property
    def seen(self) -> ProjectProbe:
        """What the last probe showed; nothing if a plugin is connected, or if that was too long
        ago.
        """
        oldest_s = _OLD_S if self._core.project is not None else 2 * _SEARCH_S
        is_old = self._seen_at is None or self._core.now() - self._seen_at > oldest_s
        if is_old or not self._is_disconnected():
            return ProjectProbe()
        return self._seen

    @property
    def safe_mode(self) -> Optional[ProjectProbe]:
        """What the probe showed, if the editor is in safe mode, in which no package can run."""
        probe = self.seen
        if probe.reason is NoPlugin.SAFE_MODE:
            return probe
        return None

    def after_event(self) -> None:
        """Ask for a probe if it is time, or set the time for the next one."""
        if self._watch is None or self._is_asked:
            return
        if not self._is_disconnected():
            self._identify()
            self._has_had_editor = self._has_had_editor or self._core.ledger.session is not None
            if self._disconnected_since is not None:
                self._core.deadlines.clear(Due.PROBE, EDITOR_ID)
            self._disconnected_since = self._seen_at = None
            self._closed_probes = 0
            return
        if self._disconnected_since is None:
            self._disconnected_since = self._core.now()
        due = self._due(self._disconnected_since)
        if due <= self._core.now():
            self._is_asked = True
            self._core.deadlines.clear(Due.PROBE, EDITOR_ID)
            self._watch.ask(self._process)
        else:
            self._core.deadlines.set(Due.PROBE, EDITOR_ID, due)

    def _due(self, disconnected_since: float) -> float:
        """When to probe next."""
        if self._core.project is None and self._process is None:
            if self._seen_at is None:
                return disconnected_since + _FIRST_SEARCH_S
            return self._seen_at + _SEARCH_S
        if self._seen_at is None and not self._has_had_editor:
            return disconnected_since + _FIRST_PROBE_S
        if self._seen_at is None:
            return disconnected_since
        return self._seen_at + (_PROBE_FOR_A_CALL_S if self._core.ledger.parked() else _PROBE_S)

    def due(self, _: object) -> None:
        """Nothing to do: the deadline woke the executor, which calls ``after_event`` next."""

    def take(self, event: ProjectProbed) -> None:
        self._is_asked = False
        self._seen_at = self._core.now()
        self._seen = event.probe
        is_closed = (
            event.probe.has_ended is None and event.probe.reason is NoPlugin.UNITY_NOT_RUNNING
        )
        self._closed_probes = self._closed_probes + 1 if is_closed else 0

    def take_process(self, event: ProcessSeen) -> None:
        session = self._core.ledger.session
        if (
            session is not None
            and session.identity is not None
            and session.identity.process_id == event.process.pid
        ):
            self._process = event.process

    @property
    def has_ended(self) -> bool:
        """Whether the editor that was connected is known to be gone (SPEC §5): its process is, or,
        if that is not known, two probes in a row have found the project closed. One could meet an
        editor that restarts.
        """
        return self._is_disconnected() and (
            self._seen.has_ended is True or self._closed_probes >= _SURELY_CLOSED
        )

    def forget_process(self) -> None:
        """Forget the editor's process, because it has ended: there is nothing left to watch."""
        self._process = None

    def _identify(self) -> None:
        """Check whether the process that a proven plugin named lives here, once for each session."""
        session = self._core.ledger.session
        if (
            self._watch is None
            or session is None
            or session.id == self._identified
            or not session.is_trusted
        ):
            return
        self._identified, self._process = session.id, None
        if session.identity is not None and session.identity.process_id is not None:
            self._watch.identify(session.identity.process_id)

    def _is_disconnected(self) -> bool:
        """Whether no editor is connected, as far as we or the owner of the port see.

        If another program has the port, that is the reason, and it is known already.
        """
        ledger = self._core.ledger
        if ledger.session is not None:
            return False
        listener = ledger.listener_now.state
        if listener is ListenerState.ATTACHED:
            return ledger.editor_now.state is EditorState.UNKNOWN
        return listener is ListenerState.LISTENING
