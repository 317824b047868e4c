"""The simulator's pictures are written as other programs read them."""

from __future__ import annotations

import struct
import zlib
from math import cos, pi, sqrt
from typing import Dict, Iterator, List, Tuple

import pytest

from unity_bridge.catalogue.picture_size import picture_size
from unity_bridge.simulator.canvas import Canvas

Pixel = Tuple[int, int, int]


def decoded(data: bytes) -> List[List[Pixel]]:
    """A baseline JPEG of one scan with three components that are not subsampled, decoded by ITU-T T.81, slowly."""
    place, tables, step = 2, {}, [0] * 64
    width = height = 0
    while True:
        _, marker, length = struct.unpack_from(">BBH", data, place)
        body = data[place + 4 : place + 2 + length]
        place += 2 + length
        if marker == 0xDB:
            step = list(body[1:65])
        elif marker == 0xC0:
            height, width = struct.unpack_from(">HH", body, 1)
        elif marker == 0xC4:
            tables[body[0]] = _codes(body[1:17], body[17:])
        elif marker == 0xDA:
            break
    bits = "".join(format(byte, "08b") for byte in data[place:-2].replace(b"\xff\0", b"\xff"))
    blocks = _blocks(bits, tables, step)
    rows: List[List[Pixel]] = [[(0, 0, 0)] * (width + 8) for _ in range(height + 8)]
    for top in range(0, height, 8):
        for left in range(0, width, 8):
            y, cb, cr = (next(blocks) for _ in range(3))
            for n in range(64):
                red, blue = y[n] + 1.402 * cr[n], y[n] + 1.772 * cb[n]
                green = (y[n] - 0.299 * red - 0.114 * blue) / 0.587
                rows[top + n // 8][left + n % 8] = (round(red + 128), round(green + 128), round(blue + 128))
    return [row[:width] for row in rows[:height]]


def _codes(lengths: bytes, symbols: bytes) -> Dict[str, int]:
    codes, code, place = {}, 0, 0
    for length, count in enumerate(lengths, 1):
        code <<= 1
        for _ in range(count):
            codes[format(code, f"0{length}b")] = symbols[place]
            code, place = code + 1, place + 1
    return codes


def _blocks(bits: str, tables: Dict[int, Dict[str, int]], step: List[int]) -> Iterator[List[float]]:
    order = sorted(range(64), key=lambda n: (n // 8 + n % 8, n // 8 if (n // 8 + n % 8) % 2 else n % 8))
    waves = [[(sqrt(0.125) if u == 0 else 0.5) * cos((2 * x + 1) * u * pi / 16) for u in range(8)] for x in range(8)]
    place, before, channel = 0, [0, 0, 0], 0

    def symbol(table: Dict[str, int]) -> int:
        nonlocal place
        length = next(n for n in range(1, 17) if bits[place : place + n] in table)
        place += length
        return table[bits[place - length : place]]

    def number(size: int) -> int:
        nonlocal place
        place += size
        text = bits[place - size : place]
        return 0 if not size else int(text, 2) - (0 if text[0] == "1" else (1 << size) - 1)

    while True:
        levels = [0] * 64
        before[channel] += number(symbol(tables[0]))
        levels[0], at = before[channel], 1
        while at < 64:
            both = symbol(tables[0x10])
            if both == 0:
                break
            at += both >> 4
            levels[order[at]] = number(both & 15) * step[at]
            at += 1
        levels[0] *= step[0]
        lines = [[sum(levels[8 * v + u] * waves[x][u] for u in range(8)) for x in range(8)] for v in range(8)]
        yield [sum(lines[v][x] * waves[y][v] for v in range(8)) for y in range(8) for x in range(8)]
        channel = (channel + 1) % 3


def painted(width: int, height: int) -> Canvas:
    canvas = Canvas.black(width, height)
    for y, row in enumerate(canvas.rows):
        for x in range(width):
            row[3 * x : 3 * x + 3] = (250, 40, 10) if (x // 5 + y // 3) % 3 else (x * 7 % 256, 200, y * 9 % 256)
    return canvas


@pytest.mark.parametrize(("width", "height"), [(16, 16), (21, 11), (1, 1)])
def test_a_jpeg_shows_what_was_painted(width: int, height: int) -> None:
    canvas = painted(width, height)
    data = canvas.as_jpg()
    assert picture_size("jpg", data) == (width, height)
    for row, line in zip(canvas.rows, decoded(data)):
        for x, pixel in enumerate(line):
            assert max(abs(one - was) for one, was in zip(pixel, row[3 * x : 3 * x + 3])) < 32


def test_a_png_has_every_pixel() -> None:
    canvas = painted(21, 11)
    data = canvas.as_png()
    assert picture_size("png", data) == (21, 11)
    begin = data.index(b"IDAT") + 4
    (length,) = struct.unpack_from(">I", data, begin - 8)
    assert zlib.decompress(data[begin : begin + length]) == b"".join(b"\0" + row for row in canvas.rows)


def test_only_a_visible_difference_is_a_change() -> None:
    before, after = Canvas.black(10, 10), Canvas.black(10, 10)
    after.rows[0][0:6] = (8, 8, 8, 0, 9, 0)
    assert after.changed_from(before) == 0.01
    assert before.changed_from(after) == 0.01
