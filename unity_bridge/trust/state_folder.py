"""The folder for what one user's programs keep between runs; the plugin finds the same one (SPEC §17.1)."""

from __future__ import annotations

import ntpath
import os
import posixpath
import sys
from pathlib import Path
from typing import Mapping

from unity_bridge.result import Err, Ok, Result

# Moves the folder: for WSL and containers, for homes that cannot be written to, and for tests.
STATE_DIR_VARIABLE = "UNITY_BRIDGE_STATE_DIR"

_NAME = "unity-bridge"


def state_folder() -> Result[Path, str]:
    """Where it is, made or not; ``Err`` says why there is none."""
    try:
        home = str(Path.home())
    except RuntimeError:
        home = ""
    located = location(os.environ, sys.platform, home)
    return located if isinstance(located, Err) else Ok(Path(located.value))


def location(environment: Mapping[str, str], platform: str, home: str) -> Result[str, str]:
    """The folder's path on ``platform`` (as ``sys.platform`` names it), by that platform's rules.

    A variable that is empty counts as not set. One that is no absolute path would mean another folder to each program.
    """
    is_absolute = ntpath.isabs if platform == "win32" else posixpath.isabs
    named = environment.get(STATE_DIR_VARIABLE, "")
    if named:
        return Ok(named) if is_absolute(named) else Err(f"{STATE_DIR_VARIABLE} is not an absolute path: set one")
    if platform == "win32":
        local = environment.get("LOCALAPPDATA", "")
        base = local if is_absolute(local) else home and ntpath.join(home, "AppData", "Local")
        join = ntpath.join
    elif platform == "darwin":
        base, join = home and posixpath.join(home, "Library", "Application Support"), posixpath.join
    else:
        local = environment.get("XDG_STATE_HOME", "")
        base = local if is_absolute(local) else home and posixpath.join(home, ".local", "state")
        join = posixpath.join
    if not base:
        return Err(f"the user has no home folder: set {STATE_DIR_VARIABLE} to a folder of the user's own")
    return Ok(join(base, _NAME))
