"""``cancel_job``: stops a job (SPEC §6, §8)."""

from __future__ import annotations

from unity_bridge.catalogue.tool import JOB_ID, TEXT, Kind, Mode, Service, Tool, arguments, object_of

TOOL = Tool(
    name="cancel_job",
    title="Cancel job",
    description=(
        "Stops a job. cancelled: it never ran. cancel_requested: Unity was asked, where it can stop such a job; "
        "get_job_status tells its end. rejected: it has ended."
    ),
    kind=Kind.CONTROL,
    mode=Mode.SYNC,
    service=Service.JOB_CANCEL,
    default_timeout_ms=5_000,
    max_timeout_ms=10_000,
    execution_error_retryable=False,
    read_only=False,
    idempotent=True,
    input_schema=arguments({"job_id": JOB_ID}, 10_000, ("job_id",)),
    output_schema=object_of(
        {"job_id": TEXT, "status": {"enum": ["cancelled", "cancel_requested", "rejected"]}}, ("job_id", "status")
    ),
)
