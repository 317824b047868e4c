"""Jobs of any kind: a ledger that survives domain reloads, and a queue of which one job runs (SPEC
§5, §15).
"""

from __future__ import annotations

import json
import uuid
from collections import OrderedDict
from threading import Lock
from typing import Any, Callable, Dict, List, Mapping, Optional, Protocol, Union

from unity_bridge.base.errors import ErrorCode
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.simulator.console import Console
from unity_bridge.simulator.job import (
    Advance,
    End,
    Job,
    Parameters,
    Refusal,
    RunState,
    Step,
    Submission,
    filled_in,
)
from unity_bridge.text.json_types import JsonDict

_JOBS_KEPT = 256
# The server's own deadline comes first; this one is for a server that is gone.
_DEADLINE_GRACE_S = 3.0


class JobTool:
    """Carries out jobs of one kind. It keeps nothing in memory: after a reload it has only
    ``job.notes``.
    """

    name: str
    # Whether it can be stopped while it runs.
    is_cancellable: bool
    parameters: Parameters

    def advance(self, job: Job) -> Advance:
        """Continue the job from its notes. Main thread; called whenever the editor changes."""
        raise NotImplementedError

    def may_run_during(self, job: Job, running_tool: str) -> bool:
        """Return whether the job only reads, and may run while a test run is under way (SPEC
        §15.6).
        """
        return False

    def may_overtake(self, job: Job) -> bool:
        """Return whether the job waits for nothing: it begins at once, or is refused (SPEC §22.8)."""
        return False


class JobHost(Protocol):
    """The interface to the editor that jobs need. Any thread."""

    console: Console

    def now(self) -> float: ...

    def post(self, work: Callable[[], object], seconds: float = 0.0) -> None:
        """Run ``work`` on the main thread after so long."""

    def is_idle(self) -> bool:
        """Whether a job can be started: the editor neither compiles nor reloads."""

    def stalled_ms(self) -> int: ...

    def emit(self, kind: str, **values: Any) -> None: ...


class Jobs:
    """The jobs of one domain. ``saved`` is what the domain before it left.

    ``resume`` and ``leave`` belong to the main thread. The rest may be called from any thread:
    a job can be asked for and cancelled from the moment it arrived, also while the main thread is stalled.
    """

    def __init__(self, tools: Mapping[str, JobTool], host: JobHost, saved: str = "[]") -> None:
        self._tools = tools
        self._host = host
        self._wakes: Dict[
            str, int
        ] = {}  # main thread only: job id -> number of its newest wait; older ones are void
        self._lock = Lock()  # guards what follows; never held while the host or a tool is called
        self._has_left = False
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        for row in json.loads(saved):
            job = Job.from_json(row)
            self._jobs[job.job_id] = job
            self._watch_the_time(job)

    def submit(self, submission: Submission) -> Result[str, Refusal]:
        """Accept a job, for ``resume`` to start.

        Its id is the caller's, or one of our own for None. A known id is not accepted again. The job's time starts now,
        and another server may ask for the job later.
        """
        if submission.job_id is not None and self.knows(submission.job_id):
            return Ok(submission.job_id)
        tool = self._tools.get(submission.tool_name)
        if tool is None:
            return Err(
                Refusal(
                    ErrorCode.UNKNOWN_COMMAND, f"this plugin has no job tool {submission.tool_name}"
                )
            )
        job = self._job(submission, filled_in(tool.parameters, submission.params))
        with self._lock:
            if self._has_left:  # the message came during the reload; its session is gone
                return Err(Refusal(ErrorCode.EDITOR_NOT_READY, "the domain reloads"))
            self._jobs[job.job_id] = job
            self._drop_oldest()
        self._watch_the_time(job)
        return Ok(job.job_id)

    def resume(self) -> None:
        """Carry on what runs after the editor changed, and start the next job if it may and the
        editor can.
        """
        with self._lock:
            running = self._running()
        for job in running:
            self._advance(job)
        next_job = self._start_next(self._host.is_idle())
        if next_job is not None:
            self._advance(next_job)

    def listed(self) -> List[Union[str, JsonDict]]:
        """``hello.jobs``: the ids of the jobs that have ended, and what the others are (SPEC
        §15.9).
        """
        now = self._host.now()
        with self._lock:
            return [
                job.job_id if job.state.ended else job.listed(now)
                for job in self._jobs.values()
                if not (job.is_disowned and job.state.ended)
            ]

    def keys(self) -> Dict[str, List[str]]:
        """``hello.job_keys``: job id -> [client, key] of the jobs that have both."""
        with self._lock:
            return {
                job.job_id: [job.client, job.key]
                for job in self._jobs.values()
                if job.client and job.key
            }

    def is_untrusted(self, job_id: str) -> Optional[bool]:
        """Whether a server without proof began the job; None for an unknown one."""
        with self._lock:
            job = self._jobs.get(job_id)
            if job is None:
                return None
            return job.is_untrusted

    def disown(self) -> None:
        """End the jobs of servers without proof, of which no server hears any more (SPEC §17.4)."""
        with self._lock:
            untrusted_jobs = [job for job in self._jobs.values() if job.is_untrusted]
            for job in untrusted_jobs:
                # Under an id that nobody has given, and nobody asks for.
                job.is_disowned, job.job_id = True, f"disowned-{uuid.uuid4().hex}"
                job.client = job.key = job.request_id = None
            self._jobs = OrderedDict((job.job_id, job) for job in self._jobs.values())
        for job in untrusted_jobs:
            self.cancel(job.job_id)

    def disowned(self) -> int:
        """How many of those have not ended."""
        with self._lock:
            return sum(job.is_disowned and not job.state.ended for job in self._jobs.values())

    def knows(self, job_id: str) -> bool:
        with self._lock:
            return job_id in self._jobs

    def job_of(self, request_id: Optional[str]) -> Optional[str]:
        """Return the job that this request began."""
        with self._lock:
            begun = (job.job_id for job in self._jobs.values() if job.request_id == request_id)
            if request_id is not None:
                return next(begun, None)
            return None

    def status(self, job_id: str) -> Optional[JsonDict]:
        """Return the fields of ``job_status``; None for an unknown job."""
        now, stalled_ms = self._host.now(), self._host.stalled_ms()
        with self._lock:
            job = self._jobs.get(job_id)
            if job is not None and job.state.ended:
                job.is_end_reported = True
            ahead = next(
                (job_ahead for job_ahead in self._jobs.values() if not job_ahead.state.ended), None
            )
            if job is None:
                return None
            return job.status(now, stalled_ms, ahead)

    def unended(self) -> List[str]:
        with self._lock:
            return [job.job_id for job in self._jobs.values() if not job.state.ended]

    def cancel(self, job_id: str) -> Optional[str]:
        """Return ``cancelled``, ``cancel_requested`` or ``rejected``; None for an unknown job."""
        with self._lock:
            job = self._jobs.get(job_id)
            if job is None:
                return None
            if job.state is RunState.RUNNING and self._tools[job.tool_name].is_cancellable:
                job.is_cancelled = True
            elif job.state is RunState.QUEUED:
                job.state = RunState.CANCELLED
            else:
                return "rejected"
            is_running = job.state is RunState.RUNNING
        if is_running:
            self._host.post(self.resume)
            return "cancel_requested"
        self._report_end(job)
        return "cancelled"

    def leave(self) -> str:
        """Leave the domain and return what the next one starts with; from here on nothing happens
        in this one.
        """
        with self._lock:
            self._has_left = True
            for job in self._running():
                job.reloads += 1
                job.enter(Step.RELOADING, self._host.now())
            return json.dumps([job.as_json() for job in self._jobs.values()])

    def _job(self, submission: Submission, params: JsonDict) -> Job:
        now = self._host.now()
        if submission.timeout_s is None:
            deadline = None
        else:
            deadline = now + submission.timeout_s
        return Job(
            job_id=submission.job_id
            or f"job-{uuid.uuid4().hex}",  # no other editor process has given it
            tool_name=submission.tool_name,
            params=params,
            step_since=now,
            accepted_at=now,
            deadline=deadline,
            request_id=submission.request_id,
            client=submission.client,
            key=submission.key,
            is_untrusted=submission.is_untrusted,
        )

    def _start_next(self, is_idle: bool) -> Optional[Job]:
        now, cursor = self._host.now(), self._host.console.cursor()
        with self._lock:
            waiting = [job for job in self._jobs.values() if job.state is RunState.QUEUED]
            urgent = next(filter(self._may_overtake, waiting), None)
            if (
                not waiting
                or self._has_left
                or (urgent is None and not (is_idle and self._may_begin(waiting[0])))
            ):
                return None
            job = waiting[0] if urgent is None else urgent
            job.state, job.console_cursor = RunState.RUNNING, cursor
            job.enter(Step.RUNNING, now)
        self._host.emit("job_started", job_id=job.job_id, tool_name=job.tool_name)
        return job

    def _advance(self, job: Job) -> None:
        if not self._goes_on(job):
            return
        wake = self._wakes[job.job_id] = self._wakes.get(job.job_id, 0) + 1
        outcome = self._tools[job.tool_name].advance(job)
        if not self._goes_on(
            job
        ):  # the editor was closed, or the job was lost, while the tool held the main thread
            return
        if isinstance(outcome, End):
            self._end(job, outcome)
        elif outcome.seconds is not None:
            self._host.post(lambda: self._wake_up(job, wake), outcome.seconds)

    def _wake_up(self, job: Job, wake: int) -> None:
        if wake == self._wakes.get(job.job_id):
            self._advance(job)

    def _goes_on(self, job: Job) -> bool:
        with self._lock:
            return job.state is RunState.RUNNING and not self._has_left

    def _watch_the_time(self, job: Job) -> None:
        if job.deadline is not None and not job.state.ended:
            remaining_s = job.deadline - self._host.now() + _DEADLINE_GRACE_S
            self._host.post(lambda: self._time_is_up(job), max(0.0, remaining_s))

    def _time_is_up(self, job: Job) -> None:
        with self._lock:
            if self._has_left or job.state.ended:
                return
            job.is_out_of_time = True
            is_queued = job.state is RunState.QUEUED
        if is_queued:
            self._end(job, End(RunState.TIMEOUT))
        else:
            self._advance(job)

    def _end(self, job: Job, end: End) -> None:
        console = None
        if job.state is RunState.RUNNING:
            console = self._host.console.summary(job.console_cursor)
        with self._lock:
            if job.state.ended:
                return  # cancelled at this moment, which was reported already
            if end.result is None:
                job.result = None
            else:
                job.result = dict(end.result)
            if end.error is None:
                job.error = None
            else:
                job.error = end.error.as_json()
            job.console = console
            job.state = end.state
        self._wakes.pop(job.job_id, None)
        self._report_end(job)

    def _report_end(self, job: Job) -> None:
        self._host.emit(
            "job_finished", job_id=job.job_id, tool_name=job.tool_name, state=job.state.value
        )
        self._host.post(self.resume)

    def _may_overtake(self, job: Job) -> bool:
        return self._tools[job.tool_name].may_overtake(job)

    def _may_begin(self, job: Job) -> bool:
        """One at a time, and one more that only reads. No job overtakes another."""
        running = [other_job for other_job in self._running() if not self._may_overtake(other_job)]
        if len(running) != 1:
            return not running
        return self._tools[job.tool_name].may_run_during(job, running[0].tool_name)

    def _running(self) -> List[Job]:
        return [job for job in self._jobs.values() if job.state is RunState.RUNNING]

    def _drop_oldest(self) -> None:
        ended_ids = [job_id for job_id, job in self._jobs.items() if job.state.ended]
        for job_id in ended_ids[: max(0, len(self._jobs) - _JOBS_KEPT)]:
            del self._jobs[job_id]
