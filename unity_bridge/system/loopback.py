"""Whether this process may use connections inside its machine, or runs in a sandbox that forbids
them (SPEC §18.3).
"""

from __future__ import annotations

import errno
import os
import socket
from typing import Optional

_HOST = "127.0.0.1"
_FORBIDDEN = (errno.EPERM, errno.EACCES, errno.EADDRNOTAVAIL, errno.ENETUNREACH)
# Ports below it are the system's: a user may not bind them anywhere.
_FIRST_OF_USERS = 1024
_LIMIT_S = 1.0


def is_forbidden(error: OSError, port: int) -> bool:
    """Return whether a sandbox is why ``port`` of 127.0.0.1 could not be bound or reached. 0: any
    port.
    """
    is_reserved = os.name == "nt" or 0 < port < _FIRST_OF_USERS
    return error.errno in _FORBIDDEN and not is_reserved


def is_closed_to_us() -> bool:
    """Return whether this process can bind or reach no port of 127.0.0.1. Tries one of its own."""
    try:
        with socket.socket() as probe:
            probe.bind((_HOST, 0))
            probe.listen(1)
            with socket.create_connection(probe.getsockname(), _LIMIT_S):
                return False
    except OSError as error:
        return is_forbidden(error, 0)


def sandbox_of_codex() -> Optional[str]:
    """Return a remark if Codex says that it started this process without a network: other
    connections may work.
    """
    if os.environ.get("CODEX_SANDBOX_NETWORK_DISABLED") != "1":
        return None
    return "CODEX_SANDBOX_NETWORK_DISABLED=1 is set here: Codex may keep this process from Unity"
