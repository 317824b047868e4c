"""The proofs on their way through the proxy.

A proof holds for one connection (SPEC §17.1), and the proxy makes two of one. It has the secret, too, so it
proves to each side what the other has proved to it. Whatever else passes stays as it is, its length included.
"""

from __future__ import annotations

from typing import Any, Dict, Iterator, Optional, Tuple

from unity_bridge.trust.proof import PLUGIN, SERVER, Ends, is_nonce, is_proof, proof

Message = Dict[str, Any]


class ProofRelay:
    """Of one connection. A plugin's hello comes before the server's, so both threads of the proxy
    may use it.
    """

    def __init__(self, secret: bytes, plugins: Ends, servers: Ends) -> None:
        self._secret = secret
        self._plugins_ends = plugins
        self._servers_ends = servers
        self._plugins_nonce: Optional[str] = None
        self._servers_nonce: Optional[str] = None

    def passed_on(self, message: Message, data: bytes) -> bytes:
        """``data`` as it goes on, which has ``message`` in it."""
        if message.get("type") == "hello" and is_nonce(message.get("nonce")):
            if "plugin_version" in message:
                self._plugins_nonce = message["nonce"]
            else:
                self._servers_nonce = message["nonce"]
        given = message.get("proof")
        for right, ours in self._proofs() if given else ():
            if is_proof(given, right):
                return _replaced(data, right.encode(), ours.encode())
        return data

    def _proofs(self) -> Iterator[Tuple[str, str]]:
        """What each side says if it is right, and what it would say on the other side's connection."""
        plugins, servers = self._plugins_nonce, self._servers_nonce
        if plugins is None or servers is None:
            return
        for role, said_on, heard_on, others, own in (
            (SERVER, self._servers_ends, self._plugins_ends, plugins, servers),
            (PLUGIN, self._plugins_ends, self._servers_ends, servers, plugins),
        ):
            yield (
                proof(self._secret, role, said_on, others, own),
                proof(self._secret, role, heard_on, others, own),
            )


def _replaced(data: bytes, before: bytes, after: bytes) -> bytes:
    """With ``after`` in the place of ``before``, of the same length, under whatever mask of four
    bytes it is there.
    """
    for start in range(len(data) - len(before) + 1):
        mask = bytes(a ^ b for a, b in zip(data[start : start + 4], before))
        if all(data[start + at] == before[at] ^ mask[at % 4] for at in range(len(before))):
            changed = bytes(byte ^ mask[at % 4] for at, byte in enumerate(after))
            return data[:start] + changed + data[start + len(after) :]
    return data  # torn: it is the other side's to refuse
