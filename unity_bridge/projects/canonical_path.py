"""One spelling for each project's path, the same in the server and in the plugin (SPEC §18.1).

The rules are in ``protocol/README.md``, and ``protocol/project_paths.json`` is their table, which both sides are tested
with.
"""

from __future__ import annotations

import os
import sys
import unicodedata
from pathlib import Path

_CASELESS = ("win32", "darwin")
_LONG_UNC, _LONG = "\\\\?\\UNC\\", "\\\\?\\"


def canonical_path(project: Path) -> str:
    """Of a project on this machine: links, substituted drives and short names are resolved."""
    return canonical(os.path.realpath(str(project)), sys.platform)


def canonical(path: str, platform: str) -> str:
    """The one spelling of an absolute path without links on ``platform`` (as ``sys.platform`` names it)."""
    if platform == "win32":
        if path.startswith(_LONG_UNC):
            path = "\\\\" + path[len(_LONG_UNC) :]
        elif path.startswith(_LONG):
            path = path[len(_LONG) :]
        path = path.replace("\\", "/")
    elif platform == "darwin":
        # A name has two spellings there, and the system opens the file by either.
        path = unicodedata.normalize("NFC", path)
    while len(path) > 1 and path.endswith("/"):
        path = path[:-1]
    return "".join(map(_lower, path)) if platform in _CASELESS else path


def _lower(character: str) -> str:
    """As .NET's ``char.ToLowerInvariant``: one UTF-16 unit becomes one, whatever stands beside it."""
    lower = character.lower()
    return lower if len(lower) == 1 and ord(character) < 0x10000 else character
