"""What clients and the log are told of an editor that is not trusted, and what to do about it (SPEC §17)."""

from __future__ import annotations

from typing import Mapping, Optional

from unity_bridge.base.errors import ErrorCode, Guarantee, ToolError
from unity_bridge.core.ledger.records import Trust

_ONLY_V1 = "so only the tools of version 1 work with it (read_console, run_tests)"

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
    """Why an editor is not trusted and what to do; ``None`` for one that is."""
    return _REMARKS.get(trust)


def untrusted(tool: str, trust: Trust) -> Optional[ToolError]:
    """Why ``tool`` is kept from a plugin (SPEC §17.2). Of one whose proof may still come nothing is known yet."""
    remark = None if trust is Trust.AWAITED else untrusted_remark(trust)
    if remark is None:
        return None
    message = f"{tool} was not run. {remark}"
    return ToolError(ErrorCode.UNITY_EXECUTION, message, {"reason": "untrusted"}, Guarantee.NOT_EXECUTED)
