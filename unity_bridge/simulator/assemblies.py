"""What Unity makes of the scripts: it imports them, compiles them, and loads what was compiled in a
domain reload.
"""

from __future__ import annotations

from typing import Callable, Dict, List, Optional, Protocol, Tuple

from unity_bridge.simulator.project import Entry, Project
from unity_bridge.simulator.scripts import ERROR, WARNING, CompilerMessage, Disk, Scripts, digest


class AssembliesHost(Protocol):
    """What compiling does to the editor around it. Main thread."""

    def compilation_began(self) -> None:
        """Mark the editor as busy; earlier messages of the compiler no longer count."""

    def code_changed(self) -> None:
        """Report what is loaded, and let jobs continue, after the last compilation or reload."""

    def reload_domain(self, seconds: float) -> bool: ...

    def block(self, seconds: float) -> bool:
        """Block the main thread; False if the editor process ended before that time was over."""

    def later(self, seconds: float, work: Callable[[], object]) -> None: ...

    def log(self, entry: Entry) -> None: ...


class Assemblies:
    """The scripts of one editor process. Main thread."""

    def __init__(self, project: Project, disk: Disk, host: AssembliesHost) -> None:
        self._project = project
        self._disk = disk
        self._host = host
        self._imported: Scripts = disk.scripts()
        self._loaded: Scripts = self._imported
        self._messages = _messages_of(self._imported)
        self._is_forced = False
        self._is_reload_pending = False
        self.is_compiling = False

    @property
    def errors(self) -> List[CompilerMessage]:
        """Of the last compilation, also when nothing was compiled since."""
        return [message for message in self._messages if message.type == ERROR]

    @property
    def warnings(self) -> List[CompilerMessage]:
        return [message for message in self._messages if message.type == WARNING]

    def pending_reason(self, is_playing: bool) -> Optional[str]:
        """Why compiled or requested code is not loaded: the first reason of SPEC §11.7 that holds,
        or None.
        """
        if self.errors:
            return "compile_errors"
        if not self.is_compiling and not self._is_reload_pending:
            return None
        if is_playing:
            return "playing"
        if self.is_compiling:
            return "requested"
        return "unknown"

    def loaded(self) -> str:
        """Return the digest of the scripts that the loaded code was made of."""
        return digest(self._loaded)

    def outcomes(self) -> Dict[str, str]:
        """How tests end by the code that is loaded, where it decides that."""
        return {
            test: outcome for script in self._loaded.values() for test, outcome in script.outcomes
        }

    def refresh(self, force: bool = False, seconds: Optional[float] = None) -> bool:
        """Import what changed on disk. A compilation begins if anything did, or if it is forced.

        ``seconds``: how long that takes, in place of the project's own time. False if the editor process ended before
        the compilation began.
        """
        if self.is_compiling or (not force and self._disk.scripts() == self._imported):
            return True
        if not self._host.block(self._project.import_s):
            return False
        self._imported, self._is_forced = self._disk.scripts(), force
        # Not before: an import that takes its time, or asks in a dialog, is no compilation (SPEC
        # §11.3).
        self.is_compiling = True
        self._host.compilation_began()
        if seconds is None:
            seconds = self._project.compile_s
        self._host.later(seconds, self._finish)
        return True

    def domain_loaded(self) -> None:
        """Count whatever was compiled as loaded, because a reload loaded it."""
        if self._is_reload_pending and not self.is_compiling:
            self._is_reload_pending = False
            self._loaded = self._imported

    def _finish(self) -> None:
        self.is_compiling = False
        self._messages = _messages_of(self._imported)
        for message in self._messages:
            self._host.log(Entry(message.type, message.as_text()))
        # A compilation that makes the assemblies that are loaded already loads nothing: an edit
        # that was undone.
        is_needed = self._is_forced or self._imported != self._loaded
        # Once it is due, only the reload itself ends it, whatever is compiled until then.
        self._is_reload_pending |= is_needed and not self.errors
        self._load_or_rest()

    def _load_or_rest(self) -> None:
        if self.is_compiling:
            return
        if self._is_reload_pending and not self.errors:
            self._load()
        else:
            self._host.code_changed()

    def _load(self) -> None:
        self._host.reload_domain(self._project.compile_reload_s)


def _messages_of(scripts: Scripts) -> Tuple[CompilerMessage, ...]:
    return tuple(message for script in scripts.values() for message in script.messages)
