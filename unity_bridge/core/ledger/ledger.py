"""``StateStores``: the ledger. One lock, one ``transition()``, frozen records (SPEC §1.3, ADR-0005 "StateStores").

Only the executor thread writes, and only through the manager that owns a store. Any thread may read a record: records
are frozen, so what a reader holds never changes under it. Nothing here calls out while the lock is held; the one
observer (the log) hears of a transition after the lock is released.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from enum import Enum
from typing import Any, Callable, Dict, Generic, List, Optional, TypeVar

from unity_bridge.base.frozen import changed
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.core.ledger import machines
from unity_bridge.core.ledger.machines import EditorState, ListenerState, ServerState, Table
from unity_bridge.core.ledger.records import (
    EDITOR_ID,
    LISTENER_ID,
    SERVER_ID,
    EditorRecord,
    Id,
    JobRecord,
    ListenerRecord,
    QueueRecord,
    Record,
    RequestRecord,
    ServerRecord,
    SessionRecord,
    VersionRecord,
)


@dataclass(frozen=True)
class TransitionRefused:
    """A transition that the table does not have: late, doubled, or out of place. To be logged and dropped."""

    machine: str
    id: Id
    state: Optional[str]
    event: str

    def __str__(self) -> str:
        return f"{self.machine} {self.id} is {self.state or 'not known'}: '{self.event}' moves nothing"


R = TypeVar("R", bound=Record)
V = TypeVar("V")
# Is told of a move that was made: the machine, the state before, the event, and the record as it is now.
Observer = Callable[[str, Any, Enum, Record], None]


class _Changes:
    """The ledger's lock, and whoever waits for a change: a script at times, and in a server nobody."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._happened = threading.Condition(self.lock)
        self.waiting = 0  # guarded by lock

    def tell(self) -> None:
        """Something has changed, and somebody is ``waiting``. With the lock held."""
        self._happened.notify_all()

    def wait_for(self, condition: Callable[[], bool], timeout_s: Optional[float]) -> bool:
        with self.lock:
            self.waiting += 1
            try:
                return self._happened.wait_for(condition, timeout_s)
            finally:
                self.waiting -= 1


class RecordStore(Generic[R]):
    """All records of one machine, by id. Dictionaries keep their order: the oldest record comes first."""

    def __init__(self, machine: str, table: Table, changes: _Changes, observer: Observer) -> None:
        self._machine = machine
        self._table = table
        self._changes = changes
        self._lock = changes.lock
        self._observer = observer
        self._records: Dict[Id, R] = {}  # guarded by _lock, but for looking up one
        # No lock: one look-up is atomic, and what it finds is frozen. ``known`` is for one that is known to be there.
        self.get: Callable[[Id], Optional[R]] = self._records.get
        self.known: Callable[[Id], R] = self._records.__getitem__

    def add(self, record: R) -> R:
        """A new record."""
        with self._lock:
            self._records[record.id] = record
            if self._changes.waiting:
                self._changes.tell()
        return record

    def transition(self, id: Id, event: Enum, **changes: Any) -> Result[R, TransitionRefused]:
        """Move ``id`` along ``event`` and set ``changes`` with it; ``Err`` where the table has no such cell."""
        with self._lock:
            record = self._records.get(id)
            if record is None:
                return Err(TransitionRefused(self._machine, id, None, event.value))
            state = self._table[record.state].get(event)
            if state is None:
                return Err(TransitionRefused(self._machine, id, record.state.value, event.value))
            moved = changed(record, state=state, **changes)
            self._records[id] = moved
            if self._changes.waiting:
                self._changes.tell()
        self._observer(self._machine, record.state, event, moved)
        return Ok(moved)

    def amend(self, id: Id, **changes: Any) -> R:
        """Set what is known of ``id`` without moving it."""
        with self._lock:
            amended = changed(self._records[id], **changes)
            self._records[id] = amended
            if self._changes.waiting:
                self._changes.tell()
        return amended

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
    """One value that is replaced whole. Anybody may read ``value``, and nobody sets it but ``put``."""

    def __init__(self, value: V, changes: _Changes) -> None:
        self._changes = changes
        self._lock = changes.lock
        self.value = value  # written under _lock

    def put(self, value: V) -> V:
        with self._lock:
            self.value = value
            if self._changes.waiting:
                self._changes.tell()
        return value


class StateStores:
    """The ledger's stores. Who writes which: see each line; everybody may read."""

    def __init__(self, server_version: str, observer: Observer = lambda machine, before, event, record: None) -> None:
        self._changes = changes = _Changes()
        # Guards every change to the stores. Held for a few assignments, never across I/O or a callback.
        self.lock = changes.lock

        def records(machine: str, table: Table) -> RecordStore[Any]:
            return RecordStore(machine, table, changes, observer)

        # connection_store: ServerLife (server, listener) and ReconnectController (sessions)
        self.server: RecordStore[ServerRecord] = records("server", machines.SERVER)
        self.listener: RecordStore[ListenerRecord] = records("listener", machines.LISTENER)
        self.sessions: RecordStore[SessionRecord] = records("session", machines.SESSION)
        # request_store, queue_store: RequestScheduler
        self.requests: RecordStore[RequestRecord] = records("request", machines.REQUEST)
        self.queue: ValueStore[QueueRecord] = ValueStore(QueueRecord(), changes)
        # job_store: JobManager
        self.jobs: RecordStore[JobRecord] = records("job", machines.JOB)
        # editor, version_store: EditorStateTracker
        self.editor: RecordStore[EditorRecord] = records("editor", machines.EDITOR)
        self.version: ValueStore[VersionRecord] = ValueStore(VersionRecord(server_version), changes)

        self.server.add(ServerRecord(SERVER_ID, ServerState.BOOTING))
        self.listener.add(ListenerRecord(LISTENER_ID, ListenerState.CLOSED))
        self.editor.add(EditorRecord(EDITOR_ID, EditorState.UNKNOWN))

    def editor_is_ready(self) -> bool:
        """Whether a round trip may leave now: there is an active session, its editor is ready, and it is known whether
        it is trusted."""
        server = self.server.known(SERVER_ID)
        return (
            server.state is ServerState.READY
            and not server.awaits_proof
            and self.editor.known(EDITOR_ID).state is EditorState.READY
        )

    def wait_until(self, condition: Callable[[], bool], timeout_s: Optional[float] = None) -> bool:
        """Block the calling thread until ``condition`` holds (checked at every change); False if time ran out."""
        return self._changes.wait_for(condition, timeout_s)
