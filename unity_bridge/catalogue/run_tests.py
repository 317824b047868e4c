"""``run_tests``: runs the project's tests as a job (SPEC §8)."""

from __future__ import annotations

from unity_bridge.catalogue.tool import JOB_STATES, TEXT, Kind, Mode, Service, Tool, arguments, object_of

TOOL = Tool(
    name="run_tests",
    title="Run Unity tests",
    description=(
        "Starts the project's tests and returns a job_id at once; follow it with get_job_status (wait_ms), stop it "
        "with cancel_job. filter: a full test name, a namespace or fixture prefix, or category:NAME; several are "
        "separated by ';' and any may match. Play-mode tests reload the domain; the run survives that."
    ),
    kind=Kind.READ_HEAVY,
    mode=Mode.JOB,
    service=Service.UNITY,
    supports_cancel=True,
    default_timeout_ms=300_000,
    max_timeout_ms=1_800_000,
    execution_error_retryable=False,
    read_only=False,
    idempotent=False,
    input_schema=arguments(
        {"mode": {"enum": ["all", "edit", "play"], "default": "all"}, "filter": {"type": "string"}}, 1_800_000
    ),
    output_schema=object_of({"job_id": TEXT, "state": {"enum": JOB_STATES}}, ("job_id", "state")),
)
