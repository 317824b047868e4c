"""``Replies``: the one answer that every call gets, and the calls that watch a job until it moves (SPEC §8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional

from unity_bridge.calls import Failure, OnOutcome, OnProgress, Outcome, Progress
from unity_bridge.errors import Guarantee, ToolError
from unity_bridge.execution import answers
from unity_bridge.execution.deadlines import Deadlines
from unity_bridge.execution.events import CallArrived
from unity_bridge.execution.request_scheduler import RequestScheduler
from unity_bridge.logger import Logger
from unity_bridge.result import Err, Ok
from unity_bridge.state.machines import JobState, RequestEvent, RequestState
from unity_bridge.state.stores import JobRecord, RequestRecord

WATCH_OVER = "watch over"


@dataclass(frozen=True)
class _Reply:
    """Where a call's one answer goes."""

    on_outcome: OnOutcome
    on_progress: Optional[OnProgress]


@dataclass(frozen=True)
class _Watch:
    """A ``get_job_status`` that waits for its job to move on from ``state``."""

    request_id: str
    job_id: str
    state: JobState


class Replies:
    """Moves a request to its end and, if the table allowed that, answers it. For the executor thread alone."""

    def __init__(self, scheduler: RequestScheduler, deadlines: Deadlines, log: Logger) -> None:
        self._scheduler = scheduler
        self._deadlines = deadlines
        self._log = log
        self._replies: Dict[str, _Reply] = {}
        self._watches: Dict[str, _Watch] = {}

    def expect(self, event: CallArrived) -> None:
        """A call came in: from now on an answer is owed."""
        self._replies[event.request_id] = _Reply(event.on_outcome, event.on_progress)

    def forget(self, request_id: str) -> None:
        """The client gave the call up: nobody is told how it ends."""
        self._replies.pop(request_id, None)

    def wants_progress(self, request_id: str) -> bool:
        reply = self._replies.get(request_id)
        return reply is not None and reply.on_progress is not None

    def progress(self, request_id: str, progress: Progress) -> None:
        """Tell a call how far its job is."""
        reply = self._replies.get(request_id)
        if reply is not None and reply.on_progress is not None:
            self._call_out(reply.on_progress, progress)

    # Ends.

    def succeed(self, request_id: str, event: RequestEvent, result: Dict[str, Any]) -> None:
        record = self._scheduler.move(request_id, event)
        if record is not None:
            self._answer(record, Ok(result))

    def fail(self, request_id: str, event: RequestEvent, error: ToolError, known_as: Optional[str] = None) -> None:
        """``known_as``: the id under which whoever decided this knows the request, if it is not ours."""
        record = self._scheduler.move(request_id, event)
        if record is None:
            return
        if record.may_have_run and error.guarantee is Guarantee.NOT_EXECUTED:
            error = answers.lost_with_the_owner(record.call.tool.name, error)
        report = self._log.warning if error.guarantee is Guarantee.UNKNOWN else self._log.info
        report(
            f"call failed: {error.message}",
            tool=record.call.tool.name,
            code=error.code.value,
            execution_guarantee=error.guarantee.value,
            request_id=request_id,
            client_request_id=record.call.client_request_id,
            job_id=record.call.params.get("job_id"),
        )
        self._answer(record, Err(Failure(error, known_as or request_id, record.call.tool)))

    def succeed_now(self, request_id: str, result: Dict[str, Any]) -> None:
        """Answer from the ledger: the call has its turn, runs and ends in one step."""
        self.run_now(request_id)
        self.succeed(request_id, RequestEvent.RESULT_OK, result)

    def run_now(self, request_id: str) -> None:
        """Give a call that needs no round trip its turn."""
        record = self._scheduler.request(request_id)
        if record is not None and record.state is RequestState.RECEIVED:
            record = self._scheduler.move(request_id, RequestEvent.ADMITTED)
        if record is not None and record.state is RequestState.QUEUED:
            self._scheduler.move(request_id, RequestEvent.DEQUEUED)

    # Watches.

    def watch(self, request: RequestRecord, job: JobRecord, until: float) -> None:
        """Answer ``request`` when ``job`` leaves its present state, or at the instant ``until``."""
        self.run_now(request.id)
        self._watches[request.id] = _Watch(request.id, job.id, job.state)
        self._deadlines.set(WATCH_OVER, request.id, until)
        self._tell_progress(request.id, job.progress)

    def is_watching(self, request_id: str) -> bool:
        return request_id in self._watches

    def end_watch(self, request_id: str, job: JobRecord) -> None:
        """Answer a watching call with what is known of its job now."""
        self._deadlines.clear(WATCH_OVER, request_id)
        del self._watches[request_id]
        self.job_status(request_id, job)

    def watched_job(self, request_id: str) -> str:
        """The job that a watching call waits for."""
        return self._watches[request_id].job_id

    def job_moved(self, job: JobRecord) -> None:
        """Something is new about ``job``: answer those who waited for that, tell the others its progress."""
        for watch in self._watches_of(job.id):
            if watch.state is not job.state:
                self.end_watch(watch.request_id, job)
            else:
                self._tell_progress(watch.request_id, job.progress)

    def job_status(self, request_id: str, job: JobRecord, was_asked: bool = False) -> None:
        """Answer ``get_job_status`` from the ledger.

        Stale if the job runs and Unity ``was_asked`` neither for this call nor by chance since it came.
        """
        request = self._scheduler.open_request(request_id)
        is_old = job.learnt_at is None or job.learnt_at <= request.arrived_at
        is_stale = job.state is JobState.RUNNING and is_old and not was_asked
        self.succeed_now(request_id, answers.job_status(job, is_stale))

    def _watches_of(self, job_id: str) -> List[_Watch]:
        return [watch for watch in self._watches.values() if watch.job_id == job_id]

    def _tell_progress(self, request_id: str, progress: Optional[Mapping[str, Any]]) -> None:
        completed, total = (progress or {}).get("completed"), (progress or {}).get("total")
        if type(completed) is int and type(total) is int:
            current = (progress or {}).get("current_test")
            self.progress(request_id, Progress(completed, total, current if isinstance(current, str) else None))

    def _answer(self, record: RequestRecord, outcome: Outcome) -> None:
        reply = self._replies.pop(record.id, None)
        if reply is not None:
            self._call_out(reply.on_outcome, outcome)

    def _call_out(self, callback: Any, value: Any) -> None:
        # The executor must outlive whatever happens on the agent's side.
        try:
            callback(value)
        except Exception:
            self._log.exception("an answer could not be handed over")
