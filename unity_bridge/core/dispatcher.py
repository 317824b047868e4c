"""``ExchangeDispatcher``: whatever happens to the round trip under way reaches the exchange that it is for."""

from __future__ import annotations

from typing import Mapping, Optional

from unity_bridge.base.errors import ErrorCode, ToolError
from unity_bridge.core.context import ExecutionContext
from unity_bridge.core.exchange import Answer, Exchange, Overflow
from unity_bridge.core.ledger.records import Purpose, SessionRecord, Turn
from unity_bridge.core.round_trip import RoundTrips
from unity_bridge.unity.messages import ErrorMessage, Fault, JobStatus, type_name


class ExchangeDispatcher:
    """For the executor thread alone."""

    def __init__(self, context: ExecutionContext, trips: RoundTrips, by_purpose: Mapping[Purpose, Exchange]) -> None:
        self._max_message_bytes = context.config.max_message_bytes
        self._log = context.log
        self._trips = trips
        self._by_purpose = by_purpose

    def begin(self, turn: Turn) -> Optional[ToolError]:
        """A turn has come; returns why nothing left this process (see ``Exchange.begin``)."""
        return self._by_purpose[turn.purpose].begin(turn.subject)

    def answered(self, session: SessionRecord, request_id: Optional[str], answer: Answer) -> bool:
        """Something came that answers ``request_id``; whether a round trip was waiting for it."""
        trip = self._trips.in_flight
        if trip is None or request_id != trip.request_id or trip.session_id != session.id:
            return False
        self._trips.end(trip)
        exchange = self._by_purpose[trip.purpose]
        if not isinstance(answer, (exchange.expects, ErrorMessage, Fault)):
            expected = exchange.expects.__name__
            answer = Fault(ErrorCode.INVALID_RESPONSE, f"expected {expected}, got '{type_name(answer)}'")
        elif isinstance(answer, JobStatus) and answer.job_id != trip.job_id:
            answer = Fault(ErrorCode.INVALID_RESPONSE, "it is about another job")
        exchange.answered(trip, answer)
        return True

    def overflowed(self, session: SessionRecord) -> None:
        """A message over the size limit came: it can only have been the answer (SPEC §7.7)."""
        trip = self._trips.in_flight
        if trip is not None:
            fault = Overflow(ErrorCode.INVALID_RESPONSE, f"it is over {self._max_message_bytes} bytes")
            self.answered(session, trip.request_id, fault)

    def timed_out(self, request_id: str) -> None:
        """The deadline of the round trip has passed."""
        trip = self._trips.in_flight
        assert trip is not None and trip.request_id == request_id  # its end takes the deadline away
        self._log.warning(f"no answer from Unity in time: {trip.purpose.value}", request_id=request_id)
        self._trips.end(trip)
        self._by_purpose[trip.purpose].timed_out(trip)

    def interrupted(self) -> None:
        """The connection was lost."""
        trip = self._trips.in_flight
        if trip is not None and trip.session_id is not None:
            self._log.info(f"connection lost during {trip.purpose.value}", request_id=trip.request_id)
            self._trips.end(trip)
            self._by_purpose[trip.purpose].interrupted(trip)

    def give_up(self, request_id: str) -> None:
        """A bug of ours lost track of the exchange ``request_id``: let the queue move on."""
        trip = self._trips.in_flight
        if trip is not None and trip.request_id == request_id:
            self._trips.end(trip)
