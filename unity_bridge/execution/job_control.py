"""``JobControl``: ``get_job_status`` and ``cancel_job``, which never wait for the editor (SPEC §4.3, §6, §14.3)."""

from __future__ import annotations

from typing import Callable, Optional

from unity_bridge.errors import ToolError
from unity_bridge.execution import answers
from unity_bridge.execution.cancel_manager import CancelManager
from unity_bridge.execution.job_manager import JobManager
from unity_bridge.execution.replies import Replies
from unity_bridge.execution.request_scheduler import RequestScheduler
from unity_bridge.result import Err
from unity_bridge.state.machines import JobState, RequestEvent
from unity_bridge.state.stores import JobRecord, Purpose, RequestRecord

CANCEL_JOB = "cancel_job"


class JobControl:
    """Answers from the ledger where that is enough, and sends the rest to ask Unity. For the executor thread alone."""

    def __init__(
        self,
        scheduler: RequestScheduler,
        jobs: JobManager,
        cancels: CancelManager,
        replies: Replies,
        editor_is_ready: Callable[[], bool],
        blocked_error: Callable[[], Optional[ToolError]],
    ) -> None:
        self._scheduler = scheduler
        self._jobs = jobs
        self._cancels = cancels
        self._replies = replies
        self._editor_is_ready = editor_is_ready
        self._blocked_error = blocked_error

    def get_job_status(self, request: RequestRecord) -> None:
        job = self._jobs.get(_job_id(request))
        if job is None or (job.state is JobState.RUNNING and self._editor_is_ready()):
            self._ask_unity(request)
        else:
            self._tell_or_watch(request, job, job.state)

    def cancel_job(self, request: RequestRecord) -> None:
        id = _job_id(request)
        job = self._jobs.get(id)
        if job is not None:
            self._cancel(request, job)
        elif self._scheduler.request(id) is not None:
            self._replies.fail(request.id, RequestEvent.REFUSED, answers.not_a_job(id))
        else:
            self._ask_unity(request)

    def asked(self, request: RequestRecord, state_before: Optional[JobState]) -> None:
        """Unity's word on the job, whatever it was, is in the ledger now: go on with the call that wanted it."""
        job = self._jobs.get(_job_id(request))
        if job is None:
            self._replies.fail(request.id, RequestEvent.PLUGIN_ERROR, answers.job_not_found(_job_id(request)))
        elif request.call.tool.name == CANCEL_JOB:
            self._cancel(request, job)
        else:
            self._tell_or_watch(request, job, state_before or job.state, was_asked=True)

    def could_not_ask(self, request: RequestRecord, error: Optional[ToolError] = None) -> None:
        """Unity gave no usable word on the job: the ledger's last state stands, if it has one."""
        job = self._jobs.get(_job_id(request))
        if job is None:
            self._replies.run_now(request.id)
            reason = error or answers.job_cannot_be_asked_for(_job_id(request))
            self._replies.fail(request.id, RequestEvent.SEND_FAILED, reason)
        elif request.call.tool.name == CANCEL_JOB:
            self._cancel(request, job)
        else:
            self._tell_or_watch(request, job, job.state)

    def _ask_unity(self, request: RequestRecord) -> None:
        if not self._editor_is_ready():
            error = self._blocked_error() or answers.job_cannot_be_asked_for(_job_id(request))
            self._replies.fail(request.id, RequestEvent.REFUSED, error)
            return
        room = self._scheduler.has_room()
        if isinstance(room, Err):
            self._replies.fail(request.id, RequestEvent.REFUSED, room.error)
            return
        self._scheduler.move(request.id, RequestEvent.ADMITTED)
        self._scheduler.join(Purpose.STATUS, request.id)

    def _tell_or_watch(
        self, request: RequestRecord, job: JobRecord, state_before: JobState, was_asked: bool = False
    ) -> None:
        wait_ms = request.call.params.get("wait_ms", 0)
        if not wait_ms or self._jobs.has_ended(job) or job.state is not state_before or request.abandoned:
            self._replies.job_status(request.id, job, was_asked)
        else:
            self._replies.watch(request, job, until=request.arrived_at + wait_ms / 1000)

    def _cancel(self, request: RequestRecord, job: JobRecord) -> None:
        status, goes_to_unity = self._cancels.request(job)
        if job.state is JobState.QUEUED:
            self._scheduler.leave(job.id)
        if goes_to_unity:
            self._scheduler.join(Purpose.CANCEL, job.id)
        self._replies.succeed_now(request.id, {"job_id": job.id, "status": status.value})
        ended = self._jobs.get(job.id)
        if ended is not None and ended.state is not job.state:
            self._replies.job_moved(ended)


def _job_id(request: RequestRecord) -> str:
    id = request.call.params["job_id"]
    assert isinstance(id, str)  # the validator saw to it
    return id
