"""The command line of an entry whose server runs elsewhere: behind ssh, in a container, in Windows
(SPEC §23).
"""

from __future__ import annotations

import os
import re
import shlex
from typing import List, Optional, Sequence

from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.installation.command_line import program_name
from unity_bridge.installation.wsl import windows_python
from unity_bridge.launch import environment
from unity_bridge.text.foreign_text import quoted as quoted_text

_SSH = "ssh:"
WSL = "wsl"
# A name that begins with a hyphen would be an option of ssh, such as one that runs a command here.
_USER = r"((?:[A-Za-z0-9_.][A-Za-z0-9._%-]*@)?)"
_HOST = re.compile(
    _USER + r"(?:([A-Za-z0-9_.:][A-Za-z0-9._:%-]*)|\[([A-Za-z0-9:][A-Za-z0-9.:%_-]*)\])"
)
_WITH_PORT = re.compile(rf"({_USER}(?:[^:\[\]]+|\[.*\])):([0-9]+)")
# These hand their words to a shell on the far side as one line; wsl by design, after `--` too
# (microsoft/WSL#41598).
_TO_A_SHELL = ("ssh", "plink", "wsl")
_WSL_WITHOUT_A_SHELL = ("-e", "--exec")
# Windows starts these with cmd.
_BATCH = (".cmd", ".bat")
# Read as they are by POSIX shells, fish and csh, and by cmd and PowerShell, which OpenSSH for
# Windows may start.
_PLAIN = re.compile(r"[A-Za-z0-9_./:+-][A-Za-z0-9_./:=@+-]*")


def command_over(via: str) -> Result[List[str], str]:
    """Return the words of ``--via``: the program that crosses the border by its whole path, and the
    far program.
    """
    if via == WSL:
        return windows_python()
    if via.startswith(_SSH):
        host = _ssh_host(via[len(_SSH) :])
        if isinstance(host, Err):
            return host
        words = ["ssh", "-T", "-o", "BatchMode=yes", "--", host.value, "unity-bridge"]
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


def _ssh_host(host: str) -> Result[str, str]:
    """Return the host as ssh takes it: an IPv6 address without brackets, which ssh would look up as
    a name.
    """
    port = _WITH_PORT.fullmatch(host)
    if port is None:
        host_name = host
    else:
        host_name = port[1]
    match = _HOST.fullmatch(host_name)
    if match is None:
        return Err(
            f"'{quoted_text(host)}' is not a host: name it as [user@]name, not beginning with a hyphen"
        )
    name = match[1] + (match[2] or match[3])
    if port is None:
        return Ok(name)
    return Err(
        f'ssh takes no port after a host: use --via "ssh -p {port[3]} -T -o BatchMode=yes {name} unity-bridge"'
    )


def unsafe_option(program: Sequence[str], options: Sequence[str]) -> Optional[str]:
    """Return the first option that a shell behind these words might read as more than a word; None
    if there is none.
    """
    if not _reaches_a_shell(program):
        return None
    return next((option for option in options if not _PLAIN.fullmatch(option)), None)


def _reaches_a_shell(program: Sequence[str]) -> bool:
    names = {program_name(word) for word in program}.intersection(_TO_A_SHELL)
    if names == {"wsl"}:
        return not any(word in _WSL_WITHOUT_A_SHELL for word in program)
    return bool(names) or program[0].lower().endswith(_BATCH)


def _split(line: str) -> List[str]:
    if os.name != "nt":
        return shlex.split(line)
    import ctypes

    count = ctypes.c_int()
    split = ctypes.WinDLL("shell32").CommandLineToArgvW  # type: ignore[attr-defined,unused-ignore]
    split.restype, split.argtypes = (
        ctypes.POINTER(ctypes.c_wchar_p),
        (ctypes.c_wchar_p, ctypes.POINTER(ctypes.c_int)),
    )
    # Of an empty line it would return the name of this program.
    words = split(line, ctypes.byref(count)) if line.strip() else None
    if words:
        return [str(words[index]) for index in range(count.value)]
    return []
