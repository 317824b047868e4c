"""The Unity version of a project and of a program (SPEC §22.4)."""

from __future__ import annotations

import os
import re
from typing import Optional

from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.system.shared_file import read_text
from unity_bridge.text.foreign_text import quoted

VERSION = re.compile(r"[0-9]{1,5}\.[0-9]{1,3}\.[0-9]{1,4}[abfpx][0-9]{1,4}(c[0-9]+)?")

_FILE = ("ProjectSettings", "ProjectVersion.txt")
_FILE_BYTES_MAX = 64 * 1024
_LINE = re.compile(r"^m_EditorVersion:[ \t]*(.*?)[ \t\r]*$", re.MULTILINE)


def project_version(project: str) -> Result[str, str]:
    """Return the Unity version of the project at this path, or a sentence why it is not known.

    The text becomes a part of paths, so anything but a version is refused as a whole.
    """
    path = os.path.join(project, *_FILE)
    text = read_text(path, _FILE_BYTES_MAX)
    if isinstance(text, Err):
        return Err(f"{path} {text.error}")
    found = None if text.value is None else _LINE.search(text.value)
    if found is None:
        return Err(f"{path} names no Unity version")
    if VERSION.fullmatch(found[1]) is None:
        return Err(f'{path} names a version that Unity does not have: "{quoted(found[1], 60)}"')
    return Ok(found[1])


def version_in_path(program: str) -> Optional[str]:
    """Return the version that a folder of the program's path is called; of several, the one nearest to the program."""
    folders = program.replace("\\", "/").split("/")[:-1]
    return next((folder for folder in reversed(folders) if VERSION.fullmatch(folder)), None)


def version_in_output(output: str) -> Optional[str]:
    """Return the version that ``PROGRAM -version`` printed: the only word of its shape, on a line of its own or not."""
    found = {word for word in output.split() if VERSION.fullmatch(word)}
    return found.pop() if len(found) == 1 else None
