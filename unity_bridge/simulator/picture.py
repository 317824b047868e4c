"""Pictures without a library: rectangles and discs on a canvas of rows, written as PNG."""

from __future__ import annotations

import math
import struct
import zlib
from typing import List, Tuple

Colour = Tuple[int, int, int]

# Three columns of five rows for each digit, a row as three bits.
_DIGITS = (
    (7, 5, 5, 5, 7),
    (2, 6, 2, 2, 7),
    (7, 1, 7, 4, 7),
    (7, 1, 7, 1, 7),
    (5, 5, 7, 1, 1),
    (7, 4, 7, 1, 7),
    (7, 4, 7, 5, 7),
    (7, 1, 1, 2, 2),
    (7, 5, 7, 5, 7),
    (7, 5, 7, 1, 7),
)


class Canvas:
    """Rows of RGB. Coordinates are fractions of the width and the height, so that a picture has no size of its own."""

    def __init__(self, width: int, height: int, colour: Colour = (0, 0, 0)) -> None:
        self.width, self.height = width, height
        self._rows: List[bytearray] = [bytearray(bytes(colour) * width) for _ in range(height)]

    def fade(self, top: Colour, bottom: Colour, until: float) -> None:
        """From the upper edge down."""
        last = max(1, round(until * self.height))
        for row in range(min(last, self.height)):
            mixed = bytes(round(a + (b - a) * row / last) for a, b in zip(top, bottom))
            self._rows[row][:] = mixed * self.width

    def box(self, left: float, top: float, right: float, bottom: float, colour: Colour) -> None:
        for row in range(max(0, round(top * self.height)), min(self.height, round(bottom * self.height))):
            self._span(row, round(left * self.width), round(right * self.width), colour)

    def disc(self, x: float, y: float, radius: float, colour: Colour) -> None:
        """``radius`` as a fraction of the height."""
        middle, centre, reach = x * self.width, y * self.height, radius * self.height
        for row in range(max(0, math.floor(centre - reach)), min(self.height, math.ceil(centre + reach))):
            half = math.sqrt(max(0.0, reach * reach - (row + 0.5 - centre) ** 2))
            self._span(row, round(middle - half), round(middle + half), colour)

    def number(self, value: int, left: float, top: float, height: float, colour: Colour) -> None:
        side = height * self.height / 5
        for place, digit in enumerate(str(value)):
            for row, bits in enumerate(_DIGITS[int(digit)]):
                for column in range(3):
                    if bits & (4 >> column):
                        x, y = left * self.width + (place * 4 + column) * side, top * self.height + row * side
                        self.box(
                            x / self.width, y / self.height, (x + side) / self.width, (y + side) / self.height, colour
                        )

    def is_uniform(self) -> bool:
        first = bytes(self._rows[0][:3]) * self.width
        return all(row == first for row in self._rows)

    def png(self) -> bytes:
        header = struct.pack(">IIBBBBB", self.width, self.height, 8, 2, 0, 0, 0)
        pixels = zlib.compress(b"".join(b"\0" + row for row in self._rows), 6)
        return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", pixels) + _chunk(b"IEND", b"")

    def _span(self, row: int, left: int, right: int, colour: Colour) -> None:
        left, right = max(0, left), min(self.width, right)
        if left < right:
            self._rows[row][left * 3 : right * 3] = bytes(colour) * (right - left)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
