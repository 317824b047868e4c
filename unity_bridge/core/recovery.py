"""``BugRecovery``: an exception of ours broke the handling of an event, and nobody waits for ever for it (SPEC §8)."""

from __future__ import annotations

from typing import Optional

from unity_bridge.core import answers
from unity_bridge.core.calls.answer import Replies
from unity_bridge.core.calls.waiting import JobWaits
from unity_bridge.core.dispatcher import ExchangeDispatcher
from unity_bridge.core.events import DeadlinePassed, Event
from unity_bridge.core.jobs.jobs import JobManager
from unity_bridge.core.jobs.polling import Polls
from unity_bridge.core.jobs.submission import Submissions
from unity_bridge.core.ledger.machines import RequestEvent, RequestState
from unity_bridge.core.ledger.queue import RequestScheduler
from unity_bridge.core.ledger.records import Id
from unity_bridge.core.sharing.forwarding import Forwarding
from unity_bridge.unity.bridge_client import PeerFaulted, PeerSaid


class BugRecovery:
    """For the executor thread alone."""

    def __init__(
        self,
        scheduler: RequestScheduler,
        jobs: JobManager,
        replies: Replies,
        waits: JobWaits,
        exchanges: ExchangeDispatcher,
        submissions: Submissions,
        polls: Polls,
        forwarding: Forwarding,
    ) -> None:
        self._scheduler = scheduler
        self._jobs = jobs
        self._replies = replies
        self._waits = waits
        self._exchanges = exchanges
        self._submissions = submissions
        self._polls = polls
        self._forwarding = forwarding

    def after(self, event: Event) -> None:
        """End what the broken ``event`` was about, and whatever its handling had in hand, such as the next turn."""
        about = _subject_of(event)
        if isinstance(about, str):
            self._exchanges.give_up(about)
            self._submissions.give_up(about)
            self.give_up(about)
        self._give_up_the_forgotten()

    def _give_up_the_forgotten(self) -> None:
        """Every open call is in the queue, in Unity, with the owner of the port, or waits for a job.

        Each of these is asked whether it has the call. The state of the call alone proves nothing: the bug may have
        come between the end of a wait and the answer.
        """
        trip = self._scheduler.in_flight
        placed = {turn.subject for turn in self._scheduler.turns} | {trip.request_id if trip else ""}
        placed |= self._forwarding.forwarded() | set(self._waits.all())
        for request in self._scheduler.open_requests():
            if request.id not in placed:
                self.give_up(request.id)
        self._submissions.give_up_the_forgotten()
        for job in self._jobs.running():
            self._polls.later(job)

    def give_up(self, request_id: str) -> None:
        """Answer a call that a bug of ours has struck, if it is still owed an answer."""
        request = self._scheduler.request(request_id)
        if request is None or self._scheduler.has_ended(request):
            return
        was_in_queue = self._scheduler.leave(request_id)
        self._waits.leave(request_id)
        self._forwarding.drop(request_id)
        was_being_sent = request.state is RequestState.QUEUED and not was_in_queue
        has_left = was_being_sent or request.state in (RequestState.RUNNING, RequestState.FORWARDED)
        self._replies.fail(request_id, RequestEvent.BUG, answers.bug("it handled the call", has_left))


def _subject_of(event: Event) -> Optional[Id]:
    """The id of the request that ``event`` is about, as far as it says."""
    if isinstance(event, DeadlinePassed):
        return event.id
    told = {PeerSaid: "message", PeerFaulted: "fault"}.get(type(event))
    subject: Optional[str] = getattr(event if told is None else getattr(event, told), "request_id", None)
    return subject
