"""``PluginProofs``: what each plugin that is connected still has to prove (SPEC §17.1)."""

from __future__ import annotations

from typing import Dict, Optional

from unity_bridge.base.result import Err, Result
from unity_bridge.core.ledger.records import Trust
from unity_bridge.trust.plugin_challenge import PluginChallenge, ProofVerdict

PROOF_S = 2.0


class PluginProofs:
    """Challenges by session. For the executor thread alone."""

    def __init__(self) -> None:
        self._challenges: Dict[int, PluginChallenge] = {}

    def ask(self, session_id: int, made: Optional[Result[PluginChallenge, str]]) -> Trust:
        """A plugin's ``hello`` came, and with it what it is to prove; ``None`` if it had no nonce."""
        if made is None:
            return Trust.NO_NONCE
        if isinstance(made, Err):
            return Trust.NO_SECRET
        self._challenges[session_id] = made.value
        return Trust.AWAITED

    def asked(self, session_id: int) -> Optional[PluginChallenge]:
        return self._challenges.get(session_id)

    def judge(self, session_id: int, given: str) -> ProofVerdict:
        """What its proof is worth. Once proven it owes none, and says nothing with another."""
        challenge = self._challenges.get(session_id)
        verdict = ProofVerdict.NO_PROOF if challenge is None else challenge.verdict(given)
        if verdict is ProofVerdict.PROVEN:
            self.forget(session_id)
        return verdict

    def forget(self, session_id: int) -> None:
        self._challenges.pop(session_id, None)
