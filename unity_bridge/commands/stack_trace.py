"""Where in the project a stack trace points: the one line of it that a person can act on."""

from __future__ import annotations

import re
from typing import List, NamedTuple, Optional

# `at Keep.Stack.Split () [0x0002e] in Assets/Stack.cs:33` (Mono), `... in C:\\game\\Assets\\Stack.cs:line 33` (.NET),
# `Keep.Stack:Split (int) (at Assets/Stack.cs:33)` (Unity).
_FRAME = re.compile(r"\s*(?:at )?(?P<method>.*?)\s*(?:\bin|\(at)\s(?P<file>[^<>]+?):(?:line )?(?P<line>\d{1,9})\)?\s*$")

# `Assets/Player/PlayerMovement.cs(63,27): warning CS0414: ...`: compilers put the place into the message.
_COMPILER = re.compile(r"(?P<file>[^()\n]+\.cs)\((?P<line>\d{1,9}),\d+\): ")

# Frames of those who run or assert, not of what was tested.
_NOT_THE_PROJECT = ("NUnit.", "UnityEngine.", "UnityEditor.", "Unity.", "System.", "Mono.", "(wrapper")


class Place(NamedTuple):
    """A file and a line in it; ``str()`` is the form that editors and terminals open on a click."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def first_useful_place(stack_trace: Optional[str], message: str = "") -> Optional[Place]:
    """The innermost frame that lies in the project, else the innermost with a file, else what a compiler said."""
    frames = [frame for frame in map(_FRAME.match, (stack_trace or "").splitlines()) if frame is not None]
    inside: List[re.Match[str]] = [
        frame for frame in frames if not frame["method"].lstrip().startswith(_NOT_THE_PROJECT)
    ]
    found = (inside or frames)[:1] or [match for match in [_COMPILER.match(message)] if match is not None]
    return Place(found[0]["file"].replace("\\", "/"), int(found[0]["line"])) if found else None
