"""Who listens on a port of this machine, as far as the system tells."""

from __future__ import annotations

from typing import Any, Optional

import psutil

_COMMAND_CHARS = 120


def port_holder(port: int) -> Optional[str]:
    """``pid 123 (python3 server.py)`` of a process that listens on ``port``; ``None`` where that is not known.

    Never raises. Takes some milliseconds, or tenths of a second on a machine with very many processes.
    """
    try:
        pid = _pid_from_the_whole_table(port)
    except (psutil.Error, OSError):
        # macOS shows the whole table to root only.
        pid = _pid_from_our_own_processes(port)
    return None if pid is None else f"pid {pid}{_command(pid)}"


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


def _command(pid: int) -> str:
    try:
        process = psutil.Process(pid)
        command = " ".join(process.cmdline()) or process.name()
    except (psutil.Error, OSError):
        return ""
    return f" ({command if len(command) <= _COMMAND_CHARS else command[:_COMMAND_CHARS] + '...'})"
