"""Whether a file is a whole picture, and how large, by its structure: nothing is decoded."""

from __future__ import annotations

import struct
from typing import Optional, Tuple

Size = Tuple[int, int]

_PNG = b"\x89PNG\r\n\x1a\n"
_JPG, _JPG_END = b"\xff\xd8", b"\xff\xd9"
_START_OF_SCAN = 0xDA
# Start of frame, of any coding; C4, C8 and CC are something else.
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


def picture_size(kind: str, data: bytes) -> Optional[Size]:
    """Width and height of a ``jpg`` or ``png``; ``None`` if it is none, or not all of one."""
    try:
        if kind == "png":
            return _size_of_png(data)
        return _size_of_jpg(data)
    except (struct.error, IndexError):  # it ends too soon
        return None


def _size_of_png(data: bytes) -> Optional[Size]:
    if not data.startswith(_PNG + b"\0\0\0\x0dIHDR"):
        return None
    place = len(_PNG)
    while True:
        length, kind = struct.unpack_from(">I4s", data, place)
        place += length + 12  # with length, kind and checksum
        if kind == b"IEND":
            break
    width, height = struct.unpack_from(">II", data, len(_PNG) + 8)
    if place == len(data):
        return (width, height)
    return None


def _size_of_jpg(data: bytes) -> Optional[Size]:
    if not (data.startswith(_JPG) and data.endswith(_JPG_END)):
        return None
    place, size = len(_JPG), None
    while data[place] == 0xFF:
        marker = data[place + 1]
        if marker == _START_OF_SCAN:
            return size
        (length,) = struct.unpack_from(">H", data, place + 2)
        if marker in _FRAMES:
            height, width = struct.unpack_from(">HH", data, place + 5)
            size = (width, height)
        place += 2 + length
    return None
