"""Proofs: what only a holder of the secret can compute, so that the secret itself never travels
(SPEC §17.1).

A proof is lower-case hex of HMAC-SHA256 with the secret over ``role \\n client's end \\n server's end \\n the other
side's nonce \\n own nonce``. The role keeps one side's proof from being sent back as the other's. The ends bind it to
one connection, so that a program in between cannot pass it on. The nonces keep it from being used again.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import socket
from typing import Any, Tuple

from unity_bridge.base.frozen import frozen

# Who proves: on Unity's paths (SPEC §17.1), and on /attach (SPEC §14.1).
SERVER, PLUGIN = "server", "plugin"
OWNER, ATTACHED = "owner", "attached"
# What a client of the same user says in its request for an upgrade, without nonces: it comes before
# those of others (SPEC §7.9), and is trusted no more than they are.
OPENING, OPENING_HEADER = "opening", "Unity-Bridge-Opening"

_NONCE = re.compile("[0-9a-f]{16,128}")


# What a wrong proof can mean.
WRONG_PROOF = (
    "another secret, or a program between the editor and the server (a proxy, a forwarded port)"
)


@frozen
class Ends:
    """Both ends of a TCP connection, ``address:port`` each, as the side that proves sees them on
    its own socket.

    The server's port alone is not enough. A program of another user can accept a plugin's connection, close its
    listener, let the server bind the same port, and pass both proofs on. Its own connection to the server has another
    client's end: that of the plugin is in use for as long as the plugin's connection lives.
    """

    client: str
    server: str

    @classmethod
    def of_client(cls, connection: socket.socket) -> Ends:
        """Return the ends of a connection that we made. Raises ``OSError`` if it is gone."""
        return cls(_end(connection.getsockname()), _end(connection.getpeername()))

    @classmethod
    def of_server(cls, connection: socket.socket, client_address: Tuple[Any, ...]) -> Ends:
        """Return the ends of a connection that we accepted from ``client_address``."""
        return cls(_end(client_address), _end(connection.getsockname()))


def _end(address: Tuple[Any, ...]) -> str:
    # A dual-mode socket shows IPv4 addresses as IPv6.
    host = str(address[0])
    if host.lower().startswith("::ffff:"):
        host = host[7:]
    return f"{host}:{address[1]}"


def proof(secret: bytes, role: str, ends: Ends, others_nonce: str, own_nonce: str) -> str:
    """Return what ``role`` proves to the side that chose ``others_nonce``, on the connection with
    these ``ends``.
    """
    words = f"{role}\n{ends.client}\n{ends.server}\n{others_nonce}\n{own_nonce}"
    return hmac.new(secret, words.encode("ascii"), hashlib.sha256).hexdigest()


def is_proof(value: Any, expected: str) -> bool:
    """Whether ``value``, any value of JSON, is ``expected``. The time taken does not depend on the
    content.
    """
    return isinstance(value, str) and value.isascii() and hmac.compare_digest(value, expected)


def new_nonce() -> str:
    return os.urandom(16).hex()


def is_nonce(value: Any) -> bool:
    """16 to 128 characters of ``[0-9a-f]``; whatever else the other side said counts as no nonce."""
    return isinstance(value, str) and _NONCE.fullmatch(value) is not None
