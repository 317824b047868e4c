"""What the ledger holds: one frozen record for each server, listener, session, editor, request and
job, and the queue.

The ledger keeps them; the tables in ``machines`` say how their states change.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Dict, FrozenSet, List, Mapping, NamedTuple, Optional, Tuple, Union

from unity_bridge.base.errors import ErrorCode, ToolError
from unity_bridge.base.frozen import frozen, made_by
from unity_bridge.catalogue.calls import Call, OnJob, OnOutcome, OnProgress
from unity_bridge.catalogue.tool import Mode
from unity_bridge.core.ledger.machines import (
    EditorState,
    JobState,
    ListenerState,
    RequestState,
    ServerState,
    SessionState,
)
from unity_bridge.text.json_types import JsonObject

# Sessions are numbered as their connections are; everything else has a name.
Id = Union[int, str]

# The machines that live once have one record each, under their own name.
SERVER_ID = "server"
LISTENER_ID = "listener"
EDITOR_ID = "editor"


@frozen
class Record:
    """``id`` names it among its kind, ``state`` is a key of its table."""

    id: Id
    state: Any


@frozen
class ServerRecord(Record):
    """Whether the bridge as a whole can serve."""

    id: str
    state: ServerState


@frozen
class ListenerRecord(Record):
    """``holder`` describes the process that has the port, if it is not ours and is known.

    ``remark`` is why its owner, a unity-bridge too, was not attached to. ``clients`` is how many
    other servers are attached to this one. ``alone_since``: the instant from which it has listened
    and no editor was there.
    """

    id: str
    state: ListenerState
    port: Optional[int] = None
    reason: Optional[str] = None
    holder: Optional[str] = None
    remark: Optional[str] = None
    clients: int = 0
    alone_since: Optional[float] = None


@frozen
class EditorIdentity:
    """What a plugin's ``hello`` says of the editor it lives in; all but the version is optional
    (SPEC §7.2).

    ``jobs``: the job ids it still knows; ``None`` from a plugin that does not adopt ours.
    ``job_keys``: the job ids of those that a client has given a key, by client and key (SPEC
    §15.7). ``tools``: the names of those that it carries out; ``None`` from a plugin that does not
    say (SPEC §15.5). ``joins``: the commands of the package whose equal calls may be taken for one;
    ``None`` from a plugin that does not say (SPEC §15.7). ``listed``: what it says of the jobs that
    have not ended (SPEC §15.9). ``process_id``: of the editor, on its machine (SPEC §5.6).
    """

    plugin_version: str
    instance_id: Optional[str] = None
    unity_version: Optional[str] = None
    project_name: Optional[str] = None
    project_path: Optional[str] = None
    jobs: Optional[Tuple[str, ...]] = None
    job_keys: Mapping[Tuple[str, str], str] = made_by(dict)
    tools: Optional[FrozenSet[str]] = None
    joins: Optional[FrozenSet[str]] = None
    listed: Tuple[JsonObject, ...] = ()
    process_id: Optional[int] = None


class Trust(Enum):
    """Whether a plugin has proved that it runs as the same user, and why not (SPEC §17.1)."""

    PROVEN = "proven"
    AWAITED = "its proof may still come"
    NO_NONCE = "it does not know how to"
    NO_PROOF = "its proof did not come in time"
    NO_SECRET = "we have no secret to compare with"


@frozen
class SessionRecord(Record):
    """``id`` is the number of its connection.

    ``faults`` is how many of its messages could not be read, or were none that it may send.
    ``greeted_at`` is when it said hello.
    """

    id: int
    state: SessionState
    identity: Optional[EditorIdentity] = None
    faults: int = 0
    trust: Trust = Trust.NO_NONCE
    greeted_at: float = 0.0

    @property
    def is_trusted(self) -> bool:
        return self.trust is Trust.PROVEN


@frozen
class EditorRecord(Record):
    """``busy_seen_at`` is when it was last seen to compile or reload, if it has not been ready
    since.

    ``since`` is when it took its state. ``seq`` is the number of the session's last
    ``editor_status``; the rest is what Unity reports of itself. ``pending_reason`` is set if
    ``code`` is ``pending`` (SPEC §11.7). ``kept_copies`` are ``{file, copy}`` of files that a batch
    neither finished nor restored (SPEC §16.7).
    """

    id: str
    state: EditorState
    seq: Optional[int] = None
    stalled_ms: Optional[int] = None
    untrusted_jobs: Optional[int] = None
    compile_errors: Optional[int] = None
    playing: Optional[bool] = None
    paused: Optional[bool] = None
    game_time_s: Optional[float] = None
    frame: Optional[int] = None
    code: Optional[str] = None
    pending_reason: Optional[str] = None
    kept_copies: Optional[List[Dict[str, str]]] = None
    since: float = 0.0
    busy_seen_at: Optional[float] = None

    @property
    def is_busy(self) -> bool:
        """Compiling or reloading, as far as is known; also while the connection is gone for just
        that reason.
        """
        return self.state in (EditorState.COMPILING, EditorState.RELOADING)


class Caller(NamedTuple):
    """Where the one answer to a call goes, and what it may be sent before. Called on the executor
    thread.
    """

    on_outcome: OnOutcome
    on_progress: Optional[OnProgress] = None
    on_job: Optional[OnJob] = None


class LostWith(Enum):
    """What took a read with it that had left this server, and is being repeated: it may have run."""

    CONNECTION = "the connection to Unity"
    OWNER = "the server that owned the port"


@frozen
class RequestRecord(Record):
    """``caller``: None once the call is answered, and once its client has given it up. This record
    alone carries the answer that is owed, so a call cannot be answered twice and nothing else has
    to be kept in step with it. ``abandoned``: its client gave it up while it ran.

    ``lost_with``: it was sent, and is being repeated (SPEC §4.4, §14.2): from then on nobody may
    say it has not run. ``job_id``: the job that a job call has started, or ``joined`` (SPEC §15.7).
    """

    id: str
    state: RequestState
    call: Call
    caller: Optional[Caller] = None
    arrived_at: float = 0.0
    abandoned: bool = False
    lost_with: Optional[LostWith] = None
    job_id: Optional[str] = None
    joined: bool = False

    @property
    def ends_at(self) -> Optional[float]:
        """When the client waits no longer for an editor, as an instant; None: it waits as long as
        there is hope.
        """
        call = self.call
        if not call.is_bounded:
            return None
        return (
            self.arrived_at
            + (call.wait_ms if call.tool.mode is Mode.JOB else call.timeout_ms) / 1000
        )


class CancelProgress(Enum):
    """How far the cancel of a running job has come."""

    NOT_WANTED = "not wanted"
    WANTED = "wanted"
    SENT = "sent"
    UNCONFIRMED = "sent, but not known to be heard"
    ANSWERED = "answered"


@frozen
class JobRecord(Record):
    """What a call has started in Unity.

    ``request_id`` is the ``submit_job`` message's id. ``unity_id`` is the id Unity knows it by:
    ours, unless the plugin chose its own; ``None`` until the submission was accepted.
    ``instance_id`` is the editor process it was sent to; ``is_resolvable`` says that the plugin
    there adopts our ids, so it can be asked for a job whose answer was lost. ``call`` is missing
    where the job was inherited from an earlier server; then ``tool_name``, ``name`` (of the
    command), ``client`` and ``key`` are what Unity said. ``key`` is the key that the job has in
    Unity, which is the client's own unless that was spent; ``is_key_spent``: the client knows the
    job's end, so its key means the next job (SPEC §15.7). ``is_reported``: a client knows its id,
    and may come back for it. ``unusable`` counts answers in a row that said nothing of it, and
    ``refused`` refusals to say how it is; each has the instant of its first. ``learnt_at`` is when
    Unity last reported its state. ``is_sent_before_proof``: to a plugin that had not proved itself,
    so not all of its arguments counted (SPEC §17.2).

    ``arguments_digest``: the job has ended, and the arguments of its call are gone.

    ``progress`` and ``console`` are JSON as Unity sent it, ``result`` is its text: of a megabyte of
    JSON that would take six. ``result_dropped``: it had one, for which there is no room here (SPEC
    §20.4). ``is_untrusted``: a plugin without proof reported its end (SPEC §17.2).
    ``cancel_rejected``: Unity answered that it does not stop it.
    """

    id: str
    state: JobState
    call: Optional[Call] = None
    arguments_digest: Optional[str] = None
    tool_name: Optional[str] = None
    name: Optional[str] = None
    client: Optional[str] = None
    key: Optional[str] = None
    request_id: Optional[str] = None
    unity_id: Optional[str] = None
    instance_id: Optional[str] = None
    is_resolvable: bool = False
    is_sent_before_proof: bool = False
    cancel: CancelProgress = CancelProgress.NOT_WANTED
    cancel_rejected: bool = False
    progress: Optional[JsonObject] = None
    console: Optional[JsonObject] = None
    result: Optional[str] = None
    result_dropped: bool = False
    is_untrusted: bool = False
    error: Optional[ToolError] = None
    is_key_spent: bool = False
    is_reported: bool = False
    unusable: int = 0
    unusable_since: float = 0.0
    refused: int = 0
    refused_since: float = 0.0
    began_at: float = 0.0
    learnt_at: Optional[float] = None
    ended_at: Optional[float] = None

    @property
    def accepted(self) -> bool:
        return self.unity_id is not None

    @property
    def id_in_unity(self) -> str:
        """What to ask Unity for: until it has said otherwise, our own id."""
        return self.unity_id or self.id


class Purpose(str, Enum):
    """What a turn in the queue is for, and so its round trip to Unity."""

    EXECUTE = "execute"
    SUBMIT = "submit_job"
    SUBMIT_AGAIN = "submit_job that never arrived"
    RESOLVE = "get_job_status after a lost submission"
    STATUS = "get_job_status for a client"
    CANCEL = "cancel"
    POLL = "get_job_status of our own"


@frozen
class Parked:
    """Why a turn cannot be taken yet, since when, and until when it may wait (instants)."""

    since: float
    deadline: float
    code: ErrorCode
    reason: str


@frozen
class Turn:
    """An entry of the queue. ``subject`` is a request id (EXECUTE, STATUS) or a job id."""

    purpose: Purpose
    subject: str
    parked: Optional[Parked] = None


@frozen
class RoundTrip:
    """The one message to Unity that is under way, and the answer that it waits for.

    ``session_id`` is ``None`` while the connection it was sent on is gone and it waits to be sent
    again; its ``deadline`` (an instant) stays the same. ``job_id`` is the job that Unity is asked
    about, by Unity's id.
    """

    request_id: str
    purpose: Purpose
    subject: str
    session_id: Optional[int] = None
    deadline: float = 0.0
    job_id: Optional[str] = None


@frozen
class VersionRecord:
    """Both ends' versions; the plugin's is ``None`` until one has said ``hello``."""

    server: str
    plugin: Optional[str] = None
