"""``StateAnswers``: the editor's state and the bridge's, from the ledger, at any time (SPEC §8)."""

from __future__ import annotations

from typing import Optional

from unity_bridge.execution import answers
from unity_bridge.execution.call_figures import CallFigures
from unity_bridge.execution.editor_state_tracker import EditorStateTracker
from unity_bridge.execution.job_manager import JobManager
from unity_bridge.execution.reconnect_controller import ReconnectController
from unity_bridge.execution.replies import Replies
from unity_bridge.execution.request_scheduler import RequestScheduler
from unity_bridge.execution.server_life import ServerLife
from unity_bridge.state.records import RequestRecord


class StateAnswers:
    """Reads what the others own. For the executor thread alone."""

    def __init__(
        self,
        life: ServerLife,
        reconnect: ReconnectController,
        tracker: EditorStateTracker,
        scheduler: RequestScheduler,
        jobs: JobManager,
        replies: Replies,
        figures: CallFigures,
    ) -> None:
        self._life = life
        self._reconnect = reconnect
        self._tracker = tracker
        self._scheduler = scheduler
        self._jobs = jobs
        self._replies = replies
        self._figures = figures

    def tell(self, request: RequestRecord, remark: Optional[str] = None) -> None:
        """``remark``: what a reader should know about where this comes from."""
        state = answers.editor_state(
            self._life.state,
            self._life.listener,
            self._reconnect.active,
            self._tracker.editor,
            self._tracker.versions,
            self._scheduler.counts(),
            self._jobs.running(),
            self._figures.as_json(),
        )
        if remark is not None:
            state["listener"]["remark"] = remark
        self._replies.answered_here(request.id, state)
