"""``StaticAnswers``: what every client opens with has one answer for the life of a process (SPEC §12.1, §12.5).

Rendered without the ``mcp`` SDK, which takes most of a second to load, but as it writes them to the byte: members in
its order, and nothing answered that it might refuse. A test holds the two against each other.
"""

from __future__ import annotations

import json
from typing import Any, Dict, List, Mapping, Optional

from unity_bridge.catalogue.tool import Tool
from unity_bridge.mcp_endpoint.json_rpc import Request

SERVER_NAME = "unity-bridge"
SERVER_TITLE = "Unity Bridge"
INSTRUCTIONS = (
    "Tools for the Unity Editor that is open on this machine. get_editor_state always answers at once; call it when "
    "something fails. While Unity compiles or reloads, calls wait for it by themselves: do not sleep and retry. "
    'After editing scripts, read_console with types ["error", "exception"] shows compile errors. run_tests returns a '
    "job_id; ask get_job_status with wait_ms 10000 until the state is final. A failed call carries error: retryable "
    "says whether to repeat it, details.execution_guarantee whether it ran."
)
# The catalogue is fixed for the life of a process, and its schemas for that of a release.
TOOLS_STAY_MS = 3_600_000

_HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
_ENVELOPE_VERSION = "2026-07-28"
_VERSION, _CLIENT, _CAPABILITIES, _SERVER = (
    f"io.modelcontextprotocol/{name}" for name in ("protocolVersion", "clientInfo", "clientCapabilities", "serverInfo")
)
_CAPABLE_OF = {"tools": {"listChanged": False}}
_PLAIN_ABOUT_A_CLIENT = {"name", "version", "title"}


class StaticAnswers:
    """The answers of the server ``version`` with the tools of ``catalogue``. Safe from any thread."""

    def __init__(self, catalogue: Mapping[str, Tool], version: str) -> None:
        self._server = {"name": SERVER_NAME, "title": SERVER_TITLE, "version": version}
        self._tools = [published(tool) for tool in catalogue.values()]

    def line(self, request: Request, has_shaken_hands: bool) -> Optional[bytes]:
        """The whole answer, its line end included; None for whatever is not static, or not plain enough to be sure."""
        result = self._result(request.method, request.params or {}, has_shaken_hands)
        if result is None:
            return None
        answer = {"jsonrpc": "2.0", "id": request.id, "result": result}
        return json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode("utf-8") + b"\n"

    def _result(self, method: str, params: Mapping[str, Any], has_shaken_hands: bool) -> Optional[Dict[str, Any]]:
        if method == "initialize":
            return self._handshake(params) if _is_plain_handshake(params) else None
        if method == "ping" and not params:
            return {}
        if method == "tools/list" and not params and has_shaken_hands:
            return {"tools": [_in_handshake_order(tool) for tool in self._tools]}
        if method == "server/discover" and _is_plain_envelope(params):
            return self._discovery()
        if method == "tools/list" and _is_plain_envelope(params):
            listed = {"cacheScope": "public", "resultType": "complete", "tools": self._tools}
            return self._stamped({**listed, "ttlMs": TOOLS_STAY_MS})
        return None

    def _handshake(self, params: Mapping[str, Any]) -> Dict[str, Any]:
        return {
            "capabilities": _CAPABLE_OF,
            "instructions": INSTRUCTIONS,
            "protocolVersion": params["protocolVersion"],
            "serverInfo": self._server,
        }

    def _discovery(self) -> Dict[str, Any]:
        return self._stamped(
            {
                "cacheScope": "private",
                "capabilities": _CAPABLE_OF,
                "instructions": INSTRUCTIONS,
                "resultType": "complete",
                "supportedVersions": [_ENVELOPE_VERSION],
                "ttlMs": 0,
            }
        )

    def _stamped(self, result: Mapping[str, Any]) -> Dict[str, Any]:
        return {**result, "_meta": {_SERVER: self._server}}


def published(tool: Tool) -> Dict[str, Any]:
    """The tool's entry in ``tools/list``."""
    # Without its `required`: TypeScript clients hold a failed call's `{"error": ...}` against this schema too, and
    # where it does not fit their agent never sees what went wrong. Results are checked against the whole of it here.
    output_schema = {keyword: value for keyword, value in tool.output_schema.items() if keyword != "required"}
    # These two hints mean nothing for a tool that only reads, and the list is paid for in tokens.
    acts: List[str] = [] if tool.read_only else ["destructiveHint", "openWorldHint"]
    hints = {**dict.fromkeys(acts, False), "idempotentHint": tool.idempotent, "readOnlyHint": tool.read_only}
    return {
        "annotations": dict(sorted(hints.items())),
        "description": tool.description,
        "inputSchema": dict(tool.input_schema),
        "name": tool.name,
        "outputSchema": output_schema,
        "title": tool.title,
    }


def _in_handshake_order(tool: Mapping[str, Any]) -> Dict[str, Any]:
    """The older protocols know some of a schema's keywords by name, and their models write those first."""
    return {**tool, **{name: _known_first(tool[name]) for name in ("inputSchema", "outputSchema")}}


def _known_first(schema: Mapping[str, Any]) -> Dict[str, Any]:
    known = [keyword for keyword in ("properties", "required", "type") if keyword in schema]
    return {**{keyword: schema[keyword] for keyword in known}, **schema}


# What is plain: every version of the SDK's models takes it. Anything else a client may say of itself, it says to them.


def _is_plain_handshake(params: Mapping[str, Any]) -> bool:
    return (
        set(params) == {"protocolVersion", "capabilities", "clientInfo"}
        and params["protocolVersion"] in _HANDSHAKE_VERSIONS
        and _is_plain_client(params["clientInfo"])
        and _are_plain_capabilities(params["capabilities"])
    )


def _is_plain_envelope(params: Mapping[str, Any]) -> bool:
    meta = params.get("_meta")
    return (
        set(params) == {"_meta"}
        and isinstance(meta, dict)
        and set(meta) == {_VERSION, _CLIENT, _CAPABILITIES}
        and meta[_VERSION] == _ENVELOPE_VERSION
        and _is_plain_client(meta[_CLIENT])
        and _are_plain_capabilities(meta[_CAPABILITIES])
    )


def _is_plain_client(client: Any) -> bool:
    return (
        isinstance(client, dict)
        and {"name", "version"} <= set(client) <= _PLAIN_ABOUT_A_CLIENT
        and all(isinstance(value, str) for value in client.values())
    )


def _are_plain_capabilities(capabilities: Any) -> bool:
    if not isinstance(capabilities, dict):
        return False
    roots = capabilities.get("roots", {})
    others = {name: value for name, value in capabilities.items() if name != "roots"}
    return _is_tree(others) and (_is_tree(roots) or roots in ({"listChanged": True}, {"listChanged": False}))


def _is_tree(value: Any, levels: int = 4) -> bool:
    """Objects all the way down, which is not far: capabilities that say no more than their names."""
    return isinstance(value, dict) and levels > 0 and all(_is_tree(inner, levels - 1) for inner in value.values())
