"""``Replies``: the one answer that every call gets, and the progress that it may be told before (SPEC §8)."""

from __future__ import annotations

from typing import Any, Dict, Optional

from unity_bridge.base.calls import Failure, Outcome, Progress
from unity_bridge.base.errors import Guarantee, ToolError
from unity_bridge.base.result import Err, Ok
from unity_bridge.catalogue.tool import Service
from unity_bridge.core import answers
from unity_bridge.core.calls.figures import CallFigures
from unity_bridge.core.context import ExecutionContext
from unity_bridge.core.events import CallArrived
from unity_bridge.core.ledger.machines import RequestEvent
from unity_bridge.core.ledger.queue import RequestScheduler
from unity_bridge.core.ledger.records import RequestRecord


class Replies:
    """Moves a request to its end and, if the table allowed that, answers it. For the executor thread alone."""

    def __init__(self, context: ExecutionContext, scheduler: RequestScheduler, figures: CallFigures) -> None:
        self._scheduler = scheduler
        self._figures = figures
        self._clock = context.clock
        self._log = context.log
        self._replies: Dict[str, CallArrived] = {}  # which say where the answer goes

    def expect(self, event: CallArrived) -> None:
        """A call came in: from now on an answer is owed."""
        self._replies[event.request_id] = event

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

    def job_known(self, request_id: str, job_id: str) -> None:
        """The call waits for this job: whoever forwarded it can go on waiting elsewhere (SPEC §15.4)."""
        reply = self._replies.get(request_id)
        if reply is not None and reply.on_job is not None:
            self._call_out(reply.on_job, job_id)

    # Ends.

    def answered_here(self, request_id: str, result: Dict[str, Any]) -> None:
        """The ledger has the answer, wherever the call is."""
        self.succeed(request_id, RequestEvent.ANSWERED_HERE, result)

    def succeed(self, request_id: str, event: RequestEvent, result: Dict[str, Any]) -> None:
        record = self._scheduler.move(request_id, event)
        if record is not None:
            self._answer(record, Ok(result))

    def fail(self, request_id: str, event: RequestEvent, error: ToolError, known_as: Optional[str] = None) -> None:
        """``known_as``: the id under which whoever decided this knows the request, if it is not ours."""
        record = self._scheduler.move(request_id, event)
        if record is None:
            return
        if record.lost_with is not None and error.guarantee is Guarantee.NOT_EXECUTED:
            # It was sent before. What keeps it from running now says nothing about then.
            error = answers.may_have_run(record.call.tool.name, record.lost_with, error)
        report = self._log.warning if error.guarantee is Guarantee.UNKNOWN else self._log.info
        report(
            f"call failed: {error.message}",
            tool=record.call.tool.name,
            code=error.code.value,
            execution_guarantee=error.guarantee.value,
            request_id=request_id,
            client_request_id=record.call.client_request_id,
            job_id=record.job_id or record.call.params.get("job_id"),
        )
        self._answer(record, Err(Failure(error, known_as or request_id, record.call.tool)))

    def _answer(self, record: RequestRecord, outcome: Outcome) -> None:
        reply = self._replies.pop(record.id, None)
        if reply is not None:
            if record.call.tool.service is not Service.EDITOR_STATE:  # which asks for these figures
                self._figures.ended(isinstance(outcome, Ok), self._clock.now() - record.arrived_at)
            self._call_out(reply.on_outcome, outcome)

    def _call_out(self, callback: Any, value: Any) -> None:
        # The executor must outlive whatever happens on the agent's side.
        try:
            callback(value)
        except Exception:
            self._log.exception("an answer could not be handed over")
