"""``get_job_status``: how a job is, and what came of it (SPEC §8, §15.3)."""

from __future__ import annotations

from unity_bridge.catalogue.tool import (
    FLAG,
    JOB_ID,
    JOB_STATES,
    TEXT,
    TEXT_OR_NULL,
    Kind,
    Mode,
    Service,
    Tool,
    arguments,
    object_of,
    waiting,
)

_OBJECT_OR_NULL = {"type": ["object", "null"]}

TOOL = Tool(
    name="get_job_status",
    title="Get job status",
    description=(
        "Waits up to wait_ms for the end of a job (compile, run_tests, ...), else says how it is. state failed with a "
        "result: carried out, and found faults; with error: not carried out. stale: Unity could not be asked just now."
    ),
    kind=Kind.CONTROL,
    mode=Mode.SYNC,
    service=Service.JOB_STATUS,
    default_timeout_ms=5_000,
    max_timeout_ms=60_000,
    execution_error_retryable=False,
    read_only=True,
    idempotent=True,
    input_schema=arguments({"job_id": JOB_ID, "wait_ms": waiting(0)}, 60_000, ("job_id",)),
    output_schema=object_of(
        {
            "job_id": TEXT,
            "tool": TEXT_OR_NULL,
            "state": {"enum": JOB_STATES},
            "progress": _OBJECT_OR_NULL,
            "result": _OBJECT_OR_NULL,
            "error": {"type": "object"},
            "console": {"type": "object"},
            "joined": FLAG,
            "stale": FLAG,
            "result_dropped": FLAG,
        },
        ("job_id", "state", "progress", "result"),
    ),
)
