"""``get_job_status``: how a job is, and what came of it (SPEC §8, §15.3)."""

from __future__ import annotations

from unity_bridge.catalogue.job_text import job_text
from unity_bridge.catalogue.schema import FLAG, JOB_ID, TEXT, TEXT_OR_NULL, object_of
from unity_bridge.catalogue.tool import Service, control_tool, waiting

_OBJECT_OR_NULL = {"type": ["object", "null"]}

TOOL = control_tool(
    name="get_job_status",
    rank=102,
    other_names={"id": "job_id", "job": "job_id", "request_id": "job_id"},
    title="Get job status",
    description=(
        "Waits up to wait_ms for the end of a job (compile, run_tests, ...), else says how it is. state failed with a "
        "result: carried out, and found faults; with error: not carried out. stale: Unity could not be asked just now."
    ),
    service=Service.JOB_STATUS,
    max_timeout_ms=60_000,
    read_only=True,
    arguments={"job_id": JOB_ID, "wait_ms": waiting(0)},
    required=("job_id",),
    output_schema=object_of(
        {
            "job_id": TEXT,
            "tool": TEXT_OR_NULL,
            "state": {"enum": ["queued", "running", "succeeded", "failed", "timeout", "cancelled"]},
            "progress": _OBJECT_OR_NULL,
            "result": _OBJECT_OR_NULL,
            "error": {"type": "object"},
            "console": {"type": "object"},
            "joined": FLAG,
            "stale": FLAG,
            "result_dropped": FLAG,
            "cancel_rejected": FLAG,
        },
        ("job_id", "state", "progress", "result"),
    ),
    as_text=job_text,
)
