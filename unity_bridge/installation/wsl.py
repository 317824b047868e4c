"""From WSL to Windows: a Python of Windows that has this program, and one folder's path on both
sides (SPEC §23.1).
"""

from __future__ import annotations

import os
import re
from typing import Iterator, List, NamedTuple, Optional

from unity_bridge.base.result import Err, Ok, Result, value_or
from unity_bridge.installation.host_environment import System, host_environment, output
from unity_bridge.installation.repository import SOURCE
from unity_bridge.launch import environment
from unity_bridge.text import json_reader
from unity_bridge.text.foreign_text import quoted as quoted_text
from unity_bridge.version import __version__

# A virus scanner may look at each file of a Python that starts.
_LIMIT_S = 20.0
_OF_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\")
_DRIVE = re.compile(r"[A-Za-z]:\\")
# In ASCII, whatever the code page of Windows is. Isolated, as the entry starts it.
_ASK = ("-I", "-c", "import json, sys, unity_bridge.version; print(json.dumps([sys.executable]))")
_INSTALL = f"install unity-bridge {__version__} in Windows: `pipx install {SOURCE}` there"


class BothPaths(NamedTuple):
    """A folder as Windows sees it, and as this system does."""

    windows: str
    here: str


def windows_python(system: Optional[System] = None) -> Result[List[str], str]:
    """Return the words that start this program with a Python of Windows, or why there are none, and
    what to do.
    """
    system = system or System()
    wsl = host_environment(system).wsl
    if wsl is None:
        return Err("--via wsl is for a shell in WSL, and this is none")
    if wsl.no_interop is not None:
        return Err(
            f"WSL cannot start programs of Windows: {wsl.no_interop.why}. {wsl.no_interop.remedy.rstrip('.')}"
        )
    refusals: List[str] = []
    for words in _pythons(system):
        outcome = output([*words, *_ASK], _LIMIT_S)
        if isinstance(outcome, Err):
            refusals.append(f"{words[0]}: {outcome.error}")
            continue
        known_as = _first(outcome.value)
        program = _here(system, known_as)
        if program is not None:
            return Ok([program, "-I", "-m", "unity_bridge"])
        refusals.append(
            f"{words[0]}: {quoted_text(str(known_as))} is no program that can be started from WSL"
        )
    python = _by_its_command(system)
    if python is not None:
        return Ok(python)
    if not refusals:
        return Err(
            f"PATH has no py.exe or python.exe of Windows. If Windows has a Python, name it with "
            f'--via "/mnt/c/.../python.exe -I -m unity_bridge"; else install one, then {_INSTALL}'
        )
    return Err(f"no Python of Windows has unity-bridge ({'; '.join(refusals)}); {_INSTALL}")


def both_paths(path: str, system: Optional[System] = None) -> Result[BothPaths, str]:
    """``path``: of either side. A relative one is of this side."""
    system = system or System()
    is_of_windows = _OF_WINDOWS.match(path) is not None
    path_here = path if is_of_windows else os.path.abspath(os.path.expanduser(path))
    path_there = system.run(["wslpath", "-u" if is_of_windows else "-w", path_here])
    if not path_there:
        return Err(f"wslpath does not know '{quoted_text(path_here)}'")
    if is_of_windows:
        return Ok(BothPaths(path_here, path_there))
    return Ok(BothPaths(path_there, path_here))


def _pythons(system: System) -> Iterator[List[str]]:
    launcher = environment.on_path("py.exe")
    if launcher is not None:
        yield [launcher, "-3"]
    for name in ("python.exe", "python3.exe"):
        program = environment.on_path(name)
        if program is not None:
            yield [program]
    listed = output([launcher, "-0p"], _LIMIT_S) if launcher is not None else Ok("")
    for path in _listed(value_or(listed, "")):
        translated = system.run(["wslpath", "-u", path.strip()])
        if translated:
            yield [translated]


def _by_its_command(system: System) -> Optional[List[str]]:
    """Return the words that Windows' installed command gives for itself: pipx and uv keep a Python
    of their own.
    """
    command = environment.on_path("unity-bridge.exe")
    if command is None:
        return None
    shown = value_or(output([command, "client", "show", "cursor"], _LIMIT_S), "")
    try:
        entry = json_reader.loads(shown)["mcpServers"]["unity-bridge"]
        words = [entry["command"], *entry["args"]]
    except (ValueError, KeyError, TypeError):
        return None
    program = _here(system, words[0])
    if program is None:
        return None
    return [program, *map(str, words[1:])]


def _listed(text: str) -> Iterator[str]:
    """Yield the programs that Python's launcher lists, one at the end of each line."""
    for line in map(str.strip, text.splitlines()):
        drive = _DRIVE.search(line)
        if drive is not None and line.endswith(".exe"):
            yield line[drive.start() :]


def _first(text: str) -> object:
    try:
        return json_reader.loads(text)[0]
    except (ValueError, KeyError, TypeError):
        return None


def _here(system: System, path: object) -> Optional[str]:
    """Return the program's path on this side, if it can be started from here."""
    translated = None
    if isinstance(path, str) and _OF_WINDOWS.match(path):
        translated = system.run(["wslpath", "-u", path])
    if translated and os.access(translated, os.X_OK):
        return translated
    return None
