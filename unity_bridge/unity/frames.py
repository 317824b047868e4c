"""RFC 6455 frames without a socket: what comes out of them, how we write them, and how nearly all
are read. Pure.

``whole_text`` reads the frame that nearly every message is: one short text frame, all of it there (§5.2).
``wsproto`` takes five times as long over 300 bytes (10 instead of 2 us), as long over 16 KB, and a third of the time
over 256 KB. ``whole_close`` reads how nearly every connection ends: to import ``wsproto`` for that would be a tenth of
a command. Whatever is not plainly such a frame is left to it, faults included (``wsproto_frames.py``).
"""

from __future__ import annotations

import os
import struct
from typing import Optional, Tuple, Union

from unity_bridge.base.frozen import frozen
from unity_bridge.unity.close_codes import ABNORMAL, GOING_AWAY, NO_STATUS, NORMAL

_TEXT, _CLOSE, _PONG = 0x1, 0x8, 0xA
_FIN = 0x80
_WHOLE_TEXT = _FIN | _TEXT  # no reserved bit
_WHOLE_CLOSE = _FIN | _CLOSE
_MASKED = 0x80
_MASK_BYTES = 4
_LONGEST = 16 * 1024  # that is read here
_IN_TWO_BYTES, _IN_EIGHT_BYTES = 126, 127
# Of a close frame, next to its code: a control frame has at most 125 bytes (§5.5).
_REASON_BYTES = 123


@frozen
class Text:
    """One whole text message."""

    text: str


@frozen
class PingFrame:
    """A ping; ``payload`` is owed back in a pong."""

    payload: bytes


@frozen
class Closed:
    """The peer's close frame: the last thing it may say. ``code`` is 1005 where it gave none."""

    code: int
    reason: str


@frozen
class Violation:
    """What the peer sent must not be read any further; ``code`` is the close code that it has
    earned.
    """

    code: int
    reason: str


Incoming = Union[Text, PingFrame, Closed, Violation]


def whole_text(
    data: bytes, start: int, max_bytes: int, is_masked: bool
) -> Optional[Tuple[str, int]]:
    """Return the text of the frame that begins at ``start``, and the frame's end; ``None`` if it is
    any other frame.
    """
    mask_bytes = _MASK_BYTES if is_masked else 0
    if (
        len(data) - start < 2 + mask_bytes
        or data[start] != _WHOLE_TEXT
        or (data[start + 1] >= _MASKED) != is_masked
    ):
        return None
    length, mask_at = data[start + 1] & 0x7F, start + 2
    if length == _IN_EIGHT_BYTES:
        return None
    if length == _IN_TWO_BYTES:
        mask_at += 2
        length = int.from_bytes(data[start + 2 : mask_at], "big")
        if length < _IN_TWO_BYTES:
            return None
    payload_at = mask_at + mask_bytes
    end = payload_at + length
    if length > min(max_bytes, _LONGEST) or end > len(data):
        return None
    try:
        payload = data[payload_at:end]
        return (unmasked(payload, data[mask_at:payload_at]) if is_masked else payload).decode(
            "utf-8"
        ), end
    except UnicodeDecodeError:
        return None


def whole_close(data: bytes, is_masked: bool) -> Optional[Closed]:
    """Return the close frame that ``data`` is, without a code or with one of those that say that
    all is well; ``None`` if it is anything else.
    """
    payload_at = 2
    if is_masked:
        payload_at += _MASK_BYTES
    length = len(data) - payload_at
    if length < 0 or data[0] != _WHOLE_CLOSE:
        return None
    payload = data[payload_at:]
    expected = length
    if is_masked:
        payload = unmasked(payload, data[2:payload_at])
        expected |= _MASKED
    if length >= _IN_TWO_BYTES or data[1] != expected:
        return None
    if not payload:
        return Closed(NO_STATUS, "")
    code = int.from_bytes(payload[:2], "big")
    if code not in (NORMAL, GOING_AWAY):
        return None
    try:
        return Closed(code, payload[2:].decode("utf-8"))
    except UnicodeDecodeError:
        return None


def unmasked(payload: bytes, mask: bytes) -> bytes:
    """As two numbers: the one way without a loop that the standard library has."""
    length = len(payload)
    key = int.from_bytes((mask * (length // _MASK_BYTES + 1))[:length], "big")
    return (int.from_bytes(payload, "big") ^ key).to_bytes(length, "big")


def text_frame(payload: bytes) -> bytes:
    """Return a whole text message as one frame; ``payload`` is UTF-8."""
    return _frame(_TEXT, payload)


def pong_frame(payload: bytes) -> bytes:
    """Return the answer to a ping that carried ``payload``."""
    return _frame(_PONG, payload)


def close_frame(code: int, reason: str) -> bytes:
    """Return a close frame; a reason that is too long is cut at a character. 1005 and 1006 make one
    without a code.
    """
    if code in (NO_STATUS, ABNORMAL):
        return _frame(_CLOSE, b"")
    cut = reason.encode("utf-8")[:_REASON_BYTES].decode("utf-8", "ignore")
    return _frame(_CLOSE, struct.pack("!H", code) + cut.encode("utf-8"))


def masked_text_frame(text: str) -> bytes:
    """Return a whole text message of a client as one frame."""
    return _frame(_TEXT, text.encode("utf-8"), os.urandom(_MASK_BYTES))


def masked_pong_frame(payload: bytes) -> bytes:
    """Return a client's answer to a ping."""
    return _frame(_PONG, payload, os.urandom(_MASK_BYTES))


def _frame(opcode: int, payload: bytes, mask: bytes = b"") -> bytes:
    """RFC 6455 5.2: FIN, the length in its shortest form."""
    first_byte, masked, length = _FIN | opcode, _MASKED if mask else 0, len(payload)
    if length < _IN_TWO_BYTES:
        head = struct.pack("!BB", first_byte, masked | length)
    elif length < 1 << 16:
        head = struct.pack("!BBH", first_byte, masked | _IN_TWO_BYTES, length)
    else:
        head = struct.pack("!BBQ", first_byte, masked | _IN_EIGHT_BYTES, length)
    if mask:
        return head + mask + unmasked(payload, mask)
    return head + payload
