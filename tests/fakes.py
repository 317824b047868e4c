"""The bridge in memory: the real rooms, codec and queue, on a clock that a test moves by hand.

Only the edges are not real: an ``Agent`` in place of the MCP endpoint, and peers in place of sockets. Everything runs
on the test's own thread, so a conversation is a sequence of sentences without a race in it.
"""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, cast

from tests.inside import Inside
from tests.tool_results import OF_ANY_JOB
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.catalogue.calls import Call, Outcome, Progress
from unity_bridge.catalogue.request_validator import RequestValidator
from unity_bridge.config import Config
from unity_bridge.core import changes
from unity_bridge.core.context import AttachedClients, CallsToOwner, Core, Ids, Outside, Settings
from unity_bridge.core.events import StopRequested
from unity_bridge.core.ledger.ledger import Ledger, TransitionLog
from unity_bridge.core.ledger.records import JobRecord, RequestRecord
from unity_bridge.core.loop import Executor, Inbox, InboxCallService
from unity_bridge.core.wiring import Wiring
from unity_bridge.log.logger import Logger
from unity_bridge.projects.project_probe import (
    ProcessIdentity,
    ProcessSeen,
    ProjectProbe,
    ProjectProbed,
)
from unity_bridge.trust.proof import PLUGIN, Ends, proof
from unity_bridge.unity.bridge_client import ListenerBlocked, ListenerBound, Sent, UnityBridgeClient
from unity_bridge.unity.messages import Message, decode
from unity_bridge.unity.websocket import BindFailure, WebSocketListener

FIRST_PROBE_S = 0.15
PORT = 8091
SECRET = b"the secret of one user, 32 bytes"


class ManualClock:
    """Time that stands still until a test moves it."""

    def __init__(self) -> None:
        self._now = 1000.0

    def now(self) -> float:
        return self._now

    def utc(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=self._now)

    def move_to(self, instant: float) -> None:
        assert instant >= self._now, "time does not go back"
        self._now = instant

    def advance(self, seconds: float) -> None:
        self.move_to(self._now + seconds)


class _NoListener:
    """Stands where the socket listener would; a test opens peers by hand."""

    def bind(self, port: int) -> Ok[int]:
        return Ok(port)

    def serve(self) -> None:
        return None

    def stop(self, code: int = 1001, reason: str = "") -> None:
        return None


class FakePeer:
    """One connection, seen from the editor: what the server said on it, and whether it is still
    open.
    """

    def __init__(
        self, id: int, path: str, hear: Callable[[FakePeer, Dict[str, Any]], None]
    ) -> None:
        self.id = id
        self.path = path
        self.ends = Ends(f"127.0.0.1:{50000 + id}", f"127.0.0.1:{PORT}")
        self.is_open = True
        self.closed_with: Optional[Tuple[int, str]] = None
        self.said: List[Dict[str, Any]] = []
        self._hear = hear

    def send(self, text: str) -> bool:
        if not self.is_open:
            return False
        assert isinstance(decode(text), Ok), decode(text)
        message = json.loads(text)
        self.said.append(message)
        self._hear(self, message)
        return True

    def close(self, code: int, reason: str) -> None:
        self.is_open = False
        self.closed_with = (code, reason)

    def introduced(self) -> None: ...

    def abort(self) -> None:
        self.is_open = False
        self.closed_with = (1006, "aborted")


class FakeEditor:
    """One editor process and its plugin, played by the test. It answers pings by itself unless it
    ``is_deaf``.

    ``secret`` is what it proves with, after its hello; ``None``: it proves nothing.
    """

    nonce = "0123456789abcdef"

    def __init__(
        self,
        bridge: InMemoryBridge,
        instance_id: Optional[str] = "editor-1",
        project: Optional[str] = "/home/me/Game",
    ) -> None:
        self._bridge = bridge
        self.instance_id = instance_id
        self.project = project
        self.is_deaf = False
        self.secret: Optional[bytes] = SECRET
        self.peer: Optional[FakePeer] = None
        self.seq = 0

    # What it does.

    def connects(
        self, state: str = "ready", jobs: Optional[Sequence[Any]] = (), **fields: Any
    ) -> FakeEditor:
        """Opens a connection and says hello; ``jobs=None`` is a plugin that does not adopt our ids, ``tools=None`` one
        that does not say which tools it has."""
        self.opens()
        fields.setdefault("tools", list(CATALOGUE))
        hello: Dict[str, Any] = {"plugin_version": "0.1.0", "state": state, **fields}
        if self.instance_id is not None:
            hello.setdefault("editor_instance_id", self.instance_id)
            hello.setdefault("project_path", self.project)
        if jobs is not None:
            hello["jobs"] = list(jobs)
        if self.secret is None:
            return self.says("hello", **hello)
        hello.setdefault("nonce", self.nonce)
        return self.says("hello", **hello).proves()

    def proves(self) -> FakeEditor:
        """Says the proof that the server's hello asked for, if it did."""
        assert self.peer is not None
        if self.peer.is_open and any("nonce" in hello for hello in self.heard("hello")):
            self.says("pong", proof=self.the_proof())
        return self

    def the_proof(self) -> str:
        """What the server's hello asks for."""
        assert self.secret is not None and self.peer is not None
        return proof(self.secret, PLUGIN, self.peer.ends, self.last("hello")["nonce"], self.nonce)

    def opens(self, path: str = "/unity") -> FakeEditor:
        """Opens a connection and says nothing."""
        self.seq = 0
        self.peer = self._bridge.open_peer(path, self._hear)
        self._bridge.drain()
        return self

    def says(self, type: str, **fields: Any) -> FakeEditor:
        """Sends a message of the protocol."""
        text = json.dumps({"type": type, "protocol_version": 1, **fields})
        assert isinstance(decode(text), Ok), decode(text)
        return self.says_text(text)

    def says_anything(self, type: str, **fields: Any) -> FakeEditor:
        """Sends a message that may be invalid."""
        return self.says_text(json.dumps({"type": type, "protocol_version": 1, **fields}))

    def says_text(self, text: str) -> FakeEditor:
        assert self.peer is not None
        self._bridge.unity.peer_said(self.peer, text)
        self._bridge.drain()
        return self

    def says_too_much(self) -> FakeEditor:
        assert self.peer is not None
        self._bridge.unity.peer_overflowed(self.peer)
        self._bridge.drain()
        return self

    def becomes(self, state: str) -> FakeEditor:
        """Reports its state, as it does on every change."""
        self.seq += 1
        return self.says("editor_status", state=state, seq=self.seq)

    def vanishes(self, code: int = 1006) -> FakeEditor:
        """Its connection breaks."""
        assert self.peer is not None
        self.peer.is_open = False
        self._bridge.unity.peer_closed(self.peer, code, "")
        self._bridge.drain()
        return self

    def fades(self) -> FakeEditor:
        """Its connection breaks. The listener knows it, and the executor does not know it yet."""
        assert self.peer is not None
        self.peer.is_open = False
        return self

    def reloads(self) -> FakeEditor:
        """Says that the domain reloads, then closes: what our own plugin does."""
        return self.becomes("reloading").vanishes(1001)

    # What it heard, and how it answers.

    def heard(self, type: str) -> List[Dict[str, Any]]:
        """Messages of one type on the present connection, oldest first."""
        assert self.peer is not None
        return [message for message in self.peer.said if message["type"] == type]

    def last(self, type: str) -> Dict[str, Any]:
        heard = self.heard(type)
        assert heard, f"the editor was never sent '{type}'"
        return heard[-1]

    def answers(self, result: Any, **fields: Any) -> FakeEditor:
        """The result of the last ``execute``."""
        request_id = self.last("execute")["request_id"]
        return self.says(
            "result", **{"request_id": request_id, "status": "ok", "result": result, **fields}
        )

    def refuses(self, type: str, code: str, message: str = "no", **fields: Any) -> FakeEditor:
        """An ``error`` for the last message of ``type``."""
        error = {"code": code, "message": message, "retryable": False, "details": {}}
        return self.says(
            "error", **{"request_id": self.last(type)["request_id"], "error": error, **fields}
        )

    def accepts_job(self, job_id: Optional[str] = None) -> FakeEditor:
        """Takes the last submitted job, under our id unless it has one of its own."""
        submitted = self.last("submit_job")
        return self.says(
            "submit_job_result",
            request_id=submitted["request_id"],
            status="accepted",
            job_id=job_id or submitted["job_id"],
        )

    def reports_job(self, state: str, **fields: Any) -> FakeEditor:
        """Answers the last ``get_job_status``. A job that succeeded has a result, unless ``fields``
        has another.
        """
        asked = self.last("get_job_status")
        fields = {"result": OF_ANY_JOB, **fields} if state == "succeeded" else fields
        return self.says(
            "job_status",
            **{
                "request_id": asked["request_id"],
                "job_id": asked["job_id"],
                "state": state,
                **fields,
            },
        )

    def answers_cancel(self, status: str = "cancel_requested") -> FakeEditor:
        return self.says(
            "cancel_result", request_id=self.last("cancel")["request_id"], status=status
        )

    def _hear(self, peer: FakePeer, message: Dict[str, Any]) -> None:
        if message["type"] == "ping" and not self.is_deaf:
            self._bridge.unity.peer_said(peer, json.dumps({"type": "pong", "protocol_version": 1}))


class PendingCall:
    """A call that the agent made, and its answer."""

    def __init__(self) -> None:
        self.request_id = ""
        self.outcomes: List[Outcome] = []
        self.progress: List[Progress] = []
        self.jobs: List[str] = []

    @property
    def is_answered(self) -> bool:
        assert len(self.outcomes) <= 1, f"answered {len(self.outcomes)} times"
        return bool(self.outcomes)

    @property
    def answer(self) -> Dict[str, Any]:
        assert self.is_answered, "no answer yet"
        outcome = self.outcomes[0]
        assert isinstance(outcome, Ok), f"it failed: {outcome.error.as_json()}"
        return outcome.value

    @property
    def error(self) -> Dict[str, Any]:
        assert self.is_answered, "no answer yet"
        outcome = self.outcomes[0]
        assert isinstance(outcome, Err), f"it succeeded: {outcome.value}"
        return outcome.error.as_json()

    @property
    def code(self) -> str:
        return str(self.error["code"])

    @property
    def guarantee(self) -> str:
        return str(self.error["details"]["execution_guarantee"])


class Agent:
    """A client of the call service."""

    def __init__(self, bridge: InMemoryBridge) -> None:
        self._bridge = bridge

    def calls(
        self,
        tool: str,
        as_client: Optional[str] = None,
        for_project: Optional[str] = None,
        **arguments: Any,
    ) -> PendingCall:
        validated = self._bridge.validator.validate(tool, arguments)
        assert isinstance(validated, Ok), f"refused at once: {validated}"
        return self._submit(replace(validated.value, client=as_client, project=for_project))

    def calls_for_wait_ms(
        self, tool: str, as_client: Optional[str] = None, **arguments: Any
    ) -> PendingCall:
        """A job call as the MCP endpoint makes it, whose client waits no longer than ``wait_ms``."""
        validated = self._bridge.validator.validate(tool, arguments)
        assert isinstance(validated, Ok), f"refused at once: {validated}"
        return self._submit(
            replace(validated.value, client=as_client, is_bounded=True, is_over_mcp=True)
        )

    def _submit(self, call: Call) -> PendingCall:
        pending = PendingCall()
        pending.request_id = self._bridge.call_service.submit(
            call, pending.outcomes.append, pending.progress.append, pending.jobs.append
        )
        self._bridge.drain()
        return pending

    def compiles(self, **arguments: Any) -> PendingCall:
        """Compiles, and waits for the result."""
        return self.calls("compile", **arguments)

    def runs_tests(self, **arguments: Any) -> str:
        """Starts a run; the job's id."""
        return str(self.calls("run_tests", wait_ms=0, **arguments).answer["job_id"])

    def asks(self, job_id: str, **arguments: Any) -> PendingCall:
        return self.calls("get_job_status", job_id=job_id, **arguments)

    def gives_up(self, call: PendingCall) -> None:
        self._bridge.call_service.abandon(call.request_id)
        self._bridge.drain()


class RecordedConnections:
    """Takes whatever is sent and closed, and keeps it in order."""

    def __init__(self) -> None:
        self.done: List[Tuple[Any, ...]] = []

    def send(self, peer_id: int, message: Message) -> Sent:
        self.done.append((peer_id, message))
        return Sent.HANDED_OVER

    def introduced(self, peer_id: int) -> None: ...

    def close(self, peer_id: int, code: int, reason: str) -> None:
        self.done.append((peer_id, code, reason))


def lone_core(config: Optional[Config] = None) -> Core:
    """What one part of the core works with when it is tried by itself. What it announces is heard
    by nobody.
    """
    core = Core(
        Ledger("1.0"),
        Settings(
            config or Config(),
            CATALOGUE,
            RequestValidator().checked_result,
            RequestValidator().read_result,
        ),
        Outside(RecordedConnections()),
        ManualClock(),
        Ids("test"),
    )
    core.hears = {change: [] for change in vars(changes).values() if isinstance(change, type)}
    return core


class InMemoryBridge:
    """A wired bridge. ``advance`` moves the clock from deadline to deadline, as the executor's
    thread would see it.
    """

    def __init__(
        self,
        config: Optional[Config] = None,
        listening: bool = True,
        link: Optional[CallsToOwner] = None,
        attached: Optional[AttachedClients] = None,
        project: Optional[str] = None,
        looks_below: bool = False,
    ) -> None:
        """``project``: the path of the one that the server is for; nobody looks at it but a test (``sees``).
        ``looks_below``: the server is for none, and a test says which projects are below its folder."""
        self.looks_asked = 0
        self.watched: Optional[ProcessIdentity] = None
        self.config = config or Config()
        self.secret: Result[bytes, str] = Ok(SECRET)
        self.clock = ManualClock()
        self.inbox = Inbox()
        self.stores = Ledger("0.1.0", TransitionLog(Logger("test.ledger")))
        self.validator = RequestValidator(CATALOGUE)
        ids = Ids("test")
        self.unity = UnityBridgeClient(
            port=PORT,
            max_message_bytes=self.config.max_message_bytes,
            listener_for=lambda client: cast(WebSocketListener, _NoListener()),
            emit=self.inbox.put,
            clock=self.clock,
            log=Logger("test.unity"),
            secret=lambda: self.secret,
        )
        settings = Settings(
            self.config,
            CATALOGUE,
            self.validator.checked_result,
            self.validator.read_result,
            project,
        )
        outside = Outside(
            self.unity, link, attached, self if project is not None or looks_below else None
        )
        self.core = Core(self.stores, settings, outside, self.clock, ids)
        self.wiring = Wiring(self.core)
        self.parts = Inside(self)
        self.executor = Executor(self.wiring, self.inbox, self.clock, Logger("test.executor"))
        self.call_service = InboxCallService(self.inbox, ids)
        self.agent = Agent(self)
        self.editor = FakeEditor(self)
        self._peers = 0
        if listening:
            self.inbox.put(ListenerBound(PORT))
        self.drain()

    def another_editor(
        self, instance_id: Optional[str] = "editor-2", project: Optional[str] = "/home/me/Game"
    ) -> FakeEditor:
        return FakeEditor(self, instance_id, project)

    def open_peer(self, path: str, hear: Callable[[FakePeer, Dict[str, Any]], None]) -> FakePeer:
        self._peers += 1
        peer = FakePeer(self._peers, path, hear)
        self.unity.peer_opened(peer)
        return peer

    def drain(self) -> None:
        """Handle everything that is due at this instant."""
        self.executor.run_until_idle()

    def advance(self, seconds: float) -> None:
        end = self.clock.now() + seconds
        while True:
            self.drain()
            deadline = self.wiring.next_deadline()
            if deadline is None or deadline > end:
                break
            self.clock.move_to(max(deadline, self.clock.now()))
        self.clock.move_to(end)
        self.drain()

    def stop(self) -> None:
        self.inbox.put(StopRequested("test"))
        self.drain()

    def port_is_taken(
        self, holder: Optional[str] = "pid 4242 (other)", remark: Optional[str] = None
    ) -> None:
        self.inbox.put(ListenerBlocked(BindFailure(PORT, "port_in_use", holder), remark))
        self.drain()

    def port_is_free_again(self) -> None:
        self.inbox.put(ListenerBound(PORT))
        self.drain()

    # The project, seen from outside.

    def ask(self, process: Optional[ProcessIdentity] = None) -> None:
        """Somebody is to look at the project, and at the process of the editor that was connected."""
        self.looks_asked += 1
        self.watched = process

    def identify(self, pid: int) -> None:
        """Somebody is to see whether that process lives here: it does."""
        self.inbox.put(ProcessSeen(ProcessIdentity(pid, "its start")))

    def sees(self, look: ProjectProbe) -> None:
        """What was asked for was seen. The first probe of a server without an editor is late."""
        if not self.looks_asked:
            self.advance(FIRST_PROBE_S)
        assert self.looks_asked > 0, "nobody was asked to look"
        self.looks_asked -= 1
        self.inbox.put(ProjectProbed(look))
        self.drain()

    # What the ledger says.

    def job(self, job_id: str) -> JobRecord:
        job = self.stores.jobs.get(job_id)
        assert job is not None
        return job

    def request(self, call: PendingCall) -> RequestRecord:
        request = self.stores.requests.get(call.request_id)
        assert request is not None
        return request

    @property
    def server_state(self) -> str:
        record = self.stores.server.get("server")
        assert record is not None
        return record.state.value

    @property
    def open_requests(self) -> List[str]:
        return [r.id for r in self.stores.requests.all() if not self.stores.requests.has_ended(r)]
