"""``PluginChallenge``: the server's side of what a plugin and a server prove to each other (SPEC
§17.1).

Pure: the owner of the sessions decides when, and what follows. A plugin has 2 s for its proof; without a challenge, or
without a proof in that time, its session stays unproven.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Optional

from unity_bridge.base.frozen import frozen
from unity_bridge.trust.proof import (
    PLUGIN,
    SERVER,
    WRONG_PROOF,
    Ends,
    is_nonce,
    is_proof,
    new_nonce,
    proof,
)


class ProofVerdict(Enum):
    """What a message says of who sent it."""

    NO_PROOF = "it has none"
    PROVEN = "the same user"
    WRONG = WRONG_PROOF


@frozen
class PluginChallenge:
    """``nonce`` and ``proof`` go into the server's ``hello``; ``expected`` is what the plugin has
    to answer.
    """

    nonce: str
    proof: str
    expected: str

    def verdict(self, proof: Optional[Any]) -> ProofVerdict:
        """Check the ``proof`` member of a message; ``None`` where it has none."""
        if proof is None:
            return ProofVerdict.NO_PROOF
        if is_proof(proof, self.expected):
            return ProofVerdict.PROVEN
        return ProofVerdict.WRONG


def challenge(plugins_nonce: Optional[Any], secret: bytes, ends: Ends) -> Optional[PluginChallenge]:
    """Return the challenge of a plugin whose ``hello`` had this ``nonce``; ``None`` if it is no
    nonce.
    """
    if not is_nonce(plugins_nonce):
        return None
    plugin_nonce, own_nonce = str(plugins_nonce), new_nonce()
    return PluginChallenge(
        nonce=own_nonce,
        proof=proof(secret, SERVER, ends, plugin_nonce, own_nonce),
        expected=proof(secret, PLUGIN, ends, own_nonce, plugin_nonce),
    )
