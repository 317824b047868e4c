"""The server under test: the product's listener, which here accepts binary messages and 64 MiB, and
echoes.

``python tests/conformance/echo_server.py`` prints its port and serves until stdin ends.
"""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import Any, Iterator, Optional

from wsproto.frame_protocol import Frame, FrameProtocol, Opcode, RsvBits

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from unity_bridge.base.clock import SystemClock
from unity_bridge.base.result import Ok
from unity_bridge.log.logger import Logger
from unity_bridge.unity import frames
from unity_bridge.unity.frames import Incoming, Text
from unity_bridge.unity.message_reader import MessageReader
from unity_bridge.unity.peer_connection import PeerConnection
from unity_bridge.unity.websocket import Limits, Peer, WebSocketListener, unity_endpoint
from unity_bridge.unity.wsproto_frames import FrameReader, HeaderPolicy

# Autobahn sends one message in up to 262144 fragments (9.3, 9.4); the product's bound is tested
# elsewhere.
_LIMITS = Limits(
    max_message_bytes=64 * 2**20, max_fragments=2**20, outbox_bytes=256 * 2**20, unproven_rate=1e9
)


class Binary(Text):
    """A whole binary message, as the text with these bytes for characters."""


class BinaryPolicy(HeaderPolicy):
    def frame_inbound_header(
        self, proto: Any, opcode: Opcode, rsv: RsvBits, payload_length: int
    ) -> Any:
        meant = Opcode.TEXT if opcode is Opcode.BINARY else opcode
        return super().frame_inbound_header(proto, meant, rsv, payload_length)


class BinaryFrames(FrameReader):
    """Reads binary messages too, which the product refuses with 1003."""

    def __init__(self, max_message_bytes: int, max_fragments: int, is_client: bool) -> None:
        super().__init__(max_message_bytes, max_fragments, is_client)
        self._policy = BinaryPolicy(max_message_bytes, max_fragments)
        self._protocol = FrameProtocol(client=is_client, extensions=[self._policy])

    def _incoming(self, frame: Frame) -> Optional[Incoming]:
        if frame.opcode is not Opcode.BINARY:
            return super()._incoming(frame)
        characters = bytes(frame.payload).decode("latin-1")  # type: ignore[arg-type]
        whole = self._text_so_far(
            Frame(frame.opcode, characters, frame.frame_finished, frame.message_finished)
        )
        return None if whole is None else Binary(whole.text)


class BinaryReader(MessageReader):
    def feed(self, data: bytes) -> Iterator[Incoming]:
        self._frames = self._frames or BinaryFrames(
            self._max_message_bytes, self._max_fragments, self._is_client
        )
        return super().feed(data)


class BinaryEcho(PeerConnection):
    """A connection that accepts binary messages."""

    reader_class = BinaryReader

    def act_on(self, incoming: Incoming) -> None:
        if isinstance(incoming, Binary):
            self.post(frames._frame(0x2, incoming.text.encode("latin-1")))
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
    serve_until_stdin_ends(
        EchoListener(unity_endpoint(Echo()), SystemClock(), Logger("conformance"), _LIMITS)
    )
