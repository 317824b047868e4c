"""Who is at the other end of a stream, a person or a program; and what a program is written."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import Optional, TextIO


def is_terminal(stream: Optional[TextIO]) -> bool:
    """``None`` is a stream that the process was started without."""
    if stream is None or not stream.isatty():
        return False
    try:
        return is_terminal_descriptor(stream.fileno())
    except (OSError, ValueError):
        return True  # a stand-in without a descriptor knows best


def is_terminal_descriptor(descriptor: int) -> bool:
    """As ``os.isatty``, but Windows says that of every device, NUL among them: only a console is a
    terminal.
    """
    return os.isatty(descriptor) and _is_console(descriptor)


def write_utf8_to_programs() -> None:
    """Have stdout and stderr carry UTF-8 and plain line feeds to what is not a terminal, as on
    other systems.

    On Windows Python writes the ANSI code page there. Git Bash, agents, editors and MCP clients read UTF-8. No shell
    reads the ANSI code page: PowerShell and cmd take the console's. ``PYTHONIOENCODING`` still decides, if it is set.
    """
    chosen = "" if sys.flags.ignore_environment else os.environ.get("PYTHONIOENCODING", "")
    for stream in (sys.stdout, sys.stderr):
        if (
            sys.platform == "win32"
            and isinstance(stream, io.TextIOWrapper)
            and not is_terminal(stream)
        ):
            encoding = stream.encoding if chosen else "utf-8"
            with suppress(
                OSError
            ):  # MCP has taken stdout: what it was opened on, a file or NUL, is something else now
                stream.reconfigure(encoding=encoding, errors="backslashreplace", newline="\n")


if sys.platform == "win32":
    _PROCESSES_ESCAPE_CODES = 0x0004  # ENABLE_VIRTUAL_TERMINAL_PROCESSING

    def shows_escape_codes(stream: Optional[TextIO]) -> bool:
        """Whether a console obeys escape codes, after it was asked to. cmd switches that off before it runs a program.
        https://learn.microsoft.com/windows/console/console-virtual-terminal-sequences"""
        if not is_terminal(stream):
            return True  # who reads it decides
        import ctypes
        import msvcrt
        from ctypes.wintypes import DWORD, HANDLE

        kernel, mode = ctypes.windll.kernel32, DWORD()
        kernel.GetConsoleMode.argtypes = (HANDLE, ctypes.POINTER(DWORD))
        kernel.SetConsoleMode.argtypes = (HANDLE, DWORD)
        try:
            console = msvcrt.get_osfhandle(stream.fileno()) if stream is not None else -1
        except (OSError, ValueError):
            return True
        if not kernel.GetConsoleMode(console, ctypes.byref(mode)):
            return False
        if mode.value & _PROCESSES_ESCAPE_CODES:
            return True
        return bool(kernel.SetConsoleMode(console, mode.value | _PROCESSES_ESCAPE_CODES))

    def _is_console(descriptor: int) -> bool:
        import ctypes
        import msvcrt
        from ctypes.wintypes import DWORD, HANDLE

        get_mode = ctypes.windll.kernel32.GetConsoleMode
        get_mode.argtypes = (HANDLE, ctypes.POINTER(DWORD))
        return bool(get_mode(msvcrt.get_osfhandle(descriptor), ctypes.byref(DWORD())))

else:

    def shows_escape_codes(stream: Optional[TextIO]) -> bool:
        """Whether a terminal obeys escape codes; those of these systems do, unless ``TERM`` says
        otherwise.
        """
        return True

    def _is_console(descriptor: int) -> bool:
        return True
