"""``RequestScheduler``: requests, and the queue. First come, first served; bounded; parked turns keep their place.

The queue holds what needs a round trip to Unity, and nothing else: a call that the ledger can answer is over before
the next event, so it never waits for the editor (SPEC §4, ADR-0003).
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import Any, Callable, Deque, Iterable, List, Optional, Tuple

from unity_bridge.base.calls import Call
from unity_bridge.base.errors import ErrorCode, ToolError
from unity_bridge.base.result import Err
from unity_bridge.core.context import ExecutionContext
from unity_bridge.core.ledger.deadlines import Due
from unity_bridge.core.ledger.machines import RequestEvent, RequestState
from unity_bridge.core.ledger.records import Parked, Purpose, QueueRecord, RequestRecord, RoundTrip, Turn

# Ended requests that are kept, so that a late answer is known to be late.
_ENDED_KEPT = 256

# Turns that a client waits for, or that carry a client's job: these count against the bound of the queue.
_COUNTED = (Purpose.EXECUTE, Purpose.SUBMIT, Purpose.STATUS)


class RequestScheduler:
    """Owner of the request store and the queue store. For the executor thread alone."""

    def __init__(self, context: ExecutionContext) -> None:
        self._requests = context.stores.requests
        self._queue = context.stores.queue
        self._max_size = context.config.queue_max_size
        self._deadlines = context.deadlines
        self._clock = context.clock
        self._log = context.log
        self._ended: Deque[str] = deque()  # ids, in the order of their ends

    # Requests.

    def receive(self, request_id: str, call: Call) -> RequestRecord:
        """A call came in; nothing is decided about it yet."""
        self._forget_oldest()
        request = RequestRecord(request_id, RequestState.RECEIVED, call, arrived_at=self._clock.now())
        return self._requests.add(request)

    def request(self, request_id: str) -> Optional[RequestRecord]:
        return self._requests.get(request_id)

    def open_request(self, request_id: str) -> RequestRecord:
        """A request whose end is still owed."""
        return self._requests.known(request_id)  # only ended ones are ever forgotten

    def has_ended(self, record: RequestRecord) -> bool:
        return self._requests.has_ended(record)

    def open_requests(self) -> List[RequestRecord]:
        """Every request that still owes an end, oldest first."""
        return [record for record in self._requests.all() if not self.has_ended(record)]

    def move(self, request_id: str, event: RequestEvent, **changes: Any) -> Optional[RequestRecord]:
        """Move a request; ``None`` where the table refuses, which is logged. Whoever moved it to its end answers it."""
        moved = self._requests.transition(request_id, event, **changes)
        if isinstance(moved, Err):
            self._log.info(f"dropped: {moved.error}", request_id=request_id)
            return None
        if self._requests.has_ended(moved.value):
            self._ended.append(request_id)
        return moved.value

    def remember(self, request_id: str, **changes: Any) -> RequestRecord:
        """Set what is known of a request without moving it."""
        return self._requests.amend(request_id, **changes)

    # The queue.

    @property
    def turns(self) -> Iterable[Turn]:
        return self._queue.value.turns

    @property
    def in_flight(self) -> Optional[RoundTrip]:
        return self._queue.value.in_flight

    def counts(self) -> Tuple[int, int]:
        """``(parked, queued)`` calls and jobs."""
        counted = [turn for turn in self.turns if turn.purpose in _COUNTED]
        parked = sum(1 for turn in counted if turn.parked is not None)
        return parked, len(counted) - parked

    def full_error(self) -> Optional[ToolError]:
        """Why not one more call may join the queue (SPEC §4.1)."""
        if len(self._queue.value.turns) < self._max_size:
            return None
        waiting = sum(self.counts())
        if waiting < self._max_size:
            return None
        message = (
            f"{waiting} calls are already waiting for Unity, which is the limit. "
            "Nothing was run; wait for some of them to end, or cancel them, then retry."
        )
        return ToolError(ErrorCode.QUEUE_FULL, message, {"queue_max_size": self._max_size})

    def join(self, purpose: Purpose, subject: str, parked: Optional[Parked] = None) -> None:
        """Take the last place in the queue."""
        self._put((*self.turns, Turn(purpose, subject, parked)))

    def join_by_arrival(self, purpose: Purpose, request_id: str, parked: Parked) -> None:
        """Take the place that the call's arrival gives it: one that comes back from an owner of the port that was lost
        goes before those that came after it."""
        arrived = {record.id: place for place, record in enumerate(self._requests.all())}
        turns = list(self.turns)
        later = (place for place, turn in enumerate(turns) if arrived.get(turn.subject, -1) > arrived[request_id])
        turns.insert(next(later, len(turns)), Turn(purpose, request_id, parked))
        self._put(tuple(turns))
        self._deadlines.set(Due.PARKED, request_id, parked.deadline)

    def join_first(self, purpose: Purpose, subject: str) -> None:
        """Take the first place: for what was already under way when the connection broke."""
        self._put((Turn(purpose, subject), *self.turns))

    def replace(self, old: Turn, new: Turn) -> None:
        """Give ``old``'s place to ``new``."""
        self._put(tuple(new if turn is old else turn for turn in self.turns))

    def leave(self, subject: str, purpose: Optional[Purpose] = None) -> bool:
        """Leave the queue; whether there was such a turn."""
        turns = tuple(self.turns)
        staying = tuple(
            turn for turn in turns if turn.subject != subject or (purpose is not None and turn.purpose is not purpose)
        )
        self._put(staying)
        self._deadlines.clear(Due.PARKED, subject)
        return len(staying) < len(turns)

    def find(self, subject: str, purpose: Purpose) -> Optional[Turn]:
        return next((turn for turn in self.turns if turn.subject == subject and turn.purpose is purpose), None)

    def parked(self) -> List[Turn]:
        """Every turn that waits for the editor."""
        return [turn for turn in self.turns if turn.parked is not None]

    def park(self, judge: Callable[[Turn], Parked]) -> None:
        """Park every counted turn, or judge its limit anew. A request's state follows.

        A turn that no client waits for has no deadline and just stays.
        """
        self._put(tuple(replace(turn, parked=judge(turn)) if turn.purpose in _COUNTED else turn for turn in self.turns))
        for turn in self.turns:
            if turn.parked is None:
                continue
            self._deadlines.set(Due.PARKED, turn.subject, turn.parked.deadline)
            record = self.request(turn.subject)
            if record is not None and record.state is RequestState.QUEUED:
                self.move(turn.subject, RequestEvent.EDITOR_LOST)

    def unpark(self) -> List[Turn]:
        """The editor is ready: every parked turn may go, in its old place; returns those that were parked."""
        parked = self.parked()
        self._put(tuple(replace(turn, parked=None) for turn in self.turns))
        for turn in parked:
            self._deadlines.clear(Due.PARKED, turn.subject)
        return parked

    def take(self) -> Optional[Turn]:
        """The first turn, taken out of the queue; ``None`` if there is none or a round trip is under way."""
        queue = self._queue.value
        if queue.in_flight is not None or not queue.turns or queue.turns[0].parked is not None:
            return None
        self._put(queue.turns[1:])
        return queue.turns[0]

    # The round trip.

    def depart(self, trip: RoundTrip) -> None:
        """``trip`` is under way: nothing else leaves the queue until it is over."""
        self._queue.put(QueueRecord(self._queue.value.turns, trip))

    def arrive(self) -> None:
        """The round trip is over."""
        self._queue.put(QueueRecord(self._queue.value.turns, None))

    def _put(self, turns: Tuple[Turn, ...]) -> None:
        self._queue.put(QueueRecord(turns, self._queue.value.in_flight))

    def _forget_oldest(self) -> None:
        while len(self._ended) > _ENDED_KEPT:
            self._requests.forget(self._ended.popleft())
