"""The place in the project that a stack trace points at."""

from __future__ import annotations

import re
from typing import NamedTuple, Optional

# What stands between a method and its file: `at Keep.Stack.Split () [0x0002e] in
# Assets/Stack.cs:33` (Mono), `... in C:\\game\\Assets\\Stack.cs:line 33` (.NET), `Keep.Stack:Split
# (int) (at Assets/Stack.cs:33)` (Unity).
_BEFORE_A_FILE = (" in ", "(at ")
_MOST_DIGITS = 9

# `Assets/Player/PlayerMovement.cs(63,27): warning CS0414: ...`: a compiler's message begins with
# the place.
_COMPILER = re.compile(r"(?P<file>[^()\n]+\.cs)\((?P<line>\d{1,9}),\d+\): ")

# Frames of the test framework and the engine, not of the project.
_NOT_THE_PROJECT = (
    "NUnit.",
    "UnityEngine.",
    "UnityEditor.",
    "Unity.",
    "System.",
    "Mono.",
    "(wrapper",
)


class SourceLine(NamedTuple):
    """A file and a line in it; ``str()`` is the form that editors and terminals open on a click."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class _Frame(NamedTuple):
    method: str
    place: SourceLine


def first_useful_place(stack_trace: Optional[str], message: str = "") -> Optional[SourceLine]:
    """Return the innermost frame of the project, else the innermost with a file, else a compiler
    message's place.
    """
    frames = [frame for frame in map(_frame, (stack_trace or "").splitlines()) if frame is not None]
    inside = [frame for frame in frames if not frame.method.startswith(_NOT_THE_PROJECT)]
    if frames:
        return (inside or frames)[0].place
    match = _COMPILER.match(message)
    if match is None:
        return None
    return SourceLine(match["file"].replace("\\", "/"), int(match["line"]))


def _frame(line: str) -> Optional[_Frame]:
    """Return the frame that a line of a stack trace shows, or None. Takes time in proportion to the
    line's length.
    """
    text = line.strip()
    head, _, number = (text[:-1] if text.endswith(")") else text).rpartition(":")
    number = number[len("line ") :] if number.startswith("line ") else number
    if not (number.isascii() and number.isdigit() and len(number) <= _MOST_DIGITS):
        return None
    # No file has these; in front of it they are generic arguments.
    begin = max(head.rfind("<"), head.rfind(">")) + 1
    places = [(place, word) for word in _BEFORE_A_FILE if (place := head.find(word, begin)) >= 0]
    if not places:
        return None
    place, word = min(places)
    method, file = head[:place].strip(), head[place + len(word) :]
    method = method[len("at ") :] if method.startswith("at ") else method
    if file:
        return _Frame(method.lstrip(), SourceLine(file.replace("\\", "/"), int(number)))
    return None
