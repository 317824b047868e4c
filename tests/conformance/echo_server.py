"""The server under test: the product's listener, which here accepts binary messages and 64 MiB, and echoes.

``python tests/conformance/echo_server.py`` prints its port and serves until stdin ends.
"""

from __future__ import annotations

import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from unity_bridge.base.clock import SystemClock
from unity_bridge.base.result import Ok
from unity_bridge.log.logger import Logger
from unity_bridge.unity.frames import Binary, Incoming, binary_frame
from unity_bridge.unity.message_reader import MessageReader
from unity_bridge.unity.peer_connection import PeerConnection
from unity_bridge.unity.websocket import Limits, Peer, WebSocketListener, unity_endpoint

# Autobahn sends one message in up to 262144 fragments (9.3, 9.4); the product's bound is tested elsewhere.
_LIMITS = Limits(max_message_bytes=64 * 2**20, max_fragments=2**20, outbox_bytes=256 * 2**20, unproven_rate=1e9)


class BinaryEcho(PeerConnection):
    """A connection that accepts binary messages, which the product refuses with 1003."""

    def make_reader(self) -> MessageReader:
        return MessageReader(_LIMITS.max_message_bytes, _LIMITS.max_fragments, accept_binary=True)

    def act_on(self, incoming: Incoming) -> None:
        if isinstance(incoming, Binary):
            self.post(binary_frame(incoming.data))
        else:
            super().act_on(incoming)


class Echo:
    def peer_opened(self, peer: Peer) -> None: ...

    def peer_said(self, peer: Peer, text: str) -> None:
        peer.send(text)

    def peer_overflowed(self, peer: Peer) -> None: ...

    def peer_closed(self, peer: Peer, code: int, reason: str) -> None: ...


class EchoListener(WebSocketListener):
    connection_class = BinaryEcho


def serve_until_stdin_ends(listener: WebSocketListener) -> None:
    """Print the port that ``listener`` got, and serve."""
    bound = listener.bind(0)
    assert isinstance(bound, Ok), bound
    sys.stdout.write(f"{bound.value}\n")
    sys.stdout.flush()
    accepting = threading.Thread(target=listener.serve, name="accept")
    accepting.start()
    sys.stdin.read()
    listener.stop()
    accepting.join()


if __name__ == "__main__":
    serve_until_stdin_ends(EchoListener(unity_endpoint(Echo()), SystemClock(), Logger("conformance"), _LIMITS))
