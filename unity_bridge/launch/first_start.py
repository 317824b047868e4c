"""``FirstStart``: another start of this clone makes the environment while this server already
answers its client; then its packages are taken into this process (SPEC §3.2).

The environment is of this very Python, so its packages fit here: no other process has to take over
a client's wire.
"""

from __future__ import annotations

import os
import site
import subprocess
import sys
import sysconfig
import threading
from typing import List, Optional

from unity_bridge.launch import environment
from unity_bridge.launch.say import pass_on


class FirstStart:
    """``begin``, then ``wait`` until it is true. ``end`` may come at any time, on any thread.

    ``failure``: why there is no environment, in one line for the client. Stderr has all of it.
    """

    def __init__(self, script: str) -> None:
        self._command = [sys.executable, "-I", script, "--version"]
        self._maker: Optional[subprocess.Popen[str]] = None
        self._finished = threading.Event()
        self.failure: Optional[str] = None

    def begin(self) -> None:
        # In a session of its own: a client that leaves does not end it, so the next start has what
        # this one began.
        self._maker = subprocess.Popen(
            self._command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            universal_newlines=True,
            errors="replace",
            start_new_session=True,
        )
        threading.Thread(
            target=self._follow, args=[self._maker], name="environment", daemon=True
        ).start()

    def wait(self, timeout_s: float) -> bool:
        """Return whether it is over: its packages can be imported now, or there is a ``failure``."""
        if not self._finished.wait(timeout_s):
            return False
        folder = environment.ready(environment.LAUNCHER)
        if self.failure is None and folder is not None:
            _take_packages_of(folder)
        return True

    def end(self) -> None:
        """End the making of the environment, and pip with it."""
        if self._maker is not None:
            self._maker.terminate()

    def _follow(self, maker: subprocess.Popen[str]) -> None:
        lines: List[str] = []
        assert maker.stderr is not None
        for line in maker.stderr:
            lines.append(line)
            pass_on(line)
        status = maker.wait()
        if status != 0 or environment.ready(environment.LAUNCHER) is None:
            self.failure = _reason_in(lines) or f"exit status {status}"
        self._finished.set()


def _reason_in(lines: List[str]) -> str:
    """Return the last line of pip, whose lines are indented; without one, the last line."""
    reason_lines = [line.strip() for line in lines if line.startswith("    ")] or lines[-1:]
    return "".join(reason_lines[-1:]).strip()


def _take_packages_of(folder: str) -> None:
    """Do what the interpreter of the environment does at its start: its packages instead of those
    of this Python.
    """
    own_folders = {os.path.realpath(path) for path in site.getsitepackages()}
    sys.path[:] = [path for path in sys.path if os.path.realpath(path) not in own_folders]
    scheme = "nt" if os.name == "nt" else "posix_prefix"
    inside = {"base": folder, "platbase": folder}
    paths = (sysconfig.get_path(kind, scheme, inside) for kind in ("purelib", "platlib"))
    for path in sorted({os.path.realpath(path) for path in paths}):
        site.addsitedir(path)
    # What starts this program again as a child.
    sys.executable = environment.python_of(folder)
