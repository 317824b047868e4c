"""What an attached server and the owner say to each other, as JSON in WebSocket text messages (SPEC
§14).

    owner                                   attached
    challenge(nonce, protocol)       ->
                                     <-     attach(protocol, nonce, proof, version)
    attached(proof, version)         ->                                        or refused(code, version)
                                     <-     call(id, tool, arguments, wants_progress, client, project, is_bounded,
                                                 is_over_mcp),
                                            abandon(id), ping
    accepted(id, job_id), progress(id, ...), ended(id, result | error), pong   ->
    editor(state, ...), stopping()   ->

A message may be longer than one WebSocket message is allowed to be: it then goes in pieces. Each
begins with a sign, ``+`` where more is to come and ``.`` for the last.

``client`` has the caller's ``id``, whose keys of jobs these are, and its ``name`` (SPEC §15.7).
``project`` is the canonical path of the project that the attached server is for, if it is for one:
it is served with no other (SPEC §18.2). ``accepted`` comes as soon as a call waits for a job.
``editor`` reports what the editor does, and which one has the session slot or is expected back to
it (``instance_id``, ``project_path``, ``trusted``), at first and at every change: the next owner
keeps that place. After ``stopping``, what is still said of a call that waits for a job is its last
state and no answer: it goes on waiting at the next owner. Nothing is submitted after it, and a call
is accepted or answered before its job is submitted: what was neither has not run.

Version 4 names the client of a call. Servers of different versions do not attach to each other; each says which
version it speaks.
"""

from __future__ import annotations

import json
import re
from enum import Enum
from typing import Any, Dict, List, Optional, Tuple

from unity_bridge.base.errors import ErrorCode, Guarantee, ToolError
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.catalogue.calls import Failure, Outcome
from unity_bridge.catalogue.tool import Tool
from unity_bridge.config import SETTINGS
from unity_bridge.text import json_reader
from unity_bridge.text.json_types import JsonDict, JsonObject

PATH = "/attach"
VERSION = 4

# From the connection to both proofs (SPEC §20.1).
INTRODUCTION_S = 2.0

# With its sign no longer than the smallest max_message_bytes that may be configured: the owner's
# listener holds both directions to its own, which the attached side does not know.
MAX_PIECE_BYTES = 64 * 1024
_PIECE = MAX_PIECE_BYTES - 1
# What Unity says grows when it is written in ASCII: `1e15` is the worst, with almost four times its
# length.
_GROWTH = 4
_MORE, _LAST = "+", "."

_VERSION = re.compile(r"[0-9][0-9A-Za-z.+-]{0,31}")

Message = Dict[str, Any]


class AttachRefusal(str, Enum):
    """Why an owner refuses an attach: ``refused.code``."""

    PROTOCOL = "protocol"
    PROOF = "proof"
    NO_SECRET = "no_secret"
    FULL = "full"
    MALFORMED = "malformed"


def version_said(value: Any) -> str:
    """Return the version that the other side claims, or a placeholder if it does not look like a
    version.
    """
    if isinstance(value, str) and _VERSION.fullmatch(value):
        return value
    return "of an unknown version"


def longest(max_message_bytes: int) -> int:
    """How many characters, signs included, a message has at most if Unity may say
    ``max_message_bytes`` at once.
    """
    return _GROWTH * max_message_bytes + _PIECE


# Whatever is configured on the other side.
_MAX_CHARACTERS = longest(int(SETTINGS["max_message_bytes"].maximum))


def encode(type: str, **fields: Any) -> List[str]:
    """Return the pieces of one message, ASCII only."""
    text = json.dumps({"type": type, **fields}, separators=(",", ":"))
    starts = range(0, len(text), _PIECE)
    return [
        (_LAST if start + _PIECE >= len(text) else _MORE) + text[start : start + _PIECE]
        for start in starts
    ]


class Reassembly:
    """Joins the pieces of a peer's messages. For one thread. Before ``trust`` a message must come
    in one piece.
    """

    def __init__(self) -> None:
        self._pieces: List[str] = []
        self._characters = 0
        self._signs: Tuple[str, ...] = (_LAST,)

    def trust(self) -> None:
        """Trust the peer, which is proven: its messages may now be as long as the longest answer."""
        self._signs = (_MORE, _LAST)

    def take(self, piece: str) -> Result[Optional[Message], str]:
        """Return the message that ``piece`` completes, ``None`` if it does not, or what is wrong
        with it.
        """
        self._characters += len(piece)
        if piece[:1] not in self._signs or self._characters > _MAX_CHARACTERS:
            return Err("not a piece of a message")
        self._pieces.append(piece[1:])
        if piece.startswith(_MORE):
            return Ok(None)
        text = "".join(self._pieces)
        self._pieces, self._characters = [], 0
        try:
            message = json_reader.loads(text)
        except ValueError:
            return Err("not JSON")
        if not isinstance(message, dict) or not isinstance(message.get("type"), str):
            return Err("not a message")
        return Ok(message)


def outcome_fields(outcome: Outcome) -> JsonDict:
    """Return an outcome as fields of ``ended``."""
    if isinstance(outcome, Ok):
        return {"result": outcome.value}
    error, failure = outcome.error.error, outcome.error
    return {
        "error": {
            "code": error.code.value,
            "message": error.message,
            "details": dict(error.details),
            "execution_guarantee": error.guarantee.value,
        },
        "request_id": failure.request_id,
    }


def outcome_of(message: JsonObject, tool: Tool) -> Outcome:
    """Return the outcome in an ``ended`` message, or an error if it has none that can be read."""
    result, error = message.get("result"), message.get("error")
    if isinstance(result, dict):
        return Ok(result)
    members = error if isinstance(error, dict) else {}
    tool_error = _error_of(members, members.get("execution_guarantee"))
    return Err(Failure(tool_error, text_in(message, "request_id"), tool))


def text_in(message: JsonObject, name: str) -> Optional[str]:
    """Return the text of this name, or None if there is none."""
    value = message.get(name)
    if isinstance(value, str):
        return value
    return None


def job_error_of(error: Any) -> ToolError:
    """Return the error in a job's status, as the owner has it."""
    members = error if isinstance(error, dict) else {}
    details = members.get("details")
    guarantee = None
    if isinstance(details, dict):
        guarantee = details.get("execution_guarantee")
    return _error_of(members, guarantee)


def _error_of(error: JsonObject, guarantee: Any) -> ToolError:
    try:
        code, known_guarantee = ErrorCode(error.get("code")), Guarantee(guarantee)
    except ValueError:
        message = "The server that owns the port gave an answer that cannot be read."
        return ToolError(ErrorCode.INVALID_RESPONSE, message)
    members = error.get("details")
    details = members if isinstance(members, dict) else {}
    # The owner has fitted it to its limit; whose words it has is not said.
    return ToolError(
        code, str(error.get("message")), details, known_guarantee, "untrusted" not in details
    )
