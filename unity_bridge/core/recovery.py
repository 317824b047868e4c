"""``Recovery``: an exception of ours broke the handling of an event, and no call waits for ever for
it (SPEC §8).
"""

from __future__ import annotations

from typing import Optional

from unity_bridge.core.calls.room import CallsRoom
from unity_bridge.core.context import Core
from unity_bridge.core.events import DeadlinePassed, Event
from unity_bridge.core.jobs.room import JobsRoom
from unity_bridge.core.ledger.records import Id
from unity_bridge.core.round_trip import RoundTrips
from unity_bridge.core.sharing.forwarding import Forwarding
from unity_bridge.unity.bridge_client import PeerFaulted, PeerSaid


class Recovery:
    """For the executor thread alone."""

    def __init__(
        self,
        core: Core,
        round_trips: RoundTrips,
        jobs: JobsRoom,
        calls: CallsRoom,
        forwarding: Forwarding,
    ) -> None:
        self._core = core
        self._round_trips = round_trips
        self._jobs = jobs
        self._calls = calls
        self._forwarding = forwarding

    def after(self, event: Event) -> None:
        """End what the broken ``event`` was about, and every call and job that the exception left
        without a place.
        """
        about = self._subject_of(event)
        if isinstance(about, str):
            self._round_trips.give_up(about)
            self.give_up(about)
        self._give_up_the_forgotten()

    def give_up(self, request_id: str) -> None:
        """Answer this call, if it is still owed an answer."""
        self._forwarding.drop(request_id)
        self._calls.give_up(request_id)

    def _give_up_the_forgotten(self) -> None:
        """Every open call has a turn or the round trip, waits for a job, or is with the owner of
        the port.

        Each of these is asked whether it has the call. The state of the call alone proves nothing:
        the exception may have come between the end of a wait and the answer.
        """
        ledger = self._core.ledger
        trip = ledger.in_flight
        placed = {turn.subject for turn in ledger.turns} | {trip.request_id if trip else ""}
        placed |= self._forwarding.forwarded | set(self._calls.waits.all())
        for request in ledger.open_requests():
            if request.id not in placed:
                self.give_up(request.id)
        self._jobs.submissions.give_up_the_forgotten()
        self._jobs.polls.see_to_all()

    def _subject_of(self, event: Event) -> Optional[Id]:
        """Return the id of the request that ``event`` is about, as far as it says.

        A peer may name any call, also one that still waits for its turn. Its message is about the
        round trip under way.
        """
        if isinstance(event, DeadlinePassed):
            return event.id
        if not isinstance(event, (PeerSaid, PeerFaulted)):
            return getattr(event, "request_id", None)
        source, trip = (
            event.message if isinstance(event, PeerSaid) else event.fault,
            self._core.ledger.in_flight,
        )
        is_answer = trip is not None and trip.request_id == getattr(source, "request_id", None)
        if trip is not None and is_answer and trip.session_id == event.peer_id:
            return trip.request_id
        return None
