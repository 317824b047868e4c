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

from unity_bridge.result import Err, Ok, Result
from unity_bridge.state import machines
from unity_bridge.state.machines import EditorState, ListenerState, ServerState, Table
from unity_bridge.state.records import (
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


@dataclass(frozen=True)
class Transition:
    """What the observer is told: a move that was made."""

    machine: str
    before: Enum
    event: Enum
    record: Record


R = TypeVar("R", bound=Record)
V = TypeVar("V")
Observer = Callable[[Transition], None]


class RecordStore(Generic[R]):
    """All records of one machine, by id. Dictionaries keep their order: the oldest record comes first."""

    def __init__(self, machine: str, table: Table, changed: threading.Condition, observer: Observer) -> None:
        self._machine = machine
        self._table = table
        self._changed = changed
        self._observer = observer
        self._records: Dict[Id, R] = {}  # guarded by _changed, but for looking up one

    def add(self, record: R) -> R:
        """A new record."""
        with self._changed:
            self._records[record.id] = record
            self._changed.notify_all()
        return record

    def transition(self, id: Id, event: Enum, **changes: Any) -> Result[R, TransitionRefused]:
        """Move ``id`` along ``event`` and set ``changes`` with it; ``Err`` where the table has no such cell."""
        with self._changed:
            record = self._records.get(id)
            if record is None:
                return Err(TransitionRefused(self._machine, id, None, event.value))
            state = self._table[record.state].get(event)
            if state is None:
                return Err(TransitionRefused(self._machine, id, record.state.value, event.value))
            moved = _with(record, state=state, **changes)
            self._records[id] = moved
            self._changed.notify_all()
        self._observer(Transition(self._machine, record.state, event, moved))
        return Ok(moved)

    def amend(self, id: Id, **changes: Any) -> R:
        """Set what is known of ``id`` without moving it."""
        with self._changed:
            amended = _with(self._records[id], **changes)
            self._records[id] = amended
            self._changed.notify_all()
        return amended

    def forget(self, id: Id) -> None:
        with self._changed:
            self._records.pop(id, None)

    def get(self, id: Id) -> Optional[R]:
        # No lock: one look-up is atomic, and what it finds is frozen.
        return self._records.get(id)

    def __len__(self) -> int:
        return len(self._records)

    def all(self) -> List[R]:
        with self._changed:
            return list(self._records.values())

    def has_ended(self, record: R) -> bool:
        return machines.has_ended(self._table, record.state)


def _with(record: R, **changes: Any) -> R:
    """``dataclasses.replace`` for records, at a fifth of its time: every call to Unity makes five of them."""
    assert record.__dict__.keys() >= changes.keys()
    changed = object.__new__(type(record))
    changed.__dict__.update(record.__dict__, **changes)
    return changed


class ValueStore(Generic[V]):
    """One value that is replaced whole."""

    def __init__(self, value: V, changed: threading.Condition) -> None:
        self._changed = changed
        self._value = value  # written under _changed

    def get(self) -> V:
        return self._value

    def put(self, value: V) -> V:
        with self._changed:
            self._value = value
            self._changed.notify_all()
        return value


class StateStores:
    """The ledger's stores. Who writes which: see each line; everybody may read."""

    def __init__(self, server_version: str, observer: Observer = lambda transition: None) -> None:
        # Guards every change to the stores. Held for a few assignments, never across I/O or a callback.
        self.changed = threading.Condition()

        def records(machine: str, table: Table) -> RecordStore[Any]:
            return RecordStore(machine, table, self.changed, observer)

        # connection_store: ServerLife (server, listener) and ReconnectController (sessions)
        self.server: RecordStore[ServerRecord] = records("server", machines.SERVER)
        self.listener: RecordStore[ListenerRecord] = records("listener", machines.LISTENER)
        self.sessions: RecordStore[SessionRecord] = records("session", machines.SESSION)
        # request_store, queue_store: RequestScheduler
        self.requests: RecordStore[RequestRecord] = records("request", machines.REQUEST)
        self.queue: ValueStore[QueueRecord] = ValueStore(QueueRecord(), self.changed)
        # job_store: JobManager
        self.jobs: RecordStore[JobRecord] = records("job", machines.JOB)
        # editor, version_store: EditorStateTracker
        self.editor: RecordStore[EditorRecord] = records("editor", machines.EDITOR)
        self.version: ValueStore[VersionRecord] = ValueStore(VersionRecord(server_version), self.changed)

        self.server.add(ServerRecord(SERVER_ID, ServerState.BOOTING))
        self.listener.add(ListenerRecord(LISTENER_ID, ListenerState.CLOSED))
        self.editor.add(EditorRecord(EDITOR_ID, EditorState.UNKNOWN))

    def editor_is_ready(self) -> bool:
        """Whether a round trip may leave now: there is an active session, its editor is ready, and it is known whether
        it is trusted."""
        server, editor = self.server.get(SERVER_ID), self.editor.get(EDITOR_ID)
        return (
            server is not None
            and server.state is ServerState.READY
            and not server.awaits_proof
            and editor is not None
            and editor.state is EditorState.READY
        )

    def wait_until(self, condition: Callable[[], bool], timeout_s: Optional[float] = None) -> bool:
        """Block the calling thread until ``condition`` holds (checked at every change); False if time ran out."""
        with self.changed:
            return self.changed.wait_for(condition, timeout_s)
