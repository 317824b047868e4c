"""``Ledger``: everything that the executor knows, as frozen records behind one lock; the queue; the
deadlines.

Only the executor thread writes. Each kind of record has one room that writes it: ``sharing`` writes
``server`` and ``listener``, ``editor`` writes ``sessions``, ``editor``, ``version`` and
``active_id``, ``calls`` writes ``requests``, ``jobs`` writes ``jobs``. The queue is written by the
methods below. Any thread may read a record at any time: records are frozen, so a record that a
reader holds never changes under it.

The lock is held for one assignment, never while a handler or a callback runs. Therefore two reads
in a row may show two different moments to any thread but the executor, which is the only writer and
sees no change between its own steps.
"""

from __future__ import annotations

import threading
from enum import Enum
from typing import Any, Callable, Dict, Generic, List, Optional, Tuple, TypeVar, Union

from unity_bridge.base.frozen import changed
from unity_bridge.core.ledger import machines
from unity_bridge.core.ledger.deadlines import Deadlines, Due
from unity_bridge.core.ledger.machines import (
    EditorState,
    ListenerState,
    RequestState,
    ServerState,
    SessionState,
    Table,
)
from unity_bridge.core.ledger.records import (
    EDITOR_ID,
    LISTENER_ID,
    SERVER_ID,
    EditorIdentity,
    EditorRecord,
    Id,
    JobRecord,
    ListenerRecord,
    Parked,
    Purpose,
    Record,
    RequestRecord,
    RoundTrip,
    ServerRecord,
    SessionRecord,
    Trust,
    Turn,
    VersionRecord,
)
from unity_bridge.log.logger import Logger

# Turns that a client waits for, or that carry a client's job: these count against the bound of the
# queue.
COUNTED = (Purpose.EXECUTE, Purpose.SUBMIT, Purpose.STATUS)


R = TypeVar("R", bound=Record)
V = TypeVar("V")
# Called after a transition: the machine, the state before, the event, and the record as it is now.
Observer = Callable[[str, Any, Enum, Record], None]


class _Changes:
    """The ledger's one lock, and the threads that wait for a change.

    A script's thread waits now and then, a server's never. ``waiting`` saves the writer a
    ``notify_all`` for each of the ten records that an ordinary call writes.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._happened = threading.Condition(self.lock)
        self.waiting = 0  # guarded by lock

    def notify(self) -> None:
        """Wake every waiting thread. The caller holds the lock."""
        if self.waiting:
            self._happened.notify_all()

    def wait_for(self, condition: Callable[[], bool], timeout_s: Optional[float]) -> bool:
        with self.lock:
            self.waiting += 1
            try:
                return self._happened.wait_for(condition, timeout_s)
            finally:
                self.waiting -= 1


class RecordStore(Generic[R]):
    """All records of one machine, by id. Dictionaries keep their order: the oldest record comes
    first.
    """

    def __init__(self, machine: str, table: Table, changes: _Changes, observer: Observer) -> None:
        self._machine = machine
        self._table = table
        self._changes = changes
        self._lock = changes.lock
        self._observer = observer
        self._records: Dict[
            Optional[Id], R
        ] = {}  # guarded by _lock, but for looking up one; None is no record's id
        # No lock: looking up one key of a dict is atomic, and the record found is frozen. ``known``
        # raises KeyError.
        self.get: Callable[[Optional[Id]], Optional[R]] = self._records.get
        self.known: Callable[[Id], R] = self._records.__getitem__

    def add(self, record: R) -> R:
        """Add a record, or replace the one of its id."""
        with self._lock:
            self._records[record.id] = record
            self._changes.notify()
        return record

    def transition(self, id: Id, event: Enum, **changes: Any) -> Optional[R]:
        """Move ``id`` along ``event`` and set ``changes`` with it; return the record as it is now.

        None: the table has no such cell, as the event is late, or came twice. The caller logs and
        drops it.
        """
        record = self._records.get(id)
        state = None if record is None else self._table[record.state].get(event)
        if record is None or state is None:
            return None
        moved = changed(record, state=state, **changes)
        with self._lock:
            self._records[id] = moved
            self._changes.notify()
        self._observer(self._machine, record.state, event, moved)
        return moved

    def stays(self, id: Id, event: Enum) -> str:
        """Why ``event`` moved nothing, for the log."""
        record = self._records.get(id)
        state = "not known" if record is None else record.state.value
        return f"{self._machine} {id} is {state}: '{event.value}' moves nothing"

    def amend(self, id: Id, **changes: Any) -> R:
        """Set what is known of ``id`` without moving it."""
        return self.add(changed(self._records[id], **changes))

    def forget(self, id: Id) -> None:
        with self._lock:
            self._records.pop(id, None)

    def all(self) -> List[R]:
        with self._lock:
            return list(self._records.values())

    def has_ended(self, record: R) -> bool:
        """Whether nothing can happen to it any more."""
        return not self._table[record.state]


class ValueStore(Generic[V]):
    """One value that is replaced as a whole. Any thread may read ``value``; only ``put`` sets it."""

    def __init__(self, value: V, changes: _Changes) -> None:
        self._changes = changes
        self._lock = changes.lock
        self.value = value  # written under _lock

    def put(self, value: V) -> V:
        with self._lock:
            self.value = value
            self._changes.notify()
        return value


class Ledger:
    """The stores, the queue and the deadlines. ``observer`` is called after each transition (the
    log).
    """

    def __init__(
        self, server_version: str, observer: Observer = lambda machine, before, event, record: None
    ) -> None:
        self._changes = changes = _Changes()
        self.lock = changes.lock
        self.deadlines = Deadlines()

        def records(machine: str, table: Table) -> RecordStore[Any]:
            return RecordStore(machine, table, changes, observer)

        self.server: RecordStore[ServerRecord] = records("server", machines.SERVER)
        self.listener: RecordStore[ListenerRecord] = records("listener", machines.LISTENER)
        self.sessions: RecordStore[SessionRecord] = records("session", machines.SESSION)
        self.requests: RecordStore[RequestRecord] = records("request", machines.REQUEST)
        self.jobs: RecordStore[JobRecord] = records("job", machines.JOB)
        self.editor: RecordStore[EditorRecord] = records("editor", machines.EDITOR)
        # The queue: turns in order of arrival, parked ones included, and the round trip that has
        # left it. Written by the methods of the queue alone. No lock: each is one reference to what
        # never changes.
        self.turns: Tuple[Turn, ...] = ()
        self.in_flight: Optional[RoundTrip] = None
        self.version: ValueStore[VersionRecord] = ValueStore(VersionRecord(server_version), changes)
        self.active_id: ValueStore[Optional[int]] = ValueStore(None, changes)

        self.server.add(ServerRecord(SERVER_ID, ServerState.BOOTING))
        self.listener.add(ListenerRecord(LISTENER_ID, ListenerState.CLOSED))
        self.editor.add(EditorRecord(EDITOR_ID, EditorState.UNKNOWN))

    # Questions about data. None of them decides anything.

    @property
    def is_plugin_proven(self) -> bool:
        """Whether the plugin in session has proved that it runs as the same user (SPEC §17)."""
        session = self.session
        return session is not None and session.is_trusted

    @property
    def session(self) -> Optional[SessionRecord]:
        """The active session, or None."""
        return self.sessions.get(self.active_id.value)

    @property
    def identity(self) -> Optional[EditorIdentity]:
        """The editor that is connected, or None."""
        session = self.session
        if session is None:
            return None
        return session.identity

    @property
    def editor_now(self) -> EditorRecord:
        return self.editor.known(EDITOR_ID)

    @property
    def server_now(self) -> ServerRecord:
        return self.server.known(SERVER_ID)

    @property
    def listener_now(self) -> ListenerRecord:
        return self.listener.known(LISTENER_ID)

    def editor_is_ready(self) -> bool:
        """Whether a message may leave now: a session is active, its editor is ready, and its trust
        is decided.
        """
        if self.editor_now.state is not EditorState.READY:
            return False
        session = self.session
        return session is not None and session.trust is not Trust.AWAITED

    def open_requests(self) -> List[RequestRecord]:
        """Every request that is owed an answer, the oldest first."""
        return [record for record in self.requests.all() if not self.requests.has_ended(record)]

    def wait_until(self, condition: Callable[[], bool], timeout_s: Optional[float] = None) -> bool:
        """Block the calling thread until ``condition`` holds (checked at every change); False if
        time ran out.
        """
        return self._changes.wait_for(condition, timeout_s)

    # The queue: first come, first served. It holds only what needs a round trip to Unity. A call
    # that the ledger can answer has ended before the next event, so it never waits for the editor
    # (SPEC §4, ADR-0003).

    def counts(self) -> Tuple[int, int]:
        """``(parked, queued)`` calls and jobs."""
        counted = [turn for turn in self.turns if turn.purpose in COUNTED]
        parked = sum(1 for turn in counted if turn.parked is not None)
        return parked, len(counted) - parked

    def is_full(self, most: int) -> bool:
        """Whether ``most`` calls and jobs wait already (SPEC §4.1)."""
        return len(self.turns) >= most and sum(self.counts()) >= most

    def join(self, purpose: Purpose, subject: str, parked: Optional[Parked] = None) -> None:
        """Take the last place in the queue."""
        self.turns = (*self.turns, Turn(purpose, subject, parked))

    def join_by_arrival(self, purpose: Purpose, request_id: str, parked: Parked) -> None:
        """Take the place that the call's arrival gives it: a call that comes back from a lost owner
        of the port goes before those that came after it.
        """
        arrived = {record.id: place for place, record in enumerate(self.requests.all())}
        turns = list(self.turns)
        later = (
            place
            for place, turn in enumerate(turns)
            if arrived.get(turn.subject, -1) > arrived[request_id]
        )
        turns.insert(next(later, len(turns)), Turn(purpose, request_id, parked))
        self.turns = tuple(turns)
        self.deadlines.set(Due.PARKED, request_id, parked.deadline)

    def join_first(self, purpose: Purpose, subject: str) -> None:
        """Take the first place: for work that was under way when the connection broke."""
        self.turns = (Turn(purpose, subject), *self.turns)

    def replace(self, old: Turn, new: Turn) -> None:
        """Give ``old``'s place to ``new``."""
        self.turns = tuple(new if turn is old else turn for turn in self.turns)

    def leave(self, subject: str) -> bool:
        """Leave the queue; whether there was such a turn."""
        turns = self.turns
        self.turns = tuple(turn for turn in turns if turn.subject != subject)
        self.deadlines.clear(Due.PARKED, subject)
        return len(self.turns) < len(turns)

    def find(self, subject: str, purpose: Purpose) -> Optional[Turn]:
        return next(
            (turn for turn in self.turns if turn.subject == subject and turn.purpose is purpose),
            None,
        )

    def parked(self) -> List[Turn]:
        """Every turn that waits for the editor."""
        return [turn for turn in self.turns if turn.parked is not None]

    def park(self, limit: Callable[[Turn], Parked]) -> List[Turn]:
        """Park every counted turn, or set its limit again; returns the parked turns.

        A turn that no client waits for has no deadline and stays as it is.
        """
        self.turns = tuple(
            changed(turn, parked=limit(turn)) if turn.purpose in COUNTED else turn
            for turn in self.turns
        )
        parked = self.parked()
        for turn in parked:
            assert turn.parked is not None
            self.deadlines.set(Due.PARKED, turn.subject, turn.parked.deadline)
        return parked

    def unpark(self) -> List[Turn]:
        """Let every parked turn go in its old place, because the editor is ready; return those that
        were parked.
        """
        parked = self.parked()
        self.turns = tuple(changed(turn, parked=None) for turn in self.turns)
        for turn in parked:
            self.deadlines.clear(Due.PARKED, turn.subject)
        return parked

    def take(self) -> Optional[Turn]:
        """Take the first turn out of the queue; return None if there is none or a round trip is
        under way.
        """
        turns = self.turns
        if self.in_flight is not None or not turns or turns[0].parked is not None:
            return None
        self.turns = turns[1:]
        return turns[0]

    def depart(self, trip: RoundTrip) -> None:
        """``trip`` is under way: nothing else leaves the queue until it has ended."""
        self.in_flight = trip

    def arrive(self) -> None:
        """End the round trip."""
        self.in_flight = None


class TransitionLog:
    """The ledger's observer. What is minor is for ``debug``, all else for ``info``.

    The straight way of a request is logged once, at its end. Minor is a request that goes well
    (SPEC §21.3), and the end of a connection that never became the session, which anybody can
    provoke.
    """

    def __init__(self, log: Logger) -> None:
        self._log = log

    def __call__(self, machine: str, before: Any, event: Enum, record: Record) -> None:
        is_request = isinstance(record, RequestRecord)
        if before is record.state and not is_request:
            return  # nothing but news of a state that goes on
        if is_request and _STRAIGHT_ON.get(before) is record.state:
            return  # its end is logged, and a call that goes well costs one line
        is_minor = _went_well(record) or (
            before is SessionState.PENDING and record.state is SessionState.ENDED
        )
        if is_minor and not self._log.debugging:
            return
        report = self._log.debug if is_minor else self._log.info
        report(
            f"{machine} {before.value} -> {record.state.value}",
            event=event.value,
            **_ids_of(record),
        )


_STRAIGHT_ON = {
    RequestState.RECEIVED: RequestState.QUEUED,
    RequestState.QUEUED: RequestState.RUNNING,
}


def _went_well(record: Record) -> bool:
    """Return whether a request has succeeded, or is on its way."""
    return isinstance(record, RequestRecord) and (
        record.state is RequestState.SUCCEEDED or bool(machines.REQUEST[record.state])
    )


def _ids_of(record: Record) -> Dict[str, Union[int, str, None]]:
    if isinstance(record, SessionRecord):
        return {"session": record.id}
    if isinstance(record, RequestRecord):
        call = record.call
        return {
            "tool": call.tool.name,
            "request_id": record.id,
            "client_request_id": call.client_request_id,
            "job_id": call.params.get("job_id"),
        }
    if isinstance(record, JobRecord):
        client_request_id = record.call.client_request_id if record.call else None
        return {
            "job_id": record.id,
            "request_id": record.request_id,
            "client_request_id": client_request_id,
        }
    return {}
