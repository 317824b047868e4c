"""The smallest files that have the structure of a picture."""

from __future__ import annotations

import struct

_START_OF_SCAN = b"\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00"


def jpg(width: int, height: int) -> bytes:
    frame = b"\xff\xc0" + struct.pack(">HBHHBBBB", 11, 8, height, width, 1, 1, 0x11, 0)
    return b"\xff\xd8" + b"\xff\xe0\x00\x05abc" + frame + _START_OF_SCAN + b"\0" * 9 + b"\xff\xd9"


def png(width: int, height: int) -> bytes:
    header = struct.pack(">II", width, height) + b"\x08\x02\0\0\0"
    return (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", header)
        + _chunk(b"IDAT", b"...")
        + _chunk(b"IEND", b"")
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + b"\0\0\0\0"
