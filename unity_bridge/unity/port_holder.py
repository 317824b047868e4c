"""Which program listens on a port of this machine, as far as the system shows."""

from __future__ import annotations

import os
import re
import sys
from typing import Any, Optional

import psutil

_PROGRAM_CHARACTERS = 60
# The name is text of the user who started the program: nothing in it may pose as a sentence of ours
# (SPEC §20.2).
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9._ -]+")


def port_holder(port: int) -> Optional[str]:
    """``pid 123 ("python3")`` of a process that listens on ``port``; ``None`` where that is not
    known.

    Not its command line, in which anybody can write what he likes (SPEC §20.2). Never raises. Takes some milliseconds,
    or tenths of a second on a machine with very many processes.
    """
    pid = _pid_listening_on(port)
    if pid is None:
        return None
    return f"pid {pid}{_program(pid)}"


def is_held_by_this_user(port: int) -> bool:
    """Whether a process of this user listens on ``port``; ``False`` where that is not known."""
    try:
        pid = _pid_listening_on(port)
        return pid is not None and _user_of(psutil.Process(pid)) == _user_of(psutil.Process())
    except (psutil.Error, OSError):
        return False


def _user_of(process: psutil.Process) -> Any:
    if sys.platform == "win32":
        return process.username()
    return process.uids().real


def _pid_listening_on(port: int) -> Optional[int]:
    try:
        return _pid_from_the_whole_table(port)
    except (psutil.Error, OSError):
        # macOS shows the whole table to root only.
        return _pid_from_our_own_processes(port)


def _pid_from_the_whole_table(port: int) -> Optional[int]:
    for connection in psutil.net_connections(kind="tcp"):
        if connection.pid and _listens(connection, port):
            return int(connection.pid)
    return None


def _pid_from_our_own_processes(port: int) -> Optional[int]:
    for process in psutil.process_iter():
        try:
            connections = process.net_connections(kind="tcp")
        except (psutil.Error, OSError):
            continue
        if any(_listens(connection, port) for connection in connections):
            return int(process.pid)
    return None


def _listens(connection: Any, port: int) -> bool:
    return bool(connection.status == psutil.CONN_LISTEN and connection.laddr.port == port)


def _program(pid: int) -> str:
    try:
        name = os.path.basename(psutil.Process(pid).exe())
    except (psutil.Error, OSError):
        name = ""  # somebody else's process
    try:
        name = name or psutil.Process(pid).name()
    except (psutil.Error, OSError):
        return ""
    title = " ".join(_NOT_IN_A_NAME.sub(" ", name).split())[:_PROGRAM_CHARACTERS]
    if title:
        return f' ("{title}")'
    return ""
