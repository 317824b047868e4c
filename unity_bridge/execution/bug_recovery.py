"""``BugRecovery``: an exception of ours broke the handling of an event, and nobody waits for ever for it (SPEC §8)."""

from __future__ import annotations

from typing import Optional

from unity_bridge.execution import answers
from unity_bridge.execution.events import DeadlinePassed, Event
from unity_bridge.execution.exchanges.dispatcher import ExchangeDispatcher
from unity_bridge.execution.exchanges.submissions import Submissions
from unity_bridge.execution.replies import Replies
from unity_bridge.execution.request_scheduler import RequestScheduler
from unity_bridge.state.machines import RequestEvent, RequestState
from unity_bridge.unity.bridge_client import PeerFaulted, PeerSaid


class BugRecovery:
    """For the executor thread alone."""

    def __init__(
        self,
        scheduler: RequestScheduler,
        replies: Replies,
        exchanges: ExchangeDispatcher,
        submissions: Submissions,
    ) -> None:
        self._scheduler = scheduler
        self._replies = replies
        self._exchanges = exchanges
        self._submissions = submissions

    def after(self, event: Event) -> None:
        """End what the broken ``event`` was about, and whatever its handling had in hand, such as the next turn."""
        about = _subject_of(event)
        if about is not None:
            self._exchanges.give_up(about)
            self._submissions.give_up(about)
            self._give_up(about)
        self._give_up_the_forgotten()

    def _give_up_the_forgotten(self) -> None:
        """Every open call has its place: in the line, in Unity, with the port's owner, or watching a job."""
        trip = self._scheduler.in_flight
        placed = {turn.subject for turn in self._scheduler.turns} | {trip.request_id if trip else ""}
        for request in self._scheduler.open_requests():
            is_elsewhere = request.state is RequestState.FORWARDED or self._replies.is_watching(request.id)
            if request.id not in placed and not is_elsewhere:
                self._give_up(request.id)
        self._submissions.give_up_the_forgotten()

    def _give_up(self, request_id: str) -> None:
        request = self._scheduler.request(request_id)
        if request is None or self._scheduler.has_ended(request):
            return
        was_waiting = self._scheduler.leave(request_id)
        was_being_sent = request.state is RequestState.QUEUED and not was_waiting
        has_left = was_being_sent or request.state in (RequestState.RUNNING, RequestState.FORWARDED)
        event = {
            RequestState.RECEIVED: RequestEvent.REFUSED,
            RequestState.RUNNING: RequestEvent.MALFORMED,
        }.get(request.state, RequestEvent.STOPPED)
        self._replies.fail(request_id, event, answers.bug("it handled the call", has_left))


def _subject_of(event: Event) -> Optional[str]:
    """The id of the request that ``event`` is about, as far as it says."""
    if isinstance(event, DeadlinePassed):
        return event.id
    told = {PeerSaid: "message", PeerFaulted: "fault"}.get(type(event))
    subject: Optional[str] = getattr(event if told is None else getattr(event, told), "request_id", None)
    return subject
