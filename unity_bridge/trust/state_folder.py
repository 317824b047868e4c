"""The folder for what one user's programs keep between runs; the plugin finds the same one (SPEC
§17.1).
"""

from __future__ import annotations

import ntpath
import os
import posixpath
import sys
from typing import TYPE_CHECKING, Mapping, Optional

from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.launch.user_folders import home_of, is_absolute, named_folder

if TYPE_CHECKING:
    from pathlib import Path

# Moves the folder: for WSL and containers, for homes that cannot be written to, and for tests.
STATE_DIR_VARIABLE = "UNITY_BRIDGE_STATE_DIR"
# Moves it on Linux only, with every other program's.
_XDG_VARIABLE = "XDG_STATE_HOME"
DECIDING_VARIABLES = (STATE_DIR_VARIABLE, _XDG_VARIABLE)

_NAME = "unity-bridge"
_NAME_ON_WINDOWS = ".unity-bridge"
_NOT_ABSOLUTE = f"{STATE_DIR_VARIABLE} is not an absolute path: set one"
_HOMELESS = f"the user has no home folder: set {STATE_DIR_VARIABLE} to a folder of the user's own"


def state_path() -> Result[str, str]:
    """Where it is, made or not; ``Err`` says why there is none."""
    return location(os.environ, sys.platform, home_of(os.environ, sys.platform))


def state_folder() -> Result[Path, str]:
    """Return ``state_path`` as a ``Path``, which takes longer to import than a server takes to read
    its secret.
    """
    from pathlib import Path

    located = state_path()
    if isinstance(located, Err):
        return located
    return Ok(Path(located.value))


def location(environment: Mapping[str, str], platform: str, home: str) -> Result[str, str]:
    """Return the folder's path on ``platform`` (as ``sys.platform`` names it), by that platform's
    rules.

    A variable that is empty counts as not set. One that is no absolute path would mean another folder to each program.
    """
    home = home if is_absolute(home, platform) else ""
    value = environment.get(STATE_DIR_VARIABLE, "")
    if value:
        if is_absolute(value, platform):
            return Ok(value)
        return Err(_NOT_ABSOLUTE)
    if platform == "win32":
        # Not below AppData: Windows shows a packaged program, and all that it starts, a private
        # copy of what is new there. Claude Desktop and the Store's Python are such programs
        # (ADR-0025).
        if home:
            return Ok(ntpath.join(home, _NAME_ON_WINDOWS))
        return Err(_HOMELESS)
    if platform == "darwin":
        base = home and posixpath.join(home, "Library", "Application Support")
    else:
        base = named_folder(
            environment, _XDG_VARIABLE, home and posixpath.join(home, ".local", "state"), platform
        )
    if base:
        return Ok(posixpath.join(base, _NAME))
    return Err(_HOMELESS)


def deciding_variable(environment: Mapping[str, str], platform: str, home: str) -> Optional[str]:
    """Return the variable without which the folder would be another; ``None`` if there is none, or
    no folder.
    """
    place = location(environment, platform, home)
    for name in DECIDING_VARIABLES:
        without = location(
            {key: value for key, value in environment.items() if key != name}, platform, home
        )
        if isinstance(place, Ok) and without != place:
            return name
    return None
