"""``cancel_job``: stops a job (SPEC §6, §8)."""

from __future__ import annotations

from unity_bridge.catalogue.schema import JOB_ID, TEXT, object_of
from unity_bridge.catalogue.tool import Service, control_tool

TOOL = control_tool(
    name="cancel_job",
    rank=103,
    other_names={"id": "job_id", "job": "job_id"},
    title="Cancel job",
    description=(
        "Stops a job. cancelled: it never ran. cancel_requested: Unity was asked, where it can stop such a job; "
        "get_job_status reports the end. rejected: it has ended."
    ),
    service=Service.JOB_CANCEL,
    max_timeout_ms=10_000,
    arguments={"job_id": JOB_ID},
    required=("job_id",),
    output_schema=object_of(
        {"job_id": TEXT, "status": {"enum": ["cancelled", "cancel_requested", "rejected"]}},
        ("job_id", "status"),
    ),
)
