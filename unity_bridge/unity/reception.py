"""``Reception``: shows every peer to whoever its path belongs to, for the whole of its stay (SPEC §14.1).

So a plugin can never be mistaken for a client, nor the other way round: they enter by different doors.
"""

from __future__ import annotations

from typing import Mapping

from unity_bridge.unity.websocket import Peer, PeerEvents


class Reception:
    """``PeerEvents`` by path. ``hosts`` has an entry for every path that the listener lets in."""

    def __init__(self, hosts: Mapping[str, PeerEvents]) -> None:
        self._hosts = hosts

    @property
    def paths(self) -> Mapping[str, PeerEvents]:
        return self._hosts

    def peer_opened(self, peer: Peer) -> None:
        self._hosts[peer.path].peer_opened(peer)

    def peer_said(self, peer: Peer, text: str) -> None:
        self._hosts[peer.path].peer_said(peer, text)

    def peer_overflowed(self, peer: Peer) -> None:
        self._hosts[peer.path].peer_overflowed(peer)

    def peer_closed(self, peer: Peer, code: int, reason: str) -> None:
        self._hosts[peer.path].peer_closed(peer, code, reason)
