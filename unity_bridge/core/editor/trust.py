"""``PluginProofs``: what each plugin has yet to prove, and the texts about one that has not (SPEC
§17).
"""

from __future__ import annotations

from typing import Dict, Mapping, Optional

from unity_bridge.base.errors import ErrorCode, Guarantee, ToolError
from unity_bridge.base.program_command import with_own_command
from unity_bridge.base.result import Err, Result
from unity_bridge.core.ledger.records import Trust
from unity_bridge.trust.plugin_challenge import PluginChallenge, ProofVerdict

PROOF_S = 2.0

_ONLY_V1 = "so it is asked only for the console and for tests of the code that is loaded (read_console, run_tests)"

_REMARKS: Mapping[Trust, str] = {
    Trust.AWAITED: "The plugin in Unity is about to prove that it runs as the same user; ask again in two seconds.",
    Trust.NO_NONCE: (
        f"The plugin in Unity cannot prove that it runs as the same user, {_ONLY_V1}. Update it with `unity-bridge "
        "plugin update PROJECT`."
    ),
    Trust.NO_PROOF: (
        f"The plugin in Unity has not proved that it runs as the same user, {_ONLY_V1}. Run Unity and this server as "
        "one user, and set UNITY_BRIDGE_STATE_DIR alike for both or for neither; Unity's Project Settings > Unity "
        "Bridge says what the plugin sees."
    ),
    Trust.NO_SECRET: (
        f"This server has no secret by which the plugin could know it, {_ONLY_V1}. Its log says why, and so does "
        "`unity-bridge doctor`."
    ),
}


def untrusted_remark(trust: Trust) -> Optional[str]:
    """Why an editor is not trusted and what to do; None for one that is."""
    remark = _REMARKS.get(trust)
    if remark is None:
        return None
    return with_own_command(remark)


def untrusted(closed: str, trust: Trust) -> Optional[ToolError]:
    """Why what is ``closed`` is kept from a plugin (SPEC §17.2); None while its proof may still
    come.
    """
    remark = None if trust is Trust.AWAITED else untrusted_remark(trust)
    if remark is None:
        return None
    message = f"{closed} was not run. {remark}"
    return ToolError(
        ErrorCode.UNITY_EXECUTION, message, {"reason": "untrusted"}, Guarantee.NOT_EXECUTED
    )


class PluginProofs:
    """The proof that each connected plugin still owes, by session. For the executor thread alone."""

    def __init__(self) -> None:
        self._challenges: Dict[int, PluginChallenge] = {}

    def ask(self, session_id: int, challenge: Optional[Result[PluginChallenge, str]]) -> Trust:
        """Keep what a plugin's ``hello`` has to prove; ``challenge`` is None if it had no nonce."""
        if challenge is None:
            return Trust.NO_NONCE
        if isinstance(challenge, Err):
            return Trust.NO_SECRET
        self._challenges[session_id] = challenge.value
        return Trust.AWAITED

    def asked(self, session_id: int) -> Optional[PluginChallenge]:
        return self._challenges.get(session_id)

    def check(self, session_id: int, proof: str) -> ProofVerdict:
        """Check a proof. Once proven, a plugin owes none, and another proof says nothing."""
        challenge = self._challenges.get(session_id)
        verdict = ProofVerdict.NO_PROOF if challenge is None else challenge.verdict(proof)
        if verdict is ProofVerdict.PROVEN:
            self.forget(session_id)
        return verdict

    def forget(self, session_id: int) -> None:
        self._challenges.pop(session_id, None)
