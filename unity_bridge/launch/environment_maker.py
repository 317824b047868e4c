"""Makes an environment: finds it, waits for another maker, or has pip make it, and says what went wrong.

Reads nothing from stdin and writes nothing to stdout: behind a client they are the MCP wire.
"""

from __future__ import annotations

import errno
import os
import sys

from unity_bridge.launch import environment
from unity_bridge.launch.file_lock import Locked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, List, Sequence, Tuple

    Say = Callable[[str], None]
    # Makes the folder of an environment: the packages, the Python, and the descriptors that children inherit.
    Fill = Callable[[str, Sequence[str], str, Tuple[int, ...]], None]


PREPARES = "preparing its environment (once, about 30 s) ..."


class CannotMake(Exception):
    """An environment could not be made; the text is for the user, and complete."""


def fill_with_pip(folder: str, packages: Sequence[str], executable: str, handed_on: Tuple[int, ...]) -> None:
    # -I: neither PYTHONPATH nor the user's own packages may stand in for what belongs inside.
    run([executable, "-I", "-m", "venv", folder], handed_on)
    quietly = ["--disable-pip-version-check", "--no-input", "--no-user"]
    run([environment.python_of(folder), "-I", "-m", "pip", "install", *quietly, *packages], handed_on)


def make(
    kind: str,
    lines: Sequence[str],
    say: Say,
    executable: str = sys.executable,
    version: environment.Version = environment.HERE,
    fill: Fill = fill_with_pip,
) -> str:
    """Return the folder of an environment that satisfies ``lines``: found, awaited from another maker, or made now.

    Raises ``CannotMake``; and ``OSError`` only if no place can be written.
    """
    name = environment.folder_name(kind, version)
    found = environment.ready(kind, version)
    if found is not None:
        return found
    lock = environment.lock_file() if kind == environment.LAUNCHER else None
    packages = [*lines] if lock is None else ["--require-hashes", "--no-deps", "-r", lock]
    full: List[str] = []
    *others, last = environment.places()
    for place in (*others, last):
        try:
            return _make_in(os.path.join(place, name), packages, say, executable, fill)
        except OSError as error:
            full += [place] if error.errno == errno.ENOSPC else []
            if place == last and not full:
                raise
    raise CannotMake(_FULL.format(" or ".join(full)))


def _make_in(folder: str, packages: Sequence[str], say: Say, executable: str, fill: Fill) -> str:
    import shutil

    os.makedirs(os.path.dirname(folder), exist_ok=True)
    with Locked(folder + ".lock", say) as handed_on:
        if environment.is_ready(folder):
            return folder
        say(PREPARES)
        if os.path.lexists(folder):
            _clear(folder)  # half made, its maker was stopped; or it lost something
        try:
            fill(folder, packages, executable, handed_on)
            with open(os.path.join(folder, environment.READY), "w", encoding="utf-8") as stream:
                stream.write("\n".join(sorted(environment.contents(folder))))
        except OSError as error:
            if error.errno == errno.ENOSPC:
                shutil.rmtree(folder, ignore_errors=True)  # others need the space
            raise
    return folder


def _clear(folder: str) -> None:
    """Remove it as a whole, or fail and leave it whole: Windows moves no folder while a program runs in it, and deletes
    every file in it that is not open at that moment."""
    import shutil

    place, name = os.path.split(folder)
    for left_over in os.listdir(place):
        if left_over.startswith(name + _ASIDE):
            shutil.rmtree(os.path.join(place, left_over), ignore_errors=True)
    aside = f"{folder}{_ASIDE}{os.getpid()}"
    os.rename(folder, aside)
    shutil.rmtree(aside, ignore_errors=True)


def run(command: List[str], handed_on: Tuple[int, ...]) -> None:
    """Run quietly; its output is for the user only if it failed."""
    import subprocess

    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, pass_fds=handed_on
    )
    if done.returncode == 0:
        return
    output = done.stdout.decode("utf-8", "replace").rstrip()
    if any(sign in output for sign in _SIGNS_OF_A_FULL_DISK):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    if any(sign in output for sign in _SIGNS_OF_NO_NETWORK):
        raise CannotMake(_OFFLINE)
    if "DO NOT MATCH THE HASHES" in output:
        raise CannotMake(f"{_quoted(output)}\n{_NOT_AS_RELEASED}")
    failed = f"exit status {done.returncode} of {' '.join(command)}"
    hint = _NOT_THAT_VERSION if "--require-hashes" in command and "No matching distribution" in output else ""
    raise CannotMake(f"{_quoted(output)}\ncannot prepare its environment: {failed}{hint}")


def _quoted(output: str) -> str:
    """pip repeats what an index says, which is anybody's words (SPEC §20.2): the last lines, with nothing to obey."""
    lines = output.splitlines()[-_SHOWN_LINES:]
    visible = ("".join(c if c.isprintable() else ascii(c)[1:-1] for c in line) for line in lines)
    return "\n".join(["pip says:", *(f"    {line[:_SHOWN_CHARACTERS]}" for line in visible)])


_ASIDE = ".old-"
_SHOWN_LINES = 30
_SHOWN_CHARACTERS = 300

# In the words of pip, of Linux, macOS and Windows, and of what pip brings with it.
_SIGNS_OF_A_FULL_DISK = ("No space left on device", "not enough space on the disk", "[Errno 28]", "[WinError 112]")
_SIGNS_OF_NO_NETWORK = (
    "NewConnectionError",
    "Failed to establish a new connection",
    "NameResolutionError",
    "Temporary failure in name resolution",
    "nodename nor servname provided",
    "getaddrinfo failed",
    "ConnectTimeoutError",
    "ProxyError",
)
_FULL = "cannot prepare its environment: no space is left on the disk of {}. It needs about 100 MB."
_NOT_AS_RELEASED = (
    "cannot prepare its environment: a package from the index is not the one that this version was tried with.\n"
    "Nothing of it was installed. If your index is a mirror that builds packages itself, set UNITY_BRIDGE_UNLOCKED=1:\n"
    "that takes the newest versions that fit, without comparing them."
)
_NOT_THAT_VERSION = (
    "\nThe index lacks a version that this one was tried with. UNITY_BRIDGE_UNLOCKED=1 takes the newest that fit."
)
_OFFLINE = (
    "cannot prepare its environment: the package index cannot be reached. Is this machine offline? The first start\n"
    "needs the network once. Behind a proxy, set HTTPS_PROXY; with a mirror, PIP_INDEX_URL; with a folder of packages\n"
    "that were downloaded elsewhere, PIP_NO_INDEX=1 and PIP_FIND_LINKS=FOLDER. Then start it again."
)
