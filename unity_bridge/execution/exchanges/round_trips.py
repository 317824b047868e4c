"""``RoundTrips``: the way of one message to Unity, and of its answer back (SPEC §4.2).

At most one is under way, and nothing else leaves the line until it has ended.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Callable, Optional

from unity_bridge.clock import Clock
from unity_bridge.errors import ErrorCode, ToolError
from unity_bridge.execution import answers
from unity_bridge.execution.deadlines import Deadlines
from unity_bridge.execution.request_scheduler import RequestScheduler
from unity_bridge.state.stores import EditorIdentity, RoundTrip, SessionRecord
from unity_bridge.unity.bridge_client import Sent, UnityBridgeClient
from unity_bridge.unity.messages import Message

ROUND_TRIP_OVER = "round trip over"
RECONNECT_OVER = "reconnect window over"


class RoundTrips:
    """For the executor thread alone. ``session`` is the editor's, while there is one."""

    def __init__(
        self,
        scheduler: RequestScheduler,
        deadlines: Deadlines,
        bridge: UnityBridgeClient,
        session: Callable[[], Optional[SessionRecord]],
        max_message_bytes: int,
        clock: Clock,
    ) -> None:
        self._scheduler = scheduler
        self._deadlines = deadlines
        self._bridge = bridge
        self._session = session
        self._max_message_bytes = max_message_bytes
        self._clock = clock

    @property
    def in_flight(self) -> Optional[RoundTrip]:
        return self._scheduler.in_flight

    @property
    def identity(self) -> Optional[EditorIdentity]:
        """Who is at the other end."""
        session = self._session()
        return None if session is None else session.identity

    def send(self, trip: RoundTrip, message: Message, budget_ms: int) -> Optional[ToolError]:
        """Put ``message`` on its way and ``trip`` with it; or say why nothing left this process."""
        session = self._session()
        sent = Sent.GONE if session is None else self._bridge.send(int(session.id), message)
        if sent is Sent.TOO_LARGE:
            return answers.too_large(self._max_message_bytes)
        if session is None or sent is Sent.GONE:
            return answers.disconnected_before_send()
        deadline = self._clock.now() + budget_ms / 1000
        self._scheduler.depart(replace(trip, session_id=session.id, deadline=deadline))
        self._deadlines.set(ROUND_TRIP_OVER, trip.request_id, deadline)
        return None

    def keep(self, trip: RoundTrip) -> None:
        """Its connection is gone: it keeps the line, its id and its deadline, and waits to be sent again."""
        self._scheduler.depart(replace(trip, session_id=None))
        self._deadlines.set(ROUND_TRIP_OVER, trip.request_id, trip.deadline)

    def send_again(self, trip: RoundTrip, message: Message) -> bool:
        """Put a kept trip on its way once more; False if that was not possible either."""
        session = self._session()
        if session is None or self._bridge.send(int(session.id), message) is not Sent.HANDED_OVER:
            return False
        self._scheduler.depart(replace(trip, session_id=session.id, was_sent_before=True))
        return True

    def end(self, trip: RoundTrip) -> None:
        """It is over, however: the line may move on."""
        self._deadlines.clear(ROUND_TRIP_OVER, trip.request_id)
        self._deadlines.clear(RECONNECT_OVER, trip.request_id)
        self._scheduler.arrive()


def is_disconnected(error: Optional[ToolError]) -> bool:
    """Whether nothing left this process because the connection is gone."""
    return error is not None and error.code is ErrorCode.UNITY_DISCONNECTED
