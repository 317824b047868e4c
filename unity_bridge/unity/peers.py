"""The interface between the listener and its user: ``Peer``, ``PeerEvents``, endpoints and limits."""

from __future__ import annotations

from typing import Dict, Optional, Protocol

from unity_bridge.base.frozen import frozen
from unity_bridge.trust.proof import Ends


class Peer(Protocol):
    """One open WebSocket connection. No method blocks; each may be called from any thread."""

    @property
    def id(self) -> int:
        """Unique in this process and rising, from 1."""

    @property
    def path(self) -> str:
        """The requested path without its query. It has an endpoint."""

    @property
    def ends(self) -> Ends:
        """Both ends of the connection, as this side sees them."""

    def send(self, text: str) -> bool:
        """Hand a message to the peer's writer. ``False``: the connection is closing and the message
        will not leave.

        Raises ``ValueError`` for a text over ``max_message_bytes`` or one that is not Unicode: the caller's bug.
        """

    def introduced(self) -> None:
        """Lift the endpoint's ``introduction_s`` and any rate, because the peer has proved who it
        is.
        """

    def close(self, code: int, reason: str) -> None:
        """Send what is queued, then a close frame, and wait a bounded time for the peer's answer."""

    def abort(self) -> None:
        """Cut the connection immediately."""


class PeerEvents(Protocol):
    """The listener's callbacks for one endpoint, in order, on the peer's reader thread.

    Implementations return quickly. An exception is logged and closes the peer with 1011.
    """

    def peer_opened(self, peer: Peer) -> None:
        """Report that the handshake succeeded."""

    def peer_said(self, peer: Peer, text: str) -> None:
        """One whole text message: valid Unicode, at most ``max_message_bytes`` of UTF-8."""

    def peer_overflowed(self, peer: Peer) -> None:
        """Report a message over the limit. The peer may still get a reason; then it is closed with
        1009.
        """

    def peer_closed(self, peer: Peer, code: int, reason: str) -> None:
        """Report the end, last and exactly once for each ``peer_opened``. ``code`` is 1006 if no
        close frame came.
        """


@frozen
class Endpoint:
    """Who handles the peers of a path, and what such a peer may do.

    Several paths may share one endpoint. Each endpoint has slots of its own, so the peers of one cannot keep those of
    another out.
    """

    events: PeerEvents
    max_peers: int = 64
    """Open connections. One more is answered with 503, unless another is closing."""
    max_message_bytes: Optional[int] = None
    """For one message from a peer. ``None``: ``Limits.max_message_bytes``."""
    introduction_s: Optional[float] = None
    """Seconds from the handshake to ``Peer.introduced``; then the peer is closed. ``None``: no limit."""


# Where a plugin connects (SPEC §7.1).
UNITY_PATHS = ("/", "/unity")


def unity_endpoint(events: PeerEvents) -> Dict[str, Endpoint]:
    """Return the endpoint of the paths that plugins connect to."""
    return dict.fromkeys(UNITY_PATHS, Endpoint(events))


@frozen
class Limits:
    """The bounds that the listener enforces (SPEC §7.7, §7.9)."""

    head_bytes: int = 8 * 1024
    """Of a request head. A longer one is answered with 431."""
    head_s: float = 5.0
    """From the connection to the first byte, and from there to the end of the request head."""
    half_open: int = 64
    """Connections that have said nothing yet, and those without a finished handshake. One more evicts the oldest."""
    max_message_bytes: int = 2**20
    """Of one message, in either direction."""
    max_fragments: int = 4096
    """Frames per message, because empty ones cost a peer nothing."""
    message_s: float = 15.0
    """From the first byte of a message to its last."""
    send_s: float = 10.0
    """For sending one message. A peer that stops reading is cut off."""
    outbox_bytes: int = 8 * 2**20
    """Queued for one peer. Beyond this it is cut off."""
    linger_s: float = 1.0
    """For a peer to read the last frames and hang up."""
    accept_rate: float = 100.0
    """Connections a second that are served, beyond ``accept_burst`` at once; the others wait."""
    accept_burst: int = 64
    unproven_rate: float = 400.0
    """Messages a second that are read from a peer without proof."""
    unproven_burst: int = 32
    """Messages that may come at once before that counts."""
    stop_s: float = 2.0
    """For all threads to end after ``stop``."""
