"""The proofs that the simulated plugin and a server exchange: one user runs both (SPEC §17.1)."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import socket
from typing import Any, Dict, Mapping, Optional, Tuple

from unity_bridge.base.result import Ok
from unity_bridge.catalogue.before_proof import what_is_closed
from unity_bridge.simulator.job import Refusal, refused
from unity_bridge.trust.secret import SecretSource, shared_secret

Message = Dict[str, Any]
# Both ends of a connection: ours and the server's.
Ends = Tuple[str, str]

OPENING_HEADER = "Unity-Bridge-Opening"


def ends_of(connection: socket.socket) -> Ends:
    local, servers = connection.getsockname(), connection.getpeername()
    return f"{local[0]}:{local[1]}", f"{servers[0]}:{servers[1]}"


class ServerProof:
    """One session after another; each begins with a ``nonce``. For the link's thread.

    ``can_prove``: False of a plugin of the founding protocol.
    """

    can_prove = True

    def __init__(self, secret: SecretSource = shared_secret) -> None:
        self._secret = secret
        self._nonce = ""
        self.is_server_trusted = False

    def hello(self) -> Message:
        """Return the fields of the ``hello`` of a session that begins now."""
        self.is_server_trusted = False
        self._nonce = self.new_nonce()
        return {"nonce": self._nonce}

    def new_nonce(self) -> str:
        return secrets.token_hex(16)

    def opening(self, ends: Ends) -> Dict[str, str]:
        """Return the header that puts this user's clients before those of others (SPEC §7.9)."""
        secret = self._secret()
        if not self.can_prove or not isinstance(secret, Ok):
            return {}
        return {OPENING_HEADER: self._proof(secret.value, "opening", ends, "", "")}

    def greeted(self, hello: Message, ends: Ends) -> Message:
        """Take the server's ``hello``; return the fields that the next message has to carry."""
        self.is_server_trusted = self.is_servers(hello, self._nonce, ends)
        secret = self._secret()
        if not self.is_server_trusted or not isinstance(secret, Ok):
            return {}
        return {"proof": self._proof(secret.value, "plugin", ends, hello["nonce"], self._nonce)}

    def is_servers(self, answer: Any, our_nonce: str, ends: Ends) -> bool:
        """Return whether ``answer``, with a nonce and a proof, is of a server of this user."""
        secret = self._secret()
        if not isinstance(answer, dict) or not isinstance(secret, Ok):
            return False
        nonce, proof = answer.get("nonce"), answer.get("proof")
        if not isinstance(nonce, str) or not isinstance(proof, str):
            return False
        expected = self._proof(secret.value, "server", ends, our_nonce, nonce)
        return hmac.compare_digest(expected.encode(), proof.encode())

    def refusal(
        self, tool: object, params: Optional[Mapping[str, Any]] = None
    ) -> Optional[Refusal]:
        """Return why this session's server may not ask for it, or None (SPEC §17.2)."""
        if self.is_server_trusted:
            return None
        closed = what_is_closed(str(tool), params or {}, {})
        why = f"The server has not proved that it runs as this editor's user: {closed} is not run."
        if closed is None:
            return None
        return refused("untrusted", why)

    def refusal_of_job(self, is_untrusted: Optional[bool]) -> Optional[Refusal]:
        """Return why this session's server may not ask for a job, or None. ``is_untrusted``: it was
        begun by a server without proof; None: there is no such job.
        """
        if self.is_server_trusted or not self.can_prove or is_untrusted is not False:
            return None
        why = "The server has not proved that it runs as this editor's user: this job is not its."
        return refused("untrusted", why)

    def _proof(
        self, secret: bytes, role: str, ends: Ends, others_nonce: str, own_nonce: str
    ) -> str:
        words = "\n".join((role, *ends, others_nonce, own_nonce))
        return hmac.new(secret, words.encode(), hashlib.sha256).hexdigest()
