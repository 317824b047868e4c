"""``Tool``: what the catalogue says of a tool, and the words that the tools' schemas share (SPEC §8, ADR-0012)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, Callable, Dict, Mapping, Optional, Tuple

from unity_bridge.result import Result


class Kind(str, Enum):
    """What a tool does to the project, which decides whether it may be repeated."""

    READ = "read"
    READ_HEAVY = "read_heavy"
    CONTROL = "control"


class Mode(str, Enum):
    """How a tool ends: with its answer, or as a job that is asked for later."""

    SYNC = "sync"
    JOB = "job"


class Service(str, Enum):
    """Who answers a call: Unity, or the server from what it knows. Only what Unity answers waits for the editor."""

    UNITY = "unity"
    EDITOR_STATE = "editor state"
    JOB_STATUS = "job status"
    JOB_CANCEL = "job cancel"


# ``(params, result)``: what of the result was asked for, where a plugin ignored a parameter (SPEC §20.3); ``Err`` says
# why it is no answer to the question. Neither is modified.
AsAsked = Callable[[Mapping[str, Any], Dict[str, Any]], Result[Dict[str, Any], str]]


@dataclass(frozen=True)
class Tool:
    """One row of the catalogue. ``input_schema`` and ``output_schema`` are plain JSON Schema, without ``$ref``.

    ``shows_image``: the result's ``image`` (base64, of ``format``) is shown as a picture, and nothing is published of
    its schema (SPEC §16). ``always_load`` asks clients that defer tools not to defer this one. ``as_asked`` makes of a
    result that fits the schema the one that was asked for.
    """

    name: str
    title: str
    description: str
    kind: Kind
    mode: Mode
    service: Service
    supports_cancel: bool
    default_timeout_ms: int
    max_timeout_ms: int
    execution_error_retryable: bool
    read_only: bool
    idempotent: bool
    input_schema: Mapping[str, Any]
    output_schema: Mapping[str, Any]
    shows_image: bool = False
    always_load: bool = False
    as_asked: Optional[AsAsked] = None

    @property
    def needs_editor(self) -> bool:
        """Whether the call is parked while the editor is not ready (SPEC §4.3)."""
        return self.service is Service.UNITY

    def capability(self) -> Dict[str, Any]:
        """The tool's entry in the ``capability`` message (metadata schema of ADR-0012)."""
        return {
            "name": self.name,
            "execution_mode": self.mode.value,
            "supports_cancel": self.supports_cancel,
            "default_timeout_ms": self.default_timeout_ms,
            "max_timeout_ms": self.max_timeout_ms,
            "requires_client_request_id": False,
            "execution_error_retryable": self.execution_error_retryable,
        }


def object_of(properties: Mapping[str, Any], required: Tuple[str, ...] = ()) -> Dict[str, Any]:
    schema: Dict[str, Any] = {"type": "object", "properties": dict(properties)}
    if required:
        schema["required"] = list(required)
    return schema


def arguments(properties: Mapping[str, Any], max_timeout_ms: int, required: Tuple[str, ...] = ()) -> Dict[str, Any]:
    """A tool's own arguments plus the two that every tool takes; anything else is refused.

    Those two go without a description: it would stand in the list five times, and every client's model pays for it.
    """
    common = {
        "timeout_ms": {"type": "integer", "minimum": 1, "maximum": max_timeout_ms},
        "client_request_id": {"type": "string", "pattern": "^[ -~]{1,128}$"},
    }
    schema = object_of({**properties, **common}, required)
    schema["additionalProperties"] = False
    return schema


TEXT = {"type": "string"}
TEXT_OR_NULL = {"type": ["string", "null"]}
COUNT = {"type": "integer", "minimum": 0}
NUMBER = {"type": "integer"}
JOB_STATES = ["queued", "running", "succeeded", "failed", "timeout", "cancelled"]
JOB_ID = {"type": "string", "minLength": 1, "maxLength": 256, "description": "From run_tests."}
LOG_TYPES = ["log", "warning", "error", "assert", "exception"]
