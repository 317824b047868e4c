"""What a tool call's outcome is in MCP: the JSON text of a ``CallToolResult`` (SPEC §8, §15.3, §16.3). Pure.

The payload is serialised once: the same text is spliced into ``structuredContent`` and, as a JSON string, into
``content``, since some clients show their model only the one, some the other.
"""

from __future__ import annotations

import json
from typing import Any, Dict, Mapping, Optional, Tuple

from unity_bridge.base.calls import Outcome
from unity_bridge.base.result import Err
from unity_bridge.catalogue.tool import Mode, Tool
from unity_bridge.mcp.json_rpc import repaired

_CLIENT_REQUEST_ID_KEY = "unity-bridge/client_request_id"


def tool_result(
    outcome: Outcome, tool: Optional[Tool], client_request_id: Optional[str] = None, stamp: Mapping[str, Any] = {}
) -> Tuple[bytes, ...]:
    """The result as UTF-8, in the pieces of which a line is made: half a megabyte is not to be copied again and again.

    ``tool`` is None for a call whose tool is not known.

    ``stamp`` is what a protocol version adds to every result; its ``_meta`` and ours become one. The client's own id
    comes back in there, where no model pays for it. Raises ``ValueError`` for a payload that is not JSON (a bug).
    """
    payload = {"error": outcome.error.as_json()} if isinstance(outcome, Err) else outcome.value
    shows_image = tool is not None and tool.shows_image and not isinstance(outcome, Err)
    as_text = None if tool is None or isinstance(outcome, Err) else tool.as_text
    if shows_image:
        content = _image_and_text(payload)
    elif as_text is not None:
        content = _text_of(_json(as_text(payload)), _json(payload))
    else:
        content = _structure_and_text(payload)
    is_error = b"true" if _is_error(outcome, tool) else b"false"
    return (b"{", *content, b',"isError":', is_error, _stamped(client_request_id, stamp), b"}")


def _structure_and_text(payload: Dict[str, Any]) -> Tuple[bytes, ...]:
    text = _json(payload)
    return _text_of(text, text)


def _text_of(text: bytes, structure: bytes) -> Tuple[bytes, ...]:
    # What is JSON already holds nothing else that a JSON string must escape.
    as_string = text.replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    return (b'"content":[{"type":"text","text":"', as_string, b'"}],"structuredContent":', structure)


def _is_error(outcome: Outcome, tool: Optional[Tool]) -> bool:
    """A job call failed if its job could not be carried out. Questions about a job that failed did not (SPEC §15.3)."""
    if isinstance(outcome, Err):
        return True
    return tool is not None and tool.mode is Mode.JOB and outcome.value.get("error") is not None


def _image_and_text(payload: Mapping[str, Any]) -> Tuple[bytes, ...]:
    """No structured content: some clients drop an image that comes with it."""
    mime_type = "image/png" if payload.get("format") == "png" else "image/jpeg"
    image = {"type": "image", "data": payload.get("image"), "mimeType": mime_type}
    others = {name: value for name, value in payload.items() if name not in ("image", "format")}
    return (b'"content":', _json([image, {"type": "text", "text": _json(others).decode("utf-8")}]))


def _stamped(client_request_id: Optional[str], stamp: Mapping[str, Any]) -> bytes:
    if client_request_id is None and not stamp:
        return b""
    meta = dict(stamp.get("_meta", {}))
    if client_request_id is not None:
        meta[_CLIENT_REQUEST_ID_KEY] = client_request_id
    members = {**stamp, "_meta": meta} if meta else dict(stamp)
    return b"," + _json(members)[1:-1]


def _json(value: Any) -> bytes:
    """Compact JSON; half a character, as C# strings may hold, becomes U+FFFD."""
    try:
        return _encoded(value).encode("utf-8")
    except UnicodeEncodeError:
        return _encoded(repaired(value)).encode("utf-8")


_encoded = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
