"""The connection to the server: connect, send hello, receive, and always reconnect (SPEC §7, §9,
§11).
"""

from __future__ import annotations

import errno
import json
import random
import select
import socket
import struct
from threading import Condition, Event, Thread
from typing import Any, Callable, Iterator, Optional, Protocol, Tuple, Union

import websocket

from unity_bridge.base.clock import SystemClock
from unity_bridge.base.errors import ErrorCode
from unity_bridge.base.frozen import frozen
from unity_bridge.log.logger import Logger
from unity_bridge.simulator.event_log import Emit
from unity_bridge.simulator.proof_search import ProofSearch
from unity_bridge.simulator.trust import ServerProof, ends_of
from unity_bridge.system.interruptible_socket import InterruptibleSocket
from unity_bridge.text import json_reader
from unity_bridge.text.json_types import JsonDict, JsonObject
from unity_bridge.trust.waiting_editors import WaitingFile

PROTOCOL_VERSION = 1

_GOING_AWAY = 1001
_CONNECT_S = 3.0
# Longer than three of the server's heartbeats: a server that has pinged and is then silent for this
# long is frozen.
_SILENCE_S = 10.0
_CLOSE_S = 1.0
# How often a waiting editor checks whether a server calls it.
_CHECK_S = 0.02

_IN_PROGRESS = (errno.EINPROGRESS, errno.EWOULDBLOCK)

_clock = SystemClock()


@frozen
class BackOff:
    """The plugin's side of SPEC §9."""

    initial_ms: int = 100
    multiplier: float = 1.7
    max_ms: int = 1200
    jitter_ratio: float = 0.1

    def waits_s(
        self, jitter: Callable[[], float] = lambda: random.uniform(-1.0, 1.0)
    ) -> Iterator[float]:
        """Yield how long to wait before each next try; ``jitter()`` is a number from -1 to 1."""
        wait_ms = float(self.initial_ms)
        while True:
            yield wait_ms * (1.0 + self.jitter_ratio * jitter()) / 1000.0
            wait_ms = min(wait_ms * self.multiplier, float(self.max_ms))


class Speaker(Protocol):
    """Who speaks on the connection. Called on the link's thread; must not wait for the main thread."""

    trust: ServerProof

    def hello(self) -> JsonDict: ...

    def opened(self, session: Session, hello: JsonDict) -> None: ...

    def received(self, session: Session, message: JsonDict) -> None: ...

    def disown(self) -> None:
        """End the jobs of servers without proof: this one was left for one that has proved itself."""


class _Socket(websocket.WebSocket):
    """Sends one close frame; the library alone would answer the reply to our own."""

    _is_close_sent = False

    def send_close(self, status: int = 1000, reason: Union[str, bytes] = b"") -> None:
        if not self._is_close_sent:
            self._is_close_sent = True
            text = reason
            if isinstance(reason, str):
                text = reason.encode()
            super().send_close(status, text)


class Session:
    """One connection. ``send`` and the two ways to end it may be called from any thread."""

    def __init__(self, tcp: socket.socket, websocket_: _Socket) -> None:
        self._tcp = tcp
        self.ends = ends_of(tcp)  # for the proofs
        self.search: Optional[ProofSearch] = None
        self._websocket = websocket_
        self.closing = False
        self.closed_with: Optional[Tuple[int, str]] = None  # if the end was ours
        self.number: Optional[int] = None  # from the server's hello on
        self.pinged = False
        self.ended = Event()

    def send(self, message: JsonObject) -> bool:
        """Send a message. Return False if the connection is lost; the message then was not
        delivered.
        """
        return self.send_text(json.dumps({"protocol_version": PROTOCOL_VERSION, **message}))

    def send_text(self, text: str) -> bool:
        if self.closing:
            return False
        try:
            self._websocket.send(text)
            return True
        except (OSError, websocket.WebSocketException):
            self.cut()
            return False

    def receive(self) -> Tuple[int, bytes]:
        opcode, data = self._websocket.recv_data()
        return opcode, data if isinstance(data, bytes) else str(data).encode()

    def close(self, reason: str) -> None:
        """Do the close handshake, for at most a second, then cut the connection. Not on the link's
        thread.
        """
        self.closing = True
        self.closed_with = (_GOING_AWAY, reason)
        try:
            self._websocket.send_close(_GOING_AWAY, reason)
        except (OSError, websocket.WebSocketException):
            pass
        self.ended.wait(_CLOSE_S)
        self.cut()

    def cut(self) -> None:
        """End the connection without a close frame."""
        self.closing = True
        try:
            self._tcp.shutdown(socket.SHUT_RDWR)
        except OSError:  # already gone
            pass

    def end(self) -> None:
        """Cut the connection and give its descriptor back. On the link's thread, which no longer
        reads from it.
        """
        self.cut()
        self._tcp.close()
        self.ended.set()


class ServerLink:
    """Keeps one session open while it is wanted and the server accepts it. All methods are safe
    from any thread.
    """

    def __init__(
        self, port: int, speaker: Speaker, emit: Emit, log: Logger, back_off: BackOff
    ) -> None:
        self._port = port
        self._speaker = speaker
        self._emit = emit
        self._log = log
        self._back_off = back_off
        self._waits_s = back_off.waits_s()
        self._thread = Thread(target=self._run, name="simulator link")
        self._sessions = 0
        self._reported = ""  # the last trouble that was reported, so that it is reported once
        self._waiting = WaitingFile(port)
        self._may_be_called = True  # once between two whole pauses
        self._is_called = False
        self._is_awaited = False
        self._changed = Condition()  # guards what follows
        self._session: Optional[Session] = None
        self._held = False
        self._stopping = False

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Close and end the thread."""
        self._set(stopping=True)
        self._end_session(lambda session: session.close("editor closed"))
        if self._thread.is_alive():
            self._thread.join()

    def hold(self, reason: str) -> None:
        """Close and stay disconnected until ``release``."""
        self._set(held=True)
        self._end_session(lambda session: session.close(reason))

    def vanish(self) -> None:
        """Leave without a close frame and stay disconnected until ``release``."""
        self._set(held=True)
        self._end_session(Session.cut)

    def drop(self) -> None:
        """Leave without a close frame and come back."""
        self._end_session(Session.cut)

    def release(self) -> None:
        self._set(held=False)

    def _set(self, held: Optional[bool] = None, stopping: bool = False) -> None:
        with self._changed:
            self._held = self._held if held is None else held
            self._stopping = self._stopping or stopping
            self._changed.notify_all()

    def _end_session(self, end: Callable[[Session], None]) -> None:
        with self._changed:
            session = self._session
        if session is not None:
            end(session)
            self._set()  # what waits for the link notices it

    def _run(self) -> None:
        self._waiting.make()
        while self._wanted():
            self._is_called = self._is_awaited = False
            try:
                was_accepted = self._one_session()
            except Exception:  # a bug in one session must not end the editor
                self._log.exception("the simulated editor's session failed")
                was_accepted = False
            if was_accepted:
                self._waits_s = self._back_off.waits_s()
                self._may_be_called = True
            if not self._is_awaited:  # by a server that has proved itself
                self._pause(next(self._waits_s))
        self._waiting.remove()

    def _pause(self, pause_s: float) -> None:
        """Wait until the next attempt, or until a server calls this editor."""
        ends_at = _clock.now() + pause_s
        while not self._check_call():
            self._waiting.make()
            left_s = ends_at - _clock.now()
            if left_s <= 0:
                self._may_be_called = True
                return
            with self._changed:
                step_s = min(left_s, _CHECK_S) if self._waiting.is_made else left_s
                if self._changed.wait_for(lambda: self._stopping or self._held, step_s):
                    return

    def _check_call(self) -> bool:
        """Return whether a server has called since the last attempt. A second call needs a whole
        pause before it, so that a program that removes the file again and again at most doubles the
        attempts."""
        if self._may_be_called and self._waiting.take_call():
            self._may_be_called = False
            self._is_called = True
        return self._is_called

    def _wanted(self) -> bool:
        with self._changed:
            self._changed.wait_for(lambda: self._stopping or not self._held)
            return not self._stopping

    def _one_session(self) -> bool:
        """Connect and stay as long as it lasts; True if the server said hello."""
        session = self._connect()
        if session is None:
            return False
        with self._changed:
            if self._held or self._stopping:  # since the connect began
                session.end()
                return False
            self._session = session
        code, reason = 1006, "the connection was lost"
        try:
            session.send({"type": "hello", **self._speaker.hello()})
            code, reason = self._converse(session)
        except (OSError, websocket.WebSocketException) as error:
            reason = str(error) or reason
        finally:
            with self._changed:
                self._session = None
            session.end()
            self._waiting.take_call()  # it was answered by this session
            if session.search is not None and session.search.has_found():
                self._is_awaited = True
                self._speaker.disown()
        if session.number is None:
            self._trouble("refused", reason=reason)
            return False
        code, reason = session.closed_with or (code, reason)
        self._emit("disconnected", session=session.number, code=code, reason=reason)
        return True

    def _connect(self) -> Optional[Session]:
        try:
            # Our own TCP connection: no proxy from the environment, and no Nagle between two small
            # messages.
            tcp = self._reach()
        except OSError:
            self._trouble("waiting", port=self._port)
            return None
        tcp.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        web = _Socket(enable_multithread=True)
        try:
            web.connect(  # type: ignore[no-untyped-call]
                f"ws://127.0.0.1:{self._port}/unity",
                socket=tcp,
                header=self._speaker.trust.opening(ends_of(tcp)),
                suppress_origin=True,
                redirect_limit=0,
            )
        except (OSError, websocket.WebSocketException) as error:
            tcp.close()
            # The library's text holds the whole answer: of a web server, a page.
            status = getattr(error, "status_code", None)
            if status:
                reason = f"HTTP status {status}"
            else:
                reason = str(error)
            self._trouble(
                "no_websocket",
                port=self._port,
                reason=reason,
            )
            return None
        tcp.settimeout(_SILENCE_S)
        try:
            return Session(tcp, web)
        except OSError:  # it is gone already
            tcp.close()
            return None

    def _reach(self) -> InterruptibleSocket:
        """Connect to the port. Windows tries a closed port for 2 s: a call of a server ends
        that."""
        plain = socket.socket()
        try:
            plain.setblocking(False)
            ends_at = _clock.now() + _CONNECT_S
            error = plain.connect_ex(("127.0.0.1", self._port))
            while error in _IN_PROGRESS and not self._check_call() and _clock.now() < ends_at:
                _, writable, failed = select.select([], [plain], [plain], _CHECK_S)
                if writable or failed:
                    error = plain.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if error:
                raise OSError(error, "cannot connect")
            plain.settimeout(_CONNECT_S)
            return InterruptibleSocket.of(plain)
        except BaseException:
            plain.close()
            raise

    def _converse(self, session: Session) -> Tuple[int, str]:
        """Receive until the connection ends; how it ended."""
        while True:
            try:
                opcode, data = session.receive()
            except websocket.WebSocketTimeoutException:
                if session.number is None or session.pinged:
                    return 1006, f"the server was silent for {_SILENCE_S:.0f} s"
                continue
            if opcode == websocket.ABNF.OPCODE_CLOSE:
                return _close_code(data)
            refusal = self._hear(session, data)
            if refusal is not None:
                return 1006, refusal

    def _hear(self, session: Session, data: bytes) -> Optional[str]:
        """Process one message. Return why the session is over, if the server refuses this plugin."""
        message = _message(data)
        if message is None:
            session.send(
                {
                    "type": "error",
                    "error": {
                        "code": ErrorCode.INVALID_REQUEST.value,
                        "message": "not a message object",
                    },
                }
            )
        elif message.get("protocol_version", PROTOCOL_VERSION) != PROTOCOL_VERSION:
            reason = f"the server speaks protocol_version {message['protocol_version']}, this plugin {PROTOCOL_VERSION}"
            session.send(
                {
                    "type": "error",
                    "error": {"code": ErrorCode.INVALID_REQUEST.value, "message": reason},
                }
            )
            return reason
        elif session.number is not None:
            session.pinged = session.pinged or message["type"] == "ping"
            self._speaker.received(session, message)
        elif message["type"] == "hello":
            self._sessions += 1
            session.number = self._sessions
            self._waiting.remove()
            self._reported = ""
            self._speaker.opened(session, message)
            trust = self._speaker.trust
            if trust.can_prove and not trust.is_server_trusted:
                session.search = ProofSearch(self._port, trust, session.ended, session.cut)
            self._emit(
                "connected",
                session=session.number,
                port=self._port,
                server_version=message.get("server_version"),
            )
        elif message["type"] == "error":
            error = message.get("error")
            if isinstance(error, dict):
                error = error.get("message")
            return str(error)
        return None

    def _trouble(self, kind: str, **values: Any) -> None:
        text = f"{kind} {values}"
        if text != self._reported:
            self._reported = text
            self._emit(kind, **values)


def _message(data: bytes) -> Optional[JsonDict]:
    try:
        message = json_reader.loads(data.decode())
    except ValueError:
        return None
    if isinstance(message, dict) and isinstance(message.get("type"), str):
        return message
    return None


def _close_code(data: bytes) -> Tuple[int, str]:
    if len(data) < 2:
        return 1005, "closed by the server"
    code: int = struct.unpack("!H", data[:2])[0]
    return code, data[2:].decode(errors="replace") or "closed by the server"
