"""What a tool call's outcome is in MCP: the JSON text of a ``CallToolResult`` (SPEC §8, §15.3,
§16.3). Pure.

The payload is serialised once: its JSON is spliced into ``structuredContent`` and, as a JSON string
and maybe shortened, into ``content``, since some clients show their model only the one, some the
other.
"""

from __future__ import annotations

from typing import Any, Mapping, Optional, Tuple

from unity_bridge.base.result import Err
from unity_bridge.catalogue.answer_limits import fitted
from unity_bridge.catalogue.calls import Outcome
from unity_bridge.catalogue.picture import Picture, without_picture
from unity_bridge.catalogue.tool import Mode, Tool
from unity_bridge.mcp.client_calls import Ended
from unity_bridge.mcp.json_rpc import repaired
from unity_bridge.text import foreign_text
from unity_bridge.text.json_types import JsonDict, JsonObject
from unity_bridge.text.json_writer import compact

# Clients cut errors at less than other answers.
_MOST_ERROR_BYTES = 8_000

_MIME_TYPES = {"jpg": "image/jpeg", "png": "image/png"}
_CLIENT_REQUEST_ID_KEY = "unity-bridge/client_request_id"


def tool_result(
    end: Ended, most_bytes: int, stamp: Mapping[str, Any] = {}, text_only: bool = False
) -> Tuple[bytes, ...]:
    """Return the result as UTF-8, in pieces of a line, so that half a megabyte is not copied again
    and again.

    ``most_bytes``: of the JSON; an error has at most 8000 (SPEC §8.7). ``stamp`` is what a protocol
    version adds to every result; its ``_meta`` and ours become one. The client's own id comes back
    in there, where no model pays for it. ``text_only`` leaves the structured copy of a result out;
    an error keeps it. Raises ``ValueError`` for a payload that is not JSON (a bug).
    """
    outcome, tool = end.outcome, end.tool
    is_error = _is_error(outcome, tool)
    payload = {"error": outcome.error.as_json()} if isinstance(outcome, Err) else outcome.value
    image, payload = _image(payload, tool)
    room = most_bytes
    if is_error:
        room = min(most_bytes, _MOST_ERROR_BYTES)
    payload, json, structure = _fitted(payload, end, room)
    if image is not None:
        # No structured content: some clients drop an image that comes with it.
        content: Tuple[bytes, ...] = (
            b'"content":[',
            _json(image),
            b",",
            _text_block(structure),
            b"]",
        )
    else:
        as_text = None if tool is None or isinstance(outcome, Err) else tool.as_text
        text = json if as_text is None else as_text(payload, json)
        if text is json:
            text_bytes = structure
        else:
            text_bytes = text.encode("utf-8")
        content = (
            b'"content":[',
            _text_block(text_bytes),
            b"]",
        )
        if is_error or not text_only:
            content = (*content, b',"structuredContent":', structure)
    error_flag = b"true" if is_error else b"false"
    return (
        b"{",
        *content,
        b',"isError":',
        error_flag,
        _stamped(end.client_request_id, stamp),
        b"}",
    )


def _fitted(payload: JsonDict, end: Ended, most_bytes: int) -> Tuple[JsonDict, str, bytes]:
    """Return what the client sees, without invisible characters and no longer than allowed; its
    JSON, and as UTF-8.
    """
    show = None if end.tool is None or isinstance(end.outcome, Err) else end.tool.as_shown

    def as_shown(whole: JsonDict) -> JsonDict:
        if show is None:
            return whole
        return show(end.params, whole)

    shown_payload = as_shown(payload)
    json = compact(shown_payload)
    if foreign_text.needs_escapes(json):
        payload = foreign_text.escaped(payload)
        shown_payload = as_shown(payload)
        json = compact(shown_payload)
    if _is_longer(json, most_bytes):
        shown_payload = fitted(payload, end.gives_way, end.params, most_bytes, as_shown)
        json = compact(shown_payload)
    try:
        return shown_payload, json, json.encode("utf-8")
    except UnicodeEncodeError:
        whole = repaired(shown_payload)
        return whole, compact(whole), _json(whole)


def _is_longer(json: str, most_bytes: int) -> bool:
    return 4 * len(json) > most_bytes and len(json.encode("utf-8", "surrogatepass")) > most_bytes


def _text_block(json: bytes) -> bytes:
    # What is JSON already holds nothing else that a JSON string must escape.
    return b'{"type":"text","text":"' + json.replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"}'


def _is_error(outcome: Outcome, tool: Optional[Tool]) -> bool:
    """Return whether a call failed: a job's if it could not be carried out, but not questions about
    it (SPEC §15.3).
    """
    if isinstance(outcome, Err):
        return True
    return tool is not None and tool.mode is Mode.JOB and outcome.value.get("error") is not None


def _image(payload: JsonDict, tool: Optional[Tool]) -> Tuple[Optional[JsonDict], JsonDict]:
    """Return the content block of the payload's picture, if it has one, and the payload without it."""
    if tool is not None and tool.shows_image and "error" not in payload:
        mime_type = _MIME_TYPES.get(payload.get("format", ""), "image/jpeg")
        picture: Optional[Picture] = Picture(payload.get("image", ""), mime_type)
        payload = {
            name: value for name, value in payload.items() if name not in ("image", "format")
        }
    else:
        picture, payload = without_picture(payload)
    if picture is None:
        return None, payload
    return {"type": "image", "data": picture.data, "mimeType": picture.mime_type}, payload


def _stamped(client_request_id: Optional[str], stamp: JsonObject) -> bytes:
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
