"""``StateAnswers``: the editor's state and the bridge's, from the ledger, at any time (SPEC §8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional

from unity_bridge.core import answers
from unity_bridge.core.calls.answer import Replies
from unity_bridge.core.calls.figures import CallFigures
from unity_bridge.core.context import ExecutionContext
from unity_bridge.core.editor.absence import PluginAbsence
from unity_bridge.core.editor.reconnect import ReconnectController
from unity_bridge.core.editor.status import EditorStateTracker
from unity_bridge.core.jobs.jobs import JobManager
from unity_bridge.core.ledger.queue import RequestScheduler
from unity_bridge.core.ledger.records import RequestRecord
from unity_bridge.core.sharing.port import ServerLife

_OWNER_SILENT = "the server that owns the port does not answer; this is what is known without it"
_OWNER_SAID = "the server that owns the port does not answer; this is what it said last"


@dataclass(frozen=True)
class SilentOwner:
    """The one who knows does not say. ``said`` is its last answer, if there was one."""

    said: Optional[Mapping[str, Any]]


class StateAnswers:
    """Reads what the others own. For the executor thread alone."""

    def __init__(
        self,
        context: ExecutionContext,
        absence: PluginAbsence,
        life: ServerLife,
        reconnect: ReconnectController,
        tracker: EditorStateTracker,
        scheduler: RequestScheduler,
        jobs: JobManager,
        replies: Replies,
        figures: CallFigures,
    ) -> None:
        self._catalogue = context.catalogue
        self._project = context.project
        self._absence = absence
        self._life = life
        self._reconnect = reconnect
        self._tracker = tracker
        self._scheduler = scheduler
        self._jobs = jobs
        self._replies = replies
        self._figures = figures

    def tell(self, request: RequestRecord, owner: Optional[SilentOwner] = None) -> None:
        """With a silent ``owner`` what is told is marked as stale: nobody may take it for how things are."""
        if owner is None:
            self._replies.answered_here(request.id, self._known())
            return
        state = dict(owner.said or self._known())
        remark = _OWNER_SAID if owner.said else _OWNER_SILENT
        state.update(stale=True, listener={**state["listener"], "remark": remark})
        self._replies.answered_here(request.id, state)

    def _known(self) -> Dict[str, Any]:
        return answers.editor_state(
            self._life.state,
            self._life.listener,
            self._reconnect.active,
            self._tracker.editor,
            self._tracker.versions,
            self._scheduler.counts(),
            self._jobs.running(),
            self._figures.as_json(),
            self._project,
            self._absence.reason,
            self._life.waited_s,
            self._reconnect.lately_refused,
            self._missing_tools(),
            self._reconnect.takeover_remark,
        )

    def _missing_tools(self) -> List[str]:
        """The tools that the plugin does not carry out (SPEC §15.5)."""
        session = self._reconnect.active
        if session is None or session.identity is None:
            return []
        identity = session.identity
        return [tool.name for tool in self._catalogue.values() if tool.needs_editor and not identity.has(tool)]
