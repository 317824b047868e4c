"""The server's side of the wire, played by a test: for the plugin on Mono and for the simulated
editor alike.

It greets as unity-bridge does, and sends what a test asks for. Every message is checked as the server checks it; one
that is not as the catalogue says fails the test at its end.
"""

from __future__ import annotations

import gc
import itertools
import json
import os
import queue
import threading
from inspect import signature
from typing import Any, Callable, Dict, List, Mapping, Optional, Union

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import Server, ServerConnection, serve

from tests.package_messages import PackageMessages
from unity_bridge.base.result import Ok
from unity_bridge.trust.plugin_challenge import PluginChallenge, challenge
from unity_bridge.trust.proof import Ends
from unity_bridge.trust.secret import shared_secret

# Generous: a hang guard for a busy machine, never a measure.
HANG_GUARD_S = 60.0

Message = Dict[str, Any]

ENDS = ("succeeded", "failed", "timeout", "cancelled")


def message(kind: str, **fields: Any) -> Message:
    return {"type": kind, "protocol_version": 1, **fields}


def ids(hello: Mapping[str, Any]) -> List[str]:
    """The ids of the jobs in a plugin's ``hello``."""
    return [job if isinstance(job, str) else job["job_id"] for job in hello["jobs"]]


class Session:
    """One connection of a plugin. What it says is kept in order; waiting for something leaves the
    rest in place.

    ``expect`` finds the first message that fits; ``hear`` the first one that no earlier ``hear`` found.
    """

    def __init__(
        self,
        connection: ServerConnection,
        number: int,
        proves: bool = True,
        messages: Optional[PackageMessages] = None,
    ) -> None:
        self._connection = connection
        self._messages = messages or PackageMessages()
        self._proves = proves
        self.challenge: Optional[PluginChallenge] = None  # what the plugin was asked to prove
        self._heard: List[Message] = []  # guarded by _arrived, as are _found, _texts and is_closed
        self._found: List[Message] = []
        self._texts: List[str] = []
        self._arrived = threading.Condition()
        self._requests = itertools.count(1)
        self._number = number
        self.is_closed = False

    @property
    def path(self) -> str:
        assert self._connection.request is not None
        return self._connection.request.path

    @property
    def headers(self) -> Mapping[str, str]:
        assert self._connection.request is not None
        return dict(self._connection.request.headers.raw_items())

    @property
    def hello(self) -> Message:
        return self.expect("hello")

    @property
    def close_code(self) -> Optional[int]:
        return self._connection.protocol.close_code

    def accept(self, **settings: Any) -> Message:
        """Waits for hello, answers it, and returns it, once the plugin has proved what it was asked
        to.

        Of a server that does not greet by itself.
        """
        hello = self.hello
        self.greet(**settings)
        if self.challenge is not None:
            self.hear("editor_status", proof=self.challenge.expected)
        return hello

    @property
    def ends(self) -> Ends:
        return Ends.of_server(self._connection.socket, self._connection.remote_address)

    def greet(self, **settings: Any) -> None:
        """Answers hello as unity-bridge does."""
        nonce = self.heard("hello")[0].get("nonce")
        secret = shared_secret()
        if self._proves and isinstance(secret, Ok):
            self.challenge = challenge(nonce, secret.value, self.ends)
        proof = (
            {"nonce": self.challenge.nonce, "proof": self.challenge.proof} if self.challenge else {}
        )
        self.send("hello", server_version="0.1.0", state="ready", **proof, **settings)
        self.send("capability", tools=[{"name": "read_console"}, {"name": "run_tests"}])

    def send(self, kind: str, **fields: Any) -> None:
        sent = message(kind, **fields)
        self._messages.sent(sent)
        self.send_text(json.dumps(sent))

    def send_text(self, text: str) -> None:
        self._connection.send(text)

    def send_bytes(self, data: bytes) -> None:
        self._connection.send(data)

    def send_raw(self, data: bytes) -> None:
        """Bytes as they are, below the WebSocket protocol."""
        self._connection.socket.sendall(data)

    def answers_pings(self) -> bool:
        """Whether a ping of the WebSocket protocol is answered."""
        return self._connection.ping().wait(HANG_GUARD_S)

    def close(self, code: int = 1000) -> None:
        self._connection.close(code)

    def drop(self) -> None:
        """No close handshake: as if the server's process had been killed."""
        self._connection.socket.shutdown(2)

    def ask(
        self,
        kind: str,
        timeout_s: float = HANG_GUARD_S,
        answer: Optional[str] = None,
        **fields: Any,
    ) -> Message:
        """Sends a request and waits for what answers it, which is of the type ``answer`` if that is
        given.
        """
        request_id = fields.pop("request_id", f"req-{self._number}-{next(self._requests)}")
        before = len(self._heard)
        self.send(kind, request_id=request_id, **fields)
        reply = self.expect_that(
            lambda heard: heard.get("request_id") == request_id,
            f"an answer to {kind}",
            timeout_s,
            before,
        )
        assert answer is None or reply["type"] == answer, reply
        return reply

    def read_console(self, **params: Any) -> Message:
        """The ``result`` of a read_console that works."""
        answer = self.ask("execute", tool_name="read_console", params=params, timeout_ms=10_000)
        assert answer["type"] == "result" and answer["status"] == "ok", answer
        return dict(answer["result"])

    def messages_in_console(self, **params: Any) -> List[str]:
        return [entry["message"] for entry in self.read_console(**params)["entries"]]

    def submit(
        self, job_id: str, timeout_ms: int = 300_000, tool: str = "run_tests", **params: Any
    ) -> Message:
        return self.ask(
            "submit_job", tool_name=tool, job_id=job_id, params=params, timeout_ms=timeout_ms
        )

    def job(self, job_id: str) -> Message:
        return self.ask("get_job_status", job_id=job_id)

    def expect(self, kind: str, timeout_s: float = HANG_GUARD_S, **fields: Any) -> Message:
        """The first message of this kind with these fields, heard already or still to come."""

        def matches(heard: Message) -> bool:
            return heard.get("type") == kind and all(
                heard.get(name) == value for name, value in fields.items()
            )

        return self.expect_that(matches, f"{kind} {fields or ''}", timeout_s)

    def becomes(self, **fields: Any) -> Message:
        """The newest editor_status, as soon as it has these fields."""

        def newest(_: Message) -> bool:
            statuses = [heard for heard in self._heard if heard.get("type") == "editor_status"]
            return bool(statuses) and all(statuses[-1].get(name) == fields[name] for name in fields)

        self.expect_that(newest, f"newest editor_status {fields}")
        return self.heard("editor_status")[-1]

    def is_open(self) -> bool:
        """Asks the plugin. A connection that a reload ended may not have been seen to close yet."""
        try:
            return not self.is_closed and bool(self.ask("get_job_status", job_id="nobody"))
        except (AssertionError, ConnectionClosed, OSError):
            return False

    def is_ready(self, timeout_s: float = HANG_GUARD_S) -> bool:
        """Waits until the editor says ready; false for a connection that a reload ended before."""

        def said_ready() -> bool:
            return any(
                heard.get("type") == "editor_status" and heard["state"] == "ready"
                for heard in self._heard
            )

        with self._arrived:
            assert self._arrived.wait_for(lambda: said_ready() or self.is_closed, timeout_s), (
                self._heard
            )
            return not self.is_closed

    def expect_that(
        self,
        matches: Callable[[Message], bool],
        what: str,
        timeout_s: float = HANG_GUARD_S,
        start: int = 0,
    ) -> Message:
        """``start``: how many of the messages that were heard first do not count."""

        def found() -> Optional[Message]:
            return next(filter(matches, itertools.islice(self._heard, start, None)), None)

        with self._arrived:
            self._arrived.wait_for(lambda: found() is not None or self.is_closed, timeout_s)
            heard = found()
            assert heard is not None, f"no {what}; heard {self._heard}"
            return heard

    def hear(self, kind: str, timeout_s: float = HANG_GUARD_S, **fields: Any) -> Message:
        """The next message of this kind with these fields."""

        def is_next(heard: Message) -> bool:
            is_new = not any(heard is found for found in self._found)
            return (
                is_new
                and heard.get("type") == kind
                and all(heard.get(name) == fields[name] for name in fields)
            )

        heard = self.expect_that(is_next, f"{kind} {fields or ''}", timeout_s)
        with self._arrived:
            self._found.append(heard)
        return heard

    def text(self, place: int, timeout_s: float = HANG_GUARD_S) -> str:
        """What came as message number ``place``, from 0 on, whatever it was."""
        with self._arrived:
            assert self._arrived.wait_for(lambda: len(self._texts) > place, timeout_s), self._texts
            return self._texts[place]

    def heard(self, kind: str) -> List[Message]:
        with self._arrived:
            return [heard for heard in self._heard if heard.get("type") == kind]

    def forget(self) -> None:
        """As if nothing but hello and the editor's last state had been heard yet."""
        with self._arrived:
            states = [heard for heard in self._heard if heard.get("type") == "editor_status"]
            self._heard[:] = [
                heard for heard in self._heard if heard.get("type") == "hello"
            ] + states[-1:]

    def wait_closed(self, timeout_s: float = HANG_GUARD_S) -> Optional[int]:
        """The plugin leaves; its close code."""
        with self._arrived:
            assert self._arrived.wait_for(lambda: self.is_closed, timeout_s), (
                "the session is still open"
            )
        return self.close_code

    def _listen(self, greets: bool, is_ready: Callable[[], None]) -> None:
        try:
            while greets and not self.heard("hello"):
                self._take(self._connection.recv())
            if greets:
                self.greet()
            is_ready()
            for text in self._connection:
                self._take(text)
        except (ConnectionClosed, OSError):
            pass
        with self._arrived:
            self.is_closed = True
            self._arrived.notify_all()

    def _take(self, text: Union[str, bytes]) -> None:
        with self._arrived:
            self._texts.append(str(text))
            self._heard.append(_read(str(text)))
            self._messages.received(self._heard[-1])
            self._arrived.notify_all()


def _read(text: str) -> Message:
    """The message, or one without a type for what is none."""
    try:
        heard = json.loads(text)
    except ValueError:
        return {}
    return heard if isinstance(heard, dict) else {}


def serve_until_stopped(server: Server) -> None:
    """On Windows the library stops a server by closing its listener, which may be before ``select``
    looks at it.
    """
    try:
        server.serve_forever()
    except OSError:
        if os.name != "nt" or server.socket.fileno() >= 0:
            raise


class ScriptedServer:
    """Listens on 127.0.0.1; ``greets=False`` leaves the hello to the test.

    It proves that it runs as the same user to a plugin that asks for it, unless ``proves=False`` (SPEC §17.1).
    """

    def __init__(self, port: int = 0, greets: bool = True, proves: bool = True) -> None:
        self.greets = greets
        self.proves = proves
        self.messages = PackageMessages()
        self._latest: Optional[Session] = None
        self._sessions: queue.Queue[Session] = queue.Queue()
        self._count = itertools.count(1)
        self._open: List[ServerConnection] = []
        # Releases for Python 3.8 send no pings of their own, and have no word for it.
        silent: Any = (
            {"ping_interval": None} if "ping_interval" in signature(serve).parameters else {}
        )
        self._server: Server = serve(
            self._serve,
            "127.0.0.1",
            port,
            max_size=None,
            compression=None,
            close_timeout=2,
            **silent,
        )
        self.port: int = self._server.socket.getsockname()[1]
        self._thread = threading.Thread(
            target=serve_until_stopped, args=(self._server,), name="scripted-server"
        )
        self._thread.start()

    def __enter__(self) -> ScriptedServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def session(self, timeout_s: float = HANG_GUARD_S) -> Session:
        """The next connection, greeted."""
        self._latest = self._sessions.get(timeout=timeout_s)
        return self._latest

    @property
    def latest(self) -> Session:
        """The newest connection, for any caller that waited for one."""
        assert self._latest is not None
        return self._latest

    def no_session(self) -> bool:
        """Whether no connection waits to be taken up."""
        return self._sessions.empty()

    def ready_session(self) -> Session:
        """The next connection of an editor that is ready; those that reloads have ended are passed
        over.
        """
        session = self.session()
        while not session.is_ready():
            session = self.session()
        return session

    def open_session(self) -> Session:
        """The newest connection, if the plugin answers on it, or else the next one on which it
        does.
        """
        session = self.latest
        while not self.no_session() or not session.is_open():
            session = self.ready_session()
        return session

    def stop_listening(self) -> None:
        """The port is free for others; the connections stay."""
        self._server.socket.close()

    def stop(self) -> None:
        if not self._thread.is_alive():
            return
        self._server.shutdown()
        for connection in list(self._open):
            connection.close(1001)
        self._thread.join(HANG_GUARD_S)
        # Releases for Python 3.8 to 3.10 leave the pipe open that stops a server; newer ones close
        # their sockets.
        for end in ("shutdown_watcher", "shutdown_notifier"):
            descriptor = getattr(self._server, end, None)
            if isinstance(descriptor, int):
                os.close(descriptor)
        # The library's selector is a reference cycle that holds a descriptor until the collector
        # comes round.
        gc.collect()
        if self.messages.faults:
            raise AssertionError("\n".join(self.messages.faults))

    def _serve(self, connection: ServerConnection) -> None:
        self._open.append(connection)
        session = Session(connection, next(self._count), self.proves, self.messages)
        session._listen(self.greets, lambda: self._sessions.put(session))
        self._open.remove(connection)


def ended(server: ScriptedServer, session: Session, job_id: str) -> Message:
    """Polls as the server does, over every reload, until the job has ended."""
    pause = threading.Event()
    status: Message = {}
    for _ in range(int(HANG_GUARD_S / 0.05)):
        if session.is_closed:
            session = server.ready_session()
        try:
            status = session.job(job_id)
            if status["state"] in ENDS:
                return status
        except (
            AssertionError,
            ConnectionClosed,
            OSError,
        ):  # the session closed between the question and the answer
            pass
        pause.wait(0.05)
    raise AssertionError(f"{job_id} never ended: {status}")
