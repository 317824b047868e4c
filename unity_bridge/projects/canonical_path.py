"""One spelling for each project's path, the same in the server and in the plugin (SPEC §18.1).

The rules are in ``protocol/README.md``, and ``protocol/project_paths.json`` is their table, which both sides are tested
with. No rule depends on the Unicode tables of a runtime: Python and Unity's Mono differ in hundreds of characters.
"""

from __future__ import annotations

import os
import re
import sys
import unicodedata
from typing import Optional, Union

_CASELESS = ("win32", "darwin")
_LONG_UNC, _LONG = "\\\\?\\UNC\\", "\\\\?\\"
_MOST_BYTES = 4097  # PATH_MAX is 4096 on Linux and 1024 on macOS
_ASCII_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}
# Decomposed letters that every runtime composes alike: Latin, Greek and Cyrillic with the marks
# that compose there, kana, Hangul. Systems that store names decomposed decompose these.
# `ProjectPath.cs` has the same expression.
_DECOMPOSED = (  # compiled where it is used: on macOS alone
    "[A-\u02ff\u0370-\u052f\u1e00-\u1fff]"
    "[\u0300-\u0304\u0306-\u030c\u030f\u0311\u0313\u0314\u031b\u0323-\u0328\u032d\u032e\u0330\u0331\u0342\u0345]+"
    "|[\u3041-\u30ff][\u3099\u309a]"
    "|[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?"
)


def canonical_path(project: Union[str, os.PathLike[str]]) -> str:
    """Of a project on this machine: links, substituted drives and short names are resolved."""
    return canonical(real_path(os.fspath(project)), sys.platform)


def real_path(path: str) -> str:
    """``path`` without links, as the file system spells it. A text that can be no path stays as it
    is.
    """
    if "\0" in path:
        return path
    # On macOS Python's own function keeps the letter case in which a path was typed. The C
    # library's returns the stored one, as it does for the plugin.
    return (system_real_path(path) if sys.platform == "darwin" else None) or os.path.realpath(path)


def system_real_path(path: str) -> Optional[str]:
    """Return the result of ``realpath`` of the C library, which the plugin calls too. None if it
    fails.
    """
    import ctypes  # only here: it takes milliseconds, and only macOS needs it

    resolved = ctypes.create_string_buffer(_MOST_BYTES)
    function = ctypes.CDLL(None).realpath
    function.restype, function.argtypes = ctypes.c_void_p, (ctypes.c_char_p, ctypes.c_char_p)
    if function(os.fsencode(os.path.abspath(path)), resolved):
        return os.fsdecode(resolved.value)
    return None


def canonical(path: str, platform: str) -> str:
    """Return the one spelling of an absolute path without links on ``platform`` (as
    ``sys.platform`` names it).
    """
    if platform == "win32":
        if path.startswith(_LONG_UNC):
            path = "\\\\" + path[len(_LONG_UNC) :]
        elif path.startswith(_LONG):
            path = path[len(_LONG) :]
        path = path.replace("\\", "/")
    elif platform == "darwin":
        # A name has two spellings there, and the system opens the file by either.
        path = re.sub(_DECOMPOSED, lambda match: unicodedata.normalize("NFC", match.group()), path)
    while len(path) > 1 and path.endswith("/"):
        path = path[:-1]
    if platform in _CASELESS:
        return path.translate(_ASCII_LOWER)
    return path
