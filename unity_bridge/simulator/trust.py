"""The proofs that the simulated plugin and a server exchange: one user runs both (SPEC §17.1)."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import Any, Dict, Mapping, Optional, Tuple

from unity_bridge.base.result import Ok
from unity_bridge.catalogue.before_proof import what_is_closed
from unity_bridge.simulator.job import Refusal, refused
from unity_bridge.trust.secret import SecretSource, shared_secret

Message = Dict[str, Any]


class ServerProof:
    """One session after another; each begins with a ``nonce``. For the link's thread."""

    def __init__(self, secret: SecretSource = shared_secret) -> None:
        self._secret = secret
        self._nonce = ""
        self.is_server_trusted = False

    def hello(self) -> Message:
        """Return the fields of the ``hello`` of a session that begins now."""
        self.is_server_trusted = False
        self._nonce = secrets.token_hex(16)
        return {"nonce": self._nonce}

    def greeted(self, hello: Message, ends: Tuple[str, str]) -> Message:
        """Take the server's ``hello``; return the fields that the next message has to carry.

        ``ends``: ``address:port`` of our end of the connection and of the server's.
        """
        nonce, secret = hello.get("nonce"), self._secret()
        if not isinstance(nonce, str) or not isinstance(secret, Ok):
            return {}
        expected = self._proof(secret.value, "server", ends, self._nonce, nonce)
        self.is_server_trusted = hmac.compare_digest(
            expected.encode(), str(hello.get("proof")).encode()
        )
        if not self.is_server_trusted:
            return {}
        return {"proof": self._proof(secret.value, "plugin", ends, nonce, self._nonce)}

    def refusal(
        self, tool: object, params: Optional[Mapping[str, Any]] = None
    ) -> Optional[Refusal]:
        """Return why this session's server may not ask for it, or None (SPEC §17.2)."""
        if self.is_server_trusted:
            return None
        closed = what_is_closed(str(tool), params or {}, {})
        why = f"The server has not proved that it runs as this editor's user: {closed} is not run."
        return None if closed is None else refused("untrusted", why)

    def _proof(
        self, secret: bytes, role: str, ends: Tuple[str, str], others_nonce: str, own_nonce: str
    ) -> str:
        words = "\n".join((role, *ends, others_nonce, own_nonce))
        return hmac.new(secret, words.encode(), hashlib.sha256).hexdigest()
