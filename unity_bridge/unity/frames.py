"""RFC 6455 framing without a socket: bytes in, whole messages out. Built on ``wsproto``'s frame layer (ADR-0013)."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from io import BytesIO, StringIO
from typing import Iterator, Optional, Union

from wsproto.extensions import Extension
from wsproto.frame_protocol import (
    MAX_PAYLOAD_NORMAL,
    MAX_PAYLOAD_TWO_BYTE,
    CloseReason,
    Frame,
    FrameDecoder,
    FrameProtocol,
    Opcode,
    ParseFailed,
    RsvBits,
)

from unity_bridge.base.frozen import quickly_made
from unity_bridge.unity.close_codes import ABNORMAL, NO_STATUS
from unity_bridge.unity.whole_frames import whole_text


@quickly_made
@dataclass(frozen=True)
class Text:
    """One whole text message."""

    text: str


@dataclass(frozen=True)
class Binary:
    """One whole binary message; comes only out of a reader that accepts them."""

    data: bytes


@dataclass(frozen=True)
class PingFrame:
    """A ping; ``payload`` is owed back in a pong."""

    payload: bytes


@dataclass(frozen=True)
class Closed:
    """The peer's close frame: the last thing it may say. ``code`` is 1005 where it gave none."""

    code: int
    reason: str


@dataclass(frozen=True)
class Violation:
    """What the peer sent must not be read any further; ``code`` is the close code that it has earned."""

    code: int
    reason: str


Incoming = Union[Text, Binary, PingFrame, Closed, Violation]


class MessageReader:
    """Turns the bytes of one peer into messages; after ``Closed`` or ``Violation`` nothing more comes out.

    Sizes are checked in frame headers, before a byte of payload is stored: a message may have at most
    ``max_message_bytes`` in at most ``max_fragments`` frames. ``is_client``: the reader is the client, and the peer the
    server. Raises nothing, whatever the bytes are.
    """

    def __init__(
        self, max_message_bytes: int, max_fragments: int, accept_binary: bool = False, is_client: bool = False
    ) -> None:
        self._max_message_bytes = max_message_bytes
        self._is_client = is_client
        self._policy = _HeaderPolicy(max_message_bytes, max_fragments, accept_binary)
        self._protocol = FrameProtocol(client=is_client, extensions=[self._policy])
        self._text = StringIO()
        self._binary = BytesIO()
        self._over = False
        self._fed = 0  # bytes that wsproto was given

    @property
    def unfinished(self) -> bool:
        """Whether a message or a frame has begun and its end is still to come."""
        return self._policy.within_frame or self._policy.fragments > 0

    def feed(self, data: bytes) -> Iterator[Incoming]:
        """What ``data`` completes, in the order in which it was sent. Take all of it before the next ``feed``."""
        if self._over:
            return
        start = 0
        while start < len(data) and self._is_between_messages:
            whole = whole_text(data, start, self._max_message_bytes)
            if whole is None:
                break
            text, start = whole
            yield Text(text)
        if start < len(data):
            yield from self._read(data[start:])

    @property
    def _is_between_messages(self) -> bool:
        """Whether wsproto waits for nothing, and holds back no byte of a frame that has begun."""
        return not self._is_client and self._policy.fragments == 0 and self._fed == self._policy.completed_bytes

    def _read(self, data: bytes) -> Iterator[Incoming]:
        self._fed += len(data)
        self._protocol.receive_bytes(data)
        try:
            for frame in self._protocol.received_frames():
                incoming = self._incoming(frame)
                if incoming is not None:
                    self._over = isinstance(incoming, Closed)
                    yield incoming
        except ParseFailed as failure:
            self._over = True
            yield Violation(int(failure.code), _REASONS.get(failure.code, str(failure)))

    def _incoming(self, frame: Frame) -> Optional[Incoming]:
        if frame.opcode is Opcode.TEXT:
            return self._text_so_far(frame)
        if frame.opcode is Opcode.BINARY:
            return self._binary_so_far(frame)
        if frame.opcode is Opcode.PING:
            return PingFrame(bytes(frame.payload))  # type: ignore[arg-type]
        if frame.opcode is Opcode.CLOSE:
            code, reason = frame.payload  # type: ignore[str-unpack]
            return Closed(int(code), str(reason))
        return None

    def _text_so_far(self, frame: Frame) -> Optional[Text]:
        if frame.message_finished and self._text.tell() == 0:
            return Text(str(frame.payload))
        self._text.write(str(frame.payload))
        if not frame.message_finished:
            return None
        whole, self._text = self._text.getvalue(), StringIO()
        return Text(whole)

    def _binary_so_far(self, frame: Frame) -> Optional[Binary]:
        self._binary.write(frame.payload)  # type: ignore[arg-type]
        if not frame.message_finished:
            return None
        whole, self._binary = self._binary.getvalue(), BytesIO()
        return Binary(whole)


class _HeaderPolicy(Extension):
    """Checks every frame by its header alone.

    Never negotiated: an extension is the place where ``wsproto`` shows headers before it waits for their payload.
    """

    name = "header-policy"

    def __init__(self, max_message_bytes: int, max_fragments: int, accept_binary: bool) -> None:
        self._max_message_bytes = max_message_bytes
        self._max_fragments = max_fragments
        self._accept_binary = accept_binary
        self._message_bytes = 0
        self._payload_length = 0
        self._is_control = False
        self.fragments = 0
        self.within_frame = False
        self.completed_bytes = 0  # of whole frames, masked as those of a client are

    def enabled(self) -> bool:
        return True

    def offer(self) -> Union[bool, str]:
        return False

    def accept(self, offer: str) -> Union[bool, str, None]:
        return None

    def finalize(self, offer: str) -> None:
        return None

    def frame_inbound_header(
        self, proto: Union[FrameDecoder, FrameProtocol], opcode: Opcode, rsv: RsvBits, payload_length: int
    ) -> Union[CloseReason, RsvBits]:
        # Comes again for the same frame while its mask is still on the way, so nothing is counted here.
        self.within_frame = True
        self._is_control = opcode.iscontrol()
        self._payload_length = payload_length
        if opcode is Opcode.BINARY and not self._accept_binary:
            return CloseReason.UNSUPPORTED_DATA
        if not self._is_control and (
            self._message_bytes + payload_length > self._max_message_bytes or self.fragments >= self._max_fragments
        ):
            return CloseReason.MESSAGE_TOO_BIG
        return RsvBits(False, False, False)

    def frame_inbound_complete(
        self, proto: Union[FrameDecoder, FrameProtocol], fin: bool
    ) -> Union[bytes, CloseReason, None]:
        self.within_frame = False
        self.completed_bytes += _head_bytes(self._payload_length) + self._payload_length
        if not self._is_control:
            self.fragments = 0 if fin else self.fragments + 1
            self._message_bytes = 0 if fin else self._message_bytes + self._payload_length
        return None


def _head_bytes(payload_length: int) -> int:
    """Of a masked frame. ``wsproto`` refuses a length that is not in its shortest form."""
    extended = 0 if payload_length <= MAX_PAYLOAD_NORMAL else 2 if payload_length <= MAX_PAYLOAD_TWO_BYTE else 8
    return 2 + extended + 4


_REASONS = {
    CloseReason.UNSUPPORTED_DATA: "binary messages are not accepted",
    CloseReason.MESSAGE_TOO_BIG: "message too big",
}


# A FrameProtocol keeps state between the fragments that it sends. A whole message from a server needs none: a header
# without a mask, and the payload as it is. So these functions may be called from any thread.


def text_frame(payload: bytes) -> bytes:
    """A whole text message as one frame; ``payload`` is UTF-8."""
    return _frame(Opcode.TEXT, payload)


def binary_frame(payload: bytes) -> bytes:
    """A whole binary message as one frame."""
    return _frame(Opcode.BINARY, payload)


def pong_frame(payload: bytes) -> bytes:
    """The answer to a ping that carried ``payload``."""
    return _frame(Opcode.PONG, payload)


def close_frame(code: int, reason: str) -> bytes:
    """A close frame; a reason that is too long for it is cut at a character. 1005 and 1006 make one without a code."""
    sender = FrameProtocol(client=False, extensions=[])
    return bytes(sender.close() if code in (NO_STATUS, ABNORMAL) else sender.close(code, reason))


def masked_text_frame(text: str) -> bytes:
    """A whole text message of a client."""
    return bytes(FrameProtocol(client=True, extensions=[]).send_data(text))


def masked_pong_frame(payload: bytes) -> bytes:
    """A client's answer to a ping."""
    return bytes(FrameProtocol(client=True, extensions=[]).pong(payload))


def _frame(opcode: Opcode, payload: bytes) -> bytes:
    """RFC 6455 5.2: FIN, no mask, the length in its shortest form."""
    length = len(payload)
    if length <= MAX_PAYLOAD_NORMAL:
        return struct.pack("!BB", 0x80 | opcode, length) + payload
    if length <= MAX_PAYLOAD_TWO_BYTE:
        return struct.pack("!BBH", 0x80 | opcode, 126, length) + payload
    return struct.pack("!BBQ", 0x80 | opcode, 127, length) + payload
