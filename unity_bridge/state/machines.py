"""Every life in the bridge as a table: states, events, and which event leads where. Pure data (SPEC §3, §5, §7).

A table is ``{state: {event: next state}}``. An end state is an empty row, so "ended once" needs no flag: a late
event finds no cell, ``transition()`` refuses it, and whoever sent it logs and drops it. The diagrams in
ARCHITECTURE.md are drawn from these tables, and a test keeps them equal.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Mapping, Tuple


class ServerState(str, Enum):
    BOOTING = "booting"
    WAITING_EDITOR = "waiting_editor"
    READY = "ready"
    STOPPING = "stopping"
    STOPPED = "stopped"


class ServerEvent(str, Enum):
    STARTED = "started"
    HELLO_COMPLETED = "hello completed"
    SESSION_LOST = "session lost"
    STOP_REQUESTED = "stop requested"
    EVERYTHING_ENDED = "everything ended"


class ListenerState(str, Enum):
    CLOSED = "closed"
    LISTENING = "listening"
    ATTACHED = "attached"
    BLOCKED = "blocked"


class ListenerEvent(str, Enum):
    BOUND = "bound"
    BIND_FAILED = "bind failed"
    OWNER_FOUND = "owner found"
    OWNER_LOST = "owner lost"
    CLOSED = "closed"


class SessionState(str, Enum):
    PENDING = "pending"
    ACTIVE = "active"
    ENDED = "ended"


class SessionEvent(str, Enum):
    ADMITTED = "admitted"
    REFUSED = "refused"
    REPLACED = "replaced"
    SILENT = "silent"
    LOST = "lost"


class EditorState(str, Enum):
    UNKNOWN = "unknown"
    READY = "ready"
    COMPILING = "compiling"
    RELOADING = "reloading"


class EditorEvent(str, Enum):
    SAID_READY = "said ready"
    SAID_COMPILING = "said compiling"
    SAID_RELOADING = "said reloading"
    LOST = "lost"
    FORGOTTEN = "forgotten"


class RequestState(str, Enum):
    RECEIVED = "received"
    WAITING_EDITOR_READY = "waiting_editor_ready"
    QUEUED = "queued"
    RUNNING = "running"
    FORWARDED = "forwarded"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"


class RequestEvent(str, Enum):
    ADMITTED = "admitted"
    PARKED = "parked"
    REFUSED = "refused"
    FORWARDED = "forwarded"
    OWNER_LOST = "owner lost"
    JOB_ISSUED = "job issued"
    EDITOR_READY = "editor ready"
    EDITOR_LOST = "editor lost"
    PATIENCE_OVER = "patience over"
    CANCELLED = "cancelled"
    DEQUEUED = "dequeued"
    SEND_FAILED = "send failed"
    RESULT_OK = "result ok"
    RESULT_ERROR = "result error"
    PLUGIN_ERROR = "plugin error"
    MALFORMED = "malformed answer"
    DEADLINE = "deadline"
    RECONNECT_WINDOW_OVER = "reconnect window over"
    CLIENT_CANCELLED = "client cancelled"
    STOPPED = "stopped"


class JobState(str, Enum):
    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"


class JobEvent(str, Enum):
    SUBMITTED = "submitted"
    PROGRESSED = "progressed"
    CANCELLED = "cancelled"
    PATIENCE_OVER = "patience over"
    SEND_FAILED = "send failed"
    REFUSED = "refused by Unity"
    UNANSWERED = "submission unanswered"
    MALFORMED = "malformed result"
    SUCCEEDED = "Unity: succeeded"
    FAILED = "Unity: failed"
    CANCELLED_BY_UNITY = "Unity: cancelled"
    TIMED_OUT_BY_UNITY = "Unity: timeout"
    DEADLINE = "deadline"
    LOST = "lost"


# Server: whether the bridge as a whole can serve (SPEC §3).
SERVER: Mapping[ServerState, Mapping[ServerEvent, ServerState]] = {
    ServerState.BOOTING: {
        ServerEvent.STARTED: ServerState.WAITING_EDITOR,
        ServerEvent.STOP_REQUESTED: ServerState.STOPPING,
    },
    ServerState.WAITING_EDITOR: {
        ServerEvent.HELLO_COMPLETED: ServerState.READY,
        ServerEvent.STOP_REQUESTED: ServerState.STOPPING,
    },
    ServerState.READY: {
        ServerEvent.SESSION_LOST: ServerState.WAITING_EDITOR,
        ServerEvent.STOP_REQUESTED: ServerState.STOPPING,
    },
    ServerState.STOPPING: {ServerEvent.EVERYTHING_ENDED: ServerState.STOPPED},
    ServerState.STOPPED: {},
}

# Listener: whether the port is ours, and with it the role (SPEC §2.5, §14): who listens owns the editor's line, who is
# attached forwards its calls to the owner, and who is blocked can do neither, because a stranger has the port.
LISTENER: Mapping[ListenerState, Mapping[ListenerEvent, ListenerState]] = {
    ListenerState.CLOSED: {
        ListenerEvent.BOUND: ListenerState.LISTENING,
        ListenerEvent.BIND_FAILED: ListenerState.BLOCKED,
        ListenerEvent.OWNER_FOUND: ListenerState.ATTACHED,
    },
    ListenerState.BLOCKED: {
        ListenerEvent.BOUND: ListenerState.LISTENING,
        ListenerEvent.BIND_FAILED: ListenerState.BLOCKED,
        ListenerEvent.OWNER_FOUND: ListenerState.ATTACHED,
        ListenerEvent.CLOSED: ListenerState.CLOSED,
    },
    ListenerState.ATTACHED: {
        ListenerEvent.OWNER_LOST: ListenerState.CLOSED,
        ListenerEvent.CLOSED: ListenerState.CLOSED,
    },
    ListenerState.LISTENING: {ListenerEvent.CLOSED: ListenerState.CLOSED},
}

# Session: one WebSocket connection from a plugin; at most one is active (SPEC §7.1-§7.5).
SESSION: Mapping[SessionState, Mapping[SessionEvent, SessionState]] = {
    SessionState.PENDING: {
        SessionEvent.ADMITTED: SessionState.ACTIVE,
        SessionEvent.REFUSED: SessionState.ENDED,
        SessionEvent.LOST: SessionState.ENDED,
    },
    SessionState.ACTIVE: {
        SessionEvent.REFUSED: SessionState.ENDED,
        SessionEvent.REPLACED: SessionState.ENDED,
        SessionEvent.SILENT: SessionState.ENDED,
        SessionEvent.LOST: SessionState.ENDED,
    },
    SessionState.ENDED: {},
}

# Editor: what Unity last said of itself. An editor that was lost while it compiled or reloaded is expected back, so it
# keeps that state until the compile window is over and it is forgotten (SPEC §3.2, second row).
EDITOR: Mapping[EditorState, Mapping[EditorEvent, EditorState]] = {
    EditorState.UNKNOWN: {
        EditorEvent.SAID_READY: EditorState.READY,
        EditorEvent.SAID_COMPILING: EditorState.COMPILING,
        EditorEvent.SAID_RELOADING: EditorState.RELOADING,
    },
    EditorState.READY: {
        EditorEvent.SAID_READY: EditorState.READY,
        EditorEvent.SAID_COMPILING: EditorState.COMPILING,
        EditorEvent.SAID_RELOADING: EditorState.RELOADING,
        EditorEvent.LOST: EditorState.UNKNOWN,
    },
    EditorState.COMPILING: {
        EditorEvent.SAID_READY: EditorState.READY,
        EditorEvent.SAID_COMPILING: EditorState.COMPILING,
        EditorEvent.SAID_RELOADING: EditorState.RELOADING,
        EditorEvent.LOST: EditorState.COMPILING,
        EditorEvent.FORGOTTEN: EditorState.UNKNOWN,
    },
    EditorState.RELOADING: {
        EditorEvent.SAID_READY: EditorState.READY,
        EditorEvent.SAID_COMPILING: EditorState.COMPILING,
        EditorEvent.SAID_RELOADING: EditorState.RELOADING,
        EditorEvent.LOST: EditorState.RELOADING,
        EditorEvent.FORGOTTEN: EditorState.UNKNOWN,
    },
}

# Request: one tool call (SPEC §5, first table). A call that is forwarded to the owner of the port is the owner's to
# decide; if the owner is lost, what may be repeated waits here for whoever takes the port (SPEC §14.2).
REQUEST: Mapping[RequestState, Mapping[RequestEvent, RequestState]] = {
    RequestState.RECEIVED: {
        RequestEvent.ADMITTED: RequestState.QUEUED,
        RequestEvent.PARKED: RequestState.WAITING_EDITOR_READY,
        RequestEvent.FORWARDED: RequestState.FORWARDED,
        RequestEvent.JOB_ISSUED: RequestState.SUCCEEDED,
        RequestEvent.REFUSED: RequestState.FAILED,
    },
    RequestState.WAITING_EDITOR_READY: {
        RequestEvent.EDITOR_READY: RequestState.QUEUED,
        RequestEvent.FORWARDED: RequestState.FORWARDED,
        RequestEvent.JOB_ISSUED: RequestState.SUCCEEDED,
        RequestEvent.PATIENCE_OVER: RequestState.FAILED,
        RequestEvent.CANCELLED: RequestState.CANCELLED,
        RequestEvent.STOPPED: RequestState.FAILED,
    },
    RequestState.QUEUED: {
        RequestEvent.DEQUEUED: RequestState.RUNNING,
        RequestEvent.EDITOR_LOST: RequestState.WAITING_EDITOR_READY,
        RequestEvent.CANCELLED: RequestState.CANCELLED,
        RequestEvent.STOPPED: RequestState.FAILED,
    },
    RequestState.RUNNING: {
        RequestEvent.RESULT_OK: RequestState.SUCCEEDED,
        RequestEvent.RESULT_ERROR: RequestState.FAILED,
        RequestEvent.PLUGIN_ERROR: RequestState.FAILED,
        RequestEvent.MALFORMED: RequestState.FAILED,
        RequestEvent.SEND_FAILED: RequestState.FAILED,
        RequestEvent.DEADLINE: RequestState.TIMEOUT,
        RequestEvent.RECONNECT_WINDOW_OVER: RequestState.FAILED,
        RequestEvent.CLIENT_CANCELLED: RequestState.RUNNING,
        RequestEvent.STOPPED: RequestState.FAILED,
    },
    RequestState.FORWARDED: {
        RequestEvent.RESULT_OK: RequestState.SUCCEEDED,
        RequestEvent.RESULT_ERROR: RequestState.FAILED,
        RequestEvent.OWNER_LOST: RequestState.WAITING_EDITOR_READY,
        RequestEvent.RECONNECT_WINDOW_OVER: RequestState.FAILED,
        RequestEvent.CANCELLED: RequestState.CANCELLED,
        RequestEvent.STOPPED: RequestState.FAILED,
    },
    RequestState.SUCCEEDED: {},
    RequestState.FAILED: {},
    RequestState.TIMEOUT: {},
    RequestState.CANCELLED: {},
}

# Job: one test run, from the id we issued to its end in Unity (SPEC §5, second table).
JOB: Mapping[JobState, Mapping[JobEvent, JobState]] = {
    JobState.QUEUED: {
        JobEvent.SUBMITTED: JobState.RUNNING,
        JobEvent.CANCELLED: JobState.CANCELLED,
        JobEvent.PATIENCE_OVER: JobState.FAILED,
    },
    JobState.RUNNING: {
        JobEvent.PROGRESSED: JobState.RUNNING,
        JobEvent.SEND_FAILED: JobState.FAILED,
        JobEvent.REFUSED: JobState.FAILED,
        JobEvent.UNANSWERED: JobState.FAILED,
        JobEvent.MALFORMED: JobState.FAILED,
        JobEvent.SUCCEEDED: JobState.SUCCEEDED,
        JobEvent.FAILED: JobState.FAILED,
        JobEvent.CANCELLED_BY_UNITY: JobState.CANCELLED,
        JobEvent.TIMED_OUT_BY_UNITY: JobState.TIMEOUT,
        JobEvent.DEADLINE: JobState.TIMEOUT,
        JobEvent.LOST: JobState.FAILED,
    },
    JobState.SUCCEEDED: {},
    JobState.FAILED: {},
    JobState.TIMEOUT: {},
    JobState.CANCELLED: {},
}

Table = Mapping[Any, Mapping[Any, Any]]

# Name, table and first state of every life, for the diagrams and for the tests that try every pair.
MACHINES: Tuple[Tuple[str, Table, Enum], ...] = (
    ("server", SERVER, ServerState.BOOTING),
    ("listener", LISTENER, ListenerState.CLOSED),
    ("session", SESSION, SessionState.PENDING),
    ("editor", EDITOR, EditorState.UNKNOWN),
    ("request", REQUEST, RequestState.RECEIVED),
    ("job", JOB, JobState.QUEUED),
)


def has_ended(table: Table, state: Enum) -> bool:
    """Whether nothing can happen to it any more."""
    return not table[state]
