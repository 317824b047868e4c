"""``RoundTrips``: how the one message that is under way ends (SPEC §4.2).

At most one round trip is under way, and nothing else leaves the queue until it has ended. It begins
with ``Core.ask``, called by the room that wants it; here it ends, and that room's ``Exchange`` is
called.
"""

from __future__ import annotations

from typing import Mapping, Optional, Protocol, Type

from unity_bridge.base.errors import ErrorCode, ToolError
from unity_bridge.core.changes import AnswerCame, MessageOverflowed, SessionLost
from unity_bridge.core.context import Core
from unity_bridge.core.ledger.deadlines import Due
from unity_bridge.core.ledger.records import Purpose, RoundTrip
from unity_bridge.core.unity_errors import Answer, Overflow
from unity_bridge.unity import messages

# The kind of message that answers a round trip of this purpose. Unity may always answer with an
# ErrorMessage instead.
EXPECTED: Mapping[Purpose, Type[messages.Message]] = {
    Purpose.EXECUTE: messages.ToolResult,
    Purpose.SUBMIT: messages.SubmitJobResult,
    Purpose.SUBMIT_AGAIN: messages.SubmitJobResult,
    Purpose.RESOLVE: messages.JobStatus,
    Purpose.STATUS: messages.JobStatus,
    Purpose.POLL: messages.JobStatus,
    Purpose.CANCEL: messages.CancelResult,
}


class Exchange(Protocol):
    """What a round trip is for: how its turn begins, and what each way to end means. The last three
    are called when the round trip has ended already.
    """

    def begin(self, subject: str) -> Optional[ToolError]:
        """Its turn has come. It may come to nothing, if what it was for has ended while it waited.

        Returns why nothing left this process. If the connection is gone, the turn is first in the
        queue again; everything else has been dealt with.
        """

    def answered(self, trip: RoundTrip, answer: Answer) -> None:
        """``answer`` is of the kind in ``EXPECTED``, an ``ErrorMessage``, or a ``Fault``."""

    def timed_out(self, trip: RoundTrip) -> None: ...

    def interrupted(self, trip: RoundTrip) -> None: ...


class RoundTrips:
    """For the executor thread alone. Each method takes the round trip out of the ledger before it
    calls the exchange, which may begin the next one.
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        # What each round trip is for. ``wiring.py`` sets it: the rooms of the exchanges are above
        # this one.
        self.exchanges: Mapping[Purpose, Exchange] = {}

    def answered(self, change: AnswerCame) -> None:
        """End the round trip if ``change`` answers it; log what nobody waits for."""
        trip, answer = self._core.ledger.in_flight, change.answer
        # The session is compared too: a late answer on a replaced connection must not end the round
        # trip that was sent again on the new one, or its true answer would come as one without a
        # waiting call.
        if (
            trip is None
            or change.request_id != trip.request_id
            or trip.session_id != change.session_id
        ):
            if not isinstance(answer, messages.Fault):
                # Late, doubled, or not asked for, such as an older plugin's error for a ping that
                # it does not know.
                name = messages.type_name(answer)
                text = f"dropped: {name} without a waiting call"
                self._core.limited_log.info(f"dropped {name}", text, request_id=change.request_id)
            return
        self._core.end_round_trip(trip)
        expected = EXPECTED[trip.purpose]
        if not isinstance(answer, (expected, messages.ErrorMessage, messages.Fault)):
            text = f"expected {expected.__name__}, got '{messages.type_name(answer)}'"
            answer = messages.Fault(ErrorCode.INVALID_RESPONSE, text)
        elif isinstance(answer, messages.JobStatus) and answer.job_id != trip.job_id:
            answer = messages.Fault(ErrorCode.INVALID_RESPONSE, "it is about another job")
        self.exchanges[trip.purpose].answered(trip, answer)

    def overflowed(self, change: MessageOverflowed) -> None:
        trip = self._core.ledger.in_flight
        if trip is not None:
            fault = Overflow(
                ErrorCode.INVALID_RESPONSE,
                f"it is over {self._core.config.max_message_bytes} bytes",
            )
            self.answered(AnswerCame(change.session_id, trip.request_id, fault))

    def timed_out(self, request_id: str) -> None:
        """End the round trip, because its deadline has passed."""
        trip = self._core.ledger.in_flight
        assert trip is not None and trip.request_id == request_id  # its end takes the deadline away
        self._core.log.warning(
            f"no answer from Unity in time: {trip.purpose.value}", request_id=request_id
        )
        self._core.end_round_trip(trip)
        self.exchanges[trip.purpose].timed_out(trip)

    def session_lost(self, change: SessionLost) -> None:
        """End the round trip, because the connection is lost.

        A read keeps its round trip, to be sent again (``Reads.interrupted``), for as long as the
        editor may take to come back.
        """
        trip = self._core.ledger.in_flight
        if trip is not None and trip.session_id is not None:
            self._core.log.info(
                f"connection lost during {trip.purpose.value}", request_id=trip.request_id
            )
            self._core.end_round_trip(trip)
            self.exchanges[trip.purpose].interrupted(trip)
        in_flight = self._core.ledger.in_flight
        if in_flight is not None:
            self._core.deadlines.set(
                Due.RECONNECT, in_flight.request_id, self._core.now() + change.back_within_s
            )

    def session_opened(self, _: object) -> None:
        """Let the kept read wait for the editor to be ready, no longer for a connection, because an
        editor is back.
        """
        trip = self._core.ledger.in_flight
        if trip is not None:
            self._core.deadlines.clear(Due.RECONNECT, trip.request_id)

    def give_up(self, request_id: str) -> None:
        """End a round trip that a bug of ours lost track of, so that the queue moves on."""
        trip = self._core.ledger.in_flight
        if trip is not None and trip.request_id == request_id:
            self._core.end_round_trip(trip)
