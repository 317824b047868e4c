"""Command lines for people to paste."""

from __future__ import annotations

import os
import shlex
import sys
from typing import List, Sequence

from unity_bridge import environment


def quoted(words: Sequence[str], platform: str = sys.platform) -> str:
    """A command line for the system's own shell."""
    if platform != "win32":
        return " ".join(shlex.quote(word) for word in words)
    import subprocess

    return subprocess.list2cmdline(words)


def ours(*words: str) -> str:
    """A command of this program that works as it stands: by name if that is on PATH, else by its path."""
    return quoted([*_program(), *words])


def _program() -> List[str]:
    if environment.on_path("unity-bridge") is not None:
        return ["unity-bridge"]
    command = environment.command()
    launcher = command[1]
    return [launcher] if os.path.isfile(launcher) and os.name == "posix" and os.access(launcher, os.X_OK) else command
