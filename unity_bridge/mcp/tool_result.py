"""What a tool call's outcome is in MCP: the JSON text of a ``CallToolResult`` (SPEC §8, §15.3, §16.3). Pure.

The payload is serialised once: its JSON is spliced into ``structuredContent`` and, as a JSON string and maybe
shortened, into ``content``, since some clients show their model only the one, some the other.
"""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Tuple

from unity_bridge.base.calls import Outcome
from unity_bridge.base.result import Err
from unity_bridge.catalogue.tool import AsText, Mode, Tool
from unity_bridge.mcp.json_rpc import repaired
from unity_bridge.text.json_writer import compact

_CLIENT_REQUEST_ID_KEY = "unity-bridge/client_request_id"


def tool_result(
    outcome: Outcome,
    tool: Optional[Tool],
    client_request_id: Optional[str] = None,
    stamp: Mapping[str, Any] = {},
    text_only: bool = False,
) -> Tuple[bytes, ...]:
    """The result as UTF-8, in the pieces of which a line is made: half a megabyte is not to be copied again and again.

    ``tool`` is None for a call whose tool is not known.

    ``stamp`` is what a protocol version adds to every result; its ``_meta`` and ours become one. The client's own id
    comes back in there, where no model pays for it. ``text_only`` leaves the structured copy of a result out;
    an error keeps it. Raises ``ValueError`` for a payload that is not JSON (a bug).
    """
    payload = {"error": outcome.error.as_json()} if isinstance(outcome, Err) else outcome.value
    is_error = _is_error(outcome, tool)
    if tool is None or isinstance(outcome, Err):
        content = _structure_and_text(payload, None)
    elif tool.shows_image:
        content = _image_and_text(payload)
    else:
        content = _structure_and_text(payload, tool.as_text, text_only and not is_error)
    said = b"true" if is_error else b"false"
    return (b"{", *content, b',"isError":', said, _stamped(client_request_id, stamp), b"}")


def _structure_and_text(
    payload: Dict[str, Any], as_text: Optional[AsText], text_only: bool = False
) -> Tuple[bytes, ...]:
    json = compact(payload)
    try:
        structure = json.encode("utf-8")
    except UnicodeEncodeError:
        return _structure_and_text(repaired(payload), as_text, text_only)
    shown = json if as_text is None else as_text(payload, json)
    text = structure if shown is json else shown.encode("utf-8")
    # What is JSON already holds nothing else that a JSON string must escape.
    as_string = text.replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    if text_only:
        return (b'"content":[{"type":"text","text":"', as_string, b'"}]')
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
        return compact(value).encode("utf-8")
    except UnicodeEncodeError:
        return compact(repaired(value)).encode("utf-8")
