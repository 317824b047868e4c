"""The project's scripts on disk: edited behind Unity's back, as an agent edits them."""

from __future__ import annotations

import hashlib
import re
from threading import Lock
from typing import Any, Dict, Mapping, Tuple

from unity_bridge.base.frozen import changed, frozen
from unity_bridge.simulator.event_log import Emit

ERROR = "error"
WARNING = "warning"


@frozen
class CompilerMessage:
    """A compiler message about one place; ``type`` is ``ERROR`` or ``WARNING``."""

    file: str
    line: int
    column: int
    code: str
    message: str
    type: str = ERROR

    @property
    def assembly(self) -> str:
        """By Unity's rule for scripts without an assembly definition."""
        if "Editor" in self.file.split("/"):
            return "Assembly-CSharp-Editor"
        return "Assembly-CSharp"

    def as_json(self) -> Dict[str, Any]:
        place = {"file": self.file, "line": self.line, "column": self.column}
        return {**place, "code": self.code, "message": self.message, "assembly": self.assembly}

    def as_text(self) -> str:
        """As Unity's console shows it."""
        return f"{self.file}({self.line},{self.column}): {self.type} {self.code}: {self.message}"


@frozen
class Script:
    """The content of a script. Two scripts with the same content are equal, and compile to the same
    assembly.

    ``messages`` is what the compiler makes of it; ``outcomes`` how tests end that depend on it.
    """

    revision: int = 0
    messages: Tuple[CompilerMessage, ...] = ()
    outcomes: Tuple[Tuple[str, str], ...] = ()

    @property
    def is_broken(self) -> bool:
        return any(message.type == ERROR for message in self.messages)


Scripts = Mapping[str, Script]
_FROM_THE_COMPILER = re.compile(r": (error|warning) CS\d")


def is_from_the_compiler(message: str) -> bool:
    """Whether a message of the console is one of the compiler's."""
    return _FROM_THE_COMPILER.search(message) is not None


def digest(scripts: Scripts) -> str:
    """Eight characters that differ where any script differs."""
    return hashlib.sha256(repr(sorted(scripts.items())).encode()).hexdigest()[:8]


class Disk:
    """The scripts by path, which outlive every editor process. Any thread.

    A path that does not exist yet is a new script. Every state of the disk is reported, in order.
    """

    def __init__(self, scripts: Scripts, emit: Emit) -> None:
        self._emit = emit
        self._lock = Lock()  # guards what follows
        self._scripts: Dict[str, Script] = dict(scripts)
        self._revisions = 0
        self._report()

    def scripts(self) -> Scripts:
        with self._lock:
            return dict(self._scripts)

    def edit(self, path: str, outcomes: Mapping[str, str]) -> None:
        """Change a script so that it compiles; after the next compile the named tests end with
        these outcomes.
        """
        with self._lock:
            script = self._scripts.get(path, Script())
            warnings = tuple(message for message in script.messages if message.type == WARNING)
            ends = {**dict(script.outcomes), **outcomes}
            self._write(
                path, changed(script, messages=warnings, outcomes=tuple(sorted(ends.items())))
            )

    def break_(self, path: str, errors: int, message: str) -> None:
        """Change a script so that it has so many compile errors. ``{n}`` in the message is the
        error's number.
        """
        with self._lock:
            script = self._scripts.get(path, Script())
            warnings = [message for message in script.messages if message.type == WARNING]
            compiler_errors = [
                CompilerMessage(path, 40 + n, 17, "CS0103", message.replace("{n}", str(n)))
                for n in range(errors)
            ]
            self._write(path, changed(script, messages=(*warnings, *compiler_errors)))

    def fix(self) -> None:
        """Change every script that does not compile so that it does."""
        for path, script in self.scripts().items():
            if script.is_broken:
                self.edit(path, {})

    def _write(self, path: str, script: Script) -> None:
        self._revisions += 1
        self._scripts[path] = changed(script, revision=self._revisions)
        self._report()

    def _report(self) -> None:
        compiles = not any(script.is_broken for script in self._scripts.values())
        self._emit("disk", digest=digest(self._scripts), compiles=compiles)
