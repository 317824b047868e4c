"""``JobManager``: a job on our side - its id, its state as Unity tells it, its kept result (SPEC §5)."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Optional

from unity_bridge.calls import Call
from unity_bridge.catalogue.tool import Tool
from unity_bridge.errors import Guarantee, ToolError
from unity_bridge.execution import answers
from unity_bridge.execution.context import ExecutionContext
from unity_bridge.execution.deadlines import Due
from unity_bridge.execution.unity_errors import end_of_job
from unity_bridge.result import Err
from unity_bridge.state.machines import JobEvent, JobState
from unity_bridge.state.records import CancelProgress, EditorIdentity, JobRecord
from unity_bridge.unity.messages import JobStatus, SubmitJob

# SPEC §5.4: the last 256 ended jobs are kept, and any that ended within half an hour.
_ENDED_KEPT = 256
_ENDED_KEPT_S = 30 * 60.0

_UNITY_SAID: Mapping[str, JobEvent] = {
    "queued": JobEvent.PROGRESSED,
    "running": JobEvent.PROGRESSED,
    "succeeded": JobEvent.SUCCEEDED,
    "failed": JobEvent.FAILED,
    "cancelled": JobEvent.CANCELLED_BY_UNITY,
    "timeout": JobEvent.TIMED_OUT_BY_UNITY,
}

_NEVER_RAN = (JobEvent.PATIENCE_OVER, JobEvent.SEND_FAILED, JobEvent.REFUSED)

_DEADLINES = (Due.JOB, Due.JOB_LOST, Due.SETTLE)


class JobManager:
    """Owner of the job store. For the executor thread alone.

    ``observers`` are told of every job that moved, or of which something new is known, once the ledger has it.
    """

    def __init__(self, context: ExecutionContext, status_tool: Tool) -> None:
        self._jobs = context.stores.jobs
        self._deadlines = context.deadlines
        self._check_result = context.check_result
        self._config = context.config
        self._ids = context.ids
        self._clock = context.clock
        self._log = context.log
        self._status_tool = status_tool
        self.observers: List[Callable[[JobRecord], None]] = []

    # Reading.

    def get(self, job_id: str) -> Optional[JobRecord]:
        return self._jobs.get(job_id)

    def has_ended(self, job: JobRecord) -> bool:
        return self._jobs.has_ended(job)

    def running(self) -> List[JobRecord]:
        """Jobs that were handed to Unity and have not ended, as far as is known."""
        return [job for job in self._jobs.all() if job.state is JobState.RUNNING]

    def open(self) -> List[JobRecord]:
        """Jobs that have not ended, as far as is known."""
        return [job for job in self._jobs.all() if not self.has_ended(job)]

    # From its issue to its end.

    def issue(self, call: Call) -> JobRecord:
        """A new job, queued; its id is ours."""
        self._forget_oldest()
        return self._jobs.add(JobRecord(self._ids.job(), JobState.QUEUED, call=call))

    def adopt(self, job_id: str, status: JobStatus, instance_id: Optional[str]) -> None:
        """A job that Unity still knows from an earlier server (SPEC §14.3); then learn from ``status``."""
        self._forget_oldest()
        self._jobs.add(JobRecord(job_id, JobState.RUNNING, unity_id=status.job_id, instance_id=instance_id))
        self._log.info("job of an earlier server adopted", job_id=job_id)
        self._tell(self._jobs.amend(job_id, learnt_at=self._clock.now()))

    def remember(self, told: Mapping[str, Any]) -> None:
        """Keep what the owner of the port told a client of ours, if it is about a job: the owner may go.

        It is only ever told on as stale: Unity is asked as soon as it can be (SPEC §14.2, §14.3).
        """
        job_id, state = told.get("job_id"), told.get("state")
        if not isinstance(job_id, str) or state not in _UNITY_SAID:
            return
        if self.get(job_id) is None:
            self._forget_oldest()
            self._jobs.add(JobRecord(job_id, JobState.RUNNING, unity_id=job_id))
        progress, result, error = told.get("progress"), told.get("result"), told.get("error")
        self.learn(job_id, JobStatus("", job_id, str(state), progress, result, error))

    def owner_found(self) -> None:
        """The owner of the port follows the jobs now: nothing of ours runs out meanwhile."""
        for job in self.running():
            self._deadlines.clear(Due.JOB_LOST, job.id)

    def submission(self, job: JobRecord) -> SubmitJob:
        """The message that carries the job to Unity, for the first time or again."""
        assert job.call is not None  # only a job that was issued here is submitted
        return SubmitJob(
            request_id=self._ids.request(),
            tool_name=job.call.tool.name,
            params=dict(job.call.params),
            timeout_ms=job.call.timeout_ms,
            job_id=job.id,
            client_request_id=job.call.client_request_id,
        )

    def submitted(self, job: JobRecord, request_id: str, identity: Optional[EditorIdentity]) -> None:
        """The job's submission ``request_id`` is on its way, for the first time or again."""
        assert job.call is not None  # only a job that was issued here is submitted
        sent_to = {
            "request_id": request_id,
            "instance_id": identity and identity.instance_id,
            "is_settleable": identity is not None and identity.jobs is not None,
        }
        if job.state is JobState.QUEUED:
            self._move(job.id, JobEvent.SUBMITTED, **sent_to)
            self._deadlines.set(Due.JOB, job.id, self._clock.now() + job.call.timeout_ms / 1000)
        else:
            self._jobs.amend(job.id, **sent_to)

    def accepted(self, job_id: str, unity_id: str) -> None:
        """Unity took the job, by our id or by one of its own."""
        if unity_id != job_id:
            self._log.info("Unity chose its own id for the job", job_id=job_id, unity_job_id=unity_id)
        self._tell(self._jobs.amend(job_id, unity_id=unity_id, learnt_at=self._clock.now()))

    def learn(self, job_id: str, status: JobStatus) -> None:
        """Take over what Unity says of a job.

        Progress that cannot be passed on is left out, and a job whose result cannot be passed on has not succeeded.
        """
        told = {"job_id": job_id, "state": status.state, "progress": status.progress, "result": status.result}
        fault = self._check_result(self._status_tool, told)
        event = _UNITY_SAID[status.state]
        heard = {"progress": None if fault else status.progress, "learnt_at": self._clock.now()}
        if event is JobEvent.PROGRESSED:
            self._move(job_id, event, **heard)
        elif fault is not None:
            self.end(job_id, JobEvent.MALFORMED, answers.unreadable_end(status.state, fault))
        else:
            error = None if status.error is None else end_of_job(status.error)
            # Whoever wanted it cancelled has nothing left to ask of Unity.
            self._move(job_id, event, result=status.result, error=error, cancel=CancelProgress.ANSWERED, **heard)

    def end(self, job_id: str, event: JobEvent, error: ToolError) -> None:
        """End a job for a reason of our own; nothing happens if it had ended before."""
        changes: Dict[str, Any] = {"error": error}
        if event in _NEVER_RAN:
            # There is nothing in Unity that a cancel could still be for.
            changes["cancel"] = CancelProgress.ANSWERED
        ended = self._move(job_id, event, **changes)
        if ended is not None:
            report = self._log.warning if error.guarantee is Guarantee.UNKNOWN else self._log.info
            report(
                f"job failed: {error.message}",
                code=error.code.value,
                execution_guarantee=error.guarantee.value,
                job_id=job_id,
                request_id=ended.request_id,
                client_request_id=ended.call and ended.call.client_request_id,
            )

    def cancel_here(self, job_id: str) -> None:
        """End a job that never left."""
        self._move(job_id, JobEvent.CANCELLED)

    def mark_cancel(self, job_id: str, progress: CancelProgress) -> JobRecord:
        return self._jobs.amend(job_id, cancel=progress)

    # The connection comes and goes.

    def session_lost(self) -> None:
        """Nobody can be asked: running jobs have the compile window to be heard of again."""
        for job in self.running():
            self._deadlines.set(Due.JOB_LOST, job.id, self._clock.now() + self._config.compile_grace_timeout_ms / 1000)

    def session_opened(self, identity: EditorIdentity) -> None:
        """There is somebody to ask again. The jobs that this editor cannot know are lost."""
        for job in self.running():
            self._deadlines.clear(Due.JOB_LOST, job.id)
            if self._is_strange_to(job, identity):
                error = answers.job_lost("the editor that ran it is gone, another editor process has connected")
                self.end(job.id, JobEvent.LOST, error)

    def session_lost_for_good(self, job_id: str) -> None:
        """Nobody has come back who could tell how the job is."""
        grace_s = self._config.compile_grace_timeout_ms / 1000
        self.end(job_id, JobEvent.LOST, answers.job_lost(f"Unity has not come back for {grace_s:.0f} s"))

    def _is_strange_to(self, job: JobRecord, identity: EditorIdentity) -> bool:
        """Whether another editor process came back that does not know the job either."""
        if job.instance_id is None or identity.instance_id is None or job.instance_id == identity.instance_id:
            return False
        return job.id_in_unity not in (identity.jobs or ())

    def _move(self, job_id: str, event: JobEvent, **changes: Any) -> Optional[JobRecord]:
        moved = self._jobs.transition(job_id, event, **changes)
        if isinstance(moved, Err):
            self._log.info(f"dropped: {moved.error}", job_id=job_id)
            return None
        job = moved.value
        if self.has_ended(job):
            for due in _DEADLINES:
                self._deadlines.clear(due, job_id)
            job = self._jobs.amend(job_id, ended_at=self._clock.now())
        self._tell(job)
        return job

    def _tell(self, job: JobRecord) -> None:
        for observer in self.observers:
            observer(job)

    def _forget_oldest(self) -> None:
        ended = [job for job in self._jobs.all() if job.ended_at is not None]
        for job in ended[:-_ENDED_KEPT]:
            if job.ended_at is not None and self._clock.now() - job.ended_at > _ENDED_KEPT_S:
                self._jobs.forget(job.id)
