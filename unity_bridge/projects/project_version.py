"""The Unity version that a project's own file names (SPEC §22.4)."""

from __future__ import annotations

import os
import re
from typing import Optional, Tuple

from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.system.shared_file import read_text
from unity_bridge.text.foreign_text import quoted

VERSION = re.compile(r"[0-9]{1,5}\.[0-9]{1,3}\.[0-9]{1,4}[abfpx][0-9]{1,4}(c[0-9]+)?")
# The oldest Unity that the plugin supports (SPEC 11).
OLDEST_UNITY = (2021, 3)

_FILE = ("ProjectSettings", "ProjectVersion.txt")
_FILE_BYTES_MAX = 64 * 1024
_MEMBER = "m_EditorVersion:"
_CONFLICT = ("<<<<<<<", "=======", ">>>>>>>")
_MOST_DIGITS = 9


def written_version(project: str) -> Result[str, str]:
    """Return the version as the project's file has it, of any shape, or why there is none."""
    path = os.path.join(project, *_FILE)
    text = read_text(path, _FILE_BYTES_MAX)
    if isinstance(text, Err):
        return Err(f"{path} {text.error}")
    lines = (text.value or "").splitlines()
    if any(line.startswith(_CONFLICT) for line in lines):
        return Err(f"{path} has a merge conflict, which is to be resolved first")
    versions = [line[len(_MEMBER) :].strip() for line in lines if line.startswith(_MEMBER)]
    if not versions or not versions[0]:
        return Err(f"{path} names no Unity version")
    return Ok(versions[0])


def project_version(project: str) -> Result[str, str]:
    """Return the Unity version of the project at this path, or a sentence why it is not known.

    The text becomes a part of paths, so anything but a version is refused as a whole.
    """
    written = written_version(project)
    if isinstance(written, Err) or VERSION.fullmatch(written.value) is not None:
        return written
    path = os.path.join(project, *_FILE)
    return Err(f'{path} names a version that is not known: "{quoted(written.value, 60)}"')


def release_of(version: str) -> Optional[Tuple[int, int]]:
    """Return the first two numbers of a version of any shape; None if it has none."""
    numbers = version.split(".")[:2]
    if len(numbers) < 2 or not all(_is_number(number) for number in numbers):
        return None
    return int(numbers[0]), int(numbers[1])


def too_old(version: str, oldest: Tuple[int, int] = OLDEST_UNITY) -> Optional[str]:
    """Return in words why the plugin does not work with this version; None if it may."""
    release = release_of(version)
    if release is None or release >= oldest:
        return None
    needed = ".".join(map(str, oldest))
    return f"is a project of Unity {quoted(version, 60)}; the plugin needs Unity {needed} or newer"


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
