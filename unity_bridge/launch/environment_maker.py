"""Makes an environment: finds it, waits for another maker, or has pip make it, and says what went
wrong.

Reads nothing from stdin and writes nothing to stdout: behind a client they are the MCP wire.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from unity_bridge.launch import environment
from unity_bridge.launch.file_lock import Locked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, List, Sequence, Tuple

    Say = Callable[[str], None]
    # Makes the folder of an environment: the packages, the Python, and the descriptors that
    # children inherit.
    Fill = Callable[[str, Sequence[str], str, Tuple[int, ...]], None]


PREPARES = "preparing its environment (once, about 30 s) ..."


class CannotMake(Exception):
    """An environment could not be made; the text is for the user, and complete."""


def fill_with_pip(
    folder: str, packages: Sequence[str], executable: str, handed_on: Tuple[int, ...]
) -> None:
    # -I: neither PYTHONPATH nor the user's own packages may stand in for what belongs inside.
    run([executable, "-I", "-m", "venv", folder], handed_on)
    quietly = ["--disable-pip-version-check", "--no-input", "--no-user"]
    run(
        [environment.python_of(folder), "-I", "-m", "pip", "install", *quietly, *packages],
        handed_on,
    )


def make(
    kind: str,
    lines: Sequence[str],
    say: Say,
    executable: str = sys.executable,
    version: environment.Version = environment.HERE,
    fill: Fill = fill_with_pip,
) -> str:
    """Return the folder of an environment that satisfies ``lines``: found, awaited from another
    maker, or made now.

    Raises ``CannotMake``; and ``OSError`` only if no place can be written.
    """
    name = environment.folder_name(kind, version)
    ready_folder = environment.ready(kind, version)
    if ready_folder is not None:
        return ready_folder
    lock = environment.lock_file() if kind == environment.LAUNCHER else None
    packages = [*lines] if lock is None else ["--require-hashes", "--no-deps", "-r", lock]
    *reserves, final = (os.path.join(place, name) for place in environment.places())
    for folder in reserves:
        with suppress(OSError):
            return _make_in(folder, packages, say, executable, fill)
    return _make_in(final, packages, say, executable, fill)


def _make_in(folder: str, packages: Sequence[str], say: Say, executable: str, fill: Fill) -> str:
    import shutil

    os.makedirs(os.path.dirname(folder), exist_ok=True)
    with Locked(folder + ".lock", say) as handed_on:
        if environment.is_ready(folder):
            return folder
        say(PREPARES)
        if os.path.lexists(folder):
            shutil.rmtree(folder)  # half made: its maker was stopped
        fill(folder, packages, executable, handed_on)
        with open(os.path.join(folder, environment.READY), "w", encoding="utf-8"):
            pass
    return folder


def run(command: List[str], handed_on: Tuple[int, ...]) -> None:
    """Run quietly; its output is for the user only if it failed."""
    import subprocess

    process = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        pass_fds=handed_on,
    )
    if process.returncode:
        output = _quoted(process.stdout.decode("utf-8", "replace").rstrip())
        raise CannotMake(_FAILED.format(process.returncode, " ".join(command), output))


def _quoted(output: str) -> str:
    """pip repeats what an index says, which is anybody's words (SPEC §20.2): the last lines, with
    nothing to obey.
    """
    lines = output.splitlines()[-_SHOWN_LINES:]
    visible = ("".join(c if c.isprintable() else ascii(c)[1:-1] for c in line) for line in lines)
    return "\n".join(f"    {line[:_SHOWN_CHARACTERS]}" for line in visible)


_SHOWN_LINES = 30
_SHOWN_CHARACTERS = 300
_FAILED = (
    "cannot prepare its environment: exit status {} of {}, which says:\n{}\n"
    "The first start needs about 100 MB and a package index. Behind a proxy, set HTTPS_PROXY; with a mirror,\n"
    "PIP_INDEX_URL; with a folder of downloaded packages, PIP_NO_INDEX=1 and PIP_FIND_LINKS=FOLDER. If your index has\n"
    "other files or versions than conf/packages.lock names, UNITY_BRIDGE_UNLOCKED=1 takes the newest that fit."
)
