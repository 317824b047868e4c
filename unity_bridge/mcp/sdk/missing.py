"""Answers to what only the ``mcp`` SDK knows, where there is no SDK: on Python 3.8 and 3.9 (SPEC
§21.2).

Pure. A test holds it against the SDK: what it answers with an error, the SDK does too.
"""

from __future__ import annotations

from typing import Any, Dict, Optional

from unity_bridge.mcp.envelope import CAPABILITIES_KEY, ENVELOPE_VERSION, VERSION_KEY, Era
from unity_bridge.mcp.json_rpc import (
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    UNSUPPORTED_VERSION,
    Request,
    RpcError,
)
from unity_bridge.mcp.static_answers import StaticAnswers


def answer_without_sdk(request: Request, era: Era, static: StaticAnswers) -> bytes:
    """Return the whole line. Oddities in a known method are ignored; an unknown method is not
    found.
    """
    params = request.params or {}
    if request.method == "initialize":
        if isinstance(params.get("protocolVersion"), str):
            return static.handshake(request)
        return RpcError(request.id, INVALID_PARAMS, "Invalid request parameters", "").line()
    fault = envelope_fault(request) if era is Era.ENVELOPE else None
    if fault is not None:
        return fault.line()
    not_found = RpcError(request.id, METHOD_NOT_FOUND, "Method not found", request.method)
    return static.line_whatever_it_carries(request, era) or not_found.line()


def envelope_fault(request: Request) -> Optional[RpcError]:
    """Why a request of the envelope era cannot be served, if so."""
    meta: Dict[str, Any] = (request.params or {})["_meta"]
    version = meta[VERSION_KEY]
    if CAPABILITIES_KEY not in meta:
        message = f"params._meta is missing the required envelope key(s): {CAPABILITIES_KEY}"
        return RpcError(request.id, INVALID_PARAMS, message)
    if not isinstance(version, str):
        return RpcError(
            request.id, INVALID_PARAMS, "the protocol-version envelope value must be a string"
        )
    if version != ENVELOPE_VERSION:
        data = {"supported": [ENVELOPE_VERSION], "requested": version}
        return RpcError(
            request.id, UNSUPPORTED_VERSION, f"Unsupported protocol version: {version}", data
        )
    return None
