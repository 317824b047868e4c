"""Proofs: what only a holder of the secret can say, so that nothing of the secret travels (SPEC §17.1).

A proof is lower-case hex of ``HMAC-SHA256(secret, role \\n port \\n the other side's nonce \\n own nonce)``. The role
keeps one side's proof from being sent back as the other's. The port is the one that each side itself listens on or
connected to, so a program on another port cannot pass a proof on. The nonces keep it from being used again.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from typing import Any

# Who proves: on Unity's paths (SPEC §17.1), and on /attach (SPEC §14.1).
SERVER, PLUGIN = "server", "plugin"
OWNER, ATTACHED = "owner", "attached"

_NONCE = re.compile("[0-9a-f]{16,128}")


def proof(secret: bytes, role: str, port: int, others_nonce: str, own_nonce: str) -> str:
    """What ``role`` says to whoever chose ``others_nonce``."""
    words = f"{role}\n{port}\n{others_nonce}\n{own_nonce}"
    return hmac.new(secret, words.encode("ascii"), hashlib.sha256).hexdigest()


def is_proof(given: Any, expected: str) -> bool:
    """Whether ``given``, which may be anything that JSON holds, is ``expected``; in a time that tells nothing of it."""
    return isinstance(given, str) and given.isascii() and hmac.compare_digest(given, expected)


def new_nonce() -> str:
    return secrets.token_hex(16)


def is_nonce(value: Any) -> bool:
    """16 to 128 characters of ``[0-9a-f]``; whatever else the other side said counts as no nonce."""
    return isinstance(value, str) and _NONCE.fullmatch(value) is not None
