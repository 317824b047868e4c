"""What a request says of its protocol and its client, and whether that is plain.

Plain: every version of the ``mcp`` SDK's models takes it, so it can be answered without them.
Whatever is not is the SDK's to decide. Pure functions over values as ``json`` makes them.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Callable, Optional, Union

from unity_bridge.mcp.json_rpc import Request, is_id
from unity_bridge.text.json_types import JsonObject

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
ENVELOPE_VERSION = "2026-07-28"

VERSION_KEY, CLIENT_KEY, CAPABILITIES_KEY, SERVER_KEY = (
    f"io.modelcontextprotocol/{name}"
    for name in ("protocolVersion", "clientInfo", "clientCapabilities", "serverInfo")
)
# The extension that is served to clients that declare it among their capabilities.
TASKS = "io.modelcontextprotocol/tasks"
TASK_METHODS = ("tasks/get", "tasks/cancel", "tasks/update")
# Which form of a result with both forms each of these clients gives its model, and the versions
# that were run (docs/evidence.md, "Clients"). If there is only the text, the model gets that: it is
# shorter, and has all that an agent needs.
_GIVE_STRUCTURE_TO_THE_MODEL = {
    "claude-code": "the structure, 2.1.197 and 2.1.330",
    "codex-mcp-client": "the structure, 0.169.0",
    "copilot-cli": "both, 1.0.102",
}
_LOG_LEVEL_KEY = "io.modelcontextprotocol/logLevel"
_LOG_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
_PROGRESS_TOKEN = "progressToken"

# What nests deeper may exhaust somebody's stack.
_LEVELS = 12

ProgressToken = Union[int, str]


class Era(Enum):
    """How a request says which protocol it is written for."""

    HANDSHAKE = "initialize, 2024-11-05 to 2025-11-25"
    ENVELOPE = "2026-07-28: every request carries its version"


def era_of(request: Request) -> Era:
    """Return the era of a request: a handshake is one whatever it carries; otherwise the envelope
    decides.
    """
    meta = (request.params or {}).get("_meta")
    enveloped = isinstance(meta, dict) and VERSION_KEY in meta
    if enveloped and request.method != "initialize":
        return Era.ENVELOPE
    return Era.HANDSHAKE


def progress_token(params: Optional[JsonObject]) -> Optional[ProgressToken]:
    """Return the client's token for progress, or None. Anything but a string or an integer is none."""
    meta = (params or {}).get("_meta")
    token = meta.get(_PROGRESS_TOKEN) if isinstance(meta, dict) else None
    if is_id(token):
        return token
    return None


def client_name(request: Request) -> str:
    """Return the name of the client of ``request``, or an empty text.

    ``request``: ``initialize``, or one of the envelope era. Only these name the client, and it may
    be any JSON.
    """
    params = request.params or {}
    if request.method == "initialize":
        client = params.get("clientInfo")
    else:
        client = params["_meta"].get(CLIENT_KEY)
    name = client.get("name") if isinstance(client, dict) else None
    if isinstance(name, str):
        return name
    return ""


def wants_text_only(name: str) -> bool:
    """Return whether results for the client of this name are sent without the structured copy (SPEC
    §8.2).
    """
    return name in _GIVE_STRUCTURE_TO_THE_MODEL


def declares_tasks(params: JsonObject) -> bool:
    """Whether a request of the envelope era can be answered with a task."""
    capabilities = params["_meta"].get(CAPABILITIES_KEY)
    extensions = capabilities.get("extensions") if isinstance(capabilities, dict) else None
    return isinstance(extensions, dict) and extensions.get(TASKS) == {}


def is_plain_handshake(params: JsonObject) -> bool:
    """Return whether these are plain parameters of ``initialize``."""
    return (
        isinstance(params.get("protocolVersion"), str)
        and _is_client(params.get("clientInfo"))
        and _are_capabilities(params.get("capabilities"))
        and is_plain_meta(params)
    )


def is_plain_meta(params: JsonObject) -> bool:
    """``_meta`` of a request of the handshake era, absent included.

    A token that is null is none, though the SDK refuses it: a whole call is not to fail on that.
    """
    meta = params.get("_meta")
    if meta is None:
        return True
    if not isinstance(meta, dict) or VERSION_KEY in meta:
        return False
    token = meta.get(_PROGRESS_TOKEN)
    return (token is None or is_id(token)) and _is_shallow(meta)


def is_plain_envelope(params: JsonObject) -> bool:
    """``_meta`` of a request of the envelope era."""
    meta = params.get("_meta")
    if not isinstance(meta, dict) or meta.get(VERSION_KEY) != ENVELOPE_VERSION:
        return False
    token, client, log_level = (
        meta.get(_PROGRESS_TOKEN),
        meta.get(CLIENT_KEY),
        meta.get(_LOG_LEVEL_KEY),
    )
    return (
        (token is None or is_id(token))
        and log_level in (None, *_LOG_LEVELS)
        and (client is None or _is_client(client))
        and _are_capabilities(meta.get(CAPABILITIES_KEY))
        and _is_shallow(meta)
    )


# --- the parts ---


def _is_client(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("name"), str)
        and isinstance(value.get("version"), str)
        and _each(value, ("title", "description", "websiteUrl"), lambda text: isinstance(text, str))
        and value.get("icons") is None  # which no client is known to send
    )


def _are_capabilities(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and _is_shallow(value)  # first: what follows may recurse
        and _each(value, ("roots",), _are_roots)
        and _each(
            value,
            ("sampling",),
            lambda sampling: _is_object_of_objects(sampling, ("context", "tools")),
        )
        and _each(
            value,
            ("elicitation",),
            lambda elicitation: _is_object_of_objects(elicitation, ("form", "url")),
        )
        and _each(value, ("experimental", "extensions"), _is_named_objects)
        and _each(value, ("tasks",), _is_tree)
    )


def _are_roots(value: Any) -> bool:
    return isinstance(value, dict) and _each(
        value, ("listChanged",), lambda flag: isinstance(flag, bool)
    )


def _is_named_objects(value: Any) -> bool:
    # Unlike a known member, one that a client names itself may not be null.
    return isinstance(value, dict) and all(isinstance(member, dict) for member in value.values())


def _is_object_of_objects(value: Any, members: Any) -> bool:
    return isinstance(value, dict) and _each(
        value, members, lambda member: isinstance(member, dict)
    )


def _each(value: JsonObject, names: Any, fits: Callable[[Any], bool]) -> bool:
    """Whether each member of these names, where it is there and not null, fits."""
    return all(value.get(name) is None or fits(value[name]) for name in names)


def _is_tree(value: Any) -> bool:
    """Objects all the way down."""
    return isinstance(value, dict) and all(_is_tree(inner) for inner in value.values())


def _is_shallow(value: Any, levels: int = _LEVELS) -> bool:
    if not isinstance(value, (dict, list)):
        return True
    members = value.values() if isinstance(value, dict) else value
    return levels > 0 and all(_is_shallow(member, levels - 1) for member in members)
