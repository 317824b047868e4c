"""``UnityBridgeClient``: sends and receives messages over the listener, and reports what happened
as events (ADR-0005).

It decides nothing and never reads a tool name. The executor decides which peer is the session, what an answer means and
who is refused. Methods are grouped by the thread that calls them.
"""

from __future__ import annotations

import threading
from enum import Enum
from typing import Callable, Dict, Optional, Protocol, Tuple, Union

from unity_bridge.base.clock import Clock
from unity_bridge.base.errors import ErrorCode
from unity_bridge.base.frozen import changed, frozen
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.log.limited_log import LimitedLog
from unity_bridge.log.logger import Logger
from unity_bridge.trust.plugin_challenge import PluginChallenge, challenge
from unity_bridge.trust.secret import SecretSource
from unity_bridge.unity import messages
from unity_bridge.unity.latest_status import LatestStatus
from unity_bridge.unity.messages import EditorStatus, ErrorMessage, Fault, Hello, Message
from unity_bridge.unity.websocket import BindFailure, Peer, WebSocketListener

REBIND_INTERVAL_S = 1.0  # SPEC 2.5
PORT_IN_USE = "port_in_use"

# A holder that does not share the port is asked again at every fifth bind only.
_ROUNDS_UNASKED = 4
# After an owner is lost, the next one is looked for without the pause of a second. A frozen owner
# keeps the port and makes each attempt wait, so this ends by the clock, and the port is reported as
# in use.
_HURRY_FOR_S = 1.0
_HURRY_S = 0.05


@frozen
class ListenerBound:
    """The port is ours."""

    port: int


@frozen
class ListenerLost:
    """Listening on the port failed. The bind is retried."""


@frozen
class ListenerBlocked:
    """The port cannot be bound. The bind is retried every second.

    ``remark`` is what is known of its holder beyond that, for people.
    """

    failure: BindFailure
    remark: Optional[str] = None


@frozen
class PeerOpened:
    """Somebody completed the WebSocket handshake."""

    peer_id: int


@frozen
class PeerSaid:
    """A well-formed message came.

    ``challenge`` belongs to the first ``hello`` that had a nonce: what the plugin is to prove, or why we have no secret
    to prove anything with (SPEC §17.1).
    """

    peer_id: int
    message: Message
    challenge: Optional[Result[PluginChallenge, str]] = None


@frozen
class PeerReported:
    """An ``editor_status`` came, or several of which the last counts."""

    peer_id: int
    status: LatestStatus


@frozen
class PeerFaulted:
    """A text came that is no message of the protocol."""

    peer_id: int
    fault: Fault


@frozen
class PeerOverflowed:
    """A message over the size limit came. The listener closes the connection with 1009."""

    peer_id: int


@frozen
class PeerClosed:
    """The connection is gone."""

    peer_id: int
    code: int
    reason: str


UnityEvent = Union[
    ListenerBound,
    ListenerLost,
    ListenerBlocked,
    PeerOpened,
    PeerSaid,
    PeerReported,
    PeerFaulted,
    PeerOverflowed,
    PeerClosed,
]


class AttachLink(Protocol):
    """A way to work through the program that holds the port (SPEC §14)."""

    def serve(self, port: int) -> Result[None, NoUplink]:
        """Block while that works; ``Err`` if it does not."""

    def close(self) -> None:
        """Let ``serve`` return. Any thread."""


class NoUplink(Protocol):
    """Why the holder of the port cannot be worked through."""

    @property
    def remark(self) -> Optional[str]:
        """What is known of it, for people."""

    @property
    def is_momentary(self) -> bool:
        """Whether asking again soon may help."""


class Sent(Enum):
    """What became of a message that was to be sent."""

    HANDED_OVER = "handed over"
    GONE = "the peer is gone, nothing left this process"
    TOO_LARGE = "over the size limit of a message"


class _Connection:
    """A peer, and what it has said once. For the peer's reader thread."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self.is_version_known = False  # its hello had a protocol_version
        self.is_challenged = False
        self.has_proof = False
        # On its way to the executor, if nothing else was said since.
        self.status: Optional[LatestStatus] = None


class UnityBridgeClient:
    """The listener's owner. ``emit`` takes events from any thread and returns at once (it is the
    inbox's ``put``).
    """

    def __init__(
        self,
        port: int,
        max_message_bytes: int,
        listener_for: Callable[[UnityBridgeClient], WebSocketListener],
        emit: Callable[[UnityEvent], None],
        clock: Clock,
        log: Logger,
        attach_link: Optional[AttachLink] = None,
        secret: SecretSource = lambda: Err("this server was given none"),
        emit_in_turn: Optional[Callable[[UnityEvent, int, int], None]] = None,
        call_waiting_editors: Callable[[int], Tuple[int, ...]] = lambda port: (),
    ) -> None:
        # For what a peer says; with the peer and the bytes. Without it nothing bounds what waits
        # (tests).
        self._emit_in_turn = emit_in_turn or (lambda event, peer_id, size: emit(event))
        self._port = port
        self._secret = secret
        self._attach_link = attach_link
        self._max_message_bytes = max_message_bytes
        self._listener = listener_for(self)
        self._emit = emit
        self._clock = clock
        self._log = log
        self._call_waiting_editors = call_waiting_editors
        # The processes of the editors that waited for the port when it was bound. Written by the
        # listener thread.
        self.waiting_editors: Tuple[int, ...] = ()
        self._stopping = threading.Event()
        # Of the listener thread alone.
        self._rounds_unasked = 0
        self._hurry_until = self._clock.now()
        self._remark: Optional[str] = None
        self._known_bug = ""
        self._same_again = LimitedLog(log, clock)
        self._thread = threading.Thread(target=self._listen, name="unity-listener", daemon=True)
        # Written by the peers' own threads, read by the executor. No lock: each of the three steps
        # on a dict is atomic.
        self._peers: Dict[int, _Connection] = {}

    # Executor thread (start and stop: its owner's).

    def start(self) -> None:
        """Start listening, or waiting for the port."""
        self._thread.start()

    def stop(self, code: int, reason: str) -> None:
        """Release the port, close every connection and join every thread, within 2 s."""
        self._stopping.set()
        if self._attach_link is not None:
            self._attach_link.close()
        self._listener.stop(code, reason)
        if self._thread.ident is not None:
            self._thread.join()

    def send(self, peer_id: int, message: Message) -> Sent:
        """Hand ``message`` to the peer's writer. Never blocks."""
        text = messages.encode(message)
        if len(text) > self._max_message_bytes:  # ASCII: characters are bytes
            return Sent.TOO_LARGE
        peer = self._peer(peer_id)
        if peer is None or not peer.send(text):
            return Sent.GONE
        if self._log.debugging:
            self._log.debug(f"> {text}", session=peer_id)
        return Sent.HANDED_OVER

    def close(self, peer_id: int, code: int, reason: str) -> None:
        """Close one connection after what was sent before. Never blocks."""
        peer = self._peer(peer_id)
        if peer is not None:
            peer.close(code, reason)

    def introduced(self, peer_id: int) -> None:
        """Record that the peer has proved who it is. Never blocks."""
        peer = self._peer(peer_id)
        if peer is not None:
            peer.introduced()

    def abort(self, peer_id: int) -> None:
        """Cut one connection now. Never blocks."""
        peer = self._peer(peer_id)
        if peer is not None:
            peer.abort()

    # Each peer's reader thread (PeerEvents).

    def peer_opened(self, peer: Peer) -> None:
        self._peers[peer.id] = _Connection(peer)
        self._emit_in_turn(PeerOpened(peer.id), peer.id, 0)

    def peer_said(self, peer: Peer, text: str) -> None:
        if self._log.debugging:
            self._log.debug(f"< {text}", session=peer.id)
        connection = self._peers.get(peer.id)
        assert connection is not None  # between its first event and its last
        decoded = messages.decode(text, connection.is_version_known)
        if isinstance(decoded, Ok):
            if isinstance(decoded.value, Hello):
                # Other plugins may send protocol_version in their hello only (SPEC §7.7).
                connection.is_version_known = True
            self._pass_on(connection, decoded.value, len(text))
        else:
            connection.status = None
            self._emit_in_turn(PeerFaulted(peer.id, decoded.error), peer.id, len(text))

    def _pass_on(self, connection: _Connection, message: Message, size: int) -> None:
        peer_id = connection.peer.id
        if isinstance(message, Hello):
            connection.status = None
            self._emit_in_turn(
                PeerSaid(peer_id, message, self._challenge(connection, message)), peer_id, size
            )
        elif not isinstance(message, EditorStatus) or self._is_first_proof(connection, message):
            connection.status = None  # what was said before this stays before it
            self._emit_in_turn(PeerSaid(peer_id, message), peer_id, size)
        elif connection.status is None or not connection.status.add(message):
            connection.status = LatestStatus(message)
            self._emit_in_turn(PeerReported(peer_id, connection.status), peer_id, size)

    def _challenge(
        self, connection: _Connection, hello: Hello
    ) -> Optional[Result[PluginChallenge, str]]:
        """Once for each connection, and here, since it reads a file."""
        if hello.nonce is None or connection.is_challenged:
            return None
        connection.is_challenged = True
        secret = self._secret()
        if isinstance(secret, Err):
            return secret
        verdict = challenge(hello.nonce, secret.value, connection.peer.ends)
        assert verdict is not None  # the codec keeps nothing that is no nonce
        return Ok(verdict)

    @staticmethod
    def _is_first_proof(connection: _Connection, status: EditorStatus) -> bool:
        """Return whether this is the first proof. A later status must not hide it; a second proof
        says nothing.
        """
        is_first = status.proof is not None and not connection.has_proof
        connection.has_proof = connection.has_proof or is_first
        return is_first

    def peer_overflowed(self, peer: Peer) -> None:
        # Sent here and not by the executor, because the listener starts to close when this returns.
        refusal = {
            "code": ErrorCode.INVALID_REQUEST.value,
            "message": f"a message may have at most {self._max_message_bytes} bytes",
            "retryable": False,
            "details": {},
        }
        peer.send(messages.encode(ErrorMessage(error=refusal)))
        self._emit_in_turn(PeerOverflowed(peer.id), peer.id, 0)

    def peer_closed(self, peer: Peer, code: int, reason: str) -> None:
        self._peers.pop(peer.id, None)
        self._emit_in_turn(PeerClosed(peer.id, code, reason), peer.id, 0)

    # Listener thread.

    def _listen(self) -> None:
        while not self._stopping.is_set():
            try:
                self._take_the_port()
            except Exception as bug:
                # The thread must live on, or nothing would ever listen again.
                self._report(bug)
                self._stopping.wait(REBIND_INTERVAL_S)

    def _report(self, bug: Exception) -> None:
        """Log it with its stack. The same bug again, which may come every second, gets a short line
        now and then.
        """
        if repr(bug) == self._known_bug:
            self._same_again.warn("bug", "listening failed again", bug=self._known_bug)
        else:
            self._known_bug = repr(bug)
            self._log.exception("a bug: listening failed; it is tried again")

    def _take_the_port(self) -> None:
        bound = self._listener.bind(self._port)
        if isinstance(bound, Ok):
            self.waiting_editors = self._call_waiting_editors(bound.value)
            self._emit(ListenerBound(bound.value))
            try:
                self._listener.serve()
            except Exception:
                self._emit(ListenerLost())
                raise
        else:
            self._work_through_the_holder(bound.error)

    def _work_through_the_holder(self, failure: BindFailure) -> None:
        """Another program holds the port. Attach to it for as long as it lives, or wait and retry."""
        if self._attach_link is None or failure.reason != PORT_IN_USE:
            self._wait_for_the_port(failure, None)
        elif self._rounds_unasked:
            self._rounds_unasked -= 1
            self._wait_for_the_port(failure, self._remark)
        else:
            served = self._attach_link.serve(self._port)
            if isinstance(served, Ok):
                # The owner is gone. The first to bind is the next one; the port may look taken for
                # a moment.
                self._hurry_until = self._clock.now() + _HURRY_FOR_S
            elif self._clock.now() < self._hurry_until:
                self._stopping.wait(_HURRY_S)
            else:
                self._remark = served.error.remark
                self._rounds_unasked = 0 if served.error.is_momentary else _ROUNDS_UNASKED
                self._wait_for_the_port(failure, self._remark)

    def _wait_for_the_port(self, failure: BindFailure, remark: Optional[str]) -> None:
        if failure.reason == PORT_IN_USE:
            failure = changed(failure, holder=self._listener.who_holds(failure.port))
        self._emit(ListenerBlocked(failure, remark))
        self._stopping.wait(REBIND_INTERVAL_S)

    def _peer(self, peer_id: int) -> Optional[Peer]:
        connection = self._peers.get(peer_id)
        if connection is None:
            return None
        return connection.peer
