"""The place in the project that a stack trace points at."""

from __future__ import annotations

import re
from typing import List, NamedTuple, Optional

# `at Keep.Stack.Split () [0x0002e] in Assets/Stack.cs:33` (Mono), `... in C:\\game\\Assets\\Stack.cs:line 33` (.NET),
# `Keep.Stack:Split (int) (at Assets/Stack.cs:33)` (Unity).
_FRAME = re.compile(r"\s*(?:at )?(?P<method>.*?)\s*(?:\bin|\(at)\s(?P<file>[^<>]+?):(?:line )?(?P<line>\d{1,9})\)?\s*$")

# `Assets/Player/PlayerMovement.cs(63,27): warning CS0414: ...`: a compiler's message begins with the place.
_COMPILER = re.compile(r"(?P<file>[^()\n]+\.cs)\((?P<line>\d{1,9}),\d+\): ")

# Frames of the test framework and the engine, not of the project.
_NOT_THE_PROJECT = ("NUnit.", "UnityEngine.", "UnityEditor.", "Unity.", "System.", "Mono.", "(wrapper")


class SourceLine(NamedTuple):
    """A file and a line in it; ``str()`` is the form that editors and terminals open on a click."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def first_useful_place(stack_trace: Optional[str], message: str = "") -> Optional[SourceLine]:
    """Return the innermost frame of the project, else the innermost with a file, else a compiler message's place."""
    frames = [frame for frame in map(_FRAME.match, (stack_trace or "").splitlines()) if frame is not None]
    inside: List[re.Match[str]] = [
        frame for frame in frames if not frame["method"].lstrip().startswith(_NOT_THE_PROJECT)
    ]
    found = (inside or frames)[:1] or [match for match in [_COMPILER.match(message)] if match is not None]
    return SourceLine(found[0]["file"].replace("\\", "/"), int(found[0]["line"])) if found else None
