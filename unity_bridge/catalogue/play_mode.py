"""``play_mode``: enters and leaves play mode, pauses it, steps through it (SPEC §16.2)."""

from __future__ import annotations

from unity_bridge.catalogue.tool import (
    FLAG,
    JOB_STATUS,
    NUMBER,
    TEXT,
    Kind,
    Mode,
    Service,
    Tool,
    arguments,
    object_of,
    waiting,
)

ACTIONS = ["enter", "exit", "pause", "resume", "step"]
MOST_FRAMES = 1000

TOOL = Tool(
    name="play_mode",
    title="Unity play mode",
    description=(
        "Enters play mode (answers once a frame has run), exits, pauses, resumes, or steps frames. Compile first."
    ),
    kind=Kind.WRITE,
    mode=Mode.JOB,
    service=Service.UNITY,
    default_timeout_ms=60_000,
    max_timeout_ms=300_000,
    execution_error_retryable=False,
    read_only=False,
    idempotent=False,
    input_schema=arguments(
        {
            "action": {"enum": ACTIONS},
            "frames": {"type": "integer", "minimum": 1, "maximum": MOST_FRAMES, "default": 1},
            "wait_ms": waiting(50_000),
        },
        300_000,
        ("action",),
    ),
    output_schema=JOB_STATUS,
    result_schema=object_of(
        {"playing": FLAG, "paused": FLAG, "frame": NUMBER, "changed": FLAG, "reason": TEXT},
        ("playing", "paused", "frame", "changed"),
    ),
)
