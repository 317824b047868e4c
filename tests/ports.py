"""Ports for tests that need a number before something listens on it."""

from __future__ import annotations

import secrets
import socket

# Below the ephemeral range, so the system gives none of these to a connection between our probe and
# our use. And below the automatic ports (20000 to 29999), which tests of those take without asking
# here.
_FIRST, _COUNT = 10_000, 10_000


def free_port() -> int:
    """A port on which nothing listens. Not from ``random``: workers with the same seed would draw
    the same port.
    """
    while True:
        port = _FIRST + secrets.randbelow(_COUNT)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


def is_taken(port: int) -> bool:
    """Whether something listens on the port."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
