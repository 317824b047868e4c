"""Command lines for people and agents to paste, quoted for their shell."""

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
    """The program that reads the line.

    The two PowerShells pass quotation marks to programs in different ways.
    """

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
# No shell of Windows treats these characters specially.
_PLAIN = re.compile(r"[\w.:\\/=+-]+")
# Characters that a shell of Windows treats specially in double quotation marks. PowerShell accepts
# typographic ones too.
_OBEYED_IN_QUOTES = re.compile('["\u201c-\u201e$`%!\\x00-\\x1f]')
_FOR_POWERSHELL = "in PowerShell with `& ` before it"
# PowerShell treats the typographic ones as equal.
_SINGLE_QUOTES = re.compile("(['\u2018-\u201b])")


def file_name(path: str) -> str:
    """Return the last part of a path of any system."""
    return re.split(r"[\\/]", path)[-1]


def program_name(path: str) -> str:
    """Return the name of a program of any system, without its folder and ``.exe``, in lower case."""
    name = file_name(path).lower()
    if name.endswith(".exe"):
        return name[: -len(".exe")]
    return name


def quoted(words: Sequence[str], shell: Optional[Shell] = None) -> str:
    """Return a command line that ``shell`` (by default the one that started this process) reads as
    these words.
    """
    shell = shell_in_use() if shell is None else shell
    if shell is Shell.POSIX:
        return " ".join(shlex.quote(word) for word in words)
    if shell is Shell.CMD:
        return _for_cmd(
            " ".join(word if _PLAIN.fullmatch(word) else _argument(word) for word in words)
        )
    escapes = shell is Shell.WINDOWS_POWERSHELL or _is_batch_file(words[0])
    line = " ".join(word if _PLAIN.fullmatch(word) else _literal(word, escapes) for word in words)
    # A line that begins with a quotation mark is a string to PowerShell, which prints it.
    if line.startswith("'"):
        return f"& {line}"
    return line


def ours(*words: str) -> str:
    """Return a command of this program that works as it is: by name if that is on PATH, else by its
    path.
    """
    return quoted([*_program(), *words])


def ours_in_any_shell() -> str:
    """Return how to start this program, for a page that is read later in another shell.

    On Windows agents use Git Bash, cmd or PowerShell; the first two run a quoted path with slashes as it is.
    """
    if os.name == "posix":
        return f"`{ours()}`"
    words = " ".join('"' + word.replace("\\", "/") + '"' for word in _program())
    return f"`{words}` ({_FOR_POWERSHELL})"


def command_in_full(*words: str) -> Optional[str]:
    """Return a command of this program by its absolute path, for an agent's shell, which may have
    another PATH.

    None if no quotation marks make it safe: on Windows that shell is Git Bash, cmd or PowerShell, and a folder from a
    repository may be called ``$(command)``.
    """
    line = [*_installed_program(), *words]
    if os.name == "posix":
        return quoted(line, Shell.POSIX)
    # PowerShell prints a line that begins with a quotation mark; cmd and Git Bash know no other
    # beginning.
    spelled = _in_any_shell_of_windows(line)
    if spelled is None:
        return None
    return f"{spelled} ({_FOR_POWERSHELL})"


def _in_any_shell_of_windows(words: Sequence[str]) -> Optional[str]:
    line = [word.replace("\\", "/") for word in words]
    if any(map(_OBEYED_IN_QUOTES.search, line)):
        return None
    return " ".join(f'"{word}"' for word in line)


@lru_cache(maxsize=None)
def shell_in_use() -> Shell:
    """Return the nearest shell among the parent processes; on Windows PowerShell if there is none."""
    if os.name == "posix":
        return Shell.POSIX
    try:
        import psutil
    except ImportError:  # it may be what the command is to repair
        return Shell.WINDOWS_POWERSHELL
    try:
        names = [
            os.path.splitext(program.name())[0].lower() for program in psutil.Process().parents()
        ]
    except (psutil.Error, OSError):
        names = []  # a parent process has ended, or belongs to another user
    return next(
        (_BY_PROGRAM[name] for name in names if name in _BY_PROGRAM), Shell.WINDOWS_POWERSHELL
    )


def _literal(word: str, escapes: bool) -> str:
    """Quote with PowerShell's single quotes.

    PowerShell adds double ones for the program, but may not escape those inside.
    """
    text = _argument(word)[1:-1] if escapes else word
    return "'" + _SINGLE_QUOTES.sub(r"\1\1", text) + "'"


def _argument(word: str) -> str:
    """Quote with double quotes, as programs on Windows split their command line.

    The added space makes sure that there are quotes.
    """
    return '"' + subprocess.list2cmdline([f" {word}"])[2:]


def _for_cmd(line: str) -> str:
    """Escape the characters that cmd treats specially.

    It counts every quotation mark, also one behind a back-slash, so part of a JSON text is outside of its quotation
    marks.
    """
    is_quoted, escaped = False, ""
    for letter in line:
        if letter == '"':
            is_quoted = not is_quoted
        if letter in "&|<>^" and not is_quoted:
            escaped += "^"
        escaped += letter
    return escaped


def _is_batch_file(program: str) -> bool:
    return (shutil.which(program) or program).lower().endswith((".cmd", ".bat"))


def _program() -> List[str]:
    if environment.on_path("unity-bridge") is not None:
        return ["unity-bridge"]
    return _installed_program()


def _installed_program() -> List[str]:
    batch = os.path.join(environment.ROOT, "bin", "unity-bridge.cmd")
    if os.name == "nt" and os.path.isfile(batch):
        return [batch]
    # An environment that is not active: use its script, as `client add` does.
    program = "unity-bridge"
    if os.name == "nt":
        program = "unity-bridge.exe"
    script = os.path.join(sysconfig.get_path("scripts"), program)
    if os.path.isfile(script):
        return [script]
    command = environment.command()
    launcher = command[1]
    if os.path.isfile(launcher) and os.name == "posix" and os.access(launcher, os.X_OK):
        return [launcher]
    return command
