"""Pictures of the pretend game: read, painted, put into a grid, written as PNG or JPEG (SPEC §16.3)."""

from __future__ import annotations

import struct
import zlib
from functools import lru_cache
from math import cos, pi, sqrt
from pathlib import Path
from typing import Dict, Iterator, List, Sequence, Tuple

_PICTURES = Path(__file__).resolve().parent / "pictures"
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_BLACK = b"\0\0\0"

Row = Tuple[int, ...]


class Canvas:
    """Rows of pixels, three bytes each."""

    def __init__(self, width: int, rows: List[bytearray]) -> None:
        self.width, self.height = width, len(rows)
        self.rows = rows

    @classmethod
    def black(cls, width: int, height: int) -> Canvas:
        return cls(width, [bytearray(_BLACK * width) for _ in range(height)])

    @classmethod
    def stored(cls, name: str) -> Canvas:
        width, rows = _stored(name)
        return cls(width, [bytearray(row) for row in rows])

    @property
    def is_uniform(self) -> bool:
        first = bytes(self.rows[0][:3]) * self.width
        return all(row == first for row in self.rows)

    def scaled(self, width: int, height: int) -> Canvas:
        """By leaving pixels out: enough for flat colours."""
        columns = [slice(3 * (x * self.width // width), 3 * (x * self.width // width) + 3) for x in range(width)]
        lines: Dict[int, bytes] = {}
        for y in range(height):
            source = y * self.height // height
            if source not in lines:
                row = self.rows[source]
                lines[source] = b"".join([row[column] for column in columns])
        return Canvas(width, [bytearray(lines[y * self.height // height]) for y in range(height)])

    def put(self, other: Canvas, left: int, top: int) -> None:
        for y, row in enumerate(other.rows):
            self.rows[top + y][3 * left : 3 * (left + other.width)] = row

    def changed_from(self, other: Canvas) -> float:
        """Return the share of pixels that differ by more than 8 of 255 in a channel, from 0 to 1."""
        changed = 0
        for row, before in zip(self.rows, other.rows):
            if row != before:
                far = [abs(one - was) > 8 for one, was in zip(row, before)]
                changed += sum(any(far[x : x + 3]) for x in range(0, len(far), 3))
        return round(changed / (self.width * self.height), 5)

    def as_png(self) -> bytes:
        head = struct.pack(">IIBBBBB", self.width, self.height, 8, 2, 0, 0, 0)
        data = zlib.compress(b"".join(b"\0" + row for row in self.rows))
        return _SIGNATURE + _chunk(b"IHDR", head) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")

    def as_jpg(self) -> bytes:
        """Baseline, with the simplest tables that the format allows: T.81, annexes A, B and F."""
        return b"".join(
            (
                b"\xff\xd8",
                _segment(0xDB, b"\0" + bytes([_STEP] * 64)),
                _segment(0xC0, struct.pack(">BHHB", 8, self.height, self.width, 3) + b"\1\x11\0\2\x11\0\3\x11\0"),
                _segment(0xC4, b"\0" + _code_lengths(len(_DC_SYMBOLS), 5) + bytes([0, *_DC_SYMBOLS])),
                _segment(0xC4, b"\x10" + _code_lengths(len(_AC_SYMBOLS), 9) + bytes([0, *_AC_SYMBOLS])),
                _segment(0xDA, b"\3\1\0\2\0\3\0\0\x3f\0"),
                _packed("".join(self._scan())),
                b"\xff\xd9",
            )
        )

    def _scan(self) -> Iterator[str]:
        """Yield the coded blocks of 8 by 8 pixels; at the right and at the bottom the last pixels are repeated."""
        rows = [row + row[-3:] * (-self.width % 8) for row in self.rows]
        rows += [rows[-1]] * (-self.height % 8)
        before = [0, 0, 0]
        for top in range(0, len(rows), 8):
            eight = [bytes(row) for row in rows[top : top + 8]]
            for left in range(0, len(eight[0]), 24):
                for channel, (dc, ac) in enumerate(_block(b"".join([row[left : left + 24] for row in eight]))):
                    yield _dc_code(dc - before[channel])
                    yield ac
                    before[channel] = dc


@lru_cache(maxsize=None)
def _stored(name: str) -> Tuple[int, Sequence[bytes]]:
    """Width and rows of a picture. Those that are stored have one IDAT chunk, and rows without a filter."""
    data = (_PICTURES / f"{name}.png").read_bytes()
    width, height = struct.unpack_from(">II", data, len(_SIGNATURE) + 8)
    place = len(_SIGNATURE) + 25
    raw = zlib.decompress(data[place + 8 : place + 8 + struct.unpack_from(">I", data, place)[0]])
    line = 3 * width + 1
    return width, [raw[y * line + 1 : (y + 1) * line] for y in range(height)]


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


# JPEG. Every coefficient is divided by the same step. A code is "0" for the most frequent symbol, and else "1" and the
# symbol's number in as many bits as all of them need.
_STEP = 6
_DC_SYMBOLS = list(range(1, 12))
_AC_SYMBOLS = [run << 4 | size for run in range(16) for size in range(1, 11)] + [0xF0]
_ZIGZAG = sorted(range(64), key=lambda n: (n // 8 + n % 8, (n // 8 if (n // 8 + n % 8) % 2 else n % 8)))
_COSINES = [[(sqrt(0.125) if u == 0 else 0.5) * cos((2 * x + 1) * u * pi / 16) for x in range(8)] for u in range(8)]


def _segment(marker: int, data: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, len(data) + 2) + data


def _code_lengths(symbols: int, bits: int) -> bytes:
    """How many codes there are of each length from 1 to 16: one of 1 bit, the others of ``bits``."""
    return bytes([1] + [symbols if length == bits else 0 for length in range(2, 17)])


def _packed(bits: str) -> bytes:
    bits += "1" * (-len(bits) % 8)
    return int(bits, 2).to_bytes(len(bits) // 8, "big").replace(b"\xff", b"\xff\0")


def _number(value: int) -> Tuple[int, str]:
    """Its size in bits, and these bits: a negative number has the complement of its amount."""
    size = abs(value).bit_length()
    return size, format(value if value > 0 else value + (1 << size) - 1, f"0{size}b") if size else ""


def _dc_code(difference: int) -> str:
    size, bits = _number(difference)
    return "0" if not size else "1" + format(size - 1, "04b") + bits


@lru_cache(maxsize=8192)
def _block(pixels: bytes) -> Sequence[Tuple[int, str]]:
    """For Y, Cb and Cr the first coefficient, and the code of all others."""
    red, green, blue = pixels[0::3], pixels[1::3], pixels[2::3]
    luma = [0.299 * r + 0.587 * g + 0.114 * b for r, g, b in zip(red, green, blue)]
    cb = [(b - y) / 1.772 for b, y in zip(blue, luma)]
    cr = [(r - y) / 1.402 for r, y in zip(red, luma)]
    return [_coded([round(value) for value in values]) for values in ([y - 128 for y in luma], cb, cr)]


def _coded(values: List[int]) -> Tuple[int, str]:
    lines = [_transformed(tuple(values[n : n + 8])) for n in range(0, 64, 8)]
    columns = [_transformed(column) for column in zip(*lines)]
    levels = [round(columns[n % 8][n // 8] / _STEP) for n in _ZIGZAG]
    codes: List[str] = []
    zeros = 0
    for level in levels[1:]:
        if not level:
            zeros += 1
            continue
        while zeros > 15:
            codes.append(_ac_code(0xF0))
            zeros -= 16
        size, bits = _number(level)
        codes.append(_ac_code(zeros << 4 | size) + bits)
        zeros = 0
    return levels[0], "".join(codes) + ("0" if zeros else "")


def _ac_code(symbol: int) -> str:
    return "1" + format(_AC_SYMBOLS.index(symbol), "08b")


@lru_cache(maxsize=8192)
def _transformed(line: Tuple[float, ...]) -> Tuple[float, ...]:
    """Return the discrete cosine transform of eight values."""
    return tuple([sum([one * wave for one, wave in zip(line, waves)]) for waves in _COSINES])
