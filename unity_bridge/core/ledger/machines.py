"""Every state machine of the bridge as a table: states, events, and which event leads where (SPEC
§3, §5, §7).

A table is ``{state: {event: next state}}``. An end state is an empty row, so "ended once" needs no
flag: a late event finds no cell, ``transition()`` refuses it, and the caller logs and drops it. The
diagrams in ARCHITECTURE.md are drawn from these tables, and a test keeps them equal.

Theory of operation
-------------------

Six machines run side by side. Three live as long as the process and have one record each: the
*server* (can the bridge serve?), the *listener* (is the port ours?) and the *editor* (what did
Unity last say of itself?). Three have a record for each of their kind: a *session* is one
connection of a plugin, a *request* is one tool call, and a *job* is what a call has started in
Unity, which may outlive the call. No machine reads another's state. Instead two values tie them
together, the queue of the ledger and the round trip of ``core/round_trip.py``:

    turn         an entry of the queue: somebody wants the next round trip to Unity
    round trip   the one message to Unity that is under way, and the answer that it waits for

A turn says what it is for (its *purpose*) and for whom (its *subject*, the id of a request or of a job). It is
*parked* while the editor is not ready. When it comes to the head of the queue it is taken out and becomes the round
trip, and when the round trip ends the queue moves on. So at any moment a request or a job that needs Unity is in
exactly one place, and its state says which:

    request                  is represented by
    received                 nothing: an event is being handled, and leaves no request in this state
    waiting_editor_ready     one parked turn EXECUTE, with a deadline
    queued                   one turn EXECUTE or STATUS, not parked
    running                  the round trip EXECUTE or STATUS
    waiting_job              one wait for a job that the ledger knows, with a deadline; no turn and no round trip
    forwarded                nothing here: the server that owns the port has the call (SPEC §14)
    ended                    nothing at all

    job                      is represented by
    queued                   one turn SUBMIT, parked or not
    running, not accepted    while it was submitted from here, one of: the round trip SUBMIT, a turn SUBMIT_AGAIN, a
                             turn or a round trip RESOLVE, a deadline for the next RESOLVE
    running, accepted        with a session: a deadline or a wish for the next POLL, or the round trip that asks;
                             without one: a deadline at which it is lost, unless an owner of the
                             port follows it
    ended                    no deadline; a turn that is left of it comes to nothing when it is taken

What makes this hold, and what to keep in mind when it is changed:

1. *Nothing overtakes.* Turns keep the order of arrival. Three purposes go first instead, because the editor has seen
   them before: RESOLVE, SUBMIT_AGAIN, and a turn whose message could not leave. A read whose
   connection broke keeps the round trip, without a session, so that nothing at all passes it until
   it has been sent again (SPEC §4.4).
2. *A turn is parked only while the editor is not ready*, and while the editor is ready and no round trip is under way
   the queue is empty. The one exception lasts until the next event: a message could not leave
   because the connection is gone, and the news of that is still in the inbox.
3. *The code that moves a record to its end state reports the end.* ``transition()`` returns the changed record once,
   and None for every later event. The one answer to a call, the news of a job's end and the removal
   of deadlines all hang on that.
4. *A read that may have run is never reported as ``not_executed``.* Its request remembers with what it was lost, the
   connection or the owner of the port, until it ends.
5. *A submission is repeated only when it is known not to have arrived*: the same editor process says so, and it is one
   that adopts our ids. Anything else that was interrupted ends as ``unknown`` (SPEC §5.2).
6. *A queued job ends with the last call that waits for it*, unless a client knows its id and may come back for it
   (SPEC §15.4). So a job in the queue always has somebody who wants it.
7. *BUG leads to failed from every open state.* An exception of ours must not leave anybody waiting.

``tests/model`` checks the joint states after every step of random conversations.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Mapping


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
    WAITING_JOB = "waiting_job"
    FORWARDED = "forwarded"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"


class RequestEvent(str, Enum):
    ADMITTED = "admitted"
    PARKED = "parked"
    REFUSED = "refused"
    ANSWERED_HERE = "answered here"
    WAITS_FOR_JOB = "waits for job"
    FORWARDED = "forwarded"
    CAME_BACK = "came back from the owner"
    OWNER_LOST = "owner lost"
    EDITOR_READY = "editor ready"
    EDITOR_LOST = "editor lost"
    PARKED_TOO_LONG = "parked too long"
    CANCELLED = "cancelled"
    DEQUEUED = "dequeued"
    SEND_FAILED = "send failed"
    NOT_ASKED = "Unity could not be asked"
    RESULT_OK = "result ok"
    RESULT_ERROR = "result error"
    PLUGIN_ERROR = "plugin error"
    MALFORMED = "malformed answer"
    DEADLINE = "deadline"
    RECONNECT_WINDOW_OVER = "reconnect window over"
    CLIENT_CANCELLED = "client cancelled"
    STOPPED = "stopped"
    BUG = "bug"


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
    PARKED_TOO_LONG = "parked too long"
    STOPPED = "stopped"
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
    BUG = "bug"


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

# Listener: whether the port is ours, and with it the role (SPEC §2.5, §14). Who listens owns the
# connection to Unity, who is attached forwards its calls to the owner, and who is blocked can do
# neither: another program has the port.
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

# Editor: what Unity last said of itself. An editor that was lost while it compiled or reloaded is
# expected back, so it keeps that state until the compile window is over and it is forgotten (SPEC
# §3.2, second row).
_SAID: Mapping[EditorEvent, EditorState] = {
    EditorEvent.SAID_READY: EditorState.READY,
    EditorEvent.SAID_COMPILING: EditorState.COMPILING,
    EditorEvent.SAID_RELOADING: EditorState.RELOADING,
}
EDITOR: Mapping[EditorState, Mapping[EditorEvent, EditorState]] = {
    EditorState.UNKNOWN: _SAID,
    EditorState.READY: {**_SAID, EditorEvent.LOST: EditorState.UNKNOWN},
    EditorState.COMPILING: {
        **_SAID,
        EditorEvent.LOST: EditorState.COMPILING,
        EditorEvent.FORGOTTEN: EditorState.UNKNOWN,
    },
    EditorState.RELOADING: {
        **_SAID,
        EditorEvent.LOST: EditorState.RELOADING,
        EditorEvent.FORGOTTEN: EditorState.UNKNOWN,
    },
}

# Request: one tool call (SPEC §5, first table). A call that is forwarded to the owner of the port
# is the owner's to decide. If the owner is lost or hands it back, what may be repeated waits here
# for the next owner of the port (SPEC §14.2).
REQUEST: Mapping[RequestState, Mapping[RequestEvent, RequestState]] = {
    RequestState.RECEIVED: {
        RequestEvent.ADMITTED: RequestState.QUEUED,
        RequestEvent.PARKED: RequestState.WAITING_EDITOR_READY,
        RequestEvent.ANSWERED_HERE: RequestState.SUCCEEDED,
        RequestEvent.WAITS_FOR_JOB: RequestState.WAITING_JOB,
        RequestEvent.FORWARDED: RequestState.FORWARDED,
        RequestEvent.REFUSED: RequestState.FAILED,
        RequestEvent.BUG: RequestState.FAILED,
    },
    RequestState.WAITING_EDITOR_READY: {
        RequestEvent.EDITOR_READY: RequestState.QUEUED,
        RequestEvent.FORWARDED: RequestState.FORWARDED,
        RequestEvent.ANSWERED_HERE: RequestState.SUCCEEDED,
        RequestEvent.WAITS_FOR_JOB: RequestState.WAITING_JOB,
        RequestEvent.REFUSED: RequestState.FAILED,
        RequestEvent.PARKED_TOO_LONG: RequestState.FAILED,
        RequestEvent.NOT_ASKED: RequestState.FAILED,
        RequestEvent.CANCELLED: RequestState.CANCELLED,
        RequestEvent.STOPPED: RequestState.FAILED,
        RequestEvent.BUG: RequestState.FAILED,
    },
    RequestState.QUEUED: {
        RequestEvent.DEQUEUED: RequestState.RUNNING,
        RequestEvent.EDITOR_LOST: RequestState.WAITING_EDITOR_READY,
        RequestEvent.ANSWERED_HERE: RequestState.SUCCEEDED,
        RequestEvent.WAITS_FOR_JOB: RequestState.WAITING_JOB,
        RequestEvent.NOT_ASKED: RequestState.FAILED,
        RequestEvent.SEND_FAILED: RequestState.FAILED,
        RequestEvent.CANCELLED: RequestState.CANCELLED,
        RequestEvent.STOPPED: RequestState.FAILED,
        RequestEvent.BUG: RequestState.FAILED,
    },
    RequestState.RUNNING: {
        RequestEvent.RESULT_OK: RequestState.SUCCEEDED,
        RequestEvent.RESULT_ERROR: RequestState.FAILED,
        RequestEvent.PLUGIN_ERROR: RequestState.FAILED,
        RequestEvent.MALFORMED: RequestState.FAILED,
        RequestEvent.ANSWERED_HERE: RequestState.SUCCEEDED,
        RequestEvent.WAITS_FOR_JOB: RequestState.WAITING_JOB,
        RequestEvent.NOT_ASKED: RequestState.FAILED,
        RequestEvent.DEADLINE: RequestState.TIMEOUT,
        RequestEvent.RECONNECT_WINDOW_OVER: RequestState.FAILED,
        RequestEvent.CLIENT_CANCELLED: RequestState.RUNNING,
        RequestEvent.STOPPED: RequestState.FAILED,
        RequestEvent.BUG: RequestState.FAILED,
    },
    RequestState.WAITING_JOB: {
        RequestEvent.ANSWERED_HERE: RequestState.SUCCEEDED,
        RequestEvent.FORWARDED: RequestState.FORWARDED,
        RequestEvent.CANCELLED: RequestState.CANCELLED,
        RequestEvent.BUG: RequestState.FAILED,
    },
    RequestState.FORWARDED: {
        RequestEvent.RESULT_OK: RequestState.SUCCEEDED,
        RequestEvent.RESULT_ERROR: RequestState.FAILED,
        RequestEvent.ANSWERED_HERE: RequestState.SUCCEEDED,
        RequestEvent.WAITS_FOR_JOB: RequestState.WAITING_JOB,
        RequestEvent.CAME_BACK: RequestState.WAITING_EDITOR_READY,
        RequestEvent.OWNER_LOST: RequestState.FAILED,
        RequestEvent.CANCELLED: RequestState.CANCELLED,
        RequestEvent.STOPPED: RequestState.FAILED,
        RequestEvent.BUG: RequestState.FAILED,
    },
    RequestState.SUCCEEDED: {},
    RequestState.FAILED: {},
    RequestState.TIMEOUT: {},
    RequestState.CANCELLED: {},
}

# Job: what a call has started in Unity, from the id we issued to its end there (SPEC §5, second
# table).
JOB: Mapping[JobState, Mapping[JobEvent, JobState]] = {
    JobState.QUEUED: {
        JobEvent.SUBMITTED: JobState.RUNNING,
        JobEvent.CANCELLED: JobState.CANCELLED,
        JobEvent.PARKED_TOO_LONG: JobState.FAILED,
        JobEvent.STOPPED: JobState.FAILED,
        JobEvent.SEND_FAILED: JobState.FAILED,
        JobEvent.BUG: JobState.FAILED,
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
        JobEvent.BUG: JobState.FAILED,
    },
    JobState.SUCCEEDED: {},
    JobState.FAILED: {},
    JobState.TIMEOUT: {},
    JobState.CANCELLED: {},
}

Table = Mapping[Any, Mapping[Any, Any]]
