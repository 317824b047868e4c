"""``StateStores``: the ledger. One lock, one ``transition()``, frozen records (SPEC §1.3, ADR-0005 "StateStores").

Only the executor thread writes, and only through the manager that owns a store. Any thread may read a record: records
are frozen, so what a reader holds never changes under it. Nothing here calls out while the lock is held; the one
observer (the log) hears of a transition after the lock is released.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Callable, Dict, Generic, List, Mapping, Optional, Tuple, TypeVar

from unity_bridge.calls import Call
from unity_bridge.errors import ErrorCode, ToolError
from unity_bridge.result import Err, Ok, Result
from unity_bridge.state import machines
from unity_bridge.state.machines import (
    EditorState,
    JobState,
    ListenerState,
    RequestState,
    ServerState,
    SessionState,
    Table,
)


@dataclass(frozen=True)
class Record:
    """One life: ``id`` names it, ``state`` is a key of its table."""

    id: str
    state: Any


@dataclass(frozen=True)
class ServerRecord(Record):
    state: ServerState


@dataclass(frozen=True)
class ListenerRecord(Record):
    """``holder`` describes the process that has the port, if it is not ours and could be told.

    ``remark`` is why its owner, a unity-bridge too, was not attached to. ``clients`` is how many other servers are
    attached to this one.
    """

    state: ListenerState
    port: Optional[int] = None
    reason: Optional[str] = None
    holder: Optional[str] = None
    remark: Optional[str] = None
    clients: int = 0


@dataclass(frozen=True)
class EditorIdentity:
    """What a plugin's ``hello`` says of the editor it lives in; all but the version is optional (SPEC §7.2).

    ``jobs``: the job ids it still knows; ``None`` from a plugin that does not adopt ours.
    """

    plugin_version: str
    instance_id: Optional[str] = None
    unity_version: Optional[str] = None
    project_name: Optional[str] = None
    project_path: Optional[str] = None
    jobs: Optional[Tuple[str, ...]] = None


@dataclass(frozen=True)
class SessionRecord(Record):
    """``id`` is the peer's number as text. ``heard_at`` is the instant of its last message."""

    state: SessionState
    heard_at: float = 0.0
    identity: Optional[EditorIdentity] = None


@dataclass(frozen=True)
class EditorRecord(Record):
    """``busy_seen_at`` is when it was last seen to compile or reload, if it has not been ready since.

    ``seq`` is the number of the session's last ``editor_status``; the rest is what Unity tells of itself.
    """

    state: EditorState
    seq: Optional[int] = None
    stalled_ms: Optional[int] = None
    compile_errors: Optional[int] = None
    busy_seen_at: Optional[float] = None


@dataclass(frozen=True)
class RequestRecord(Record):
    """``abandoned``: its client gave it up while it ran; its end is told to nobody.

    ``may_have_run``: it was with an owner of the port that was lost, and is being repeated (SPEC §14.2).
    """

    state: RequestState
    call: Call
    arrived_at: float = 0.0
    abandoned: bool = False
    may_have_run: bool = False


class CancelProgress(Enum):
    """How far the wish to cancel a running job has come."""

    NOT_WANTED = "not wanted"
    WANTED = "wanted"
    SENT = "sent"
    UNCONFIRMED = "sent, but not known to be heard"
    ANSWERED = "answered"


@dataclass(frozen=True)
class JobRecord(Record):
    """A test run.

    ``request_id`` is the ``submit_job`` message's id. ``unity_id`` is the id Unity knows it by: ours, unless the plugin
    chose its own; ``None`` until the submission was accepted. ``instance_id`` is the editor process it was sent to;
    ``is_settleable`` says that the plugin there adopts our ids, so it can be asked for a job whose answer was lost.
    ``learnt_at`` is when Unity last told its state. ``progress`` and ``result`` are JSON as Unity sent it.
    """

    state: JobState
    call: Optional[Call] = None
    request_id: Optional[str] = None
    unity_id: Optional[str] = None
    instance_id: Optional[str] = None
    is_settleable: bool = False
    cancel: CancelProgress = CancelProgress.NOT_WANTED
    progress: Optional[Mapping[str, Any]] = None
    result: Optional[Mapping[str, Any]] = None
    error: Optional[ToolError] = None
    learnt_at: Optional[float] = None
    ended_at: Optional[float] = None

    @property
    def accepted(self) -> bool:
        return self.unity_id is not None

    @property
    def id_in_unity(self) -> str:
        """What to ask Unity for: until it has said otherwise, our own id."""
        return self.unity_id or self.id


class Purpose(Enum):
    """Why a turn in the line was taken, and so what its round trip to Unity is for."""

    EXECUTE = "execute"
    SUBMIT = "submit_job"
    SUBMIT_AGAIN = "submit_job that never arrived"
    SETTLE = "get_job_status after a lost submission"
    STATUS = "get_job_status for a client"
    CANCEL = "cancel"
    POLL = "get_job_status of our own"


@dataclass(frozen=True)
class Parked:
    """Why a turn cannot be taken yet, since when, and how long that is borne (instants)."""

    since: float
    deadline: float
    code: ErrorCode
    reason: str


@dataclass(frozen=True)
class Turn:
    """One place in the line. ``subject`` is a request id (EXECUTE, STATUS) or a job id."""

    purpose: Purpose
    subject: str
    parked: Optional[Parked] = None


@dataclass(frozen=True)
class RoundTrip:
    """The one exchange with Unity that is under way.

    ``session_id`` is ``None`` while the connection it was sent on is gone and it waits to be sent again; its
    ``deadline`` (an instant) stays the same. ``was_sent_before``: on another connection, which broke.
    """

    request_id: str
    purpose: Purpose
    subject: str
    session_id: Optional[str] = None
    deadline: float = 0.0
    was_sent_before: bool = False


@dataclass(frozen=True)
class QueueRecord:
    """The line: turns in order of arrival, parked ones included, and the round trip that left it."""

    turns: Tuple[Turn, ...] = ()
    in_flight: Optional[RoundTrip] = None


@dataclass(frozen=True)
class VersionRecord:
    """Both ends' versions; the plugin's is ``None`` until one has said ``hello``."""

    server: str
    plugin: Optional[str] = None


@dataclass(frozen=True)
class Refusal:
    """A transition that the table does not have: late, doubled, or out of place. To be logged and dropped."""

    machine: str
    id: str
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
    """All lives of one machine, by id. Dictionaries keep their order: the oldest record comes first."""

    def __init__(self, machine: str, table: Table, changed: threading.Condition, observer: Observer) -> None:
        self._machine = machine
        self._table = table
        self._changed = changed
        self._observer = observer
        self._records: Dict[str, R] = {}  # guarded by _changed, but for looking up one

    def add(self, record: R) -> R:
        """A new life in its first state."""
        with self._changed:
            self._records[record.id] = record
            self._changed.notify_all()
        return record

    def transition(self, id: str, event: Enum, **changes: Any) -> Result[R, Refusal]:
        """Move ``id`` along ``event`` and set ``changes`` with it; ``Err`` where the table has no such cell."""
        with self._changed:
            record = self._records.get(id)
            if record is None:
                return Err(Refusal(self._machine, id, None, event.value))
            state = self._table[record.state].get(event)
            if state is None:
                return Err(Refusal(self._machine, id, record.state.value, event.value))
            moved = replace(record, state=state, **changes)
            self._records[id] = moved
            self._changed.notify_all()
        self._observer(Transition(self._machine, record.state, event, moved))
        return Ok(moved)

    def amend(self, id: str, **changes: Any) -> R:
        """Set what is known of ``id`` without moving it."""
        with self._changed:
            amended = replace(self._records[id], **changes)
            self._records[id] = amended
            self._changed.notify_all()
        return amended

    def forget(self, id: str) -> None:
        with self._changed:
            self._records.pop(id, None)

    def get(self, id: str) -> Optional[R]:
        # No lock: one look-up is atomic, and what it finds is frozen.
        return self._records.get(id)

    def all(self) -> List[R]:
        with self._changed:
            return list(self._records.values())

    def has_ended(self, record: R) -> bool:
        return machines.has_ended(self._table, record.state)


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


# The machines that live once have one record each, under their own name.
SERVER_ID = "server"
LISTENER_ID = "listener"
EDITOR_ID = "editor"


class StateStores:
    """The ledger's stores. Who writes which: see each line; everybody may read."""

    def __init__(self, server_version: str, observer: Observer = lambda transition: None) -> None:
        # Guards every change to the stores. Held for a few assignments, never across I/O or a callback.
        self.changed = threading.Condition()

        def records(machine: str, table: Table) -> RecordStore[Any]:
            return RecordStore(machine, table, self.changed, observer)

        # connection_store: ReconnectController
        self.server: RecordStore[ServerRecord] = records("server", machines.SERVER)
        self.listener: RecordStore[ListenerRecord] = records("listener", machines.LISTENER)
        self.sessions: RecordStore[SessionRecord] = records("session", machines.SESSION)
        # request_store, queue_store: RequestScheduler
        self.requests: RecordStore[RequestRecord] = records("request", machines.REQUEST)
        self.queue: ValueStore[QueueRecord] = ValueStore(QueueRecord(), self.changed)
        # job_store: JobManager
        self.jobs: RecordStore[JobRecord] = records("job", machines.JOB)
        # editor, capability_store, version_store: EditorStateTracker
        self.editor: RecordStore[EditorRecord] = records("editor", machines.EDITOR)
        self.capability: ValueStore[Tuple[Mapping[str, Any], ...]] = ValueStore((), self.changed)
        self.version: ValueStore[VersionRecord] = ValueStore(VersionRecord(server_version), self.changed)

        self.server.add(ServerRecord(SERVER_ID, ServerState.BOOTING))
        self.listener.add(ListenerRecord(LISTENER_ID, ListenerState.CLOSED))
        self.editor.add(EditorRecord(EDITOR_ID, EditorState.UNKNOWN))

    def editor_is_ready(self) -> bool:
        """Whether a round trip may leave now: there is an active session and its editor is ready."""
        server, editor = self.server.get(SERVER_ID), self.editor.get(EDITOR_ID)
        return (
            server is not None
            and server.state is ServerState.READY
            and editor is not None
            and editor.state is EditorState.READY
        )

    def wait_until(self, condition: Callable[[], bool], timeout_s: Optional[float] = None) -> bool:
        """Block the calling thread until ``condition`` holds (checked at every change); False if time ran out."""
        with self.changed:
            return self.changed.wait_for(condition, timeout_s)
