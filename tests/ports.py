"""Ports for tests that must name one before anybody listens on it."""

from __future__ import annotations

import secrets
import socket

# Below the range from which systems take the ports of connections and of listeners that ask for any: between our look
# and our use, nobody is given one of these by chance.
_FIRST, _COUNT = 15_000, 15_000


def free_port() -> int:
    """A port that nobody listens on. Not from ``random``: workers that were seeded alike would draw alike."""
    while True:
        port = _FIRST + secrets.randbelow(_COUNT)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
