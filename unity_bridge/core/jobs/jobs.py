"""``JobManager``: a job on our side - its id, its state as Unity tells it, its kept result (SPEC §5, §15)."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import replace
from typing import Any, Callable, Deque, Dict, List, Mapping, Optional, Tuple

from unity_bridge.base.calls import Call, Progress
from unity_bridge.base.errors import Guarantee, ToolError
from unity_bridge.base.result import Err
from unity_bridge.catalogue.tool import Mode, Tool
from unity_bridge.core import answers
from unity_bridge.core.context import ExecutionContext
from unity_bridge.core.exchange import Answer, Overflow, fault_of, is_refusal_for_now
from unity_bridge.core.jobs.results import KeptResults
from unity_bridge.core.ledger.deadlines import Due
from unity_bridge.core.ledger.machines import JobEvent, JobState
from unity_bridge.core.ledger.records import CancelProgress, EditorIdentity, JobRecord
from unity_bridge.core.unity_errors import end_of_job
from unity_bridge.unity.messages import ErrorMessage, JobStatus, SubmitJob

# SPEC §5.4: the last 256 ended jobs are kept, and any that ended within half an hour.
_ENDED_KEPT = 256
_ENDED_KEPT_S = 30 * 60.0

# SPEC §20.5: so many answers in a row that cannot be used, over so long; and for how long Unity may refuse to answer.
# The first questions follow each other within 0.1 s, so a number alone would end a job for a hiccup of the plugin.
_UNUSABLE_IN_A_ROW = 3
_UNUSABLE_FOR_S = 3.0
_REFUSED_FOR_S = 30.0

_UNITY_SAID: Mapping[str, JobEvent] = {
    "queued": JobEvent.PROGRESSED,
    "running": JobEvent.PROGRESSED,
    "succeeded": JobEvent.SUCCEEDED,
    "failed": JobEvent.FAILED,
    "cancelled": JobEvent.CANCELLED_BY_UNITY,
    "timeout": JobEvent.TIMED_OUT_BY_UNITY,
}

_NEVER_RAN = (JobEvent.PARKED_TOO_LONG, JobEvent.SEND_FAILED, JobEvent.REFUSED)

_DEADLINES = (Due.JOB, Due.JOB_LOST, Due.RESOLVE)


class JobManager:
    """Owner of the job store. For the executor thread alone.

    ``observers`` are told of every job that moved, or of which something new is known, once the ledger has it.
    """

    def __init__(self, context: ExecutionContext) -> None:
        self._jobs = context.stores.jobs
        self._deadlines = context.deadlines
        self._check_result = context.check_result
        self._config = context.config
        self._ids = context.ids
        self._clock = context.clock
        self._log = context.log
        self._catalogue = context.catalogue
        every_plugins = (tool for tool in context.catalogue.values() if tool.is_in_every_plugin)
        self._first_tool = next(tool for tool in every_plugins if tool.mode is Mode.JOB)
        self._results = KeptResults()
        self._open: Dict[str, None] = {}  # ids, the oldest first
        self._ended: Deque[str] = deque()  # ids, in the order of their ends
        self._keys: Dict[Tuple[str, str], str] = {}  # client and key -> id
        self.observers: List[Callable[[JobRecord], None]] = []

    # Reading.

    def get(self, job_id: str) -> Optional[JobRecord]:
        return self._jobs.get(job_id)

    def has_ended(self, job: JobRecord) -> bool:
        return self._jobs.has_ended(job)

    def open(self) -> List[JobRecord]:
        """Jobs that have not ended, as far as is known."""
        return [job for job in map(self.get, self._open) if job is not None]

    def running(self) -> List[JobRecord]:
        """Jobs that were handed to Unity and have not ended, as far as is known."""
        return [job for job in self.open() if job.state is JobState.RUNNING]

    def keyed(self, client: str, key: str) -> Optional[JobRecord]:
        """The job to which ``client`` gave this key, while it is kept."""
        job_id = self._keys.get((client, key))
        return None if job_id is None else self.get(job_id)

    def tool_of(self, job: JobRecord) -> Optional[Tool]:
        """``None``: not known yet, or a newer plugin's."""
        return None if job.tool_name is None else self._catalogue.get(job.tool_name)

    # From its issue to its end.

    def issue(self, call: Call) -> JobRecord:
        """A new job, queued; its id is ours."""
        job = _of_call(self._ids.job(), JobState.QUEUED, call)
        return self._add(job)

    def adopt(
        self,
        job_id: str,
        instance_id: Optional[str],
        unity_id: Optional[str] = None,
        client: Optional[str] = None,
        key: Optional[str] = None,
    ) -> JobRecord:
        """A job that Unity still knows from an earlier server (SPEC §14.3). How it is, is yet to be asked."""
        self._log.info("job of an earlier server adopted", job_id=job_id)
        job = JobRecord(job_id, JobState.RUNNING, unity_id=unity_id or job_id, instance_id=instance_id)
        adopted = self._add(job, client=client, key=key)
        self._keep_old_deadline(adopted, None)
        return adopted

    def remember(self, job_id: str, told: Mapping[str, Any], call: Optional[Call] = None) -> None:
        """Keep what the owner of the port told of a job: the owner may go. Its state, but not its result (SPEC §20.4).

        ``call``: ours that it was started for. What is kept is only ever told on as stale: Unity is asked as soon as
        it can be (SPEC §14.2, §14.3).
        """
        state, result = told.get("state", "running"), told.get("result")
        if state not in _UNITY_SAID:
            return
        if self.get(job_id) is None:
            started = JobRecord(job_id, JobState.RUNNING) if call is None else _of_call(job_id, JobState.RUNNING, call)
            tool = told.get("tool")
            named = {} if call is not None or not isinstance(tool, str) else {"tool_name": tool}
            self._add(started, unity_id=job_id, **named)
        status = JobStatus("", job_id, str(state), told.get("progress"), None, told.get("error"))
        if self._learn(job_id, status) and (result is not None or told.get("result_dropped")):
            self._jobs.amend(job_id, result_dropped=True)

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
            client_request_id=job.key,
            client=job.client,
        )

    def submitted(self, job: JobRecord, request_id: str, identity: Optional[EditorIdentity]) -> None:
        """The job's submission ``request_id`` is on its way, for the first time or again."""
        assert job.call is not None  # only a job that was issued here is submitted
        sent_to = {
            "request_id": request_id,
            "instance_id": identity and identity.instance_id,
            "is_resolvable": identity is not None and identity.jobs is not None,
        }
        if job.state is JobState.QUEUED:
            now = self._clock.now()
            self._move(job.id, JobEvent.SUBMITTED, began_at=now, **sent_to)
            self._deadlines.set(Due.JOB, job.id, now + job.call.timeout_ms / 1000)
        else:
            self._jobs.amend(job.id, **sent_to)

    def accepted(self, job_id: str, unity_id: str) -> None:
        """Unity took the job, by our id or by one of its own."""
        if unity_id != job_id:
            self._log.info("Unity chose its own id for the job", job_id=job_id, unity_job_id=unity_id)
            for other in self.running():
                if other.id != job_id and other.id_in_unity == unity_id:
                    # What Unity says under that id is no longer about this one.
                    self.end(other.id, JobEvent.LOST, answers.job_lost("Unity has given its id to another job"))
        self._tell(self._jobs.amend(job_id, unity_id=unity_id, learnt_at=self._clock.now()))

    def learn(self, job_id: str, status: JobStatus) -> None:
        """Take over what Unity says of a job.

        Progress that cannot be passed on is left out, and a job whose result cannot be passed on has not succeeded.
        """
        known = self.get(job_id)
        assert known is not None  # whoever asked for it has it in the ledger, or puts it there
        if None not in (known.tool_name, status.tool_name) and known.tool_name != status.tool_name:
            self.unusable(job_id, "it is about another tool's job", is_hopeless=False)
            return
        job = self._name(known, status)
        self._keep_old_deadline(job, status.remaining_ms)
        tool, fault = self.tool_of(job), None
        if status.state == "succeeded" and status.error is not None:
            fault = "it has an error"
        elif tool is not None and status.result is not None:
            checked = self._check_result(tool, {} if job.call is None else job.call.params, status.result)
            if isinstance(checked, Err):
                fault = checked.error
            else:
                has_failed = status.state == "succeeded" and tool.finds_faults(checked.value)
                status = replace(status, result=checked.value, state="failed" if has_failed else status.state)
        if fault is not None and _UNITY_SAID[status.state] is not JobEvent.PROGRESSED:
            self.end(job_id, JobEvent.MALFORMED, answers.unreadable_end(status.state, fault))
        elif self.has_ended(job) and job.result_dropped and status.state == job.state.value:
            self._restore_result(job_id, status)
        else:
            self._learn(job_id, status)

    def no_status(self, job_id: str, answer: Answer) -> None:
        """Unity was asked for the job and answered something else. It is not asked for ever (SPEC §20.5)."""
        if is_refusal_for_now(answer):
            return  # it asks to be asked again; the job's own deadline bounds that
        if isinstance(answer, ErrorMessage):
            self._refused(job_id, fault_of(answer))
        else:
            self.unusable(job_id, fault_of(answer), isinstance(answer, Overflow))

    def unusable(self, job_id: str, fault: str, is_hopeless: bool) -> None:
        """Unity's status of the job cannot be used; if ``is_hopeless``, the next one cannot either."""
        job = self.get(job_id)
        if job is None or self.has_ended(job):
            return
        now, times = self._clock.now(), job.unusable + 1
        since = now if job.unusable == 0 else job.unusable_since
        if is_hopeless or (times >= _UNUSABLE_IN_A_ROW and now - since >= _UNUSABLE_FOR_S):
            self.end(job_id, JobEvent.MALFORMED, answers.unreadable_status(fault, times))
        else:
            self._jobs.amend(job_id, unusable=times, unusable_since=since)

    def _refused(self, job_id: str, why: str) -> None:
        job = self.get(job_id)
        if job is None or self.has_ended(job):
            return
        now, times = self._clock.now(), job.refused + 1
        since = now if job.refused == 0 else job.refused_since
        # More than one: the first refusal after a long reload is no series.
        if times >= _UNUSABLE_IN_A_ROW and now - since >= _REFUSED_FOR_S:
            self.end(job_id, JobEvent.MALFORMED, answers.refused_status(why, now - since))
        else:
            self._jobs.amend(job_id, refused=times, refused_since=since)

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
                client_request_id=ended.key,
            )

    def cancel_here(self, job_id: str) -> None:
        """End a job that never left."""
        self._move(job_id, JobEvent.CANCELLED)

    def mark_cancel(self, job_id: str, progress: CancelProgress) -> JobRecord:
        return self._jobs.amend(job_id, cancel=progress)

    def mark_told(self, job_id: str) -> None:
        """A client knows of the job, and may come back for it."""
        self._jobs.amend(job_id, is_told=True)

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

    # Parts of the above.

    def _learn(self, job_id: str, status: JobStatus) -> bool:
        """Take over what can be passed on; whether it was news."""
        event, text = _UNITY_SAID[status.state], None
        heard: Dict[str, Any] = {
            "progress": status.progress if Progress.of(status.progress) is not None else None,
            "learnt_at": self._clock.now(),
            "unusable": 0,
            "refused": 0,
        }
        if event is not JobEvent.PROGRESSED:
            # Whoever wanted it cancelled has nothing left to ask of Unity.
            heard["cancel"] = CancelProgress.ANSWERED
            heard["error"] = None if status.error is None else end_of_job(status.error)
            heard["console"] = answers.console_told(status.console)
            heard["result"] = text = _text(status)
        if self._move(job_id, event, **heard) is None:
            return False
        self._keep_to_the_budget(job_id, text)
        return True

    def _keep_old_deadline(self, job: JobRecord, remaining_ms: Optional[int]) -> None:
        """A job that was not submitted here has the time that is left of it (SPEC §15.5), and some end in any case."""
        if job.request_id is not None or self.has_ended(job):
            return
        longest_ms = self._config.job_max_timeout_ms
        left_ms = longest_ms if remaining_ms is None else min(remaining_ms, longest_ms)
        self._deadlines.set_no_later(Due.JOB, job.id, self._clock.now() + left_ms / 1000)

    def _restore_result(self, job_id: str, status: JobStatus) -> None:
        """Unity still has what there was no room for."""
        text = _text(status)
        if text is not None:
            self._jobs.amend(job_id, result=text, result_dropped=False)
            self._keep_to_the_budget(job_id, text)

    def _keep_to_the_budget(self, job_id: str, text: Optional[str]) -> None:
        if text is not None:
            for dropped in self._results.add(job_id, len(text)):
                self._jobs.amend(dropped, result=None, result_dropped=True)

    def _name(self, job: JobRecord, status: JobStatus) -> JobRecord:
        """What Unity knows of an inherited job and we do not.

        A plugin that does not say what a job is for is of the first ones, which have only one kind of job.
        """
        if job.call is not None:
            return job
        named = {
            "tool_name": status.tool_name or self._first_tool.name,
            "client": status.client,
            "key": status.client_request_id,
        }
        news = {name: value for name, value in named.items() if value is not None and getattr(job, name) is None}
        if not news:
            return job
        job = self._jobs.amend(job.id, **news)
        self._index(job)
        return job

    def _add(self, job: JobRecord, **more: Any) -> JobRecord:
        self._forget_oldest()
        self._jobs.add(job)
        self._open[job.id] = None
        added = self._jobs.amend(job.id, began_at=self._clock.now(), **more)
        self._index(added)
        self._tell(added)
        return added

    def _index(self, job: JobRecord) -> None:
        if job.client is not None and job.key is not None:
            self._keys[job.client, job.key] = job.id

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
            self._open.pop(job_id, None)
            self._ended.append(job_id)
            job = self._jobs.amend(job_id, ended_at=self._clock.now())
        self._tell(job)
        return job

    def _tell(self, job: JobRecord) -> None:
        for observer in self.observers:
            observer(job)

    def _forget_oldest(self) -> None:
        while len(self._ended) > _ENDED_KEPT:
            job = self.get(self._ended[0])
            assert job is not None and job.ended_at is not None  # it is forgotten nowhere else
            if self._clock.now() - job.ended_at <= _ENDED_KEPT_S:
                return
            self._ended.popleft()
            self._jobs.forget(job.id)
            self._results.forget(job.id)
            if job.client is not None and job.key is not None and self._keys.get((job.client, job.key)) == job.id:
                del self._keys[job.client, job.key]


def _of_call(job_id: str, state: JobState, call: Call) -> JobRecord:
    return JobRecord(job_id, state, call=call, tool_name=call.tool.name, client=call.client, key=call.client_request_id)


def _text(status: JobStatus) -> Optional[str]:
    return None if status.result is None else json.dumps(status.result, separators=(",", ":"))
