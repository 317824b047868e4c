"""``get_job_status``: how a job is, and what came of it (SPEC §8)."""

from __future__ import annotations

from unity_bridge.catalogue.tool import (
    JOB_ID,
    JOB_STATES,
    NUMBER,
    TEXT,
    TEXT_OR_NULL,
    Kind,
    Mode,
    Service,
    Tool,
    arguments,
    object_of,
)

_SUMMARY = object_of(
    {"total": NUMBER, "passed": NUMBER, "failed": NUMBER, "skipped": NUMBER, "duration_ms": {"type": "number"}},
    ("total", "passed", "failed", "skipped", "duration_ms"),
)
_FAILED_TEST = object_of({"name": TEXT, "message": TEXT_OR_NULL, "stack_trace": TEXT_OR_NULL}, ("name",))

TOOL = Tool(
    name="get_job_status",
    title="Get test run status",
    description=(
        "State, progress and result of a test run. wait_ms waits for the end or a change instead of polling. "
        "state failed with a result = tests failed; with error = the run could not be carried out."
    ),
    kind=Kind.CONTROL,
    mode=Mode.SYNC,
    service=Service.JOB_STATUS,
    supports_cancel=False,
    default_timeout_ms=5_000,
    max_timeout_ms=10_000,
    execution_error_retryable=False,
    read_only=True,
    idempotent=True,
    input_schema=arguments(
        {"job_id": JOB_ID, "wait_ms": {"type": "integer", "minimum": 0, "maximum": 10_000, "default": 0}},
        10_000,
        ("job_id",),
    ),
    output_schema=object_of(
        {
            "job_id": TEXT,
            "state": {"enum": JOB_STATES},
            "progress": {
                "type": ["object", "null"],
                "properties": {"completed": NUMBER, "total": NUMBER, "current_test": TEXT_OR_NULL},
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
