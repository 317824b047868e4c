"""``run_csharp``: runs C# in the editor, where its user allows it (SPEC §16.6)."""

from __future__ import annotations

from typing import Any, Dict, Mapping

from unity_bridge.base.result import Ok, Result
from unity_bridge.catalogue import compile
from unity_bridge.catalogue.tool import (
    COUNT,
    FLAG,
    JOB_STATUS,
    TEXT,
    Cancel,
    Join,
    Kind,
    Mode,
    Service,
    Tool,
    arguments,
    list_of,
    object_of,
    waiting,
)

RESULT = object_of(
    {
        "ok": FLAG,
        # Anything that JSON can say.
        "value": {},
        "output": TEXT,
        "scenes_dirtied": list_of(TEXT),
        "log_file": TEXT,
        "error_count": COUNT,
        "errors": compile.RESULT["properties"]["errors"],
        "truncated": FLAG,
    },
    ("ok",),
)


def as_asked(params: Mapping[str, Any], result: Dict[str, Any]) -> Result[Dict[str, Any], str]:
    """At most 50 errors; ``truncated`` if there were more."""
    return Ok(compile.cut(result, "errors", compile.MOST_MESSAGES))


TOOL = Tool(
    name="run_csharp",
    title="Run C# in Unity",
    description=(
        "Runs C# in Unity, once: statements, or a class with a static Run(). End with an expression without ; to get "
        "its value. Off until the user allows it."
    ),
    kind=Kind.WRITE,
    mode=Mode.JOB,
    service=Service.UNITY,
    default_timeout_ms=30_000,
    max_timeout_ms=300_000,
    execution_error_retryable=False,
    read_only=False,
    idempotent=False,
    input_schema=arguments(
        {
            "code": {"type": "string", "minLength": 1},
            "usings": {**list_of(TEXT), "default": []},
            "wait_ms": waiting(50_000),
        },
        300_000,
        ("code",),
    ),
    output_schema=JOB_STATUS,
    result_schema=RESULT,
    cancel=Cancel.UNTIL_IT_BEGINS,
    join=Join.OPEN,
    as_asked=as_asked,
    finds_faults=lambda result: not result["ok"],
    is_destructive=True,
    is_open_world=True,
)
