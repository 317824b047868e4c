"""Why the endpoint refuses a call by itself: at a clone's first start (SPEC §3.2), and at its end.

Without the catalogue: another thread may still be importing that, and a client that leaves does not
wait for it.
"""

from __future__ import annotations

import itertools
import os
from typing import Any, Dict, Mapping, Optional

from unity_bridge.base.errors import ErrorCode, ToolError, error_object
from unity_bridge.mcp.json_rpc import Request, RequestId
from unity_bridge.mcp.static_answers import Catalogue, answer_line
from unity_bridge.text import foreign_text
from unity_bridge.text.json_writer import compact

# Calls that the executor never hears of have a name too, so that answer and log can be joined (SPEC
# §8).
_RUN = os.urandom(4).hex()
_refusals = itertools.count(1)


def new_refusal_id() -> str:
    return f"req-{_RUN}-{next(_refusals)}"


def refusal_line(
    id: RequestId, error: ToolError, request_id: str, stamp: Mapping[str, Any]
) -> bytes:
    """Return the answer to a call that is not begun. ``stamp``: what the era adds to a result."""
    payload = foreign_text.escaped({"error": error_object(error, request_id=request_id)})
    content = [{"type": "text", "text": compact(payload)}]
    result = {"content": content, "structuredContent": payload, "isError": True, **stamp}
    return answer_line(id, compact(result).encode("utf-8"))


def own_limit_ms(request: Request, catalogue: Catalogue) -> Optional[int]:
    """Return how long the client itself lets the call wait: ``wait_ms`` for a job, else its own
    ``timeout_ms``.
    """
    params = request.params or {}
    tool = catalogue().get(str(params.get("name")))
    arguments = params.get("arguments")
    if tool is None:
        return None
    members: Dict[str, Any] = dict(tool.defaults)
    if isinstance(arguments, dict):
        members.update(arguments)
    value = members.get("wait_ms", members.get("timeout_ms"))
    if type(value) is not int:
        return None
    return value


def still_making(parked_ms: int) -> ToolError:
    message = (
        "unity-bridge is still making its Python environment, as it does once at its first start. "
        "Nothing was run. Call again in half a minute."
    )
    details = {"reason": "starting_environment", "parked_ms": parked_ms}
    return ToolError(ErrorCode.EDITOR_NOT_READY, message, details)


def too_many(most: int) -> ToolError:
    message = (
        f"{most} calls already wait for unity-bridge's Python environment, which is the limit. "
        "Nothing was run; wait for some of them to end, or cancel them, then retry."
    )
    return ToolError(ErrorCode.QUEUE_FULL, message, {"queue_max_size": most})


def cannot_make(reason: str) -> ToolError:
    message = (
        f"unity-bridge could not make its Python environment: {reason:.200}. Nothing was run. "
        "The server's stderr says what to set; start it again then."
    )
    return ToolError(ErrorCode.EDITOR_NOT_READY, message, {"reason": "no_environment"})
