"""What the editor's log says of the project that it has open, and of its last compilation (SPEC §18.3).

Unity 2021.2 and newer compile with Bee, and write, once for each compilation of the editor's scripts::

    Starting: .../bee_backend ... --dagfile="Library/Bee/1900b0aE.dag" ... ScriptAssemblies
    [ 85/171    2s] Csc Library/Bee/artifacts/1900b0aE.dag/Assembly-CSharp.dll (+2 others)
    ##### Output
    Assets/Player.cs(12,5): error CS0103: The name 'x' does not exist in the current context
    *** Tundra build failed (3.79 seconds), 27 items updated, 328 evaluated

Each message comes two or three times. ``tests/projects/editor_logs`` has logs of each version, and where they are from.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import List, NamedTuple, Optional, Set, Tuple

from unity_bridge.base.frozen import frozen
from unity_bridge.text.foreign_text import visible_line


class Compilation(Enum):
    """What is known of the last compilation of the editor's scripts."""

    NONE = "there was none"
    RUNNING = "it has not ended"
    FAILED = "it failed"
    SUCCEEDED = "it succeeded"


class CompileError(NamedTuple):
    """As in a ``compile`` result (SPEC §16). ``file`` is ``None`` for one that no file is to blame for."""

    file: Optional[str]
    line: int
    column: int
    code: str
    message: str
    assembly: str


@frozen
class LogContent:
    """``project``: the path that was opened last. ``has_compiled``: a compilation since then has succeeded, so code of
    packages runs. ``errors`` and ``warnings``: how many different ones the last compilation has; ``first``: the errors
    that are kept."""

    project: Optional[str] = None
    compilation: Compilation = Compilation.NONE
    has_compiled: bool = False
    errors: int = 0
    warnings: int = 0
    first: Tuple[CompileError, ...] = ()


# Longer lines are cut, and so are lists that are longer than anybody reads.
_MOST_CHARACTERS = 2000
_MOST_KEPT = 50
_MOST_COUNTED = 10_000

_OPENED = "Successfully changed project path to: "
_STARTING = "Starting: "
_BACKEND = "bee_backend"
# E: the editor's scripts, also compiled for debugging. A player's are P.
_OF_THE_EDITOR = re.compile(r"E(Dbg)?\.dag\b")
_SUCCESS = "*** Tundra build success"
_FAILURE = ("*** Tundra build failed", "## Script Compilation Error for: ")
_ASSEMBLY = re.compile(r"\bCsc (\S+)")
_DLL = ".dll"
_MESSAGE = r"(?:(.+?)\((\d{1,9}),(\d{1,9})\): )?(error|warning) ([A-Z]{1,6}\d{1,6}): (.*)"


def read_log(text: str, opened: Optional[str] = None) -> LogContent:
    """``text``: the log, or its end; ``opened``: the project opened before that. A line without its end is not read."""
    reader = LogReader(opened)
    for line in filter(None, text.split("\n")[:-1]):
        reader.read(line.rstrip("\r")[:_MOST_CHARACTERS])
    return reader.content()


class LogReader:
    """Takes the log line by line."""

    def __init__(self, opened: Optional[str]) -> None:
        self._open(opened)

    def _open(self, project: Optional[str]) -> None:
        self._project = project
        self._compilation = Compilation.NONE
        self._has_compiled = False
        self._is_of_the_editor = True
        self._begin()

    def _begin(self) -> None:
        self._assembly = ""
        self._seen: Set[Tuple[str, ...]] = set()
        self._counts = {"error": 0, "warning": 0}
        self._first: List[CompileError] = []

    def read(self, line: str) -> None:
        if line.startswith(_OPENED):
            self._open(line[len(_OPENED) :].strip())
        elif line.startswith(_STARTING) and _BACKEND in line:
            self._is_of_the_editor = _OF_THE_EDITOR.search(line) is not None
            if self._is_of_the_editor:
                self._begin()
                self._compilation = Compilation.RUNNING
        elif not self._is_of_the_editor:
            return
        elif line.startswith(_SUCCESS):
            self._compilation, self._has_compiled = Compilation.SUCCEEDED, True
        elif line.startswith(_FAILURE):
            self._compilation = Compilation.FAILED
        elif line.startswith("[") and "Csc " in line:
            found = _ASSEMBLY.search(line)
            name = "" if found is None else found[1].replace("\\", "/").rpartition("/")[2]
            self._assembly = name[: -len(_DLL)] if name.endswith(_DLL) else self._assembly
        else:
            self._message(line)

    def _message(self, line: str) -> None:
        found = re.fullmatch(_MESSAGE, line) if "error " in line or "warning " in line else None
        if found is None or len(self._seen) >= _MOST_COUNTED:
            return
        file, row, column, kind, code, message = found.groups(default="")
        key = (file, row, column, code, message)
        if key in self._seen:
            return
        self._seen.add(key)
        self._counts[kind] += 1
        if kind == "error" and len(self._first) < _MOST_KEPT:
            place = visible_line(file.replace("\\", "/")) or None
            self._first.append(
                CompileError(place, int(row or 0), int(column or 0), code, visible_line(message), self._assembly)
            )

    def content(self) -> LogContent:
        errors, warnings = self._counts["error"], self._counts["warning"]
        first = tuple(self._first)
        return LogContent(self._project, self._compilation, self._has_compiled, errors, warnings, first)
