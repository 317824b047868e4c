"""Every frame that RFC 6455 knows, read by ``wsproto`` (ADR-0013)."""

from __future__ import annotations

from io import StringIO
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

from unity_bridge.unity.frames import Closed, Incoming, PingFrame, Text, Violation


class FrameReader:
    """A ``MessageReader`` for whatever comes."""

    def __init__(self, max_message_bytes: int, max_fragments: int, is_client: bool) -> None:
        mask_bytes = 4
        if is_client:
            mask_bytes = 0
        self._policy = HeaderPolicy(max_message_bytes, max_fragments, mask_bytes)
        self._protocol = FrameProtocol(client=is_client, extensions=[self._policy])
        self._text = StringIO()
        self._over = False
        self._fed = 0  # bytes that wsproto was given

    @property
    def unfinished(self) -> bool:
        """Whether a message or a frame has begun and its end is still to come."""
        return self._policy.within_frame or self._policy.fragments > 0

    @property
    def is_between_messages(self) -> bool:
        """Whether wsproto waits for nothing, and holds back no byte of a frame that has begun."""
        return (
            not self._over
            and self._policy.fragments == 0
            and self._fed == self._policy.completed_bytes
        )

    def read(self, data: bytes) -> Iterator[Incoming]:
        """Yield what ``data`` completes. Take all of it before the next ``read``."""
        if self._over:
            return
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


class HeaderPolicy(Extension):
    """Checks every frame by its header alone.

    Never negotiated: an extension is the place where ``wsproto`` shows headers before it waits for their payload.
    """

    name = "header-policy"

    def __init__(self, max_message_bytes: int, max_fragments: int, mask_bytes: int = 4) -> None:
        self._mask_bytes = mask_bytes
        self._max_message_bytes = max_message_bytes
        self._max_fragments = max_fragments
        self._message_bytes = 0
        self._payload_length = 0
        self._is_control = False
        self.fragments = 0
        self.within_frame = False
        self.completed_bytes = 0  # of whole frames

    def enabled(self) -> bool:
        return True

    def offer(self) -> Union[bool, str]:
        return False

    def accept(self, offer: str) -> Union[bool, str, None]:
        return None

    def finalize(self, offer: str) -> None:
        return None

    def frame_inbound_header(
        self,
        proto: Union[FrameDecoder, FrameProtocol],
        opcode: Opcode,
        rsv: RsvBits,
        payload_length: int,
    ) -> Union[CloseReason, RsvBits]:
        # Comes again for the same frame while its mask is still on the way, so nothing is counted
        # here.
        self.within_frame = True
        self._is_control = opcode.iscontrol()
        self._payload_length = payload_length
        # wsproto closes a frame with a reserved bit, which is the graver fault (§5.2).
        if opcode is Opcode.BINARY and not any(rsv):
            return CloseReason.UNSUPPORTED_DATA
        if not self._is_control and (
            self._message_bytes + payload_length > self._max_message_bytes
            or self.fragments >= self._max_fragments
        ):
            return CloseReason.MESSAGE_TOO_BIG
        return RsvBits(False, False, False)

    def frame_inbound_complete(
        self, proto: Union[FrameDecoder, FrameProtocol], fin: bool
    ) -> Union[bytes, CloseReason, None]:
        self.within_frame = False
        self.completed_bytes += (
            _head_bytes(self._payload_length) + self._mask_bytes + self._payload_length
        )
        if not self._is_control:
            self.fragments = 0 if fin else self.fragments + 1
            self._message_bytes = 0 if fin else self._message_bytes + self._payload_length
        return None


def _head_bytes(payload_length: int) -> int:
    """Without the mask. ``wsproto`` refuses a length that is not in its shortest form."""
    if payload_length <= MAX_PAYLOAD_NORMAL:
        extended = 0
    elif payload_length <= MAX_PAYLOAD_TWO_BYTE:
        extended = 2
    else:
        extended = 8
    return 2 + extended


_REASONS = {
    CloseReason.UNSUPPORTED_DATA: "binary messages are not accepted",
    CloseReason.MESSAGE_TOO_BIG: "message too big",
    CloseReason.INVALID_FRAME_PAYLOAD_DATA: "text is not UTF-8",
}
