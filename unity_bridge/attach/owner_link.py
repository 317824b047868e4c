"""``OwnerLink``: the attached side. It finds out who has the port, and carries calls to it and answers back."""

from __future__ import annotations

import itertools
import queue
import socket
import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional

from unity_bridge.attach import protocol
from unity_bridge.attach.endpoint import SecretSource
from unity_bridge.attach.events import LinkEvent, OwnerAnswered, OwnerFound, OwnerLost, OwnerProgressed
from unity_bridge.attach.protocol import ATTACHED, OWNER, Message, Reassembly
from unity_bridge.calls import Progress
from unity_bridge.clock import Clock
from unity_bridge.interruptible_socket import InterruptibleSocket
from unity_bridge.logger import Logger
from unity_bridge.result import Err, Ok, Result
from unity_bridge.trust.secret import is_proof, nonce, proof


@dataclass(frozen=True)
class NotAttached:
    """Whoever has the port is not one we can attach to; ``remark`` tells why, if it is a unity-bridge at all."""

    remark: Optional[str] = None


# The system answers for whoever has the port, unless more are waiting to be let in than it keeps.
_CONNECT_S = 0.3
# How long whoever has the port may take to each step of getting acquainted.
_ANSWER_S = 1.0

_numbers = itertools.count(1)


class OwnerLink:
    """``serve`` lives on the listener thread; ``call`` and ``abandon`` are the executor's and never block."""

    def __init__(
        self,
        secret: SecretSource,
        version: str,
        heartbeat_interval_s: float,
        heartbeat_timeout_s: float,
        emit: Callable[[LinkEvent], None],
        clock: Clock,
        log: Logger,
    ) -> None:
        self._secret = secret
        self._version = version
        self._interval_s = heartbeat_interval_s
        self._timeout_s = heartbeat_timeout_s
        self._emit = emit
        self._clock = clock
        self._log = log
        self._lock = threading.Lock()
        self._socket: Optional[socket.socket] = None  # guarded by _lock
        self._line: Optional[_Line] = None  # guarded by _lock
        self._is_closed = False  # guarded by _lock

    # Listener thread.

    def serve(self, port: int) -> Result[None, NotAttached]:
        """Attach to whoever has ``port`` and stay until it is lost (``Ok``); ``Err`` if we could not attach."""
        try:
            connection = InterruptibleSocket.of(socket.create_connection(("127.0.0.1", port), timeout=_CONNECT_S))
        except OSError:
            return Err(NotAttached())
        with connection:
            with self._lock:
                if self._is_closed:
                    return Ok(None)
                self._socket = connection
            try:
                return self._serve_on(connection, port)
            finally:
                with self._lock:
                    self._socket = None

    def _serve_on(self, connection: socket.socket, port: int) -> Result[None, NotAttached]:
        opened = self._attach(connection, port)
        if isinstance(opened, Err):
            return opened
        line = opened.value
        with self._lock:
            self._line = line
        self._emit(OwnerFound(port, line.version, line.number))
        reason = self._listen(line)
        with self._lock:
            self._line = None
        line.dispose()
        self._emit(OwnerLost(reason))
        return Ok(None)

    def _attach(self, connection: socket.socket, port: int) -> Result[_Line, NotAttached]:
        import websocket  # not at the top: most servers never meet another

        connection.settimeout(_ANSWER_S)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            web_socket = websocket.create_connection(
                f"ws://127.0.0.1:{port}{protocol.PATH}",
                socket=connection,
                suppress_origin=True,
                redirect_limit=0,  # it would lead to a socket that `close` does not know, and no server of ours asks it
                skip_utf8_validation=True,  # byte by byte in Python; what is no UTF-8 is noticed as it is decoded
            )
        except (OSError, websocket.WebSocketException, ValueError):
            return Err(NotAttached())
        line = _Line(web_socket)
        try:
            greeted: Result[_Line, NotAttached] = self._greet(line)
        except (OSError, websocket.WebSocketException, ValueError):
            greeted = Err(NotAttached())
        if isinstance(greeted, Err):
            line.dispose()
        return greeted

    def _greet(self, line: _Line) -> Result[_Line, NotAttached]:
        """Prove ourselves, and have the owner prove itself: a stranger on the port learns nothing of use."""
        challenge = line.receive()
        if challenge is None or challenge["type"] != "challenge":
            return Err(NotAttached())
        secret = self._secret()
        if isinstance(secret, Err):
            return Err(NotAttached(f"it is a unity-bridge, but there is no secret to attach with: {secret.error}"))
        ours, theirs = nonce(), str(challenge.get("nonce"))
        line.send_now(
            "attach",
            protocol=protocol.VERSION,
            nonce=ours,
            proof=proof(secret.value, ATTACHED, ours, theirs),
            version=self._version,
        )
        answer = line.receive()
        if answer is None:
            return Err(NotAttached())
        if answer["type"] == "refused":
            version, reason = answer.get("version"), answer.get("reason")
            return Err(NotAttached(f"it is unity-bridge {version}, which lets nobody share the port: {reason}"))
        if not is_proof(str(answer.get("proof")), proof(secret.value, OWNER, theirs, ours)):
            return Err(NotAttached("it claims to be a unity-bridge, but is not one of this user"))
        line.trust(str(answer.get("version")))
        if line.version != self._version:
            self._log.warning(
                "the server that owns the port has another version; update the older one if calls fail",
                owner=line.version,
                ours=self._version,
            )
        return Ok(line)

    def _listen(self, line: _Line) -> str:
        """Take what the owner says until it is lost; why it was."""
        import websocket

        line.start(self._interval_s)
        heard_at = self._clock.now()
        while True:
            try:
                message = line.receive()
            except websocket.WebSocketTimeoutException:
                if self._clock.now() - heard_at > self._timeout_s:
                    return "silent for too long"
                line.send("ping")
                continue
            except (OSError, websocket.WebSocketException, ValueError) as error:
                return str(error) or type(error).__name__
            if message is None:
                return "closed"
            heard_at = self._clock.now()
            self._hear(message)

    def _hear(self, message: Message) -> None:
        id = str(message.get("id"))
        if message["type"] == "ended":
            self._emit(OwnerAnswered(id, message))
        elif message["type"] == "progress":
            completed, total, current = (message.get(name) for name in ("completed", "total", "current_test"))
            if type(completed) is int and type(total) is int:
                self._emit(OwnerProgressed(id, Progress(completed, total, current)))

    # Executor thread.

    def call(
        self, line_number: int, request_id: str, tool: str, arguments: Mapping[str, Any], wants_progress: bool
    ) -> bool:
        """Forward a call on that line. ``False``: it is there no more, and nothing left this process."""
        with self._lock:
            line = self._line
        if line is None or line.number != line_number:
            return False
        line.send("call", id=request_id, tool=tool, arguments=dict(arguments), wants_progress=wants_progress)
        return True

    def abandon(self, request_id: str) -> None:
        with self._lock:
            line = self._line
        if line is not None:
            line.send("abandon", id=request_id)

    # Any thread.

    def close(self) -> None:
        """Let go of the owner, met already or not; ``serve`` returns. For good."""
        with self._lock:
            self._is_closed = True
            connection = self._socket
        if connection is not None:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


class _Line:
    """The connection: one thread receives, one of its own sends, so that whoever sends never waits for the owner."""

    def __init__(self, web_socket: Any) -> None:
        self.number = next(_numbers)
        self.version = ""
        self._web_socket = web_socket
        self._reassembly = Reassembly()
        self._outgoing: queue.SimpleQueue[Optional[str]] = queue.SimpleQueue()
        self._writer = threading.Thread(target=self._write, name="attach-writer", daemon=True)

    def trust(self, version: str) -> None:
        """It is the owner."""
        self.version = version
        self._reassembly.trust()

    def start(self, timeout_s: float) -> None:
        """From here on ``send`` works, and ``receive`` looks up every ``timeout_s`` seconds."""
        self._web_socket.settimeout(timeout_s)
        self._writer.start()

    def send(self, type: str, **fields: Any) -> None:
        for piece in protocol.encode(type, **fields):
            self._outgoing.put(piece)

    def send_now(self, type: str, **fields: Any) -> None:
        for piece in protocol.encode(type, **fields):
            self._web_socket.send(piece)

    def receive(self) -> Optional[Message]:
        """The next message, ``None`` at the end. Raises what the socket raises, ``ValueError`` for what is none."""
        while True:
            piece = self._web_socket.recv()
            if not piece:
                return None
            taken = self._reassembly.take(piece if isinstance(piece, str) else "")
            if isinstance(taken, Err):
                raise ValueError(taken.error)
            if taken.value is not None:
                return taken.value

    def dispose(self) -> None:
        """Cut it and give back what it holds. For the receiving thread."""
        self._outgoing.put(None)
        self._web_socket.abort()
        if self._writer.ident is not None:
            self._writer.join()
        self._web_socket.shutdown()

    def _write(self) -> None:
        while True:
            piece = self._outgoing.get()
            if piece is None:
                return
            try:
                self._web_socket.send(piece)
            except Exception:
                return  # the receiving thread finds out, and tells
