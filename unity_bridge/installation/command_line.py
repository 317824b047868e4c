"""Command lines for people and agents to paste, quoted for the shell that they have."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sysconfig
from enum import Enum
from functools import lru_cache
from typing import List, Optional, Sequence

from unity_bridge.launch import environment


class Shell(Enum):
    """What reads the line. The two PowerShells hand quotation marks on to programs in two ways."""

    POSIX = "a POSIX shell"
    CMD = "cmd"
    WINDOWS_POWERSHELL = "Windows PowerShell"
    POWERSHELL = "PowerShell 7"


_BY_PROGRAM = {
    "bash": Shell.POSIX,
    "sh": Shell.POSIX,
    "zsh": Shell.POSIX,
    "cmd": Shell.CMD,
    "powershell": Shell.WINDOWS_POWERSHELL,
    "pwsh": Shell.POWERSHELL,
}
# No shell of Windows gives these a meaning of their own.
_PLAIN = re.compile(r"[\w.:\\/=+-]+")
# What one of the shells of Windows obeys between double quotation marks, of which PowerShell knows typographic ones.
_OBEYED_IN_QUOTES = re.compile('["\u201c-\u201e$`%!\\x00-\\x1f]')
# PowerShell takes the typographic ones for the same.
_SINGLE_QUOTES = re.compile("(['\u2018-\u201b])")


def quoted(words: Sequence[str], shell: Optional[Shell] = None) -> str:
    """A command line that ``shell`` (the one we were started from) reads as these words."""
    shell = shell_in_use() if shell is None else shell
    if shell is Shell.POSIX:
        return " ".join(shlex.quote(word) for word in words)
    if shell is Shell.CMD:
        return _for_cmd(" ".join(word if _PLAIN.fullmatch(word) else _argument(word) for word in words))
    escapes = shell is Shell.WINDOWS_POWERSHELL or _is_batch_file(words[0])
    line = " ".join(word if _PLAIN.fullmatch(word) else _literal(word, escapes) for word in words)
    # A line that begins with a quotation mark is a text to PowerShell, which it prints.
    return f"& {line}" if line.startswith("'") else line


def ours(*words: str) -> str:
    """A command of this program that works as it stands: by name if that is on PATH, else by its path."""
    return quoted([*_program(), *words])


def ours_in_any_shell() -> str:
    """How to start this program, for a page that outlives the shell in which it was written. On Windows agents use
    Git Bash, cmd or PowerShell; the first two run a quoted path with slashes as it stands."""
    if os.name == "posix":
        return f"`{ours()}`"
    words = " ".join('"' + word.replace("\\", "/") + '"' for word in _program())
    return f"`{words}` (in PowerShell with `& ` before it)"


def command_in_full(*words: str) -> Optional[str]:
    """A command of this program by its whole path, for a shell that may have another PATH than we have: an agent's.

    None if no quotation marks make it safe: on Windows that shell is Git Bash, cmd or PowerShell, and a folder that a
    repository brings may be called ``$(command)``.
    """
    line = [*_installed_program(), *words]
    return quoted(line, Shell.POSIX) if os.name == "posix" else _in_any_shell_of_windows(line)


def _in_any_shell_of_windows(words: Sequence[str]) -> Optional[str]:
    line = [word.replace("\\", "/") for word in words]
    return None if any(map(_OBEYED_IN_QUOTES.search, line)) else " ".join(f'"{word}"' for word in line)


@lru_cache(maxsize=None)
def shell_in_use() -> Shell:
    """The nearest shell among the programs that started us; on Windows PowerShell if there is none."""
    if os.name == "posix":
        return Shell.POSIX
    try:
        import psutil
    except ImportError:  # it may be what the command is to bring back
        return Shell.WINDOWS_POWERSHELL
    try:
        names = [os.path.splitext(program.name())[0].lower() for program in psutil.Process().parents()]
    except (psutil.Error, OSError):
        names = []  # one of them is gone, or another user's
    return next((_BY_PROGRAM[name] for name in names if name in _BY_PROGRAM), Shell.WINDOWS_POWERSHELL)


def _literal(word: str, escapes: bool) -> str:
    """In PowerShell's single quotes; it adds double ones for the program, but may not escape those inside."""
    text = _argument(word)[1:-1] if escapes else word
    return "'" + _SINGLE_QUOTES.sub(r"\1\1", text) + "'"


def _argument(word: str) -> str:
    """In double quotes, as programs on Windows split their command line. The space makes sure that there are any."""
    return '"' + subprocess.list2cmdline([f" {word}"])[2:]


def _for_cmd(line: str) -> str:
    """Escape what cmd would obey. It counts every quotation mark, one behind a back-slash too, so a part of a JSON
    text stands outside of its quotation marks."""
    is_quoted, escaped = False, []
    for letter in line:
        if letter == '"':
            is_quoted = not is_quoted
        escaped.append("^" + letter if letter in "&|<>^" and not is_quoted else letter)
    return "".join(escaped)


def _is_batch_file(program: str) -> bool:
    return (shutil.which(program) or program).lower().endswith((".cmd", ".bat"))


def _program() -> List[str]:
    return ["unity-bridge"] if environment.on_path("unity-bridge") is not None else _installed_program()


def _installed_program() -> List[str]:
    batch = os.path.join(environment.ROOT, "bin", "unity-bridge.cmd")
    if os.name == "nt" and os.path.isfile(batch):
        return [batch]
    # An environment that is not active: its script, which `client add` writes too.
    script = os.path.join(sysconfig.get_path("scripts"), "unity-bridge.exe" if os.name == "nt" else "unity-bridge")
    if os.path.isfile(script):
        return [script]
    command = environment.command()
    launcher = command[1]
    return [launcher] if os.path.isfile(launcher) and os.name == "posix" and os.access(launcher, os.X_OK) else command
