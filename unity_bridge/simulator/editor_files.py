"""The files of an editor that was started with ``-projectPath`` and ``-logFile``: the project's
lock, ``Library/EditorInstance.json``, and its log.

Seen of real editors: the lock is a record lock on macOS, and a file that nobody else may open on Windows
(``projects/editor_lock.py``); the lines of the log stand in ``tests/projects/editor_logs``.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from typing import Optional, Sequence

_LOCK = ("Temp", "UnityLockfile")
_INSTANCE = ("Library", "EditorInstance.json")


class EditorFiles:
    """A context manager. ``has_project``: the lock was free, so this editor has the project."""

    def __init__(self, project: str, log: str, version: str, arguments: Sequence[str] = ()) -> None:
        self._project = project
        self._log = log
        self._version = version
        self._arguments = list(arguments)
        self._lock: Optional[int] = None
        self.has_project = False

    def __enter__(self) -> EditorFiles:
        self.write(
            f"Built from 'simulated' branch; Version is '{self._version}'",
            "",
            "COMMAND LINE ARGUMENTS:",
        )
        self.write(*self._arguments)
        self.has_project = self._take_lock()
        if not self.has_project:
            self.write(
                "It looks like another Unity instance is running with this project open.",
                "Multiple Unity instances cannot open the same project.",
                f"Project: {self._project}",
            )
            return self
        instance = {"process_id": os.getpid(), "version": self._version, "app_path": sys.executable}
        path = os.path.join(self._project, *_INSTANCE)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as stream:
            json.dump(instance, stream)
        self.write(f"Successfully changed project path to: {self._project}", self._project)
        return self

    def __exit__(self, *_: object) -> None:
        if not self.has_project:
            return
        self.write(
            "Exiting without the bug reporter. Application will terminate with return code 0"
        )
        with suppress(OSError):
            os.unlink(os.path.join(self._project, *_INSTANCE))
        if self._lock is not None:
            os.close(self._lock)
        with suppress(OSError):
            os.unlink(os.path.join(self._project, *_LOCK))

    def loaded(self) -> None:
        """Write to the log that the project is loaded."""
        self.write("[Project] Loading completed in 0.100 seconds")

    def write(self, *lines: str) -> None:
        """Add lines to the log. A full disk costs lines, as it does of a real editor."""
        text = "".join(f"{line}\n" for line in lines)
        with suppress(OSError), open(self._log, "ab") as stream:
            stream.write(text.encode("utf-8", "surrogatepass"))

    def _take_lock(self) -> bool:
        path = os.path.join(self._project, *_LOCK)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        try:
            self._lock = _held(path)
        except OSError:
            return False
        return True


if sys.platform == "win32":
    from unity_bridge.system.shared_file import MADE_IF_MISSING, READ, WRITE, open_shared

    def _held(path: str) -> int:
        """Return a descriptor; while it is open, nobody else may open the file."""
        return open_shared(path, READ | WRITE, MADE_IF_MISSING, os.O_RDWR, share=0)

else:

    def _held(path: str) -> int:
        import fcntl

        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            raise
        return descriptor
