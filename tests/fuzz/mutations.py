"""Ways to spoil text and JSON, drawn by a ``random.Random``: the same seed spoils the same way."""

from __future__ import annotations

import json
import random
from typing import Any, Callable, Dict, List, Sequence

ODD_VALUES: Sequence[Any] = (
    None,
    True,
    0,
    -1,
    1.5,
    1e300,
    2**63,
    2**64,
    -(2**70),
    "",
    "x" * 5000,
    "\x00",
    "\u2028\ud83d\ude00",
    "\ud83d",
    [],
    [[]],
    {},
    {"": {}},
    {"__proto__": 1},
)
ODD_BYTES = (
    b"",
    b"\x00",
    b"\xff\xfe",
    b"\xc0\x80",
    b"\xed\xa0\x80",
    b"\r",
    b"\xef\xbb\xbf",
    b"{",
    b"]",
    b'"',
    b"\\u",
    b"1e999",
)


def spoilt(message: Dict[str, Any], chance: random.Random) -> bytes:
    """``message`` as a line without its line end, spoilt in its values, in its text, or not at all."""
    for _ in range(chance.choice([0, 1, 1, 2])):
        message = _with_an_odd_value(message, chance)
    line = _text(message, chance)
    for _ in range(chance.choice([0, 0, 1, 3])):
        line = chance.choice(_SPOIL)(line, chance)
    return line.replace(b"\n", b" ")


def _text(message: Any, chance: random.Random) -> bytes:
    kind = chance.random()
    if kind < 0.03:
        return json.dumps([message]).encode()
    if kind < 0.05:
        return b"[" * 5000 + json.dumps(message).encode()
    text = json.dumps(message, ensure_ascii=chance.random() < 0.5)
    return text.encode("utf-8", "surrogatepass")


def _with_an_odd_value(value: Any, chance: random.Random) -> Any:
    """A copy in which one member, at any depth, is changed, missing or new."""
    if isinstance(value, dict) and value:
        copy = dict(value)
        key = chance.choice(list(copy))
        what = chance.random()
        if what < 0.15:
            del copy[key]
        elif what < 0.3:
            copy[chance.choice(["", "id", "extra", key.upper()])] = chance.choice(ODD_VALUES)
        elif isinstance(copy[key], dict) and what < 0.8:
            copy[key] = _with_an_odd_value(copy[key], chance)
        else:
            copy[key] = chance.choice(ODD_VALUES)
        return copy
    return chance.choice(ODD_VALUES)


def _cut(line: bytes, chance: random.Random) -> bytes:
    return line[: chance.randint(0, len(line))]


def _insert(line: bytes, chance: random.Random) -> bytes:
    at = chance.randint(0, len(line))
    return line[:at] + chance.choice(ODD_BYTES) + line[at:]


def _flip(line: bytes, chance: random.Random) -> bytes:
    if not line:
        return line
    at = chance.randrange(len(line))
    return line[:at] + bytes([line[at] ^ (1 << chance.randrange(8))]) + line[at + 1 :]


def _repeat(line: bytes, chance: random.Random) -> bytes:
    start, end = sorted(chance.randint(0, len(line)) for _ in range(2))
    return line[:end] + line[start:end] * chance.randint(1, 3) + line[end:]


_SPOIL: List[Callable[[bytes, random.Random], bytes]] = [_cut, _insert, _flip, _repeat]
