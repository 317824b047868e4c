"""Which joint states of request, turn, round trip and job are legal: the theory above
``core/ledger/machines.py``.
"""

from __future__ import annotations

from typing import Callable, Dict, Iterator, List, Set, Tuple

from tests.fakes import InMemoryBridge
from unity_bridge.catalogue.tool import Effect
from unity_bridge.core.ledger.deadlines import Due
from unity_bridge.core.ledger.machines import JobState, ListenerState, RequestState, SessionState
from unity_bridge.core.ledger.records import LISTENER_ID, JobRecord, Purpose, RequestRecord

_CALLS = (Purpose.EXECUTE, Purpose.SUBMIT, Purpose.STATUS)
# What these are for is a request. An owner of the port may know a job by an id that looks like a
# request's.
_REQUESTS = (Purpose.EXECUTE, Purpose.STATUS)
_SUBMISSIONS = (Purpose.SUBMIT, Purpose.SUBMIT_AGAIN, Purpose.RESOLVE)


def illegal(bridge: InMemoryBridge) -> List[str]:
    """What is wrong with the ledger as a whole, between two events."""
    if bridge.wiring.has_stopped:
        return []  # the queue and the deadlines are looked at no more
    return list(_JointState(bridge).faults())


class _JointState:
    def __init__(self, bridge: InMemoryBridge) -> None:
        stores = bridge.stores
        self.bridge = bridge
        self.requests: Dict[str, RequestRecord] = {
            record.id: record for record in stores.requests.all()
        }
        self.jobs: Dict[str, JobRecord] = {record.id: record for record in stores.jobs.all()}
        self.turns = stores.turns
        self.trip = stores.in_flight
        self.deadlines = set(bridge.core.deadlines)
        self.waiting: Set[str] = set(bridge.parts.waits.all())
        active = [one for one in stores.sessions.all() if one.state is SessionState.ACTIVE]
        self.session = active[0] if active else None
        self.several_sessions = len(active) > 1
        self.is_attached = stores.listener.known(LISTENER_ID).state is ListenerState.ATTACHED

    def faults(self) -> Iterator[str]:
        if self.several_sessions:
            yield "two sessions are active"
        yield from self._queue()
        yield from self._round_trip()
        for request in self.requests.values():
            wrong = self._request(request)
            if wrong:
                yield f"{wrong}: {request}"
        for job in self.jobs.values():
            wrong = self._job(job)
            if wrong:
                yield f"{wrong}: {job}"
        yield from self._deadlines()

    # The queue and what left it.

    def _queue(self) -> Iterator[str]:
        waiting = [turn for turn in self.turns if turn.purpose in _CALLS]
        if len(waiting) > self.bridge.config.queue_max_size:
            yield f"{len(waiting)} calls in the queue"
        subjects = [(turn.purpose, turn.subject) for turn in self.turns]
        if len(subjects) != len(set(subjects)):
            yield f"one stands in the queue twice: {subjects}"
        parked = [turn for turn in self.turns if turn.parked is not None]
        is_ready = self.bridge.stores.editor_is_ready()
        if is_ready and parked:
            yield f"the editor is ready, and parked are {parked}"
        if is_ready and self.trip is None and self.turns and self._can_send():
            yield f"nothing is under way, and still in the queue are {self.turns}"
        if not is_ready:
            left = [turn for turn in waiting if turn.parked is None]
            if left:
                yield f"the editor is not ready, and not parked are {left}"

    def _can_send(self) -> bool:
        """Whether the connection is one that takes messages: the news of its end may still be on
        the way.
        """
        peer = self.session and self.bridge.unity._peer(self.session.id)
        return peer is not None and bool(getattr(peer, "is_open", False))

    def _round_trip(self) -> Iterator[str]:
        trip = self.trip
        if trip is None:
            return
        if (Due.ROUND_TRIP, trip.request_id) not in self.deadlines:
            yield f"no deadline for {trip}"
        if trip.session_id is None:
            request = self.requests.get(trip.subject)
            is_read = request is not None and request.call.tool.kind is Effect.READ
            if trip.purpose is not Purpose.EXECUTE or not is_read:
                yield f"kept without a session, and no read: {trip}"
            elif request is not None and request.lost_with is None:
                yield f"it may have run, and that is not remembered: {request}"
        elif self.session is None or self.session.id != trip.session_id:
            yield f"under way on a session that is gone: {trip}"

    # Each record is in the one place that its state says.

    def _request(self, request: RequestRecord) -> str:
        turns = [
            turn for turn in self.turns if turn.subject == request.id and turn.purpose in _REQUESTS
        ]
        parked = [turn for turn in turns if turn.parked is not None]
        is_under_way = (
            self.trip is not None
            and self.trip.subject == request.id
            and self.trip.purpose in _REQUESTS
        )
        waits = request.id in self.waiting
        places: Dict[RequestState, Callable[[], bool]] = {
            RequestState.RECEIVED: lambda: False,
            RequestState.WAITING_EDITOR_READY: lambda: (
                len(turns) == len(parked) == 1 and turns[0].purpose in _REQUESTS
            ),
            RequestState.QUEUED: lambda: len(turns) == 1 and not parked,
            RequestState.RUNNING: lambda: is_under_way and not turns,
            RequestState.WAITING_JOB: lambda: (
                waits and not turns and (Due.WAIT, request.id) in self.deadlines
            ),
            RequestState.FORWARDED: lambda: self.is_attached and not turns,
        }
        if request.state not in places:
            return "has ended, and is still waited for" if turns or is_under_way or waits else ""
        if is_under_way and request.state is not RequestState.RUNNING:
            return "is under way, which its state does not say"
        if waits and request.state is not RequestState.WAITING_JOB:
            return "waits for a job, which its state does not say"
        return (
            ""
            if places[request.state]()
            else f"is not where its state says, but {turns or 'nowhere'}"
        )

    def _job(self, job: JobRecord) -> str:
        turns = [
            turn for turn in self.turns if turn.subject == job.id and turn.purpose in _SUBMISSIONS
        ]
        trip = self.trip
        is_under_way = trip is not None and trip.subject == job.id and trip.purpose in _SUBMISSIONS
        if job.state is JobState.QUEUED:
            is_one = len(turns) == 1 and turns[0].purpose is Purpose.SUBMIT and not is_under_way
            return "" if is_one else f"is queued, but its turns are {turns}"
        if job.state is JobState.RUNNING and job.call is not None and not job.accepted:
            places: List[Tuple[str, bool]] = [
                ("a turn", bool(turns)),
                ("a round trip", is_under_way),
                ("a deadline to resolve", (Due.RESOLVE, job.id) in self.deadlines),
            ]
            found = [name for name, is_there in places if is_there]
            return (
                ""
                if len(found) == 1 and len(turns) <= 1
                else f"is submitted, but has {found or 'nothing'}"
            )
        if job.state is JobState.RUNNING:
            return self._running(job)
        return ""

    def _running(self, job: JobRecord) -> str:
        if self.session is None:
            has_end = self.is_attached or (Due.JOB_LOST, job.id) in self.deadlines
            return "" if has_end else "is lost to sight, and nobody will ever say so"
        trip = self.trip
        is_asked_for = trip is not None and trip.purpose is Purpose.POLL and trip.subject == job.id
        is_scheduled = (
            Due.POLL,
            job.id,
        ) in self.deadlines or job.id in self.bridge.parts.polls_wanted
        return "" if is_asked_for or is_scheduled else "runs, and is never asked for again"

    # A deadline belongs to something that has not ended: else it is a leak, and may strike what is
    # not meant.

    def _deadlines(self) -> Iterator[str]:
        for due, id in self.deadlines:
            if not self._is_owed(due, str(id)):
                yield f"nothing is left to be due: {due.name} of {id}"

    def _is_owed(self, due: Due, id: str) -> bool:
        job, request = self.jobs.get(id), self.requests.get(id)
        if due in (Due.ROUND_TRIP, Due.RECONNECT):
            return self.trip is not None and self.trip.request_id == id
        if due in (Due.JOB, Due.JOB_LOST, Due.POLL, Due.RESOLVE):
            return job is not None and not self.bridge.stores.jobs.has_ended(job)
        if due is Due.PARKED:
            return any(turn.subject == id and turn.parked is not None for turn in self.turns)
        if due is Due.OWNER_SILENT:
            return request is not None and request.state is RequestState.FORWARDED
        if due is Due.OVER:
            return request is not None and not self.bridge.stores.requests.has_ended(request)
        if due is Due.WAIT:
            return request is not None and request.state is RequestState.WAITING_JOB
        return True
