"""``StaticAnswers``: what every client opens with has one answer for the life of a process (SPEC
§12.1, §12.5).

Rendered without the ``mcp`` SDK, which takes most of a second to load, but as it writes them to the
byte: members in its order, and nothing answered that it might refuse. A test holds the two against
each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, Mapping, Optional, Tuple

from unity_bridge.mcp import prompts
from unity_bridge.mcp.envelope import (
    ENVELOPE_VERSION,
    HANDSHAKE_VERSIONS,
    SERVER_KEY,
    TASKS,
    VERSION_KEY,
    Era,
    is_plain_envelope,
    is_plain_handshake,
    is_plain_meta,
)
from unity_bridge.mcp.json_rpc import INVALID_PARAMS, Request, RequestId, RpcError
from unity_bridge.text.json_types import JsonDict, JsonObject
from unity_bridge.text.json_writer import compact

if TYPE_CHECKING:
    from unity_bridge.catalogue.tool import Tool

# Returns the tools. Called when a message needs them, because importing them takes as long as
# answering `initialize`.
Catalogue = Callable[[], Mapping[str, "Tool"]]

SERVER_NAME = "unity-bridge"
SERVER_TITLE = "Unity Bridge"
INSTRUCTIONS = (
    "Tools for the Unity Editor that is open on this machine. Unity does not see edits of files by itself: after every "
    "edit call compile, or run_tests, which compiles first; fix what they answer with, and repeat. A call returns when "
    "the work is done, also across compiles and reloads: do not sleep, and do not repeat it. If its state is still "
    "queued or running, wait with get_job_status and wait_ms 50000. get_editor_state always answers at once; call it "
    "when something fails. A failed call carries error: retryable says whether to repeat it, "
    "details.execution_guarantee whether it ran; if details.recovery is ask_the_user, ask the user and wait; if "
    "open_the_editor, run details.advice in a shell if you have one, else ask."
)
_SEEN_ELSEWHERE = (
    ' Unity runs on another machine or in another system. Your tools find the project in "{}"; paths of files in '
    "results are relative to it."
)
# The catalogue is fixed for the life of a process, and its schemas for that of a release.
TOOLS_STAY_MS = 3_600_000
_PATH_MAX = 4096

_LISTS = ("tools/list", "prompts/list")
_DISCOVER = "server/discover"
_SHARED = {"cacheScope": "public", "resultType": "complete", "ttlMs": TOOLS_STAY_MS}
_CAPABLE_OF = {"prompts": {"listChanged": False}, "tools": {"listChanged": False}}
_CAPABLE_OF_TASKS = {"extensions": {TASKS: {}}, **_CAPABLE_OF}
ONE_PAGE = "There is one page. Leave cursor out."


def instructions_for(client_project: Optional[str]) -> str:
    """``client_project``: where the client sees the project, if that is not where Unity sees it
    (SPEC §23.4).
    """
    if client_project is None:
        return INSTRUCTIONS
    from unity_bridge.text.foreign_text import (
        quoted,
    )  # no other server needs it before it has answered

    return INSTRUCTIONS + _SEEN_ELSEWHERE.format(quoted(client_project, _PATH_MAX))


class StaticAnswers:
    """The answers of the server ``version`` with the tools of ``catalogue``. Safe from any thread."""

    def __init__(
        self, catalogue: Catalogue, version: str, instructions: str = INSTRUCTIONS
    ) -> None:
        self.catalogue = catalogue
        self._instructions = instructions
        self._server = {"name": SERVER_NAME, "title": SERVER_TITLE, "version": version}
        # What the envelope era adds to every result.
        self.stamp: JsonObject = {
            "resultType": "complete",
            "_meta": {SERVER_KEY: self._server},
        }
        # Each is rendered when it is first asked for.
        self._lists: Dict[Tuple[str, Era], bytes] = {}

    def line(self, request: Request, era: Era) -> Optional[bytes]:
        """Return the whole answer with its line end; None if it is not static, or not plain enough
        to be sure.
        """
        params = request.params or {}
        if request.method == "initialize":
            if is_plain_handshake(params):
                return self.handshake(request)
            return None
        if request.method == _DISCOVER and era is Era.HANDSHAKE:
            return self.line_whatever_it_carries(request, era)
        is_plain = is_plain_meta(params) if era is Era.HANDSHAKE else is_plain_envelope(params)
        if not is_plain or not isinstance(params.get("cursor", ""), (str, type(None))):
            return None
        if request.method == "prompts/get" and not _is_plain_prompt(params):
            return None
        return self.line_whatever_it_carries(request, era)

    def line_whatever_it_carries(self, request: Request, era: Era) -> Optional[bytes]:
        """Return the answer of ``line`` without the SDK to check what came with the method."""
        if request.method in _LISTS and isinstance((request.params or {}).get("cursor"), str):
            return RpcError(request.id, INVALID_PARAMS, ONE_PAGE).line()
        if request.method in _LISTS:
            return answer_line(request.id, self._list(request.method, era))
        if request.method == "prompts/get":
            return self._prompt(request, era)
        if request.method == "ping" and era is Era.HANDSHAKE:
            return answer_line(request.id, b"{}")
        if request.method == _DISCOVER and era is Era.ENVELOPE:
            return answer_line(request.id, _encoded(self._discovery()))
        if request.method == _DISCOVER:
            message = f"params._meta is missing the required envelope key(s): {VERSION_KEY}"
            return RpcError(request.id, INVALID_PARAMS, message).line()
        return None

    def _list(self, method: str, era: Era) -> bytes:
        line = self._lists.get((method, era))
        if line is None:
            listed = prompts.listed() if method == "prompts/list" else self._tools(era)
            if era is Era.ENVELOPE:
                listed = self._stamped(dict(sorted({**_SHARED, **listed}.items())))
            line = self._lists[method, era] = _encoded(listed)
        return line

    def _tools(self, era: Era) -> JsonDict:
        tools = [published(tool) for tool in self.catalogue().values()]
        if era is Era.HANDSHAKE:
            tools = [{**tool, "inputSchema": _known_first(tool["inputSchema"])} for tool in tools]
        return {"tools": tools}

    def _prompt(self, request: Request, era: Era) -> bytes:
        name = (request.params or {}).get("name")
        if not isinstance(name, str) or name not in prompts.PROMPTS:
            return RpcError(request.id, INVALID_PARAMS, prompts.unknown(str(name))).line()
        result = prompts.got(name)
        if era is Era.ENVELOPE:
            result = self._stamped({**result, "resultType": "complete"})
        return answer_line(request.id, _encoded(result))

    def handshake(self, request: Request) -> bytes:
        """Return the answer to an ``initialize`` that names a version; one that is not known is
        offered the newest.
        """
        version = (request.params or {})["protocolVersion"]
        result = {
            "capabilities": _CAPABLE_OF,
            "instructions": self._instructions,
            "protocolVersion": version if version in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1],
            "serverInfo": self._server,
        }
        return answer_line(request.id, _encoded(result))

    def _discovery(self) -> JsonDict:
        return self._stamped(
            {
                "cacheScope": "private",
                "capabilities": _CAPABLE_OF_TASKS,
                "instructions": self._instructions,
                "resultType": "complete",
                "supportedVersions": [ENVELOPE_VERSION],
                "ttlMs": 0,
            }
        )

    def _stamped(self, result: JsonObject) -> JsonDict:
        return {**result, "_meta": self.stamp["_meta"]}


def _is_plain_prompt(params: JsonObject) -> bool:
    """Whether the SDK would take it; the arguments mean nothing, as no prompt has any."""
    arguments = params.get("arguments")
    are_texts = isinstance(arguments, dict) and all(
        isinstance(value, str) for value in arguments.values()
    )
    return isinstance(params.get("name"), str) and (arguments is None or are_texts)


def answer_line(id: RequestId, *result: bytes) -> bytes:
    """Return a JSON-RPC response with ``result``: UTF-8 JSON, in pieces."""
    encoded = _encoded(id) if isinstance(id, str) else b"%d" % id
    return b"".join((b'{"jsonrpc":"2.0","id":', encoded, b',"result":', *result, b"}\n"))


def _encoded(value: Any) -> bytes:
    return compact(value).encode("utf-8")


def published(tool: Tool) -> JsonDict:
    """Return the tool's entry in ``tools/list``.

    It has no output schema: a whole one has no room in 10 KB, and with a part of one typed clients
    drop the members that it does not name (SPEC §8.2).
    """
    hints = {
        "idempotentHint": tool.idempotent,
        "openWorldHint": tool.is_open_world,
        "readOnlyHint": tool.read_only,
    }
    if (
        not tool.read_only
    ):  # It means nothing for a tool that only reads, and the list is paid for in tokens.
        hints["destructiveHint"] = tool.is_destructive
    return {
        **({"_meta": {"anthropic/alwaysLoad": True}} if tool.always_load else {}),
        "annotations": dict(sorted(hints.items())),
        "description": tool.description,
        "inputSchema": tool.published_schema,
        "name": tool.name,
        "title": tool.title,
    }


def _known_first(schema: JsonObject) -> JsonDict:
    """Return the schema with the keywords first that the models of the older protocols write first."""
    keywords = [keyword for keyword in ("properties", "required", "type") if keyword in schema]
    return {**{keyword: schema[keyword] for keyword in keywords}, **schema}
