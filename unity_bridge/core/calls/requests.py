"""``Requests``: the record of each call, and the one answer that it gets (SPEC §8)."""

from __future__ import annotations

from collections import deque
from typing import Any, Callable, Deque, Dict, Optional

from unity_bridge.base.errors import Guarantee, ToolError
from unity_bridge.base.frozen import changed
from unity_bridge.base.result import Err, Ok
from unity_bridge.catalogue.calls import Call, Failure, Outcome, Progress
from unity_bridge.catalogue.tool import Service
from unity_bridge.core import errors
from unity_bridge.core.calls.figures import CallFigures
from unity_bridge.core.context import Core
from unity_bridge.core.events import CallArrived
from unity_bridge.core.ledger.deadlines import Due
from unity_bridge.core.ledger.machines import RequestEvent, RequestState
from unity_bridge.core.ledger.records import Caller, RequestRecord, Turn

# A client is known for as long after a call of its own.
_KNOWN_S = 60.0
# Ended requests that are kept, so that a late answer is known to be late.
_ENDED_KEPT = 256


class KnownClients:
    """The clients that have made a call in the last minute, the one of the newest call last."""

    def __init__(self) -> None:
        self._called_at: Dict[Optional[str], float] = {}

    def called(self, client: Optional[str], now: float) -> None:
        self._called_at.pop(client, None)
        self._called_at[client] = now
        while now - next(iter(self._called_at.values())) > _KNOWN_S:
            del self._called_at[next(iter(self._called_at))]

    def are_several(self, now: float) -> bool:
        return sum(now - called_at <= _KNOWN_S for called_at in self._called_at.values()) > 1


class Requests:
    """Writes the request records. For the executor thread alone.

    A call is answered by the transition that ends it: the table has no way out of an end, so the
    second end of a call finds no transition and answers nobody.
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        self._requests = core.ledger.requests
        self.get = self._requests.get
        # Of a request that is owed an answer: only ended ones are ever forgotten.
        self.open = self._requests.known
        self._ended: Deque[str] = deque()  # ids, in the order of their ends
        self.figures = CallFigures()
        self._clients = KnownClients()

    # The records.

    def receive(self, event: CallArrived) -> RequestRecord:
        """Record a call that came in; from now on an answer is owed."""
        while len(self._ended) > _ENDED_KEPT:
            self._requests.forget(self._ended.popleft())
        now = self._core.now()
        self._clients.called(event.call.client, now)
        return self._requests.add(
            RequestRecord(
                event.request_id, RequestState.RECEIVED, event.call, event.caller, arrived_at=now
            )
        )

    def move(self, request_id: str, event: RequestEvent, **changes: Any) -> Optional[RequestRecord]:
        """Move a request; None if its table has no such transition, which is logged."""
        moved = self._requests.transition(request_id, event, **changes)
        if moved is None:
            self._core.log.info(
                f"dropped: {self._requests.stays(request_id, event)}", request_id=request_id
            )
        return moved

    def remember(self, request_id: str, **changes: Any) -> RequestRecord:
        """Set what is known of a request without moving it."""
        return self._requests.amend(request_id, **changes)

    def queue_full(self, request: RequestRecord) -> Optional[ToolError]:
        """Why this call may not join the queue (SPEC §4.1).

        While several clients are known, one of them never takes the last quarter of it.
        """
        ledger, most = self._core.ledger, self._core.config.queue_max_size
        waiting = sum(ledger.counts())
        if ledger.is_full(most):
            return errors.queue_full(waiting, most)
        share = most - most // 4
        if waiting < share or not self._clients.are_several(self._core.now()):
            return None
        own_turns = sum(self._client_of(turn) == request.call.client for turn in ledger.turns)
        if own_turns >= share:
            return errors.queue_full(waiting, most)
        return None

    def _client_of(self, turn: Turn) -> Optional[str]:
        request, job = self._requests.get(turn.subject), self._core.ledger.jobs.get(turn.subject)
        if request is not None:
            return request.call.client
        return None if job is None else job.client

    # The caller.

    def forget_caller(self, request_id: str) -> None:
        """Forget the caller of a call that its client cancelled: its end is reported to nobody."""
        self._requests.amend(request_id, caller=None)

    def wants_progress(self, request_id: str) -> bool:
        caller = self._caller(request_id)
        return caller is not None and caller.on_progress is not None

    def progress(self, request_id: str, progress: Progress) -> None:
        """Report to a call how far its job is."""
        caller = self._caller(request_id)
        if caller is not None and caller.on_progress is not None:
            self._call_out(caller.on_progress, progress)

    def job_known(self, request_id: str, job_id: str) -> None:
        """Report the job that the call waits for: an attached server can then go on waiting
        elsewhere (SPEC §15.4).
        """
        caller = self._caller(request_id)
        if caller is not None and caller.on_job is not None:
            self._call_out(caller.on_job, job_id)

    # Ends.

    def answered_here(self, request_id: str, result: Dict[str, Any]) -> bool:
        """Answer the call from the ledger, whatever its state; return whether its client was handed
        the result.
        """
        return self.succeed(request_id, RequestEvent.ANSWERED_HERE, result)

    def succeed(self, request_id: str, event: RequestEvent, result: Dict[str, Any]) -> bool:
        """End the call; whether its client was handed the result."""
        record = self.end(request_id, event)
        return record is not None and self._answer(record, Ok(result))

    def fail(
        self, request_id: str, event: RequestEvent, error: ToolError, known_as: Optional[str] = None
    ) -> None:
        """``known_as``: the id under which another server that decided this knows the request."""
        record = self.end(request_id, event)
        if record is None:
            return
        if record.lost_with is not None and error.guarantee is Guarantee.NOT_EXECUTED:
            # It was sent before. What keeps it from running now says nothing about that time.
            error = errors.may_have_run(record.call.tool.name, record.lost_with, error)
        if error.guarantee is Guarantee.UNKNOWN:
            report = self._core.log.warning
        else:
            report = self._core.log.info
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

    def end(self, request_id: str, event: RequestEvent) -> Optional[RequestRecord]:
        """Move a request to its end. Returns it as it was before, with its caller; None if it has
        ended already.
        """
        request = self.get(request_id)
        if request is None or not self.move(
            request_id, event, caller=None, call=_without_arguments(request.call)
        ):
            return None
        self._ended.append(request_id)
        self._core.deadlines.clear(Due.OVER, request_id)
        return request

    def _caller(self, request_id: str) -> Optional[Caller]:
        record = self._requests.get(request_id)
        if record is None:
            return None
        return record.caller

    def _answer(self, record: RequestRecord, outcome: Outcome) -> bool:
        caller = record.caller
        if caller is None:
            return False
        if record.call.tool.service is not Service.EDITOR_STATE:  # which asks for these figures
            self.figures.ended(isinstance(outcome, Ok), self._core.now() - record.arrived_at)
        return self._call_out(caller.on_outcome, outcome)

    def _call_out(self, callback: Callable[[Any], None], value: Any) -> bool:
        # The callback is another package's code (MCP, attach). The executor must outlive an
        # exception in it.
        try:
            callback(value)
        except Exception:
            self._core.log.exception("an answer could not be handed over")
            return False
        return True


def _without_arguments(call: Call) -> Call:
    """``call`` as an ended request keeps it, since 256 calls may have megabytes of arguments each.
    The log needs the id of the job that the call is about.
    """
    job_id = call.params.get("job_id")
    params = {}
    if job_id is not None:
        params = {"job_id": job_id}
    return changed(call, params=params)
