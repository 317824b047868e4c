"""What the editor's log says of the project that it has open, and of its last compilation (SPEC
§18.3).

Unity 2021.2 and newer compile with Bee, and write, once for each compilation of the editor's
scripts::

    Starting: .../bee_backend ... --dagfile="Library/Bee/1900b0aE.dag" ... ScriptAssemblies
    [ 85/171    2s] Csc Library/Bee/artifacts/1900b0aE.dag/Assembly-CSharp.dll (+2 others)
    ##### Output
    Assets/Player.cs(12,5): error CS0103: The name 'x' does not exist in the current context
    *** Tundra build failed (3.79 seconds), 27 items updated, 328 evaluated

Each message comes two or three times. ``tests/projects/editor_logs`` has logs of each version, and where they are from.
"""

from __future__ import annotations

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
    """As in a ``compile`` result (SPEC §16). ``file`` is ``None`` for one that no file is to blame
    for.
    """

    file: Optional[str]
    line: int
    column: int
    code: str
    message: str
    assembly: str


@frozen
class LogContent:
    """``project``: the path that was opened last. ``runs_packages``: since then a compilation has succeeded, safe mode
    has ended, or the project has loaded. ``errors`` and ``warnings``: how many different ones the last compilation has;
    ``first``: the errors that are kept."""

    project: Optional[str] = None
    compilation: Compilation = Compilation.NONE
    runs_packages: bool = False
    errors: int = 0
    warnings: int = 0
    first: Tuple[CompileError, ...] = ()

    @property
    def is_safe_mode(self) -> bool:
        """Whether the editor's start ended with scripts that do not compile, so that it runs no
        packages.
        """
        return self.compilation is Compilation.FAILED and not self.runs_packages


# Longer lines are cut, and so are lists that are longer than anybody reads.
_MOST_CHARACTERS = 2000
_MOST_KEPT = 50
_MOST_COUNTED = 10_000
_MOST_DIGITS = 9

OPENED = "Successfully changed project path to: "
# Since Unity 6.5 the user's log ends with this line, and the project's own log continues it.
_MOVED = "Logs moved to project-relative Editor.log"
_STARTING = "Starting: "
_BACKEND = "bee_backend"
# E: the editor's scripts, also compiled for debugging. A player's are P.
_EDITOR_GRAPHS = ("E.dag", "EDbg.dag")
_SUCCESS = "*** Tundra build success"
# The build system may end without Tundra's own line, and a post-processor's exception ends the
# build.
_BUILD_SYSTEM_ENDED = "Backend exited with code "
_POST_PROCESSOR_ENDED = "ILPostProcessor has thrown an exception"
_FAILURE = ("*** Tundra build failed", "## Script Compilation Error for: ")
_ERROR_AND_FAILURE = (_BUILD_SYSTEM_ENDED, _POST_PROCESSOR_ENDED)
# Unity compiles again because a person pressed Ignore, or because the errors are gone.
LEFT_SAFE_MODE = "because: Exiting safe mode"
# Seen in https://github.com/game-ci/unity-test-runner/issues/73.
LOADED = "[Project] Loading completed"
# Before the first compilation they show Unity's own code; after a failed one the project's.
DOMAIN_LOADED = ("Mono: successfully reloaded assembly", "- Completed reload")
# After any of these the code of packages runs. They are searched in a log that is too long to be
# read.
PACKAGES_RUN = (_SUCCESS, LEFT_SAFE_MODE, LOADED)
_CSC = "Csc "
_DLL = ".dll"


_NOTHING_READ = LogContent()


def read_log(text: str, before: LogContent = _NOTHING_READ) -> LogContent:
    """``text``: the log, or its end; ``before``: what the part before it said. A line without its
    end is not read.
    """
    reader = LogReader(before.project, before.runs_packages)
    for line in filter(None, text.split("\n")[:-1]):
        reader.read(line.rstrip("\r")[:_MOST_CHARACTERS])
    return reader.content()


class LogReader:
    """Takes the log line by line."""

    def __init__(self, opened: Optional[str], runs_packages: bool = False) -> None:
        self._open(opened)
        self._runs_packages = runs_packages

    def _open(self, project: Optional[str]) -> None:
        self._project = project
        self._compilation = Compilation.NONE
        self._runs_packages = self._has_failed = False
        self._is_of_the_editor = True
        self._begin()

    def _begin(self) -> None:
        self._assembly = ""
        self._seen: Set[Tuple[str, ...]] = set()
        self._counts = {"error": 0, "warning": 0}
        self._first: List[CompileError] = []
        self._failure = ""

    def read(self, line: str) -> None:
        if line.startswith(OPENED):
            self._open(line[len(OPENED) :].strip())
        elif line.startswith(_MOVED):
            self._open(None)
        elif line.startswith(_STARTING) and _BACKEND in line:
            self._is_of_the_editor = any(graph in line for graph in _EDITOR_GRAPHS)
            if self._is_of_the_editor:
                self._begin()
                self._compilation = Compilation.RUNNING
        elif line.startswith(LOADED) or LEFT_SAFE_MODE in line:
            self._runs_packages = True
        elif line.startswith(DOMAIN_LOADED):
            self._runs_packages = self._runs_packages or self._has_failed
        elif self._is_of_the_editor:
            self._read_of_the_editor(line)

    def _read_of_the_editor(self, line: str) -> None:
        if line.startswith(_SUCCESS):
            self._compilation, self._runs_packages = Compilation.SUCCEEDED, True
        elif line.startswith(_FAILURE):
            self._fail(line)
        elif any(words in line for words in _ERROR_AND_FAILURE):
            self._count(parse_message(line, self._assembly) or _error_of(line))
            self._fail(line)
        elif line.startswith("[") and _CSC in line:
            name = line.partition(_CSC)[2].partition(" ")[0].replace("\\", "/").rpartition("/")[2]
            self._assembly = name[: -len(_DLL)] if name.endswith(_DLL) else self._assembly
        elif "error" in line or "warning" in line:
            self._count(parse_message(line, self._assembly))

    def _fail(self, line: str) -> None:
        self._failure = self._failure or line
        self._compilation, self._has_failed = Compilation.FAILED, True

    def _count(self, message: Optional[LoggedMessage]) -> None:
        if message is None or len(self._seen) >= _MOST_COUNTED:
            return
        # Anything may be logged after the compilation; only a compiler's own messages are repeated
        # there.
        if self._compilation is not Compilation.RUNNING and not message.error.code:
            return
        key = tuple(map(str, message.error[:-1]))
        if key in self._seen:
            return
        self._seen.add(key)
        self._counts[message.kind] += 1
        if message.kind == "error" and len(self._first) < _MOST_KEPT:
            self._first.append(message.error)

    def content(self) -> LogContent:
        errors, warnings = self._counts["error"], self._counts["warning"]
        errors_shown = tuple(self._first)
        if self._compilation is Compilation.FAILED and not errors:
            # Unity wrote no error of a shape that is known: its own line about the failure says the
            # most.
            errors, errors_shown = 1, (_error_of(self._failure).error,)
        return LogContent(
            self._project, self._compilation, self._runs_packages, errors, warnings, errors_shown
        )


class LoggedMessage(NamedTuple):
    """``kind``: ``error`` or ``warning``."""

    kind: str
    error: CompileError


def _error_of(line: str) -> LoggedMessage:
    return LoggedMessage("error", CompileError(None, 0, 0, "", visible_line(line), ""))


def parse_message(line: str, assembly: str = "") -> Optional[LoggedMessage]:
    """Return the message of a compiler, an analyzer, a post-processor or the build system in this
    line, or None.

    ``Assets/A.cs(1,2): error CS0103: TEXT``; ``NAME: (0,0): error TEXT``; ``error CS0006: TEXT``; ``tundra: error: X``.
    """
    places = [(_position(line, kind), kind) for kind in ("error", "warning")]
    position, kind = min(places)
    if position == len(line):
        return None
    text = line[position + len(kind) :].lstrip(": ")
    code, _, message = text.partition(": ")
    if not _is_code(code):
        code, message = "", text
    name, row, column = _place(line[: max(0, position - len(": "))])
    if not message:
        return None
    file = None if row is None or not int(row) else visible_line(name.replace("\\", "/")) or None
    if file is None and name:
        message = f"{name.rstrip(': ')}: {message}"
    error = CompileError(file, int(row or 0), int(column), code, visible_line(message), assembly)
    return LoggedMessage(kind, error)


def _position(line: str, kind: str) -> int:
    """Return where the word begins that says what the line is; the line's length if it says
    nothing.
    """
    start = 0 if line.startswith(kind) else line.find(f": {kind}") + len(": ")
    is_there = start != 1 and line[start + len(kind) : start + len(kind) + 1] in (" ", ":")
    if is_there:
        return start
    return len(line)


def _is_code(word: str) -> bool:
    """Whether it is a code as ``CS0103`` or an analyzer's, which may have any letters."""
    letters = word.rstrip("0123456789")
    return (
        word.isascii() and letters.isalpha() and letters != word and len(word) <= 2 * _MOST_DIGITS
    )


def _place(place: str) -> Tuple[str, Optional[str], str]:
    """Return the name, the line (None if there is none) and the column of ``NAME(LINE,COLUMN)``."""
    name, _, numbers = place[:-1].rpartition("(") if place.endswith(")") else ("", "", "")
    row, _, column = numbers.partition(",")
    column = column or "0"
    if not all(
        number.isdigit() and number.isascii() and len(number) <= _MOST_DIGITS
        for number in (row, column)
    ):
        return place, None, "0"
    return name, row, column
