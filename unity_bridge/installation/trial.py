"""Tries whether a client can start this program by the words of an entry, before they are written."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import List, Mapping, Sequence

from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.installation.command_line import quoted
from unity_bridge.text.foreign_text import visible_line

# The launcher of a clone may have to prepare its environment first.
_LIMIT_S = 300.0


def first_that_starts(programs: Sequence[List[str]], entrys: Mapping[str, str]) -> Result[List[str], str]:
    """Return the first of the command lines that starts with the variables that an entry sets; ``Err`` says how the
    last one failed."""
    why = "there is none"
    for program in programs:
        tried = _tried(program, {**os.environ, **entrys})
        if isinstance(tried, Ok):
            return Ok(program)
        why = f"{quoted([*program, '--version'])} failed: {tried.error}"
    return Err(why)


def _tried(program: List[str], environ: Mapping[str, str]) -> Result[None, str]:
    try:
        done = subprocess.run(
            [*program, "--version"],
            # Not the working directory: a client starts it in any folder.
            cwd=os.path.dirname(sys.executable),
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_LIMIT_S,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Err(str(error))
    if done.returncode == 0:
        return Ok(None)
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return Err(visible_line(lines[-1]) if lines else f"exit status {done.returncode}")
