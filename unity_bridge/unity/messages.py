"""The messages of the wire protocol v1, and the codec between them and JSON text (SPEC §7,
ADR-0008).

``decode`` is strict where Python is not: it takes JSON and nothing else (no NaN, no number that is not finite, no
nesting that would exhaust the stack), checks every field that the protocol names, and never coerces one type into
another, which ``dataclasses-json`` would do. Payloads (``params``, ``result``, ``progress``, ``details``) stay the
plain JSON they are. Of duplicate keys the last one counts; half a surrogate pair becomes U+FFFD; unknown fields are
ignored. What is kept of a plugin's words is cut to its bounds (``field_checks``).
"""

# No `from __future__ import annotations` here: dataclasses-json evaluates a class's annotations at
# every message, and as strings they would cost it half as much again.

import json
import re
from typing import Any, Dict, FrozenSet, List, Mapping, Optional, Tuple, Type

from unity_bridge.base.errors import ErrorCode
from unity_bridge.base.frozen import REQUIRED, Field, changed, fields_of, frozen
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.text import json_reader
from unity_bridge.text.foreign_text import quoted
from unity_bridge.text.json_types import JsonDict, JsonObject
from unity_bridge.unity import field_checks as checks
from unity_bridge.unity.field_checks import FieldCheck

PROTOCOL_VERSION = 1

# What a client's JSON reader takes is at times no deeper than 64 levels, of which MCP's own
# envelope needs some.
_DEEPEST = 50


@frozen
class Fault:
    """Why a text is not a message of this protocol.

    ``request_id`` and ``job_id`` are those found in the text, if any: a malformed answer must not leave
    its call waiting, and a job that was accepted must be known. ``field``: the one that is of a wrong
    type. ``is_fatal``: the peer speaks another protocol, nothing it says can be trusted (SPEC §7.4).
    ``is_error``: it was meant to be an ``error``, which is never answered (SPEC §7.7).
    """

    code: ErrorCode
    message: str
    request_id: Optional[str] = None
    is_fatal: bool = False
    is_error: bool = False
    job_id: Optional[str] = None
    field: Optional[str] = None


def _required(check: FieldCheck) -> Any:
    return Field(metadata={"check": check})


def _optional(check: FieldCheck) -> Any:
    return Field(None, metadata={"check": check})


@frozen
class Message:
    """Anything that is said on the wire. ``type`` and ``protocol_version`` are added by ``encode``."""


@frozen
class Hello(Message):
    """First word of both sides: a plugin's has ``plugin_version`` and ``state``, the server's
    ``server_version``.

    ``jobs`` are the ids that the plugin still knows, ``job_keys`` the client and key of those that have one (SPEC
    §15.7), ``tools`` the tools that it carries out (SPEC §15.5), ``joins`` the commands of the
    package whose equal calls may be taken for one (SPEC §15.7). ``code`` and ``pending_reason`` say whether compiled
    code waits to be loaded (SPEC §11.7). ``reconnect_*`` are the server's: how the plugin is to
    wait before it connects again (SPEC §9). Both sides may send a ``nonce``; ``proof`` is the server's here, while a
    plugin may send its own in any later message (SPEC §17.1).
    """

    plugin_version: Optional[str] = _optional(checks.LABEL)
    server_version: Optional[str] = _optional(checks.LABEL)
    state: Optional[str] = _optional(checks.EDITOR_STATE)
    editor_instance_id: Optional[str] = _optional(checks.ID)
    unity_version: Optional[str] = _optional(checks.LABEL)
    project_name: Optional[str] = _optional(checks.LABEL)
    project_path: Optional[str] = _optional(checks.PATH)
    jobs: Optional[List[Any]] = _optional(checks.JOBS)
    job_keys: Optional[Dict[str, List[str]]] = _optional(checks.JOB_KEYS)
    tools: Optional[List[str]] = _optional(checks.TOOLS)
    joins: Optional[List[str]] = _optional(checks.JOINS)
    process_id: Optional[int] = _optional(checks.PROCESS_ID)
    playing: Optional[bool] = _optional(checks.FLAG)
    paused: Optional[bool] = _optional(checks.FLAG)
    code: Optional[str] = _optional(checks.CODE)
    pending_reason: Optional[str] = _optional(checks.PENDING_REASON)
    nonce: Optional[str] = _optional(checks.NONCE)
    proof: Optional[str] = _optional(checks.PROOF)
    reconnect_initial_ms: Any = _optional(checks.NUMBER)
    reconnect_multiplier: Any = _optional(checks.NUMBER)
    reconnect_max_backoff_ms: Any = _optional(checks.NUMBER)
    reconnect_jitter_ratio: Any = _optional(checks.NUMBER)


@frozen
class Capability(Message):
    tools: List[Any] = _required(checks.OBJECTS)


@frozen
class EditorReport(Message):
    """What the editor says of itself, whether it is asked or not."""

    main_thread_stalled_ms: Optional[int] = _optional(checks.UINT64)
    untrusted_jobs: Optional[int] = _optional(checks.UINT64)
    compile_errors: Optional[int] = _optional(checks.UINT64)
    playing: Optional[bool] = _optional(checks.FLAG)
    paused: Optional[bool] = _optional(checks.FLAG)
    game_time_s: Any = _optional(checks.GAME_TIME)
    frame: Optional[int] = _optional(checks.FRAME)
    code: Optional[str] = _optional(checks.CODE)
    pending_reason: Optional[str] = _optional(checks.PENDING_REASON)
    kept_copies: Optional[List[Dict[str, str]]] = _optional(checks.KEPT_COPIES)
    proof: Optional[str] = _optional(checks.PROOF)


@frozen
class EditorStatus(EditorReport):
    state: str = _required(checks.EDITOR_STATE)
    seq: int = _required(checks.UINT64)


@frozen
class Ping(Message):
    proof: Optional[str] = _optional(checks.PROOF)


@frozen
class Pong(EditorReport):
    editor_state: Optional[str] = _optional(checks.EDITOR_STATE)
    seq: Optional[int] = _optional(checks.UINT64)


@frozen
class Execute(Message):
    request_id: str = _required(checks.ID)
    tool_name: str = _required(checks.TEXT)
    params: Any = _required(checks.OBJECT)
    timeout_ms: int = _required(checks.UINT64)
    client_request_id: Optional[str] = _optional(checks.TEXT)
    client: Optional[Dict[str, str]] = _optional(checks.CLIENT)


@frozen
class ToolResult(Message):
    """``result``: the answer to ``execute``; with ``status`` error, ``error`` or ``result`` says
    what went wrong.
    """

    request_id: str = _required(checks.ID)
    status: str = _required(checks.one_of("ok", "error"))
    result: Any = _optional(checks.ANYTHING)
    error: Any = _optional(checks.OBJECT)
    proof: Optional[str] = _optional(checks.PROOF)


@frozen
class SubmitJob(Message):
    """``job_id`` is our own, for a plugin that adopts it (SPEC §7.2).

    ``client_request_id`` is the key of the job, and ``client`` whose key it is (SPEC §15.7).
    """

    request_id: str = _required(checks.ID)
    tool_name: str = _required(checks.TEXT)
    params: Any = _required(checks.OBJECT)
    timeout_ms: int = _required(checks.UINT64)
    job_id: Optional[str] = _optional(checks.ID)
    client_request_id: Optional[str] = _optional(checks.TEXT)
    client: Optional[Dict[str, str]] = _optional(checks.CLIENT)


@frozen
class SubmitJobResult(Message):
    request_id: str = _required(checks.ID)
    status: str = _required(checks.one_of("accepted"))
    job_id: str = _required(checks.ID)
    proof: Optional[str] = _optional(checks.PROOF)


@frozen
class GetJobStatus(Message):
    request_id: str = _required(checks.ID)
    job_id: str = _required(checks.ID)


@frozen
class JobStatus(Message):
    """``remaining_ms`` is what is left of the job's time, ``console`` what was logged while it ran
    (SPEC §15.3).
    """

    request_id: str = _required(checks.ID)
    job_id: str = _required(checks.ID)
    state: str = _required(checks.JOB_STATE)
    progress: Any = _optional(checks.PROGRESS)
    result: Any = _optional(checks.OBJECT)
    error: Any = _optional(checks.OBJECT)
    tool_name: Optional[str] = _optional(checks.dropped_unless(checks.LABEL))
    remaining_ms: Optional[int] = _optional(checks.dropped_unless(checks.UINT64))
    client: Optional[str] = _optional(checks.dropped_unless(checks.NAME))
    client_request_id: Optional[str] = _optional(checks.dropped_unless(checks.NAME))
    console: Any = _optional(checks.CONSOLE)
    proof: Optional[str] = _optional(checks.PROOF)


@frozen
class Cancel(Message):
    request_id: str = _required(checks.ID)
    target_request_id: Optional[str] = _optional(checks.ID)
    target_job_id: Optional[str] = _optional(checks.ID)


@frozen
class CancelResult(Message):
    request_id: str = _required(checks.ID)
    status: str = _required(checks.one_of("cancelled", "cancel_requested", "rejected"))
    proof: Optional[str] = _optional(checks.PROOF)


@frozen
class ErrorMessage(Message):
    """``error``: something was refused. ``error`` is ``{code, message, retryable, details}``."""

    error: Any = _required(checks.OBJECT)
    request_id: Optional[str] = _optional(checks.ID)
    proof: Optional[str] = _optional(checks.PROOF)


TYPES: Mapping[str, Type[Message]] = {
    "hello": Hello,
    "capability": Capability,
    "editor_status": EditorStatus,
    "ping": Ping,
    "pong": Pong,
    "execute": Execute,
    "result": ToolResult,
    "submit_job": SubmitJob,
    "submit_job_result": SubmitJobResult,
    "get_job_status": GetJobStatus,
    "job_status": JobStatus,
    "cancel": Cancel,
    "cancel_result": CancelResult,
    "error": ErrorMessage,
}
_NAMES: Mapping[Type[Message], str] = {cls: name for name, cls in TYPES.items()}

# (name, is required, check) of every field of every message, read once off the classes above.
_FIELDS: Mapping[Type[Message], Tuple[Tuple[str, bool, FieldCheck], ...]] = {
    cls: tuple(
        (name, field.default is REQUIRED, field.metadata["check"])
        for name, field in fields_of(cls).items()
    )
    for cls in TYPES.values()
}


# What a read needs, and all that comes many times: dataclasses-json takes ten times as long over
# these, to the same end. It maps the others. A test holds the two against each other.
HOT: FrozenSet[Type[Message]] = frozenset(
    {Hello, Capability, EditorStatus, Ping, Pong, Execute, ToolResult, JobStatus}
)

_encoded = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


def type_name(message: Message) -> str:
    """Return the message's ``type`` on the wire."""
    return _NAMES[type(message)]


def encode(message: Message) -> str:
    """Return the message as JSON text, ASCII only; fields that are ``None`` are left out.

    Raises ``ValueError`` for a payload that is not JSON (a bug of ours).
    """
    envelope: JsonDict = {"type": type_name(message), "protocol_version": PROTOCOL_VERSION}
    for name, value in _members(message).items():
        if value is not None:
            envelope[name] = value
    return _encoded(envelope)


def decode(text: str, is_version_known: bool = False) -> Result[Message, Fault]:
    """Return the message that ``text`` is, or the fault in it. Never raises.

    ``is_version_known``: the connection's ``hello`` said which version it speaks; a message without one means that.
    """
    try:
        value = _loads(text)
    except ValueError as error:
        return _malformed(f"not JSON: {_short(error)}", _salvaged(text))
    if not isinstance(value, dict):
        return _malformed(
            f"a message must be a JSON object, this is {_JSON_TYPES[type(value)]}", {}
        )
    if text.count("{") + text.count("[") > _DEEPEST and json_reader.is_value_deep(value, _DEEPEST):
        return _malformed(f"a message may be nested at most {_DEEPEST} levels deep", value)
    name = value.get("type")
    if not isinstance(name, str):
        return _malformed("a message must have a 'type' that is a string", value)
    version = value.get("protocol_version")
    if type(version) is not int and not (version is None and is_version_known):
        return _malformed("a message must have a 'protocol_version' that is an integer", value)
    if version not in (PROTOCOL_VERSION, None):
        message = f"protocol_version {_short(version)} is not supported, this server speaks {PROTOCOL_VERSION}"
        return Err(_fault(ErrorCode.INVALID_REQUEST, message, value, is_fatal=True))
    cls = TYPES.get(name)
    if cls is None:
        return Err(
            _fault(ErrorCode.UNKNOWN_COMMAND, f"unknown message type '{_short(name)}'", value)
        )
    members: JsonDict = {}
    for field_name, is_required, check in _FIELDS[cls]:
        member = value.get(field_name)
        if member is None and not is_required:
            continue
        if not check.passes(member):
            json_type = _JSON_TYPES[type(member)] if field_name in value else "missing"
            text = f"'{field_name}' of '{name}' must be {check.phrase}, but is {json_type}"
            return Err(changed(_malformed(text, value).error, field=field_name))
        members[field_name] = member if check.cut is None else check.cut(member)
    if _is_taken_as_it_is(cls):
        return Ok(cls(**members))
    return Ok(definition(cls).from_dict(members))


def _members(message: Message) -> JsonObject:
    cls = type(message)
    members: JsonObject = vars(message)
    if not _is_taken_as_it_is(cls):
        members = definition(cls).to_dict(message)
    return members


def _is_taken_as_it_is(cls: Type[Message]) -> bool:
    """Whether dataclasses-json is not asked. It adds nothing (a test holds that), and where no descriptor is left for
    its import, a job must not be lost for that."""
    if cls in HOT:
        return True
    try:
        definition(cls)
    except OSError:
        return True
    return False


def load_mapping() -> None:
    """Load dataclasses-json, which takes 40 ms and 6 MB, so that a user's first job does not wait
    for it.
    """
    for cls in set(TYPES.values()) - HOT:
        _is_taken_as_it_is(cls)


def definition(cls: Type[Message]) -> Any:
    """``cls`` with ``to_dict`` and ``from_dict``. Loads dataclasses-json, if ``load_mapping`` has
    not.
    """
    if not hasattr(cls, "to_dict"):
        from dataclasses_json import dataclass_json

        dataclass_json(cls)
    return cls


def _malformed(message: str, value: JsonObject) -> Err[Fault]:
    return Err(_fault(ErrorCode.INVALID_REQUEST, message, value))


def _fault(code: ErrorCode, message: str, value: JsonObject, is_fatal: bool = False) -> Fault:
    """``value`` is what the message was, or what could be saved of it."""
    return Fault(
        code,
        message,
        _id_in(value, "request_id"),
        is_fatal,
        value.get("type") == "error",
        _id_in(value, "job_id"),
    )


def _id_in(value: JsonObject, name: str) -> Optional[str]:
    id = value.get(name)
    if checks.ID.passes(id):
        return id
    return None


_JSON_TYPES = {
    type(None): "null",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    str: "a string",
    list: "an array",
    dict: "an object",
}
_HALF_PAIR = re.compile(r"\\u[dD][89a-fA-F]")
_SALVAGED = r'"(type|request_id|job_id)"\s*:\s*"([ !#-\[\]-~]{1,256})"'


def _loads(text: str) -> Any:
    value = json_reader.loads(text)
    if _HALF_PAIR.search(text):
        # An escape may be half of a surrogate pair, which no UTF-8 can carry on to the client.
        utf16 = json.dumps(value, ensure_ascii=False).encode("utf-16-le", "surrogatepass")
        value = json.loads(utf16.decode("utf-16-le", "replace"))
    return value


def _salvaged(text: str) -> Dict[str, str]:
    """Return what can be read in a text that is not JSON, so that the call that it answers can be
    found.
    """
    members: Dict[str, str] = {}
    for match in re.finditer(_SALVAGED, text):
        members.setdefault(match.group(1), match.group(2))
    return members


def _short(value: object) -> str:
    return quoted(str(value), 80)
