"""JSON-RPC 2.0 by the line, without I/O: bytes become messages, and whatever is no message becomes
a refusal.

Every line gets its due (SPEC §12.3): nothing a client can send is dropped in silence, and nothing
it can send is held in memory beyond the limit of one line.
"""

from __future__ import annotations

import json
import re
from typing import Any, List, Optional, Union

from unity_bridge.base.frozen import frozen
from unity_bridge.text import json_reader
from unity_bridge.text.json_types import JsonDict

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
MISSING_CAPABILITY, UNSUPPORTED_VERSION = -32021, -32022  # MCP's own

RequestId = Union[int, str]

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# Where the id of a message that cannot be read is looked for: at either end.
_EDGE_CHARACTERS = 512


@frozen
class Request:
    """A message that is owed an answer."""

    id: RequestId
    method: str
    params: Optional[JsonDict]


@frozen
class Notification:
    """A message that must not be answered."""

    method: str
    params: Optional[JsonDict]


@frozen
class Response:
    """An answer. This server asks its client nothing, so it belongs to nothing."""

    id: Any


@frozen
class RpcError:
    """A line that is answered with an error and goes no further. ``id`` is None where none could be
    read.

    ``data`` is whatever else is to be said, as a JSON value; None is nothing.
    """

    id: Optional[RequestId]
    code: int
    message: str
    data: Any = None

    def line(self) -> bytes:
        error: JsonDict = {"code": self.code, "message": self.message}
        if self.data is not None:
            error["data"] = self.data
        return json.dumps({"jsonrpc": "2.0", "id": self.id, "error": error}).encode("ascii") + b"\n"


Incoming = Union[Request, Notification, Response, RpcError]


def too_long(limit: int) -> RpcError:
    """Return the refusal of a line of more than ``limit`` bytes. Nothing of it is kept, so its id
    is not known.
    """
    return RpcError(
        None,
        INVALID_REQUEST,
        f"The message is longer than {limit} bytes. Send less in one message.",
    )


class LineSplitter:
    """Cuts a byte stream into lines, none longer than ``limit`` bytes. Holds at most one line of
    them.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._parts: List[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> List[Optional[bytes]]:
        """Return the lines that ``chunk`` completes, without their line ends; None for one over the
        limit.
        """
        *pieces, beginning = chunk.split(b"\n")
        lines: List[Optional[bytes]] = []
        for piece in pieces:
            if self._size == 0 and len(piece) <= self._limit:
                lines.append(piece)  # nearly always: all of the line is there
            else:
                self._add(piece)
                lines.append(self._take())
        if beginning:
            self._add(beginning)
        return lines

    def end(self) -> List[Optional[bytes]]:
        """Return the last line, if the stream ended in the middle of one."""
        if self._size:
            return [self._take()]
        return []

    def _add(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size <= self._limit:
            self._parts.append(piece)
        else:
            self._parts.clear()

    def _take(self) -> Optional[bytes]:
        line = b"".join(self._parts) if self._size <= self._limit else None
        self._parts, self._size = [], 0
        return line


def read_line(line: bytes) -> Optional[Incoming]:
    """Return the message in ``line``; None if it is blank. Accept a BOM and CRLF, and repair lone
    surrogates.
    """
    if line.startswith(_BYTE_ORDER_MARK):
        line = line[len(_BYTE_ORDER_MARK) :]
    line = line.strip(b" \t\r")
    if not line:
        return None
    try:
        text = line.decode("utf-8")
        message = json_reader.loads(text)
    except UnicodeDecodeError as error:
        text = line.decode("utf-8", "replace")
        return RpcError(
            _id_of(text), PARSE_ERROR, f"The message is not UTF-8: bad byte at {error.start}."
        )
    except json.JSONDecodeError as error:
        return RpcError(
            None, PARSE_ERROR, f"The message is not JSON: {error.msg} at character {error.pos}."
        )
    except json_reader.TooDeep:
        return RpcError(_id_of(text), INVALID_REQUEST, "The message is nested too deeply.")
    except ValueError:  # NaN and its like, or an integer of thousands of digits
        return RpcError(
            _id_of(text),
            PARSE_ERROR,
            "The message holds a number that is not JSON or is far too long.",
        )
    content = message
    if _SURROGATE_ESCAPE.search(text):
        content = repaired(message)
    return _read_message(content)


def _read_message(message: Any) -> Incoming:
    if isinstance(message, list):
        return RpcError(
            None, INVALID_REQUEST, "Batches are not part of MCP. Send one message a line."
        )
    if not isinstance(message, dict):
        return RpcError(None, INVALID_REQUEST, "A message is a JSON object.")
    if "method" not in message and ("result" in message or "error" in message):
        return Response(message.get("id"))
    if "id" in message and not is_id(message["id"]):
        return RpcError(None, INVALID_REQUEST, "id must be a string or an integer.")
    wrong = _envelope_fault(message)
    if wrong is not None:
        return RpcError(message.get("id"), INVALID_REQUEST, wrong)
    if "id" in message:
        return Request(message["id"], message["method"], message.get("params"))
    return Notification(message["method"], message.get("params"))


def _envelope_fault(message: JsonDict) -> Optional[str]:
    if message.get("jsonrpc") != "2.0":
        return 'jsonrpc must be "2.0".'
    if not isinstance(message.get("method"), str):
        return "method must be a string."
    if not isinstance(message.get("params", {}), (dict, type(None))):
        return "params must be an object."
    return None


def is_id(value: Any) -> bool:
    return isinstance(value, (int, str)) and not isinstance(value, bool)


# --- text that is not text ---

_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_LONE_SURROGATE = "[\ud800-\udfff]"


def repaired(value: Any) -> Any:
    """Return the same JSON value with every lone surrogate replaced by U+FFFD.

    JSON may spell half a character (``"\\ud800"``) and C# strings may hold one, but UTF-8 cannot carry it.
    """
    return json.loads(re.sub(_LONE_SURROGATE, "\ufffd", json.dumps(value, ensure_ascii=False)))


# --- the id of a message that cannot be read whole ---

_ID = r'"id"\s*:\s*(-?\d{1,40}|"(?:[^"\\]|\\.)*")'
_PLAIN_MEMBERS = r'(?:"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,\s*)*'
# Only members of the outermost object count: at the head before any other object can begin, at the
# tail right before the brace that ends the line.
_ID_AT_HEAD = r"\s*\{\s*" + _PLAIN_MEMBERS + _ID + r"\s*[,}]"
_ID_AT_TAIL = r",\s*" + _ID + r'(?:\s*,\s*"jsonrpc"\s*:\s*"2\.0")?\s*\}\s*\Z'


def _id_of(text: str) -> Optional[RequestId]:
    """Return the id of a message that could not be read, from its ends, so that its sender does not
    wait for ever.
    """
    match = re.match(_ID_AT_HEAD, text[:_EDGE_CHARACTERS]) or re.search(
        _ID_AT_TAIL, text[-_EDGE_CHARACTERS:]
    )
    try:
        identity: Optional[RequestId] = (
            None if match is None else repaired(json_reader.loads(match.group(1)))
        )
    except ValueError:  # a string that is not JSON inside
        return None
    return identity
