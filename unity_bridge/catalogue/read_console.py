"""``read_console``: the entries of Unity's console (SPEC §8)."""

from __future__ import annotations

from unity_bridge.catalogue.tool import (
    COUNT,
    LOG_TYPES,
    TEXT,
    TEXT_OR_NULL,
    Kind,
    Mode,
    Service,
    Tool,
    arguments,
    object_of,
)

TOOL = Tool(
    name="read_console",
    title="Read Unity console",
    description=(
        "The newest entries of Unity's console, oldest first, compile errors included. "
        "Pass the next_cursor of an earlier answer as since to get only what is newer; "
        "include_stack_trace=false saves tokens."
    ),
    kind=Kind.READ,
    mode=Mode.SYNC,
    service=Service.UNITY,
    supports_cancel=False,
    default_timeout_ms=10_000,
    max_timeout_ms=30_000,
    execution_error_retryable=True,
    read_only=True,
    idempotent=True,
    input_schema=arguments(
        {
            "max_entries": {"type": "integer", "minimum": 1, "maximum": 2000, "default": 200},
            "types": {"type": "array", "items": {"enum": LOG_TYPES}, "description": "Only these types."},
            "contains": {"type": "string", "description": "Only messages with this text."},
            "include_stack_trace": {"type": "boolean", "default": True},
            "since": {"type": "string", "description": "A next_cursor."},
        },
        30_000,
    ),
    output_schema=object_of(
        {
            "entries": {
                "type": "array",
                "items": object_of(
                    {"type": {"enum": LOG_TYPES}, "message": TEXT, "stack_trace": TEXT_OR_NULL},
                    ("type", "message"),
                ),
            },
            "count": COUNT,
            "truncated": {"type": "boolean"},
            "next_cursor": TEXT,
        },
        ("entries", "count", "truncated"),
    ),
)
