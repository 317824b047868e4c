"""``JobManager``: a test run's life on our side - its id, its state as Unity tells it, its kept result (SPEC §5)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Dict, List, Mapping, Optional

from unity_bridge.calls import Call
from unity_bridge.clock import Clock
from unity_bridge.config import Config
from unity_bridge.errors import ErrorCode, Guarantee, ToolError
from unity_bridge.execution.deadlines import Deadlines
from unity_bridge.execution.ids import Ids
from unity_bridge.logger import Logger
from unity_bridge.result import Err
from unity_bridge.state.machines import JobEvent, JobState
from unity_bridge.state.stores import CancelProgress, EditorIdentity, JobRecord, StateStores
from unity_bridge.unity.messages import JobStatus, SubmitJob

JOB_DUE = "job deadline"
JOB_LOST = "job lost"
POLL_DUE = "poll due"
SETTLE_AGAIN = "settle again"

# SPEC 5.4: the last 256 ended jobs are kept, and any that ended within half an hour.
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


class JobManager:
    """Owner of the job store. For the executor thread alone."""

    def __init__(
        self, stores: StateStores, deadlines: Deadlines, config: Config, ids: Ids, clock: Clock, log: Logger
    ) -> None:
        self._jobs = stores.jobs
        self._deadlines = deadlines
        self._config = config
        self._ids = ids
        self._clock = clock
        self._log = log
        self._polls_wanted: Dict[str, None] = {}  # ordered: the oldest wish comes first

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

    # A life, from its issue to its end.

    def issue(self, call: Call) -> JobRecord:
        """A new job, queued; its id is ours."""
        self._forget_oldest()
        return self._jobs.add(JobRecord(self._ids.job(), JobState.QUEUED, call=call))

    def adopt(self, job_id: str, status: JobStatus, instance_id: Optional[str]) -> JobRecord:
        """A job that Unity still knows from an earlier server (SPEC §14.3); then learn from ``status``."""
        self._forget_oldest()
        self._jobs.add(JobRecord(job_id, JobState.RUNNING, unity_id=status.job_id, instance_id=instance_id))
        self._log.info("job of an earlier server adopted", job_id=job_id)
        return self._jobs.amend(job_id, learnt_at=self._clock.now())

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
        self.learn(job_id, JobStatus("", job_id, str(state), progress, result, error), fault=None)

    def owner_found(self) -> None:
        """The owner of the port follows the jobs now: nothing of ours runs out meanwhile."""
        for job in self.running():
            self._deadlines.clear(JOB_LOST, job.id)

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
        """The job's submission ``request_id`` is on its way: the job has left the line, for the first time or again."""
        assert job.call is not None  # only a job that was issued here is submitted
        sent_to = {
            "request_id": request_id,
            "instance_id": identity and identity.instance_id,
            "is_settleable": identity is not None and identity.jobs is not None,
        }
        if job.state is JobState.QUEUED:
            self._jobs.transition(job.id, JobEvent.SUBMITTED, **sent_to)
            self._deadlines.set(JOB_DUE, job.id, self._clock.now() + job.call.timeout_ms / 1000)
        else:
            self._jobs.amend(job.id, **sent_to)

    def accepted(self, job_id: str, unity_id: str) -> JobRecord:
        """Unity took the job, by our id or by one of its own."""
        if unity_id != job_id:
            self._log.info("Unity chose its own id for the job", job_id=job_id, unity_job_id=unity_id)
        job = self._jobs.amend(job_id, unity_id=unity_id, learnt_at=self._clock.now())
        self._poll_later(job)
        return job

    def learn(self, job_id: str, status: JobStatus, fault: Optional[str]) -> Optional[JobRecord]:
        """Take over what Unity says of a job; ``None`` if the job had ended before and nothing moved.

        ``fault`` is what is wrong with what ``status`` tells, if anything: progress that cannot be passed on is left
        out, and a run whose result cannot be passed on has not succeeded.
        """
        event = _UNITY_SAID[status.state]
        heard = {"progress": None if fault else status.progress, "learnt_at": self._clock.now()}
        if event is JobEvent.PROGRESSED:
            return self._move(job_id, event, **heard)
        if fault is not None:
            message = f"The run has ended in Unity as '{status.state}', but its result cannot be read: {fault}."
            return self.end(job_id, JobEvent.MALFORMED, ToolError(ErrorCode.INVALID_RESPONSE, message))
        error = None if status.error is None else _end_of_run(status.error)
        # Whoever wanted it cancelled has nothing left to ask of Unity.
        return self._move(job_id, event, result=status.result, error=error, cancel=CancelProgress.ANSWERED, **heard)

    def end(self, job_id: str, event: JobEvent, error: ToolError) -> Optional[JobRecord]:
        """End a job for a reason of our own; ``None`` if it had ended before."""
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
        return ended

    def cancel_here(self, job_id: str) -> Optional[JobRecord]:
        """End a job that never left."""
        return self._move(job_id, JobEvent.CANCELLED)

    def mark_cancel(self, job_id: str, progress: CancelProgress) -> JobRecord:
        return self._jobs.amend(job_id, cancel=progress)

    # The connection comes and goes.

    def session_lost(self) -> None:
        """Nobody can be asked: running jobs have the compile window to be heard of again."""
        self._polls_wanted.clear()
        for job in self.running():
            self._deadlines.clear(POLL_DUE, job.id)
            self._deadlines.set(JOB_LOST, job.id, self._clock.now() + self._config.compile_grace_timeout_ms / 1000)

    def session_opened(self, identity: EditorIdentity) -> List[JobRecord]:
        """Running jobs are to be asked for at once; those that this editor cannot know are lost, and returned."""
        lost = []
        for job in self.running():
            self._deadlines.clear(JOB_LOST, job.id)
            if self._is_strange_to(job, identity):
                error = lost_error("the editor that ran it is gone, another editor process has connected")
                ended = self.end(job.id, JobEvent.LOST, error)
                lost += [ended] if ended else []
            elif job.accepted:
                self.poll_now(job.id)
        return lost

    # Asking for the state of running jobs, when there is nothing else to do.

    def poll_now(self, job_id: str) -> None:
        """The job's turn to be asked for has come."""
        self._deadlines.clear(POLL_DUE, job_id)
        self._polls_wanted[job_id] = None

    def poll_answered(self, job_id: str) -> None:
        """The job was asked for, whatever came of it: ask again after the interval."""
        self._polls_wanted.pop(job_id, None)
        job = self.get(job_id)
        assert job is not None  # it ran when it was asked for, so it is still kept
        self._poll_later(job)

    def next_poll(self) -> Optional[JobRecord]:
        """The running job that waits longest to be asked for."""
        for job_id in list(self._polls_wanted):
            del self._polls_wanted[job_id]
            job = self.get(job_id)
            if job is not None and job.state is JobState.RUNNING and job.accepted:
                return job
        return None

    def _poll_later(self, job: JobRecord) -> None:
        if job.state is JobState.RUNNING and job.accepted:
            self._deadlines.set(POLL_DUE, job.id, self._clock.now() + self._config.job_poll_interval_ms / 1000)

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
        if not self.has_ended(moved.value):
            return moved.value
        for kind in (JOB_DUE, JOB_LOST, POLL_DUE, SETTLE_AGAIN):
            self._deadlines.clear(kind, job_id)
        self._polls_wanted.pop(job_id, None)
        return self._jobs.amend(job_id, ended_at=self._clock.now())

    def _forget_oldest(self) -> None:
        ended = [job for job in self._jobs.all() if job.ended_at is not None]
        for job in ended[:-_ENDED_KEPT]:
            if job.ended_at is not None and self._clock.now() - job.ended_at > _ENDED_KEPT_S:
                self._jobs.forget(job.id)


def lost_error(reason: str) -> ToolError:
    """A job that nobody can tell the end of."""
    message = (
        f"The test run was lost: {reason}. It may have run in part or to its end; "
        "look at Unity before you start it again."
    )
    return ToolError(ErrorCode.RECONNECT_TIMEOUT, message)


def _end_of_run(said: Mapping[str, Any]) -> ToolError:
    """Why a run could not be carried out. A run that was taken may still fail before its first test: Unity knows."""
    error = unity_error(said)
    told = error.details.get("execution_guarantee")
    known = isinstance(told, str) and told in Guarantee._value2member_map_
    return replace(error, known_guarantee=Guarantee(told)) if known else error


def unity_error(said: Mapping[str, Any]) -> ToolError:
    """The error object of a plugin, as ours. An unknown code becomes ``ERR_UNITY_EXECUTION``; nothing said is lost."""
    code, message, details = said.get("code"), said.get("message"), said.get("details")
    known = isinstance(code, str) and code in ErrorCode._value2member_map_
    kept: Dict[str, Any] = dict(details) if isinstance(details, dict) else {}
    if not known and code is not None:
        kept.setdefault("unity_code", code)
    text = message if isinstance(message, str) and message else "Unity reported an error without saying what it was."
    return ToolError(ErrorCode(code) if known else ErrorCode.UNITY_EXECUTION, text, kept)
