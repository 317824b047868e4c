"""The catalogue: the only place that says which tools exist (SPEC §8, ADR-0012)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Dict, Mapping, Tuple


class Kind(str, Enum):
    """What a tool does to the project, which decides whether it may be repeated."""

    READ = "read"
    READ_HEAVY = "read_heavy"
    CONTROL = "control"


class Mode(str, Enum):
    """How a tool ends: with its answer, or as a job that is asked for later."""

    SYNC = "sync"
    JOB = "job"


@dataclass(frozen=True)
class Tool:
    """One row of the catalogue.

    ``needs_editor``: the call is parked while the editor is not ready; other tools are never parked (SPEC §4.3).
    ``input_schema`` and ``output_schema`` are plain JSON Schema, without ``$ref``.
    """

    name: str
    title: str
    description: str
    kind: Kind
    mode: Mode
    needs_editor: bool
    supports_cancel: bool
    default_timeout_ms: int
    max_timeout_ms: int
    execution_error_retryable: bool
    read_only: bool
    idempotent: bool
    input_schema: Mapping[str, Any]
    output_schema: Mapping[str, Any]

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


def _object(properties: Mapping[str, Any], required: Tuple[str, ...] = ()) -> Dict[str, Any]:
    schema: Dict[str, Any] = {"type": "object", "properties": dict(properties)}
    if required:
        schema["required"] = list(required)
    return schema


def _input(properties: Mapping[str, Any], max_timeout_ms: int, required: Tuple[str, ...] = ()) -> Dict[str, Any]:
    """A tool's own arguments plus the two that every tool takes; anything else is refused.

    Those two go without a description: it would stand in the list five times, and every client's model pays for it.
    """
    common = {
        "timeout_ms": {"type": "integer", "minimum": 1, "maximum": max_timeout_ms},
        "client_request_id": {"type": "string", "pattern": "^[ -~]{1,128}$"},
    }
    schema = _object({**properties, **common}, required)
    schema["additionalProperties"] = False
    return schema


_TEXT = {"type": "string"}
_TEXT_OR_NULL = {"type": ["string", "null"]}
_COUNT = {"type": "integer", "minimum": 0}
_NUMBER = {"type": "integer"}
_JOB_STATES = ["queued", "running", "succeeded", "failed", "timeout", "cancelled"]
_JOB_ID = {"type": "string", "minLength": 1, "maxLength": 256, "description": "From run_tests."}
_LOG_TYPES = ["log", "warning", "error", "assert", "exception"]

_GET_EDITOR_STATE = Tool(
    name="get_editor_state",
    title="Get Unity editor state",
    description=(
        "Is a Unity Editor connected, and is it ready, compiling or reloading? "
        "Answers at once, also while Unity is busy or closed."
    ),
    kind=Kind.READ,
    mode=Mode.SYNC,
    needs_editor=False,
    supports_cancel=False,
    default_timeout_ms=5_000,
    max_timeout_ms=10_000,
    execution_error_retryable=True,
    read_only=True,
    idempotent=True,
    input_schema=_input({}, 10_000),
    output_schema=_object(
        {
            "server_state": {"enum": ["booting", "waiting_editor", "ready", "stopping", "stopped"]},
            "editor_state": {"enum": ["unknown", "ready", "compiling", "reloading"]},
            "connected": {"type": "boolean"},
            "last_editor_status_seq": {"type": ["integer", "null"]},
            "port": {"type": ["integer", "null"]},
            "server_version": _TEXT,
            "plugin_version": _TEXT_OR_NULL,
            "editor": {"type": ["object", "null"]},
            "waiting": _NUMBER,
            "queued": _NUMBER,
            "running_jobs": {"type": "array", "items": _TEXT},
            "listener": {"type": "object"},
            "role": {"enum": ["owner", "attached", "none"]},
            "clients": _NUMBER,
        },
        (
            "server_state",
            "editor_state",
            "connected",
            "last_editor_status_seq",
            "port",
            "server_version",
            "plugin_version",
            "editor",
            "waiting",
            "queued",
            "running_jobs",
            "listener",
        ),
    ),
)

_READ_CONSOLE = Tool(
    name="read_console",
    title="Read Unity console",
    description=(
        "The newest entries of Unity's console, oldest first, compile errors included. "
        "Pass the next_cursor of an earlier answer as since to get only what is newer; "
        "include_stack_trace=false saves tokens."
    ),
    kind=Kind.READ,
    mode=Mode.SYNC,
    needs_editor=True,
    supports_cancel=False,
    default_timeout_ms=10_000,
    max_timeout_ms=30_000,
    execution_error_retryable=True,
    read_only=True,
    idempotent=True,
    input_schema=_input(
        {
            "max_entries": {"type": "integer", "minimum": 1, "maximum": 2000, "default": 200},
            "types": {"type": "array", "items": {"enum": _LOG_TYPES}, "description": "Only these types."},
            "contains": {"type": "string", "description": "Only messages with this text."},
            "include_stack_trace": {"type": "boolean", "default": True},
            "since": {"type": "string", "description": "A next_cursor."},
        },
        30_000,
    ),
    output_schema=_object(
        {
            "entries": {
                "type": "array",
                "items": _object(
                    {"type": {"enum": _LOG_TYPES}, "message": _TEXT, "stack_trace": _TEXT_OR_NULL},
                    ("type", "message"),
                ),
            },
            "count": _COUNT,
            "truncated": {"type": "boolean"},
            "next_cursor": _TEXT,
        },
        ("entries", "count", "truncated"),
    ),
)

_RUN_TESTS = Tool(
    name="run_tests",
    title="Run Unity tests",
    description=(
        "Starts the project's tests and returns a job_id at once; follow it with get_job_status (wait_ms), stop it "
        "with cancel_job. filter: a full test name, a namespace or fixture prefix, or category:NAME; several are "
        "separated by ';' and any may match. Play-mode tests reload the domain; the run survives that."
    ),
    kind=Kind.READ_HEAVY,
    mode=Mode.JOB,
    needs_editor=True,
    supports_cancel=True,
    default_timeout_ms=300_000,
    max_timeout_ms=1_800_000,
    execution_error_retryable=False,
    read_only=False,
    idempotent=False,
    input_schema=_input(
        {"mode": {"enum": ["all", "edit", "play"], "default": "all"}, "filter": {"type": "string"}}, 1_800_000
    ),
    output_schema=_object({"job_id": _TEXT, "state": {"enum": _JOB_STATES}}, ("job_id", "state")),
)

_SUMMARY = _object(
    {"total": _NUMBER, "passed": _NUMBER, "failed": _NUMBER, "skipped": _NUMBER, "duration_ms": {"type": "number"}},
    ("total", "passed", "failed", "skipped", "duration_ms"),
)
_FAILED_TEST = _object({"name": _TEXT, "message": _TEXT_OR_NULL, "stack_trace": _TEXT_OR_NULL}, ("name",))

_GET_JOB_STATUS = Tool(
    name="get_job_status",
    title="Get test run status",
    description=(
        "State, progress and result of a test run. wait_ms waits for the end or a change instead of polling. "
        "state failed with a result = tests failed; with error = the run could not be carried out."
    ),
    kind=Kind.CONTROL,
    mode=Mode.SYNC,
    needs_editor=False,
    supports_cancel=False,
    default_timeout_ms=5_000,
    max_timeout_ms=10_000,
    execution_error_retryable=False,
    read_only=True,
    idempotent=True,
    input_schema=_input(
        {"job_id": _JOB_ID, "wait_ms": {"type": "integer", "minimum": 0, "maximum": 10_000, "default": 0}},
        10_000,
        ("job_id",),
    ),
    output_schema=_object(
        {
            "job_id": _TEXT,
            "state": {"enum": _JOB_STATES},
            "progress": {
                "type": ["object", "null"],
                "properties": {"completed": _NUMBER, "total": _NUMBER, "current_test": _TEXT_OR_NULL},
            },
            "result": {
                "type": ["object", "null"],
                "properties": {"summary": _SUMMARY, "failed_tests": {"type": "array", "items": _FAILED_TEST}},
                "required": ["summary", "failed_tests"],
            },
            "error": {"type": "object"},
            "stale": {"type": "boolean"},
        },
        ("job_id", "state", "progress", "result"),
    ),
)

_CANCEL_JOB = Tool(
    name="cancel_job",
    title="Cancel test run",
    description="Stops a test run. cancel_requested: Unity was asked; get_job_status tells when it has really stopped.",
    kind=Kind.CONTROL,
    mode=Mode.SYNC,
    needs_editor=False,
    supports_cancel=False,
    default_timeout_ms=5_000,
    max_timeout_ms=10_000,
    execution_error_retryable=False,
    read_only=False,
    idempotent=True,
    input_schema=_input({"job_id": _JOB_ID}, 10_000, ("job_id",)),
    output_schema=_object(
        {"job_id": _TEXT, "status": {"enum": ["cancelled", "cancel_requested", "rejected"]}}, ("job_id", "status")
    ),
)

# In the order in which clients list them.
CATALOGUE: Mapping[str, Tool] = {
    tool.name: tool for tool in (_GET_EDITOR_STATE, _READ_CONSOLE, _RUN_TESTS, _GET_JOB_STATUS, _CANCEL_JOB)
}


def catalogue_for(job_default_timeout_ms: int, job_max_timeout_ms: int) -> Mapping[str, Tool]:
    """The catalogue with the limits of jobs as configured (SPEC §9)."""
    return {name: _with_limits(tool, job_default_timeout_ms, job_max_timeout_ms) for name, tool in CATALOGUE.items()}


def _with_limits(tool: Tool, default_ms: int, max_ms: int) -> Tool:
    if tool.mode is not Mode.JOB or (tool.default_timeout_ms, tool.max_timeout_ms) == (default_ms, max_ms):
        return tool
    properties = dict(tool.input_schema["properties"])
    properties["timeout_ms"] = {**properties["timeout_ms"], "maximum": max_ms}
    schema = {**tool.input_schema, "properties": properties}
    return replace(tool, default_timeout_ms=default_ms, max_timeout_ms=max_ms, input_schema=schema)
