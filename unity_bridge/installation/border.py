"""The command line of an entry whose server runs elsewhere: behind ssh or in a container (SPEC §23)."""

from __future__ import annotations

import os
import re
import shlex
from typing import List, Optional, Sequence

from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.launch import environment
from unity_bridge.text.foreign_text import quoted as quoted_text

_SSH = "ssh:"
# A name that begins with a hyphen would be an option of ssh, such as one that runs a command here.
_HOST = re.compile(r"([A-Za-z0-9_.\[][A-Za-z0-9._:\[\]%-]*@)?[A-Za-z0-9_.:\[][A-Za-z0-9._:\[\]%-]*")
# These hand their words to a shell on the far side as one line.
_TO_A_SHELL = ("ssh", "plink")
_PLAIN = re.compile(r"[A-Za-z0-9_./:=@%+,-]+")


def command_over(via: str) -> Result[List[str], str]:
    """The words of ``--via``: the program that crosses the border by its whole path, and the far program."""
    if via.startswith(_SSH):
        host = via[len(_SSH) :]
        if not _HOST.fullmatch(host):
            return Err(f"'{quoted_text(host)}' is not a host: name it as [user@]name, not beginning with a hyphen")
        words = ["ssh", "-T", "-o", "BatchMode=yes", "--", host, "unity-bridge"]
    else:
        try:
            words = _split(via)
        except ValueError as error:
            return Err(f"the command of --via cannot be split into words: {error}")
    if not words or not words[0]:
        return Err("--via names no command")
    program = environment.on_path(words[0])
    if program is None:
        return Err(f"'{quoted_text(words[0])}' of --via is not a program on this machine")
    return Ok([os.path.abspath(program), *words[1:]])


def unsafe_option(program: str, options: Sequence[str]) -> Optional[str]:
    """The first option that the far side's shell might read as more than a word; None if there is none."""
    name = re.split(r"[\\/]", program)[-1].lower()
    if (name[:-4] if name.endswith(".exe") else name) not in _TO_A_SHELL:
        return None
    return next((option for option in options if not _PLAIN.fullmatch(option)), None)


def _split(line: str) -> List[str]:
    if os.name != "nt":
        return shlex.split(line)
    import ctypes

    count = ctypes.c_int()
    split = ctypes.WinDLL("shell32").CommandLineToArgvW  # type: ignore[attr-defined,unused-ignore]
    split.restype, split.argtypes = ctypes.POINTER(ctypes.c_wchar_p), (ctypes.c_wchar_p, ctypes.POINTER(ctypes.c_int))
    # Of an empty line it would return the name of this program.
    words = split(line, ctypes.byref(count)) if line.strip() else None
    return [str(words[index]) for index in range(count.value)] if words else []
