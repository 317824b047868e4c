"""What the socket side and its owner say to each other: ``Peer``, ``PeerEvents``, and the limits between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, Optional, Protocol


class Peer(Protocol):
    """One WebSocket connection whose handshake is done. No method blocks; each may be called from any thread."""

    @property
    def id(self) -> int:
        """Rising and unique in this process, from 1."""
        ...

    @property
    def path(self) -> str:
        """What it asked for, without the query: a path that has an endpoint."""
        ...

    @property
    def port(self) -> int:
        """Our own, on which it came."""
        ...

    def send(self, text: str) -> bool:
        """Hand a message to the peer's writer. ``False``: the connection is closing and the message will not leave.

        Raises ``ValueError`` for a text over ``max_message_bytes`` or one that is not Unicode: the caller's bug.
        """
        ...

    def introduced(self) -> None:
        """It has shown who it is: it may stay beyond its endpoint's ``introduction_s``."""
        ...

    def close(self, code: int, reason: str) -> None:
        """End the conversation: what was sent before still goes out, then the close handshake, for a bounded time."""
        ...

    def abort(self) -> None:
        """Cut the connection now."""
        ...


class PeerEvents(Protocol):
    """What the listener tells its owner, on the peer's own reader thread, in order.

    Implementations return quickly. An exception out of one is logged and closes that peer with 1011.
    """

    def peer_opened(self, peer: Peer) -> None:
        """The handshake is done."""
        ...

    def peer_said(self, peer: Peer, text: str) -> None:
        """One whole text message: valid Unicode, at most ``max_message_bytes`` of UTF-8."""
        ...

    def peer_overflowed(self, peer: Peer) -> None:
        """A message over the limit is being sent. The peer may still be told why; then it is closed with 1009."""
        ...

    def peer_closed(self, peer: Peer, code: int, reason: str) -> None:
        """The last event of a peer, exactly once after ``peer_opened``; ``code`` is 1006 where no close frame came."""
        ...


@dataclass(frozen=True)
class Endpoint:
    """Who hears the peers of a path, and what such a peer may do.

    Several paths may lead to one endpoint. Its peers share slots of their own, so that those of another endpoint cannot
    keep them out.
    """

    events: PeerEvents
    max_peers: int = 64
    """Connections whose handshake is done; one more is answered with 503, unless another is leaving."""
    max_message_bytes: Optional[int] = None
    """Of one message from a peer; ``None``: as the listener's limits say."""
    introduction_s: Optional[float] = None
    """From the handshake until ``Peer.introduced``, or the peer is closed; ``None``: whoever listens sees to it."""


# Where a plugin connects (SPEC §7.1).
UNITY_PATHS = ("/", "/unity")


def unity_endpoint(events: PeerEvents) -> Dict[str, Endpoint]:
    """The paths of Unity, with ``events`` behind them."""
    return dict.fromkeys(UNITY_PATHS, Endpoint(events))


@dataclass(frozen=True)
class Limits:
    """Every bound that the listener holds its peers to (SPEC 7.7, 7.9)."""

    head_bytes: int = 8 * 1024
    """A request head over this is answered with 431."""
    head_s: float = 5.0
    """From the connection to the end of the request head."""
    half_open: int = 64
    """Connections whose handshake is not done; one more, and the oldest gives way."""
    max_message_bytes: int = 2**20
    """One message, in either direction."""
    max_fragments: int = 4096
    """Frames of one message: empty ones cost a peer nothing."""
    message_s: float = 15.0
    """From the first byte of a message to its last: a frame must not drip in."""
    send_s: float = 10.0
    """For one message to leave: a peer that stops reading is cut off."""
    outbox_bytes: int = 8 * 2**20
    """What may wait to be sent to one peer before it is cut off."""
    linger_s: float = 1.0
    """For a peer to read our last words and hang up."""
    stop_s: float = 2.0
    """For every thread to end after ``stop``."""
