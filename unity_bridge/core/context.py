"""``Core``: what every room works with, passed as one argument.

It has the ledger, the clock and the settings; ``send`` and ``ask``, the one way to Unity; and
``announce``, the one way in which a room informs the rooms above it.
"""

from __future__ import annotations

import itertools
import os
from typing import Any, Callable, Dict, Mapping, Optional, Protocol, Sequence, Type, Union

from unity_bridge.base.clock import Clock
from unity_bridge.base.errors import ErrorCode, ToolError
from unity_bridge.base.frozen import frozen
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.catalogue import before_proof
from unity_bridge.catalogue.readable_result import ReadResult
from unity_bridge.catalogue.tool import Tool
from unity_bridge.config import Config
from unity_bridge.core import errors
from unity_bridge.core.ledger.deadlines import Due
from unity_bridge.core.ledger.ledger import Ledger
from unity_bridge.core.ledger.records import Purpose, RoundTrip
from unity_bridge.log.limited_log import LimitedLog
from unity_bridge.log.logger import Logger
from unity_bridge.projects.project_probe import ProcessIdentity
from unity_bridge.text.foreign_text import quoted
from unity_bridge.text.json_types import JsonDict, JsonObject
from unity_bridge.unity.bridge_client import Sent
from unity_bridge.unity.messages import Cancel, Execute, GetJobStatus, Message, SubmitJob

# ``(tool, params, result)``: what of a result was asked for, or why it cannot be passed on (the
# validator's ``checked_result``).
ResultCheck = Callable[[Tool, Mapping[str, Any], Any], Result[Dict[str, Any], str]]
# The same for a proven plugin, of whose result one member of a wrong type does not cost the rest
# (``read_result``).
ResultReader = Callable[[Tool, Mapping[str, Any], Any], Result[ReadResult, str]]

# What a round trip begins with.
Question = Union[Execute, SubmitJob, GetJobStatus, Cancel]


class Connections(Protocol):
    """The connections of plugins. Nothing here blocks: a message is put into an outbox, which a
    thread empties.
    """

    def send(self, peer_id: int, message: Message) -> Sent: ...

    def close(self, peer_id: int, code: int, reason: str) -> None: ...

    def introduced(self, peer_id: int) -> None: ...


class CallsToOwner(Protocol):
    """The connection to the server that owns the port. Nothing here blocks."""

    def call(
        self,
        connection_id: int,
        request_id: str,
        tool: str,
        arguments: JsonObject,
        wants_progress: bool,
        client: Mapping[str, str],
        is_bounded: bool = False,
        is_over_mcp: bool = False,
    ) -> bool: ...

    def abandon(self, request_id: str) -> None: ...


class AttachedClients(Protocol):
    """The servers that share our port. Nothing here blocks. Without ``peer_id`` the message goes to
    all of them.
    """

    def notify(self, type: str, peer_id: Optional[int] = None, **fields: Any) -> None: ...


class ProbeThread(Protocol):
    """The thread that probes the project from outside; what it sees comes as an event. Nothing here
    blocks.
    """

    def ask(self, process: Optional[ProcessIdentity] = None) -> None: ...

    def identify(self, pid: int) -> None: ...


@frozen
class Settings:
    """What stays the same for the life of the process.

    ``project``: the path of the Unity project that this server is for, links resolved, if it is for
    one (SPEC §18.1).
    """

    config: Config
    catalogue: Mapping[str, Tool]
    check_result: ResultCheck
    read_result: ResultReader
    project: Optional[str] = None


@frozen
class Outside:
    """What the core can act upon. All of it returns at once, so the executor never waits for
    anybody.
    """

    connections: Connections
    owner: Optional[CallsToOwner] = None
    attached: Optional[AttachedClients] = None
    project_watch: Optional[ProbeThread] = None


class Ids:
    """Names for requests and jobs that no other run of the server ever gave out. Safe from any
    thread.

    Rising numbers behind a token that is drawn once a run. A plugin outlives the server: a late
    answer to a server that is gone must not look like the answer to a new one, and a job id must
    still mean the same run after a restart (SPEC §14.3).
    """

    def __init__(self, run: str = "") -> None:
        self._run = run or os.urandom(4).hex()
        self._requests = itertools.count(1)
        self._jobs = itertools.count(1)
        self._keys = itertools.count(1)

    def client(self) -> str:
        """Return the name under which this process gives keys to jobs (SPEC §15.7)."""
        return f"client-{self._run}"

    def request(self) -> str:
        return f"req-{self._run}-{next(self._requests)}"

    def job(self) -> str:
        return f"job-{self._run}-{next(self._jobs)}"

    def key(self) -> str:
        """Return a new key for a job whose client repeats one that is spent (SPEC §15.7)."""
        return f"key-{self._run}-{next(self._keys)}"


Handler = Callable[[Any], None]


class Core:
    """For the executor thread alone, but for ``ids`` and reading the ledger."""

    def __init__(
        self, ledger: Ledger, settings: Settings, outside: Outside, clock: Clock, ids: Ids
    ) -> None:
        self.ledger = ledger
        self.deadlines = ledger.deadlines
        self.config = settings.config
        self.catalogue = settings.catalogue
        self._settings = settings
        self.project = settings.project
        self.outside = outside
        self.clock = clock
        self.now = clock.now
        self.ids = ids
        self.log = Logger("executor")
        self.limited_log = LimitedLog(self.log, clock)
        # By the type of a change: who hears it, in this order. ``wiring.py`` sets it.
        self.hears: Dict[Type[Any], Sequence[Handler]] = {}

    def check_result(self, tool: Tool, params: JsonObject, result: Any) -> Result[JsonDict, str]:
        """Return what of a plugin's result a call asked for, or why it is no answer (SPEC §20.3)."""
        if not self.ledger.is_plugin_proven:
            return self._settings.check_result(tool, params, result)
        outcome = self._settings.read_result(tool, params, result)
        if isinstance(outcome, Err):
            return outcome
        if outcome.value.unread:
            where = ", ".join(outcome.value.unread)
            self.limited_log.warn(
                "result", f"a result of {tool.name} does not fit the contract at {quoted(where)}"
            )
        return Ok(outcome.value.value)

    def announce(self, change: Any) -> None:
        """Inform the rooms above. Every handler has run when this returns, in the order of
        ``wiring.py``.

        Changes are never queued: the second of two parked calls with one key must find the job that
        the first one has just been given, and a queue would let both of them start one. The price:
        a handler may have ended the very call or job that the announcing method holds, so read it
        from the ledger again afterwards.
        """
        for handler in self.hears[type(change)]:
            handler(change)

    def send(self, session_id: int, message: Message) -> Sent:
        """Put ``message`` into the outbox of a connection; whether the outbox took it."""
        return self.outside.connections.send(session_id, message)

    def ask(
        self, purpose: Purpose, subject: str, message: Question, budget_ms: int
    ) -> Optional[ToolError]:
        """Send ``message`` to the editor, and record its round trip; or return why nothing left
        this process.

        The caller moves its request or job after this has returned, so no table needs a way back
        from "sent". If the connection is gone, the caller puts its turn back first and the queue
        rests until the next event: that event is the end of the connection, or what the editor said
        before it, which decides how long the turn may wait.
        """
        session = self.ledger.session
        sent = Sent.GONE if session is None else self.send(session.id, message)
        if sent is Sent.TOO_LARGE:
            return errors.too_large(self.config.max_message_bytes)
        if session is None or sent is Sent.GONE:
            return errors.disconnected_before_send()
        deadline = self.now() + budget_ms / 1000
        job_id: Optional[str] = getattr(message, "job_id", None)
        self.ledger.depart(
            RoundTrip(message.request_id, purpose, subject, session.id, deadline, job_id)
        )
        self.deadlines.set(Due.ROUND_TRIP, message.request_id, deadline)
        return None

    def as_sent(self, tool: str, params: JsonObject) -> JsonDict:
        """Return the arguments of a call as the plugin in session may be sent them (SPEC §17.2)."""
        if self.ledger.is_plugin_proven:
            return dict(params)
        identity = self.ledger.identity
        return before_proof.as_sent(
            tool, params, identity is not None and identity.tools is not None
        )

    def end_round_trip(self, trip: RoundTrip) -> None:
        """End the round trip, however it went: the queue may move on."""
        self.deadlines.clear(Due.ROUND_TRIP, trip.request_id)
        self.deadlines.clear(Due.RECONNECT, trip.request_id)
        self.ledger.arrive()


def is_disconnected(error: Optional[ToolError]) -> bool:
    """Whether nothing left this process because the connection is gone."""
    return error is not None and error.code is ErrorCode.UNITY_DISCONNECTED
